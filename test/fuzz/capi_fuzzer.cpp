//===- capi_fuzzer.cpp - bytes as a sequence of calls of the C API ------------------------------===//
//
// Each byte pair chooses a call and its arguments from small pools of references, alive and dead.
// Checks that there is no crash, no internal error and no success with a dead reference, that a
// rollback restores the text, and that no objects are left at the end.
//
//===--------------------------------------------------------------------------------------------===//

#include "capi_demands.h"

#include "ge-c/Text.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

class World {
public:
  explicit World(Bytes &bytes) : in_(bytes) {
    demand(geContextCreate(&context_) == GE_OK, "no context");
    geContextSetSerialized(context_, in_.next() & 1);
    demand(geModuleCreate(context_, str("m"), &module_) == GE_OK, "no module");
    for (const char *op : {"onnx.Add", "onnx.If", "ge.Const"})
      demand(geOperatorNameParse(context_, str(op), &ops_.emplace_back()) == GE_OK, "no operator");
    for (const char *key : {"alpha", "value", "a.b"})
      demand(geIdentifierGet(context_, str(key), &keys_.emplace_back()) == GE_OK, "no identifier");
    types_ = {geTypeUnknown(context_), geTypeNone(context_)};
    demand(geTypeParse(context_, str("tensor<2x3xf32>"), &types_.emplace_back()) == GE_OK, "type");
    GeGraphRef *graph = nullptr;
    demand(geGraphCreate(context_, str("g"), &graph) == GE_OK, "no graph");
    graphs_.push_back(graph);
  }

  ~World() {
    while (!open_.empty())
      close();
    for (GeCursor *cursor : cursors_)
      geCursorDestroy(cursor);
    for (; scopes_; --scopes_)
      geEditScopePop();
    for (GeNodeRef *node : nodes_)
      geNodeRelease(node);
    for (GeValueRef *value : values_)
      geValueRelease(value);
    for (GeGraphRef *graph : graphs_)
      geGraphRelease(graph);
    geModuleRelease(module_);
    demand(geContextLiveHandleCount(context_) == 0, "references are left over");
    demand(geContextLiveGraphCount(context_) == 0, "graphs are left over");
    geContextRelease(context_);
  }
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  void step() {
    dead_ = false;
    switch (in_.below(44)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return create();
    case 4:
      return addInput();
    case 5:
      return check(geNodeErase(node(), in_.next() & 1));
    case 6:
      return check(geNodeInsert(node(), graph(), in_.next() & 1 ? node() : nullptr));
    case 7:
      return check(geNodeMoveBefore(node(), node()));
    case 8:
      return check(geNodeMoveAfter(node(), node()));
    case 9:
      return check(geNodeDetach(node()));
    case 10: {
      std::vector<GeValueRef *> with = values(in_.below(3));
      return check(geNodeReplace(node(), with.data(), with.size()));
    }
    case 11: {
      GeNodeRef *copy = nullptr;
      check(geNodeClone(node(), &copy));
      return keep(copy);
    }
    case 12:
      return named([&](GeStringRef name) { return geNodeSetName(node(), name); });
    case 13:
      return named([&](GeStringRef name) { return geValueSetName(value(), name); });
    case 14:
      return named([&](GeStringRef name) { return geGraphSetName(graph(), name); });
    case 15:
      return check(geNodeSetOperand(node(), in_.below(4), in_.next() & 1 ? value() : nullptr));
    case 16: {
      std::vector<GeValueRef *> with = values(in_.below(5));
      return check(geNodeSetOperands(node(), with.data(), with.size()));
    }
    case 17:
      return check(geNodeInsertOperand(node(), in_.below(4), value()));
    case 18:
      return check(geNodeEraseOperand(node(), in_.below(4)));
    case 19:
      return setAttribute();
    case 20:
      return check(geNodeAddControlInput(node(), node()));
    case 21:
      return check(geNodeRemoveControlInput(node(), node()));
    case 22: {
      GeGraphRef *inner = nullptr;
      check(geNodeAddSubgraph(node(), str("body"), str("inner"), &inner));
      return keep(inner);
    }
    case 23:
      return check(geNodeAdoptSubgraph(node(), str("body"), graph()));
    case 24:
      return check(geNodeEraseSubgraph(node(), in_.below(2)));
    case 25:
      return check(geGraphEraseInput(graph(), in_.below(3), in_.next() & 1));
    case 26:
      return check(geGraphMoveInput(graph(), in_.below(3), in_.below(3)));
    case 27: {
      std::vector<GeValueRef *> with = values(in_.below(4));
      return check(geGraphSetOutputs(graph(), with.data(), with.size()));
    }
    case 28:
      return named([&](GeStringRef n) { return geGraphSetOutputName(graph(), 0, n); });
    case 29:
      return check(geGraphSort(graph()));
    case 30:
      return check(geGraphEraseDeadNodes(graph(), nullptr));
    case 31:
      return check(geValueSetType(value(), types_[in_.below(types_.size())]));
    case 32:
      return check(geValueReplaceAllUses(value(), value(), nullptr, 0));
    case 33:
      return read();
    case 34:
      return cursor();
    case 35:
      return begin();
    case 36:
      if (!open_.empty())
        close();
      return;
    case 37:
      return check(geGraphVerify(graph()));
    case 38:
      return whole();
    case 39:
      return module();
    case 40: {
      GeGraphRef *after = nullptr;
      check(geGraphExpireHandles(graph(), in_.next() & 1, &after));
      return keep(after);
    }
    case 41: {
      GeGraphRef *made = nullptr;
      check(geGraphCreate(context_, str("other"), &made));
      return keep(made);
    }
    case 42:
      return scope();
    default:
      return drop();
    }
  }

private:
  struct Open {
    GeTransaction *transaction;
    GeGraphRef *root;
    std::string before;
  };

