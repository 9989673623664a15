//===- VerifyEdits.cpp - whether edits left something wrong behind ----------------------------===//
//
// Inspects only what the journal names. A negative result may be a false alarm: verify() then
// decides whether something is wrong.
//
#include "ge/IR/VerifyEdits.h"

#include "Dependences.h"
#include "Journal.h"
#include "OrderLabels.h"

#include "ge/Support/Interrupt.h"

#include <unordered_set>

namespace ge {

namespace {

class EditCheck {
public:
  explicit EditCheck(const Module *module) : module_(module) {}

  bool run(const EditMark &mark) {
    if (const Journal *journal = mark.root->journal())
      journal->forEachSince(mark.length, [this](const auto &entry) {
        if (isSound_)
          isSound_ = check(entry);
      });
    return isSound_;
  }

  /// All that is there, edited or not.
  bool runAll(const Graph *graph) const {
    Interrupt interrupt;
    std::vector<const Graph *> open = {graph};
    while (!open.empty()) {
      const Graph *at = open.back();
      open.pop_back();
      if (!areKnown(at->attributes()) || !areOutputNamesSound(at) || !isNodeSound(at->output()))
        return false;
      for (const Node *input : at->inputNodes())
        if (!isInputSound(input) || !isNodeSound(input))
          return false;
      for (const Node *node = at->front(); node; node = node->next()) {
        interrupt.poll();
        if (!isNodeSound(node))
          return false;
        if (node->extra())
          open.insert(open.end(), node->subgraphs().begin(), node->subgraphs().end());
      }
    }
    return true;
  }

private:
  static bool areOutputNamesSound(const Graph *graph) {
    std::unordered_set<std::string> names;
    for (uint32_t i = 0; i < graph->numOutputs(); ++i)
      if (graph->hasOutputName(i) && !names.insert(graph->outputName(i)).second)
        return false;
    return true;
  }

  // --- One edit. Nodes that were erased later are detached, and so is what was taken out.

  bool check(const undo::Created &e) { return isNodeSound(e.node); }
  bool check(const undo::InputInserted &e) { return isInputSound(e.node); }
  bool check(const undo::OperandsResized &e) { return isNodeSound(e.node); }
  bool check(const undo::SegmentsSet &e) { return isNodeSound(e.node); }
  bool check(const undo::OperandSet &e) {
    return !e.node->graph() || e.index >= e.node->numOperands() || isOperandSound(e.node, e.index);
  }
  bool check(const undo::TypeSet &e) {
    const Node *node = e.value->node();
    return !node->isData() || !node->graph() || isInputSound(node);
  }
  bool check(const undo::Inserted &e) { return isMoveSound(e.node); }
  bool check(const undo::Removed &e) { return isMoveSound(e.node); }
  bool check(const undo::ControlAdded &e) { return !e.to->graph() || isControlSound(e.from, e.to); }
  bool check(const undo::AttributeAdded &e) { return isObjectSound(e.object); }
  bool check(const undo::AttributeSet &e) { return isObjectSound(e.object); }
  bool check(const undo::Renamed &e) { return hasOwnName(e.object); }
  bool check(const undo::NameMoved<Node> &e) { return !e.to->nameIsDuplicate(); }
  bool check(const undo::NameMoved<Value> &e) { return !e.to->nameIsDuplicate(); }

  // Its former users were changed by edits of their own.
  bool check(const undo::Destroyed &) { return true; }
  bool check(const undo::InputRemoved &) { return true; }
  bool check(const undo::ControlRemoved &) { return true; }
  bool check(const undo::SubgraphRemoved &) { return true; }
  // Nothing that is verified depends on it.
  bool check(const undo::CounterSet &) { return true; }
  bool check(const undo::LocationSet &) { return true; }
  bool check(const undo::OriginsSet &) { return true; }
  bool check(const undo::OriginAdded &) { return true; }
  // Rare edits that affect the verification of many nodes.
  bool check(const undo::GraphRenamed &) { return false; }
  bool check(const undo::OutputNamesSet &) { return false; }
  bool check(const undo::SubgraphAdded &) { return false; }
  bool check(const undo::Reordered &) { return false; }

