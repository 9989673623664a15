//===- Layout.cpp - layouts as bytes ----------------------------------------------------------===//
#include "Layout.h"

#include <algorithm>
#include <ranges>

namespace ge::onnx {

namespace {

enum : uint32_t { kName = 1, kExtraBytes = 2, kLiteral = 3, kForm = 4, kParts = 5 };

void encodeEntry(WireWriter &writer, const Entry &entry) {
  for (const Entry &part : std::views::reverse(entry.parts)) {
    uint64_t end = writer.size();
    encodeEntry(writer, part);
    writer.closeMessage(kParts, end);
  }
  if (entry.form)
    writer.integer(kForm, entry.form);
  if (!entry.literal.empty())
    writer.string(kLiteral, entry.literal);
  if (!entry.extra.empty())
    writer.string(kExtraBytes, entry.extra);
  if (!entry.name.empty())
    writer.string(kName, entry.name);
}

Entry decodeEntry(const WireSource &source, std::string_view bytes, unsigned depth) {
  constexpr unsigned kDeepest = 8; // an attribute, its sparse tensors, their tensors
  Entry entry;
  WireReader reader(source, bytes, nullptr);
  if (depth == kDeepest)
    reader.fail(nullptr, "entries nest too deeply");
  while (reader.next())
    switch (reader.field()) {
    case kName:
      entry.name = reader.bytes("name");
      break;
    case kExtraBytes:
      entry.extra = reader.bytes("extra");
      break;
    case kLiteral:
      entry.literal = reader.bytes("literal");
      break;
    case kForm:
      entry.form = uint32_t(reader.varint("form"));
      break;
    case kParts:
      entry.parts.push_back(decodeEntry(source, reader.bytes("parts"), depth + 1));
      break;
    default:
      break;
    }
  return entry;
}

} // namespace

bool Layout::empty() const {
  return std::ranges::all_of(sections_, [](const auto &section) { return section.empty(); });
}

std::string Layout::encode() const {
  WireWriter writer;
  for (uint32_t i = kSections; i > 0; --i)
    for (const Entry &entry : std::views::reverse(sections_[i - 1])) {
      uint64_t end = writer.size();
      encodeEntry(writer, entry);
      writer.closeMessage(i, end);
    }
  return writer.finishSmall();
}

Layout Layout::decode(std::string_view bytes) {
  Layout layout;
  WireSource source{bytes, "onnx.layout"};
  WireReader reader(source, bytes, nullptr);
  while (reader.next())
    if (reader.field() <= kSections)
      layout.sections_[reader.field() - 1].push_back(
          decodeEntry(source, reader.bytes("section"), 0));
  return layout;
}

} // namespace ge::onnx
