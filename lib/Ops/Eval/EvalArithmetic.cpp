//===- EvalArithmetic.cpp - element by element, on small known tensors ------------------------===//
#include "../Infer/InferRows.h"
#include "EvalShape.h"

#include "ge/IR/FloatFormat.h"

#include <algorithm>
#include <cmath>

namespace ge {
namespace {

using Binary = Element (*)(const Element &, const Element &);
using Unary = Element (*)(const Element &);

bool isReal(const Element &e) { return e.kind == Element::Kind::Real; }
/// Not NaN, which runtimes treat differently in Max, Min and Relu.
bool isNumber(const Element &e) { return e.isInt() || (isReal(e) && !std::isnan(e.real)); }
double realOf(const Element &e) { return e.isInt() ? double(e.number) : e.real; }
bool isValue(const Element &e, int64_t number) {
  return isNumber(e) && realOf(e) == double(number);
}

bool isSignedInteger(DType dtype) {
  return dtype <= DType::I64 || dtype == DType::I4 || dtype == DType::I2;
}

/// Bits of the significand, up to which integers are exact; 0: not a type that sizes are computed
/// in.
unsigned exactBits(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 53;
  case DType::F32:
    return 24;
  case DType::F16:
    return 11;
  case DType::BF16:
    return 8;
  default:
    return 0;
  }
}

/// A real result is rounded to the element type. Rounding what was computed as double is what the
/// narrower type gives for + - * / and the square root: double has more than twice its bits. In 16
/// bits onnxruntime leaves out some roundings. An integer that overflows is unknown: runtimes wrap
/// or saturate.
Element fit(Element e, DType dtype) {
  if (isReal(e)) {
    if (!exactBits(dtype))
      return {};
    double rounded = decodeFloat(dtype, encodeFloat(dtype, e.real));
    bool isCertain = dtype == DType::F32 || dtype == DType::F64 || rounded == e.real;
    return isCertain ? Element::of(rounded) : Element{};
  }
  if (e.isInt() && isInteger(dtype)) {
    unsigned bits = info(dtype).bits;
    bool isSigned = isSignedInteger(dtype);
    int64_t high = bits >= 64 ? INT64_MAX : (int64_t(1) << (bits - isSigned)) - 1;
    int64_t low = !isSigned ? 0 : bits >= 64 ? INT64_MIN : -high - 1;
    if (e.number < low || e.number > high)
      return {};
  }
  return e;
}

DType resultDType(const InferContext &c) {
  return c.result(0) && c.result(0)->isTensor() ? c.result(0)->dtype() : DType::Undefined;
}

void finish(InferContext &c, Contents contents) {
  DType dtype = resultDType(c);
  for (Element &element : contents.elements)
    element = fit(element, dtype);
  c.setContents(0, std::move(contents));
}

void evalUnary(InferContext &c, Unary function) {
  const Contents *x = c.contents(0);
  if (!x)
    return;
  Contents out = *x;
  for (Element &element : out.elements)
    element = element.isKnown() ? function(element) : Element{};
  finish(c, std::move(out));
}

/// Reads operands as if they had the broadcast shape.
class Broadcast {
public:
  /// False when they do not fit, or the result is too large.
  bool add(const Contents &operand) {
    while (shape_.size() < operand.rank())
      shape_.insert(shape_.begin(), 1);
    size_t offset = shape_.size() - operand.rank();
    for (size_t i = 0; i != operand.rank(); ++i) {
      int64_t &size = shape_[offset + i];
      if (size != operand.shape[i] && size != 1 && operand.shape[i] != 1)
        return false;
      size = size == 1 ? operand.shape[i] : size;
    }
    count_ = 1;
    for (int64_t size : shape_)
      if (__builtin_mul_overflow(count_, size, &count_) || count_ > Contents::kMaxElements)
        return false;
    return true;
  }
  const std::vector<int64_t> &shape() const { return shape_; }
  int64_t count() const { return count_; }
  const Element &at(const Contents &operand, int64_t index) const {
    int64_t position = 0, stride = 1;
    for (size_t i = shape_.size(), j = operand.rank(); j-- > 0;) {
      --i;
      int64_t coordinate = index % shape_[i];
      index /= shape_[i];
      position += operand.shape[j] == 1 ? 0 : coordinate * stride;
      stride *= operand.shape[j];
    }
    return operand.elements[size_t(position)];
  }

private:
  std::vector<int64_t> shape_;
  int64_t count_ = 1;
};

void evalFold(InferContext &c, Binary function) {
  if (c.numOperands() == 0 || !c.contents(0))
    return;
  Contents out = *c.contents(0);
  for (uint32_t i = 1; i != c.numOperands(); ++i) {
    const Contents *next = c.contents(i);
    Broadcast broadcast;
    if (!next || !broadcast.add(out) || !broadcast.add(*next))
      return;
    Contents folded{broadcast.shape(), {}};
    for (int64_t at = 0; at != broadcast.count(); ++at) // each step rounds
      folded.elements.push_back(
          fit(function(broadcast.at(out, at), broadcast.at(*next, at)), resultDType(c)));
    out = std::move(folded);
  }
  finish(c, std::move(out));
}

/// Computes with integers exactly, or with real numbers if an operand is real.
template <typename Integers, typename Reals>
Element compute(const Element &a, const Element &b, Integers integers, Reals reals) {
  if (!isNumber(a) || !isNumber(b))
    return {};
  if (!a.isInt() || !b.isInt())
    return Element::of(double(reals(realOf(a), realOf(b))));
  int64_t result;
  return integers(a.number, b.number, result) ? Element::of(result) : Element{};
}

Element addElements(const Element &a, const Element &b) {
  if (isValue(a, 0))
    return b;
  if (isValue(b, 0))
    return a;
  return compute(
      a, b, [](int64_t x, int64_t y, int64_t &r) { return !__builtin_add_overflow(x, y, &r); },
      [](double x, double y) { return x + y; });
}

Element subElements(const Element &a, const Element &b) {
  if (isValue(b, 0))
    return a;
  if (a.isSymbol() && a == b)
    return Element::of(int64_t(0));
  return compute(
      a, b, [](int64_t x, int64_t y, int64_t &r) { return !__builtin_sub_overflow(x, y, &r); },
      [](double x, double y) { return x - y; });
}

Element mulElements(const Element &a, const Element &b) {
  if (isValue(a, 1) || (b.isInt() && isValue(b, 0)))
    return b;
  if (isValue(b, 1) || (a.isInt() && isValue(a, 0)))
    return a;
  return compute(
      a, b, [](int64_t x, int64_t y, int64_t &r) { return !__builtin_mul_overflow(x, y, &r); },
      [](double x, double y) { return x * y; });
}

Element divElements(const Element &a, const Element &b) {
  if (isValue(b, 1))
    return a;
  return compute(
      a, b,
      [](int64_t x, int64_t y, int64_t &r) {
        if (y == 0 || (x == INT64_MIN && y == -1))
          return false;
        r = x / y;
        return true;
      },
      [](double x, double y) { return x / y; });
}

/// Rounded down, also where one is negative.
Element floorDivElements(const Element &a, const Element &b) {
  if (isValue(b, 1))
    return a;
  return compute(
      a, b,
      [](int64_t x, int64_t y, int64_t &r) {
        if (y == 0 || (x == INT64_MIN && y == -1))
          return false;
        r = x / y - (x % y != 0 && (x < 0) != (y < 0));
        return true;
      },
      [](double x, double y) {
        // In whatever type the quotient is rounded first.
        double exact = std::floor(x / y), rounded = std::floor(double(float(x / y)));
        return exact == rounded ? exact : std::nan("");
      });
}

/// The sign of the divisor, as in Python.
Element modElements(const Element &a, const Element &b) {
  if (!a.isInt() || !b.isInt() || b.number == 0 || b.number == -1)
    return isValue(b, -1) && a.isInt() ? Element::of(int64_t(0)) : Element{};
  int64_t rest = a.number % b.number;
  if (rest != 0 && (rest < 0) != (b.number < 0))
    rest += b.number;
  return Element::of(rest);
}

bool isWhole(const Element &e) { return isNumber(e) && std::floor(realOf(e)) == realOf(e); }

/// Repeated multiplication of a size with itself, which is all that shapes need. Libraries round
/// other powers differently.
Element powElements(const Element &a, const Element &b) {
  if (isValue(b, 1))
    return a;
  if (isValue(b, 0))
    return a.isInt() ? Element::of(int64_t(1)) : Element{};
  if (!isWhole(a) || !isWhole(b) || realOf(b) < 0)
    return {};
  double power = std::pow(realOf(a), realOf(b));
  if (!(std::abs(power) < (a.isInt() ? 0x1p53 : 0x1p24)))
    return {};
  return a.isInt() ? Element::of(int64_t(power)) : Element::of(power);
}

template <typename Compare>
Element compareElements(const Element &a, const Element &b, Compare compare) {
  if (a.isInt() && b.isInt())
    return Element::of(int64_t(compare(a.number, b.number)));
  if (isNumber(a) && isNumber(b))
    return Element::of(int64_t(compare(realOf(a), realOf(b))));
  if (a.isSymbol() && a == b)
    return Element::of(int64_t(compare(int64_t(0), int64_t(0))));
  // A symbol is a size: never negative.
  if (a.isSymbol() && b.isInt() && b.number < 0)
    return Element::of(int64_t(compare(int64_t(0), b.number)));
  if (b.isSymbol() && a.isInt() && a.number < 0)
    return Element::of(int64_t(compare(a.number, int64_t(0))));
  return {};
}

Element minElements(const Element &a, const Element &b) {
  if (a.isKnown() && a == b)
    return a;
  return compute(
      a, b, [](int64_t x, int64_t y, int64_t &r) { return r = std::min(x, y), true; },
      [](double x, double y) { return std::min(x, y); });
}

Element maxElements(const Element &a, const Element &b) {
  if (a.isKnown() && a == b)
    return a;
  // A size is at least 0.
  if (a.isSymbol() && b.isInt() && b.number <= 0)
    return a;
  if (b.isSymbol() && a.isInt() && a.number <= 0)
    return b;
  return compute(
      a, b, [](int64_t x, int64_t y, int64_t &r) { return r = std::max(x, y), true; },
      [](double x, double y) { return std::max(x, y); });
}

/// The value in two's complement of that width; a u64 that no int64_t holds is unknown.
Element wrap(int64_t number, DType to) {
  unsigned bits = info(to).bits;
  if (bits < 8 || (bits == 64 && !isSignedInteger(to)))
    return fit(Element::of(number), to);
  unsigned unused = 64 - bits;
  auto shifted = uint64_t(number) << unused;
  return Element::of(isSignedInteger(to) ? int64_t(shifted) >> unused : int64_t(shifted >> unused));
}

Element castInt(int64_t number, DType to) {
  if (isInteger(to))
    return wrap(number, to);
  if (to == DType::F32) // at once: rounding to double before may give another number
    return Element::of(double(float(number)));
  bool isExact = std::abs(double(number)) < 0x1p24;
  return to == DType::F64 || isExact ? fit(Element::of(double(number)), to) : Element{};
}

Element castElement(const Element &e, DType to) {
  if (to == DType::Bool)
    return isNumber(e) ? Element::of(int64_t(realOf(e) != 0)) : Element{};
  if (e.isInt())
    return castInt(e.number, to);
  if (isReal(e) && isInteger(to))
    return std::abs(e.real) < 0x1p62 ? fit(Element::of(int64_t(e.real)), to) : Element{};
  // Sizes are below 2^31, but may be more than a type of 16 bits or the significand of f32 holds.
  if (e.isSymbol() && !(isInteger(to) && info(to).bits >= 32) && to != DType::F64)
    return {};
  return fit(e, to);
}

template <typename Function> Element onReal(const Element &e, Function function) {
  return isReal(e) ? Element::of(double(function(e.real))) : e;
}

/// Sums and products of real numbers: whether no step rounds, in any order.
bool isOrderFree(std::span<const Element> elements, DType dtype, bool isProduct) {
  if (std::ranges::none_of(elements, isReal))
    return true;
  double bound = isProduct ? 1 : 0;
  for (const Element &e : elements) {
    if (!isReal(e))
      continue;
    if (!isWhole(e))
      return false;
    double size = std::abs(e.real);
    bound = isProduct ? bound * std::max(size, 1.0) : bound + size;
  }
  return bound < double(uint64_t(1) << exactBits(dtype));
}

/// All elements, when a vector is reduced.
void evalReduce(InferContext &c, Binary function) {
  const Contents *x = c.contents(0);
  if (!x || x->rank() > 1 || x->elements.empty() || !c.result(0) || !c.result(0)->isRanked())
    return;
  bool noop = c.has(1) && c.contents(1) && c.contents(1)->size() == 0 &&
              c.intAttr("noop_with_empty_axes", 0) != 0;
  if (noop || c.result(0)->shape().size() > 1)
    return;
  bool isAccumulated = function == addElements || function == mulElements;
  if (isAccumulated && !isOrderFree(x->elements, resultDType(c), function == mulElements))
    return;
  Element total = x->elements[0];
  for (size_t i = 1; i != x->size(); ++i)
    total = function(total, x->elements[i]);
  finish(c, c.result(0)->shape().empty() ? Contents::scalar(total) : Contents::vector({total}));
}

} // namespace

