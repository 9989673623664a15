//===- Patterns.cpp - ge-c/Patterns.h: patterns -----------------------------------------------===//

#include "Patterns.h"

using namespace ge;
using namespace ge::capi;

namespace ge::capi {

void throwFromCallback(GeStatus status) {
  throwIfInterrupted(status);
  GeStringRef message = geErrorMessage();
  bool isKnown = status > GE_OK && status <= GE_ERROR_INTERNAL;
  throw Error(isKnown ? static_cast<ErrorKind>(status) : ErrorKind::General,
              geErrorStatus() == status && message.length
                  ? std::string(message.data, message.length)
                  : std::string("a function of the caller failed"));
}

std::shared_ptr<void> ownUserData(void *userData, void (*deleteUserData)(void *)) {
  if (!deleteUserData)
    return {userData, [](void *) {}};
  return {userData, deleteUserData};
}

} // namespace ge::capi

namespace {

PatternPredicate predicateOf(const GePredicate &given, std::shared_ptr<void> owned) {
  if (!given.test)
    throwNull("predicate");
  return {[test = given.test, owned = std::move(owned)](Value *value, Attribute attribute) {
    GeValueRef *ref = newRef(value);
    bool yes = false;
    InterruptPause pause;
    GeStatus status = test(ref, wrap(attribute), owned.get(), &yes);
    geValueRelease(ref);
    if (status)
      throwFromCallback(status);
    return yes;
  }};
}

GePattern *needPattern(GePattern *pattern) {
  if (!pattern)
    throwNull("pattern");
  return pattern;
}

} // namespace

GeStatus gePatternCreate(GeGraphRef *graph, const GePatternOptions *options, GePattern **out) {
  return guarded([&] {
    // On any failure below, deleteUserData of each function is called.
    PatternOptions made;
    if (options) {
      GePatternOptions given = sized(options, "GePatternOptions");
      needArray(given.predicates, given.numPredicates, "predicates");
      std::vector<GePredicate> predicates;
      for (size_t i = 0; i < given.numPredicates; ++i)
        predicates.push_back(sizedAt(given.predicates, i, "GePredicate"));
      std::vector<std::shared_ptr<void>> owned;
      for (const GePredicate &predicate : predicates)
        owned.push_back(ownUserData(predicate.userData, predicate.deleteUserData));
      for (size_t i = 0; i < predicates.size(); ++i)
        made.predicates.push_back(predicateOf(predicates[i], std::move(owned[i])));
      int attributes = numberOf(given.attributes), constants = numberOf(given.constants);
      if (attributes < 0 || attributes > GE_MATCH_ALL_ATTRIBUTES || constants < 0 ||
          constants > GE_MATCH_CONSTANT_BITS)
        throwError(ErrorKind::Value, "GePatternOptions has a value that is not of its enumeration");
      made.attributes = static_cast<AttributeMatch>(attributes);
      made.constants = static_cast<ConstantMatch>(constants);
      made.keepsOrder = given.keepsOrder;
    }
    GePattern *&pattern = result(out);
    Reading<Graph> g(graph, "graph");
    auto object = std::make_unique<GePattern>();
    object->pattern = Pattern::create(g.get(), std::move(made));
    pattern = object.release();
  });
}

void gePatternRetain(GePattern *pattern) {
  if (pattern)
    pattern->refs.fetch_add(1, std::memory_order_relaxed);
}

void gePatternRelease(GePattern *pattern) {
  if (pattern && pattern->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete pattern;
}

GeStringRef gePatternGetName(GePattern *pattern) {
  return pattern ? stringRef(pattern->pattern->name()) : GeStringRef{"", 0};
}
GeContext *gePatternGetContext(GePattern *pattern) {
  return pattern ? wrap(&pattern->pattern->context()) : nullptr;
}
size_t gePatternNumInputs(GePattern *pattern) {
  return pattern ? pattern->pattern->inputs().size() : 0;
}
size_t gePatternNumOutputs(GePattern *pattern) {
  return pattern ? pattern->pattern->outputs().size() : 0;
}
size_t gePatternNumNodes(GePattern *pattern) {
  return pattern ? pattern->pattern->nodes().size() : 0;
}

GeStatus gePatternGetInputName(GePattern *pattern, size_t index, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &name = result(out);
    const Pattern &p = *needPattern(pattern)->pattern;
    name = stringRef(p.values()[p.inputs()[needIndex("input", index, p.inputs().size())]].name);
  });
}

GeStatus gePatternGetNames(GePattern *pattern, GeStringCallback callback, void *userData) {
  return guarded([&] {
    const Pattern &p = *needPattern(pattern)->pattern;
    if (!callback)
      throwNull("callback");
    for (const PatternValue &value : p.values())
      if (!value.name.empty())
        give(value.name, callback, userData);
    for (const PatternNode &node : p.nodes())
      if (!node.name.empty())
        give(node.name, callback, userData);
    for (const std::string &name : p.variables())
      give(name, callback, userData);
  });
}
