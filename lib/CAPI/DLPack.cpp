//===- DLPack.cpp - ge-c/Kernels.h: tensors in and out by DLPack -------------------------------===//

#include "Guard.h"

#include "ge-c/Kernels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

using namespace ge;
using namespace ge::capi;

namespace {

struct TypeRow {
  const char *name;
  uint8_t code, bits;
};
constexpr TypeRow kTypes[] = {
    {"f32", 2, 32},        {"f64", 2, 64},    {"f16", 2, 16},        {"bf16", 4, 16},
    {"i8", 0, 8},          {"i16", 0, 16},    {"i32", 0, 32},        {"i64", 0, 64},
    {"u8", 1, 8},          {"u16", 1, 16},    {"u32", 1, 32},        {"u64", 1, 64},
    {"bool", 6, 8},        {"c64", 5, 64},    {"c128", 5, 128},      {"f8e4m3fn", 10, 8},
    {"f8e4m3fnuz", 11, 8}, {"f8e5m2", 12, 8}, {"f8e5m2fnuz", 13, 8}, {"f8e8m0fnu", 14, 8}};

/// DLPack's types by the number of GE's element type; `bits` is 0 for types that DLPack lacks.
struct TypeTable {
  static constexpr size_t kMost = 64;
  std::array<DLDataType, kMost> types{};
  TypeTable() {
    for (const TypeRow &row : kTypes) {
      GeDType dtype = 0;
      if (geDTypeFromName(stringRef(std::string_view(row.name)), &dtype) == GE_OK &&
          size_t(dtype) < kMost)
        types[size_t(dtype)] = {row.code, row.bits, 1};
    }
  }
  static const TypeTable &get() {
    static const TypeTable table;
    return table;
  }
};

constexpr int32_t kCpu = 1;
constexpr uint64_t kReadOnly = 1; // DLPACK_FLAG_BITMASK_READ_ONLY

/// The failure that the last call of the C API left.
[[noreturn]] void rethrow() {
  throw Error(ErrorKind(geErrorStatus()), std::string(text(geErrorMessage(), "message")));
}
void must(GeStatus status) {
  if (status != GE_OK)
    rethrow();
}

bool isCompact(const DLTensor &t) {
  if (!t.strides)
    return true;
  int64_t expected = 1;
  for (int32_t i = t.ndim; i-- > 0;) {
    if (t.shape[i] != 1 && t.strides[i] != expected)
      return false;
    expected *= t.shape[i];
  }
  return true;
}

/// The elements one after another.
std::vector<char> compacted(const DLTensor &t, int64_t count, size_t width) {
  std::vector<char> bytes(size_t(count) * width);
  const char *data = static_cast<const char *>(t.data) + t.byte_offset;
  std::vector<int64_t> at(size_t(t.ndim), 0);
  for (int64_t n = 0; n < count; ++n) {
    int64_t offset = 0;
    for (int32_t i = 0; i < t.ndim; ++i)
      offset += at[size_t(i)] * t.strides[i];
    std::memcpy(&bytes[size_t(n) * width], data + offset * int64_t(width), width);
    for (int32_t i = t.ndim; i-- > 0;) {
      if (++at[size_t(i)] < t.shape[i])
        break;
      at[size_t(i)] = 0;
    }
  }
  return bytes;
}

void deleteManaged(void *managed) {
  auto *m = static_cast<DLManagedTensorVersioned *>(managed);
  if (m->deleter)
    m->deleter(m);
}

/// What geTensorToDLPack gives: a reference to the tensor, and its shape.
struct Exported {
  DLManagedTensorVersioned managed;
  GeTensor *tensor;
  std::vector<int64_t> shape, strides;
};
void deleteExported(DLManagedTensorVersioned *managed) {
  auto *exported = static_cast<Exported *>(managed->manager_ctx);
  geTensorRelease(exported->tensor);
  delete exported;
}

} // namespace

GeStatus geDTypeToDLPack(GeDType dtype, DLDataType *out) {
  return guarded([&] {
    DLDataType &type = result(out);
    const TypeTable &table = TypeTable::get();
    if (size_t number = size_t(dtype); number < table.types.size() && table.types[number].bits) {
      type = table.types[number];
      return;
    }
    GeDTypeInfo info;
    must(geDTypeGetInfo(dtype, &info));
    throwError(ErrorKind::Type, "DLPack has no element type for '", info.name, "'");
  });
}

