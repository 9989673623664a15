//===- PatternsMatch.cpp - ge-c/Patterns.h: matches -------------------------------------------===//

#include "Patterns.h"

#include "ge/Ops/Infer/InferGraph.h"

using namespace ge;
using namespace ge::capi;

GeMatch::~GeMatch() {
  if (!live) {
    auto release = [](HandleRecord *record) {
      if (record)
        releaseHandle(record);
    };
    for (const auto *list : {&values, &nodes, &matched, &constants})
      for (HandleRecord *record : *list)
        release(record);
    for (const auto &rest : rests)
      for (HandleRecord *record : rest)
        release(record);
    release(anchor);
  }
  gePatternRelease(pattern);
}

void GeMatch::keep(const Match &match) {
  auto hold = [](auto *object) { return object ? acquireHandle(object) : nullptr; };
  const Pattern &p = match.pattern();
  for (uint32_t i = 0; i != p.values().size(); ++i)
    values.push_back(hold(match.value(i)));
  for (uint32_t i = 0; i != p.nodes().size(); ++i)
    nodes.push_back(hold(match.node(i)));
  for (Node *node : match.matchedNodes())
    matched.push_back(hold(node));
  for (Value *value : match.matchedConstants())
    constants.push_back(hold(value));
  for (uint32_t i = 0; i != p.numRests(); ++i) {
    rests.emplace_back();
    for (Value *value : match.rest(i))
      rests.back().push_back(hold(value));
  }
  for (uint32_t i = 0; i != p.variables().size(); ++i)
    variables.emplace_back(match.variable(i));
  anchor = hold(match.anchor());
}

namespace ge::capi {

MatchOptions matchOptions(const GeMatchOptions *options) {
  GeMatchOptions given = sizedOr(options, "GeMatchOptions");
  MatchOptions made;
  made.allowOutsideUses = given.allowOutsideUses;
  if (given.budget)
    made.budget = given.budget;
  return made;
}

Matcher::Condition conditionOf(GePattern *pattern,
                               GeStatus (*test)(const GeMatch *, void *userData, bool *out),
                               void *userData) {
  if (!test)
    return {};
  return [=](const Match &match) {
    GeMatch shown;
    gePatternRetain(pattern);
    shown.pattern = pattern;
    shown.live = &match;
    bool yes = false;
    InterruptPause pause;
    if (GeStatus status = test(&shown, userData, &yes))
      throwFromCallback(status);
    return yes;
  };
}

} // namespace ge::capi

namespace {

const GeMatch &needMatch(const GeMatch *match) {
  if (!match)
    throwNull("match");
  return *match;
}

const Pattern &patternOf(const GeMatch &match) {
  return match.live ? match.live->pattern() : *match.pattern->pattern;
}

template <typename Ref> Ref *shared(HandleRecord *record) {
  if (record)
    retainHandle(record);
  return reinterpret_cast<Ref *>(record);
}

GeValueRef *valueAt(const GeMatch &match, uint32_t index) {
  return match.live ? newRef(match.live->value(index)) : shared<GeValueRef>(match.values[index]);
}
GeNodeRef *nodeAt(const GeMatch &match, uint32_t index) {
  return match.live ? newRef(match.live->node(index)) : shared<GeNodeRef>(match.nodes[index]);
}

[[noreturn]] void throwName(const Pattern &pattern, const char *what, std::string_view name) {
  std::string names;
  for (const PatternValue &value : pattern.values())
    if (!value.name.empty())
      names += cat(names.empty() ? "" : ", ", value.name);
  for (const PatternNode &node : pattern.nodes())
    if (!node.name.empty())
      names += cat(names.empty() ? "" : ", ", node.name);
  for (const std::string &variable : pattern.variables())
    names += cat(names.empty() ? "" : ", ", variable);
  throwError(ErrorKind::Key, "pattern '", pattern.name(), "' has no ", what, " '", name,
             names.empty() ? "'; it names nothing" : cat("'; its names are ", names));
}

} // namespace

GeStatus geMatchGetValue(const GeMatch *match, GeStringRef name, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&value = result(out);
    const Pattern &p = patternOf(needMatch(match));
    uint32_t index = p.findValue(text(name, "name"));
    if (index == UINT32_MAX)
      throwName(p, "value", text(name, "name"));
    value = valueAt(*match, index);
  });
}

GeStatus geMatchGetInput(const GeMatch *match, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&value = result(out);
    const Pattern &p = patternOf(needMatch(match));
    value = valueAt(*match, p.inputs()[needIndex("input", index, p.inputs().size())]);
  });
}

GeStatus geMatchGetOutput(const GeMatch *match, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&value = result(out);
    const Pattern &p = patternOf(needMatch(match));
    value = valueAt(*match, p.outputs()[needIndex("output", index, p.outputs().size())]);
  });
}

GeStatus geMatchGetNode(const GeMatch *match, GeStringRef name, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&node = result(out);
    const Pattern &p = patternOf(needMatch(match));
    uint32_t index = p.findNode(text(name, "name"));
    if (index == UINT32_MAX)
      throwName(p, "node", text(name, "name"));
    node = nodeAt(*match, index);
  });
}

