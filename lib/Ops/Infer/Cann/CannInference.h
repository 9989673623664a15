//===- CannInference.h - what the inference functions of CANN's operators share ---------------===//
#ifndef GE_LIB_OPS_INFER_CANN_CANNINFERENCE_H
#define GE_LIB_OPS_INFER_CANN_CANNINFERENCE_H

#include "../InferConvolution.h"
#include "../InferRows.h"

namespace ge {

/// One integer of a constant operand.
std::optional<int64_t> scalarOf(InferContext &c, uint32_t i);
std::optional<std::vector<int64_t>> listOf(InferContext &c, uint32_t i);
/// An element type given by CANN's number, as such, or by the definition's default.
DType cannDType(InferContext &c, std::string_view name, DType otherwise);
/// A result of `dtype` and the operand's shape.
void setShaped(InferContext &c, uint32_t result, DType dtype, uint32_t operand);
/// Result 0 of `dtype` and the shape that is the contents of an operand.
void shapedBy(InferContext &c, uint32_t operand, DType dtype);
/// A dimension of operand 0 by `by`; 1 keeps a symbol. False, with an error, when it does not
/// divide.
bool divideBy(InferContext &c, Dim &dim, int64_t by, std::string_view what);

// --- Windows over space --------------------------------------------------------------------------

/// Where batch, channels and space are: from `data_format`, else the type's own layout.
struct SpaceLayout {
  size_t batch = 0, channels = 1, space = 2; ///< `space`: the first of them, the others follow

  static SpaceLayout of(InferContext &c, std::string_view otherwise);
};

/// The spatial ones of a list for all dimensions; a list that is for them already stays. False,
/// with an error, when it is neither.
bool spatialList(InferContext &c, std::string_view name, std::span<const int64_t> given,
                 const SpaceLayout &layout, size_t rank, std::vector<int64_t> &out);
/// The same of an attribute; all 1 if it is absent.
bool spatialAttr(InferContext &c, std::string_view name, const SpaceLayout &layout, size_t rank,
                 std::vector<int64_t> &out);

/// What the attributes of a window are called.
struct WindowNames {
  std::string_view padding; ///< the mode
  std::string_view strides = "strides", dilations = "dilations", pads = "pads";
};

/// CANN pads each dimension in turn, ONNX all in front and then all after.
bool readWindow(InferContext &c, const SpaceLayout &layout, size_t rank, const WindowNames &names,
                Window &window);

/// What products of 8-bit integers are summed in; other element types stay.
DType accumulated(DType dtype);

} // namespace ge

#endif // GE_LIB_OPS_INFER_CANN_CANNINFERENCE_H
