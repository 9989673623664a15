//===- Affine.cpp - y = scale * x + shift for each channel ------------------------------------===//
//
// Computes numbers and rewrites nothing, so it needs no matcher.
//
#include "Affine.h"

#include "ge/IR/FloatFormat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ge::builtin {

bool isReal(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::F16 || dtype == DType::BF16;
}

namespace {

/// Limit for the number of channels, which a model may state at no cost: a splat can have any
/// number.
constexpr int64_t kMostChannels = 1 << 20;

std::optional<Affine> normalization(PassEditor &r, const Node *node, int64_t channels) {
  if (intAttr(node, "training_mode", 0) != 0 || intAttr(node, "spatial", 1) != 1 ||
      (r.opset() < 7 && intAttr(node, "is_test", 0) == 0) || node->numOperands() != 5)
    return std::nullopt;
  std::optional<std::vector<double>> numbers[4];
  for (uint32_t i = 0; i != 4; ++i) {
    numbers[i] =
        node->operand(i + 1) ? perChannel(r, node->operand(i + 1), channels) : std::nullopt;
    if (!numbers[i])
      return std::nullopt;
  }
  const auto &[gamma, beta, mean, variance] = numbers;
  Affine affine{node->operand(0), {}, {}};
  // Converted as it is stored, to a float.
  double epsilon = double(float(floatAttr(node, "epsilon", 1e-5)));
  for (size_t i = 0; i != size_t(channels); ++i) {
    double scale = (*gamma)[i] / std::sqrt((*variance)[i] + epsilon);
    if (!std::isfinite(scale))
      return std::nullopt;
    affine.scale.push_back(scale);
    affine.shift.push_back((*beta)[i] - (*mean)[i] * scale);
  }
  return affine;
}

/// The constant is the same along all dimensions but 1, and does not make the result larger.
bool isByChannel(const Value *constant, const Value *x, int64_t channels) {
  int64_t rank = rankOf(x), own = rankOf(constant);
  if (own < 0 || own > rank || rank < 2)
    return false;
  for (int64_t i = 0; i != own; ++i) {
    const Dim &dim = shapeOf(constant)[size_t(i)];
    bool isChannel = i + rank - own == 1;
    if (dim.size != 1 && !(isChannel && dim.size == channels))
      return false;
  }
  return true;
}

std::optional<Affine> arithmetic(PassEditor &r, const Node *node, int64_t channels) {
  if (r.opset() < 7 || node->numOperands() != 2 || !node->operand(0) || !node->operand(1))
    return std::nullopt;
  bool isSum = isOnnx(node, "Add"), isDifference = isOnnx(node, "Sub");
  bool isProduct = isOnnx(node, "Mul"), isQuotient = isOnnx(node, "Div");
  if (!isSum && !isDifference && !isProduct && !isQuotient)
    return std::nullopt;
  for (uint32_t i : {1u, 0u}) {
    if (i == 0 && !isSum && !isProduct)
      break;
    Value *x = node->operand(1 - i), *constant = node->operand(i);
    std::optional<std::vector<double>> numbers;
    if (isByChannel(constant, x, channels))
      numbers = perChannel(r, constant, channels);
    if (!numbers)
      continue;
    Affine affine{x, std::vector<double>(size_t(channels), 1.0),
                  std::vector<double>(size_t(channels), 0.0)};
    for (size_t k = 0; k != size_t(channels); ++k) {
      double number = (*numbers)[k];
      (isSum || isDifference ? affine.shift[k] : affine.scale[k]) = isDifference ? -number
                                                                    : isQuotient ? 1 / number
                                                                                 : number;
      if (!std::isfinite(affine.scale[k]))
        return std::nullopt;
    }
    return affine;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::vector<double>> perChannel(PassEditor &r, const Value *value, int64_t channels) {
  TensorPtr tensor = r.constant(value);
  if (!tensor || !isReal(tensor->type()->dtype()) || channels < 1 || channels > kMostChannels)
    return std::nullopt;
  if (tensor->numElements() == 1)
    return std::vector<double>(size_t(channels), elementAt(*tensor, 0));
  return tensor->numElements() == channels ? std::optional(realElements(*tensor)) : std::nullopt;
}

std::optional<Affine> affineOf(PassEditor &r, const Node *node, int64_t channels) {
  if (channels > kMostChannels)
    return std::nullopt;
  return isOnnx(node, "BatchNormalization") ? normalization(r, node, channels)
                                            : arithmetic(r, node, channels);
}

std::vector<double> realElements(const Tensor &tensor) {
  auto count = size_t(tensor.numElements());
  if (tensor.isSplat() && count != 0)
    return std::vector<double>(count, elementAt(tensor, 0));
  DType dtype = tensor.type()->dtype();
  size_t width = tensor.elementSize();
  std::vector<char> bytes(tensor.denseSize());
  tensor.copyDense(bytes.data());
  std::vector<double> values(count);
  for (size_t i = 0; i != count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * width], width);
    values[i] = dtype == DType::F32 ? double(std::bit_cast<float>(uint32_t(bits)))
                                    : decodeFloat(dtype, bits);
  }
  return values;
}

double productOf(double a, double b) {
  double product = a * b;
  return product == 0 && a != 0 && b != 0 ? std::numeric_limits<double>::quiet_NaN() : product;
}

/// Finite after rounding to the type, and zero or normal.
static bool isNormal(DType dtype, double value) {
  if (value == 0)
    return true;
  int leastExponent = dtype == DType::F64 ? -1022 : dtype == DType::F16 ? -14 : -126;
  double rounded =
      dtype == DType::F32 ? double(float(value)) : decodeFloat(dtype, encodeFloat(dtype, value));
  return std::isfinite(rounded) && std::fabs(rounded) >= std::ldexp(1.0, leastExponent);
}

static TensorPtr realSplat(const Type *type, double value) {
  uint64_t bits = encodeFloat(type->dtype(), value);
  return TensorPtr::adopt(Tensor::splat(type, &bits, info(type->dtype()).bits / 8));
}

TensorPtr normalSplat(const Type *type, double value) {
  return isNormal(type->dtype(), value) ? realSplat(type, value) : TensorPtr();
}

TensorPtr normalTensor(const Type *type, const std::vector<double> &values) {
  DType dtype = type->dtype();
  bool allNormal =
      std::ranges::all_of(values, [dtype](double value) { return isNormal(dtype, value); });
  return allNormal ? realTensor(type, values) : TensorPtr();
}

TensorPtr realTensor(const Type *type, const std::vector<double> &values) {
  if (values.size() > 1 &&
      std::ranges::adjacent_find(values, std::not_equal_to<>()) == values.end())
    return realSplat(type, values[0]);
  size_t width = info(type->dtype()).bits / 8;
  std::vector<char> bytes(values.size() * width);
  for (size_t i = 0; i != values.size(); ++i) {
    uint64_t bits = type->dtype() == DType::F32 ? std::bit_cast<uint32_t>(float(values[i]))
                                                : encodeFloat(type->dtype(), values[i]);
    std::memcpy(&bytes[i * width], &bits, width);
  }
  return TensorPtr::adopt(Tensor::copy(type, bytes.data(), bytes.size()));
}

} // namespace ge::builtin
