//===- TypeEdits.cpp - contradictions of types that edits made --------------------------------------===//
#include "ge/Ops/Infer/TypeEdits.h"

#include "ge/Ops/Infer/Branches.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ge {

namespace {

class TypeEditCheck {
public:
  std::vector<Diagnostic> run(std::span<const EditMark> marks) {
    for (const EditMark &mark : marks)
      forEachTypeEdit(mark, [this](const TypeEdit &edit) { add(edit); });
    std::vector<Diagnostic> faults;
    for (Node *node : edited_) {
      std::string fault = faultOf(node, false);
      if (fault.empty() || (!isMade(node) && !faultOf(node, true).empty()) || isInDeadBranch(node))
        continue;
      Diagnostic diagnostic;
      diagnostic.message = std::move(fault);
      if (const Location *file = node->location()->firstFile()) {
        diagnostic.file = std::string(file->file());
        diagnostic.line = file->line();
        diagnostic.column = file->column();
      }
      faults.push_back(std::move(diagnostic));
    }
    return faults;
  }

private:
  void add(const TypeEdit &edit) {
    switch (edit.kind) {
    case TypeEdit::Kind::Made:
      if (isChecked(edit.node)) { // once, and before other edits of it
        edited_.push_back(edit.node);
        newlyMade_.push_back(edit.node);
      }
      return;
    case TypeEdit::Kind::Operand:
      oldOperands_[edit.node].try_emplace(edit.index, edit.oldValue);
      break;
    case TypeEdit::Kind::Type:
      oldTypes_.try_emplace(edit.value, edit.oldType);
      for (const Use *use = edit.value->firstUse(); use; use = use->next())
        addNode(use->owner());
      break;
    case TypeEdit::Kind::Attribute:
      oldAttributes_[edit.node].try_emplace(edit.attribute, edit.oldAttribute);
      break;
    }
    addNode(edit.node);
  }
  bool isChecked(const Node *node) {
    if (!node->isListed() || node->numResults() == 0)
      return false;
    if (node->opId() != lastOp_) {
      lastOp_ = node->opId();
      isLastInferred_ = nativeInference(*node->op());
    }
    return isLastInferred_;
  }
  void addNode(Node *node) {
    if (isChecked(node) && !isMade(node) && seen_.insert(node).second)
      edited_.push_back(node);
  }
  bool isMade(const Node *node) {
    made_.insert(newlyMade_.begin(), newlyMade_.end());
    newlyMade_.clear();
    return made_.contains(node);
  }

  const Type *typeOf(const Value *value, bool before) const {
    auto old = before ? oldTypes_.find(value) : oldTypes_.end();
    return old != oldTypes_.end() ? old->second : value->type();
  }

  using OldAttributes = std::unordered_map<uint32_t, Attribute>; ///< by name
  static std::vector<NamedAttribute> attributesBefore(const Node *node, const OldAttributes &old) {
    const Context &context = node->context();
    std::vector<NamedAttribute> all;
    const AttributeList &now = node->attributes();
    for (uint32_t i = 0; i != now.size(); ++i)
      if (!old.contains(now.nameIdAt(i)))
        all.push_back({context.identifierAt(now.nameIdAt(i)), now.at(i)});
    for (const auto &[name, value] : old)
      if (value)
        all.push_back({context.identifierAt(name), value});
    return all;
  }

  /// Empty: nothing is wrong.
  std::string faultOf(Node *node, bool before) {
    const Operator &op = operatorOf(node);
    NodeCall call(node, op.def.get(), op.opset);
    std::vector<Value *> values(call.args.values.begin(), call.args.values.end());
    std::vector<NamedAttribute> attributes;
    if (before) {
      if (auto old = oldOperands_.find(node); old != oldOperands_.end())
        for (auto [index, value] : old->second)
          if (index < values.size())
            values[index] = value;
      if (auto old = oldAttributes_.find(node); old != oldAttributes_.end()) {
        attributes = attributesBefore(node, old->second);
        call.args.attributeList = nullptr;
        call.args.attributes = attributes;
      }
    }
    for (size_t i = 0; i != values.size(); ++i)
      call.types[i] = values[i] ? typeOf(values[i], before) : nullptr;
    call.args.values = values;
    std::vector<const Type *> results(node->numResults());
    InferOutcome outcome = infer(call.args, results);
    if (outcome.status == InferStatus::Failed)
      return cat(node->describe(), ": ", outcome.message);
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Value *result = node->result(i);
      const Type *declared = typeOf(result, before);
      if (!results[i] || result->isAbsent() || isGuessedType(node, declared) ||
          meetTypes(declared, results[i]) ||
          (results[i]->isTensor() && declared->isTensor() &&
           declared->dtype() == results[i]->dtype() && changesLayout(call.types, declared)))
        continue;
      return cat("result ", i, " of ", node->describe(), " is declared as ", shortType(declared),
                 ", but inferred as ", shortType(results[i]));
    }
    return {};
  }

  struct Operator {
    OpDefRef def;
    uint32_t opset = 0;
  };
  const Operator &operatorOf(const Node *node) {
    auto [found, isNew] = operators_.try_emplace(node->opId());
    Operator &known = found->second;
    if (isNew) {
      const OperatorName *op = node->op();
      known.opset = opsetOf(node->graph(), op->domain());
      known.def = Registry::global().find(op->domain(), op->type(), op->overload(),
                                          known.opset ? known.opset : Registry::kNewest);
    }
    return known;
  }

  uint32_t lastOp_ = UINT32_MAX;        ///< the last operator that was asked for,
  bool isLastInferred_ = false;         ///< and whether it has an inference
  std::vector<Node *> edited_;          ///< in order of their first edit
  std::vector<const Node *> newlyMade_; ///< not in `made_` yet, which few edits need
  std::unordered_set<const Node *> seen_, made_;
  std::unordered_map<const Node *, std::unordered_map<uint32_t, Value *>> oldOperands_;
  std::unordered_map<const Node *, OldAttributes> oldAttributes_;
  std::unordered_map<const Value *, const Type *> oldTypes_;
  std::unordered_map<uint32_t, Operator> operators_;
};

} // namespace

bool isGuessedType(const Node *node, const Type *declared) {
  return declared->isTensor() && !declared->isRanked() && declared->dtype() == DType::F32 &&
         !declared->format() && node->op()->domain() != "onnx";
}

bool changesLayout(std::span<const Type *const> operands, const Type *declared) {
  return declared->isTensor() && declared->format() &&
         std::ranges::any_of(operands, [&](const Type *type) {
           return type && type->isTensor() && type->format() &&
                  type->format() != declared->format();
         });
}

std::vector<Diagnostic> typeFaultsOfEdits(std::span<const EditMark> marks) {
  return TypeEditCheck().run(marks);
}

} // namespace ge
