//===- CallBinder.h - arguments of a call as a node has them ----------------------------------===//
//
// Operands by position, those of a list of tensors one after another, and attributes by name: bound
// by the rules of Binder.h. A tuple takes one operand for each element, in which numbers, bools and
// texts are tensors of one element. No operand at all is an empty list; a `Tensor[]?` that is
// absent is one absent operand. Attributes may stand as files have them: 0 or 1 for `bool`, one
// number for a list, bytes for `str`, an f32 that is the bound of a range but for its rounding.
//
#ifndef GE_OPS_INFER_CALLBINDER_H
#define GE_OPS_INFER_CALLBINDER_H

#include "ge/IR/Mutation.h"
#include "ge/Ops/Schema/OpDef.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// What a call gives for one parameter. The spans are those of the caller.
struct CallArg {
  std::span<const Tensor *const> tensors; ///< of an operand; one null or none: absent
  Attribute attribute;                    ///< invalid: the default
};

/// One for each parameter of `def`, and where it takes more arguments (`...`) one more for the
/// operands that follow. Throws Error(Verify) when the arguments do not fit the record:
/// kind, range, choices, lengths of `T[N]`, names, and what is required. `where` begins the text of
/// the error: "node 'n' (acme.scale)"; empty: the operator. `segments`: the length of each operand
/// parameter, if the record does not imply them; operands at the end may be missing. O(operands +
/// elements of lists).
std::vector<CallArg> bindCall(const OpDef &def, std::string_view where,
                              std::span<const Tensor *const> operands,
                              std::span<const NamedAttribute> attributes,
                              std::span<const int32_t> segments = {});

/// The value of a tensor of one element, as an element of a tuple: `(Tensor, int)`. Nothing for
/// other tensors.
std::optional<Constant> scalarConstant(const Tensor &tensor);

/// Whether a `(T1, T2)?` that takes its operands from the begin of `rest` is absent: all of them
/// are.
bool isAbsentTuple(const SchemaType *type, std::span<const Tensor *const> rest);

/// Whether a `Tensor[]?` is absent.
inline bool isAbsentList(const Param &param, std::span<const Tensor *const> tensors) {
  return param.type->isOptional() && tensors.size() == 1 && !tensors[0];
}

/// Whether a node may have an attribute of that name whatever its operator is: one with a dot or a
/// leading underscore belongs to a tool or pass, and CANN's builders set any.
bool isFreeAttribute(const OpDef &def, std::string_view name);

} // namespace ge

#endif // GE_OPS_INFER_CALLBINDER_H
