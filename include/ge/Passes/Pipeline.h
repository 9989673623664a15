//===- Pipeline.h - the text of a pipeline ----------------------------------------------------===//
//
//   pipeline := [element {',' element}]
//   element  := pass [options] | 'fixpoint' [options] '(' pipeline ')' | operator '(' pipeline ')'
//   options  := '{' key ['=' value] {(' ' | ',') key ['=' value]} '}'
//
// A pass is a word or a quoted string; an operator is one with its domain, "onnx.If", and its
// pipeline runs on the bodies of such nodes. Blanks may stand between all of it.
//
#ifndef GE_PASSES_PIPELINE_H
#define GE_PASSES_PIPELINE_H

#include "ge/Passes/PassRegistry.h"

namespace ge {

struct PipelineElement {
  enum class Kind : uint8_t {
    Pass,
    Alias,    ///< a name for `children`
    Fixpoint, ///< `children` again and again until nothing changes
    Nested,   ///< `children` on the bodies of nodes with the operator `name`
  };
  Kind kind = Kind::Pass;
  std::string name;
  PassOptions options;
  std::shared_ptr<const PassInfo> info; ///< of a pass
  std::shared_ptr<Pass> object;         ///< a pass that is in no registry, instead of `info`
  std::vector<PipelineElement> children;
};

/// Rounds of a fixpoint that does not say {max=N}.
constexpr int64_t kMaxRounds = 10;

/// Throws Error(Parse) with a caret under what is wrong, and near names of what is unknown.
std::vector<PipelineElement> parsePipeline(std::string_view text, const PassRegistry &registry);
/// Reads back equal where all passes are registered.
void printPipeline(const std::vector<PipelineElement> &pipeline, std::string &out);

} // namespace ge

#endif // GE_PASSES_PIPELINE_H