  // --- Arguments; `dead_` records whether one was dead until check() uses it.

  template <typename T> T *pick(std::vector<T *> &pool) {
    if (pool.empty())
      return nullptr;
    T *ref = pool[in_.below(pool.size())];
    dead_ = dead_ || !geRefIsAlive(ref);
    return ref;
  }
  GeNodeRef *node() { return pick(nodes_); }
  GeValueRef *value() { return pick(values_); }
  GeGraphRef *graph() { return pick(graphs_); }
  std::vector<GeValueRef *> values(size_t count) {
    std::vector<GeValueRef *> refs;
    while (count--)
      refs.push_back(in_.next() & 3 ? value() : nullptr);
    return refs;
  }
  GeAttribute attribute() {
    GeAttribute made = {0};
    std::string text = in_.name();
    switch (in_.below(4)) {
    case 0:
      geAttributeInt(context_, in_.next(), 8, &made);
      break;
    case 1:
      if (geAttributeString(context_, str(text), &made) != GE_OK)
        geAttributeBytes(context_, str(text), &made);
      break;
    case 2:
      geAttributeParse(context_, str(text), &made);
      break;
    default:
      break; // no attribute: removes it
    }
    return made;
  }

  void check(GeStatus status) {
    demand(status != GE_ERROR_INTERNAL, "internal error");
    demand(status != GE_OK || !dead_, "success with a dead reference");
    demand(status == GE_OK || geErrorMessage().length > 0, "an error without text");
    demand(status != GE_ERROR_BUSY, "busy, with one thread");
    dead_ = false;
  }
  template <typename F> void named(const F &call) {
    std::string name = in_.name();
    check(call(str(name)));
  }

  // --- Results

  template <typename T, typename R> void put(std::vector<T *> &pool, T *ref, R release) {
    if (!ref)
      return;
    if (pool.size() == kPool) {
      size_t at = in_.below(kPool);
      release(pool[at]);
      pool[at] = ref;
    } else {
      pool.push_back(ref);
    }
  }
  void keep(GeValueRef *value) { put(values_, value, geValueRelease); }
  void keep(GeGraphRef *graph) { put(graphs_, graph, geGraphRelease); }
  void keep(GeNodeRef *node) {
    GeValueRef *result = nullptr;
    if (node && geNodeGetResult(node, 0, &result) == GE_OK)
      keep(result);
    put(nodes_, node, geNodeRelease);
  }

