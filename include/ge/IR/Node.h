//===- Node.h - operations, their results and uses --------------------------------------------===//
//
// A node is one block of its root's arena: the Node, its results, its operands. Fields are read
// through the accessors here and written only by Mutation.
//

#ifndef GE_IR_NODE_H
#define GE_IR_NODE_H

#include "ge/IR/Context.h"
#include "ge/IR/Handle.h"
#include "ge/IR/Origin.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

class Graph;
class Mutation;
class Node;
class Root;
class Value;

/// Bytes of a name, in the arena of the root graph.
struct Name {
  static constexpr uint32_t kMaxLength = (1u << 29) - 1;
  /// Hash of the bytes before the name is entered in the index, then its slot: leaving the index
  /// reads only that slot's byte.
  mutable uint32_t place;
  uint32_t length : 29;
  uint32_t duplicate : 1; ///< an import had this name twice: this holder is not in the index
  mutable uint32_t isNew : 1;
  mutable uint32_t isEntered : 1;
  char bytes[1];
  std::string_view str() const { return {bytes, length}; }
};

/// One operand: a link in the use list of its value. An absent operand has no value.
class Use {
public:
  Value *value() const { return value_; }
  Node *owner() const { return owner_; }
  uint32_t index() const;                   ///< position among the owner's operands
  const Use *next() const { return next_; } ///< the next use of the same value; most recent first

private:
  friend class Mutation;
  friend class Journal;
  friend class Root;
  Value *value_;
  Use *next_;
  Use **link_; ///< what points to this use
  Node *owner_;
};

/// Origin of a value's type. A declared type (from a file, a text, a user) is used where there is
/// no inference; if both exist and differ, neither may be relied on.
enum class TypeSource : uint8_t { Declared, Inferred };

/// One result of a node.
class Value {
public:
  Node *node() const;
  uint32_t index() const { return index_; }
  const Type *type() const;
  uint32_t typeId() const { return type_; }
  bool isAbsent() const; ///< type none
  /// Inferred: inference has computed or confirmed the type for the node's current operands and
  /// attributes. The type counts as declared again when these change.
  TypeSource typeSource() const { return TypeSource(typeSource_); }
  bool hasUses() const { return firstUse_ != nullptr; }
  const Use *firstUse() const { return firstUse_; }
  size_t numUses() const; ///< O(uses)
  Graph *graph() const;   ///< where it is defined; null when its node is detached
  Root &root() const;
  Context &context() const;

  bool hasName() const { return (link_.name() & ~Link::kTags) != 0; }
  std::string_view name() const; ///< empty when unnamed
  /// The name, or a generated `node:index`. Generated names are never exported.
  void appendName(std::string &out) const;
  bool nameIsDuplicate() const;

private:
  friend class Absorber;
  friend class Journal;
  friend class Mutation;
  friend class NameIndex;
  friend class Node;
  friend class Root;
  friend class HandleTable;
  friend struct HandleRecord;
  friend HandleRecord *acquireHandle(Value *);
  uint32_t type_;
  uint32_t index_ : 31;
  uint32_t typeSource_ : 1;
  Use *firstUse_;
  Link link_;
};
static_assert(sizeof(Value) == 24);

/// Lengths of operand and result lists that the record of the operator does not imply (Segments.h).
struct NodeSegments {
  std::vector<int32_t> operands; ///< of each operand parameter; empty: implied or unknown
  std::vector<int32_t> results;
};

/// Data that few nodes have; stored beside the node in its root.
struct NodeExtra {
  std::vector<Node *> controlInputs;  ///< in order of insertion
  std::vector<Node *> controlOutputs; ///< in order of insertion
  std::vector<Graph *> subgraphs;
  std::unique_ptr<NodeSegments> segments; ///< null: none
};

/// Attributes in order of insertion. Also on graphs and modules.
class AttributeList {
public:
  uint32_t size() const { return table_ ? table_->count : 0; }
  uint32_t nameIdAt(uint32_t i) const { return ids()[i]; }
  Attribute at(uint32_t i) const { return values()[i]; }
  /// The attribute, or an invalid one.
  Attribute find(uint32_t nameId) const {
    for (uint32_t i = 0, n = size(); i < n; ++i)
      if (ids()[i] == nameId)
        return values()[i];
    return Attribute();
  }
  int32_t indexOf(uint32_t nameId) const {
    for (uint32_t i = 0, n = size(); i < n; ++i)
      if (ids()[i] == nameId)
        return int32_t(i);
    return -1;
  }

private:
  friend class Journal;
  friend class Mutation;
  friend class Module;
  struct Table {
    uint32_t count;
    uint32_t capacity;
    // Attribute values[capacity]; uint32_t ids[capacity];
  };
  Attribute *values() const { return reinterpret_cast<Attribute *>(table_ + 1); }
  uint32_t *ids() const { return reinterpret_cast<uint32_t *>(values() + table_->capacity); }
  Table *table_ = nullptr;
};

