//===- PassEditor.cpp - what the built-in passes know and how they edit -------------------------===//
//
// Edits graphs for other passes, so it needs no matcher.
//
#include "PassEditor.h"

#include "ge/IR/FloatFormat.h"
#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Ops/Schema/Effects.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace ge::builtin {

static constexpr uint32_t kNewestOpset = 1000;

/// The IR version of the enclosing model; 0 if unknown.
static int64_t irVersion(const Graph &root) {
  const Identifier *key = root.context().lookupIdentifier("onnx.ir_version");
  if (!key || !root.module())
    return 0;
  ModuleReadAccess access(*root.module());
  Attribute version = root.module()->attributes().find(key->id());
  return version.kind() == AttrKind::Int ? version.intValue() : 0;
}

PassEditor::PassEditor(Graph &root, PassContext &statistics)
    : root_(root), context_(root.context()), statistics_(statistics) {
  uint32_t said = opsetOf(&root, "onnx");
  opset_ = said ? said : kNewestOpset;
  int64_t version = irVersion(root);
  trustsDefaults_ = version > 0 && version < 4;
}

//===-----------------------------------------------------------------------------------------===//
// Queries
//===-----------------------------------------------------------------------------------------===//

const PassEditor::Definition &PassEditor::lookUp(const Node *node) {
  static const Definition &none = *new Definition; // never destroyed
  if (isOpaque(node))
    return none;
  const OperatorName *op = node->op();
  auto [found, isNew] = definitions_.try_emplace(op->id());
  Definition &known = found->second;
  if (isNew) {
    known.opset = op->domain() == "onnx" ? opset_ : opsetOf(&root_, op->domain());
    known.def = Registry::global().find(op->domain(), op->type(), op->overload(),
                                        known.opset ? known.opset : Registry::kNewest);
    known.writes = known.def && writesOperands(*known.def);
  }
  return known;
}

const OpDef *PassEditor::definition(const Node *node) { return lookUp(node).def.get(); }
uint32_t PassEditor::opsetFor(const Node *node) { return lookUp(node).opset; }

bool PassEditor::computeRemovable(const Node *node, bool pure) {
  if (node->op()->str() == "ge.Const")
    return true;
  const Definition &known = lookUp(node);
  const OpDef *def = known.def.get();
  if (!def || known.writes)
    return false;
  if (!def->has(OpTrait::Pure) && !def->has(OpTrait::ControlFlow) &&
      (pure || !def->has(OpTrait::Nondeterministic)))
    return false;
  if (pure && def->has(OpTrait::Nondeterministic))
    return false;
  for (const Graph *inner : node->subgraphs())
    for (const Node *n = inner->front(); n; n = n->next())
      if (!computeRemovable(n, pure))
        return false;
  return true;
}

bool PassEditor::anyWritten() {
  if (!written_)
    written_ = writtenValues(root_, [this](const Node *node) { return lookUp(node).def.get(); });
  return !written_->empty();
}

bool PassEditor::isWritten(const Value *value) { return anyWritten() && written_->contains(value); }

bool PassEditor::hasWrittenResult(const Node *node) {
  if (anyWritten())
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (isWritten(node->result(i)))
        return true;
  return false;
}

bool PassEditor::touchesWritten(const Node *node) {
  if (!anyWritten())
    return false;
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    if (const Value *operand = node->operand(i); operand && isWritten(operand))
      return true;
  for (const Graph *inner : node->subgraphs())
    for (const Node *n = inner->front(); n; n = n->next())
      if (touchesWritten(n))
        return true;
  return hasWrittenResult(node);
}

