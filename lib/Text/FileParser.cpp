//===- FileParser.cpp - everything outside of graphs ----------------------------------------------===//
#include "GraphParser.h"

#include <algorithm>

namespace ge::text {

GraphParser::~GraphParser() {
  if (module_)
    module_->release();
}

Module *GraphParser::parse() {
  try {
    checkUtf8();
    file();
    if (scan_.errors().empty())
      finish();
  } catch (const ParseFailure &) {
    // recorded
  } catch (const Abort &) {
    // recorded
  }
  if (!scan_.errors().empty())
    throwErrors();
  return std::exchange(module_, nullptr);
}

void GraphParser::throwErrors() {
  std::vector<Diagnostic> &errors = scan_.errors();
  // A node is checked when its types are known, so errors are not in the order of the text.
  std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic &a, const Diagnostic &b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (errors.size() > kMostErrors)
    errors.resize(kMostErrors);
  throw Error(ErrorKind::Parse, std::move(errors));
}

/// Whether bytes begin as a serialized ModelProto does: the field ir_version (tag 8, one byte),
/// then the tag of another field.
static bool isOnnxModel(std::string_view bytes) {
  constexpr std::string_view kTags = "\x12\x1a\x22\x28\x32\x3a\x42\x72\xa2\xca";
  return bytes.size() > 2 && bytes[0] == '\b' && bytes[1] > 0 && bytes[1] < 0x40 &&
         kTags.find(bytes[2]) != kTags.npos;
}

constexpr const char *kOnnxModel =
    "the input is an ONNX model, not text; convert it with 'ge convert model.onnx -o model.mlir', "
    "or load it with ge.onnx.load";

void GraphParser::checkUtf8() {
  std::string_view text(scan_.begin(), size_t(scan_.end() - scan_.begin()));
  if (isValidUtf8(text)) [[likely]]
    return;
  if (isOnnxModel(text))
    scan_.fail(scan_.begin(), kOnnxModel);
  // The invalid character is in the first line that is not valid UTF-8 itself, because no character
  // contains a line end.
  size_t start = 0;
  for (;;) {
    size_t stop = std::min(text.find('\n', start), text.size());
    if (!isValidUtf8(text.substr(start, stop - start)))
      break;
    start = stop + 1;
  }
  auto characterLength = [&] {
    for (size_t length = 1; length <= 4; ++length)
      if (start + length <= text.size() && isValidUtf8(text.substr(start, length)))
        return length;
    return size_t(0);
  };
  while (size_t length = characterLength())
    start += length;
  scan_.fail(scan_.begin() + start, "the text is not UTF-8 here");
}

void GraphParser::file() {
  while (!scan_.atEnd()) {
    const char *start = scan_.at();
    try {
      topLevel();
    } catch (const ParseFailure &) {
      stopAfterMany();
      recoverItem(start);
    }
  }
  if (!module_)
    openModule(scan_.at(), false);
}

/// To the next line that starts a graph.
void GraphParser::recoverItem(const char *start) {
  scopes_.leave(0);
  pending_.clear();
  pendingControls_.clear();
  std::string_view text(scan_.begin(), size_t(scan_.end() - scan_.begin()));
  size_t at = size_t(std::max(start, scan_.at()) - scan_.begin());
  for (;;) {
    at = text.find('\n', at);
    if (at == std::string_view::npos)
      throw Abort();
    ++at;
    scan_.setAt(scan_.begin() + at);
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos)
      continue;
    line.remove_prefix(first);
    if (line.starts_with("func.func ") || line.starts_with("\"func.func\"") ||
        line.starts_with("\"ge.graph\""))
      return;
  }
}

void GraphParser::openModule(const char *place, bool isExplicit) {
  if (module_ && (isExplicit || moduleIsExplicit_))
    scan_.fail(place, "a text has one module, and no graphs beside it");
  if (!module_)
    module_ = Module::create(context_, {});
  moduleIsExplicit_ = isExplicit;
}

void GraphParser::topLevel() {
  if (atAlias())
    return aliasDefinition();
  if (size_t(scan_.end() - scan_.at()) > 3 && std::memcmp(scan_.at(), "{-#", 3) == 0)
    return resources();
  const char *place = scan_.at();
  if (scan_.takeWord("module") || scan_.takeWord("builtin.module"))
    return customModule(place);
  if (scan_.take(std::string_view("\"builtin.module\"")))
    return genericModule(place);
  if (moduleIsExplicit_)
    scan_.failExpected("only aliases and resources after the module");
  openModule(place, false);
  moduleItem();
}

