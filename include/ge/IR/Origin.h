//===- Origin.h - where nodes come from -------------------------------------------------------===//
#ifndef GE_IR_ORIGIN_H
#define GE_IR_ORIGIN_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ge {

class Context;
class Identifier;
class Location;
class OperatorName;

/// Where a node comes from: a node it replaced, the pass and rule, and the line that built it. As a
/// node keeps it: the name is valid until the node's origins change.
struct OriginView {
  std::string_view node;            ///< name of the source node
  const OperatorName *op = nullptr; ///< its operator; may be null
  const Identifier *pass = nullptr;
  const Identifier *rule = nullptr;
  const Location *where = nullptr;
};

/// One that owns the name.
struct Origin {
  std::string node;
  const OperatorName *op = nullptr;
  const Identifier *pass = nullptr;
  const Identifier *rule = nullptr;
  const Location *where = nullptr;

  Origin() = default;
  Origin(const OriginView &view)
      : node(view.node), op(view.op), pass(view.pass), rule(view.rule), where(view.where) {}
  operator OriginView() const { return {node, op, pass, rule, where}; }
};

/// The origins of one node, packed: a rewrite makes some for each node that it replaces. One block
/// of the root's arena: this, the entries, the texts of their names.
struct OriginList {
  struct Entry {
    uint32_t textEnd;               ///< of the name; it begins where the one before ends
    uint32_t op, pass, rule, where; ///< ids, or kNone
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t count;
  uint32_t capacity;
  uint32_t textCapacity;

  Entry *entries() { return reinterpret_cast<Entry *>(this + 1); }
  const Entry *entries() const { return reinterpret_cast<const Entry *>(this + 1); }
  char *text() { return reinterpret_cast<char *>(entries() + capacity); }
  const char *text() const { return reinterpret_cast<const char *>(entries() + capacity); }
  uint32_t textSize() const { return count ? entries()[count - 1].textEnd : 0; }
  static size_t bytes(size_t capacity, size_t textCapacity) {
    return sizeof(OriginList) + capacity * sizeof(Entry) + textCapacity;
  }
};

/// A range of OriginView.
class Origins {
public:
  class Iterator {
  public:
    using value_type = OriginView;
    using difference_type = ptrdiff_t;
    Iterator() = default;
    Iterator(const Origins *range, size_t index) : range_(range), index_(index) {}
    OriginView operator*() const { return (*range_)[index_]; }
    Iterator &operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) { return {range_, index_++}; }
    bool operator==(const Iterator &other) const { return index_ == other.index_; }

  private:
    const Origins *range_ = nullptr;
    size_t index_ = 0;
  };

  Origins(const Context &context, const OriginList *list) : context_(&context), list_(list) {}
  size_t size() const { return list_ ? list_->count : 0; }
  bool empty() const { return size() == 0; }
  OriginView operator[](size_t index) const;
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

private:
  const Context *context_;
  const OriginList *list_; ///< null: none
};

} // namespace ge

#endif // GE_IR_ORIGIN_H
