//===- Parse.cpp - the entries to the parser ------------------------------------------------------===//
#include "GraphParser.h"

namespace ge {

using text::GraphParser;
using text::ParseFailure;
using text::ValueParser;

Module *parseModule(Context &context, std::string_view text, std::string_view file,
                    const ParseOptions &options) {
  InternScope scope(context);
  return GraphParser(context, text, file, options).parse();
}

Root *parseGraph(Context &context, std::string_view text, std::string_view file,
                 const ParseOptions &options) {
  Module *module = parseModule(context, text, file, options);
  size_t count = module->numGraphs();
  if (count != 1) {
    module->release();
    Diagnostic diagnostic;
    diagnostic.file = std::string(file);
    diagnostic.message = cat("expected exactly one graph, got ", count);
    throw Error(ErrorKind::Parse, std::vector<Diagnostic>{std::move(diagnostic)});
  }
  Root *root = module->detach(module->graph(0));
  module->release();
  return root;
}

/// One value that is the whole text, possibly with resources after it.
template <typename F>
static auto parseWhole(Context &context, std::string_view text, std::string_view what, F read) {
  ValueParser parser(context, text, "<string>");
  text::Scanner &scan = parser.scanner();
  try {
    if (!isValidUtf8(text))
      scan.fail(scan.at(), "the text is not UTF-8");
    auto value = read(parser);
    if (scan.peek() == '{') {
      parser.resources();
      const char *behind = scan.at();
      parser.setResourcesKnown();
      scan.setAt(scan.begin());
      value = read(parser);
      scan.setAt(behind);
    } else if (parser.sawResource()) {
      parser.setResourcesKnown(); // for the message that says which is missing
      scan.setAt(scan.begin());
      value = read(parser);
    }
    if (!scan.atEnd())
      scan.failExpected(cat("the end of the text after ", what));
    return value;
  } catch (const ParseFailure &) {
    throw Error(ErrorKind::Parse, std::move(scan.errors()));
  }
}

const Type *parseType(Context &context, std::string_view text) {
  return parseWhole(context, text, "a type", [](ValueParser &parser) { return parser.type(); });
}

AttrRef parseAttribute(Context &context, std::string_view text) {
  return parseWhole(context, text, "an attribute",
                    [](ValueParser &parser) { return parser.attribute(); });
}

} // namespace ge
