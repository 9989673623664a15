//===- Small.h - vectors that start on the stack -----------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_SMALL_H
#define GE_BINDINGS_PYTHON_OPS_SMALL_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace ge::python {

/// Elements that are copied as bytes; the first `few` need no allocation.
template <typename T, size_t few> class Small {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Small() = default;
  Small(const Small &) = delete;
  Small &operator=(const Small &) = delete;

  void push_back(T item) { // NOLINT(readability-identifier-naming): as std::vector's
    if (size_ == capacity_) [[unlikely]]
      grow(2 * capacity_);
    data_[size_++] = item;
  }
  /// New elements have no value yet.
  void resize(size_t size) {
    if (size > capacity_) [[unlikely]]
      grow(size);
    size_ = size;
  }
  void pop_back() { --size_; } // NOLINT(readability-identifier-naming)
  T &operator[](size_t i) { return data_[i]; }
  const T &operator[](size_t i) const { return data_[i]; }
  T &back() { return data_[size_ - 1]; }
  T *data() { return data_; }
  const T *data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T *begin() { return data_; }
  T *end() { return data_ + size_; }

private:
  void grow(size_t capacity) {
    std::unique_ptr<T[]> more = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy_n(data_, size_, more.get());
    many_ = std::move(more);
    data_ = many_.get();
    capacity_ = capacity;
  }
  std::array<T, few> few_;
  std::unique_ptr<T[]> many_;
  T *data_ = few_.data();
  size_t size_ = 0, capacity_ = few;
};

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_SMALL_H
