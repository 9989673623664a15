//===- ATen/core/List.h - c10::List: a list that its copies share ------------------------------===//
#ifndef GE_TORCH_ATEN_CORE_LIST_H
#define GE_TORCH_ATEN_CORE_LIST_H

#include <c10/util/Exception.h>

#include <initializer_list>
#include <memory>
#include <vector>

GE_TORCH_OPEN(c10)

template <typename T> class List {
public:
  using value_type = T;
  using size_type = size_t;
  using iterator = typename std::vector<T>::const_iterator;
  List() : items_(std::make_shared<std::vector<T>>()) {}
  List(std::initializer_list<T> all) : items_(std::make_shared<std::vector<T>>(all)) {}
  explicit List(std::vector<T> all) : items_(std::make_shared<std::vector<T>>(std::move(all))) {}
  T get(size_t i) const {
    TORCH_CHECK_INDEX(i < size(), "List: index ", i, " of ", size(), " elements");
    return (*items_)[i];
  }
  T operator[](size_t i) const { return get(i); }
  void set(size_t i, T value) const {
    TORCH_CHECK_INDEX(i < size(), "List: index ", i, " of ", size(), " elements");
    (*items_)[i] = std::move(value);
  }
  iterator begin() const { return items_->cbegin(); }
  iterator end() const { return items_->cend(); }
  bool empty() const { return items_->empty(); }
  size_t size() const { return items_->size(); }
  void reserve(size_t count) const { items_->reserve(count); }
  void push_back(T value) const { items_->push_back(std::move(value)); }
  template <typename... A> void emplace_back(A &&...args) const {
    items_->emplace_back(std::forward<A>(args)...);
  }
  void clear() const { items_->clear(); }
  std::vector<T> vec() const { return *items_; }
  List copy() const { return List(*items_); }

private:
  std::shared_ptr<std::vector<T>> items_;
};

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_CORE_LIST_H
