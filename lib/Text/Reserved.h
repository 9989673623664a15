//===- Reserved.h - names that the text form keeps for itself -------------------------------------===//
#ifndef GE_LIB_TEXT_RESERVED_H
#define GE_LIB_TEXT_RESERVED_H

#include "ge/IR/Context.h"

#include <cstdint>
#include <string_view>

namespace ge::text {

/// What an operation of the text is. All but Node are words of the format, not operators.
enum class OpKind : uint8_t {
  Node,        ///< "domain.Type"
  SpelledNode, ///< "ge.op", with domain, type and overload as attributes
  None,        ///< "ge.none": the absent operand
  Control,     ///< "ge.control": the control output of an input
  ControlSink, ///< "ge.control_sink": control edges into the output node
  Unseen,      ///< "ge.unseen": a value that cannot be seen where it is used
  Return,      ///< `return`, "func.return"
  Yield,       ///< "ge.yield"
  Output,      ///< "ge.output"
  Function,    ///< `func.func`
  Graph,       ///< "ge.graph"
  Module,      ///< `module`
};

/// The word of the format, or Node.
OpKind opKindOf(std::string_view name);
/// True when `op` can stand as "domain.Type": it reads back as the same operator, is not a word of
/// the format, and MLIR has no dialect of that name whose operations it would check.
bool isPlainOperator(const OperatorName &op);

/// The name of the absent operand, never one of a value.
inline constexpr std::string_view kNone = "none";

/// Lengths of operand and result lists, as MLIR spells them.
inline constexpr std::string_view kOperandSegments = "operandSegmentSizes";
inline constexpr std::string_view kResultSegments = "resultSegmentSizes";

} // namespace ge::text

#endif // GE_LIB_TEXT_RESERVED_H
