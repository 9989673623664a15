//===- Clone.cpp - copies of graphs and nodes -------------------------------------------------===//

#include "ge/IR/Analysis.h"
#include "ge/IR/Subgraphs.h"
#include "ge/Support/Interrupt.h"

#include <unordered_map>

namespace ge {

namespace {

/// Rebuilds interned things in another context; the same ones when it is the same context.
class Translator {
public:
  Translator(Context &from, Context &to) : same_(&from == &to), to_(to) {}

  const Identifier *identifier(const Identifier *i) {
    return same_ || !i ? i : to_.identifier(i->str());
  }
  const OperatorName *op(const OperatorName *op) {
    return same_ || !op ? op : to_.operatorName(op->domain(), op->type(), op->overload());
  }

  const Type *type(const Type *type) {
    if (same_)
      return type;
    switch (type->kind()) {
    case TypeKind::Unknown:
      return to_.unknownType();
    case TypeKind::None:
      return to_.noneType();
    case TypeKind::Sequence:
      return to_.sequenceType(this->type(type->element()));
    case TypeKind::Optional:
      return to_.optionalType(this->type(type->element()));
    case TypeKind::Map:
      return to_.mapType(type->dtype(), this->type(type->element()));
    case TypeKind::Opaque:
      return to_.opaqueType(type->payload()->str());
    case TypeKind::Tensor:
      break;
    }
    std::vector<Dim> shape = dims(type->shape()), origin = dims(type->originShape());
    TensorTypeSpec spec;
    spec.dtype = type->dtype();
    spec.ranked = type->isRanked();
    spec.shape = shape;
    spec.format = identifier(type->format());
    spec.hasOriginShape = type->hasOriginShape();
    spec.originShape = origin;
    spec.originFormat = identifier(type->originFormat());
    return to_.tensorType(spec);
  }

  const Location *location(const Location *location) {
    if (same_)
      return location;
    switch (location->kind()) {
    case Location::Kind::Unknown:
      break;
    case Location::Kind::File:
      return to_.fileLocation(location->file(), location->line(), location->column());
    case Location::Kind::Name:
      return to_.nameLocation(location->name(),
                              location->child() ? this->location(location->child()) : nullptr);
    case Location::Kind::Fused: {
      std::vector<const Location *> parts;
      for (const Location *part : location->parts())
        parts.push_back(this->location(part));
      return to_.fusedLocation(parts);
    }
    }
    return to_.unknownLocation();
  }

  AttrRef attribute(Attribute a) {
    if (same_)
      return AttrRef(a);
    switch (a.kind()) {
    case AttrKind::Int:
      return to_.intAttr(a.intValue(), a.width());
    case AttrKind::Float:
      return a.isInline() ? AttrRef(a) : to_.floatAttr(a.floatValue(), a.width());
    case AttrKind::String:
      return to_.stringAttr(a.stringValue());
    case AttrKind::Bytes:
      return to_.bytesAttr(a.stringValue());
    case AttrKind::Graph:
      return to_.graphAttr(a.stringValue());
    case AttrKind::Type:
      return AttrRef(Attribute::type(type(a.typeValue())));
    case AttrKind::Tensor:
      return tensor(*a.tensorValue());
    case AttrKind::Array:
      if (a.width() == DType::F32)
        return to_.floatArray(a.floats());
      if (a.width() == DType::F64)
        return to_.doubleArray(a.doubles());
      return to_.intArray(a.ints(), a.width());
    case AttrKind::List:
    case AttrKind::Dict:
      return container(a);
    case AttrKind::Bool:
    case AttrKind::DType:
    case AttrKind::Invalid:
      break;
    }
    return AttrRef(a);
  }

private:
  std::vector<Dim> dims(std::span<const Dim> dims) {
    std::vector<Dim> out;
    for (const Dim &dim : dims)
      out.push_back({dim.size, identifier(dim.symbol)});
    return out;
  }

  /// Shares the bytes: the copy borrows those of the other tensor.
  AttrRef tensor(const Tensor &from) {
    const Type *to = type(from.type());
    if (from.isString())
      return to_.tensorAttr(TensorPtr::adopt(Tensor::strings(
          to, std::vector<std::string>(from.strings().begin(), from.strings().end()))));
    if (from.isSplat())
      return to_.tensorAttr(
          TensorPtr::adopt(Tensor::splat(to, from.bytes().data(), from.bytes().size())));
    if (from.file())
      return to_.tensorAttr(TensorPtr::adopt(
          Tensor::map(to, from.file(), from.fileOffset(), from.bytes().size(), from.packing())));
    // The context of `from`, and with it the type, may be destroyed first, but not the bytes, which
    // this copy keeps alive.
    return to_.tensorAttr(TensorPtr::adopt(
        Tensor::copy(to, from.bytes().data(), from.bytes().size(), from.packing())));
  }

