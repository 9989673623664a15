//===- Layout.h - how the file encoded what the IR normalises ---------------------------------===//
//
// A model can encode one thing in several ways: numbers as raw_data or int64_data, value_info in
// any order, an absent or an empty name. The IR keeps the value; the attribute `onnx.layout` keeps
// the encoding, so that an unchanged part is written as it was read. It is a hint: entries that no
// longer match the IR are ignored.
//
#ifndef GE_LIB_FORMATS_ONNX_LAYOUT_H
#define GE_LIB_FORMATS_ONNX_LAYOUT_H

#include "ge/Support/Wire/Wire.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ge::onnx {

/// Layout of one nested message, identified by `name`.
struct Entry {
  std::string name;
  std::string extra;   ///< fields that the IR does not represent, byte for byte
  std::string literal; ///< the whole message, or the part that encodes its value
  uint32_t form = 0;
  std::vector<Entry> parts; ///< layouts of the messages inside it

  bool isPlain() const { return extra.empty() && literal.empty() && form == 0 && parts.empty(); }
};

/// Values of Entry::form. For a tensor: the field that holds its numbers, unless it is raw_data.
inline constexpr uint32_t kNoForm = 0;
inline constexpr uint32_t kNoType = 1;    ///< of a type: the message has none
inline constexpr uint32_t kNameless = 2;  ///< of a value: it has no name
inline constexpr uint32_t kOther = 3;     ///< of a type: it is not the value's, and stays as it is
inline constexpr uint32_t kAbsent = 253;  ///< of an attribute: its value, zero, is not set
inline constexpr uint32_t kUntyped = 255; ///< of an attribute: the field `type` is not set
inline constexpr uint32_t kWhole =
    254; ///< `literal` is all of the message; of an output: its name is a repeated one

enum class Section : uint32_t {
  Attributes = 1,   ///< of a node; of a function's defaults: all of them, in order
  ValueInfo = 2,    ///< all, in order
  Initializers = 3, ///< all, in order
  Opsets = 4,
  Outputs = 5, ///< all, in order
  Tensor = 6,  ///< of a Const, or of the default of an input
  Input = 7,   ///< of an input
  Sparse = 8,  ///< of a sparse initializer
};

class Layout {
public:
  static constexpr uint32_t kSections = 8;
  std::vector<Entry> &operator[](Section s) { return sections_[uint32_t(s) - 1]; }
  const std::vector<Entry> &operator[](Section s) const { return sections_[uint32_t(s) - 1]; }
  /// The entry of a section that has one; null when it has none.
  const Entry *one(Section s) const { return (*this)[s].empty() ? nullptr : &(*this)[s].front(); }
  bool empty() const;

  std::string encode() const;
  /// Error(Model) when these are no such bytes.
  static Layout decode(std::string_view bytes);

private:
  std::array<std::vector<Entry>, kSections> sections_;
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_LAYOUT_H
