//===- ElementTypes.h - element types of operands and results against their variables ----------===//
#ifndef GE_LIB_OPS_INFER_ELEMENTTYPES_H
#define GE_LIB_OPS_INFER_ELEMENTTYPES_H

namespace ge {

class InferContext;

/// Returns false, with an error, if an operand has an element type that its parameter does not
/// allow, or that differs from an operand with the same type variable. Operands that are not
/// tensors are not checked.
bool checkElementTypes(InferContext &c);
/// The same for results, whose types are inferred.
void checkResultTypes(InferContext &c);

} // namespace ge

#endif // GE_LIB_OPS_INFER_ELEMENTTYPES_H
