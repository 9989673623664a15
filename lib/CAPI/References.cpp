//===- References.cpp - what is the same for graphs, nodes and values; access; edit scopes ----===//

#include "Live.h"

#include "ge/Support/Reserve.h"

#include <utility>

using namespace ge;
using namespace ge::capi;

namespace ge::capi {

namespace {

const char *nameOf(HandleKind kind) {
  switch (kind) {
  case HandleKind::Graph:
    return "a graph";
  case HandleKind::Node:
    return "a node";
  case HandleKind::Value:
    break;
  }
  return "a value";
}

} // namespace

void throwKind(const HandleRecord *record, const char *what, HandleKind wanted) {
  throwError(ErrorKind::Type, "'", what, "' is ", nameOf(record->kind), ", not ", nameOf(wanted));
}

void throwStale(const HandleRecord *record) { throw Error(ErrorKind::Stale, record->reason()); }

void throwFrozen(const Root &root) {
  throwError(ErrorKind::Busy, root.graph() ? root.graph()->describe() : std::string("the graph"),
             " cannot be changed by an inferrer during a call for one of its nodes; change it "
             "before or after");
}

void throwBlocked(const Root &root) {
  if (root.isFrozen())
    throwFrozen(root);
  throwError(ErrorKind::Value, root.graph() ? root.graph()->describe() : std::string("the graph"),
             " cannot be changed: its transaction was rolled back and has not ended; leave it "
             "first");
}

void throwOtherRoot(HandleRecord *record, const char *what, const Root &root) {
  RootAccess<Access::Read> access(record);
  if (!record->isAlive())
    throwStale(record);
  if (&access.root().context() != &root.context())
    throwForeign(what);
  const Graph *graph = access.root().graph();
  throwError(ErrorKind::Value, "'", what, "': ", record->describe(), " is of another graph ('",
             graph ? graph->name() : std::string_view("?"),
             "'): what is used together must be of the same root graph; clone it there");
}

} // namespace ge::capi

namespace {

HandleRecord *anyRecord(const GeRef *ref) {
  return static_cast<HandleRecord *>(const_cast<GeRef *>(ref));
}

HandleRecord *needRecord(const GeRef *ref) {
  if (!ref)
    throwNull("ref");
  return anyRecord(ref);
}

void retain(const GeRef *ref) {
  if (ref)
    retainHandle(anyRecord(ref));
}
void release(const GeRef *ref) {
  if (ref)
    releaseHandle(anyRecord(ref));
}

} // namespace

void geGraphRetain(GeGraphRef *graph) { retain(graph); }
void geGraphRelease(GeGraphRef *graph) { release(graph); }
void geNodeRetain(GeNodeRef *node) { retain(node); }
void geNodeRelease(GeNodeRef *node) { release(node); }
void geValueRetain(GeValueRef *value) { retain(value); }
void geValueRelease(GeValueRef *value) { release(value); }

static_assert(int(HandleKind::Value) == GE_REF_VALUE);
GeRefKind geRefGetKind(const GeRef *ref) {
  return ref ? static_cast<GeRefKind>(anyRecord(ref)->kind) : GE_REF_GRAPH;
}
bool geRefIsAlive(const GeRef *ref) { return ref && anyRecord(ref)->isAlive(); }

// Dead objects need access too: a rollback on another thread may revive them.
GeStatus geRefDescribe(const GeRef *ref, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &described = result(out);
    RootAccess<Access::Read> access(needRecord(ref));
    described = keptString(anyRecord(ref)->describe());
  });
}
GeStatus geRefReason(const GeRef *ref, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &reason = result(out);
    RootAccess<Access::Read> access(needRecord(ref));
    reason = keptString(anyRecord(ref)->reason());
  });
}
GeContext *geRefGetContext(const GeRef *ref) {
  return ref ? wrap(&anyRecord(ref)->root.load(std::memory_order_acquire)->context()) : nullptr;
}
void *geRefGetSlot(const GeRef *ref) {
  return ref ? anyRecord(ref)->slot.load(std::memory_order_acquire) : nullptr;
}
void geRefSetSlot(GeRef *ref, void *slot) {
  if (ref)
    anyRecord(ref)->slot.store(slot, std::memory_order_release);
}

void geRefReleaseSlot(GeRef *ref, void *slot) {
  if (!ref)
    return;
  HandleRecord *record = anyRecord(ref);
  if (record->slot.load(std::memory_order_relaxed) == slot)
    record->slot.store(nullptr, std::memory_order_release);
  releaseHandle(record);
}

// --- State of a thread between calls

namespace {

/// Access that a thread has acquired explicitly, and the references that keep its graph or module
/// alive.
struct Hold {
  bool write = false;
  Module *module = nullptr;
  std::vector<std::pair<Root *, HandleRecord *>> roots;

