//===- Stages.cpp - the passes of a stage of a compilation, in their order --------------------===//
#include "ge/Passes/Manager/Stages.h"

#include "SwitchFile.h"

#include "ge/Support/InputFile.h"

#include <algorithm>
#include <queue>
#include <set>

namespace ge {

namespace {

using Passes = std::vector<std::shared_ptr<const PassInfo>>;

constexpr std::string_view kLegacy = "legacy_custom";

void checkStage(std::string_view stage, const Passes &all) {
  std::set<std::string_view> known(std::begin(kStages), std::end(kStages));
  for (const auto &info : all)
    known.insert(info->stage); // the empty stage too
  if (stage.empty() || known.contains(stage))
    return;
  known.erase("");
  std::vector<std::string_view> names(known.begin(), known.end());
  std::string message = cat("there is no stage '", stage, "'");
  if (auto near = nearestWord(stage, names.data(), names.size()))
    message += cat("; did you mean '", *near, "'?");
  else
    for (size_t i = 0; i != names.size(); ++i)
      message += cat(i ? ", " : "; there are ", names[i]);
  throw Error(ErrorKind::Value, std::move(message));
}

/// Orders by priority and name, except where `before` and `after` require another order.
Passes inOrder(const Passes &members) {
  std::vector<StageOrder> orders;
  for (const auto &info : members)
    orders.push_back(StageOrders::global().find(info->name));
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i != members.size(); ++i)
    places.emplace(members[i]->name, i);
  std::vector<std::set<size_t>> later(members.size());
  for (size_t i = 0; i != members.size(); ++i) {
    for (const std::string &name : orders[i].before)
      if (auto other = places.find(name); other != places.end())
        later[i].insert(other->second);
    for (const std::string &name : orders[i].after)
      if (auto other = places.find(name); other != places.end())
        later[other->second].insert(i);
  }
  std::vector<size_t> waits(members.size());
  for (const std::set<size_t> &followers : later)
    for (size_t follower : followers)
      ++waits[follower];
  auto runsLater = [&](size_t a, size_t b) {
    int64_t x = orders[a].priority, y = orders[b].priority;
    return x != y ? x < y : members[a]->name > members[b]->name;
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(runsLater)> ready(runsLater);
  for (size_t i = 0; i != members.size(); ++i)
    if (waits[i] == 0)
      ready.push(i);
  Passes ordered;
  while (!ready.empty()) {
    size_t next = ready.top();
    ready.pop();
    ordered.push_back(members[next]);
    for (size_t follower : later[next])
      if (--waits[follower] == 0)
        ready.push(follower);
  }
  if (ordered.size() != members.size()) {
    std::string stuck;
    for (const auto &[name, place] : places)
      if (waits[place])
        stuck += cat(stuck.empty() ? "" : ", ", name);
    throwError(ErrorKind::Value, "before and after of the passes ", stuck,
               " ask for a circle; drop one of them");
  }
  return ordered;
}

/// A file that cannot be read must not turn on what it was to turn off.
RunOptions switchesOf(const RunOptions &options) {
  auto path = options.find(kFusionSwitchFile);
  if (path == options.end() || path->second.empty())
    return {};
  std::string text = readFile(path->second);
  try {
    return parseSwitchFile(text);
  } catch (const Error &error) {
    throwError(ErrorKind::Value, "fusion switch file '", path->second, "': ", error.message());
  }
}

/// Warns only about names that are nearly those of a pass: switch files of CANN also name CANN's
/// own passes.
void warnOfMisspelt(const RunOptions &switches, const Passes &all,
                    std::vector<Diagnostic> &warnings) {
  std::vector<std::string_view> names;
  for (const auto &info : all)
    names.push_back(info->name);
  for (const auto &[name, value] : switches) {
    if (name == "ALL" || std::ranges::find(names, name) != names.end())
      continue;
    if (auto near = nearestWord(name, names.data(), names.size())) {
      Diagnostic warning;
      warning.severity = Severity::Warning;
      warning.message = cat("the fusion switch file names '", name,
                            "', which is not a pass; did you mean '", *near, "'?");
      warnings.push_back(std::move(warning));
    }
  }
}

/// CANN runs such functions whatever the switches are.
void warnOfLegacy(const Passes &legacy, const RunOptions &options, const RunOptions &switches,
                  std::vector<Diagnostic> &warnings) {
  for (const auto &info : legacy) {
    auto named = [&](const RunOptions &where) {
      auto at = where.find(info->name);
      return at != where.end() && at->second != "on";
    };
    const bool isOption = named(options);
    if (!isOption && !named(switches))
      continue;
    Diagnostic warning;
    warning.severity = Severity::Warning;
    warning.message =
        cat(isOption ? "the option '" : "the fusion switch file names '", info->name,
            isOption ? "' does not disable the pass of that name: it is a function of "
                     : "', which it does not disable: it is a function of ",
            "register_custom_pass, which runs whatever the switches say, as in CANN");
    warnings.push_back(std::move(warning));
  }
}

} // namespace

StageOrders &StageOrders::global() {
  // Never destroyed: passes may be unregistered during process exit.
  static StageOrders &orders = *new StageOrders();
  return orders;
}

void StageOrders::set(const std::string &name, StageOrder order) {
  std::lock_guard lock(mutex_);
  order.number = ++numbers_;
  orders_.insert_or_assign(name, std::move(order));
}

void StageOrders::remove(std::string_view name) {
  std::lock_guard lock(mutex_);
  if (auto at = orders_.find(name); at != orders_.end())
    orders_.erase(at);
}

StageOrder StageOrders::find(std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto at = orders_.find(name);
  return at == orders_.end() ? StageOrder() : at->second;
}

std::vector<std::shared_ptr<const PassInfo>> passesOfStage(std::string_view stage,
                                                           const RunOptions &options,
                                                           const PassRegistry &registry,
                                                           std::vector<Diagnostic> &warnings) {
  Passes all = registry.all(), legacy, members;
  checkStage(stage, all);
  for (const auto &info : all)
    if (info->stage == stage)
      (info->kind == kLegacy ? legacy : members).push_back(info);
  std::ranges::sort(legacy, {},
                    [](const auto &info) { return StageOrders::global().find(info->name).number; });
  const RunOptions switches = switchesOf(options);
  warnOfMisspelt(switches, all, warnings);
  warnOfLegacy(legacy, options, switches, warnings);
  auto isOn = [&](const auto &info) {
    for (const auto &[values, key] : {std::pair(&options, std::string_view(info->name)),
                                      std::pair(&switches, std::string_view(info->name)),
                                      std::pair(&switches, std::string_view("ALL"))})
      if (auto at = values->find(key); at != values->end())
        return at->second == "on";
    return true;
  };
  std::ranges::copy_if(inOrder(members), std::back_inserter(legacy), isOn);
  return legacy;
}

} // namespace ge
