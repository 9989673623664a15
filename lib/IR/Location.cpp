//===- Location.cpp ---------------------------------------------------------------------------===//
#include "ge/IR/Location.h"

#include "ContextImpl.h"

#include <algorithm>
#include <unordered_set>

namespace ge {

std::string_view Location::file() const {
  return kind_ == Kind::File ? text_->str() : std::string_view();
}

std::string_view Location::name() const {
  return kind_ == Kind::Name ? text_->str() : std::string_view();
}

void Location::print(std::string &out) const {
  switch (kind_) {
  case Kind::Unknown:
    out += "unknown";
    return;
  case Kind::File:
    appendQuoted(out, text_->str());
    out.push_back(':');
    appendPart(out, line_);
    out.push_back(':');
    appendPart(out, column_);
    return;
  case Kind::Name:
    appendQuoted(out, text_->str());
    if (count_) {
      out.push_back('(');
      parts_[0]->print(out);
      out.push_back(')');
    }
    return;
  case Kind::Fused:
    out += "fused[";
    for (uint32_t i = 0; i != count_; ++i) {
      if (i)
        out += ", ";
      parts_[i]->print(out);
    }
    out.push_back(']');
    return;
  }
}

const Location *Location::firstFile() const {
  if (kind_ == Kind::File)
    return this;
  for (uint32_t i = 0; i != count_; ++i)
    if (const Location *found = parts_[i]->firstFile())
      return found;
  return nullptr;
}

const Location *Context::internLocation(const Location &location) {
  uint64_t hash =
      hashCombine(uint64_t(location.kind_), (uint64_t(location.line_) << 32) | location.column_);
  hash = hashCombine(hash, location.text_ ? location.text_->hash() : 0);
  for (uint32_t i = 0; i != location.count_; ++i)
    hash = hashCombine(hash, location.parts_[i]->hash());
  auto same = [&](const Location &other) {
    return other.kind_ == location.kind_ && other.text_ == location.text_ &&
           other.line_ == location.line_ && other.column_ == location.column_ &&
           std::equal(other.parts_, other.parts_ + other.count_, location.parts_,
                      location.parts_ + location.count_);
  };
  InternedSet *set = InternScope::currentSet(*this);
  auto children = [&](const auto &visit) { forEachChild(location, visit); };
  auto make = [&](Arena &arena) {
    uint32_t depth = 1;
    for (uint32_t i = 0; i != location.count_; ++i)
      depth = std::max(depth, location.parts_[i]->depth() + 1);
    if (depth > Location::kMaxDepth)
      throwError(ErrorKind::Value, "locations nest deeper than ", Location::kMaxDepth, " levels");
    uint32_t id = locations_.reserve();
    auto *made = new (arena.allocate(sizeof(Location))) Location(location);
    made->parts_ = copyInto(arena, std::span(location.parts_, location.count_));
    made->context_ = this;
    made->hash_ = hash;
    made->id_ = id;
    made->depth_ = uint16_t(depth);
    locations_.add(made);
    return made;
  };
  return impl_->locations.intern(*this, set ? &set->locations_ : nullptr, hash, same, children,
                                 make);
}

const Location *Context::fileLocation(std::string_view file, uint32_t line, uint32_t column) {
  Location location;
  location.kind_ = Location::Kind::File;
  location.text_ = scopedIdentifier(file);
  location.line_ = line;
  location.column_ = column;
  return internLocation(location);
}

static void checkOwner(const Context *context, const Location *location) {
  if (!location || &location->context() != context)
    throwError(ErrorKind::Value, location ? "the location belongs to another context"
                                          : "a part of a location is missing");
}

const Location *Context::nameLocation(std::string_view name, const Location *child) {
  Location location;
  location.kind_ = Location::Kind::Name;
  location.text_ = scopedIdentifier(name);
  if (child) {
    checkOwner(this, child);
    if (child != unknownLocation_) {
      location.parts_ = &child;
      location.count_ = 1;
    }
  }
  return internLocation(location);
}

const Location *Context::fusedLocation(std::span<const Location *const> parts) {
  std::vector<const Location *> flat;
  std::unordered_set<const Location *> seen;
  auto add = [&](const Location *part) {
    if (part != unknownLocation_ && seen.insert(part).second)
      flat.push_back(part);
  };
  for (const Location *part : parts) {
    checkOwner(this, part);
    if (part->kind() == Location::Kind::Fused)
      std::for_each(part->parts().begin(), part->parts().end(), add);
    else
      add(part);
  }
  if (flat.empty())
    return unknownLocation_;
  if (flat.size() == 1)
    return flat[0];
  Location location;
  location.kind_ = Location::Kind::Fused;
  location.parts_ = flat.data();
  location.count_ = uint32_t(flat.size());
  return internLocation(location);
}

} // namespace ge
