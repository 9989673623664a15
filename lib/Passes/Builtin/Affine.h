//===- Affine.h - y = scale * x + shift for each channel --------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_AFFINE_H
#define GE_LIB_PASSES_BUILTIN_AFFINE_H

#include "PassEditor.h"

namespace ge::builtin {

/// The effect of BatchNormalization, or of Mul, Add, Sub and Div with constants, on the channels
/// (dimension 1).
struct Affine {
  Value *x = nullptr;
  std::vector<double> scale, shift; ///< of each channel
};

/// Returns nullopt if the node is not affine in this sense, or its numbers are unknown.
std::optional<Affine> affineOf(PassEditor &rewriter, const Node *node, int64_t channels);

/// Whether passes compute with numbers of this type.
bool isReal(DType dtype);
/// The elements of a constant of floats, one for each channel; nullopt when it has another number
/// of them, but one, which counts for all.
std::optional<std::vector<double>> perChannel(PassEditor &rewriter, const Value *value,
                                              int64_t channels);
/// All elements of a tensor of floats.
std::vector<double> realElements(const Tensor &tensor);
/// a * b; NaN where that is zero and none of them is, so that normalTensor() refuses it.
double productOf(double a, double b);
/// As realTensor(); null where a number is not finite, or not zero and too small to be normal: it
/// would have fewer digits than the numbers that it was computed from.
TensorPtr normalTensor(const Type *type, const std::vector<double> &values);
TensorPtr normalSplat(const Type *type, double value);
/// Numbers rounded to the element type; a splat where all are the same.
TensorPtr realTensor(const Type *type, const std::vector<double> &values);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_AFFINE_H
