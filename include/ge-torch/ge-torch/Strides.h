//===- ge-torch/Strides.h - sizes and strides of tensors, without their memory -----------------===//
//
// What PyTorch documents of them: which tensors are dense, which strides a copy keeps, and which a
// view of other sizes has.
//
#ifndef GE_TORCH_STRIDES_H
#define GE_TORCH_STRIDES_H

#include <c10/util/ArrayRef.h>

#include <optional>

GE_TORCH_OPEN(at)
using namespace c10;

namespace detail {

inline int64_t productOf(IntArrayRef sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) {
    TORCH_CHECK(size >= 0, "Trying to create tensor with negative dimension ", size, ": ", sizes);
    TORCH_CHECK(!__builtin_mul_overflow(n, size, &n), "a tensor of sizes ", sizes,
                " does not fit the memory");
  }
  return n;
}
inline std::vector<int64_t> compactStrides(IntArrayRef sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}
inline int64_t wrapped(int64_t dim, int64_t rank, const char *what = "Dimension") {
  int64_t range = std::max<int64_t>(rank, 1);
  TORCH_CHECK_INDEX(dim >= -range && dim < range, what,
                    " out of range (expected to be in range of [", -range, ", ", range - 1,
                    "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}
inline bool isContiguous(IntArrayRef sizes, IntArrayRef strides) {
  int64_t step = 1;
  bool isRowMajor = true;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0)
      return true;
    isRowMajor &= sizes[i] == 1 || strides[i] == step;
    step *= sizes[i];
  }
  return isRowMajor;
}
/// Whether the elements lie in memory without gaps and without sharing, in any order of dimensions.
inline bool isDense(IntArrayRef sizes, IntArrayRef strides) {
  if (isContiguous(sizes, strides))
    return true;
  std::vector<size_t> order;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 1)
      order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  int64_t step = 1;
  for (size_t i : order) {
    if (strides[i] != step)
      return false;
    step *= sizes[i];
  }
  return true;
}
/// The strides of a copy that keeps the layout: the same of a dense tensor, else dense ones with
/// its order of dimensions.
inline std::vector<int64_t> preservedStrides(IntArrayRef sizes, IntArrayRef strides) {
  if (isDense(sizes, strides))
    return strides.vec();
  // Innermost first. A stride of 0 compares as neither smaller nor larger, so this is no total
  // order and std::sort cannot be used: dimensions are inserted one by one, as PyTorch defines it.
  std::vector<size_t> order(sizes.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = order.size() - 1 - i;
  auto compared = [&](size_t inner, size_t outer) {
    if (strides[inner] == 0 || strides[outer] == 0)
      return 0;
    if (strides[inner] != strides[outer])
      return strides[inner] < strides[outer] ? -1 : 1;
    return sizes[inner] > sizes[outer] ? 1 : 0;
  };
  for (size_t next = 1; next < order.size(); ++next) {
    size_t place = next;
    for (size_t before = next; before-- > 0;) {
      int result = compared(order[before], order[place]);
      if (result < 0)
        break;
      if (result > 0) {
        std::swap(order[before], order[place]);
        place = before;
      }
    }
  }
  std::vector<int64_t> dense(sizes.size());
  int64_t step = 1;
  for (size_t i : order) {
    dense[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return dense;
}
/// The strides of a view of other sizes with as many elements; none where the strides do not allow
/// it.
inline std::optional<std::vector<int64_t>> viewStrides(IntArrayRef sizes, IntArrayRef strides,
                                                       IntArrayRef newSizes) {
  if (productOf(sizes) == 0)
    return sizes == newSizes ? strides.vec() : compactStrides(newSizes);
  std::vector<int64_t> result(newSizes.size());
  size_t open = newSizes.size(); // the dimensions from here on have their strides
  int64_t step = 1;              // of the next dimension
  for (size_t i = sizes.size(); i-- > 0;) {
    // The dimensions [first, i] are one run of memory.
    int64_t count = sizes[i], inner = strides[i];
    size_t first = i;
    while (first > 0 && (sizes[first - 1] == 1 || strides[first - 1] == count * inner))
      count *= sizes[--first];
    i = first;
    step = inner;
    while (open > 0 && (count > 1 || newSizes[open - 1] == 1)) {
      int64_t size = newSizes[open - 1];
      if (count % size != 0)
        return std::nullopt;
      result[--open] = step;
      step *= size;
      count /= size;
    }
    if (count != 1)
      return std::nullopt;
  }
  for (; open > 0; --open)
    result[open - 1] = step;
  return result;
}
/// Sizes with the one that is -1 replaced.
inline std::vector<int64_t> inferredSizes(int64_t numel, IntArrayRef asked) {
  std::vector<int64_t> sizes = asked.vec();
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < sizes.size(); ++i) {
    TORCH_CHECK(sizes[i] >= -1, "invalid shape dimension ", sizes[i], " in ", asked);
    TORCH_CHECK(sizes[i] != -1 || !open, "only one dimension can be inferred: ", asked);
    if (sizes[i] == -1)
      open = i;
    else
      TORCH_CHECK(!__builtin_mul_overflow(known, sizes[i], &known), "shape '", asked,
                  "' is invalid for input of size ", numel);
  }
  if (!open) {
    TORCH_CHECK(known == numel, "shape '", asked, "' is invalid for input of size ", numel);
    return sizes;
  }
  TORCH_CHECK(known != 0 || numel != 0, "cannot reshape tensor of 0 elements into shape ", asked,
              " because the unspecified dimension size -1 can be any value and is ambiguous");
  TORCH_CHECK(known > 0 && numel % known == 0, "shape '", asked, "' is invalid for input of size ",
              numel);
  sizes[*open] = numel / known;
  return sizes;
}
struct Geometry {
  std::vector<int64_t> sizes, strides;
};
/// Of a tensor that is broadcast; -1 keeps a size.
inline Geometry expanded(IntArrayRef sizes, IntArrayRef strides, IntArrayRef asked) {
  TORCH_CHECK(asked.size() >= sizes.size(), "expand: the number of sizes provided (", asked.size(),
              ") must be greater or equal to the number of dimensions in the tensor (",
              sizes.size(), ")");
  size_t added = asked.size() - sizes.size();
  Geometry result{asked.vec(), std::vector<int64_t>(asked.size())};
  for (size_t i = asked.size(); i-- > 0;) {
    bool isNew = i < added;
    TORCH_CHECK(asked[i] >= 0 || (asked[i] == -1 && !isNew), "The expanded size of the tensor (",
                asked[i], ") isn't allowed ",
                isNew ? "in a leading, non-existing dimension " : "at dimension ", i,
                ".  Target sizes: ", asked, ".  Tensor sizes: ", sizes);
    int64_t size = isNew ? 1 : sizes[i - added];
    int64_t target = asked[i] == -1 ? size : asked[i];
    TORCH_CHECK(size == target || size == 1, "The expanded size of the tensor (", target,
                ") must match the existing size (", size, ") at non-singleton dimension ", i,
                ".  Target sizes: ", asked, ".  Tensor sizes: ", sizes);
    result.sizes[i] = target;
    if (size != target)
      result.strides[i] = 0;
    else if (!isNew)
      result.strides[i] = strides[i - added];
    else if (!sizes.empty())
      result.strides[i] = result.sizes[i + 1] * result.strides[i + 1];
  }
  return result;
}

} // namespace detail

GE_TORCH_CLOSE

#endif // GE_TORCH_STRIDES_H