  // --- The present state

  /// Returns whether `user` may use the results of `producer` and follows it in the list.
  static bool isReachable(const Node *producer, const Node *user) {
    const Graph *home = producer->graph();
    if (!home)
      return false;
    const Node *at = user;
    while (at->graph() != home) {
      const Graph *around = at->graph();
      at = around ? around->parentNode() : nullptr;
      if (!at)
        return false;
    }
    if (!producer->isListed() || !at->isListed())
      return true; // an input, or the outputs
    return OrderLabels::label(producer) < OrderLabels::label(at);
  }

  static bool isOperandSound(const Node *node, uint32_t index) {
    const Value *value = node->operand(index);
    return value ? isReachable(value->node(), node) : !node->isNetOutput();
  }

  static bool isControlSound(const Node *from, const Node *to) {
    return from->graph() == to->graph() && isReachable(from, to);
  }

  bool isNodeSound(const Node *node) const {
    if (!node->graph())
      return true;
    for (uint32_t i = 0, n = node->numOperands(); i < n; ++i)
      if (!isOperandSound(node, i))
        return false;
    if (node->extra())
      for (const Node *input : node->controlInputs())
        if (!isControlSound(input, node))
          return false;
    if (node->nameIsDuplicate())
      return false;
    for (uint32_t i = 0, n = node->numResults(); i < n; ++i)
      if (node->result(i)->nameIsDuplicate())
        return false;
    return !module_ || areKnown(node->attributes());
  }

  bool isInputSound(const Node *node) const {
    return !node->graph() || (node->numResults() == 1 && !node->result(0)->isAbsent() &&
                              (!module_ || areKnown(node->attributes())));
  }

  /// Users of a moved node may precede it, or be out of its scope.
  bool isMoveSound(const Node *node) {
    if (!moved_.insert(node).second)
      return true;
    if (!node->subgraphs().empty())
      return false; // nested nodes may be in another scope now
    for (uint32_t i = 0, n = node->numResults(); i < n; ++i)
      for (const Use *use = node->result(i)->firstUse(); use; use = use->next())
        if (use->owner()->graph() && !isReachable(node, use->owner()))
          return false;
    if (node->extra())
      for (const Node *output : node->controlOutputs())
        if (output->graph() && !isControlSound(node, output))
          return false;
    return isNodeSound(node);
  }

  bool isObjectSound(const NamedObject &object) const {
    if (!module_)
      return true;
    if (auto *node = std::get_if<Node *>(&object))
      return !(*node)->graph() || areKnown((*node)->attributes());
    if (auto *graph = std::get_if<Graph *>(&object))
      return areKnown((*graph)->attributes());
    return true;
  }

  static bool hasOwnName(const NamedObject &object) {
    if (auto *node = std::get_if<Node *>(&object))
      return !(*node)->graph() || !(*node)->nameIsDuplicate();
    if (auto *value = std::get_if<Value *>(&object))
      return !(*value)->graph() || !(*value)->nameIsDuplicate();
    return true;
  }

  bool areKnown(const AttributeList &attributes) const {
    if (!module_)
      return true;
    for (uint32_t i = 0; i < attributes.size(); ++i)
      if (!isKnown(attributes.at(i)))
        return false;
    return true;
  }
  bool isKnown(Attribute attribute) const {
    if (attribute.kind() == AttrKind::Graph)
      return module_->find(attribute.stringValue());
    if (attribute.kind() != AttrKind::List && attribute.kind() != AttrKind::Dict)
      return true;
    for (Attribute element : attribute.elements())
      if (!isKnown(element))
        return false;
    return true;
  }

  const Module *module_;
  std::unordered_set<const Node *> moved_;
  bool isSound_ = true;
};

/// Finds those that forEachTypeEdit() visits.
class TypeEdits {
public:
  explicit TypeEdits(const std::function<void(const TypeEdit &)> &visit) : visit_(visit) {}

