//===- c10/util/irange.h - numbers to loop over ------------------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_IRANGE_H
#define GE_TORCH_C10_UTIL_IRANGE_H

#include <c10/macros/Macros.h>

#include <algorithm>
#include <iterator>

GE_TORCH_OPEN(c10)

template <typename I> struct integer_range {
  struct iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = I *;
    using reference = I;
    I value;
    I operator*() const { return value; }
    iterator &operator++() {
      ++value;
      return *this;
    }
    iterator operator++(int) { return {value++}; }
    bool operator==(const iterator &other) const { return value == other.value; }
    bool operator!=(const iterator &other) const { return value != other.value; }
  };
  I first, last;
  iterator begin() const { return {first}; }
  iterator end() const { return {last}; }
};
template <typename I> integer_range<I> irange(I end) { return {I(), std::max(I(), end)}; }
template <typename A, typename I> integer_range<I> irange(A begin, I end) {
  return {static_cast<I>(begin), std::max(static_cast<I>(begin), end)};
}

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_UTIL_IRANGE_H
