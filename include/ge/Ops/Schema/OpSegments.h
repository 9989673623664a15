//===- OpSegments.h - lengths of operand and result lists by the record -----------------------===//
#ifndef GE_OPS_SCHEMA_OPSEGMENTS_H
#define GE_OPS_SCHEMA_OPSEGMENTS_H

#include "ge/IR/Segments.h"
#include "ge/Ops/Schema/OpDef.h"

namespace ge {

/// The number of operands or results of a slot of this type: one for each element of a tuple, also
/// of an absent one. Not for lists.
uint32_t slotWidth(const SchemaType *type);

/// The slots of the operand parameters, in order; of a vararg operator one more for `...`.
std::vector<SegmentSlot> operandSlots(const OpDef &def);
/// The slots of the results; of a varret operator one more for `...`.
std::vector<SegmentSlot> resultSlots(const OpDef &def);

/// The length of each operand parameter (result) of a node: as stored, else as the record implies.
/// Nothing if it is unknown.
std::optional<std::vector<int32_t>> operandSegments(const Node *node, const OpDef *def);
std::optional<std::vector<int32_t>> resultSegments(const Node *node, const OpDef *def);

/// Why no node can hold an operand of that type, with the way out; empty: a node can. Operands are
/// tensors, tuples, which take one operand for each element (numbers, bools and texts are constants
/// there), and lists of either.
std::string nodeFormFault(const Param &param);

/// Whether it has a list of operands, in which absent elements count, also at the end.
bool takesLists(const OpDef &def);

/// The text of the error for a node that does not have the lengths that its record needs: "has 3
/// operands, ...".
std::string missingSegmentsText(const OpDef &def, bool ofResults, size_t count);

} // namespace ge

#endif // GE_OPS_SCHEMA_OPSEGMENTS_H
