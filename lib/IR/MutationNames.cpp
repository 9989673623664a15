//===- MutationNames.cpp - names of nodes, values and graphs ----------------------------------===//

#include "MutationImpl.h"

#include <cstring>

namespace ge {

namespace {
size_t nameSize(size_t length) { return offsetof(Name, bytes) + length; }
} // namespace

Name *Mutation::Impl::makeName(Root &root, std::string_view text, uint32_t hash) {
  auto *name = static_cast<Name *>(root.arena_.allocate(nameSize(text.size())));
  name->place = hash;
  name->length = uint32_t(text.size());
  name->duplicate = 0;
  name->isNew = 1;
  name->isEntered = 0;
  std::memcpy(name->bytes, text.data(), text.size());
  return name;
}

void Mutation::Impl::freeNameWord(Root &root, uintptr_t word) {
  if (const Name *name = word ? asName(word) : nullptr)
    root.arena_.deallocate(const_cast<Name *>(name), nameSize(name->length));
}

uintptr_t Mutation::Impl::claimName(Root &root, bool ofValues, std::string_view text,
                                    bool keepDuplicate) {
  if (text.size() > Name::kMaxLength)
    throwError(ErrorKind::Value, "a name has at most ", Name::kMaxLength, " bytes");
  NameIndex &names = index(root, ofValues);
  uint32_t hash = NameIndex::hash(text);
  if (!names.find(text, hash)) [[likely]]
    return reinterpret_cast<uintptr_t>(makeName(root, text, hash));
  if (keepDuplicate) {
    Name *name = makeName(root, text, hash);
    name->duplicate = 1;
    return reinterpret_cast<uintptr_t>(name);
  }
  if (root.journal_)
    record(root,
           undo::CounterSet{std::make_unique<std::string>(text), names.counter(text), ofValues});
  std::string unique = names.uniqueName(text);
  return reinterpret_cast<uintptr_t>(makeName(root, unique, NameIndex::hash(unique)));
}

template <typename T> void Mutation::Impl::enterName(Root &root, T *holder) {
  const Name *name = asName(holder->link_.name());
  if (name && !name->duplicate)
    index(root, std::is_same_v<T, Value>).insert(name, holder);
}

template <typename T> void Mutation::Impl::leaveName(Root &root, T *holder) {
  if (const Name *name = asName(holder->link_.name()))
    index(root, std::is_same_v<T, Value>).erase(name);
}

template <typename T> void Mutation::Impl::setNameWord(Root &root, T *holder, uintptr_t word) {
  uintptr_t old = holder->link_.name();
  leaveName(root, holder);
  holder->link_.setName(word);
  enterName(root, holder);
  Journal *journal = root.journal_.get();
  if (journal && !journal->isUndoing())
    record(root, undo::Renamed{holder, old}); // the journal releases the old name
  else
    freeNameWord(root, old);
  ++root.changeCount_;
  if constexpr (std::is_same_v<T, Node>)
    notify(root, [&](MutationListener &l) { l.renamed(holder); });
}

template <typename T> void Mutation::Impl::moveName(Root &root, T *from, T *to) {
  uintptr_t word = from->link_.name();
  uintptr_t old = to->link_.name();
  uintptr_t none = 0;
  if constexpr (std::is_same_v<T, Node>)
    none = (root.nextSerial_++ << 2) | Link::kSerial;
  from->link_.setName(none);
  to->link_.setName(word);
  index(root, std::is_same_v<T, Value>).setHolder(asName(word), to);
  record(root, undo::NameMoved<T>{from, to, old});
  if constexpr (std::is_same_v<T, Node>)
    notify(root, [&](MutationListener &l) {
      l.renamed(from);
      l.renamed(to);
    });
}

template void Mutation::Impl::moveName(Root &, Node *, Node *);
template void Mutation::Impl::moveName(Root &, Value *, Value *);
template void Mutation::Impl::enterName(Root &, Node *);
template void Mutation::Impl::enterName(Root &, Value *);
template void Mutation::Impl::leaveName(Root &, Node *);
template void Mutation::Impl::leaveName(Root &, Value *);
template void Mutation::Impl::setNameWord(Root &, Node *, uintptr_t);
template void Mutation::Impl::setNameWord(Root &, Value *, uintptr_t);

namespace {

void checkName(std::string_view name) {
  if (!isValidUtf8(name))
    throwError(ErrorKind::Value, "a name must be valid UTF-8");
}

} // namespace

/// Drops the name from the file: the node has been given another one.
void Mutation::Impl::dropOriginalName(Node *node, uint32_t position) {
  const AttributeList &list = node->attributes();
  for (uint32_t i = 0; i != list.size(); ++i) {
    const Identifier *key = node->context().identifierAt(list.nameIdAt(i));
    if (key->str() != kOriginalNames)
      continue;
    std::vector<std::string> names;
    Attribute kept = list.at(i);
    for (uint32_t k = 0; kept.kind() == AttrKind::List && k != kept.size(); ++k)
      names.emplace_back(kept.elements()[k].kind() == AttrKind::String
                             ? kept.elements()[k].stringValue()
                             : std::string_view());
    if (position < names.size())
      names[position].clear();
    setOriginalNames(node, names);
    return;
  }
}

void Mutation::setOriginalNames(Node *node, std::span<const std::string> names) {
  Root &root = node->root();
  Context &context = root.context();
  const Identifier *key = context.identifier(kOriginalNames);
  while (!names.empty() && names.back().empty())
    names = names.first(names.size() - 1);
  AttrRef list;
  if (!names.empty()) {
    std::vector<AttrRef> held;
    std::vector<Attribute> elements;
    for (const std::string &name : names) {
      held.push_back(context.stringAttr(name));
      elements.push_back(held.back().get());
    }
    list = context.listAttr(elements);
    Impl::useAttribute(root, key, list.get());
  }
  Impl::setAttribute(root, node, key->id(), list.get());
}

void Mutation::rename(Node *node, std::string_view name, bool keepDuplicate) {
  checkName(name);
  Root &root = node->root();
  if (name == node->name())
    return;
  uintptr_t word = name.empty() ? (root.nextSerial_++ << 2) | Link::kSerial
                                : Impl::claimName(root, false, name, keepDuplicate);
  bool hadName = node->hasName();
  Impl::setNameWord(root, node, word);
  if (hadName && node->attrs_.size() != 0)
    Impl::dropOriginalName(node, 0);
}

void Mutation::rename(Value *value, std::string_view name, bool keepDuplicate) {
  checkName(name);
  Root &root = value->root();
  if (name == value->name())
    return;
  if (!name.empty() && value->isAbsent())
    throwError(ErrorKind::Value, "result ", value->index(), " of ", value->node()->describe(),
               " is absent (type none) and has no name");
  bool hadName = value->hasName();
  Impl::setNameWord(root, value,
                    name.empty() ? 0 : Impl::claimName(root, true, name, keepDuplicate));
  if (Node *node = value->node(); hadName && node->attrs_.size() != 0)
    Impl::dropOriginalName(node, value->index() + 1);
}

void Mutation::reserveNames(Root &root, size_t nodes, size_t values) {
  root.nodeNames_.reserve(nodes);
  root.valueNames_.reserve(values);
}

template <typename T> static bool canMove(const T *from, const T *to) {
  return from != to && from->hasName() && !to->hasName();
}

void Mutation::moveName(Node *from, Node *to) {
  if (canMove(from, to))
    Impl::moveName(from->root(), from, to);
}

void Mutation::moveName(Value *from, Value *to) {
  if (canMove(from, to) && !to->isAbsent())
    Impl::moveName(from->root(), from, to);
}

void Mutation::loadName(const Node *from) { prefetch(Impl::asName(from->link_.name())); }

void Mutation::loadNamePlace(const Node *from) {
  if (const Name *name = Impl::asName(from->link_.name()))
    from->root().nodeNames_.loadHolder(name);
}

void Mutation::setName(Graph *graph, std::string_view name) {
  checkName(name);
  Root &root = graph->root();
  if (name == graph->name_)
    return;
  if (graph->isRoot() && root.module() && root.module()->isTaken(name, &root))
    throwError(ErrorKind::Value, "the module has a graph '", name, "' already");
  std::string old = std::exchange(graph->name_, std::string(name));
  if (graph->isRoot())
    root.nameChanged(root.inTransaction());
  Impl::record(root, undo::GraphRenamed{graph, std::make_unique<std::string>(std::move(old))});
}

} // namespace ge