void evalAbs(InferContext &c) {
  evalUnary(c, [](const Element &e) {
    if (e.isInt())
      return e.number == INT64_MIN ? Element{} : Element::of(std::abs(e.number));
    return onReal(e, [](double x) { return std::fabs(x); });
  });
}
void evalCeil(InferContext &c) {
  evalUnary(c, [](const Element &e) { return onReal(e, [](double x) { return std::ceil(x); }); });
}
void evalFloor(InferContext &c) {
  evalUnary(c, [](const Element &e) { return onReal(e, [](double x) { return std::floor(x); }); });
}
void evalRound(InferContext &c) {
  evalUnary(c,
            [](const Element &e) { return onReal(e, [](double x) { return std::nearbyint(x); }); });
}
void evalNeg(InferContext &c) {
  evalUnary(c, [](const Element &e) { return subElements(Element::of(int64_t(0)), e); });
}
void evalNot(InferContext &c) {
  evalUnary(c, [](const Element &e) {
    return e.isInt() ? Element::of(int64_t(e.number == 0)) : Element{};
  });
}
void evalRelu(InferContext &c) {
  evalUnary(c, [](const Element &e) { return maxElements(e, Element::of(int64_t(0))); });
}
void evalSqrt(InferContext &c) {
  evalUnary(c, [](const Element &e) {
    return isNumber(e) && realOf(e) >= 0 ? Element::of(std::sqrt(realOf(e))) : Element{};
  });
}
void evalCast(InferContext &c) {
  const Contents *x = c.contents(0);
  if (!x || !c.result(0) || !c.result(0)->isTensor())
    return;
  DType to = c.result(0)->dtype();
  Contents out = *x;
  for (Element &element : out.elements)
    element = castElement(element, to);
  c.setContents(0, std::move(out));
}