GeStatus geMatchGetRest(const GeMatch *match, GeStringRef name, GeValueRef **out, size_t capacity,
                        size_t *count) {
  return guarded([&] {
    size_t &found = result(count, "count");
    needArray(out, capacity, "out");
    const Pattern &p = patternOf(needMatch(match));
    uint32_t index = p.findValue(text(name, "name"));
    if (index == UINT32_MAX || p.values()[index].kind != PatternValue::Kind::Rest)
      throwName(p, "rest", text(name, "name"));
    uint32_t rest = p.values()[index].index;
    size_t size = match->live ? match->live->rest(rest).size() : match->rests[rest].size();
    for (size_t i = 0; i < size && i < capacity; ++i)
      out[i] = match->live ? newRef(match->live->rest(rest)[i])
                           : shared<GeValueRef>(match->rests[rest][i]);
    found = size;
  });
}

GeStatus geMatchGetAttribute(const GeMatch *match, GeStringRef name, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &attribute = result(out);
    const Pattern &p = patternOf(needMatch(match));
    auto at = std::ranges::find(p.variables(), text(name, "name"));
    if (at == p.variables().end())
      throwName(p, "attribute", text(name, "name"));
    auto index = uint32_t(at - p.variables().begin());
    Attribute found = match->live ? match->live->variable(index) : *match->variables[index];
    found.retain();
    attribute = wrap(found);
  });
}

GeStatus geMatchNumNodes(const GeMatch *match, size_t *out) {
  return guarded([&] {
    size_t &count = result(out);
    needMatch(match);
    if (match->live && match->order.empty())
      match->order = match->live->matchedNodes();
    count = match->live ? match->order.size() : match->matched.size();
  });
}

GeStatus geMatchGetMatchedNode(const GeMatch *match, size_t index, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&node = result(out);
    size_t count = 0;
    geMatchNumNodes(&needMatch(match), &count);
    needIndex("matched node", index, count);
    node = match->live ? newRef(match->order[index]) : shared<GeNodeRef>(match->matched[index]);
  });
}

GeStatus geMatchNumConstants(const GeMatch *match, size_t *out) {
  return guarded([&] {
    size_t &count = result(out);
    needMatch(match);
    count = match->live ? match->live->matchedConstants().size() : match->constants.size();
  });
}

GeStatus geMatchGetConstant(const GeMatch *match, size_t index, GeValueRef **out) {
  return guarded([&] {
    GeValueRef *&value = result(out);
    needMatch(match);
    std::vector<Value *> live;
    if (match->live)
      live = match->live->matchedConstants();
    needIndex("constant", index, match->live ? live.size() : match->constants.size());
    value = match->live ? newRef(live[index]) : shared<GeValueRef>(match->constants[index]);
  });
}

GeStatus geMatchGetAnchor(const GeMatch *match, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&node = result(out);
    needMatch(match);
    node = match->live ? newRef(match->live->anchor()) : shared<GeNodeRef>(match->anchor);
  });
}

GePattern *geMatchGetPattern(const GeMatch *match) { return match ? match->pattern : nullptr; }

GeStatus geMatchSetReason(const GeMatch *match, GeStringRef reason) {
  return guarded([&] {
    if (needMatch(match).live)
      match->live->setReason(std::string(text(reason, "reason")));
  });
}

GeStatus geGraphFindMatches(GeGraphRef *graph, GePattern *pattern, const GeMatchOptions *options,
                            bool subgraphs, const GeMatchCondition *condition, GeMatches **out) {
  return interruptible([&] {
    GeMatches *&found = result(out);
    if (!pattern)
      throwNull("pattern");
    GeMatchCondition asked = sizedOr(condition, "GeMatchCondition");
    Reading<Graph> g(graph, "graph");
    // Functions of the caller may let go of the lock that a serialized context counts on.
    bool isForeign = asked.test || pattern->pattern->hasPredicates();
    std::unique_ptr<ReadAccess> access;
    if (isForeign)
      access = std::make_unique<ReadAccess>(g.root(), true);
    auto matches = std::make_unique<GeMatches>();
    gePatternRetain(pattern);
    matches->pattern = pattern;
    DisputedTypes disputes(g.get(), false);
    MatchOptions how = matchOptions(options);
    how.disputes = &disputes;
    Matcher matcher(Pattern::in(pattern->pattern, g.context()), how);
    Matcher::Condition test = conditionOf(pattern, asked.test, asked.userData);
    std::vector<Graph *> open = {g.get()};
    Interrupt interrupt;
    while (!open.empty()) {
      Graph *at = open.back();
      open.pop_back();
      for (Node *node : matchCandidates(matcher.pattern(), at)) {
        interrupt.poll();
        if (const Match *match = matcher.match(node, test ? &test : nullptr)) {
          auto kept = std::make_unique<GeMatch>();
          gePatternRetain(pattern);
          kept->pattern = pattern;
          kept->keep(*match);
          matches->matches.push_back(std::move(kept));
        }
      }
      if (!subgraphs)
        break;
      size_t first = open.size();
      for (Node *node = at->front(); node; node = node->next())
        if (node->extra())
          open.insert(open.end(), node->subgraphs().begin(), node->subgraphs().end());
      std::reverse(open.begin() + std::ptrdiff_t(first), open.end());
    }
    found = matches.release();
  });
}

size_t geMatchesSize(const GeMatches *matches) { return matches ? matches->matches.size() : 0; }

GeStatus geMatchesGet(const GeMatches *matches, size_t index, const GeMatch **out) {
  return guarded([&] {
    const GeMatch *&match = result(out);
    if (!matches)
      throwNull("matches");
    match = matches->matches[needIndex("match", index, matches->matches.size())].get();
  });
}

void geMatchesDestroy(GeMatches *matches) { delete matches; }
