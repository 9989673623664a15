//===- TensorLayout.cpp - constants whose elements move -------------------------------------===//
#include "ge/Ops/Eval/TensorEvaluation.h"

#include "ge/Ops/Infer/Contents.h"
#include "ge/Support/Interrupt.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace ge {

namespace {

using Operands = std::span<const TensorPtr>;
using Results = std::span<TensorPtr>;

/// The type of result `i`, if these functions can compute it from `dtype`.
const Type *resultType(const ConstantCall &call, uint32_t i, DType dtype) {
  const Type *type = call.resultType(i);
  return type && type->isTensor() && type->hasStaticShape() && type->dtype() == dtype &&
                 type->numElements() >= 0 && dtype != DType::String
             ? type
             : nullptr;
}

/// The same bytes with another shape; mapped weights stay mapped.
bool reshape(const ConstantCall &call, Operands operands, Results results) {
  const TensorPtr &x = operands[0];
  const Type *type = x ? resultType(call, 0, x->type()->dtype()) : nullptr;
  if (!type || type->numElements() != x->numElements())
    return false;
  std::string_view bytes = x->bytes();
  if (x->isSplat()) {
    results[0] = filled(type, *x);
  } else if (x->file()) {
    results[0] =
        TensorPtr::adopt(Tensor::map(type, x->file(), x->fileOffset(), bytes.size(), x->packing()));
  } else {
    results[0] = TensorPtr::adopt(Tensor::borrow(
        type, bytes.data(), bytes.size(),
        [](void *owner) { static_cast<const Tensor *>(owner)->release(); },
        const_cast<Tensor *>(x.get()), x->packing()));
    x->retain();
  }
  return true;
}

Ints shapeOfTensor(const Tensor &tensor) { return *staticShape(tensor.type()); }

Ints stridesOf(const Ints &shape) {
  Ints strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

/// Element at c of the result is the one at start + sum(c * strides) of x.
TensorPtr gatherStrided(const Type *type, const Tensor &x, int64_t start, const Ints &strides) {
  if (isUniform(x))
    return filled(type, x);
  size_t width = x.elementSize();
  std::vector<char> from(x.denseSize());
  x.copyDense(from.data());
  std::vector<char> to(size_t(type->numElements()) * width);
  Ints shape = *staticShape(type), at(shape.size());
  int64_t position = start;
  Interrupt interrupt;
  for (size_t i = 0; i < to.size(); i += width) {
    interrupt.poll();
    std::memcpy(&to[i], &from[size_t(position) * width], width);
    for (size_t axis = shape.size(); axis-- > 0;) {
      position += strides[axis];
      if (++at[axis] < shape[axis])
        break;
      position -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  return TensorPtr::adopt(Tensor::copy(type, to.data(), to.size()));
}

bool transpose(const ConstantCall &call, Operands operands, Results results) {
  const TensorPtr &x = operands[0];
  const Type *type = x ? resultType(call, 0, x->type()->dtype()) : nullptr;
  if (!type || type->numElements() != x->numElements())
    return false;
  Ints shape = shapeOfTensor(*x), strides = stridesOf(shape), perm(shape.size()), moved;
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (call.attribute("perm")) {
    std::optional<Ints> given = call.intsAttr("perm");
    if (!given || given->size() != shape.size())
      return false;
    perm = *given;
  }
  for (size_t i = 0; i != perm.size(); ++i) {
    if (perm[i] < 0 || size_t(perm[i]) >= shape.size() ||
        type->shape()[i].size != shape[size_t(perm[i])])
      return false;
    moved.push_back(strides[size_t(perm[i])]);
  }
  results[0] = gatherStrided(type, *x, 0, moved);
  return true;
}

bool expand(const ConstantCall &call, Operands operands, Results results) {
  const TensorPtr &x = operands[0];
  const Type *type = x ? resultType(call, 0, x->type()->dtype()) : nullptr;
  Ints shape = x ? shapeOfTensor(*x) : Ints();
  if (!type || type->shape().size() < shape.size())
    return false;
  Ints strides(type->shape().size()), own = stridesOf(shape);
  for (size_t i = 0, offset = strides.size() - shape.size(); i != shape.size(); ++i) {
    if (shape[i] != 1 && shape[i] != type->shape()[offset + i].size)
      return false;
    strides[offset + i] = shape[i] == 1 ? 0 : own[i];
  }
  results[0] = gatherStrided(type, *x, 0, strides);
  return true;
}

std::optional<Ints> intsOf(const TensorPtr &tensor) {
  if (!tensor || !isInteger(tensor->type()->dtype()))
    return std::nullopt;
  std::optional<Contents> contents = Contents::of(*tensor);
  return contents ? contents->ints() : std::nullopt;
}

/// The list in operand `i`, or in the attribute of older operator sets; false when it is unknown.
bool listOf(const ConstantCall &call, Operands operands, size_t i, std::string_view name,
            std::optional<Ints> &out) {
  out = i < operands.size() && operands[i] ? intsOf(operands[i]) : call.intsAttr(name);
  return out || (!(i < operands.size() && operands[i]) && !call.attribute(name));
}

bool slice(const ConstantCall &call, Operands operands, Results results) {
  const TensorPtr &x = operands[0];
  const Type *type = x ? resultType(call, 0, x->type()->dtype()) : nullptr;
  std::optional<Ints> starts, ends, axes, steps;
  if (!type || !listOf(call, operands, 1, "starts", starts) ||
      !listOf(call, operands, 2, "ends", ends) || !listOf(call, operands, 3, "axes", axes) ||
      !listOf(call, operands, 4, "steps", steps) || !starts || !ends ||
      starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
      (steps && steps->size() != starts->size()))
    return false;
  Ints shape = shapeOfTensor(*x), strides = stridesOf(shape), out = shape;
  auto rank = int64_t(shape.size());
  int64_t first = 0;
  for (size_t i = 0; i != starts->size(); ++i) {
    int64_t axis = axes ? (*axes)[i] : int64_t(i), step = steps ? (*steps)[i] : 1;
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank || step == 0 || step == INT64_MIN)
      return false;
    int64_t size = shape[size_t(axis)], start = (*starts)[i], end = (*ends)[i];
    // The meaning is up to the runtime (Ops/Infer/Onnx/Index.cpp).
    if (size == 0 || (step < 0 && (end == INT32_MAX || end == INT64_MAX)))
      return false;
    start += start < 0 ? size : 0;
    end += end < 0 ? size : 0;
    start = std::clamp<int64_t>(start, 0, step < 0 ? size - 1 : size);
    end = std::clamp<int64_t>(end, step < 0 ? -1 : 0, size);
    int64_t span = step < 0 ? start - end : end - start, stride = std::abs(step);
    out[size_t(axis)] = size == 0 || span <= 0 ? 0 : (span - 1) / stride + 1;
    first += start * strides[size_t(axis)];
    strides[size_t(axis)] *= out[size_t(axis)] > 1 ? step : 0;
  }
  if (out != *staticShape(type))
    return false;
  results[0] = gatherStrided(type, *x, first, strides);
  return true;
}

bool split(const ConstantCall &call, Operands operands, Results results) {
  const TensorPtr &x = operands[0];
  if (!x)
    return false;
  Ints shape = shapeOfTensor(*x), strides = stridesOf(shape);
  int64_t axis = call.intAttr("axis", 0);
  axis += axis < 0 ? int64_t(shape.size()) : 0;
  if (axis < 0 || size_t(axis) >= shape.size())
    return false;
  int64_t begin = 0;
  for (uint32_t i = 0; i != results.size(); ++i) {
    const Type *type = resultType(call, i, x->type()->dtype());
    if (!type || type->shape().size() != shape.size())
      return false;
    int64_t size = type->shape()[size_t(axis)].size;
    if (size > shape[size_t(axis)] - begin)
      return false;
    for (size_t k = 0; k != shape.size(); ++k)
      if (int64_t(k) != axis && type->shape()[k].size != shape[k])
        return false;
    results[i] = gatherStrided(type, *x, begin * strides[size_t(axis)], strides);
    begin += size;
  }
  return begin == shape[size_t(axis)];
}

/// Numbers of elements before and after an axis.
struct Blocks {
  size_t outer = 1, inner = 1;
  Blocks(const Ints &shape, size_t axis) {
    for (size_t i = 0; i != shape.size(); ++i)
      (i < axis ? outer : inner) *= i == axis ? 1 : size_t(shape[i]);
  }
};

bool concat(const ConstantCall &call, Operands operands, Results results) {
  std::vector<const Type *> types;
  for (const TensorPtr &part : operands)
    types.push_back(part ? part->type() : nullptr);
  std::optional<size_t> axis = concatAxis(call, types);
  if (axis)
    results[0] = concatenate(call.resultType(0), *axis, operands);
  return axis.has_value();
}

} // namespace

std::optional<size_t> concatAxis(const ConstantCall &call, std::span<const Type *const> operands) {
  const Type *type =
      !operands.empty() && operands[0] ? resultType(call, 0, operands[0]->dtype()) : nullptr;
  if (!type || !call.attribute("axis"))
    return std::nullopt;
  Ints shape = *staticShape(type);
  int64_t axis = call.intAttr("axis", 0), total = 0;
  axis += axis < 0 ? int64_t(shape.size()) : 0;
  if (axis < 0 || size_t(axis) >= shape.size())
    return std::nullopt;
  for (const Type *part : operands) {
    std::optional<Ints> own = part ? staticShape(part) : std::nullopt;
    if (!own || part->dtype() != type->dtype() || own->size() != shape.size())
      return std::nullopt;
    total += (*own)[size_t(axis)];
    (*own)[size_t(axis)] = shape[size_t(axis)];
    if (*own != shape)
      return std::nullopt;
  }
  return total == shape[size_t(axis)] ? std::optional(size_t(axis)) : std::nullopt;
}

TensorPtr concatenate(const Type *type, size_t axis, std::span<const TensorPtr> parts) {
  std::vector<char> first = isUniform(*parts[0]) ? elementOf(*parts[0]) : std::vector<char>();
  if (!first.empty() && std::ranges::all_of(parts, [&](const TensorPtr &part) {
        return isUniform(*part) && elementOf(*part) == first;
      }))
    return filled(type, *parts[0]);
  size_t width = parts[0]->elementSize();
  Blocks blocks(*staticShape(type), axis);
  std::vector<char> to(size_t(type->numElements()) * width), from;
  size_t row = size_t(type->shape()[axis].size) * blocks.inner * width, begin = 0;
  Interrupt interrupt;
  for (const TensorPtr &part : parts) {
    from.resize(part->denseSize());
    part->copyDense(from.data());
    size_t length = size_t(part->type()->shape()[axis].size) * blocks.inner * width;
    for (size_t i = 0; i != blocks.outer && length != 0; ++i) {
      interrupt.pollBytes(length);
      std::memcpy(&to[i * row + begin], &from[i * length], length);
    }
    begin += length;
  }
  return TensorPtr::adopt(Tensor::copy(type, to.data(), to.size()));
}

EvaluateFunction evaluateLayout(const ConstantCall &call) {
  struct Row {
    std::string_view op;
    EvaluateFunction function;
  };
  static constexpr Row kRows[] = {
      {"Identity", reshape},  {"Reshape", reshape},     {"Flatten", reshape}, {"Squeeze", reshape},
      {"Unsqueeze", reshape}, {"Transpose", transpose}, {"Expand", expand},   {"Slice", slice},
      {"Split", split},       {"Concat", concat},
  };
  if (call.op()->domain() != "onnx")
    return nullptr;
  for (const Row &row : kRows)
    if (call.isOnnx(row.op))
      return row.function;
  return evaluateGather(call);
}

} // namespace ge
