//===- OpDef.h - the one record of an operator ------------------------------------------------===//
//
// A front end (schema text, ONNX's table, REG_OP, a Python function) fills an OpSpec and moves it
// into Registry or OpDef::create, which check it and make the immutable OpDef. Everything else,
// from builders to docs, reads OpDef.
//
#ifndef GE_OPS_SCHEMA_OPDEF_H
#define GE_OPS_SCHEMA_OPDEF_H

#include "ge/IR/DType.h"
#include "ge/Ops/Schema/SchemaType.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge {

/// A default or a choice: a value that needs no Context.
struct Constant {
  enum class Kind : uint8_t {
    None,
    Bool,
    Int,
    Float,
    Complex,
    Str,
    List,  ///< also of a tuple-typed parameter
    Ident, ///< a word: `contiguous_format`, `Mean`, `float`; `integer` is PyTorch's number for it
  };
  Kind kind = Kind::None;
  int64_t integer = 0; ///< Bool (0 or 1), Int, Ident
  double real = 0;     ///< Float; the real part of Complex
  double imaginary = 0;
  std::string text; ///< Str, Ident
  std::vector<Constant> items;

  static Constant none() { return {}; }
  static Constant boolean(bool value);
  static Constant number(int64_t value);
  static Constant number(double value);
  static Constant string(std::string_view value);
  static Constant ident(std::string_view word, int64_t number);
  static Constant list(std::vector<Constant> items);
  friend bool operator==(const Constant &, const Constant &) = default;
};

struct DefaultValue {
  Constant value;
  std::string text; ///< as it was written; empty: print `value`
};

/// `Tensor(a! -> b|c)`. Sets of names; "*" is the wildcard. `contained` are those of the elements
/// of a list, tuple or the like, in order; those without one are empty.
struct AliasInfo {
  std::vector<std::string> before;
  std::vector<std::string> after; ///< same as `before` when no arrow was written
  bool isWrite = false;
  std::vector<AliasInfo> contained;
  bool isEmpty() const { return before.empty() && contained.empty(); }
  friend bool operator==(const AliasInfo &, const AliasInfo &) = default;
};

/// Bounds of a number; for docs and for the binder. Infinite: none on that side. An open bound is
/// outside itself.
struct Range {
  double low;
  double high;
  bool isLowOpen = false;
  bool isHighOpen = false;
};

/// What a parameter and a result have in common.
struct Slot {
  std::string name; ///< of a parameter never empty
  const SchemaType *type = nullptr;
  std::shared_ptr<const AliasInfo> alias; ///< null: none
  std::string doc;
  bool hidden = false;     ///< left out of signatures and docs
  bool homogeneous = true; ///< of a list of tensors: all of one type
  uint32_t minCount = 0;   ///< of a list of tensors
  int32_t typeVar = -1;    ///< index into OpSpec::typeVars; -1: unconstrained

  /// `T[N]`'s or `T[N]?`'s N; 0: none.
  uint32_t size() const {
    const SchemaType *t = type->required();
    return t->isList() ? t->listSize() : 0;
  }
  bool isTensor() const { return type->containsTensor(); }
  /// A list of tensors: any number of edges.
  bool isVariadic() const { return isTensor() && type->required()->isList(); }
};

struct Param : Slot {
  std::optional<DefaultValue> defaultValue; ///< nullopt: required
  bool kwOnly = false;
  std::vector<Constant> choices; ///< empty: anything of the type
  std::optional<Range> range;

  bool isOperand() const { return isTensor(); } ///< else it is an attribute
  bool isRequired() const { return !defaultValue; }
};

struct Result : Slot {};

/// ONNX's T: operands and results that refer to one have the same type, one of `allowed`. The
/// strings are ONNX's: "tensor(float)", "seq(tensor(int64))", "optional(tensor(bool))".
struct TypeVar {
  std::string name;
  std::vector<std::string> allowed; ///< empty: any
  std::string doc;
};
/// "tensor(float)": an element type as TypeVar::allowed writes it; our name in the brackets when
/// ONNX has none.
std::string tensorConstraint(DType dtype);

/// Bits of OpSpec::traits.
enum class OpTrait : uint32_t {
  Commutative = 1,      ///< the first two operands, or those of the variadic one, may be exchanged
  Pure = 2,             ///< no side effects; equal operands and attributes give equal results
  Elementwise = 4,      ///< element i of each result from elements i (broadcast) of the operands
  Nondeterministic = 8, ///< random numbers and the like
  ControlFlow = 16,     ///< runs its graph attributes
  Experimental = 32,
  Function = 64, ///< defined by a body of other operators of its set, which is not here
};
/// "commutative", ...; of the trait with that bit, null for another number.
const char *opTraitName(OpTrait trait);
std::optional<OpTrait> opTraitFromName(std::string_view name);