void evalAdd(InferContext &c) { evalFold(c, addElements); }
void evalSub(InferContext &c) { evalFold(c, subElements); }
void evalMul(InferContext &c) { evalFold(c, mulElements); }
void evalDiv(InferContext &c) { evalFold(c, divElements); }
void evalFloorDiv(InferContext &c) { evalFold(c, floorDivElements); }
void evalMod(InferContext &c) {
  if (c.intAttr("fmod", 0) == 0)
    evalFold(c, modElements);
}
void evalPow(InferContext &c) { evalFold(c, powElements); }
void evalMin(InferContext &c) { evalFold(c, minElements); }
void evalMax(InferContext &c) { evalFold(c, maxElements); }
void evalAnd(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return isValue(a, 0) || isValue(b, 0) ? Element::of(int64_t(0)) : mulElements(a, b);
  });
}
void evalOr(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return isValue(a, 1) || isValue(b, 1) ? Element::of(int64_t(1)) : maxElements(a, b);
  });
}
void evalEqual(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return compareElements(a, b, [](auto x, auto y) { return x == y; });
  });
}
void evalGreater(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return compareElements(a, b, [](auto x, auto y) { return x > y; });
  });
}
void evalGreaterOrEqual(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return compareElements(a, b, [](auto x, auto y) { return x >= y; });
  });
}
void evalLess(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return compareElements(a, b, [](auto x, auto y) { return x < y; });
  });
}
void evalLessOrEqual(InferContext &c) {
  evalFold(c, [](const Element &a, const Element &b) {
    return compareElements(a, b, [](auto x, auto y) { return x <= y; });
  });
}

void evalWhere(InferContext &c) {
  const Contents *condition = c.contents(0), *yes = c.contents(1), *no = c.contents(2);
  Broadcast broadcast;
  if (!condition || !yes || !no || !broadcast.add(*condition) || !broadcast.add(*yes) ||
      !broadcast.add(*no))
    return;
  Contents out{broadcast.shape(), {}};
  for (int64_t i = 0; i != broadcast.count(); ++i) {
    const Element &which = broadcast.at(*condition, i);
    const Element &a = broadcast.at(*yes, i), &b = broadcast.at(*no, i);
    out.elements.push_back(which.isInt() ? (which.number ? a : b) : a == b ? a : Element{});
  }
  finish(c, std::move(out));
}

void evalReduceMax(InferContext &c) { evalReduce(c, maxElements); }
void evalReduceMin(InferContext &c) { evalReduce(c, minElements); }
void evalReduceProd(InferContext &c) { evalReduce(c, mulElements); }
void evalReduceSum(InferContext &c) { evalReduce(c, addElements); }

} // namespace ge
