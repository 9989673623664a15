//===- Text.h - parser and printer of the text form -------------------------------------------===//
//
// The grammar is MLIR's generic assembly; docs/text-format.md says how a graph is written in it.
//
#ifndef GE_TEXT_TEXT_H
#define GE_TEXT_TEXT_H

#include "ge/IR/Analysis.h"

#include <string>
#include <string_view>

namespace ge {

struct PrintOptions {
  enum class Names : uint8_t { SSA, Attr };
  Names names = Names::SSA; ///< Attr: ge.name and ge.result_names always, for a trip through MLIR
  /// Tensors with more elements, splats excepted, print as dense_resource<__elided__>, which is for
  /// people and is not read back. -1: never.
  int64_t elideElementsLargerThan = -1;
  bool locations = false; ///< trailing loc(...), and ge.origins
};

/// The text of a module, or of one graph, without a module around it. A subgraph prints as a graph
/// of its own whose captured values are further inputs. Reads only: needs read access. O(size).
void print(const Module &module, std::string &out, const PrintOptions &options = {});
void print(const Graph *graph, std::string &out, const PrintOptions &options = {});
/// One node on one line as it stands in its graph, operands by name, subgraphs and large tensors
/// left out: for repr. Not promised: that it can be read back. O(node).
void print(const Node *node, std::string &out);

struct ParseOptions {
  /// Nodes without loc(...) get their place in the text as location, for messages about them.
  bool sourceLocations = false;
};

/// Throws Error(Parse) with all diagnostics; nothing is left then. `file` names the source in them.
/// Everything is copied out of `text`. O(size). One reference, the caller's.
Module *parseModule(Context &context, std::string_view text, std::string_view file = "<string>",
                    const ParseOptions &options = {});
/// A text with exactly one graph, alone or in a module; the caller gets one hold.
Root *parseGraph(Context &context, std::string_view text, std::string_view file = "<string>",
                 const ParseOptions &options = {});
const Type *parseType(Context &context, std::string_view text);
AttrRef parseAttribute(Context &context, std::string_view text);

} // namespace ge

#endif // GE_TEXT_TEXT_H
