//===- RegOpDocs.cpp --------------------------------------------------------------------------===//
#include "RegOpDocs.h"

#include "../Schema/SchemaScanner.h"

#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <unordered_map>

namespace ge::regop {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Without the star in front, Doxygen's `\n` at the end, and the blank before a full stop.
std::string_view content(std::string_view line) {
  line = trimmed(line);
  while (line.starts_with('*'))
    line.remove_prefix(1);
  line = trimmed(line);
  while (line.ends_with("\\n"))
    line = trimmed(line.substr(0, line.size() - 2));
  if (line.ends_with(" ."))
    line = trimmed(line.substr(0, line.size() - 2));
  return line;
}

bool takeWord(std::string_view &line, std::string_view word) {
  if (!line.starts_with(word))
    return false;
  line = trimmed(line.substr(word.size()));
  return true;
}

class RegOpDocReader {
public:
  explicit RegOpDocReader(OpSpec &spec) : spec_(spec) {
    for (Param &param : spec.params)
      slots_[param.name].push_back(&param.doc);
    for (Result &result : spec.results)
      slots_[result.name].push_back(&result.doc);
  }

  void take(std::string_view line) {
    if (line.empty()) {
      isNewParagraph_ = !inSlots_;
      return;
    }
    // Both signs are Doxygen's.
    if (line.front() == '\\' || line.front() == '@') {
      std::string_view rest = line.substr(1);
      if (takeWord(rest, "brief")) {
        inSlots_ = false;
        takeText(trimmed(rest.starts_with(':') ? rest.substr(1) : rest));
        return;
      }
      if (takeWord(rest, "par") || takeWord(rest, "attention")) {
        startSection(rest);
        return;
      }
      if (takeWord(rest, "li")) {
        takeItem(rest, true);
        return;
      }
      if (rest.starts_with("see") || rest.starts_with("since"))
        return;
      line = trimmed(rest);
    }
    takeItem(line, false);
  }

private:
  void startSection(std::string_view title) {
    current_.clear();
    while (title.ends_with(':') || title.ends_with(' '))
      title.remove_suffix(1);
    inSlots_ = false;
    for (std::string_view known :
         {"Inputs", "Input", "Outputs", "Output", "Attributes", "Attribute", "Graphs", "Graph"})
      inSlots_ |= title == known;
    if (inSlots_ || title.empty())
      return;
    isNewParagraph_ = true;
    takeText(cat(title, ":"));
  }

  /// `x: text`, or text that goes on.
  void takeItem(std::string_view line, bool isItem) {
    size_t end = 0;
    while (end < line.size() && schema::isWordPart(line[end]))
      ++end;
    std::string_view rest = trimmed(line.substr(end));
    if (inSlots_ && end > 0 && rest.starts_with(':') && select(line.substr(0, end))) {
      append(trimmed(rest.substr(1)));
      return;
    }
    if (inSlots_) {
      if (isItem)
        current_.clear();
      // "Two inputs, including:" only repeats the signature.
      append(line);
      return;
    }
    takeText(isItem ? cat("- ", line) : std::string(line), isItem);
  }

  bool select(std::string_view name) {
    auto found = slots_.find(name);
    if (found == slots_.end())
      return false;
    current_ = found->second;
    // The first text is kept: another section with the same name has less.
    std::erase_if(current_, [](const std::string *text) { return !text->empty(); });
    return true;
  }
  void append(std::string_view line) {
    for (std::string *text : current_) {
      if (!text->empty())
        *text += '\n';
      *text += line;
    }
  }

  void takeText(std::string_view line, bool isItem = false) {
    constexpr std::string_view deprecated = "THIS FUNCTION IS DEPRECATED.";
    if (size_t at = line.find(deprecated); at != std::string_view::npos) {
      spec_.deprecated = true;
      spec_.deprecation = trimmed(line.substr(at + deprecated.size()));
      return;
    }
    if (line.empty())
      return;
    if (!spec_.doc.empty())
      spec_.doc += isNewParagraph_ && !isItem ? "\n\n" : "\n";
    isNewParagraph_ = false;
    spec_.doc += line;
  }

  OpSpec &spec_;
  /// A parameter and a result may have one name.
  std::unordered_map<std::string_view, std::vector<std::string *>> slots_;
  bool inSlots_ = false;
  bool isNewParagraph_ = false;
  std::vector<std::string *> current_;
};

} // namespace

void readDocs(std::string_view comment, OpSpec &spec) {
  if (comment.starts_with("/*"))
    comment.remove_prefix(2);
  if (comment.ends_with("*/"))
    comment.remove_suffix(2);
  std::string ascii;
  if (!isValidUtf8(comment)) {
    ascii = comment;
    std::replace_if(ascii.begin(), ascii.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    comment = ascii;
  }
  RegOpDocReader reader(spec);
  while (!comment.empty()) {
    size_t end = std::min(comment.find('\n'), comment.size());
    reader.take(content(comment.substr(0, end)));
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  // A title under which nothing was left.
  constexpr std::string_view restrictions = "\n\nRestrictions:";
  if (spec.deprecated && spec.doc.ends_with(restrictions))
    spec.doc.resize(spec.doc.size() - restrictions.size());
}

} // namespace ge::regop
