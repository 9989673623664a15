//===- Infer.cpp - the entry of inference, the native table, foreign inferrers ----------------===//
#include "ge/Ops/Infer/Infer.h"

#include "ElementTypes.h"
#include "InferRows.h"

#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/InferNatively.h"
#include "ge/Ops/Infer/OperatorInferrers.h"
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// The native table
//===-----------------------------------------------------------------------------------------===//

namespace {

/// Open addressing by the hash that interned names store.
class RowTable {
public:
  void add(std::span<const InferRow> rows) {
    for (const InferRow &row : rows)
      rows_.push_back(&row);
  }
  void build() {
    slots_.assign(std::bit_ceil(rows_.size() * 2 + 1), {});
    for (const InferRow *row : rows_)
      insert(hashBytes(row->name), row);
  }
  const InferRow *find(uint64_t hash, std::string_view name) const {
    for (size_t at = hash;; ++at) {
      const Slot &slot = slots_[at & (slots_.size() - 1)];
      if (!slot.row || (slot.hash == hash && slot.row->name == name))
        return slot.row;
    }
  }
  const std::vector<const InferRow *> &rows() const { return rows_; }

private:
  struct Slot {
    uint64_t hash = 0;
    const InferRow *row = nullptr;
  };
  void insert(uint64_t hash, const InferRow *row) {
    size_t at = hash;
    while (slots_[at & (slots_.size() - 1)].row)
      ++at;
    slots_[at & (slots_.size() - 1)] = {hash, row};
  }
  std::vector<const InferRow *> rows_;
  std::vector<Slot> slots_;
};

struct Tables {
  RowTable onnx, ml, preview, training, ge;
  Tables() {
    for (auto rows : {elementwiseRows, reductionRows, convolutionRows, normalizationRows,
                      matmulRows, layoutRows, resizeRows, indexRows, createRows, recurrentRows,
                      controlRows, sequenceRows, signalRows, lossRows})
      onnx.add(rows());
    for (auto rows :
         {geElementwiseRows, geMathRows, geLayoutRows, geSliceRows, geBlockRows, geNeuralRows,
          geWindowRows, geLossRows, geQuantizeRows, geControlRows, geParallelRows})
      ge.add(rows());
    ml.add(mlRows());
    preview.add(previewRows());
    training.add(trainingRows());
    for (RowTable *table : {&onnx, &ml, &preview, &training, &ge})
      table->build();
  }
  /// By domain, but onnx.
  std::array<std::pair<std::string_view, const RowTable *>, 6> others() const {
    return {{{"ge", &ge},
             {"math", &ge},
             {"nn", &ge},
             {"onnx.ml", &ml},
             {"onnx.preview", &preview},
             {"onnx.preview.training", &training}}};
  }
  static const Tables &get() {
    // Never destroyed: threads may be at work when the process ends.
    static const auto &tables = *new Tables;
    return tables;
  }
};

} // namespace

const InferRow *inferRow(const OperatorName &op) {
  const Tables &tables = Tables::get();
  std::string_view domain = op.domain();
  const RowTable *table = domain == "onnx" ? &tables.onnx : nullptr;
  if (!table)
    for (const auto &[name, other] : tables.others())
      if (name == domain)
        table = other;
  return table ? table->find(op.typeIdentifier()->hash(), op.type()) : nullptr;
}

InferFunction nativeInference(const OperatorName &op) {
  const InferRow *row = inferRow(op);
  return row ? row->infer : nullptr;
}

std::vector<std::string> nativeInferences() {
  std::vector<std::string> names;
  auto append = [&names](std::string_view domain, const RowTable &table) {
    for (const InferRow *row : table.rows())
      names.push_back(cat(domain, ".", row->name));
  };
  append("onnx", Tables::get().onnx);
  for (const auto &[domain, table] : Tables::get().others())
    if (!isCannDomain(domain))
      append(domain, *table);
  std::ranges::sort(names);
  return names;
}

//===-----------------------------------------------------------------------------------------===//
// Foreign inferrers
//===-----------------------------------------------------------------------------------------===//

namespace {

struct Foreign {
  std::mutex lock;
  uint64_t next = 1;
  using Numbered = std::map<uint64_t, std::shared_ptr<ForeignInferrer>>;
  std::map<std::string, Numbered, std::less<>> inferrers; ///< by operator; "": of all
  std::map<std::pair<std::string, std::string>, InferrerUse> uses;

  static Foreign &get() {
    static auto *foreign = new Foreign(); // inferrers may outlive static objects
    return *foreign;
  }
};

/// Returns true if an inferrer knew any type.
bool askForeign(InferContext &c) {
  Foreign &foreign = Foreign::get();
  Foreign::Numbered inferrers;
  {
    std::lock_guard guard(foreign.lock);
    for (const std::string &op : {std::string(), c.def() ? c.def()->qualifiedName() : ""})
      if (auto found = foreign.inferrers.find(op); found != foreign.inferrers.end())
        inferrers.insert(found->second.begin(), found->second.end());
  }
  for (const auto &[number, inferrer] : inferrers) {
    bool answered = inferrer->infer(c);
    std::lock_guard guard(foreign.lock);
    std::pair key(std::string(inferrer->name()), std::string(c.op().str()));
    InferrerUse &use = foreign.uses[key];
    use.inferrer = key.first;
    use.op = key.second;
    ++use.asked;
    use.answered += answered;
    if (answered)
      return true;
  }
  return false;
}

} // namespace

