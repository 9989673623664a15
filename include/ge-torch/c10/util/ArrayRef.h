//===- c10/util/ArrayRef.h - a view of elements in a row ---------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_ARRAYREF_H
#define GE_TORCH_C10_UTIL_ARRAYREF_H

// A view of an initializer_list is for the call that takes it.
#pragma GCC system_header

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <ostream>
#include <vector>

GE_TORCH_OPEN(c10)

template <typename T> class ArrayRef {
public:
  using value_type = T;
  using iterator = const T *;
  using const_iterator = const T *;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T &one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T *data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T *begin, const T *end) : data_(begin), size_(size_t(end - begin)) {}
  template <typename A>
  ArrayRef(const std::vector<T, A> &all) : data_(all.data()), size_(all.size()) {
    static_assert(!std::is_same_v<T, bool>, "a std::vector<bool> has no elements in a row");
  }
  template <size_t N>
  constexpr ArrayRef(const std::array<T, N> &all) : data_(all.data()), size_(N) {}
  template <size_t N> constexpr ArrayRef(const T (&all)[N]) : data_(all), size_(N) {}
  constexpr ArrayRef(const std::initializer_list<T> &all) : data_(all.begin()), size_(all.size()) {}

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + size_; }
  constexpr const_iterator cbegin() const { return begin(); }
  constexpr const_iterator cend() const { return end(); }
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  reverse_iterator rend() const { return reverse_iterator(begin()); }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T *data() const { return data_; }
  constexpr size_t size() const { return size_; }
  const T &front() const { return at(0); }
  const T &back() const { return at(size_ - 1); }
  constexpr const T &operator[](size_t i) const { return data_[i]; }
  const T &at(size_t i) const {
    TORCH_CHECK(i < size_, "ArrayRef: index ", i, " of ", size_, " elements");
    return data_[i];
  }
  bool equals(ArrayRef other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  ArrayRef slice(size_t from, size_t count) const {
    TORCH_CHECK(from <= size_ && count <= size_ - from, "ArrayRef: slice of ", count, " from ",
                from, " of ", size_, " elements");
    return {data_ + from, count};
  }
  ArrayRef slice(size_t from) const { return slice(from, size_ - from); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

private:
  const T *data_ = nullptr;
  size_t size_ = 0;
};

using IntArrayRef = ArrayRef<int64_t>;

template <typename T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <typename T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template <typename T> bool operator==(const std::vector<T> &a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <typename T> bool operator!=(const std::vector<T> &a, ArrayRef<T> b) {
  return !ArrayRef<T>(a).equals(b);
}
template <typename T> bool operator==(ArrayRef<T> a, const std::vector<T> &b) {
  return a.equals(ArrayRef<T>(b));
}
template <typename T> bool operator!=(ArrayRef<T> a, const std::vector<T> &b) {
  return !a.equals(ArrayRef<T>(b));
}
template <typename T> std::ostream &operator<<(std::ostream &out, ArrayRef<T> all) {
  out << "[";
  for (size_t i = 0; i < all.size(); ++i)
    out << (i ? ", " : "") << all[i];
  return out << "]";
}

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_UTIL_ARRAYREF_H
