//===- DLPack.cpp - ge-c/Kernels.h: tensors in and out by DLPack -------------------------------===//
#include "Guard.h"

#include "ge-c/Kernels.h"
#include "ge/Run/Value/DLPack.h"

using namespace ge;
using namespace ge::capi;

GeStatus geDTypeToDLPack(GeDType dtype, DLDataType *out) {
  return guarded([&] {
    DLDataType &type = result(out);
    type = needDlpackType(needDType(dtype));
  });
}

GeStatus geDTypeFromDLPack(DLDataType type, GeDType *out) {
  return guarded([&] {
    GeDType &dtype = result(out);
    DType found = needDtypeOf(type);
    dtype = GeDType(found);
  });
}

GeStatus geTensorFromDLPack(GeContext *context, DLManagedTensorVersioned *managed, GeTensor **out) {
  return guarded(context, [&] {
    GeTensor *&made = result(out);
    Context &owner = need(context);
    if (!managed)
      throwNull("managed");
    made = wrap(importTensor(owner, managed).take());
  });
}

GeStatus geTensorToDLPack(GeTensor *tensor, DLManagedTensorVersioned **out) {
  return guarded([&] {
    DLManagedTensorVersioned *&made = result(out);
    made = exportTensor(*need(tensor, "tensor"));
  });
}
