//===- PassRegistry.cpp - passes by name ------------------------------------------------------===//
#include "ge/Passes/Manager/PassRegistry.h"

#include <algorithm>
#include <charconv>

namespace ge {

static constexpr std::string_view kExactness[] = {"exact", "reassociating", "approximate"};

std::string_view exactnessName(Exactness exactness) { return kExactness[size_t(exactness)]; }

Exactness PassOptions::exactness(std::string_view name, Exactness otherwise) const {
  std::string_view given = text(name, exactnessName(otherwise));
  const auto *found = std::ranges::find(kExactness, given);
  if (found == std::end(kExactness))
    throwError(ErrorKind::Value, "option '", name,
               "' is exact, reassociating or approximate, not '", given, "'");
  return Exactness(found - kExactness);
}

bool PassInfo::hasOption(std::string_view option) const {
  return std::ranges::find(options, option, &PassOption::name) != options.end();
}

std::string_view PassOptions::text(std::string_view name, std::string_view otherwise) const {
  auto at = values_.find(name);
  return at == values_.end() ? otherwise : std::string_view(at->second);
}

int64_t PassOptions::integer(std::string_view name, int64_t otherwise) const {
  auto at = values_.find(name);
  if (at == values_.end())
    return otherwise;
  const std::string &text = at->second;
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throwError(ErrorKind::Value, "option '", name, "' is an integer, not '", text, "'");
  return value;
}

uint64_t PassOptions::size(std::string_view name, int64_t otherwise) const {
  int64_t value = integer(name, otherwise);
  if (value < 0)
    throwError(ErrorKind::Value, "option '", name, "' is at least 0, not ", value);
  return uint64_t(value);
}

bool PassOptions::flag(std::string_view name, bool otherwise) const {
  auto at = values_.find(name);
  if (at == values_.end())
    return otherwise;
  if (at->second == "true" || at->second.empty())
    return true;
  if (at->second == "false")
    return false;
  throwError(ErrorKind::Value, "option '", name, "' is true or false, not '", at->second, "'");
}

PassRegistry &PassRegistry::global() {
  // Never destroyed: passes may run while the process exits.
  static PassRegistry &registry = *[] {
    auto *made = new PassRegistry();
    registerBuiltinPasses(*made);
    return made;
  }();
  return registry;
}

void PassRegistry::add(PassInfo info) {
  std::lock_guard lock(mutex_);
  std::string name = info.name, origin = info.origin;
  auto [known, isNew] = passes_.emplace(name, std::make_shared<const PassInfo>(std::move(info)));
  if (!isNew) {
    auto placeOf = [](const std::string &of) { return of.empty() ? "this program" : of; };
    throwError(ErrorKind::Value, "a pass '", name, "' is registered already, by ",
               placeOf(known->second->origin), ", and now by ", placeOf(origin));
  }
}

bool PassRegistry::remove(std::string_view name) {
  // Destroyed after the lock is released: destroying a pass may run foreign code that uses the
  // registry.
  std::shared_ptr<const PassInfo> removed;
  std::lock_guard lock(mutex_);
  auto at = passes_.find(name);
  if (at == passes_.end())
    return false;
  removed = std::move(at->second);
  passes_.erase(at);
  return true;
}

std::shared_ptr<const PassInfo> PassRegistry::find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto at = passes_.find(name);
  return at == passes_.end() ? nullptr : at->second;
}

std::vector<std::shared_ptr<const PassInfo>> PassRegistry::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const PassInfo>> found;
  for (const auto &[name, info] : passes_)
    found.push_back(info);
  return found;
}

} // namespace ge
