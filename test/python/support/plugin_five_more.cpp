// The second file of the plugin: both files share one list of passes and one gePluginInit.
#include "ge-c/Plugin.hpp"

namespace {

struct CountNodes {
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    size_t nodes = 0;
    if (GeStatus status = geGraphNumNodes(graph, &nodes))
      return status;
    return gePassRunCount(run, ge::plugin::str("nodes"), nodes);
  }
};

/// Constructed from the options in the pipeline text.
class ReadsOptions {
public:
  ReadsOptions(const GePassOption *options, size_t numOptions) : count_(numOptions) {
    if (numOptions == 1 && options[0].size == sizeof *options)
      value_ = options[0].value;
  }
  GeStatus run(GeGraphRef *, GePassRun *run) {
    GeStringRef answer = {"", 0};
    if (gePassRunGetOption(run, ge::plugin::str("answer"), &answer) != GE_OK)
      return GE_ERROR_KEY;
    return gePassRunRemark(run, GE_SEVERITY_REMARK, nullptr, answer);
  }

private:
  size_t count_;
  GeStringRef value_ = {"", 0};
};

} // namespace

GE_REGISTER_PASS(CountNodes, "five-count", "")
GE_REGISTER_PASS(ReadsOptions, "five-options", "BeforeInferShape")
