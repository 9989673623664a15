//===- Values.cpp - results of nodes and their uses -------------------------------------------===//

#include "Live.h"

#include "ge/IR/Analysis.h"

using namespace ge;
using namespace ge::capi;

GeStatus geValueGetType(GeValueRef *value, GeType *out) {
  return guarded([&] { result(out) = wrap(Reading<Value>(value, "value")->type()); });
}
GeStatus geValueSetType(GeValueRef *value, GeType type) {
  return guarded([&] {
    Writing<Value> v(value, "value");
    Mutation::setType(v.get(), needIn(v.context(), type, "type"));
  });
}
GeStatus geValueGetOriginalName(GeValueRef *value, GeStringRef *out) {
  return guarded([&] {
    Reading<Value> v(value, "value");
    result(out) = keptString(v->node()->originalName(v->index()));
  });
}
GeStatus geGraphGetTypeSources(GeGraphRef *graph, GeStringRef *out) {
  return guarded(
      [&] { result(out) = keptString(typeSources(Reading<Graph>(graph, "graph").get())); });
}
GeStatus geGraphSetTypeSources(GeGraphRef *graph, GeStringRef sources) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    setTypeSources(g.get(), text(sources, "sources"));
  });
}
GeStatus geValueIsTypeInferred(GeValueRef *value, bool *out) {
  return guarded(
      [&] { result(out) = Reading<Value>(value, "value")->typeSource() == TypeSource::Inferred; });
}
GeStatus geValueGetName(GeValueRef *value, GeStringRef *out, bool *generated) {
  return guarded([&] {
    GeStringRef &name = result(out);
    Reading<Value> v(value, "value");
    bool named = v->hasName();
    if (named) {
      name = keptString(v->name());
    } else {
      std::string standIn;
      v->appendName(standIn);
      name = keptString(std::move(standIn));
    }
    if (generated)
      *generated = !named;
  });
}
GeStatus geValueSetName(GeValueRef *value, GeStringRef name) {
  return guarded([&] {
    Writing<Value> v(value, "value");
    Mutation::rename(v.get(), text(name, "name"));
  });
}
GeStatus geValueGetNode(GeValueRef *value, GeNodeRef **out) {
  return guarded([&] {
    GeNodeRef *&found = result(out);
    Reading<Value> v(value, "value");
    found = newRef(v->node());
  });
}
GeStatus geValueGetIndex(GeValueRef *value, size_t *out) {
  return guarded([&] { result(out) = Reading<Value>(value, "value")->index(); });
}

GeStatus geValueHasUses(GeValueRef *value, bool *out) {
  return guarded([&] { result(out) = Reading<Value>(value, "value")->hasUses(); });
}
GeStatus geValueGetUses(GeValueRef *value, GeUse *out, size_t capacity, size_t *count) {
  return guarded([&] {
    size_t &total = result(count, "count");
    needArray(out, capacity, "out");
    Reading<Value> v(value, "value");
    size_t n = 0, made = 0;
    try {
      for (const Use *use = v->firstUse(); use; use = use->next(), ++n) {
        if (n >= capacity)
          continue;
        out[n] = {newRef(use->owner()), use->index()};
        ++made;
      }
    } catch (...) {
      while (made)
        geNodeRelease(out[--made].node);
      throw;
    }
    total = n;
  });
}
GeStatus geValueReplaceAllUses(GeValueRef *from, GeValueRef *to, GeNodeRef *const *except,
                               size_t numExcept) {
  return guarded([&] {
    Writing<Value> v(from, "from");
    Value *target = v.peer<Value>(to, "to");
    if (numExcept == 0) [[likely]]
      return Mutation::replaceAllUses(v.get(), target);
    Mutation::replaceAllUses(v.get(), target, Peers<Node>(v, except, numExcept, "except", false));
  });
}
