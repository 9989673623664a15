//===- TensorGather.cpp - constants that are looked up in constants -------------------------===//
#include "ge/Ops/Eval/TensorEvaluation.h"

#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace ge {

namespace {

using Operands = std::span<const TensorPtr>;
using Results = std::span<TensorPtr>;

/// The operands of a gather: data and indices; and the result type, if these functions can compute
/// it.
struct Lookup {
  const Tensor *x = nullptr, *indices = nullptr;
  const Type *type = nullptr;
  Ints shape, places;

  Lookup(const ConstantCall &call, Operands operands) {
    if (operands.size() < 2 || !operands[0] || !operands[1])
      return;
    x = operands[0].get();
    indices = operands[1].get();
    shape = *staticShape(x->type());
    places = *staticShape(indices->type());
    const Type *result = call.resultType(0);
    DType kind = indices->type()->dtype();
    bool isKnown = result && result->isTensor() && result->hasStaticShape() &&
                   result->dtype() == x->type()->dtype() && result->dtype() != DType::String &&
                   (kind == DType::I64 || kind == DType::I32);
    type = isKnown ? result : nullptr;
  }

  /// Index `i`, of a dimension of that size; -1 when it lies outside.
  int64_t at(int64_t i, int64_t size) const {
    auto index = int64_t(elementAt(*indices, i));
    index += index < 0 ? size : 0;
    return index < size ? index : -1;
  }

  /// All elements of the data are one number, or there is no result element: only the indices are
  /// checked.
  bool isTrivial() const { return isUniform(*x) || type->numElements() == 0; }
  TensorPtr trivial() const {
    return isUniform(*x) ? filled(type, *x) : TensorPtr::adopt(Tensor::copy(type, nullptr, 0));
  }
  /// Indices along one dimension of that size: `depth` coordinates are adjacent, and this is
  /// coordinate `k`.
  bool allInside(int64_t size, int64_t k = 0, int64_t depth = 1) const {
    int64_t count = indices->numElements();
    if (indices->isSplat()) // however many there are
      return count == 0 || at(0, size) >= 0;
    for (int64_t i = k; i < count; i += depth)
      if (at(i, size) < 0)
        return false;
    return true;
  }

