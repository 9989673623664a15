//===- InferDims.cpp - what inference functions share: dimensions, axes, broadcasting ---------===//
#include "InferRows.h"

#include <algorithm>

namespace ge {

Dim multiply(Dim a, Dim b) {
  if (a.size == 1 || b.size == 0)
    return b;
  if (b.size == 1 || a.size == 0)
    return a;
  int64_t product;
  if (!a.isStatic() || !b.isStatic() || __builtin_mul_overflow(a.size, b.size, &product))
    return {};
  return staticDim(product);
}

Dim add(Dim a, Dim b) {
  if (a.size == 0)
    return b;
  if (b.size == 0)
    return a;
  int64_t sum;
  if (!a.isStatic() || !b.isStatic() || __builtin_add_overflow(a.size, b.size, &sum))
    return {};
  return staticDim(sum);
}

Dim multiplyAll(std::span<const Dim> dims) {
  Dim product = staticDim(1);
  bool zero = false;
  for (const Dim &dim : dims) {
    product = multiply(product, dim);
    zero = zero || dim.size == 0;
  }
  return zero ? staticDim(0) : product;
}

Dim unify(Dim a, Dim b, bool &ok) {
  if (a.isStatic() && b.isStatic() && a.size != b.size)
    ok = false;
  if (a.isStatic() || (a.symbol && !b.isStatic()))
    return a;
  return b;
}

std::string dimText(const Dim &dim) {
  if (dim.isStatic())
    return std::to_string(dim.size);
  return dim.symbol ? std::string(dim.symbol->str()) : "?";
}

bool broadcastInto(Dims &a, std::span<const Dim> b) {
  if (a.size() < b.size())
    a.insert(a.begin(), b.size() - a.size(), staticDim(1));
  size_t offset = a.size() - b.size();
  for (size_t i = 0; i != b.size(); ++i) {
    Dim &x = a[offset + i];
    const Dim &y = b[i];
    if (x == y || y.size == 1)
      continue;
    if (x.size == 1)
      x = y;
    else if (x.isStatic() && y.isStatic())
      return false;
    else if (!x.isStatic()) // y, when it is static: the other one is that or 1
      x = y.isStatic() ? y : Dim{};
  }
  return true;
}

bool normalizeAxis(InferContext &c, int64_t &axis, int64_t rank, std::string_view what) {
  if (axis < -rank || axis >= rank) {
    c.fail(what, " ", axis, " is out of range: it must be in [", -rank, ", ", rank - 1, "]");
    return false;
  }
  axis += axis < 0 ? rank : 0;
  return true;
}

bool normalizeAxes(InferContext &c, std::vector<int64_t> &axes, int64_t rank) {
  std::vector<bool> seen(static_cast<size_t>(std::max<int64_t>(rank, 0)));
  for (int64_t &axis : axes) {
    if (!normalizeAxis(c, axis, rank, "an axis of"))
      return false;
    if (seen[size_t(axis)]) {
      c.fail("axis ", axis, " is given twice");
      return false;
    }
    seen[size_t(axis)] = true;
  }
  return true;
}

void likeOperand(InferContext &c, uint32_t i) {
  if (c.has(i))
    c.setResult(0, c.operand(i));
}

DType commonDType(InferContext &c, std::initializer_list<uint32_t> operands) {
  DType dtype = DType::Undefined;
  uint32_t from = 0;
  for (uint32_t i : operands) {
    DType other = c.dtype(i);
    if (other == DType::Undefined)
      continue;
    if (dtype != DType::Undefined && other != dtype) {
      c.failAt(i, "has another element type than ", c.operandName(from), " (",
               shortType(c.operand(from)), "); cast one of them");
      return DType::Undefined;
    }
    if (dtype == DType::Undefined)
      from = i;
    dtype = other;
  }
  return dtype;
}

DType commonDType(InferContext &c, uint32_t first, uint32_t last) {
  DType dtype = DType::Undefined;
  for (uint32_t i = first; i < last && !c.failed(); ++i)
    dtype = dtype == DType::Undefined ? c.dtype(i) : commonDType(c, {first, i});
  return dtype;
}

void broadcastOperands(InferContext &c, DType dtype, std::initializer_list<uint32_t> operands) {
  if (c.failed())
    return;
  Dims dims;
  for (uint32_t i : operands) {
    if (!c.isRanked(i))
      return c.setUnranked(0, dtype);
    std::span<const Dim> shape = c.shape(i);
    if (!broadcastInto(dims, shape)) {
      uint32_t first = *operands.begin();
      return c.failAt(i, "does not broadcast with ", c.operandName(first), " (",
                      shortType(c.operand(first)),
                      "): from the right, sizes must be equal or one of them 1");
    }
  }
  // An operand that has the shape already gives its layout, too.
  for (uint32_t i : operands)
    if (c.dtype(i) == dtype && std::ranges::equal(c.shape(i), dims))
      return c.setResult(0, c.operand(i));
  c.setTensor(0, dtype, dims);
}

bool expectRank(InferContext &c, uint32_t i, int64_t rank) {
  if (!c.isRanked(i) || c.rank(i) == rank)
    return true;
  c.failAt(i, "must have ", rank, rank == 1 ? " dimension" : " dimensions", ", not ", c.rank(i));
  return false;
}

std::optional<std::vector<int64_t>> operandInts(InferContext &c, uint32_t i, bool &known) {
  known = true;
  if (!c.has(i))
    return std::nullopt;
  const Contents *contents = c.contents(i);
  std::optional<std::vector<int64_t>> values;
  if (contents)
    values = contents->ints();
  known = values.has_value();
  return values;
}

int64_t vectorLength(InferContext &c, uint32_t i) {
  if (c.rank(i) != 1)
    return -1;
  int64_t size = c.shape(i)[0].size;
  return size <= Contents::kMaxElements ? size : -1;
}

void setRank(InferContext &c, DType dtype, int64_t rank) {
  if (rank < 0)
    return c.setUnranked(0, dtype);
  c.setTensor(0, dtype, Dims(size_t(rank)));
}

} // namespace ge