/// A graph.
void GraphParser::moduleItem() {
  scan_.skipSpace();
  const char *place = scan_.at();
  clearStrings();
  if (scan_.takeWord("func.func"))
    return customFunction();
  if (scan_.take(std::string_view("\"func.func\"")))
    return genericGraph(OpKind::Function, place);
  if (scan_.take(std::string_view("\"ge.graph\"")))
    return genericGraph(OpKind::Graph, place);
  if (scan_.at() != scan_.end() && static_cast<unsigned char>(*scan_.at()) < ' ')
    scan_.fail(place,
               isOnnxModel({place, scan_.end()})
                   ? kOnnxModel
                   : "the input is binary, not text; convert a model to the text form first");
  scan_.failExpected("func.func or \"ge.graph\"");
}

void GraphParser::setModuleAttributes(const Attributes &attributes) {
  for (const NamedAttribute &attribute : attributes.plain)
    module_->setAttribute(attribute.name, attribute.value);
  defer(attributes, Deferred::Owner::Module, module_);
}

/// `module @name attributes {...} { ... }`, after the word.
void GraphParser::customModule(const char *place) {
  openModule(place, true);
  scan_.skipSpace();
  if (scan_.take('@')) {
    std::string buffer;
    module_->setName(symbolName(buffer));
  }
  if (scan_.takeWord("attributes")) {
    Attributes given;
    attributes(given, 0);
    setModuleAttributes(given);
  }
  moduleBody();
  std::string_view later;
  trailingLocation(later);
}

/// `"builtin.module"() <{sym_name = "..."}> ({ ... }) {...} : () -> ()`, after the name.
void GraphParser::genericModule(const char *place) {
  openModule(place, true);
  Attributes given;
  scan_.expect('(', "after the name of an operation");
  scan_.expect(')', "because a module has no operands");
  if (scan_.take('<')) {
    attributes(given, kSymbol);
    scan_.expect('>', "after the properties");
  }
  scan_.expect('(', "and the body of the module");
  moduleBody();
  scan_.expect(')', "after the body of the module");
  if (scan_.peek() == '{')
    attributes(given, kSymbol);
  if (given.hasSymbol)
    refusedAt(place, [&] { module_->setName(given.symbol); });
  setModuleAttributes(given);
  operands_.clear();
  results_.clear();
  resultTypes_.clear();
  functionType();
  std::string_view later;
  trailingLocation(later);
}

void GraphParser::moduleBody() {
  scan_.expect('{', "at the start of a module");
  if (scan_.take('^')) { // MLIR's generic form of an empty one
    scan_.suffixWord();
    scan_.expect(':', "after the label of a block");
  }
  while (!scan_.take('}')) {
    const char *start = scan_.at();
    if (scan_.atEnd()) {
      scan_.report(scan_.missingPlace(),
                   "expected '}' at the end of the module, got the end of the text");
      throw Abort();
    }
    try {
      moduleItem();
    } catch (const ParseFailure &) {
      stopAfterMany();
      recoverItem(start);
    }
  }
}

/// Errors that are known at the end of the text only.
void GraphParser::finish() {
  setResourcesKnown();
  for (const PendingLocation &pending : pendingLocations_) {
    interrupt_.poll();
    const Location *location = locationAlias(pending.alias);
    if (!location)
      // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): a place in the text
      scan_.fail(pending.alias.data(), cat("location alias '#", pending.alias, "' is not defined"));
    Mutation::setLocation(pending.node, location);
  }
  for (const Deferred &deferred : deferred_) {
    interrupt_.poll();
    scan_.setAt(deferred.place);
    clearStrings();
    AttrRef value;
    try {
      value = attribute();
    } catch (const ParseFailure &) {
      stopAfterMany();
      continue;
    }
    switch (deferred.owner) {
    case Deferred::Owner::Node:
      Mutation::setAttribute(static_cast<Node *>(deferred.object), deferred.name, value.get());
      break;
    case Deferred::Owner::Graph:
      Mutation::setAttribute(static_cast<Graph *>(deferred.object), deferred.name, value.get());
      break;
    case Deferred::Owner::Module:
      static_cast<Module *>(deferred.object)->setAttribute(deferred.name, value.get());
      break;
    }
  }
}

} // namespace ge::text