bool PassEditor::isPure(const Node *node) {
  return computeRemovable(node, true) && !touchesWritten(node) && !isDisputed(node);
}
bool PassEditor::isDisputed(const Node *node) {
  if (!disputes_) {
    InferOptions options;
    options.trustInputDefaults = trustsDefaults_;
    disputes_ = findTypeDisputes(&root_, options);
  }
  if (disputes_->isEmpty())
    return false;
  auto check = [&](const Value *value) {
    auto found = value ? disputes_->values.find(value) : disputes_->values.end();
    if (found == disputes_->values.end())
      return false;
    if (!found->second.empty()) {
      Diagnostic remark;
      remark.severity = Severity::Warning;
      remark.message = cat(found->second, "; the node stays, and so do its users");
      statistics_.remark(std::move(remark));
      found->second.clear();
    }
    return true;
  };
  auto touches = [&](const Node *one) {
    for (uint32_t i = 0; i != one->numResults(); ++i)
      if (check(one->result(i)))
        return true;
    for (uint32_t i = 0; i != one->numOperands(); ++i)
      if (check(one->operand(i)))
        return true;
    return false;
  };
  if (touches(node))
    return true;
  // Rules inspect the producers of their operands, too.
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    if (node->operand(i) && touches(node->operand(i)->node()))
      return true;
  return false;
}
bool PassEditor::isRemovable(const Node *node) {
  if (!computeRemovable(node, false))
    return false;
  return annotations().isEmpty() || node->numResults() != 1 ||
         !isAnnotationParameter(node->result(0)) || !isConstant(node->result(0));
}
const Annotations &PassEditor::annotations() {
  if (!annotations_)
    annotations_.emplace(root_);
  return *annotations_;
}
bool PassEditor::isAnnotationParameter(const Value *value) {
  return !annotations().isEmpty() && annotations().isParameter(value->name());
}