  AttrRef container(Attribute a) {
    std::vector<AttrRef> owned;
    std::vector<Attribute> elements;
    for (Attribute element : a.elements()) {
      owned.push_back(attribute(element));
      elements.push_back(owned.back().get());
    }
    if (a.kind() == AttrKind::List)
      return to_.listAttr(elements);
    std::vector<const Identifier *> keys;
    for (const Identifier *key : a.keys())
      keys.push_back(identifier(key));
    return to_.dictAttr(keys, elements);
  }

  bool same_;
  Context &to_;
};

class Cloner {
public:
  /// `sameRoot`: values from outside of the copied part stay the same; otherwise `outside` maps
  /// them, or, without it, they become inputs of the copy. `prefix`: before all names.
  Cloner(Root &from, Root &to, bool sameRoot, std::string_view prefix = {},
         const ValueMap *outside = nullptr, SlotNamer slots = nullptr)
      : translate_(from.context(), to.context()), to_(to), sameRoot_(sameRoot), prefix_(prefix),
        outside_(outside), slots_(slots) {
    // A copy in another context shares no interned objects.
    if (&from != &to && &from.context() == &to.context())
      to.interned().share(from.interned());
  }

  void graph(const Graph *from, Graph *to) {
    outermost_ = to;
    shells(from, to);
    connect(from, to);
  }

  /// Copies a node without operands, which may be defined later in the list.
  Node *shell(Node *from, Graph *to) {
    interrupt_.poll();
    std::vector<const Type *> types;
    for (uint32_t i = 0; i < from->numResults(); ++i)
      types.push_back(translate_.type(from->result(i)->type()));
    std::vector<AttrRef> owned;
    std::vector<NamedAttribute> attributes;
    collect(from, owned, attributes);
    std::vector<Value *> absent(from->numOperands(), nullptr);
    NodeSpec spec;
    spec.op = translate_.op(from->op());
    spec.operands = absent;
    spec.resultTypes = types;
    spec.attributes = attributes;
    std::string name = named(from->name());
    spec.name = name;
    spec.location = translate_.location(from->location());
    spec.operandSegments = from->operandSegments();
    spec.resultSegments = from->resultSegments();
    spec.keepDuplicateName = keepsDuplicate(from);
    Node *copy = to ? Mutation::create(to, nullptr, spec) : Mutation::create(to_, spec);
    nodes_[from] = copy;
    names(from, copy);
    bodies(from, copy);
    return copy;
  }

  void bodies(const Node *from, Node *to) {
    for (size_t i = 0; i < from->subgraphs().size(); ++i) {
      const Graph *inner = from->subgraphs()[i];
      std::string_view slot = inner->slot();
      if (slot.empty() && slots_)
        slot = slots_(from, i);
      shells(inner, Mutation::addSubgraph(to, slot, inner->name()));
    }
  }

  void subgraphs(const Node *from, Node *to) {
    bodies(from, to);
    for (size_t i = 0; i < from->subgraphs().size(); ++i)
      connect(from->subgraphs()[i], to->subgraphs()[i]);
  }

  /// Copies one node of the outermost graph, after its producers. Result names and origins are left
  /// to the nodes that it replaces.
  Node *placed(Node *from, Graph *to, Node *before, std::string_view prefix) {
    interrupt_.poll();
    std::vector<Value *> operands;
    for (uint32_t i = 0; i < from->numOperands(); ++i)
      operands.push_back(value(from->operand(i)));
    std::vector<const Type *> types;
    for (uint32_t i = 0; i < from->numResults(); ++i)
      types.push_back(translate_.type(from->result(i)->type()));
    std::vector<AttrRef> owned;
    std::vector<NamedAttribute> attributes;
    collect(from, owned, attributes);
    std::string name(prefix);
    from->appendName(name);
    NodeSpec spec;
    spec.op = translate_.op(from->op());
    spec.operands = operands;
    spec.resultTypes = types;
    spec.attributes = attributes;
    spec.name = name;
    spec.location = translate_.location(from->location());
    spec.operandSegments = from->operandSegments();
    spec.resultSegments = from->resultSegments();
    Node *copy = Mutation::create(to, before, spec);
    nodes_[from] = copy;
    dropOriginalNames(from, copy);
    subgraphs(from, copy);
    control(from);
    return copy;
  }

