//===- Scopes.h - SSA names that can be seen ------------------------------------------------------===//
#ifndef GE_LIB_TEXT_SCOPES_H
#define GE_LIB_TEXT_SCOPES_H

#include "ge/IR/Node.h"
#include "ge/Support/StringUtil.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ge::text {

/// `%name`, or `%name#index` of a pack.
struct SSAName {
  std::string_view name; ///< without '%'
  uint32_t index = 0;
  uint64_t hash = 0;

  static SSAName make(std::string_view name, uint32_t index = 0) {
    return {name, index, hashBytes(name, index)};
  }
  /// The number when it is one that a table may be indexed with, else UINT32_MAX.
  uint32_t number() const {
    if (index || name.empty() || name[0] < '0' || name[0] > '9')
      return UINT32_MAX;
    return numberSlow();
  }

private:
  uint32_t numberSlow() const;
};

/// The meaning of an SSA name. Small, because there is one for every value of the text.
class Definition {
public:
  enum class Kind : uint8_t {
    Value,
    Control, ///< of a node
    Absent,  ///< the result of "ge.none"
    Broken,  ///< its statement had an error, so uses of it are not reported
  };
  Definition(Kind kind, const SSAName &name, void *object = nullptr)
      : place_(name.name.data()), object_(object), length_(uint32_t(name.name.size())),
        index_(name.index), kind_(kind) {}
  Definition(const SSAName &name, Value *value) : Definition(Kind::Value, name, value) {}

  Kind kind() const { return kind_; }
  std::string_view name() const { return {place_, length_}; }
  uint32_t index() const { return index_; }
  SSAName ssaName() const { return SSAName::make(name(), index_); }
  /// The '%' in the text.
  const char *place() const { return place_ - 1; }
  /// Of Kind::Value, else null.
  Value *value() const { return kind_ == Kind::Value ? static_cast<Value *>(object_) : nullptr; }
  /// Of Kind::Control, else null.
  Node *node() const { return kind_ == Kind::Control ? static_cast<Node *>(object_) : nullptr; }
  bool is(const SSAName &other) const { return index_ == other.index && name() == other.name; }

private:
  const char *place_;
  void *object_;
  uint32_t length_;
  uint32_t index_ : 24;
  Kind kind_;
};
static_assert(sizeof(Definition) == 24);

/// The definitions of one root graph, by scope. Names `%0`, `%1`, ... are found by index, the
/// others by open addressing. Definitions are removed in reverse order, so a slot is simply
/// emptied.
class Scopes {
public:
  /// The visible definition, or null. Valid until the next define().
  const Definition *find(const SSAName &name) const {
    if (uint32_t number = name.number(); number < numbered_.size())
      return numbered_[number] ? &definitions_[numbered_[number] - 1] : nullptr;
    return slots_.empty() ? nullptr : findSlot(name);
  }
  /// The name is not visible yet.
  void define(const Definition &definition, const SSAName &name);
  void define(const Definition &definition) { define(definition, definition.ssaName()); }
  size_t mark() const { return definitions_.size(); }
  void leave(size_t mark); ///< forgets what was defined since
  const std::vector<Definition> &all() const { return definitions_; }

private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t position = 0; ///< in definitions_, plus 1; 0 when free
  };
  const Definition *findSlot(const SSAName &name) const;
  void put(const SSAName &name, uint32_t position);
  bool isNumbered(const SSAName &name) const { return name.number() < numbered_.size(); }

  std::vector<Definition> definitions_;
  std::vector<uint32_t> numbered_; ///< positions plus 1, by number
  std::vector<Slot> slots_;
  size_t used_ = 0;       ///< of slots_
  size_t farNumbers_ = 0; ///< numbers among them; while there are any, numbered_ does not grow
};

} // namespace ge::text

#endif // GE_LIB_TEXT_SCOPES_H
