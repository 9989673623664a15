//===- Few.h - an array of a size that is mostly small ----------------------------------------===//
#ifndef GE_SUPPORT_FEW_H
#define GE_SUPPORT_FEW_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace ge {

/// So many equal elements to begin with: up to eight without memory of their own.
template <typename T> class Few {
public:
  Few(size_t count, T value) {
    if (count > few_.size()) {
      many_.assign(count, value);
      elements_ = {many_.data(), count};
    } else {
      std::fill_n(few_.begin(), count, value);
      elements_ = {few_.data(), count};
    }
  }
  Few(const Few &) = delete;
  Few &operator=(const Few &) = delete;
  std::span<T> get() { return elements_; }

private:
  std::array<T, 8> few_;
  std::vector<T> many_;
  std::span<T> elements_;
};

} // namespace ge

#endif // GE_SUPPORT_FEW_H
