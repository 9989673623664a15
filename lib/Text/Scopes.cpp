//===- Scopes.cpp ---------------------------------------------------------------------------------===//
#include "Scopes.h"

#include <algorithm>

namespace ge::text {

uint32_t SSAName::numberSlow() const {
  if (name.size() > 8 || (name[0] == '0' && name.size() > 1))
    return UINT32_MAX;
  uint32_t number = 0;
  for (char c : name) {
    if (c < '0' || c > '9')
      return UINT32_MAX;
    number = number * 10 + uint32_t(c - '0');
  }
  return number;
}

/// A number far beyond the definitions so far is treated as a word, so that the table stays
/// proportional to the text.
static constexpr size_t kFar = 1024;

void Scopes::define(const Definition &definition, const SSAName &name) {
  definitions_.push_back(definition);
  auto position = uint32_t(definitions_.size());
  uint32_t number = name.number();
  // Once a number is in the hash table it must be found there, so the table of numbers no longer
  // grows beyond it.
  if (number < numbered_.size()) {
    numbered_[number] = position;
    return;
  }
  if (number < numbered_.size() + kFar && farNumbers_ == 0) {
    numbered_.resize(std::max<size_t>(number + 1, numbered_.size() * 2), 0);
    numbered_[number] = position;
    return;
  }
  farNumbers_ += number != UINT32_MAX;
  if (used_ * 2 >= slots_.size()) {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, {});
    for (size_t i = 0; i + 1 < definitions_.size(); ++i)
      if (SSAName other = definitions_[i].ssaName(); !isNumbered(other))
        put(other, uint32_t(i + 1));
  }
  put(name, position);
  ++used_;
}

void Scopes::put(const SSAName &name, uint32_t position) {
  size_t mask = slots_.size() - 1;
  size_t i = name.hash & mask;
  while (slots_[i].position)
    i = (i + 1) & mask;
  slots_[i] = {uint32_t(name.hash >> 32), position};
}

const Definition *Scopes::findSlot(const SSAName &name) const {
  size_t mask = slots_.size() - 1;
  for (size_t i = name.hash & mask; slots_[i].position; i = (i + 1) & mask)
    if (slots_[i].hash == uint32_t(name.hash >> 32))
      if (const Definition &found = definitions_[slots_[i].position - 1]; found.is(name))
        return &found;
  return nullptr;
}

void Scopes::leave(size_t mark) {
  if (mark == 0) { // all at once
    definitions_.clear();
    std::fill(numbered_.begin(), numbered_.end(), 0);
    std::fill(slots_.begin(), slots_.end(), Slot());
    used_ = farNumbers_ = 0;
    return;
  }
  while (definitions_.size() > mark) {
    SSAName name = definitions_.back().ssaName();
    auto position = uint32_t(definitions_.size());
    if (isNumbered(name)) {
      numbered_[name.number()] = 0;
    } else {
      size_t i = name.hash & (slots_.size() - 1);
      while (slots_[i].position != position)
        i = (i + 1) & (slots_.size() - 1);
      slots_[i] = {};
      --used_;
      farNumbers_ -= name.number() != UINT32_MAX;
    }
    definitions_.pop_back();
  }
}

} // namespace ge::text
