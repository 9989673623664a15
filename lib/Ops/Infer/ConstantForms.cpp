//===- ConstantForms.cpp - onnx.Constant without a tensor -------------------------------------===//
#include "ge/Ops/Infer/Infer.h"

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

} // namespace

TensorPtr constantContents(const Value *value) {
  if (const Tensor *tensor = constantTensor(value))
    return TensorPtr(tensor);
  const Node *node = value->node();
  if (node->op()->domain() != "onnx" || node->op()->type() != "Constant")
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
  if (Attribute a = node->attribute("value_ints");
      a.kind() == AttrKind::Array && a.width() == DType::I64)
    return tensorOf(context, DType::I64, a.ints(), false);
  if (Attribute a = node->attribute("value_floats");
      a.kind() == AttrKind::Array && a.width() == DType::F32)
    return tensorOf(context, DType::F32, a.floats(), false);
  return {};
}

} // namespace ge
