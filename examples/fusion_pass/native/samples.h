// What the samples share: references that let go of themselves, and patterns from their text.
#ifndef SAMPLES_H
#define SAMPLES_H

#include <ge-c/Ops.h>
#include <ge-c/Plugin.hpp>
#include <ge-c/Text.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace samples {

using ge::plugin::str;

template <auto release> struct Releaser {
  template <typename T> void operator()(T *object) const { release(object); }
};
using Graph = std::unique_ptr<GeGraphRef, Releaser<geGraphRelease>>;
using Node = std::unique_ptr<GeNodeRef, Releaser<geNodeRelease>>;
using Value = std::unique_ptr<GeValueRef, Releaser<geValueRelease>>;
using Tensor = std::unique_ptr<GeTensor, Releaser<geTensorRelease>>;
using Pattern = std::unique_ptr<GePattern, Releaser<gePatternRelease>>;
using Rule = std::unique_ptr<GeRule, Releaser<geRuleRelease>>;

/// What a call of GE failed with; its text is the thread's last error.
struct Failed {
  GeStatus status;
};
inline void check(GeStatus status) {
  if (status != GE_OK)
    throw Failed{status};
}
/// Runs `body`: no exception goes through C.
template <typename F> GeStatus statusOf(const F &body) {
  try {
    body();
    return GE_OK;
  } catch (const Failed &failed) {
    return failed.status;
  }
}

/// `get<Value>(geGraphGetInput, graph, 0)`: the new reference of a function that gives one.
template <typename Owner, typename Function, typename... Arguments>
Owner get(Function function, Arguments... arguments) {
  typename Owner::pointer out = nullptr;
  check(function(arguments..., &out));
  return Owner(out);
}

inline GeContext *contextOf(GeGraphRef *graph) { return geRefGetContext(graph); }

/// An attribute, or none.
class Attribute {
public:
  explicit Attribute(GeAttribute attribute) : attribute_(attribute) {}
  Attribute(const Attribute &) = delete;
  Attribute &operator=(const Attribute &) = delete;
  ~Attribute() {
    if (attribute_.bits)
      geAttributeRelease(attribute_);
  }
  explicit operator bool() const { return attribute_.bits != 0; }
  GeAttribute get() const { return attribute_; }

  static Attribute of(bool value) {
    GeAttribute out{};
    check(geAttributeBool(value, &out));
    return Attribute(out);
  }

private:
  GeAttribute attribute_;
};

inline GeIdentifier identifier(GeContext *context, const char *text) {
  GeIdentifier out = nullptr;
  check(geIdentifierGet(context, str(text), &out));
  return out;
}

inline Attribute attributeOf(GeNodeRef *node, const char *name) {
  GeAttribute out{};
  check(geNodeGetAttribute(node, identifier(geRefGetContext(node), name), &out));
  return Attribute(out);
}

/// A pattern as CANN's samples have them: attributes and the values of constants do not count, the
/// order of operands does.
inline Pattern patternOf(GeContext *context, const char *text) {
  Graph graph = get<Graph>(geGraphParse, context, str(text), str("pattern"));
  GePatternOptions options{
      sizeof options, GE_MATCH_NO_ATTRIBUTES, GE_MATCH_ANY_CONSTANT, nullptr, 0, true};
  return get<Pattern>(gePatternCreate, graph.get(), &options);
}

/// A rule; `replacement` is a text, or null: `callbacks` build it.
inline Rule ruleOf(GeContext *context, const char *name, const char *pattern,
                   const char *replacement, const GeRuleCallbacks *callbacks = nullptr) {
  Graph graph;
  if (replacement)
    graph = get<Graph>(geGraphParse, context, str(replacement), str("replacement"));
  Pattern found = patternOf(context, pattern);
  return get<Rule>(geRuleCreate, found.get(), str(name), graph.get(), nullptr, size_t(0), callbacks,
                   0);
}

/// Each rule once over the graph, one after the other, as CANN looks for the patterns of a pass.
inline void apply(GeGraphRef *graph, GePassRun *run, std::initializer_list<GeRule *> rules) {
  for (GeRule *rule : rules) {
    GeRewriteOptions options{};
    GeRewriteCounts counts{};
    check(geGraphRewrite(graph, &rule, 1, &options, &counts, nullptr));
    if (counts.rewrites)
      check(gePassRunCount(run, str("rewrites"), counts.rewrites));
  }
}

} // namespace samples

#endif // SAMPLES_H