/// Where a record was written. `line` 0: unknown.
struct SourcePlace {
  std::string file;
  uint32_t line = 0;
  std::string str() const; ///< "file:line"
};

/// The mutable form, for who makes a record.
struct OpSpec {
  std::string ns;       ///< "aten", "ai.onnx.ml"; may be empty until it is registered
  std::string name;     ///< "Conv"
  std::string overload; ///< "" or "Tensor"
  uint32_t since = 0;   ///< the opset version it came with; 0 where there are none
  std::string doc;
  SourcePlace source;
  std::vector<Param> params;
  std::vector<Result> results;
  std::vector<TypeVar> typeVars;
  uint32_t traits = 0; ///< of OpTrait
  bool vararg = false; ///< `...` after the parameters: any further positional arguments
  bool varret = false;
  bool deprecated = false;
  std::string deprecation; ///< what to use instead; may be empty

  bool has(OpTrait trait) const { return (traits & uint32_t(trait)) != 0; }
  void set(OpTrait trait) { traits |= uint32_t(trait); }
  std::string qualifiedName() const; ///< "ns::name.overload"
};

struct InferHook;  // ge/Ops/Infer/Infer.h
struct VerifyHook; // the same; what checks beyond the record

/// What is attached to a record after it was made. Each is null until it is set; readers
/// take no lock. The caller that sets one owns it and keeps it while it may be called.
struct OpHooks {
  std::atomic<const InferHook *> infer{nullptr};
  std::atomic<const VerifyHook *> verify{nullptr};
};

class OpDefRef;

/// Immutable but for hooks() and slot(), and reference-counted; any thread may read it. A holder
/// may keep it after its library was closed.
class OpDef : public OpSpec {
public:
  /// Checks and completes `spec`: parameters have names, no two the same; every type is set;
  /// kw-only ones last; defaults are of their type; typeVar in range; a list default for `T[N]` has
  /// N elements (a single one is repeated). Throws Error(OpSchema) that names operator and
  /// parameter.
  static OpDefRef create(OpSpec spec);

  /// Indices into params: those that are graph edges, and the others, each in schema order.
  std::span<const uint32_t> operands() const { return {indices_.data(), numOperands_}; }
  std::span<const uint32_t> attributes() const { return std::span(indices_).subspan(numOperands_); }
  uint32_t numPositional() const { return numPositional_; } ///< parameters before the kw-only ones
  /// Whether the flat list of a node's operands (results) does not say how many belong to each
  /// parameter, so that nodes store the lengths: see ge/IR/Segments.h.
  bool hasOperandChoice() const { return hasOperandChoice_; }
  bool hasResultChoice() const { return hasResultChoice_; }
  std::optional<uint32_t> findParam(std::string_view name) const; ///< O(params)
  std::optional<uint32_t> findResult(std::string_view name) const;
  /// Bit i: a tensor of DType(i) is of that type variable.
  uint64_t allowedDTypes(size_t typeVar) const { return allowed_[typeVar]; }
  OpHooks &hooks() const { return hooks_; }
  /// Where a language binding keeps its own object. Called for each slot that is set when its
  /// record dies.
  std::atomic<void *> &slot() const { return slot_; }
  static void setSlotDestructor(void (*destroy)(void *));

  void retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

private:
  explicit OpDef(OpSpec &&spec) : OpSpec(std::move(spec)) {}
  ~OpDef();
  mutable std::atomic<uint32_t> refs_{1};
  mutable std::atomic<void *> slot_{nullptr};
  mutable OpHooks hooks_;
  std::vector<uint32_t> indices_; ///< operands, then attributes
  std::vector<uint64_t> allowed_; ///< for each type variable
  uint32_t numOperands_ = 0;
  uint32_t numPositional_ = 0;
  bool hasOperandChoice_ = false, hasResultChoice_ = false;
};

/// Owning pointer to a record.
class OpDefRef {
public:
  OpDefRef() = default;
  explicit OpDefRef(const OpDef *def) : def_(def) {
    if (def_)
      def_->retain();
  }
  static OpDefRef adopt(const OpDef *def) {
    OpDefRef ref;
    ref.def_ = def;
    return ref;
  }
  OpDefRef(const OpDefRef &o) : OpDefRef(o.def_) {}
  OpDefRef(OpDefRef &&o) noexcept : def_(std::exchange(o.def_, nullptr)) {}
  OpDefRef &operator=(OpDefRef o) noexcept {
    std::swap(def_, o.def_);
    return *this;
  }
  ~OpDefRef() {
    if (def_)
      def_->release();
  }
  const OpDef *get() const { return def_; }
  const OpDef *operator->() const { return def_; }
  const OpDef &operator*() const { return *def_; }
  explicit operator bool() const { return def_ != nullptr; }
  const OpDef *take() { return std::exchange(def_, nullptr); }

private:
  const OpDef *def_ = nullptr;
};

} // namespace ge

#endif // GE_OPS_SCHEMA_OPDEF_H