  // --- Calls with more than a line

  void create() {
    GeGraphRef *in = graph();
    size_t count = 0;
    if (geRefIsAlive(in) && geGraphNumNodes(in, &count) == GE_OK && count > kNodes)
      return;
    std::vector<GeValueRef *> operands = values(in_.below(4));
    std::vector<GeType> results;
    for (size_t n = in_.below(3); n; --n)
      results.push_back(types_[in_.below(types_.size())]);
    std::string name = in_.name();
    GeNodeSpec spec = {};
    spec.op = ops_[in_.below(ops_.size())];
    spec.numOperands = operands.size();
    spec.operands = operands.data();
    spec.numResults = results.size();
    spec.resultTypes = results.data();
    spec.name = str(name);
    GeNodeRef *made = nullptr;
    if (in_.next() & 7)
      check(geNodeCreate(in, in_.next() & 3 ? nullptr : node(), &spec, &made));
    else
      check(geNodeCreateDetached(in, &spec, &made));
    keep(made);
  }
  void addInput() {
    GeValueRef *made = nullptr;
    std::string name = in_.name();
    check(geGraphAddInput(graph(), str(name), types_[in_.below(types_.size())], nullptr,
                          in_.next() & 1 ? SIZE_MAX : 0, &made));
    keep(made);
  }
  void setAttribute() {
    GeAttribute value = attribute();
    GeIdentifier key = keys_[in_.below(keys_.size())];
    switch (in_.below(3)) {
    case 0:
      check(geGraphSetAttribute(graph(), key, value));
      break;
    case 1:
      check(geModuleSetAttribute(module_, key, value));
      break;
    default:
      check(geNodeSetAttribute(node(), key, value));
    }
    geAttributeRelease(value);
  }
  void read() {
    GeNodeRef *found = nullptr;
    GeValueRef *value = nullptr;
    GeGraphRef *in = nullptr;
    GeStringRef text;
    std::string printed;
    switch (in_.below(9)) {
    case 0:
      check(geNodeGetNext(node(), &found));
      break;
    case 1:
      check(geNodeGetOperand(node(), in_.below(3), &value));
      break;
    case 2:
      check(geValueGetNode(this->value(), &found));
      break;
    case 3:
      check(geNodeGetGraph(node(), &in));
      break;
    case 4:
      check(geNodeGetSubgraph(node(), 0, &in));
      break;
    case 5:
      check(geNodePrint(node(), appendTo, &printed));
      break;
    case 6:
      check(geGraphGetOutputNode(graph(), &found));
      break;
    case 7: {
      std::string name = in_.name();
      check(geGraphFindNode(graph(), str(name), &found));
      break;
    }
    default:
      if (GeNodeRef *any = node())
        demand(geRefReason(any, &text) == GE_OK && (text.length > 0) == !geRefIsAlive(any),
               "a reason without death, or death without reason");
      dead_ = false;
    }
    keep(found);
    keep(value);
    keep(in);
  }
  void cursor() {
    if (cursors_.size() < 4) {
      GeCursor *made = nullptr;
      check(geCursorCreate(graph(), in_.next() & 1, &made));
      if (made)
        cursors_.push_back(made);
      return;
    }
    size_t at = in_.below(cursors_.size());
    GeNodeRef *found = nullptr;
    if (in_.next() & 7) {
      check(geCursorNext(cursors_[at], &found));
      return keep(found);
    }
    geCursorDestroy(cursors_[at]);
    cursors_.erase(cursors_.begin() + static_cast<ptrdiff_t>(at));
  }
  std::string printed(GeGraphRef *root) {
    std::string text;
    GePrintOptions options = {sizeof options, true, true, -1};
    demand(geGraphPrint(root, &options, appendTo, &text) == GE_OK, "a graph cannot be printed");
    return text;
  }
  void begin() {
    GeGraphRef *in = graph(), *root = nullptr;
    if (open_.size() == 3 || !in || geGraphGetRoot(in, &root) != GE_OK)
      return;
    Open o = {nullptr, root, printed(root)};
    check(geTransactionBegin(in, &o.transaction));
    open_.push_back(o);
  }
  void close() {
    Open o = open_.back();
    open_.pop_back();
    dead_ = false; // the calls below take no references from the pools
    if (in_.next() & 1) {
      check(geTransactionCommit(o.transaction));
      check(geTransactionDestroy(o.transaction));
    } else {
      if (in_.next() & 1)
        check(geTransactionRollback(o.transaction));
      check(geTransactionDestroy(o.transaction));
      demand(printed(o.root) == o.before, "a rollback did not restore the graph");
    }
    geGraphRelease(o.root);
  }
  void whole() {
    GeGraphRef *in = graph(), *copy = nullptr;
    bool equal = false;
    uint64_t hash = 0;
    check(geGraphClone(in, nullptr, &copy));
    if (!copy)
      return;
    demand(geGraphIsStructurallyEqual(copy, copy, &equal) == GE_OK && equal, "not equal to itself");
    demand(geGraphStructuralHash(copy, &hash) == GE_OK, "no hash");
    if (geGraphVerify(copy) == GE_OK) {
      GeGraphRef *again = nullptr;
      // In an edit scope, parsed nodes get origins, which would be printed.
      if (std::string text = printed(copy); scopes_ == 0) {
        demand(geGraphParse(context_, str(text), str("printed"), &again) == GE_OK,
               "what was printed is not read");
        demand(geGraphIsStructurallyEqual(copy, again, &equal) == GE_OK && equal,
               "read as another");
        demand(printed(again) == text, "printed differently the second time");
        geGraphRelease(again);
      }
    }
    geGraphRelease(copy);
  }
  void module() {
    GeGraphRef *found = nullptr;
    std::string text;
    switch (in_.below(6)) {
    case 0:
      check(geModuleAdoptGraph(module_, graph()));
      break;
    case 1:
      check(geModuleDetachGraph(module_, graph()));
      break;
    case 2:
      check(geModuleEraseGraph(module_, graph()));
      break;
    case 3:
      check(geModulePrint(module_, nullptr, appendTo, &text));
      break;
    case 4:
      if (geModuleNumGraphs(module_))
        check(geModuleGetGraph(module_, in_.below(geModuleNumGraphs(module_)), &found));
      break;
    default: {
      GeModule *copy = nullptr;
      check(geModuleClone(module_, &copy));
      geModuleRelease(copy);
    }
    }
    keep(found);
  }
  void scope() {
    if (scopes_ < 3) {
      check(geEditScopePush(keys_[in_.below(keys_.size())], nullptr));
      ++scopes_;
    } else {
      geEditScopePop();
      --scopes_;
    }
  }
  void drop() {
    auto one = [&](auto &pool, auto release) {
      if (pool.empty())
        return;
      size_t at = in_.below(pool.size());
      release(pool[at]);
      pool.erase(pool.begin() + static_cast<ptrdiff_t>(at));
    };
    switch (in_.below(3)) {
    case 0:
      return one(nodes_, geNodeRelease);
    case 1:
      return one(values_, geValueRelease);
    default:
      return one(graphs_, geGraphRelease);
    }
  }

  static constexpr size_t kPool = 40, kNodes = 100;
  Bytes &in_;
  GeContext *context_ = nullptr;
  GeModule *module_ = nullptr;
  std::vector<GeOperatorName> ops_;
  std::vector<GeIdentifier> keys_;
  std::vector<GeType> types_;
  std::vector<GeNodeRef *> nodes_;
  std::vector<GeValueRef *> values_;
  std::vector<GeGraphRef *> graphs_;
  std::vector<GeCursor *> cursors_;
  std::vector<Open> open_;
  size_t scopes_ = 0;
  bool dead_ = false;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes(data, size);
  World world(bytes);
  // Each step reads at least one byte; the limit bounds the time for long inputs.
  for (int step = 0; step < 2000 && !bytes.empty(); ++step)
    world.step();
  return 0;
}