  template <typename E> void operator()(const E &) {}
  void operator()(const undo::Created &e) {
    if (e.node->graph() && hasDeclared(e.node))
      visit_({TypeEdit::Kind::Made, e.node});
  }
  void operator()(const undo::OperandSet &e) {
    if (!e.node->graph() || e.node->isNetOutput() || e.index >= e.node->numOperands())
      return;
    const Value *now = e.node->operand(e.index);
    if (Mutation::mayInferOtherwise(e.old, now))
      visit_({TypeEdit::Kind::Operand, e.node, e.index, e.old});
  }
  void operator()(const undo::TypeSet &e) {
    Node *node = e.value->node();
    if (node->graph() && e.value->typeId() != e.old &&
        e.value->typeSource() == TypeSource::Declared)
      visit_({TypeEdit::Kind::Type, node, 0, nullptr, e.value, node->context().typeAt(e.old)});
  }
  void operator()(const undo::AttributeAdded &e) { visitAttribute(e.object, e.name, Attribute()); }
  void operator()(const undo::AttributeSet &e) { visitAttribute(e.object, e.name, e.old.get()); }

private:
  static bool hasDeclared(const Node *node) {
    for (uint32_t i = 0, n = node->numResults(); i < n; ++i)
      if (node->result(i)->typeSource() == TypeSource::Declared)
        return true;
    return false;
  }
  void visitAttribute(const NamedObject &object, uint32_t name, Attribute old) {
    if (auto *node = std::get_if<Node *>(&object); node && (*node)->graph())
      visit_({TypeEdit::Kind::Attribute, *node, 0, nullptr, nullptr, nullptr, name, old});
  }
  const std::function<void(const TypeEdit &)> &visit_;
};

/// Finds those that forEachNodeEdit() visits.
class NodeEdits {
public:
  NodeEdits(const std::function<void(const NodeEdit &)> &visit, bool erased)
      : visit_(visit), erased_(erased) {}

  template <typename E> void operator()(const E &) {}
  void operator()(const undo::Created &e) { visit({NodeEdit::Kind::Made, e.node}); }
  void operator()(const undo::Destroyed &e) {
    if (erased_)
      visit_({NodeEdit::Kind::Erased, e.node});
  }
  void operator()(const undo::TypeSet &e) { visit({NodeEdit::Kind::Type, e.value->node()}); }
  void operator()(const undo::AttributeAdded &e) { visitAttribute(e.object, e.name); }
  void operator()(const undo::AttributeSet &e) { visitAttribute(e.object, e.name); }

private:
  void visit(const NodeEdit &edit) {
    if (edit.node->graph())
      visit_(edit);
  }
  void visitAttribute(const NamedObject &object, uint32_t name) {
    if (auto *node = std::get_if<Node *>(&object))
      visit({NodeEdit::Kind::Attribute, *node, name});
  }
  const std::function<void(const NodeEdit &)> &visit_;
  bool erased_;
};

} // namespace

void forEachTypeEdit(const EditMark &mark, const std::function<void(const TypeEdit &)> &visit) {
  if (const Journal *journal = mark.root->journal())
    journal->forEachSince(mark.length, TypeEdits(visit));
}

void forEachNodeEdit(const EditMark &mark, const std::function<void(const NodeEdit &)> &visit,
                     bool erased) {
  if (const Journal *journal = mark.root->journal())
    journal->forEachSince(mark.length, NodeEdits(visit, erased));
}

EditMark markEdits(const Root &root) {
  return {&root, root.journal() ? root.journal()->size() : 0};
}

bool areEditsSound(const EditMark &mark, const Module *module) {
  return EditCheck(module).run(mark);
}

bool isSoundInListOrder(const Graph *graph, const Module *module) {
  return EditCheck(module).runAll(graph);
}

bool isInListOrder(const Graph *graph) {
  std::vector<const Graph *> open = {graph};
  while (!open.empty()) {
    const Graph *at = open.back();
    open.pop_back();
    if (!isSorted(at))
      return false;
    for (const Node *node = at->front(); node; node = node->next())
      if (node->extra())
        open.insert(open.end(), node->subgraphs().begin(), node->subgraphs().end());
  }
  return true;
}

} // namespace ge
