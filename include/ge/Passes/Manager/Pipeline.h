//===- Pipeline.h - the text of a pipeline ----------------------------------------------------===//
//
//   pipeline := [element {',' element}]
//   element  := pass [options] | 'fixpoint' [options] '(' pipeline ')' | operator '(' pipeline ')'
//             | 'builtin.module' '(' pipeline ')' | 'func.func' '(' pipeline ')'
//   options  := '{' key ['=' value] {(' ' | ',') key ['=' value]} '}'
//
// A pass is a word, of letters, digits, "_-.:/+" and what is not ASCII, or a quoted string; an
// operator is one with its domain, "onnx.If", and its pipeline runs on the bodies of such nodes.
// 'builtin.module' and 'func.func', as MLIR writes them, stand for the module and its graphs: what
// passes run on anyway.
// Blanks may stand between all of it.
//
#ifndef GE_PASSES_MANAGER_PIPELINE_H
#define GE_PASSES_MANAGER_PIPELINE_H

#include "ge/Passes/Manager/PassRegistry.h"

namespace ge {

struct PipelineElement {
  enum class Kind : uint8_t {
    Pass,
    Alias,    ///< a name for `children`
    Fixpoint, ///< `children` again and again until nothing changes
    Nested,   ///< `children` on the bodies of nodes with the operator `name`, or an anchor
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

/// Whether the name stands for what passes run on anyway: 'builtin.module', 'func.func'.
bool isPipelineAnchor(std::string_view name);

/// Throws Error(Parse) with a caret under what is wrong, and near names of what is unknown.
std::vector<PipelineElement> parsePipeline(std::string_view text, const PassRegistry &registry);
/// The tree as written: names and options of passes are not looked up, and each has kind Pass
/// without `info`.
std::vector<PipelineElement> parsePipelineSyntax(std::string_view text);
/// Gives an option to each pass, also inside groups and aliases, that has it and is not given it;
/// an alias without that option becomes what it stands for. Error(Value) when a pass refuses the
/// value.
void setOption(std::vector<PipelineElement> &pipeline, std::string_view name,
               std::string_view value);
/// Gives an option to each pass with this name, also inside groups, that is not given it. Nothing
/// is looked up. How many passes have the name.
size_t setOptionOf(std::vector<PipelineElement> &pipeline, std::string_view pass,
                   std::string_view name, std::string_view value);
/// Puts what aliases stand for in their places, also those that parsePipelineSyntax left as names.
void expandAliases(std::vector<PipelineElement> &pipeline, const PassRegistry &registry);
/// Removes the passes with this name, and the groups that this leaves empty. How many passes.
size_t removePasses(std::vector<PipelineElement> &pipeline, std::string_view name);
/// Reads back equal where all passes are registered.
void printPipeline(const std::vector<PipelineElement> &pipeline, std::string &out);

} // namespace ge

#endif // GE_PASSES_MANAGER_PIPELINE_H