  void shells(const Graph *from, Graph *to) {
    attributes(from->attributes(), from->context(), to);
    for (const Node *input : from->inputNodes())
      this->input(input, to);
    for (Node *node = from->front(); node; node = node->next())
      shell(node, to);
  }

  void connect(const Graph *from, Graph *to) {
    for (Node *node = from->front(); node; node = node->next())
      connect(node);
    std::vector<Value *> outputs;
    for (uint32_t i = 0; i < from->numOutputs(); ++i) {
      interrupt_.poll();
      outputs.push_back(value(from->outputValue(i)));
    }
    Mutation::setOutputs(to, outputs);
    std::vector<std::string> names(from->numOutputs());
    bool isNamed = false;
    for (uint32_t i = 0; i < from->numOutputs(); ++i) {
      interrupt_.poll();
      if (from->hasOutputName(i)) {
        names[i] = from->outputName(i);
        isNamed = true;
      }
    }
    if (isNamed)
      Mutation::setOutputNames(to, std::move(names));
    nodes_[from->output()] = to->output();
    outputNode(from->output(), to->output());
    for (const Node *node = from->front(); node; node = node->next())
      control(node);
    control(from->output());
  }

  void connect(Node *from) {
    interrupt_.poll();
    Node *copy = nodes_.at(from);
    for (uint32_t i = 0; i < from->numOperands(); ++i) {
      interrupt_.poll();
      if (Value *v = value(from->operand(i)))
        Mutation::setOperand(copy, i, v);
    }
    for (size_t i = 0; i < from->subgraphs().size(); ++i)
      connect(from->subgraphs()[i], copy->subgraphs()[i]);
    typeSources(from, copy); // setting operands has reset them
  }

private:
  std::string named(std::string_view name) const {
    return name.empty() ? std::string() : cat(prefix_, name);
  }
  template <typename T> bool keepsDuplicate(const T *from) const {
    return !sameRoot_ && !outside_ && prefix_.empty() && from->nameIsDuplicate();
  }

  static void typeSources(const Node *from, const Node *copy) {
    for (uint32_t i = 0; i < from->numResults(); ++i)
      if (from->result(i)->typeSource() == TypeSource::Inferred)
        Mutation::confirmType(copy->result(i));
  }

  void collect(const Node *from, std::vector<AttrRef> &owned,
               std::vector<NamedAttribute> &attributes) {
    const AttributeList &list = from->attributes();
    for (uint32_t i = 0; i < list.size(); ++i) {
      interrupt_.poll();
      const Identifier *name = from->context().identifierAt(list.nameIdAt(i));
      if (from->isData() && name->str() == "index")
        continue;
      owned.push_back(translate_.attribute(list.at(i)));
      attributes.push_back({translate_.identifier(name), owned.back().get()});
    }
  }

  void attributes(const AttributeList &from, const Context &context, Graph *to) {
    for (uint32_t i = 0; i < from.size(); ++i)
      Mutation::setAttribute(to, translate_.identifier(context.identifierAt(from.nameIdAt(i))),
                             translate_.attribute(from.at(i)).get());
  }

  /// A copy beside its original, or with a prefix, is not the object that the file named.
  void dropOriginalNames(const Node *from, Node *copy) {
    if ((sameRoot_ || outside_ || !prefix_.empty()) && from->attribute(kOriginalNames))
      Mutation::setOriginalNames(copy, {});
  }

  void names(const Node *from, Node *copy) {
    for (uint32_t i = 0; i < from->numResults(); ++i) {
      interrupt_.poll();
      if (from->result(i)->hasName())
        Mutation::rename(copy->result(i), named(from->result(i)->name()),
                         keepsDuplicate(from->result(i)));
    }
    dropOriginalNames(from, copy);
    if (!from->origins().empty()) {
      std::vector<Origin> origins(from->origins().begin(), from->origins().end());
      for (Origin &origin : origins) {
        origin.op = translate_.op(origin.op);
        origin.pass = translate_.identifier(origin.pass);
        origin.rule = translate_.identifier(origin.rule);
        origin.where = origin.where ? translate_.location(origin.where) : nullptr;
      }
      Mutation::setOrigins(copy, origins);
    }
  }

