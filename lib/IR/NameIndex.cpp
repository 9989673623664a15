//===- NameIndex.cpp - names of one space, unique ---------------------------------------------===//

#include "ge/IR/Root.h"

#include <array>
#include <cstring>
#include <utility>

namespace ge {

namespace {
constexpr uint8_t kFree = 0, kErased = 1;
constexpr uint32_t kSmallest = 16;
} // namespace

uint32_t NameIndex::hash(std::string_view text) {
  uint64_t h = hashBytes(text);
  return uint32_t(h ^ (h >> 32));
}

const Name *NameIndex::nameOf(const void *holder) const {
  uintptr_t word = ofValues_ ? static_cast<const Value *>(holder)->link_.name()
                             : static_cast<const Node *>(holder)->link_.name();
  return reinterpret_cast<const Name *>(word);
}

void *NameIndex::find(std::string_view text) const {
  return used_ ? find(text, hash(text)) : nullptr;
}

void *NameIndex::find(std::string_view text, uint32_t hash) const {
  if (used_ == 0)
    return nullptr;
  uint8_t wanted = tag(hash);
  for (uint32_t i = home(hash);; i = i + 1 == capacity_ ? 0 : i + 1) {
    uint8_t t = tags_[i];
    if (t == kFree)
      return nullptr;
    if (t != wanted)
      continue;
    void *holder = holders_[i];
    if (nameOf(holder)->str() != text)
      continue;
    // Erased in an open transaction: the entry is kept for a rollback, and look-ups skip it.
    const Node *node =
        ofValues_ ? static_cast<const Value *>(holder)->node() : static_cast<const Node *>(holder);
    if (!(node->flags_ & Node::kParked))
      return holder;
  }
}

void NameIndex::place(const Name *name, uint32_t hash, void *holder) {
  uint32_t i = home(hash);
  while (tags_[i] > kErased)
    i = i + 1 == capacity_ ? 0 : i + 1;
  filled_ += tags_[i] == kFree;
  tags_[i] = tag(hash);
  holders_[i] = holder;
  name->place = i;
}

void NameIndex::insert(const Name *name, void *holder) {
  // Limits the load to four fifths, counting erased slots: beyond that, linear probing gets slow.
  if ((uint64_t(filled_) + 1) * 5 > uint64_t(capacity_) * 4)
    rehash(std::max<uint32_t>(kSmallest, used_ + used_ / 2 + used_ / 4));
  uint32_t h = name->isNew ? name->place : hash(name->str());
  // Of two holders with the same name, the parked one is removed; otherwise look-ups would get
  // slower and slower.
  if (used_ != 0)
    for (uint32_t i = home(h); tags_[i] != kFree; i = i + 1 == capacity_ ? 0 : i + 1)
      if (tags_[i] == tag(h) && nameOf(holders_[i])->str() == name->str()) {
        erase(nameOf(holders_[i]));
        break;
      }
  place(name, h, holder);
  name->isNew = 0;
  name->isEntered = 1;
  ++used_;
}

void NameIndex::prepare(const Name *name) const {
  if (name->isEntered || name->duplicate || capacity_ == 0)
    return;
  if (!name->isNew) {
    name->place = hash(name->str());
    name->isNew = 1;
  }
  uint32_t i = home(name->place);
  prefetch(&tags_[i]);
  prefetch(static_cast<const void *>(&holders_[i]));
}

void NameIndex::reserve(size_t more) {
  uint64_t needed = uint64_t(used_) + more;
  needed += needed / 2;
  if (needed > capacity_ && needed <= UINT32_MAX)
    rehash(std::max(kSmallest, uint32_t(needed)));
}

void NameIndex::erase(const Name *name) {
  if (!name->isEntered)
    return;
  name->isEntered = 0;
  uint32_t i = name->place;
  uint32_t next = i + 1 == capacity_ ? 0 : i + 1;
  bool endsRun = tags_[next] == kFree;
  tags_[i] = endsRun ? kFree : kErased;
  filled_ -= endsRun;
  --used_;
}

void NameIndex::rehash(uint32_t capacity) {
  auto oldHolders = std::make_unique_for_overwrite<void *[]>(capacity);
  auto oldTags = std::make_unique<uint8_t[]>(capacity);
  // Nothing throws from here.
  oldHolders.swap(holders_);
  oldTags.swap(tags_);
  uint32_t oldCapacity = std::exchange(capacity_, capacity);
  filled_ = 0;
  // Processed in groups: holders and names are scattered in memory, so that their loads overlap.
  constexpr uint32_t kGroup = 32;
  std::array<void *, kGroup> holders;
  std::array<const Name *, kGroup> names;
  for (uint32_t k = 0; k < oldCapacity;) {
    uint32_t count = 0;
    for (; k < oldCapacity && count < kGroup; ++k)
      if (oldTags[k] > kErased)
        prefetch(holders[count++] = oldHolders[k]);
    for (uint32_t i = 0; i < count; ++i)
      prefetch(names[i] = nameOf(holders[i]));
    for (uint32_t i = 0; i < count; ++i)
      place(names[i], hash(names[i]->str()), holders[i]);
  }
}

std::string NameIndex::uniqueName(std::string_view wanted) {
  uint32_t &next = counters_.try_emplace(std::string(wanted), 0).first->second;
  std::string candidate;
  do {
    candidate.assign(wanted);
    candidate.push_back('_');
    appendPart(candidate, ++next);
  } while (find(candidate));
  return candidate;
}

uint32_t NameIndex::counter(std::string_view base) const {
  auto it = counters_.find(std::string(base));
  return it == counters_.end() ? 0 : it->second;
}

void NameIndex::setCounter(std::string_view base, uint32_t value) {
  if (value == 0)
    counters_.erase(std::string(base));
  else
    counters_[std::string(base)] = value;
}

} // namespace ge