/// The attribute of Node::originalName().
inline constexpr std::string_view kOriginalNames = "onnx.names";

class Node {
public:
  const OperatorName *op() const;
  uint32_t opId() const { return op_; }
  Graph *graph() const { return isDetached() ? nullptr : graph_; } ///< null while detached
  bool isDetached() const { return flags_ & kDetached; }
  Root &root() const;
  Context &context() const;
  const Location *location() const;

  bool isData() const { return flags_ & kData; }        ///< a graph input (Data, RefData, ...)
  bool isNetOutput() const { return flags_ & kOutput; } ///< the graph's output node
  bool isListed() const { return !(flags_ & (kData | kOutput | kDetached)); } ///< in graph.nodes

  uint32_t numOperands() const { return numOperands_; }
  Value *operand(uint32_t i) const { return uses()[i].value(); } ///< null when absent
  const Use &use(uint32_t i) const { return uses()[i]; }
  uint32_t numResults() const { return numResults_; }
  Value *result(uint32_t i) const { return results() + i; }
  bool hasUses() const { ///< of any result. O(results)
    for (uint32_t i = 0; i < numResults_; ++i)
      if (result(i)->hasUses())
        return true;
    return false;
  }

  const AttributeList &attributes() const { return attrs_; }
  Attribute attribute(const Identifier *name) const { return attrs_.find(name->id()); }
  Attribute attribute(std::string_view name) const;

  const NodeExtra *extra() const; ///< null when there is nothing
  std::span<Node *const> controlInputs() const;
  std::span<Node *const> controlOutputs() const;
  std::span<Graph *const> subgraphs() const;
  /// The stored length of each operand parameter; empty where the operator's record implies them or
  /// there is no record. They add up to numOperands().
  std::span<const int32_t> operandSegments() const;
  std::span<const int32_t> resultSegments() const;
  Origins origins() const;

  bool hasName() const { return (link_.name() & Link::kSerial) == 0; }
  std::string_view name() const; ///< empty when unnamed
  /// The name, or a generated `Type#serial`. Generated names are never exported and not found.
  void appendName(std::string &out) const;
  bool nameIsDuplicate() const;
  /// `node 'conv1' (onnx.Conv)`.
  std::string describe() const;
  /// What the file called the node, or result `i`, where its reader had to give another name; else
  /// the name. Kept in the attribute `onnx.names` until it is renamed.
  std::string_view originalName() const;
  std::string_view originalName(uint32_t i) const;

  Node *next() const { return next_; } ///< in the graph's list
  Node *prev() const { return prev_; }
  /// Position order in one graph's list; across nesting, of the ancestors in the common graph.
  /// Error(Value) when there is none, one contains the other, or one is detached. O(depth).
  bool isBefore(const Node *other) const {
    if (graph_ == other->graph_ && isListed() && other->isListed()) [[likely]]
      return order_ < other->order_;
    return isBeforeElsewhere(other);
  }

private:
  bool isBeforeElsewhere(const Node *other) const;
  friend class Absorber;
  friend class Journal;
  friend class Mutation;
  friend class NameIndex;
  friend class Value;
  friend class Use;
  friend class Graph;
  friend class Root;
  friend class NodeCursor;
  friend class HandleTable;
  friend struct HandleRecord;
  friend class OrderLabels;
  friend HandleRecord *acquireHandle(Node *);
  enum Flags : uint32_t {
    kData = 1,
    kOutput = 2,
    kDetached = 4,
    kHasExtra = 8,
    kOperandsOutside = 16,
    kParked = 32,
    kHasOrigins = 64
  };

  Value *results() const { return reinterpret_cast<Value *>(const_cast<Node *>(this) + 1); }
  void *tail() const { return results() + numResults_; }
  Use *uses() const {
    return (flags_ & kOperandsOutside) ? *static_cast<Use **>(tail()) : static_cast<Use *>(tail());
  }

  Graph *graph_; ///< the root's limbo while detached
  Node *prev_;
  Node *next_;
  Link link_;
  AttributeList attrs_;
  uint64_t order_;
  uint32_t op_;
  uint32_t location_;
  uint32_t numOperands_;
  uint32_t numResults_ : 24;
  uint32_t flags_ : 8;
};
static_assert(sizeof(Node) == 64);

inline Node *Value::node() const {
  return reinterpret_cast<Node *>(const_cast<Value *>(this) - index_) - 1;
}

} // namespace ge

#endif // GE_IR_NODE_H
