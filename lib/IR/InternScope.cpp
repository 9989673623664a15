//===- InternScope.cpp - interned objects that go with their model ----------------------------===//
#include "ge/IR/InternScope.h"

#include "ContextImpl.h"

#include <algorithm>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Scoped objects
//===-----------------------------------------------------------------------------------------===//

template <typename T> void Context::makePermanentSlow(const T *object) noexcept {
  forEachChild(*object, [this](const auto *child) { makePermanent(child); });
  impl_->of<T>().makePermanent(const_cast<T *>(object));
}
template void Context::makePermanentSlow(const Identifier *) noexcept;
template void Context::makePermanentSlow(const Type *) noexcept;
template void Context::makePermanentSlow(const Location *) noexcept;
template void Context::makePermanentSlow(const AttrStorage *) noexcept;

void Context::freeMemory(Arena &arena, const Identifier *text) {
  identifiers_.remove(text->id());
  arena.deallocate(const_cast<char *>(text->data_), size_t(text->length_) + 1);
  arena.deallocate(const_cast<Identifier *>(text), sizeof(Identifier));
}

void Context::freeMemory(Arena &arena, const Type *type) {
  types_.remove(type->id());
  for (std::span<const Dim> dims : {type->shape(), type->originShape()})
    if (!dims.empty())
      arena.deallocate(const_cast<Dim *>(dims.data()), dims.size_bytes());
  arena.deallocate(const_cast<Type *>(type), sizeof(Type));
}

void Context::freeMemory(Arena &arena, const Location *location) {
  locations_.remove(location->id());
  if (!location->parts().empty())
    arena.deallocate(static_cast<void *>(const_cast<const Location **>(location->parts().data())),
                     location->parts().size_bytes());
  arena.deallocate(const_cast<Location *>(location), sizeof(Location));
}

void Context::freeMemory(Arena &arena, const AttrStorage *storage) {
  arena.deallocate(const_cast<AttrStorage *>(storage),
                   sizeof(AttrStorage) + payloadBytes(*storage));
}

template <typename T> void Context::releaseLast(const T *object) noexcept {
  Interner<T> &interner = impl_->of<T>();
  if (!interner.releaseLast(object))
    return;
  forEachChild(*object, [this](const auto *child) { release(child); });
  interner.free([&](Arena &arena) { freeMemory(arena, object); });
}
template void Context::releaseLast(const Identifier *) noexcept;
template void Context::releaseLast(const Type *) noexcept;
template void Context::releaseLast(const Location *) noexcept;
template void Context::releaseLast(const AttrStorage *) noexcept;

size_t Context::scopedCount() const {
  return impl_->identifiers.scopedCount() + impl_->types.scopedCount() +
         impl_->locations.scopedCount() + impl_->attributes.scopedCount();
}

//===-----------------------------------------------------------------------------------------===//
// Sets and scopes
//===-----------------------------------------------------------------------------------------===//

InternedSet::~InternedSet() {
  auto release = [this](const auto *object) { context_->release(object); };
  locations_.forEach(release);
  attributes_.forEach(release);
  types_.forEach(release);
  identifiers_.forEach(release);
}

static thread_local constinit const InternScope *innermost = nullptr;

InternScope::InternScope(Context &context)
    : set_(std::make_shared<InternedSet>(context)), outer_(innermost) {
  innermost = this;
}

InternScope::~InternScope() { innermost = outer_; }

InternedSet *InternScope::currentSet(const Context &context) {
  return innermost && &innermost->set_->context() == &context ? innermost->set_.get() : nullptr;
}

InternedSets::InternedSets(const Context &context) {
  if (InternScope::currentSet(context))
    sets_.push_back(innermost->set_);
}

template <typename T> void InternedSets::useScoped(const T *object) {
  Context &context = contextOf(*object);
  // What a reader interned is in the set that the root began with.
  if (isTrusted_ || (!sets_.empty() && sets_.back().get() == InternScope::currentSet(context)))
    return;
  if (std::ranges::none_of(sets_, [&](const auto &set) { return set->contains(object); }))
    context.makePermanent(object);
}
template void InternedSets::useScoped(const Identifier *);
template void InternedSets::useScoped(const Type *);
template void InternedSets::useScoped(const Location *);
template void InternedSets::useScoped(const AttrStorage *);

void InternedSets::share(const InternedSets &other) {
  for (const std::shared_ptr<InternedSet> &set : other.sets_)
    if (std::ranges::find(sets_, set) == sets_.end())
      sets_.insert(sets_.begin(), set);
}

} // namespace ge
