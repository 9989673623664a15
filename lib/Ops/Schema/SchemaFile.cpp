//===- SchemaFile.cpp -------------------------------------------------------------------------===//
#include "ge/Ops/Schema/SchemaFile.h"

#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <algorithm>

namespace ge {
namespace {

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// "ns::name.overload", as far as it goes.
void splitName(std::string_view text, SchemaFile::Entry &entry) {
  if (size_t colons = text.find("::"); colons != std::string_view::npos) {
    entry.ns = text.substr(0, colons);
    text.remove_prefix(colons + 2);
  }
  size_t dot = text.find('.');
  entry.name = text.substr(0, dot);
  if (dot != std::string_view::npos)
    entry.overload = text.substr(dot + 1);
}

/// Calls `visit` for each word between commas or blanks.
template <typename Visit> void forEachWord(std::string_view list, const Visit &visit) {
  constexpr std::string_view separators = ", \t";
  while (true) {
    size_t begin = list.find_first_not_of(separators);
    if (begin == std::string_view::npos)
      return;
    size_t end = std::min(list.find_first_of(separators, begin), list.size());
    visit(list.substr(begin, end - begin));
    list.remove_prefix(end);
  }
}

void appendLine(std::string &text, std::string_view line) {
  if (!text.empty())
    text += '\n';
  text += line;
}

/// Takes the lines above a schema, in order.
class DocReader {
public:
  DocReader(OpSpec &spec, std::string_view file) : spec_(spec), file_(file) {}

  /// `line` without its `#`.
  void take(std::string_view line, uint32_t number) {
    number_ = number;
    bool goesOn = line.starts_with("   ");
    line = trimmed(line);
    if (goesOn && !current_.empty()) {
      for (std::string *text : current_)
        appendLine(*text, line);
      return;
    }
    current_.clear();
    size_t colon = line.find(':');
    if (colon != std::string_view::npos && takeKeyed(line.substr(0, colon), line.substr(colon + 1)))
      return;
    if (!line.empty() || !spec_.doc.empty())
      appendLine(spec_.doc, line);
  }

private:
  bool takeKeyed(std::string_view key, std::string_view rest) {
    rest = trimmed(rest);
    forEachSlot(key, [&](Slot &slot) {
      slot.doc = rest;
      current_.push_back(&slot.doc);
    });
    if (!current_.empty())
      return true;
    if (key == "traits")
      forEachWord(rest, [&](std::string_view word) {
        std::optional<OpTrait> trait = opTraitFromName(word);
        if (!trait)
          fail(cat("'", word, "' is not a trait"));
        spec_.set(*trait);
      });
    else if (key == "same")
      takeSame(rest);
    else if (key == "deprecated") {
      spec_.deprecated = true;
      spec_.deprecation = rest;
    } else
      return false;
    return true;
  }

  void takeSame(std::string_view names) {
    auto variable = int32_t(spec_.typeVars.size());
    std::string name = variable == 0 ? "T" : cat("T", variable);
    spec_.typeVars.push_back({std::move(name), {}, {}});
    forEachWord(names, [&](std::string_view word) {
      bool found = false;
      forEachSlot(word, [&](Slot &slot) {
        found = true;
        slot.typeVar = variable;
      });
      if (!found)
        fail(cat("there is no parameter or result '", word, "'"));
    });
  }

  template <typename Visit> void forEachSlot(std::string_view name, const Visit &visit) {
    for (Param &param : spec_.params)
      if (param.name == name)
        visit(param);
    for (Result &result : spec_.results)
      if (result.name == name)
        visit(result);
  }

  [[noreturn]] void fail(std::string message) const {
    Diagnostic diagnostic;
    diagnostic.file = file_;
    diagnostic.line = number_;
    diagnostic.message = std::move(message);
    throw Error(ErrorKind::OpSchema, std::vector{std::move(diagnostic)});
  }

  OpSpec &spec_;
  std::string_view file_;
  uint32_t number_ = 0;
  std::vector<std::string *> current_; ///< texts that the line before was about
};

} // namespace

SchemaFile::SchemaFile(std::string_view text, std::string_view file) : text_(text), file_(file) {
  uint32_t line = 0;
  bool inDocs = false;
  uint32_t docs = 0;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++line;
    std::string_view content = text.substr(begin, end - begin);
    if (content.starts_with('#')) {
      if (!inDocs)
        docs = uint32_t(begin);
      inDocs = true;
      continue;
    }
    if (!trimmed(content).empty()) {
      Entry entry{};
      entry.docs = inDocs ? docs : uint32_t(begin);
      entry.schema = uint32_t(begin);
      entry.end = uint32_t(end);
      entry.line = line;
      splitName(trimmed(content.substr(0, content.find('('))), entry);
      entries_.push_back(entry);
    }
    inDocs = false;
  }
}

OpSpec SchemaFile::make(const Entry &entry) const {
  OpSpec spec =
      parseSchema(text_.substr(entry.schema, entry.end - entry.schema), {file_, entry.line});
  spec.source = {std::string(file_), entry.line};
  std::string_view docs = text_.substr(entry.docs, entry.schema - entry.docs);
  auto line = entry.line - uint32_t(std::count(docs.begin(), docs.end(), '\n'));
  DocReader reader(spec, file_);
  for (; !docs.empty(); ++line) {
    size_t end = docs.find('\n');
    reader.take(docs.substr(1, end - 1), line);
    docs.remove_prefix(end + 1);
  }
  while (spec.doc.ends_with('\n'))
    spec.doc.pop_back();
  return spec;
}

} // namespace ge
