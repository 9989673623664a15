//===- InferConvolution.h - windows over space ------------------------------------------------===//
#ifndef GE_LIB_OPS_INFER_INFERCONVOLUTION_H
#define GE_LIB_OPS_INFER_INFERCONVOLUTION_H

#include "InferRows.h"

namespace ge {

/// Strides, dilations and padding of convolutions and pools, one for each spatial dimension.
struct Window {
  std::vector<int64_t> strides, dilations;
  std::vector<int64_t> pads; ///< all in front, then all after
  std::string_view autoPad = "NOTSET";

  /// From ONNX's attributes; false, with an error, when their lengths or values are wrong.
  bool read(InferContext &c, size_t rank);
  size_t rank() const { return strides.size(); }
  /// Of spatial dimension `i`. An error when the kernel is larger than the padded input.
  Dim outputSize(InferContext &c, size_t i, Dim input, Dim kernel, bool ceilMode = false) const;
};

} // namespace ge

#endif // GE_LIB_OPS_INFER_INFERCONVOLUTION_H
