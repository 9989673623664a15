//===- MutationAttributes.cpp - attributes of nodes, graphs and modules -----------------------===//

#include "MutationImpl.h"

#include <algorithm>
#include <cstring>

namespace ge {

namespace {

constexpr uint32_t roundUp(uint32_t capacity) { return (capacity + 1) & ~1u; }
size_t tableSize(uint32_t capacity) {
  return 8 + size_t(capacity) * (sizeof(Attribute) + sizeof(uint32_t));
}

} // namespace

void Mutation::Impl::reserveAttributes(Arena &arena, AttributeList &list, uint32_t capacity) {
  static_assert(sizeof(AttributeList::Table) == 8);
  uint32_t old = list.table_ ? list.table_->capacity : 0;
  if (capacity <= old)
    return;
  capacity = roundUp(old ? std::max(capacity, old + old / 2) : capacity);
  AttributeList grown;
  grown.table_ = static_cast<AttributeList::Table *>(arena.allocate(tableSize(capacity)));
  grown.table_->count = list.size();
  grown.table_->capacity = capacity;
  if (list.table_) {
    std::memcpy(static_cast<void *>(grown.values()), list.values(),
                list.size() * sizeof(Attribute));
    std::memcpy(grown.ids(), list.ids(), list.size() * sizeof(uint32_t));
    arena.deallocate(list.table_, tableSize(old));
  }
  list.table_ = grown.table_;
}

void Mutation::Impl::insertAttribute(Arena &arena, AttributeList &list, uint32_t position,
                                     uint32_t name, Attribute value) {
  uint32_t count = list.size();
  reserveAttributes(arena, list, count + 1);
  Attribute *values = list.values();
  uint32_t *ids = list.ids();
  std::copy_backward(values + position, values + count, values + count + 1);
  std::copy_backward(ids + position, ids + count, ids + count + 1);
  values[position] = value;
  ids[position] = name;
  list.table_->count = count + 1;
}

void Mutation::Impl::fillAttributes(Arena &arena, AttributeList &list,
                                    std::span<const NamedAttribute> attributes) {
  auto count = uint32_t(attributes.size());
  reserveAttributes(arena, list, count);
  Attribute *values = list.values();
  uint32_t *ids = list.ids();
  for (uint32_t i = 0; i < count; ++i) {
    attributes[i].value.retain();
    values[i] = attributes[i].value;
    ids[i] = attributes[i].name->id();
  }
  list.table_->count = count;
}

void Mutation::Impl::eraseAttribute(AttributeList &list, uint32_t position) {
  uint32_t count = list.size();
  std::copy(list.values() + position + 1, list.values() + count, list.values() + position);
  std::copy(list.ids() + position + 1, list.ids() + count, list.ids() + position);
  list.table_->count = count - 1;
}

void Mutation::Impl::freeAttributes(Arena &arena, AttributeList &list) {
  if (!list.table_)
    return;
  for (uint32_t i = 0; i < list.size(); ++i)
    list.at(i).release();
  arena.deallocate(list.table_, tableSize(list.table_->capacity));
  list.table_ = nullptr;
}

template <typename T>
void Mutation::Impl::setAttribute(Root &root, T *object, uint32_t name, Attribute value) {
  AttributeList &list = object->attrs_;
  int32_t at = list.indexOf(name);
  if (at < 0) {
    if (!value)
      return;
    value.retain();
    insertAttribute(root.arena_, list, list.size(), name, value);
    record(root, undo::AttributeAdded{object, name});
  } else {
    AttrRef old = AttrRef::adopt(list.at(uint32_t(at)));
    if (value) {
      value.retain();
      list.values()[at] = value;
    } else {
      eraseAttribute(list, uint32_t(at));
    }
    // The position is recorded for removed attributes only.
    record(root,
           undo::AttributeSet{object, std::move(old), name, value ? UINT32_MAX : uint32_t(at)});
  }
  changedAttribute(root, object, name);
}

void Mutation::Impl::useAttribute(Root &root, const Identifier *name, Attribute value) {
  root.context().makePermanent(name); // so that it can be found by its text
  root.interned().use(value);
}

void Mutation::Impl::changedAttribute(Root &root, Node *node, uint32_t name) {
  notify(root,
         [&](MutationListener &l) { l.attributeChanged(node, root.context().identifierAt(name)); });
}

template void Mutation::Impl::setAttribute(Root &, Node *, uint32_t, Attribute);
template void Mutation::Impl::setAttribute(Root &, Graph *, uint32_t, Attribute);

namespace {

void checkName(const Identifier *name) {
  if (name->str().empty())
    throwError(ErrorKind::Value, "an attribute needs a name");
}

} // namespace

void Mutation::setAttribute(Node *node, const Identifier *name, Attribute value) {
  Root &root = node->root();
  checkName(name);
  Impl::checkContext(root.context(), &name->context(), "an attribute name");
  Impl::checkContext(root.context(), value.context(), "an attribute");
  if (node->isData() && name->str() == "index")
    throwError(ErrorKind::Value, "'index' of ", node->describe(),
               " is its position among the inputs of the graph; move the input instead");
  Impl::useAttribute(root, name, value);
  Impl::setAttribute(root, node, name->id(), value);
  Impl::forgetInference(node);
}

void Mutation::setAttribute(Graph *graph, const Identifier *name, Attribute value) {
  Root &root = graph->root();
  checkName(name);
  Impl::checkContext(root.context(), &name->context(), "an attribute name");
  Impl::checkContext(root.context(), value.context(), "an attribute");
  Impl::useAttribute(root, name, value);
  Impl::setAttribute(root, graph, name->id(), value);
}

} // namespace ge
