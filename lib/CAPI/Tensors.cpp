//===- Tensors.cpp - dense constant values ----------------------------------------------------===//

#include "Guard.h"

#include "ge/IR/TensorBytes.h"
#include "ge/Support/MappedFile.h"

using namespace ge;
using namespace ge::capi;

namespace {

Tensor::Packing packing(bool packed) {
  return packed ? Tensor::Packing::Packed : Tensor::Packing::Bytes;
}

void refuseStrings(const Tensor &tensor) {
  if (tensor.isString())
    throwError(ErrorKind::Type, "a tensor of strings has no bytes; read its elements one by one");
}

} // namespace

GeStatus geTensorBorrow(GeType type, const void *data, size_t bytes, void (*release)(void *owner),
                        void *owner, bool packed, GeTensor **out) {
  return guarded([&] {
    GeTensor *&made = result(out);
    needArray(static_cast<const char *>(data), bytes, "data");
    if (!release) {
      made =
          wrap(Tensor::borrow(need(type, "type"), data, bytes, nullptr, nullptr, packing(packed)));
      return;
    }
    auto foreign = std::make_unique<ForeignRelease>(ForeignRelease{release, owner, nullptr});
    made = wrap(Tensor::borrow(
        need(type, "type"), data, bytes,
        [](void *f) { runOrDelay(static_cast<ForeignRelease *>(f)); }, foreign.get(),
        packing(packed)));
    std::ignore = foreign.release(); // the tensor's now
  });
}

GeStatus geTensorCopy(GeType type, const void *data, size_t bytes, bool packed, GeTensor **out) {
  return guarded([&] {
    GeTensor *&made = result(out);
    needArray(static_cast<const char *>(data), bytes, "data");
    made = wrap(Tensor::copy(need(type, "type"), data, bytes, packing(packed)));
  });
}

GeStatus geTensorMapFile(GeType type, GeStringRef path, size_t offset, size_t bytes, bool packed,
                         GeTensor **out) {
  return guarded([&] {
    GeTensor *&made = result(out);
    const Type *t = need(type, "type");
    std::string_view name = text(path, "path");
    if (name.find('\0') != std::string_view::npos)
      throwError(ErrorKind::Value, "a path has no NUL");
    made =
        wrap(Tensor::map(t, MappedFile::open(std::string(name)), offset, bytes, packing(packed)));
  });
}

GeStatus geTensorSplat(GeType type, const void *element, size_t bytes, GeTensor **out) {
  return guarded([&] {
    GeTensor *&made = result(out);
    needArray(static_cast<const char *>(element), bytes, "element");
    made = wrap(Tensor::splat(need(type, "type"), element, bytes));
  });
}

GeStatus geTensorStrings(GeType type, const GeStringRef *elements, size_t count, GeTensor **out) {
  return guarded([&] {
    GeTensor *&made = result(out);
    needArray(elements, count, "elements");
    std::vector<std::string> strings;
    strings.reserve(count);
    for (size_t i = 0; i < count; ++i)
      strings.emplace_back(text(elements[i], "elements"));
    made = wrap(Tensor::strings(need(type, "type"), std::move(strings)));
  });
}

void geTensorRetain(GeTensor *tensor) {
  if (tensor)
    unwrap(tensor)->retain();
}
void geTensorRelease(GeTensor *tensor) {
  if (tensor)
    unwrap(tensor)->release();
}

GeType geTensorGetType(GeTensor *tensor) { return tensor ? wrap(unwrap(tensor)->type()) : nullptr; }
bool geTensorIsSplat(GeTensor *tensor) { return tensor && unwrap(tensor)->isSplat(); }
bool geTensorIsPacked(GeTensor *tensor) {
  return tensor && unwrap(tensor)->packing() == Tensor::Packing::Packed;
}

GeStatus geTensorGetBytes(GeTensor *tensor, const void **data, size_t *bytes) {
  return guarded([&] {
    const Tensor *t = need(tensor, "tensor");
    refuseStrings(*t);
    auto &start = result(data, "data");
    size_t &size = result(bytes, "bytes");
    checkFile(*t);
    size = t->bytes().size();
    start = t->bytes().data();
  });
}

GeStatus geTensorGetString(GeTensor *tensor, size_t index, GeStringRef *out) {
  return guarded([&] {
    const Tensor *t = need(tensor, "tensor");
    if (!t->isString())
      throwError(ErrorKind::Type, "the tensor is of ", t->type()->str(), ", not of strings");
    if (index >= size_t(t->numElements()))
      throwIndex("element", index, size_t(t->numElements()));
    result(out) = stringRef(t->strings()[t->isSplat() ? 0 : index]);
  });
}

size_t geTensorDenseSize(GeTensor *tensor) {
  return tensor && !unwrap(tensor)->isString() ? unwrap(tensor)->denseSize() : 0;
}

GeStatus geTensorCopyTo(GeTensor *tensor, void *out, size_t bytes) {
  return interruptible([&] {
    const Tensor *t = need(tensor, "tensor");
    refuseStrings(*t);
    needArray(static_cast<char *>(out), bytes, "out");
    if (bytes != t->denseSize())
      throwError(ErrorKind::Value, "the elements take ", t->denseSize(), " bytes, got room for ",
                 bytes);
    if (bytes)
      t->copyDense(out);
  });
}

GeStringRef geTensorGetFile(GeTensor *tensor, size_t *offset) {
  const Tensor *t = unwrap(tensor);
  bool mapped = t && t->file();
  if (offset)
    *offset = mapped ? t->fileOffset() : 0;
  return mapped ? stringRef(t->file()->path()) : GeStringRef{"", 0};
}

GeStatus geTensorEquals(GeTensor *a, GeTensor *b, bool *equal) {
  return guarded([&] {
    bool &out = result(equal, "equal");
    out = need(a, "a")->equals(*need(b, "b"));
  });
}
GeStatus geTensorHash(GeTensor *tensor, uint64_t *hash) {
  return guarded([&] { result(hash, "hash") = need(tensor, "tensor")->hash(); });
}
void *geTensorGetSlot(GeTensor *tensor) {
  return tensor ? unwrap(tensor)->slot().load(std::memory_order_acquire) : nullptr;
}
void geTensorSetSlot(GeTensor *tensor, void *slot) {
  if (tensor)
    unwrap(tensor)->slot().store(slot, std::memory_order_release);
}
