//===- Stack.h - a stack whose push is a store ------------------------------------------------===//
#ifndef GE_SUPPORT_STACK_H
#define GE_SUPPORT_STACK_H

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace ge {

/// Of plain data, in one block that only grows. For loops in which std::vector's push, which is not
/// inlined, shows in profiles.
template <typename T> class Stack {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T &operator[](size_t index) { return items_[index]; }
  T &back() { return items_[size_ - 1]; }
  const T *begin() const { return items_.get(); }
  const T *end() const { return items_.get() + size_; }
  void push(const T &item) {
    if (size_ == capacity_) [[unlikely]] {
      T copy = item; // it may be one of ours
      grow();
      items_[size_++] = copy;
      return;
    }
    items_[size_++] = item;
  }
  void pop() { --size_; }
  void shrink(size_t size) { size_ = size; }
  void clear() { size_ = 0; }

private:
  void grow() {
    constexpr size_t kFirst = 32;
    size_t capacity = std::max(kFirst, 2 * capacity_);
    auto larger = std::make_unique_for_overwrite<T[]>(capacity);
    std::copy_n(items_.get(), size_, larger.get());
    items_ = std::move(larger);
    capacity_ = capacity;
  }
  std::unique_ptr<T[]> items_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

} // namespace ge

#endif // GE_SUPPORT_STACK_H
