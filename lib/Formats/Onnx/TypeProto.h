//===- TypeProto.h - types of values, both ways -----------------------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_TYPEPROTO_H
#define GE_LIB_FORMATS_ONNX_TYPEPROTO_H

#include "ge/IR/Context.h"
#include "ge/Support/Wire/Wire.h"

namespace ge::onnx {

/// The type that a TypeProto says. `isPlain` becomes false when writeType() would write another
/// message for it: denotations, sparse tensors, odd dimensions and unknown fields are not in a
/// Type.
const Type *readType(Context &context, const WireSource &source, std::string_view bytes,
                     const FieldPath *path, bool &isPlain);

/// The fields of a TypeProto. Error(Model) for what ONNX has no type for. Not for unknown types.
void writeType(WireWriter &writer, const Type *type);

/// Whether value_info says it: checkers refuse a tensor without a shape there.
bool isListed(const Type *type);

/// TensorProto.DataType, or Error(Model).
int64_t onnxNumber(DType dtype);
/// Error(Model) at the reader's field.
DType dtypeOf(const WireReader &reader, const char *name);

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_TYPEPROTO_H
