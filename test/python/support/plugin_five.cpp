// A plugin of five passes in two files: this one, and plugin_five_more.cpp.
#include "ge-c/Plugin.hpp"

#include <stdexcept>
#include <string>

namespace {

struct EraseDead {
  static constexpr const char *doc = "Erases nodes without uses.";
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    size_t erased = 0;
    if (GeStatus status = geGraphEraseDeadNodes(graph, &erased))
      return status;
    return gePassRunCount(run, ge::plugin::str("erased"), erased);
  }
};

struct RenameFirst {
  static constexpr int64_t priority = 5;
  GeStatus run(GeGraphRef *graph, GePassRun *) {
    GeNodeRef *node = nullptr;
    if (GeStatus status = geGraphGetNode(graph, 0, &node))
      return status;
    GeStatus status = geNodeSetName(node, ge::plugin::str("renamed"));
    geNodeRelease(node);
    return status;
  }
};

/// Changes the graph, then throws: its edits are undone.
struct Throws {
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    static_cast<void>(RenameFirst().run(graph, run));
    throw std::runtime_error("boo from C++");
  }
};

} // namespace

GE_REGISTER_PASS(EraseDead, "five-erase-dead", "AfterInferShape")
GE_REGISTER_PASS(RenameFirst, "five-rename", "AfterInferShape")
GE_REGISTER_PASS(Throws, "five-throws", "")
