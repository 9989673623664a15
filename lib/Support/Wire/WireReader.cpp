//===- WireReader.cpp - protobuf messages in place --------------------------------------------===//
#include "ge/Support/Wire/Wire.h"

namespace ge {

std::string FieldPath::str() const {
  std::string text;
  if (outer) {
    text = outer->str();
    if (!text.empty())
      text += '.';
  }
  text += name;
  if (index >= 0)
    text += cat("[", index, "]");
  return text;
}

void failAt(const WireSource &source, std::string_view place, const FieldPath *path,
            const char *field, std::string_view message) {
  std::string where = path ? path->str() : std::string();
  if (field)
    where += cat(where.empty() ? "" : ".", field);
  Diagnostic diagnostic;
  diagnostic.file = source.name;
  diagnostic.offset = int64_t(source.offsetOf(place));
  diagnostic.field = where;
  diagnostic.message = cat(message, " (byte ", diagnostic.offset);
  if (!where.empty())
    diagnostic.message += cat(", field ", where);
  diagnostic.message += ')';
  throw Error(ErrorKind::Model, std::vector<Diagnostic>{std::move(diagnostic)});
}

static constexpr uint32_t kLargestField = (1u << 29) - 1;

uint64_t WireReader::readLongVarint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (at_ == end_)
      failHere("the message ends inside a number");
    auto byte = uint8_t(*at_++);
    if (shift == 63 && byte > 1)
      break;
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  failHere("a number has more than 64 bits");
}

void WireReader::prepareMore(const char *end) {
  ready_ = std::min(source_.copy->load(at_, end), end_);
}

bool WireReader::next() {
  if (at_ == end_)
    return false;
  interrupt_.poll();
  prepare();
  start_ = at_;
  uint64_t tag = readVarint();
  if (tag >> 3 == 0 || tag >> 3 > kLargestField)
    failAt(source_, {start_, start_}, path_, nullptr, cat("there is no field ", tag >> 3));
  field_ = uint32_t(tag >> 3);
  type_ = WireType(tag & 7);
  switch (type_) {
  case WireType::Varint:
    value_ = readVarint();
    return true;
  case WireType::Bytes: {
    uint64_t length = readVarint();
    if (length > uint64_t(end_ - at_))
      failHere(cat("field ", field_, " takes ", length, " bytes, but the message has only ",
                   end_ - at_, " more"));
    bytes_ = {at_, size_t(length)};
    at_ += length;
    return true;
  }
  case WireType::Fixed64:
  case WireType::Fixed32: {
    size_t width = type_ == WireType::Fixed64 ? 8 : 4;
    if (size_t(end_ - at_) < width)
      failHere("the message ends inside a number");
    value_ = 0;
    std::memcpy(&value_, at_, width);
    at_ += width;
    return true;
  }
  case WireType::StartGroup:
    skipGroup(field_);
    return true;
  case WireType::EndGroup:
    break;
  }
  failAt(source_, {start_, start_}, path_, nullptr,
         cat("field ", field_, " has the wire type ", tag & 7));
}

/// Groups are not used by ONNX; they are kept as unknown fields.
void WireReader::skipGroup(uint32_t field) {
  constexpr size_t kDeepest = 100; // protobuf's own limit
  std::vector<uint32_t> open{field};
  const char *start = start_;
  while (!open.empty()) {
    if (at_ == end_)
      failHere("the message ends inside a group");
    prepare();
    const char *place = at_;
    uint64_t tag = readVarint();
    auto number = uint32_t(tag >> 3);
    switch (WireType(tag & 7)) {
    case WireType::StartGroup:
      if (open.size() == kDeepest)
        failHere(cat("groups nest deeper than ", kDeepest, " levels"));
      open.push_back(number);
      break;
    case WireType::EndGroup:
      if (open.back() != number)
        failHere(cat("group ", open.back(), " is closed as ", number));
      open.pop_back();
      break;
    default:
      at_ = place;
      next();
    }
  }
  start_ = start;
  field_ = field;
  type_ = WireType::StartGroup;
}

void WireReader::failType(WireType wanted, const char *name) const {
  fail(name, cat("the wire type is ", int(type_), ", not ", int(wanted)));
}

int32_t WireReader::int32(const char *name) const {
  int64_t value = int64(name);
  if (value != int32_t(value))
    fail(name, cat(value, " does not fit the field's 32 bits"));
  return int32_t(value);
}

std::string_view WireReader::text(const char *name) const {
  std::string_view value = bytes(name);
  if (!isValidUtf8(value))
    fail(name, "the text is not UTF-8");
  return value;
}

void WireReader::int64s(const char *name, std::vector<int64_t> &out) const {
  if (type_ == WireType::Varint) {
    out.push_back(int64_t(value_));
    return;
  }
  WireReader packed(source_, bytes(name), path_);
  while (packed.at_ != packed.end_)
    out.push_back(int64_t(packed.readVarint()));
}

void WireReader::floats(const char *name, std::vector<float> &out) const {
  if (type_ == WireType::Fixed32) {
    out.push_back(float32(name));
    return;
  }
  std::string_view packed = bytes(name);
  if (packed.size() % 4)
    fail(name, cat(packed.size(), " bytes are not a whole number of floats"));
  size_t old = out.size();
  out.resize(old + packed.size() / 4);
  if (!packed.empty())
    std::memcpy(out.data() + old, packed.data(), packed.size());
}

} // namespace ge
