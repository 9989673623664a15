//===- SchemaType.h - types of parameters and results in schemas ------------------------------===//
#ifndef GE_OPS_SCHEMA_SCHEMATYPE_H
#define GE_OPS_SCHEMA_SCHEMATYPE_H

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ge {

/// The words of the schema language that stand for a type by themselves. One row each in the table
/// of SchemaType.cpp. PyTorch's come first; from Graph on they are ours, for attributes that
/// PyTorch does not have.
enum class SchemaAtom : uint8_t {
  // clang-format off
  Tensor, ///< an operand: a value of a graph, whatever its type there
  Int, Float, Bool, Complex, Str,
  Scalar,     ///< a number of any kind; `number` is read as this one
  SymInt, SymFloat, SymBool,
  ScalarType, ///< an element type (ge::DType)
  Layout, Device, MemoryFormat, Generator, Storage, Stream, QScheme, Dimname,
  Capsule, PyObject, None, Any, AnyEnum, AnyClass, AnyList, AnyTuple,
  Graph,         ///< a subgraph
  TensorLiteral, ///< a constant tensor kept as attribute: ONNX's TENSOR, CANN's `Tensor` attributes
  SparseLiteral, ///< ONNX's SPARSE_TENSOR
  ValueType,     ///< a type of a value: ONNX's TYPE_PROTO
  Bytes,
  // clang-format on
  Count_
};

enum class SchemaTypeKind : uint8_t {
  Atom,
  Optional, ///< `T?`
  List,     ///< `T[]`, `T[N]`
  Tuple,    ///< `(T1, T2)`
  Dict,     ///< `Dict(K, V)`
  Future,   ///< `Future(T)`
  Await,    ///< `Await(T)`
  RRef,     ///< `RRef(T)`
  Union,    ///< `Union(T1, T2)`
  Class,    ///< a word with dots, `__torch__.torch.classes.ns.Name`: a class, by its full name
  Variable, ///< `t`: any type, the same one wherever the variable stands in a schema
};

/// Immutable, interned in one table of the process, compared by pointer, never freed: at most one
/// object for each type that any schema of the process mentions. Making one is thread-safe.
class SchemaType {
public:
  static const SchemaType *get(SchemaAtom atom);
  static const SchemaType *tensor() { return get(SchemaAtom::Tensor); }
  /// These throw Error(OpSchema) when the result would be deeper than kMaxDepth. `T??` is `T?`.
  static const SchemaType *optional(const SchemaType *element);
  static const SchemaType *list(const SchemaType *element, uint32_t size = 0); ///< 0: any length
  static const SchemaType *tuple(std::span<const SchemaType *const> elements);
  static const SchemaType *dict(const SchemaType *key, const SchemaType *value);
  static const SchemaType *wrapper(SchemaTypeKind futureAwaitOrRRef, const SchemaType *element);
  /// At least two different ones, in the order given; nested unions are flattened.
  static const SchemaType *unionOf(std::span<const SchemaType *const> elements);
  static const SchemaType *classNamed(std::string_view fullName);
  static const SchemaType *variable(std::string_view name);

  SchemaTypeKind kind() const { return kind_; }
  SchemaAtom atom() const { return atom_; } ///< of Atom
  bool is(SchemaAtom atom) const { return kind_ == SchemaTypeKind::Atom && atom_ == atom; }
  bool isOptional() const { return kind_ == SchemaTypeKind::Optional; }
  bool isList() const { return kind_ == SchemaTypeKind::List; }
  uint32_t listSize() const { return size_; }     ///< of List; 0: any length
  std::string_view name() const { return name_; } ///< of Class and Variable
  std::span<const SchemaType *const> elements() const { return {elements_, numElements_}; }
  const SchemaType *element() const { return elements_[0]; } ///< of Optional, List, wrappers
  /// The type without `?`.
  const SchemaType *required() const { return isOptional() ? element() : this; }
  bool containsTensor() const { return containsTensor_; } ///< so a parameter of it is an operand
  bool containsVariable() const { return containsVariable_; }
  bool containsGraph() const { return containsGraph_; }
  uint32_t depth() const { return depth_; }
  uint64_t hash() const { return hash_; } ///< of the text; the same in every process
  /// Canonical text. PyTorch's differs in the size of lists, which it keeps beside the type.
  std::string_view str() const { return text_; }

  /// Deeper types than anybody writes; recursion over a type needs no other bound.
  static constexpr uint32_t kMaxDepth = 64;

private:
  friend class SchemaTypeTable;
  SchemaType() = default;
  SchemaTypeKind kind_ = SchemaTypeKind::Atom;
  SchemaAtom atom_ = SchemaAtom::Any;
  bool containsTensor_ = false;
  bool containsVariable_ = false;
  bool containsGraph_ = false;
  uint32_t size_ = 0;
  uint32_t depth_ = 1;
  uint32_t numElements_ = 0;
  uint64_t hash_ = 0;
  const SchemaType *const *elements_ = nullptr;
  std::string_view name_;
  std::string_view text_;
  // The two derived types that schemas mention most, found without the table.
  mutable std::atomic<const SchemaType *> optional_{nullptr};
  mutable std::atomic<const SchemaType *> list_{nullptr};
};

/// The word of an atom ("Tensor", "int"), and back; nullopt for other words.
std::string_view schemaAtomName(SchemaAtom atom);
std::optional<SchemaAtom> schemaAtomFromName(std::string_view word);

} // namespace ge

#endif // GE_OPS_SCHEMA_SCHEMATYPE_H
