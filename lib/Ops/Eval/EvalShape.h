//===- EvalShape.h - arithmetic on small known tensors ----------------------------------------===//
//
// The evaluation functions of the native table: called after inference, they compute the contents
// of result 0 (Split: of all results) from known operands, and otherwise do nothing. Symbols are
// kept if the value is certainly that symbol: N + 0, N * 1, N / 1, max(N, N).
//
#ifndef GE_LIB_OPS_EVAL_EVALSHAPE_H
#define GE_LIB_OPS_EVAL_EVALSHAPE_H

#include <cstdint>

namespace ge {

class InferContext;

// One operand, element by element.
void evalAbs(InferContext &c);
void evalCeil(InferContext &c);
void evalFloor(InferContext &c);
void evalNeg(InferContext &c);
void evalNot(InferContext &c);
void evalRelu(InferContext &c);
void evalRound(InferContext &c);
void evalSqrt(InferContext &c);
void evalCast(InferContext &c);
// Two, broadcast; Add, Max and Min take any number.
void evalAdd(InferContext &c);
void evalAnd(InferContext &c);
void evalDiv(InferContext &c);
void evalEqual(InferContext &c);
void evalFloorDiv(InferContext &c);
void evalGreater(InferContext &c);
void evalGreaterOrEqual(InferContext &c);
void evalLess(InferContext &c);
void evalLessOrEqual(InferContext &c);
void evalMax(InferContext &c);
void evalMin(InferContext &c);
void evalMod(InferContext &c);
void evalMul(InferContext &c);
void evalOr(InferContext &c);
void evalPow(InferContext &c);
void evalSub(InferContext &c);
void evalWhere(InferContext &c);
// Reductions of a vector to one element.
void evalReduceMax(InferContext &c);
void evalReduceMin(InferContext &c);
void evalReduceProd(InferContext &c);
void evalReduceSum(InferContext &c);
// Selections by position. evalCopy: the same elements with another shape.
void evalCopy(InferContext &c);
void evalConcat(InferContext &c);
void evalExpand(InferContext &c);
void evalGather(InferContext &c);
void evalSlice(InferContext &c);
void evalSplit(InferContext &c);
void evalTranspose(InferContext &c);
// Contents that follow from types, attributes and scalars.
void evalConstant(InferContext &c);
void evalConstantOfShape(InferContext &c);
void evalRange(InferContext &c);
void evalShapeOf(InferContext &c);
void evalSize(InferContext &c);

// Functions whose callers pass what are attributes in ONNX.
/// Operands from `begin` to `end` (excluded), one after the other.
void concatContents(InferContext &c, uint32_t begin, uint32_t end, int64_t axis);
/// All operands, scalars, as a vector.
void packContents(InferContext &c);
void gatherContents(InferContext &c, int64_t axis);
/// `count` elements of a vector; negative: all the others.
void sliceContents(InferContext &c, int64_t offset, int64_t count);

} // namespace ge

#endif // GE_LIB_OPS_EVAL_EVALSHAPE_H
