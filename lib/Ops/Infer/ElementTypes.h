//===- ElementTypes.h - element types of operands and results against their variables ----------===//
#ifndef GE_LIB_OPS_INFER_ELEMENTTYPES_H
#define GE_LIB_OPS_INFER_ELEMENTTYPES_H

namespace ge {

class InferContext;

/// False, with an error, when an operand has an element type that its parameter does not allow, or
/// another one than an operand of the same type variable. Says nothing of what is not a tensor.
bool checkElementTypes(InferContext &c);
/// The same of the results, which are inferred.
void checkResultTypes(InferContext &c);

} // namespace ge

#endif // GE_LIB_OPS_INFER_ELEMENTTYPES_H
