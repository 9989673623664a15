//===- ATen/Parallel.h - loops, in the thread of the call --------------------------------------===//
#ifndef GE_TORCH_ATEN_PARALLEL_H
#define GE_TORCH_ATEN_PARALLEL_H

#include <c10/macros/Macros.h>

GE_TORCH_OPEN(at)

inline int get_num_threads() { return 1; }
inline int get_thread_num() { return 0; }
inline bool in_parallel_region() { return false; }
/// One call of `body(begin, end)`.
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t, const F &body) {
  if (begin < end)
    body(begin, end);
}

GE_TORCH_CLOSE

#endif // GE_TORCH_ATEN_PARALLEL_H