/// Of all changes of `Foreign::inferrers`.
static std::atomic<uint64_t> generationOfInferrers{0};

uint64_t inferrerGeneration() { return generationOfInferrers.load(std::memory_order_acquire); }

uint64_t registerInferrer(std::shared_ptr<ForeignInferrer> inferrer) {
  return registerInferrerOf({}, std::move(inferrer));
}

uint64_t registerInferrerOf(std::string op, std::shared_ptr<ForeignInferrer> inferrer) {
  Foreign &foreign = Foreign::get();
  std::lock_guard guard(foreign.lock);
  foreign.inferrers[std::move(op)].emplace(foreign.next, std::move(inferrer));
  generationOfInferrers.fetch_add(1, std::memory_order_release);
  return foreign.next++;
}

void unregisterInferrer(uint64_t number) {
  Foreign &foreign = Foreign::get();
  std::shared_ptr<ForeignInferrer> out; // destroyed without the lock
  std::lock_guard guard(foreign.lock);
  auto found = std::ranges::find_if(
      foreign.inferrers, [number](const auto &entry) { return entry.second.contains(number); });
  if (found == foreign.inferrers.end())
    return;
  out = std::move(found->second.extract(number).mapped());
  generationOfInferrers.fetch_add(1, std::memory_order_release);
  if (found->second.empty())
    foreign.inferrers.erase(found);
}

static thread_local AnswerWatch *watchOfThread = nullptr;

AnswerWatch::AnswerWatch() : outer_(std::exchange(watchOfThread, this)) {}
AnswerWatch::~AnswerWatch() { watchOfThread = outer_; }
void AnswerWatch::note(bool isByTypes) {
  if (watchOfThread)
    watchOfThread->isByTypes_ &= isByTypes;
}

std::vector<InferrerUse> inferrerUses() {
  Foreign &foreign = Foreign::get();
  std::lock_guard guard(foreign.lock);
  std::vector<InferrerUse> uses;
  for (const auto &[key, use] : foreign.uses)
    uses.push_back(use);
  return uses;
}

//===-----------------------------------------------------------------------------------------===//
// The entry
//===-----------------------------------------------------------------------------------------===//

namespace {

/// An attribute whose value is not known may have any: results then have any type.
bool hasUnknownAttribute(const InferArgs &args) {
  if (args.attributeList && hasUnknown(*args.attributeList))
    return true;
  return std::ranges::any_of(args.attributes, [](const NamedAttribute &one) {
    return isReference(one.value) || isOpaque(one.value);
  });
}

bool isSet(std::span<const Type *> results) {
  return std::ranges::any_of(results, [](const Type *type) { return type != nullptr; });
}

bool mayBeSmall(const Type *type) {
  if (!type || !type->isTensor())
    return false;
  int64_t count = type->numElements(); // -1 also when it does not fit
  return count < 0 ? !type->hasStaticShape() : count <= Contents::kMaxElements;
}

void runNative(const InferRow &row, InferContext &c, std::span<const Type *> results) {
  try {
    row.infer(c);
    if (row.evaluate && c.wantsContents() && !c.failed() && !results.empty() &&
        mayBeSmall(results[0]))
      row.evaluate(c);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::Value)
      throw;
    c.fail(error.message()); // an invalid type
  }
}

InferBy askNatively(InferContext &c, std::span<const Type *> results) {
  const InferHook *hook =
      c.def() ? c.def()->hooks().infer.load(std::memory_order_acquire) : nullptr;
  if (hook) {
    hook->infer(c, hook->user);
    if (c.failed() || isSet(results))
      return InferBy::Hook;
  }
  if (const InferRow *row = inferRow(c.op())) {
    runNative(*row, c, results);
    return InferBy::Native;
  }
  return InferBy::None;
}

InferBy ask(InferContext &c, std::span<const Type *> results, bool asksForeign) {
  InferBy by = askNatively(c, results);
  return by == InferBy::None && asksForeign && askForeign(c) ? InferBy::Foreign : by;
}

} // namespace

bool inferNatively(const InferArgs &args, std::span<const Type *> results) {
  std::ranges::fill(results, nullptr);
  if (hasUnknownAttribute(args))
    return true;
  InferContext c(args, results);
  askNatively(c, results);
  return !c.failed();
}

InferOutcome infer(const InferArgs &args, std::span<const Type *> results) {
  if (hasUnknownAttribute(args)) {
    std::ranges::fill(results, args.context->unknownType());
    return {};
  }
  std::ranges::fill(results, nullptr);
  InferOutcome outcome;
  InferContext c(args, results);
  if (!args.checksElementTypes || checkElementTypes(c))
    outcome.by = ask(c, results, args.asksForeign);
  if (args.checksElementTypes && !c.failed())
    checkResultTypes(c);
  outcome.status = InferStatus::Inferred;
  for (const Type *&type : results) {
    if (c.failed() || !type)
      type = args.context->unknownType();
    if (type->kind() == TypeKind::Unknown)
      outcome.status = InferStatus::Unknown;
  }
  if (c.failed()) {
    outcome.status = InferStatus::Failed;
    outcome.message = c.message();
  }
  return outcome;
}

} // namespace ge