  /// Runs of `length` elements of x that begin at `begins`.
  TensorPtr take(const std::vector<int64_t> &begins, size_t length) const {
    size_t width = x->elementSize();
    std::vector<char> from(x->denseSize()), to(begins.size() * length * width);
    x->copyDense(from.data());
    Interrupt interrupt;
    for (size_t i = 0; i != begins.size() && !to.empty(); ++i) {
      interrupt.pollBytes(length * width);
      std::memcpy(&to[i * length * width], &from[size_t(begins[i]) * width], length * width);
    }
    return TensorPtr::adopt(Tensor::copy(type, to.data(), to.size()));
  }
};

int64_t product(Ints::const_iterator begin, Ints::const_iterator end) {
  return std::accumulate(begin, end, int64_t(1), std::multiplies<>());
}

bool gather(const ConstantCall &call, Operands operands, Results results) {
  Lookup lookup(call, operands);
  const Ints &shape = lookup.shape;
  int64_t axis = call.intAttr("axis", 0);
  axis += axis < 0 ? int64_t(shape.size()) : 0;
  if (!lookup.type || axis < 0 || size_t(axis) >= shape.size())
    return false;
  int64_t outer = product(shape.begin(), shape.begin() + axis), size = shape[size_t(axis)],
          inner = product(shape.begin() + axis + 1, shape.end());
  int64_t count = lookup.indices->numElements();
  int64_t found;
  if (__builtin_mul_overflow(outer * inner, count, &found) || found != lookup.type->numElements())
    return false;
  if (lookup.isTrivial()) {
    if (lookup.allInside(size))
      results[0] = lookup.trivial();
    return bool(results[0]);
  }
  std::vector<int64_t> begins(size_t(outer * count));
  Interrupt interrupt;
  for (int64_t i = 0; i != count; ++i) {
    interrupt.pollBytes(size_t(outer) * sizeof(int64_t));
    int64_t index = lookup.at(i, size);
    if (index < 0)
      return false;
    for (int64_t k = 0; k != outer; ++k)
      begins[size_t(k * count + i)] = (k * size + index) * inner;
  }
  results[0] = lookup.take(begins, size_t(inner));
  return true;
}

bool gatherElements(const ConstantCall &call, Operands operands, Results results) {
  Lookup lookup(call, operands);
  const Ints &shape = lookup.shape, &places = lookup.places;
  int64_t axis = call.intAttr("axis", 0);
  axis += axis < 0 ? int64_t(shape.size()) : 0;
  if (!lookup.type || axis < 0 || size_t(axis) >= shape.size() || places.size() != shape.size() ||
      *staticShape(lookup.type) != places)
    return false;
  if (lookup.isTrivial()) {
    for (size_t k = 0; k != shape.size(); ++k)
      if (int64_t(k) != axis && places[k] > shape[k])
        return false;
    if (lookup.allInside(shape[size_t(axis)]))
      results[0] = lookup.trivial();
    return bool(results[0]);
  }
  std::vector<int64_t> begins(size_t(lookup.indices->numElements()));
  Ints at(shape.size());
  Interrupt interrupt;
  for (size_t i = 0; i != begins.size(); ++i) {
    interrupt.poll();
    int64_t begin = 0;
    for (size_t k = 0; k != shape.size(); ++k) {
      int64_t index = int64_t(k) == axis ? lookup.at(int64_t(i), shape[k]) : at[k];
      if (index < 0 || index >= shape[k])
        return false;
      begin = begin * shape[k] + index;
    }
    begins[i] = begin;
    for (size_t k = shape.size(); k-- > 0;) {
      if (++at[k] != places[k])
        break;
      at[k] = 0;
    }
  }
  results[0] = lookup.take(begins, 1);
  return true;
}

bool gatherND(const ConstantCall &call, Operands operands, Results results) {
  Lookup lookup(call, operands);
  const Ints &shape = lookup.shape, &places = lookup.places;
  int64_t batch = call.intAttr("batch_dims", 0);
  if (!lookup.type || places.empty() || batch < 0 || size_t(batch) >= places.size())
    return false;
  int64_t depth = places.back();
  if (depth < 1 || size_t(batch + depth) > shape.size())
    return false;
  Ints expected(places.begin(), places.end() - 1);
  expected.insert(expected.end(), shape.begin() + batch + depth, shape.end());
  if (expected != *staticShape(lookup.type) ||
      !std::equal(shape.begin(), shape.begin() + batch, places.begin()))
    return false;
  int64_t inner = product(shape.begin() + batch + depth, shape.end()),
          count = product(places.begin(), places.end() - 1),
          batches = product(shape.begin(), shape.begin() + batch);
  if (lookup.isTrivial()) {
    for (int64_t k = 0; k != depth; ++k)
      if (!lookup.allInside(shape[size_t(batch + k)], k, depth))
        return false;
    results[0] = lookup.trivial();
    return true;
  }
  std::vector<int64_t> begins(static_cast<size_t>(count));
  Interrupt interrupt;
  for (int64_t i = 0; i != count; ++i) {
    interrupt.poll();
    int64_t begin = i / (count / batches); // no batch is empty where something is taken
    for (int64_t k = 0; k != depth; ++k) {
      int64_t size = shape[size_t(batch + k)], index = lookup.at(i * depth + k, size);
      if (index < 0)
        return false;
      begin = begin * size + index;
    }
    begins[size_t(i)] = begin * inner;
  }
  results[0] = lookup.take(begins, size_t(inner));
  return true;
}

} // namespace

EvaluateFunction evaluateGather(const ConstantCall &call) {
  if (call.isOnnx("Gather"))
    return gather;
  if (call.isOnnx("GatherElements"))
    return gatherElements;
  return call.isOnnx("GatherND") ? gatherND : nullptr;
}

} // namespace ge
