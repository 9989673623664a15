//===- PatternsRewrite.cpp - ge-c/Patterns.h: rules and rewriting -----------------------------===//

#include "Patterns.h"

using namespace ge;
using namespace ge::capi;

namespace {

/// References in a replacement, released by the `release` function of the replacement.
using Build = GeStatus (*)(const GeMatch *, GeGraphRef *, GeNodeRef *, void *, GeReplacement *);

Replacement callBuild(Build build, GePattern *pattern, void *userData, const Match &match,
                      Node *before) {
  GeMatch shown;
  gePatternRetain(pattern);
  shown.pattern = pattern;
  shown.live = &match;
  GeGraphRef *graph = newRef(match.graph());
  GeNodeRef *at = newRef(before);
  GeReplacement given{};
  InterruptPause pause;
  GeStatus status = build(&shown, graph, at, userData, &given);
  geNodeRelease(at);
  Replacement made;
  if (given.release)
    made.release = [release = given.release, owner = given.owner] { release(owner); };
  struct Cleanup {
    Replacement &made;
    GeGraphRef *graph;
    bool armed = true;
    ~Cleanup() {
      if (armed && made.release)
        made.release();
      geGraphRelease(graph);
    }
  } cleanup{made, graph};
  if (status)
    throwFromCallback(status);
  made.skip = given.skip;
  if (!given.skip && given.graph) {
    Reading<Graph> replacement(given.graph, "replacement");
    if (&replacement.root() == &match.graph()->root())
      throwError(ErrorKind::Value, "a replacement graph is a graph of its own, not the one that is "
                                   "rewritten");
    made.graph = replacement.get();
  } else if (!given.skip) {
    needArray(given.values, given.numValues, "values");
    Reading<Graph> g(graph, "graph");
    for (size_t i = 0; i < given.numValues; ++i)
      made.values.push_back(g.peerOrNull<Value>(given.values[i], "a value of the replacement"));
  }
  cleanup.armed = false;
  return made;
}

} // namespace

GeStatus geRuleCreate(GePattern *pattern, GeStringRef name, GeGraphRef *replacement,
                      const GeStringRef *inputs, size_t numInputs, const GeRuleCallbacks *given,
                      int32_t benefit, GeRule **out) {
  return guarded([&] {
    GeRuleCallbacks callbacks = sizedOr(given, "GeRuleCallbacks");
    std::shared_ptr<void> owned = ownUserData(callbacks.userData, callbacks.deleteUserData);
    GeRule *&rule = result(out);
    if (!pattern)
      throwNull("pattern");
    if (!replacement && !callbacks.build)
      throwError(ErrorKind::Value, "a rule needs a replacement: a graph, or a function");
    const Pattern &p = *pattern->pattern;
    auto made = std::make_unique<GeRule>();
    gePatternRetain(pattern);
    made->pattern = pattern;
    made->rule.name = text(name, "name");
    made->rule.pattern = pattern->pattern;
    made->rule.benefit = benefit;
    if (replacement) {
      std::vector<uint32_t> values;
      if (inputs)
        for (size_t i = 0; i < numInputs; ++i) {
          values.push_back(p.findValue(text(inputs[i], "input")));
          if (values.back() == UINT32_MAX)
            throwError(ErrorKind::Key, "replacement of pattern '", p.name(), "': input ", i, " '",
                       text(inputs[i], "input"), "' is not a value of the pattern");
        }
      Reading<Graph> g(replacement, "replacement");
      made->rule.replacement = Template::create(g.get(), p, values);
    }
    if (callbacks.condition)
      made->rule.condition = [test = conditionOf(pattern, callbacks.condition, callbacks.userData),
                              owned](const Match &match) { return test(match); };
    if (callbacks.build && !replacement)
      made->rule.build = [build = callbacks.build, pattern, owned](const Match &match,
                                                                   Node *before) {
        return callBuild(build, pattern, owned.get(), match, before);
      };
    rule = made.release();
  });
}

void geRuleRetain(GeRule *rule) {
  if (rule)
    rule->refs.fetch_add(1, std::memory_order_relaxed);
}
void geRuleRelease(GeRule *rule) {
  if (rule && rule->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete rule;
}
GeStringRef geRuleGetName(GeRule *rule) {
  return rule ? stringRef(rule->rule.name) : GeStringRef{"", 0};
}
GePattern *geRuleGetPattern(GeRule *rule) { return rule ? rule->pattern : nullptr; }

GeStatus geGraphRewrite(GeGraphRef *graph, GeRule *const *rules, size_t numRules,
                        const GeRewriteOptions *options, GeRewriteCounts *out, uint64_t *perRule) {
  return interruptible(geRefGetContext(graph), [&] {
    needSized(out, "GeRewriteCounts");
    needArray(rules, numRules, "rules");
    std::vector<RewriteRule> given;
    for (size_t i = 0; i < numRules; ++i) {
      if (!rules[i])
        throwNull("a rule");
      given.push_back(rules[i]->rule);
    }
    GeRewriteOptions chosen = sizedOr(options, "GeRewriteOptions");
    RewriteOptions how;
    how.fixpoint = chosen.fixpoint;
    how.subgraphs = !chosen.rootGraphOnly;
    how.match = matchOptions(chosen.match);
    Writing<Graph> g(graph, "graph");
    // Functions of the caller may let go of the lock that a serialized context counts on.
    WriteAccess access(g.root(), "rewriting", true);
    RewriteCounts done = rewrite(g.get(), given, how);
    GeRewriteCounts counts = {sizeof counts, done.rewrites, done.cyclic, done.exhausted};
    writeSized(counts, out);
    if (perRule)
      std::ranges::copy(done.perRule, perRule);
  });
}
