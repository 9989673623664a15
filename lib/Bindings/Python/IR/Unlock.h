//===- Unlock.h - work without the GIL ---------------------------------------------------------===//
//
// Contexts made by Python are serialized: a call on a reference only checks the access word,
// because the GIL excludes other threads. Code that releases the GIL therefore takes the access
// word first, so that other threads get GraphBusyError and not a graph that changes while it is
// read. Work on small graphs takes it too: an interrupt check inside it may run a signal handler.
//
#ifndef GE_BINDINGS_PYTHON_IR_UNLOCK_H
#define GE_BINDINGS_PYTHON_IR_UNLOCK_H

#include "Gil.h"
#include "Objects.h"

#include <string>

namespace ge::python {

/// Number of nodes from which on releasing the GIL is worth its cost.
constexpr size_t kUnlockNodes = 1000;
/// The same for bytes of text.
constexpr size_t kUnlockBytes = 65536;

inline bool isLarge(GeGraphRef *graph) {
  size_t nodes = 0;
  return geGraphNumNodes(graph, &nodes) == GE_OK && nodes > kUnlockNodes;
}

/// Runs `work` without the GIL when `unlock`.
template <typename Work> GeStatus run(bool unlock, Work work) {
  if (!unlock)
    return work();
  GilRelease released;
  return work();
}

/// Reads a graph, without the GIL when it is large.
template <typename Work> GeStatus reading(GeGraphRef *graph, Work work) {
  if (GeStatus s = geGraphAcquireRead(graph))
    return s;
  GeStatus s = run(isLarge(graph), work);
  geGraphReleaseRead(graph);
  return s;
}

/// Reads two graphs, which may be one.
template <typename Work> GeStatus reading(GeGraphRef *a, GeGraphRef *b, Work work) {
  if (GeStatus s = geGraphAcquireRead(a))
    return s;
  GeStatus s = geGraphAcquireRead(b);
  if (s == GE_OK) {
    s = run(isLarge(a) || isLarge(b), work);
    geGraphReleaseRead(b);
  }
  geGraphReleaseRead(a);
  return s;
}

template <typename Work> GeStatus writing(GeGraphRef *graph, const char *what, Work work) {
  if (GeStatus s = geGraphAcquireWrite(graph, {what, std::char_traits<char>::length(what)}))
    return s;
  GeStatus s = run(isLarge(graph), work);
  geGraphReleaseWrite(graph);
  return s;
}

inline bool isLarge(GeModule *module) {
  size_t graphs = geModuleNumGraphs(module), nodes = graphs;
  for (size_t i = 0; i < graphs && nodes <= kUnlockNodes; ++i) {
    GeGraphRef *graph = nullptr;
    size_t more = 0;
    if (geModuleGetGraph(module, i, &graph) == GE_OK && geGraphNumNodes(graph, &more) == GE_OK)
      nodes += more;
    geGraphRelease(graph);
  }
  return nodes > kUnlockNodes;
}

/// Reads one or two modules (`b` may be null) with all their graphs.
template <typename Work> GeStatus reading(GeModule *a, GeModule *b, Work work) {
  if (GeStatus s = geModuleAcquireRead(a))
    return s;
  GeStatus s = b ? geModuleAcquireRead(b) : GE_OK;
  if (s == GE_OK) {
    s = run(isLarge(a) || (b && isLarge(b)), work);
    if (b)
      geModuleReleaseRead(b);
  }
  geModuleReleaseRead(a);
  return s;
}

template <typename Work> GeStatus reading(GeModule *module, Work work) {
  return reading(module, static_cast<GeModule *>(nullptr), work);
}

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_UNLOCK_H
