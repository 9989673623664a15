//===- SlotTable.h - the names of one graph while it is read ----------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_SLOTTABLE_H
#define GE_LIB_FORMATS_ONNX_SLOTTABLE_H

#include "ge/Support/StringUtil.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ge {
class Type;
class Value;
} // namespace ge

namespace ge::onnx {

/// What is known of a name.
struct ValueSlot {
  std::string_view name;
  Value *value = nullptr;
  const Type *type = nullptr; ///< as declared, for the node that will define it
  int32_t info = -1;          ///< position in value_info
  int32_t initializer = -1;
};

/// Name -> slot, by open addressing. The table holds 8 bytes for a name, so that it stays in the
/// cache where a map of slots does not. The bytes of names are not copied. Models name values in
/// the order in which they use them, so the slot of the last answer and the one after it are
/// looked at before anything is hashed.
class SlotTable {
public:
  void reserve(size_t count) {
    slots_.reserve(count);
    grow(std::bit_ceil(2 * count + 1));
  }
  /// Null when it was never asked for. Valid until the next operator[].
  ValueSlot *find(std::string_view name) {
    if (ValueSlot *near = nearby(name))
      return near;
    if (cells_.empty())
      return nullptr;
    auto hash = uint32_t(hashBytes(name));
    for (size_t i = hash & mask_; cells_[i].index; i = (i + 1) & mask_)
      if (cells_[i].hash == hash && slots_[cells_[i].index - 1].name == name)
        return at(cells_[i].index - 1);
    return nullptr;
  }
  /// Made when there is none. Valid until the next operator[].
  ValueSlot &operator[](std::string_view name) {
    if (ValueSlot *near = nearby(name))
      return *near;
    if (2 * (slots_.size() + 1) > cells_.size())
      grow(std::bit_ceil(4 * slots_.size() + 16));
    auto hash = uint32_t(hashBytes(name));
    size_t i = hash & mask_;
    for (; cells_[i].index; i = (i + 1) & mask_)
      if (cells_[i].hash == hash && slots_[cells_[i].index - 1].name == name)
        return *at(cells_[i].index - 1);
    slots_.emplace_back().name = name;
    cells_[i] = {hash, uint32_t(slots_.size())};
    return *at(slots_.size() - 1);
  }

private:
  struct Cell {
    uint32_t hash = 0;
    uint32_t index = 0; ///< of the slot, from 1; 0: free
  };
  ValueSlot *at(size_t index) {
    last_ = index;
    return &slots_[index];
  }
  ValueSlot *nearby(std::string_view name) {
    for (size_t i = last_; i < slots_.size() && i < last_ + 2; ++i)
      if (slots_[i].name == name)
        return at(i);
    return nullptr;
  }
  void grow(size_t capacity) {
    std::vector<Cell> old = std::exchange(cells_, std::vector<Cell>(capacity));
    mask_ = capacity - 1;
    for (const Cell &cell : old) {
      size_t i = cell.hash & mask_;
      while (cell.index && cells_[i].index)
        i = (i + 1) & mask_;
      if (cell.index)
        cells_[i] = cell;
    }
  }
  std::vector<ValueSlot> slots_;
  std::vector<Cell> cells_;
  size_t mask_ = 0;
  size_t last_ = 0; ///< the slot of the last answer
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_SLOTTABLE_H
