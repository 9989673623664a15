//===- CallBinder.h - arguments of a call as a node has them ----------------------------------===//
//
// Operands by position, those of a list of tensors one after another, and attributes by name: bound
// by the rules of Binder.h. Attributes may stand as files have them: 0 or 1 for `bool`, one number
// for a list, bytes for `str`, an f32 that is the bound of a range but for its rounding.
//
#ifndef GE_OPS_INFER_CALLBINDER_H
#define GE_OPS_INFER_CALLBINDER_H

#include "ge/IR/Mutation.h"
#include "ge/Ops/Schema/OpDef.h"

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

/// Whether a node may have an attribute of that name whatever its operator is: one with a dot or a
/// leading underscore belongs to a tool or pass, and CANN's builders set any.
bool isFreeAttribute(const OpDef &def, std::string_view name);

} // namespace ge

#endif // GE_OPS_INFER_CALLBINDER_H
