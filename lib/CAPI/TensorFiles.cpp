//===- TensorFiles.cpp - ge-c/TensorFiles.h: tensors that are mapped from files ---------------===//

#include "Guard.h"

#include "ge-c/TensorFiles.h"
#include "ge/IR/TensorBytes.h"

#include <string>

using namespace ge;
using namespace ge::capi;

bool geTensorIsMapped(GeTensor *tensor) { return tensor && isMapped(*unwrap(tensor)); }

GeStatus geTensorReadBytes(GeTensor *tensor, size_t offset, void *out, size_t bytes) {
  return guarded([&] {
    const Tensor *t = need(tensor, "tensor");
    if (t->isString())
      throwError(ErrorKind::Type, "a tensor of strings has no bytes; read its elements one by one");
    needArray(static_cast<char *>(out), bytes, "out");
    size_t size = t->bytes().size();
    if (offset > size || bytes > size - offset)
      throwError(ErrorKind::Value, bytes, " bytes from ", offset, " on are not in the ", size,
                 " stored bytes of the tensor");
    readStored(*t, offset, bytes, out);
  });
}

GeStatus geTensorRetype(GeType type, GeTensor *tensor, GeTensor **out) {
  return guarded([&] {
    GeTensor *&made = result(out);
    made = wrap(retype(need(type, "type"), *need(tensor, "tensor")));
  });
}