TensorPtr PassEditor::constant(const Value *value) {
  const Node *node = value->node();
  // The inputs of a body get their values from its node.
  if (node->isData() && (!trustsDefaults_ || !node->graph()->isRoot()))
    return {};
  if (isWritten(value))
    return {};
  if (TensorPtr tensor = constantContents(value))
    return tensor;
  if (!isOnnx(node, "ConstantOfShape") || !isFree(node) || !operandOf(node, 0))
    return {};
  std::optional<Ints> shape = ints(node->operand(0));
  Attribute element = node->attribute("value");
  if (!shape || (element &&
                 (element.kind() != AttrKind::Tensor || element.tensorValue()->numElements() != 1)))
    return {};
  int64_t count = 1;
  for (int64_t size : *shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      return {};
  if (count > INT64_MAX / 16)
    return {};
  if (!element) {
    float zero = 0;
    return TensorPtr::adopt(Tensor::splat(tensorType(context_, DType::F32, *shape), &zero, 4));
  }
  const Tensor &one = *element.tensorValue();
  if (one.isString())
    return {};
  std::vector<char> bytes(one.denseSize());
  one.copyDense(bytes.data());
  return TensorPtr::adopt(
      Tensor::splat(tensorType(context_, one.type()->dtype(), *shape), bytes.data(), bytes.size()));
}

std::string PassEditor::nameFor(const Node *node) const {
  std::string name;
  if (observer_ && observer_->isHeard())
    node->appendName(name);
  return name;
}

void PassEditor::rewrote(std::string_view statistic, std::string_view at) {
  statistics_.count(statistic);
  Rewrite rewrite;
  rewrite.at = at;
  if (observer_)
    observer_->tell(rewrite);
}

bool PassEditor::isConstant(const Value *value) { return bool(constant(value)); }

std::optional<Ints> PassEditor::ints(const Value *value) {
  TensorPtr tensor = constant(value);
  if (!tensor || !isInteger(tensor->type()->dtype()))
    return std::nullopt;
  std::optional<Contents> contents = Contents::of(*tensor);
  return contents ? contents->ints() : std::nullopt;
}

std::optional<double> PassEditor::scalar(const Value *value) {
  TensorPtr tensor = constant(value);
  if (!tensor || (!tensor->isSplat() && tensor->numElements() != 1) || tensor->numElements() < 1)
    return std::nullopt;
  DType dtype = tensor->type()->dtype();
  if (!isInteger(dtype) && !hasFloatFormat(dtype) && dtype != DType::Bool)
    return std::nullopt;
  return elementAt(*tensor, 0);
}

bool PassEditor::listOf(const Node *node, std::string_view attribute, uint32_t operand,
                        std::optional<Ints> &out) {
  out.reset();
  if (const Value *value = operandOf(node, operand)) {
    out = ints(value);
    return out.has_value();
  }
  if (Attribute given = node->attribute(attribute)) {
    out = intsAttr(node, attribute);
    return out.has_value();
  }
  return true;
}

std::optional<double> PassEditor::uniform(const Value *value) {
  if (std::optional<double> one = scalar(value))
    return one;
  constexpr int64_t kMost = 4096;
  TensorPtr tensor = constant(value);
  if (!tensor || tensor->numElements() < 1 || tensor->numElements() > kMost)
    return std::nullopt;
  DType dtype = tensor->type()->dtype();
  if (!isInteger(dtype) && !hasFloatFormat(dtype) && dtype != DType::Bool)
    return std::nullopt;
  double first = ge::elementAt(*tensor, 0);
  for (int64_t i = 1; i != tensor->numElements(); ++i) {
    double other = ge::elementAt(*tensor, i);
    if (other != first || std::signbit(other) != std::signbit(first))
      return std::nullopt;
  }
  return first;
}

Node *PassEditor::onlyUser(const Value *value) {
  const Use *use = value->firstUse();
  bool isOnly =
      use && !use->next() && use->owner()->isListed() && use->owner()->graph() == value->graph();
  return isOnly ? use->owner() : nullptr;
}

Node *PassEditor::producer(const Value *value, std::string_view type) {
  Node *node = value ? value->node() : nullptr;
  return node && node->isListed() && isOnnx(node, type) && isFree(node) ? node : nullptr;
}

//===-----------------------------------------------------------------------------------------===//
// Creating nodes
//===-----------------------------------------------------------------------------------------===//

Attr::Attr(std::string_view name, int64_t value) : name(name), value(Attribute::inlineInt(value)) {}
Attr::Attr(std::string_view name, float value) : name(name), value(Attribute::f32(value)) {}

namespace {

/// A NodeSpec, and the storage that it refers to.
struct SpecAttributes {
  std::vector<NamedAttribute> named;
  std::vector<AttrRef> held;
  SpecAttributes(Context &context, std::initializer_list<Attr> given) {
    for (const Attr &attr : given) {
      if (attr.ints)
        held.push_back(context.intArray(*attr.ints));
      named.push_back({context.identifier(attr.name), attr.ints ? *held.back() : attr.value});
    }
  }
};

} // namespace

Node *PassEditor::create(Node *before, std::string_view type, std::span<Value *const> operands,
                         std::initializer_list<Attr> attributes, const Type *resultType) {
  SpecAttributes made(context_, attributes);
  const OperatorName *op = context_.operatorName("onnx", type);
  if (!resultType) {
    OpDefRef def = Registry::global().find("onnx", type, {}, opset_);
    NodeCall call(context_, op, def.get(), opset_, operands, made.named);
    infer(call.args, {&resultType, 1});
  }
  NodeSpec spec;
  spec.op = op;
  spec.operands = operands;
  spec.resultTypes = {&resultType, 1};
  spec.typeSource = TypeSource::Inferred;
  spec.attributes = made.named;
  spec.location = before->location();
  return Mutation::create(before->graph(), before, spec);
}

Node *PassEditor::createLike(Node *like, std::span<Value *const> operands,
                             std::initializer_list<Attr> attributes,
                             std::initializer_list<std::string_view> without) {
  SpecAttributes made(context_, attributes);
  std::vector<NamedAttribute> named = std::move(made.named);
  const AttributeList &list = like->attributes();
  for (uint32_t i = 0; i != list.size(); ++i) {
    const Identifier *name = context_.identifierAt(list.nameIdAt(i));
    // The attribute `onnx.layout` describes the old node only.
    if (std::ranges::find(without, name->str()) == without.end() && name->str() != "onnx.layout" &&
        std::ranges::find(named, name, &NamedAttribute::name) == named.end())
      named.push_back({name, list.at(i)});
  }
  std::vector<const Type *> types;
  for (uint32_t i = 0; i != like->numResults(); ++i)
    types.push_back(like->result(i)->type());
  NodeSpec spec;
  spec.op = like->op();
  spec.operands = operands;
  spec.resultTypes = types;
  spec.typeSource = like->numResults() ? like->result(0)->typeSource() : TypeSource::Declared;
  spec.attributes = named;
  if (operands.size() == like->numOperands())
    spec.operandSegments = like->operandSegments();
  spec.resultSegments = like->resultSegments();
  spec.location = like->location();
  return Mutation::create(like->graph(), like, spec);
}

/// Element types that ConstantOfShape supports.
static bool fillsShapes(DType dtype, uint32_t opset) {
  switch (dtype) {
  case DType::F16:
  case DType::F32:
  case DType::F64:
  case DType::Bool:
    return opset >= 9;
  case DType::BF16:
    return opset >= 20;
  default:
    return opset >= 9 && isInteger(dtype) && info(dtype).bits >= 8;
  }
}

Value *PassEditor::createConstant(Node *before, const TensorPtr &tensor, const Grant &) {
  constexpr size_t kSmall = 1024; // bytes that the node and its shape operand take
  const Type *type = tensor->type();
  if (tensor->isSplat() && tensor->denseSize() > kSmall && fillsShapes(type->dtype(), opset_)) {
    AttrRef element = context_.tensorAttr(
        TensorPtr::adopt(Tensor::copy(tensorType(context_, type->dtype(), Ints{1}),
                                      tensor->bytes().data(), tensor->bytes().size())));
    Value *shape = createInts(before, *staticShape(type));
    return create(before, "ConstantOfShape", {shape}, {{"value", *element}}, type)->result(0);
  }
  AttrRef value = context_.tensorAttr(tensor);
  NamedAttribute attribute{context_.identifier("value"), *value};
  NodeSpec spec;
  spec.op = context_.operatorName(trustsDefaults_ ? "onnx.Constant" : "ge.Const");
  spec.resultTypes = {&type, 1};
  spec.typeSource = TypeSource::Inferred;
  spec.attributes = {&attribute, 1};
  spec.location = before->location();
  return Mutation::create(before->graph(), before, spec)->result(0);
}

Value *PassEditor::createInts(Node *before, std::span<const int64_t> values) {
  const Type *type = tensorType(context_, DType::I64, Ints{int64_t(values.size())});
  return createConstant(before,
                        TensorPtr::adopt(Tensor::copy(type, values.data(), values.size_bytes())),
                        ConstantPolicy::sameContents());
}

//===-----------------------------------------------------------------------------------------===//
// Replacing nodes
//===-----------------------------------------------------------------------------------------===//

/// Operands of NetOutput nodes that are the value.
static std::vector<const Use *> outputUses(const Value *value) {
  std::vector<const Use *> uses;
  for (const Use *use = value->firstUse(); use; use = use->next())
    if (use->owner()->isNetOutput())
      uses.push_back(use);
  return uses;
}

/// Returns whether `to` may replace `from` also where that is an output.
static bool mayTakeOver(const Value *from, const Value *to) {
  return std::ranges::all_of(outputUses(from), [&](const Use *use) {
    const Graph *graph = use->owner()->graph();
    return from->graph() != graph || mayBeOutput(to, graph);
  });
}

void PassEditor::pinOutputs(const Value *value) {
  for (const Use *use : outputUses(value)) {
    Graph *graph = use->owner()->graph();
    if (!graph->hasOutputName(use->index()))
      Mutation::setOutputName(graph, use->index(), graph->outputName(use->index()));
  }
}

void refineType(Value *value, const Type *other, TypeSource source) {
  const Type *met = meetTypes(value->type(), other);
  if (met && met != value->type() && value->node()->isListed())
    Mutation::setType(value, met,
                      value->typeSource() == TypeSource::Inferred ? source : TypeSource::Declared);
}

static std::vector<Node *> sourcesOf(const Node *node) {
  std::vector<Node *> sources;
  std::unordered_set<Node *> seen;
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    if (Value *operand = node->operand(i); operand && seen.insert(operand->node()).second)
      sources.push_back(operand->node());
  return sources;
}

/// The annotation of a tensor goes with its name.
static bool losesAnnotation(const Annotations &annotations, const Value *from, const Value *to) {
  return !annotations.isEmpty() && annotations.isSubject(from->name()) && to->hasName() &&
         to->name() != from->name();
}

bool PassEditor::mayReplace(const Node *node, const Value *value) {
  for (uint32_t i = 1; i < node->numResults(); ++i)
    if (node->result(i)->hasUses())
      return false;
  const Value *from = node->result(0);
  return mayTakeOver(from, value) && !isWritten(from) && !isWritten(value) &&
         !losesAnnotation(annotations(), from, value);
}

/// A value that the same pass has renamed already keeps the new name.
std::string PassEditor::changedName(std::string_view old) const {
  const EditScope *scope = EditScope::current();
  const Identifier *pass = scope ? scope->passIn(context_) : nullptr;
  std::string suffix = cat("_", pass ? pass->str() : std::string_view("changed"));
  std::ranges::replace(suffix, '-', '_');
  return old.empty() || old.ends_with(suffix) ? std::string(old) : cat(old, suffix);
}

void PassEditor::renameChanged(Value *value) {
  Mutation::rename(value, changedName(value->name()));
}

void PassEditor::nameDerived(Value *made, const Value *old) {
  if (!made->hasName())
    Mutation::rename(made, changedName(old->name()));
  if (!made->node()->hasName()) // as the node of an initializer
    Mutation::rename(made->node(), made->name());
  addOrigins(made->node(), old->node());
}

void PassEditor::addOrigins(Node *made, const Node *from) {
  Mutation::addOrigin(made, Mutation::originFrom(from));
  for (const OriginView &origin : from->origins())
    Mutation::addOrigin(made, Origin(origin));
}

bool PassEditor::replace(Node *node, Value *value) {
  if (!mayReplace(node, value))
    return false;
  std::vector<Value *> values(node->numResults());
  values[0] = value;
  Value *from = node->result(0);
  pinOutputs(from);
  refineType(value, from->type(), from->typeSource());
  std::vector<Node *> sources = sourcesOf(node);
  Mutation::replace(node, values);
  for (Node *source : sources)
    eraseIfDead(source);
  return true;
}

bool PassEditor::replace(Node *node, Node *by) {
  std::vector<Value *> values(node->numResults());
  for (uint32_t i = 0; i != values.size(); ++i)
    if (Value *from = node->result(i); from->hasUses()) {
      if (i >= by->numResults() || by->result(i)->isAbsent() || !mayTakeOver(from, by->result(i)) ||
          isWritten(from) || isWritten(by->result(i)) ||
          losesAnnotation(annotations(), from, by->result(i)))
        return false;
      values[i] = by->result(i);
    }
  for (uint32_t i = 0; i != values.size(); ++i)
    if (values[i]) {
      pinOutputs(node->result(i));
      refineType(values[i], node->result(i)->type(), node->result(i)->typeSource());
    }
  std::vector<Node *> sources = sourcesOf(node);
  Mutation::replace(node, values);
  for (Node *source : sources)
    eraseIfDead(source);
  return true;
}

bool PassEditor::replaceOrIdentity(Node *node, Value *value) {
  if (replace(node, value))
    return true;
  if (isOnnx(node, "Identity") || isWritten(value) || hasWrittenResult(node))
    return false;
  for (uint32_t i = 1; i < node->numResults(); ++i)
    if (node->result(i)->hasUses())
      return false;
  Node *identity = create(node, "Identity", {value}, {}, node->result(0)->type());
  return replace(node, identity->result(0));
}

void PassEditor::eraseIfDead(Node *node) {
  std::vector<Node *> dead{node};
  while (!dead.empty()) {
    Node *at = dead.back();
    dead.pop_back();
    if (!at->isListed() || at->hasUses() || !at->controlOutputs().empty() ||
        !at->controlInputs().empty() || !isRemovable(at))
      continue;
    std::vector<Node *> sources = sourcesOf(at);
    Mutation::erase(at);
    for (Node *source : sources)
      if (!source->hasUses())
        dead.push_back(source);
  }
}

} // namespace ge::builtin