GeStatus geDTypeFromDLPack(DLDataType type, GeDType *out) {
  return guarded([&] {
    GeDType &dtype = result(out);
    const TypeTable &table = TypeTable::get();
    for (size_t i = 0; i < table.types.size() && type.lanes == 1; ++i)
      if (const DLDataType &row = table.types[i];
          row.bits && row.code == type.code && row.bits == type.bits) {
        dtype = GeDType(i);
        return;
      }
    throwError(ErrorKind::Type, "no element type corresponds to DLPack's code ", int(type.code),
               ", bits ", int(type.bits), ", lanes ", int(type.lanes));
  });
}

GeStatus geTensorFromDLPack(GeContext *context, DLManagedTensorVersioned *managed, GeTensor **out) {
  return guarded(context, [&] {
    GeTensor *&made = result(out);
    need(context);
    if (!managed)
      throwNull("managed");
    if (managed->version.major != DLPACK_MAJOR_VERSION)
      throwError(ErrorKind::Value, "DLPack version ", managed->version.major, ".",
                 managed->version.minor, " is not supported; ", DLPACK_MAJOR_VERSION, ".x is");
    const DLTensor &t = managed->dl_tensor;
    if (t.device.device_type != kCpu)
      throwError(ErrorKind::Value, "the tensor is on DLPack device type ", t.device.device_type,
                 "; copy it to the CPU");
    GeDType dtype;
    must(geDTypeFromDLPack(t.dtype, &dtype));
    if (t.ndim < 0)
      throwError(ErrorKind::Value, "the tensor has ", t.ndim, " dimensions");
    needArray(t.shape, size_t(t.ndim), "shape");
    std::vector<GeDim> dims;
    size_t width = t.dtype.bits / 8;
    int64_t count = 1;
    for (int32_t i = 0; i < t.ndim; ++i) {
      if (t.shape[i] < 0 || __builtin_mul_overflow(count, t.shape[i], &count))
        throwError(ErrorKind::Value, "the shape of the tensor is impossible");
      dims.push_back({t.shape[i], nullptr});
    }
    size_t bytes;
    if (__builtin_mul_overflow(size_t(count), width, &bytes))
      throwError(ErrorKind::Overflow, "the tensor is too large");
    if (count != 0 && !t.data)
      throwNull("data");
    GeTensorTypeSpec spec = {};
    spec.dtype = dtype;
    spec.ranked = true;
    spec.rank = dims.size();
    spec.shape = dims.data();
    GeType type;
    must(geTypeTensor(context, &spec, &type));
    if (count == 0 || isCompact(t)) {
      const char *data = static_cast<const char *>(t.data) + (t.data ? t.byte_offset : 0);
      must(geTensorBorrow(type, data, bytes, deleteManaged, managed, false, &made));
      return;
    }
    std::vector<char> copy = compacted(t, count, width);
    must(geTensorCopy(type, copy.data(), copy.size(), false, &made));
    deleteManaged(managed);
  });
}

GeStatus geTensorToDLPack(GeTensor *tensor, DLManagedTensorVersioned **out) {
  return guarded([&] {
    DLManagedTensorVersioned *&made = result(out);
    need(tensor, "tensor");
    GeTensorTypeSpec spec;
    must(geTypeGetTensorSpec(geTensorGetType(tensor), &spec));
    auto exported = std::make_unique<Exported>();
    DLTensor &t = exported->managed.dl_tensor;
    t = {};
    must(geDTypeToDLPack(spec.dtype, &t.dtype));
    const void *data;
    size_t bytes;
    must(geTensorGetBytes(tensor, &data, &bytes));
    int64_t stride = 1;
    exported->shape.resize(spec.rank);
    exported->strides.resize(spec.rank);
    for (size_t i = spec.rank; i-- > 0;) {
      exported->shape[i] = spec.shape[i].size;
      // A splat is one element that every index reads.
      exported->strides[i] = geTensorIsSplat(tensor) ? 0 : stride;
      stride *= spec.shape[i].size;
    }
    t.data = const_cast<void *>(data);
    t.device = {kCpu, 0};
    t.ndim = int32_t(spec.rank);
    t.shape = exported->shape.data();
    t.strides = exported->strides.data();
    exported->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    exported->managed.flags = kReadOnly;
    exported->managed.deleter = deleteExported;
    exported->managed.manager_ctx = exported.get();
    geTensorRetain(tensor);
    exported->tensor = tensor;
    made = &exported.release()->managed;
  });
}
