//===- DLPack.cpp - element types and tensors in DLPack's form ---------------------------------===//
#include "ge/Run/Value/DLPack.h"

#include "ge/IR/Context.h"
#include "ge/IR/TensorBytes.h"
#include "ge/Support/Error.h"
#include "ge/Support/ReleaseDelay.h"

#include <array>
#include <cstring>
#include <memory>
#include <tuple>
#include <vector>

namespace ge {

namespace {

struct DlpackRow {
  DType dtype;
  uint8_t code, bits;
};
constexpr DlpackRow kTypes[] = {
    {DType::F32, 2, 32},        {DType::F64, 2, 64},        {DType::F16, 2, 16},
    {DType::BF16, 4, 16},       {DType::I8, 0, 8},          {DType::I16, 0, 16},
    {DType::I32, 0, 32},        {DType::I64, 0, 64},        {DType::U8, 1, 8},
    {DType::U16, 1, 16},        {DType::U32, 1, 32},        {DType::U64, 1, 64},
    {DType::Bool, 6, 8},        {DType::C64, 5, 64},        {DType::C128, 5, 128},
    {DType::F8E4M3FN, 10, 8},   {DType::F8E4M3FNUZ, 11, 8}, {DType::F8E5M2, 12, 8},
    {DType::F8E5M2FNUZ, 13, 8}, {DType::F8E8M0FNU, 14, 8}};

/// DLPack's types by the number of GE's element type.
constexpr auto kByNumber = [] {
  std::array<DLDataType, 256> all{};
  for (const DlpackRow &row : kTypes)
    all[size_t(row.dtype)] = {row.code, row.bits, 1};
  return all;
}();

constexpr uint64_t kReadOnly = 1; // DLPACK_FLAG_BITMASK_READ_ONLY

void deleteManaged(void *managed) {
  auto *m = static_cast<DLManagedTensorVersioned *>(managed);
  if (m->deleter)
    m->deleter(m);
}

/// What exportTensor() gives: a reference to the tensor, and its shape.
struct ExportedTensor {
  DLManagedTensorVersioned managed;
  TensorPtr tensor;
  std::vector<int64_t> shape, strides;
};

} // namespace

DLDataType dlpackType(DType dtype) { return kByNumber[size_t(dtype)]; }

DLDataType needDlpackType(DType dtype) {
  DLDataType type = dlpackType(dtype);
  if (!type.bits)
    throwError(ErrorKind::Type, "DLPack has no element type for '", info(dtype).name, "'");
  return type;
}

DType dtypeOf(DLDataType type) {
  for (const DlpackRow &row : kTypes)
    if (type.lanes == 1 && row.code == type.code && row.bits == type.bits)
      return row.dtype;
  return DType::Undefined;
}

DType needDtypeOf(DLDataType type) {
  DType dtype = dtypeOf(type);
  if (dtype == DType::Undefined)
    throwError(ErrorKind::Type, "no element type corresponds to DLPack's code ", int(type.code),
               ", bits ", int(type.bits), ", lanes ", int(type.lanes));
  return dtype;
}

bool isCompact(const DLTensor &t) {
  int64_t expected = 1;
  for (int32_t i = t.strides ? t.ndim : 0; i-- > 0;) {
    if (t.shape[i] == 0)
      return true;
    if (t.shape[i] != 1 && t.strides[i] != expected)
      return false;
    expected *= t.shape[i];
  }
  return true;
}

void copyCompact(const DLTensor &t, void *out) {
  auto *to = static_cast<char *>(out);
  const char *data = static_cast<const char *>(t.data) + t.byte_offset;
  size_t width = size_t(t.dtype.bits / 8) * t.dtype.lanes, count = 1;
  for (int32_t i = 0; i < t.ndim; ++i)
    count *= size_t(t.shape[i]);
  if (count == 0)
    return;
  if (isCompact(t)) {
    std::memcpy(to, data, count * width);
    return;
  }
  std::vector<int64_t> at(size_t(t.ndim), 0);
  for (size_t n = 0; n < count; ++n) {
    int64_t offset = 0;
    for (int32_t i = 0; i < t.ndim; ++i)
      offset += at[size_t(i)] * t.strides[i];
    std::memcpy(to + n * width, data + offset * int64_t(width), width);
    for (int32_t i = t.ndim; i-- > 0;) {
      if (++at[size_t(i)] < t.shape[i])
        break;
      at[size_t(i)] = 0;
    }
  }
}

TensorPtr importTensor(Context &context, DLManagedTensorVersioned *managed) {
  if (managed->version.major != DLPACK_MAJOR_VERSION)
    throwError(ErrorKind::Value, "DLPack version ", managed->version.major, ".",
               managed->version.minor, " is not supported; ", DLPACK_MAJOR_VERSION, ".x is");
  const DLTensor &t = managed->dl_tensor;
  if (t.device.device_type != kCpuDevice)
    throwError(ErrorKind::Value, "the tensor is on DLPack device type ", t.device.device_type,
               "; copy it to the CPU");
  TensorTypeSpec spec;
  spec.dtype = needDtypeOf(t.dtype);
  if (t.ndim < 0)
    throwError(ErrorKind::Value, "the tensor has ", t.ndim, " dimensions");
  if (t.ndim && !t.shape)
    throwError(ErrorKind::Type, "'shape' is NULL");
  std::vector<Dim> dims;
  size_t width = t.dtype.bits / 8, bytes = 0;
  int64_t count = 1;
  for (int32_t i = 0; i < t.ndim; ++i) {
    if (t.shape[i] < 0 || __builtin_mul_overflow(count, t.shape[i], &count))
      throwError(ErrorKind::Value, "the shape of the tensor is impossible");
    dims.push_back({t.shape[i], nullptr});
  }
  if (__builtin_mul_overflow(size_t(count), width, &bytes))
    throwError(ErrorKind::Overflow, "the tensor is too large");
  if (count != 0 && !t.data)
    throwError(ErrorKind::Type, "'data' is NULL");
  spec.shape = dims;
  const Type *type = context.tensorType(spec);
  if (count != 0 && !isCompact(t)) {
    std::vector<char> copy(bytes);
    copyCompact(t, copy.data());
    TensorPtr made = TensorPtr::adopt(Tensor::copy(type, copy.data(), copy.size()));
    deleteManaged(managed);
    return made;
  }
  auto foreign = std::make_unique<ForeignRelease>(ForeignRelease{deleteManaged, managed, nullptr});
  TensorPtr made = TensorPtr::adopt(Tensor::borrow(
      type, static_cast<const char *>(t.data) + (t.data ? t.byte_offset : 0), bytes,
      [](void *f) { runOrDelay(static_cast<ForeignRelease *>(f)); }, foreign.get()));
  std::ignore = foreign.release(); // the tensor's now
  return made;
}

DLManagedTensorVersioned *exportTensor(const Tensor &tensor) {
  auto exported = std::make_unique<ExportedTensor>();
  DLTensor &t = exported->managed.dl_tensor;
  t = {};
  t.dtype = needDlpackType(tensor.type()->dtype());
  checkFile(tensor);
  std::span<const Dim> dims = tensor.type()->shape();
  int64_t stride = 1;
  exported->shape.resize(dims.size());
  exported->strides.resize(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    exported->shape[i] = dims[i].size;
    // A splat is one element that every index reads.
    exported->strides[i] = tensor.isSplat() ? 0 : stride;
    stride *= dims[i].size;
  }
  t.data = const_cast<char *>(tensor.bytes().data());
  t.device = {kCpuDevice, 0};
  t.ndim = int32_t(dims.size());
  t.shape = exported->shape.data();
  t.strides = exported->strides.data();
  exported->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  exported->managed.flags = kReadOnly;
  exported->managed.deleter = [](DLManagedTensorVersioned *managed) {
    delete static_cast<ExportedTensor *>(managed->manager_ctx);
  };
  exported->managed.manager_ctx = exported.get();
  exported->tensor = TensorPtr(&tensor);
  return &exported.release()->managed;
}

} // namespace ge
