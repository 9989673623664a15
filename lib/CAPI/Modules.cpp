//===- Modules.cpp - named graphs and model metadata ------------------------------------------===//

#include "Live.h"

#include "ge/IR/Analysis.h"

#include <thread>

using namespace ge;
using namespace ge::capi;

namespace {

using ReadingModule = LiveModule<Access::Read>;
using WritingModule = LiveModule<Access::Write>;

Module *unwrapModule(GeModule *module) { return reinterpret_cast<Module *>(module); }

/// For queries that cannot fail: waits for a concurrent change, which takes one call.
template <typename F> size_t number(GeModule *module, const F &read) {
  if (!module)
    return 0;
  AccessWord &access = unwrapModule(module)->access();
  while (!access.tryAcquireRead())
    std::this_thread::yield();
  size_t n = read(*unwrapModule(module));
  access.releaseRead();
  return n;
}

/// A reference to a graph of a module that is being read.
GeGraphRef *refTo(Graph *graph) {
  if (!graph)
    return nullptr;
  ReadAccess access(graph->root());
  return newRef(graph);
}

} // namespace

GeStatus geModuleCreate(GeContext *context, GeStringRef name, GeModule **out) {
  return guarded([&] {
    GeModule *&made = result(out);
    made = wrap(Module::create(need(context), text(name, "name")));
  });
}
void geModuleRetain(GeModule *module) {
  if (module)
    unwrapModule(module)->retain();
}
void geModuleRelease(GeModule *module) {
  if (module)
    unwrapModule(module)->release();
}
GeContext *geModuleGetContext(GeModule *module) {
  return module ? wrap(&unwrapModule(module)->context()) : nullptr;
}

GeStatus geModuleGetName(GeModule *module, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &name = result(out);
    ReadingModule m(module, "module");
    name = keptString(m->name());
  });
}
GeStatus geModuleSetName(GeModule *module, GeStringRef name) {
  return guarded([&] { WritingModule(module, "module")->setName(text(name, "name")); });
}

size_t geModuleNumGraphs(GeModule *module) {
  return number(module, [](const Module &m) { return m.numGraphs(); });
}
GeStatus geModuleGetGraph(GeModule *module, size_t index, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    ReadingModule m(module, "module");
    found = refTo(m->graph(needIndex("graph", index, m->numGraphs())));
  });
}
GeStatus geModuleFindGraph(GeModule *module, GeStringRef name, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    ReadingModule m(module, "module");
    found = refTo(m->find(text(name, "name")));
  });
}
GeStatus geModuleAddGraph(GeModule *module, GeStringRef name, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&added = result(out);
    WritingModule m(module, "module");
    added = refTo(m->addGraph(text(name, "name")));
  });
}

GeStatus geModuleAdoptGraph(GeModule *module, GeGraphRef *graph) {
  return guarded([&] {
    WritingModule m(module, "module");
    Writing<Graph> g(graph, "graph");
    if (!g->isRoot())
      throwError(ErrorKind::Value, g->describe(), " is a subgraph; clone it, or take its root");
    m->adopt(g.root());
  });
}
GeStatus geModuleDetachGraph(GeModule *module, GeGraphRef *graph) {
  return guarded([&] {
    WritingModule m(module, "module");
    // The module gives up its reference to itself; the caller has another one.
    Writing<Graph> g(graph, "graph");
    m->detach(g.get())->drop();
  });
}
GeStatus geModuleEraseGraph(GeModule *module, GeGraphRef *graph) {
  return guarded([&] {
    WritingModule m(module, "module");
    Writing<Graph> g(graph, "graph");
    m->erase(g.get());
  });
}

size_t geModuleNumAttributes(GeModule *module) {
  return number(module, [](const Module &m) { return m.attributes().size(); });
}
GeStatus geModuleGetAttributeAt(GeModule *module, size_t index, GeNamedAttribute *out) {
  return guarded([&] {
    GeNamedAttribute &found = result(out);
    ReadingModule m(module, "module");
    const AttributeList &list = m->attributes();
    uint32_t i = needIndex("attribute", index, list.size());
    list.at(i).retain();
    found = {wrap(m.context().identifierAt(list.nameIdAt(i))), wrap(list.at(i))};
  });
}
GeStatus geModuleGetAttribute(GeModule *module, GeIdentifier name, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &found = result(out);
    ReadingModule m(module, "module");
    Attribute attribute = m->attributes().find(needIn(m.context(), name, "name")->id());
    attribute.retain();
    found = wrap(attribute);
  });
}
GeStatus geModuleSetAttribute(GeModule *module, GeIdentifier name, GeAttribute value) {
  return guarded([&] {
    WritingModule m(module, "module");
    m->setAttribute(needIn(m.context(), name, "name"), nullOrIn(m.context(), value, "value"));
  });
}

GeStatus geModuleClone(GeModule *module, GeModule **out) {
  return interruptible([&] {
    GeModule *&copy = result(out);
    ReadingModule m(module, "module");
    ModuleGraphs graphs(*m.get());
    copy = wrap(m->clone());
  });
}

GeStatus geModuleVerify(GeModule *module) {
  return interruptible(geModuleGetContext(module), [&] {
    ReadingModule m(module, "module");
    ModuleGraphs graphs(*m.get());
    std::vector<Diagnostic> diagnostics = verify(*m.get());
    if (!diagnostics.empty())
      throw Error(ErrorKind::Verify, std::move(diagnostics));
  });
}

GeStatus geModuleIsStructurallyEqual(GeModule *a, GeModule *b, bool *out) {
  return interruptible([&] {
    bool &equal = result(out);
    ReadingModule first(a, "a"), second(b, "b");
    ModuleGraphs firstGraphs(*first.get()), secondGraphs(*second.get());
    equal = isStructurallyEqual(*first.get(), *second.get());
  });
}

void *geModuleGetSlot(GeModule *module) {
  return module ? unwrapModule(module)->slot().load(std::memory_order_acquire) : nullptr;
}
void geModuleSetSlot(GeModule *module, void *slot) {
  if (module)
    unwrapModule(module)->slot().store(slot, std::memory_order_release);
}
