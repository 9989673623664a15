//===- TypeConstraints.cpp --------------------------------------------------------------------===//
#include "TypeConstraints.h"

#include "ge/Support/StringUtil.h"

#include <array>
#include <unordered_map>
#include <utility>

namespace ge {
namespace {

constexpr std::pair<DType, std::string_view> kOnnxNames[] = {
    {DType::F32, "float"},
    {DType::F16, "float16"},
    {DType::BF16, "bfloat16"},
    {DType::F64, "double"},
    {DType::I8, "int8"},
    {DType::I16, "int16"},
    {DType::I32, "int32"},
    {DType::I64, "int64"},
    {DType::U8, "uint8"},
    {DType::U16, "uint16"},
    {DType::U32, "uint32"},
    {DType::U64, "uint64"},
    {DType::C64, "complex64"},
    {DType::C128, "complex128"},
    {DType::I4, "int4"},
    {DType::U4, "uint4"},
    {DType::I2, "int2"},
    {DType::U2, "uint2"},
    {DType::F8E4M3FN, "float8e4m3fn"},
    {DType::F8E4M3FNUZ, "float8e4m3fnuz"},
    {DType::F8E5M2, "float8e5m2"},
    {DType::F8E5M2FNUZ, "float8e5m2fnuz"},
    {DType::F8E8M0FNU, "float8e8m0"},
    {DType::F4E2M1FN, "float4e2m1"},
    {DType::F6E2M3, "float6e2m3"},
    {DType::F6E3M2, "float6e3m2"},
};
static_assert(size_t(DType::Count_) <= 64);

struct Names {
  std::array<std::string_view, size_t(DType::Count_)> of;
  std::unordered_map<std::string_view, DType> dtypes;
  Names() {
    for (size_t i = 0; i < of.size(); ++i)
      of[i] = info(DType(i)).name;
    for (auto [dtype, name] : kOnnxNames)
      of[size_t(dtype)] = name;
    for (size_t i = 1; i < of.size(); ++i)
      dtypes.emplace(of[i], DType(i));
  }
  static const Names &get() {
    // Never destroyed: threads may be at work when the process ends.
    static const auto &names = *new Names;
    return names;
  }
};

/// Without `prefix` and a closing bracket; as it is otherwise.
std::string_view unwrapped(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix) || !text.ends_with(')'))
    return text;
  text.remove_prefix(prefix.size());
  text.remove_suffix(1);
  return text;
}

} // namespace

std::string_view constraintName(DType dtype) { return Names::get().of[size_t(dtype)]; }

uint64_t allowedDTypes(const TypeVar &variable) {
  if (variable.allowed.empty())
    return ~uint64_t(0);
  uint64_t dtypes = 0;
  for (std::string_view allowed : variable.allowed) {
    // ONNX takes a value where an optional one is allowed.
    std::string_view tensor = unwrapped(allowed, "optional(");
    auto found = Names::get().dtypes.find(unwrapped(tensor, "tensor("));
    if (tensor.starts_with("tensor(") && found != Names::get().dtypes.end())
      dtypes |= uint64_t(1) << size_t(found->second);
  }
  return dtypes;
}

std::string tensorConstraint(DType dtype) { return cat("tensor(", constraintName(dtype), ")"); }

bool isType(const TypeVar &variable) { return variable.name.find('(') != std::string::npos; }

} // namespace ge
