//===- Elementwise.cpp - unary, binary, variadic, casts ---------------------------------------===//
#include "../../Eval/EvalShape.h"
#include "../InferRows.h"

namespace ge {
namespace {

/// Of one operand with a result of other elements.
void setShapeOf(InferContext &c, uint32_t operand, DType dtype) {
  if (c.isRanked(operand))
    c.setTensor(0, dtype, c.shape(operand));
  else
    c.setUnranked(0, dtype);
}

/// Before version 7 the second operand was fitted to the first by `broadcast` and `axis`.
bool isOldBroadcast(InferContext &c) { return c.version() < 7; }

/// The exponent may be of another type.
void pow(InferContext &c) {
  if (isOldBroadcast(c))
    return likeOperand(c);
  broadcastOperands(c, c.dtype(0), {0, 1});
}

/// The slope is fitted to the first operand, one way.
void prelu(InferContext &c) {
  commonDType(c, {0, 1});
  likeOperand(c);
}

void clip(InferContext &c) {
  commonDType(c, {0, 1, 2});
  likeOperand(c);
}

void cast(InferContext &c) {
  DType to = c.dtypeAttr("to");
  if (to == DType::Undefined)
    return c.fail("attribute 'to' must be an element type");
  setShapeOf(c, 0, to);
}

void castLike(InferContext &c) { setShapeOf(c, 0, c.dtype(1)); }

void bitCast(InferContext &c) {
  DType to = c.dtypeAttr("to"), from = c.dtype(0);
  if (to == DType::Undefined || from == DType::Undefined)
    return;
  if (info(to).bits != info(from).bits)
    return c.failAt(0, "has ", unsigned(info(from).bits), " bits per element, ", info(to).name,
                    " has ", unsigned(info(to).bits));
  setShapeOf(c, 0, to);
}

void dropout(InferContext &c) {
  likeOperand(c);
  DType mask = c.version() >= 10 ? DType::Bool : c.dtype(0);
  if (c.numResults() < 2 || !c.has(0))
    return;
  if (c.isRanked(0))
    c.setTensor(1, mask, c.shape(0));
  else
    c.setUnranked(1, mask);
}

void bernoulli(InferContext &c) { setShapeOf(c, 0, c.dtypeAttr("dtype", c.dtype(0))); }

void stringConcat(InferContext &c) { broadcastOperands(c, DType::String, {0, 1}); }

constexpr InferRow kElementwiseRows[] = {
    {"Abs", inferSame, evalAbs},
    {"Acos", inferSame},
    {"Acosh", inferSame},
    {"Asin", inferSame},
    {"Asinh", inferSame},
    {"Atan", inferSame},
    {"Atanh", inferSame},
    {"BitwiseNot", inferSame},
    {"Ceil", inferSame, evalCeil},
    {"Celu", inferSame},
    {"Cos", inferSame},
    {"Cosh", inferSame},
    {"Elu", inferSame},
    {"Erf", inferSame},
    {"Exp", inferSame},
    {"Floor", inferSame, evalFloor},
    {"Gelu", inferSame},
    {"HardSigmoid", inferSame},
    {"HardSwish", inferSame},
    {"Identity", inferSame, evalCopy},
    {"LeakyRelu", inferSame},
    {"Log", inferSame},
    {"Mish", inferSame},
    {"Neg", inferSame, evalNeg},
    {"Not", inferSame, evalNot},
    {"Reciprocal", inferSame},
    {"Relu", inferSame, evalRelu},
    {"Round", inferSame, evalRound},
    {"Selu", inferSame},
    {"Shrink", inferSame},
    {"Sigmoid", inferSame},
    {"Sign", inferSame},
    {"Sin", inferSame},
    {"Sinh", inferSame},
    {"Softplus", inferSame},
    {"Softsign", inferSame},
    {"Sqrt", inferSame, evalSqrt},
    {"Swish", inferSame},
    {"Tan", inferSame},
    {"Tanh", inferSame},
    {"ThresholdedRelu", inferSame},
    {"Clip", clip},
    {"PRelu", prelu},
    {"IsInf", inferPredicate},
    {"IsNaN", inferPredicate},
    {"Add", inferBinary, evalAdd},
    {"BitShift", inferBinary},
    {"BitwiseAnd", inferBinary},
    {"BitwiseOr", inferBinary},
    {"BitwiseXor", inferBinary},
    {"Div", inferBinary, evalDiv},
    {"Mod", inferBinary, evalMod},
    {"Mul", inferBinary, evalMul},
    {"Sub", inferBinary, evalSub},
    {"SwiGLU", inferBinary},
    {"Pow", pow, evalPow},
    {"And", inferComparison, evalAnd},
    {"Or", inferComparison, evalOr},
    {"Xor", inferComparison},
    {"Equal", inferComparison, evalEqual},
    {"Greater", inferComparison, evalGreater},
    {"GreaterOrEqual", inferComparison, evalGreaterOrEqual},
    {"Less", inferComparison, evalLess},
    {"LessOrEqual", inferComparison, evalLessOrEqual},
    {"Max", inferVariadic, evalMax},
    {"Mean", inferVariadic},
    {"Min", inferVariadic, evalMin},
    {"Sum", inferVariadic, evalAdd},
    {"Where", inferWhere, evalWhere},
    {"Cast", cast, evalCast},
    {"CastLike", castLike, evalCast},
    {"BitCast", bitCast},
    {"Dropout", dropout},
    {"Bernoulli", bernoulli},
    {"StringConcat", stringConcat},
};

} // namespace

void inferSame(InferContext &c) { likeOperand(c); }
void inferPredicate(InferContext &c) { setShapeOf(c, 0, DType::Bool); }

void inferBinary(InferContext &c) {
  if (isOldBroadcast(c))
    return likeOperand(c);
  const Type *a = c.operand(0);
  if (a && a == c.operand(1)) // most calls; needs no look-up of the type
    return c.setResult(0, a);
  broadcastOperands(c, commonDType(c, {0, 1}), {0, 1});
}

void inferComparison(InferContext &c) {
  commonDType(c, {0, 1});
  if (c.failed())
    return;
  if (isOldBroadcast(c))
    return setShapeOf(c, 0, DType::Bool);
  broadcastOperands(c, DType::Bool, {0, 1});
}

void inferVariadic(InferContext &c) {
  uint32_t n = c.numOperands();
  DType dtype = commonDType(c, 0, n);
  if (c.failed() || n == 0)
    return;
  Dims dims;
  for (uint32_t i = 0; i != n; ++i) {
    if (!c.isRanked(i))
      return c.setUnranked(0, dtype);
    if (!broadcastInto(dims, c.shape(i)))
      return c.failAt(i, "does not broadcast with the operands before it");
  }
  c.setTensor(0, dtype, dims);
}

void inferWhere(InferContext &c) {
  if (DType t = c.dtype(0); t != DType::Undefined && t != DType::Bool)
    return c.failAt(0, "must be bool");
  broadcastOperands(c, commonDType(c, {1, 2}), {0, 1, 2});
}

std::span<const InferRow> elementwiseRows() { return kElementwiseRows; }

} // namespace ge
