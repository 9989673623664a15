//===- ConstantForms.cpp - onnx.Constant without a tensor -------------------------------------===//
#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/Infer.h"

#include <optional>
#include <vector>

namespace ge {

namespace {

template <typename T>
TensorPtr tensorOf(Context &context, DType dtype, std::span<const T> values, bool isScalar) {
  Dim size{int64_t(values.size()), nullptr};
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = std::span<const Dim>(&size, isScalar ? 0 : 1);
  return TensorPtr::adopt(
      Tensor::copy(context.tensorType(spec), values.data(), values.size_bytes()));
}

/// A number or several, as builders, files and texts write them.
template <typename T, typename Read>
std::optional<std::vector<T>> numbersOf(Attribute a, AttrKind kind, const Read &read) {
  std::vector<T> numbers;
  if (a.kind() == AttrKind::List) {
    for (Attribute item : a.elements()) {
      if (item.kind() != kind)
        return std::nullopt;
      numbers.push_back(read(item));
    }
    return numbers;
  }
  if (a.kind() != AttrKind::Array || isFloat(a.width()) != (kind == AttrKind::Float) ||
      a.width() == DType::Bool)
    return std::nullopt;
  for (auto number : a.ints())
    numbers.push_back(T(number));
  for (auto number : a.floats())
    numbers.push_back(T(number));
  for (auto number : a.doubles())
    numbers.push_back(T(number));
  return numbers;
}

} // namespace

TensorPtr constantContents(const Value *value) {
  if (const Tensor *tensor = constantTensor(value))
    return TensorPtr(tensor);
  const Node *node = value->node();
  if (node->op()->domain() != "onnx" || node->op()->type() != "Constant" || isOpaque(node))
    return {};
  Context &context = node->context();
  if (Attribute a = node->attribute("value_int"); a.kind() == AttrKind::Int) {
    int64_t number = a.intValue();
    return tensorOf(context, DType::I64, std::span<const int64_t>(&number, 1), true);
  }
  if (Attribute a = node->attribute("value_float"); a.kind() == AttrKind::Float) {
    auto number = float(a.floatValue());
    return tensorOf(context, DType::F32, std::span<const float>(&number, 1), true);
  }
  auto integers = numbersOf<int64_t>(node->attribute("value_ints"), AttrKind::Int,
                                     [](Attribute item) { return item.intValue(); });
  if (integers)
    return tensorOf(context, DType::I64, std::span<const int64_t>(*integers), false);
  auto reals = numbersOf<float>(node->attribute("value_floats"), AttrKind::Float,
                                [](Attribute item) { return float(item.floatValue()); });
  if (reals)
    return tensorOf(context, DType::F32, std::span<const float>(*reals), false);
  return {};
}

} // namespace ge