  void end() {
    for (auto &[root, record] : roots) {
      // With a hold on the root the release is atomic: this thread may lack the host's lock.
      root->hold();
      releaseHandle(record);
      if (write)
        root->access().releaseWrite();
      else
        root->access().releaseRead();
      root->drop();
    }
    if (module) {
      module->access().releaseRead();
      module->release();
    }
  }
};

struct PushedScope {
  ContextPtr passContext, whereContext; // so that a scope outlives the caller's context
  std::unique_ptr<EditScope> scope;
};

struct ThreadHolds {
  std::vector<Hold> holds;
  std::vector<PushedScope> scopes;
  ~ThreadHolds() {
    while (!scopes.empty())
      scopes.pop_back();
    while (!holds.empty()) { // the thread ended without releasing its access
      Hold last = std::move(holds.back());
      holds.pop_back();
      last.end();
    }
  }
};

// A pointer, as in Support.cpp: exit handlers run after the destructors of this thread's variables
// and may still call; they must find null rather than a destroyed object.
thread_local constinit ThreadHolds *threadHolds = nullptr;
struct HoldsEnd {
  ~HoldsEnd() { delete std::exchange(threadHolds, nullptr); }
};

ThreadHolds &holdsOfThread() {
  if (!threadHolds) [[unlikely]] {
    thread_local HoldsEnd end;
    static_cast<void>(&end); // construction registers the destructor
    threadHolds = new ThreadHolds;
  }
  return *threadHolds;
}

/// Takes access to one root and remembers it in `hold`.
template <typename Take> void take(Hold &hold, HandleRecord *record, const Take &take) {
  reserveMore(hold.roots, 1);
  while (true) {
    Root *root = record->root.load(std::memory_order_acquire);
    take(root->access());
    if (record->root.load(std::memory_order_acquire) == root) {
      retainHandle(record);
      hold.roots.emplace_back(root, record);
      return;
    }
    hold.write ? root->access().releaseWrite() : root->access().releaseRead();
  }
}

template <typename Take> GeStatus acquire(GeGraphRef *graph, bool write, const Take &takeAccess) {
  return guarded([&] {
    if (!graph)
      throwNull("graph");
    HandleRecord *r = record(graph);
    if (r->kind != HandleKind::Graph)
      throwKind(r, "graph", HandleKind::Graph);
    reserveMore(holdsOfThread().holds, 1);
    Hold hold;
    hold.write = write;
    take(hold, r, takeAccess);
    if (!r->isAlive()) {
      std::string reason;
      try {
        reason = r->reason();
      } catch (...) { // the access is released nevertheless
      }
      hold.end();
      throw Error(ErrorKind::Stale, reason);
    }
    holdsOfThread().holds.push_back(std::move(hold));
  });
}

/// Ends the newest hold of this thread that `matches`.
template <typename F> void endHold(const char *subject, bool write, const F &matches) {
  auto &holds = holdsOfThread().holds;
  auto it = std::find_if(holds.rbegin(), holds.rend(), matches);
  if (it == holds.rend())
    throwError(ErrorKind::Value, "this thread holds no ", write ? "write" : "read",
               " access to the ", subject);
  Hold ended = std::move(*it);
  holds.erase(std::next(it).base());
  ended.end();
}

void releaseGraph(GeGraphRef *graph, bool write) {
  if (!graph)
    throwNull("graph");
  HandleRecord *r = record(graph);
  Root *root = r->root.load(std::memory_order_acquire);
  endHold("graph", write, [&](const Hold &hold) {
    return hold.write == write && !hold.module &&
           (hold.roots[0].first == root || hold.roots[0].second == r);
  });
}

} // namespace

GeStatus geGraphAcquireRead(GeGraphRef *graph) {
  return acquire(graph, false, [](AccessWord &word) { word.acquireRead(); });
}
GeStatus geGraphAcquireWrite(GeGraphRef *graph, GeStringRef work) {
  return acquire(graph, true, [&](AccessWord &word) { word.acquireWrite(text(work, "work")); });
}
GeStatus geGraphReleaseRead(GeGraphRef *graph) {
  return guarded([&] { releaseGraph(graph, false); });
}
GeStatus geGraphReleaseWrite(GeGraphRef *graph) {
  return guarded([&] { releaseGraph(graph, true); });
}

GeStatus geModuleAcquireRead(GeModule *module) {
  return guarded([&] {
    auto *m = reinterpret_cast<Module *>(module);
    if (!m)
      throwNull("module");
    reserveMore(holdsOfThread().holds, 1);
    Hold hold;
    m->access().acquireRead();
    m->retain();
    hold.module = m;
    try {
      hold.roots.reserve(m->numGraphs());
      for (size_t i = 0; i < m->numGraphs(); ++i) {
        Root &root = m->graph(i)->root();
        root.access().acquireRead();
        try {
          hold.roots.emplace_back(&root, acquireHandle(m->graph(i)));
        } catch (...) {
          root.access().releaseRead();
          throw;
        }
      }
    } catch (...) {
      hold.end();
      throw;
    }
    holdsOfThread().holds.push_back(std::move(hold));
  });
}

GeStatus geModuleReleaseRead(GeModule *module) {
  return guarded([&] {
    if (!module)
      throwNull("module");
    endHold("module", false,
            [&](const Hold &hold) { return hold.module == reinterpret_cast<Module *>(module); });
  });
}

GeStatus geGraphExpireHandles(GeGraphRef *graph, bool consumed, GeGraphRef **out) {
  return guarded([&] {
    Writing<Graph> g(graph, "graph");
    Graph *whole = g.root().graph();
    g.root().killHandles(consumed ? DeathCause::Moved : DeathCause::Expired);
    if (out)
      *out = newRef(whole);
  });
}

// --- Edit scopes

GeStatus geEditScopePush(GeIdentifier pass, GeLocation where) {
  return guarded([&] {
    auto &scopes = holdsOfThread().scopes;
    reserveMore(scopes, 1);
    PushedScope pushed;
    const Identifier *p = unwrap(pass);
    const Location *w = unwrap(where);
    if (p)
      pushed.passContext = ContextPtr(&p->context());
    if (w)
      pushed.whereContext = ContextPtr(&w->context());
    pushed.scope = std::make_unique<EditScope>(p, w);
    scopes.push_back(std::move(pushed));
  });
}

void geEditScopePop(void) {
  if (threadHolds && !threadHolds->scopes.empty())
    threadHolds->scopes.pop_back();
}
