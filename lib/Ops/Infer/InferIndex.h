//===- InferIndex.h - what inference and evaluation of slices share ---------------------------===//
#ifndef GE_LIB_OPS_INFER_INFERINDEX_H
#define GE_LIB_OPS_INFER_INFERINDEX_H

#include "InferRows.h"

namespace ge {

/// One axis of a Slice; what is not known is nullopt.
struct SliceAxis {
  int64_t axis; ///< >= 0
  std::optional<int64_t> start, end, step;
};

/// The axes that a Slice of any version cuts; nullopt when these are not known, or after an error.
std::optional<std::vector<SliceAxis>> sliceAxes(InferContext &c);

/// How many elements of `size` a slice has; `first` is the position of the first. `step` not 0.
int64_t sliceCount(int64_t size, int64_t start, int64_t end, int64_t step, int64_t &first);

/// The half-open range of axes that Shape shows, within [0, rank].
void shapeBounds(InferContext &c, int64_t rank, int64_t &first, int64_t &last);

} // namespace ge

#endif // GE_LIB_OPS_INFER_INFERINDEX_H
