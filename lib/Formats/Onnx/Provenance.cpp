//===- Provenance.cpp - control edges, origins and lengths of lists as metadata of nodes ------===//
#include "Provenance.h"

#include "ge/IR/Context.h"
#include "ge/IR/Location.h"
#include "ge/Support/Error.h"
#include "ge/Text/Text.h"

#include <charconv>

namespace ge::onnx {

namespace {

void appendEntry(std::string &out, std::string_view key, std::string_view value) {
  out += cat(out.back() == '{' ? "" : ", ", key, " = ");
  appendQuoted(out, value);
}

/// Metadata may come from other programs, so anything is possible.
AttrRef parsed(Context &context, std::string_view text) {
  try {
    return parseAttribute(context, text);
  } catch (const Error &) {
    return {};
  }
}

bool read(Context &context, Attribute entry, Origin &origin) {
  std::string_view file;
  int64_t line = 0;
  for (size_t i = 0; i < entry.size(); ++i) {
    std::string_view key = entry.keys()[i]->str();
    Attribute value = entry.elements()[i];
    if (key == "line" && value.kind() == AttrKind::Int) {
      line = value.intValue();
      continue;
    }
    if (value.kind() != AttrKind::String)
      return false;
    std::string_view text = value.stringValue();
    if (key == "node")
      origin.node = text;
    else if (key == "op")
      origin.op = context.operatorName(text);
    else if (key == "pass")
      origin.pass = context.scopedIdentifier(text);
    else if (key == "rule")
      origin.rule = context.scopedIdentifier(text);
    else if (key == "file")
      file = text;
    else
      return false;
  }
  if (line < 0 || line > UINT32_MAX)
    return false;
  if (!file.empty())
    origin.where = context.fileLocation(file, uint32_t(line), 0);
  return true;
}

} // namespace

std::string originsText(const Origins &origins) {
  std::string out = "[";
  for (const OriginView &origin : origins) {
    out += out.size() > 1 ? ", {" : "{";
    appendEntry(out, "node", origin.node);
    if (origin.op && origin.op->overload().empty())
      appendEntry(out, "op", origin.op->str());
    if (origin.pass)
      appendEntry(out, "pass", origin.pass->str());
    if (origin.rule)
      appendEntry(out, "rule", origin.rule->str());
    if (const Location *file = origin.where ? origin.where->firstFile() : nullptr) {
      appendEntry(out, "file", file->file());
      out += cat(", line = ", file->line());
    }
    out += '}';
  }
  return out + "]";
}

std::optional<std::vector<Origin>> parseOrigins(Context &context, std::string_view text) {
  AttrRef list = parsed(context, text);
  if (!list || list.get().kind() != AttrKind::List)
    return std::nullopt;
  std::vector<Origin> origins;
  for (Attribute entry : list.get().elements()) {
    origins.emplace_back();
    try {
      if (entry.kind() != AttrKind::Dict || !read(context, entry, origins.back()))
        return std::nullopt;
    } catch (const Error &) { // no operator's name
      return std::nullopt;
    }
  }
  return origins;
}

std::string namesText(const std::vector<std::string> &names) {
  std::string out = "[";
  for (const std::string &name : names) {
    if (out.size() > 1)
      out += ", ";
    appendQuoted(out, name);
  }
  return out + "]";
}

std::optional<std::vector<std::string>> parseNames(Context &context, std::string_view text) {
  AttrRef list = parsed(context, text);
  if (!list || list.get().kind() != AttrKind::List)
    return std::nullopt;
  std::vector<std::string> names;
  for (Attribute name : list.get().elements()) {
    if (name.kind() != AttrKind::String || name.stringValue().size() < 2 ||
        (name.stringValue()[0] != '%' && name.stringValue()[0] != '@'))
      return std::nullopt;
    names.emplace_back(name.stringValue());
  }
  return names;
}

std::string lengthsText(std::span<const int32_t> lengths) {
  std::string out;
  for (int32_t length : lengths)
    out += cat(out.empty() ? "" : ",", length);
  return out;
}

std::vector<int32_t> parseLengths(std::string_view key, std::string_view text) {
  std::vector<int32_t> lengths;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    auto [next, fault] = std::from_chars(at, end, lengths.emplace_back());
    bool isLast = next == end;
    if (fault != std::errc() || lengths.back() < 0 || (!isLast && *next != ','))
      throwError(ErrorKind::Value, "metadata '", key, "' must be lengths such as \"1,2\", not \"",
                 text.substr(0, 60), "\"");
    if (isLast)
      return lengths;
    at = next + 1;
  }
}

} // namespace ge::onnx
