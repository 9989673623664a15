//===- Text.h - parser and printer of the text form -------------------------------------------------===//
#ifndef GE_TEXT_TEXT_H
#define GE_TEXT_TEXT_H

#include "ge/IR/Analysis.h"

#include <memory>
#include <string>
#include <string_view>

namespace ge {

class MappedFile;

struct PrintOptions {
  enum class Names : uint8_t { SSA, Attr };
  Names names = Names::SSA;          ///< Attr: ge.name and ge.result_names always, for a trip through MLIR
  int64_t elideElementsLargerThan = -1; ///< tensors with more elements print as __elided__; -1: never
  bool locations = false;            ///< trailing loc(...)
};

/// The text of a module, or of one graph (as a module with one graph would print it, without the module
/// line when `bare`). Reads only. O(size).
void print(const Module &module, std::string &out, const PrintOptions &options = {});
void print(const Graph *graph, std::string &out, const PrintOptions &options = {});
/// One node on one line as it stands in its graph, operands by name, large tensors elided: for repr. O(node).
void print(const Node *node, std::string &out);

/// Throws Error(Parse) with all diagnostics; nothing is left then. `file` names the source in messages.
/// `keepAlive`: when the text lies in a mapped file, blobs... are copied all the same.
Module *parseModule(Context &context, std::string_view text, std::string_view file = "<string>");
/// A text with exactly one graph; the caller gets one hold.
Root *parseGraph(Context &context, std::string_view text, std::string_view file = "<string>");
const Type *parseType(Context &context, std::string_view text);
AttrRef parseAttribute(Context &context, std::string_view text);

} // namespace ge

#endif // GE_TEXT_TEXT_H