  void outputNode(const Node *from, Node *copy) {
    const AttributeList &list = from->attributes();
    for (uint32_t i = 0; i < list.size(); ++i)
      Mutation::setAttribute(copy,
                             translate_.identifier(from->context().identifierAt(list.nameIdAt(i))),
                             translate_.attribute(list.at(i)).get());
    if (from->hasName())
      Mutation::rename(copy, named(from->name()), keepsDuplicate(from));
    Mutation::setLocation(copy, translate_.location(from->location()));
    names(from, copy);
  }

  void input(const Node *from, Graph *to) {
    interrupt_.poll();
    const Type *type = translate_.type(from->result(0)->type());
    std::vector<AttrRef> owned;
    std::vector<NamedAttribute> attributes;
    collect(from, owned, attributes);
    NodeSpec spec;
    spec.op = translate_.op(from->op());
    spec.resultTypes = {&type, 1};
    spec.attributes = attributes;
    std::string name = named(from->name());
    spec.name = name;
    spec.location = translate_.location(from->location());
    spec.keepDuplicateName = keepsDuplicate(from);
    Node *copy = Mutation::addInput(to, spec, {});
    nodes_[from] = copy;
    names(from, copy);
    typeSources(from, copy);
  }

public:
  /// The copy of a value; a value from outside becomes an input of the outermost copy, is mapped by
  /// the caller, or stays the same.
  Value *value(Value *from) {
    if (!from)
      return nullptr;
    auto it = nodes_.find(from->node());
    if (it != nodes_.end())
      return it->second->result(from->index());
    if (sameRoot_)
      return from;
    if (outside_) {
      if (auto known = outside_->find(from); known != outside_->end())
        return known->second;
      throwError(ErrorKind::Value, from->node()->describe(),
                 " is used by what is copied, but comes neither before it nor with it");
    }
    auto [captured, isNew] = captured_.try_emplace(from, nullptr);
    if (isNew) {
      std::string name(from->name());
      if (name.empty())
        from->appendName(name);
      captured->second =
          Mutation::addInput(outermost_, name, translate_.type(from->type()))->result(0);
    }
    return captured->second;
  }

private:
  void control(const Node *from) {
    interrupt_.poll();
    // A control edge between nodes in different graphs is an error for verify(); it is not copied.
    for (const Node *input : from->controlInputs())
      if (auto it = nodes_.find(input);
          it != nodes_.end() && input->graph() == from->graph() && !from->isDetached())
        Mutation::addControlEdge(it->second, nodes_.at(from));
  }

  Interrupt interrupt_;
  Translator translate_;
  Root &to_;
  InternedSets::Trust trust_{to_.interned()};
  bool sameRoot_;
  std::string_view prefix_;
  const ValueMap *outside_;
  SlotNamer slots_;
  Graph *outermost_ = nullptr;
  std::unordered_map<const Node *, Node *> nodes_;
  std::unordered_map<const Value *, Value *> captured_;
};

} // namespace

Root *clone(const Graph *graph, Context *context) {
  Context &from = graph->context();
  Root *root = Root::create(context ? *context : from, graph->name());
  try {
    Cloner(graph->root(), *root, false).graph(graph, root->graph());
  } catch (...) {
    root->drop();
    throw;
  }
  return root;
}

void cloneInto(const Graph *from, Graph *to, std::string_view prefix) {
  Cloner(from->root(), to->root(), false, prefix).graph(from, to);
}

void cloneSubgraphs(const Node *from, Node *to, const ValueMap &outside, SlotNamer slots) {
  Cloner(from->root(), to->root(), false, {}, &outside, slots).subgraphs(from, to);
}

Copied cloneNodes(const Graph *from, Graph *to, Node *before, std::span<Value *const> inputs,
                  std::string_view prefix) {
  ValueMap outside;
  for (uint32_t i = 0; i != from->numInputs(); ++i)
    outside.emplace(from->input(i), inputs[i]);
  Cloner cloner(from->root(), to->root(), false, {}, &outside);
  Copied made;
  for (Node *node : from->sortedNodes())
    made.nodes.push_back(cloner.placed(node, to, before, prefix));
  for (uint32_t i = 0; i != from->numOutputs(); ++i)
    made.outputs.push_back(cloner.value(from->outputValue(i)));
  return made;
}

Node *cloneNode(Node *node) {
  if (node->isData() || node->isNetOutput())
    throwError(ErrorKind::Value, node->describe(),
               " is an input or the output node of its graph and cannot be cloned");
  Cloner cloner(node->root(), node->root(), true);
  Node *copy = cloner.shell(node, nullptr);
  cloner.connect(node);
  return copy;
}

} // namespace ge
