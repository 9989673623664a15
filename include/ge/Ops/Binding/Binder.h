//===- Binder.h - arguments to parameters -----------------------------------------------------===//
//
// The only binder: builders, calls and overload resolution use it, in every language. It accesses
// arguments through ArgView only, and returns which argument belongs to which parameter and how it
// must be converted; the caller converts.
//
#ifndef GE_OPS_BINDING_BINDER_H
#define GE_OPS_BINDING_BINDER_H

#include "ge/Ops/Schema/OpDef.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ge {

/// Same values as GeArgKind in ge-c/Ops.h.
enum class ArgKind : uint8_t {
  None,
  Bool,
  Int,
  Float,
  Complex,
  Str,
  Bytes,
  Value, ///< a value of a graph, or a tensor in a call: an operand as it is
  Array, ///< constant data: may become a tensor literal, or a constant operand
  DType,
  Graph, ///< a graph, or what makes one (a callable)
  List,
  Tuple,
  Dict,   ///< 2n items: key, value, key, ...
  Object, ///< anything else
};

/// An argument: a word that means something to its ArgView only.
using Arg = const void *;

/// How the binder inspects arguments. None of it may be called after bind() returned. Exceptions
/// propagate out of bind().
class ArgView {
public:
  virtual ~ArgView() = default;
  virtual ArgKind kind(Arg arg) const = 0;
  virtual size_t size(Arg arg) const = 0;            ///< List, Tuple, Dict
  virtual Arg item(Arg arg, size_t index) const = 0; ///< valid until bind() returns
  /// Int, and Bool as 0 or 1. False when it does not fit 64 bits.
  virtual bool intValue(Arg arg, int64_t &out) const = 0;
  virtual double floatValue(Arg arg) const = 0;         ///< Float, or an Int of more than 64 bits
  virtual std::string_view strValue(Arg arg) const = 0; ///< Str; valid until the next call
  /// Whether an Object can stand for a type: a class, Generator, Device, Storage, ...
  virtual bool isInstance(Arg arg, const SchemaType &type) const = 0;
  /// For messages: "str 'x'", "list of 3", "acme.Plan".
  virtual std::string describe(Arg arg) const = 0;
};

struct Keyword {
  std::string_view name;
  Arg value;
};

enum class ArgSource : uint8_t { Default, Positional, Keyword };

/// What the caller has to do with an argument. Conversions of list elements are not recorded one by
/// one: convert each to the element type.
enum class Conversion : uint8_t {
  Exact,  ///< of the type already; lists: element by element
  Absent, ///< None for `T?`, or an operand that is not there
  BoolToInt,
  ToFloat,     ///< from bool or int
  ToComplex,   ///< from bool, int or float
  Repeat,      ///< one element for `T[N]`: N times
  ToConstant,  ///< a number, list or array for `Tensor`: becomes a constant
  NameToDType, ///< "f32" for ScalarType
};

struct BoundArg {
  ArgSource source = ArgSource::Default;
  Conversion conversion = Conversion::Exact;
  uint32_t index = 0; ///< among the positional arguments or the keywords
};

struct BindOptions {
  /// No bool -> int, no repeating for `T[N]`, lengths of lists checked.
  bool strict = false;
  /// The arguments are those of a node. Numbers, arrays and lists of them are taken for `Tensor`,
  /// and `T[N]` takes lists of other lengths; operands that no node can hold are refused.
  bool constants = false;
  /// Converts nothing but None to an absent argument: no constant is created, nothing widened,
  /// repeated or looked up by name. Overload resolution tries this first.
  bool exact = false;
};

struct BindFault {
  enum class Kind : uint8_t {
    None,
    UnknownKeyword,
    Twice,
    KeywordOnly,
    TooMany,
    Missing,
    Type,
    NoOverload,
  };
  Kind kind = Kind::None;
  std::string argument; ///< the parameter or keyword; empty for TooMany and NoOverload
  std::string reason;   ///< "unexpected keyword 'axis' (did you mean 'dim'?)"
  std::string message;  ///< reason with operator and schema line
};

/// Fills `out[i]` for params[i]; `out` has params.size() entries. Positional arguments from
/// numPositional() on are the varargs of a vararg operator. On a fault gives false and, when
/// `fault` is not null, says which; makes no text otherwise. O(params + keywords * params +
/// elements of lists).
bool bind(const OpDef &def, const ArgView &view, std::span<const Arg> positional,
          std::span<const Keyword> keywords, const BindOptions &options, std::span<BoundArg> out,
          BindFault *fault);

/// The index of the first of `candidates` that binds exactly (BindOptions::exact), else of the
/// first that binds; its arguments are in `out` then (as many as the largest needs). -1 with every
/// candidate's reason in `fault` otherwise.
int resolveOverload(std::span<const OpDefRef> candidates, const ArgView &view,
                    std::span<const Arg> positional, std::span<const Keyword> keywords,
                    const BindOptions &options, std::span<BoundArg> out, BindFault *fault);

/// Whether GE_OPS_STRICT=1 was set when it was first asked for, or what setStrictOps said last. For
/// the whole process.
bool strictOps();
void setStrictOps(bool on);

} // namespace ge

#endif // GE_OPS_BINDING_BINDER_H
