//===- TensorArithmetic.cpp - constants element by element ----------------------------------===//
//
// Floats are computed as doubles and rounded once, which for these operations is what the narrower
// type itself would give. Integers wrap as the type does.
#include "ge/Ops/Eval/TensorEvaluation.h"

#include "ge/IR/FloatFormat.h"
#include "ge/Support/Interrupt.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace ge {

namespace {

using Operands = std::span<const TensorPtr>;
using Results = std::span<TensorPtr>;

enum class Family : uint8_t { None, Real, Whole };

/// How elements of a type are computed. Sub-byte types and u64 are not: no number type here
/// represents them.
Family familyOf(DType dtype) {
  if (dtype == DType::F32 || dtype == DType::F64 || dtype == DType::F16 || dtype == DType::BF16)
    return Family::Real;
  bool isWhole = dtype == DType::Bool || (isInteger(dtype) && info(dtype).bits >= 8);
  return isWhole && dtype != DType::U64 ? Family::Whole : Family::None;
}

/// One number.
struct WideNumber {
  double real = 0;
  int64_t whole = 0;
};

/// Elements of a tensor, decoded on access.
class ElementReader {
public:
  explicit ElementReader(const Tensor &tensor)
      : dtype_(tensor.type()->dtype()), isReal_(familyOf(dtype_) == Family::Real),
        width_(tensor.elementSize()), isSplat_(tensor.isSplat()),
        bytes_(isSplat_ ? width_ : tensor.denseSize()) {
    if (isSplat_)
      tensor.copyElements(0, 1, bytes_.data());
    else
      tensor.copyDense(bytes_.data());
  }
  WideNumber at(size_t index) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + (isSplat_ ? 0 : index) * width_, width_);
    WideNumber number;
    if (dtype_ == DType::F32) {
      number.real = double(std::bit_cast<float>(uint32_t(bits)));
    } else if (isReal_) {
      number.real = decodeFloat(dtype_, bits);
    } else {
      unsigned unused = 64 - unsigned(width_) * 8;
      bool isSigned = dtype_ >= DType::I8 && dtype_ <= DType::I64;
      number.whole = isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
    }
    return number;
  }

private:
  DType dtype_;
  bool isReal_;
  size_t width_;
  bool isSplat_;
  std::vector<char> bytes_;
};

class Writer {
public:
  Writer(const Type *type, size_t count)
      : dtype_(type->dtype()), isReal_(familyOf(dtype_) == Family::Real),
        width_(info(dtype_).bits / 8), bytes_(count * width_) {}
  void put(size_t index, const WideNumber &number) {
    uint64_t bits = uint64_t(number.whole);
    if (dtype_ == DType::F32)
      bits = std::bit_cast<uint32_t>(float(number.real));
    else if (isReal_)
      bits = encodeFloat(dtype_, number.real);
    else if (dtype_ == DType::Bool)
      bits = number.whole != 0;
    std::memcpy(bytes_.data() + index * width_, &bits, width_);
  }
  const std::vector<char> &bytes() const { return bytes_; }

private:
  DType dtype_;
  bool isReal_;
  size_t width_;
  std::vector<char> bytes_;
};

/// Computes the result from the operands; false: it is not folded.
using Function = bool (*)(std::span<const WideNumber> in, bool isReal, WideNumber &out);

template <typename Real, typename Whole>
bool both(std::span<const WideNumber> in, bool isReal, WideNumber &out, Real real, Whole whole) {
  if (isReal)
    out.real = real(in[0].real, in[1].real);
  else
    out.whole = whole(in[0].whole, in[1].whole);
  return true;
}

bool add(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return both(
      in, isReal, out, [](double a, double b) { return a + b; },
      [](int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); });
}
bool subtract(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return both(
      in, isReal, out, [](double a, double b) { return a - b; },
      [](int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); });
}
bool multiply(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return both(
      in, isReal, out, [](double a, double b) { return a * b; },
      [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); });
}
bool divide(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  if (!isReal && (in[1].whole == 0 || in[1].whole == -1)) {
    out.whole = int64_t(0 - uint64_t(in[0].whole));
    return in[1].whole != 0;
  }
  return both(
      in, isReal, out, [](double a, double b) { return a / b; },
      [](int64_t a, int64_t b) { return a / b; });
}
bool isNegativeZero(double number) { return number == 0 && std::signbit(number); }
/// Which of two zeros, or of a number and NaN, is the maximum depends on the runtime.
bool isOrdered(double a, double b) {
  return !std::isnan(a) && !std::isnan(b) && isNegativeZero(a) == isNegativeZero(b);
}
bool maximum(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  if (isReal && !isOrdered(in[0].real, in[1].real))
    return false;
  out = isReal ? (in[0].real < in[1].real ? in[1] : in[0])
               : (in[0].whole < in[1].whole ? in[1] : in[0]);
  return true;
}
bool minimum(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  if (isReal && !isOrdered(in[0].real, in[1].real))
    return false;
  out = isReal ? (in[1].real < in[0].real ? in[1] : in[0])
               : (in[1].whole < in[0].whole ? in[1] : in[0]);
  return true;
}

template <typename Compare>
bool compare(std::span<const WideNumber> in, bool isReal, WideNumber &out, Compare how) {
  out.whole = isReal ? how(in[0].real, in[1].real) : how(in[0].whole, in[1].whole);
  return true;
}
bool equal(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return compare(in, isReal, out, [](auto a, auto b) { return a == b; });
}
bool less(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return compare(in, isReal, out, [](auto a, auto b) { return a < b; });
}
bool lessOrEqual(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return compare(in, isReal, out, [](auto a, auto b) { return a <= b; });
}
bool greater(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return compare(in, isReal, out, [](auto a, auto b) { return a > b; });
}
bool greaterOrEqual(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  return compare(in, isReal, out, [](auto a, auto b) { return a >= b; });
}

bool logicalAnd(std::span<const WideNumber> in, bool, WideNumber &out) {
  out.whole = in[0].whole && in[1].whole;
  return true;
}
bool logicalOr(std::span<const WideNumber> in, bool, WideNumber &out) {
  out.whole = in[0].whole || in[1].whole;
  return true;
}
bool logicalXor(std::span<const WideNumber> in, bool, WideNumber &out) {
  out.whole = (in[0].whole != 0) != (in[1].whole != 0);
  return true;
}
bool logicalNot(std::span<const WideNumber> in, bool, WideNumber &out) {
  out.whole = !in[0].whole;
  return true;
}

bool negate(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  (isReal ? void(out.real = -in[0].real) : void(out.whole = int64_t(0 - uint64_t(in[0].whole))));
  return true;
}
bool absolute(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  if (isReal)
    out.real = std::fabs(in[0].real);
  else
    out.whole = in[0].whole < 0 ? int64_t(0 - uint64_t(in[0].whole)) : in[0].whole;
  return true;
}
bool squareRoot(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  out.real = std::sqrt(in[0].real);
  return isReal;
}
bool reciprocal(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  out.real = 1 / in[0].real;
  return isReal;
}

bool where(std::span<const WideNumber> in, bool isReal, WideNumber &out) {
  out = in[0].whole ? in[1] : in[2];
  return !isReal || !isNegativeZero(in[1].real) || !in[0].whole; // onnxruntime returns 0.0
}

struct ArithmeticRow {
  std::string_view op;
  Function function;
  size_t operands;
  size_t decides; ///< the operand whose type says how to compute
};
constexpr ArithmeticRow kArithmeticRows[] = {
    {"Add", add, 2, 0},
    {"Sub", subtract, 2, 0},
    {"Mul", multiply, 2, 0},
    {"Div", divide, 2, 0},
    {"Max", maximum, 2, 0},
    {"Min", minimum, 2, 0},
    {"Equal", equal, 2, 0},
    {"Less", less, 2, 0},
    {"LessOrEqual", lessOrEqual, 2, 0},
    {"Greater", greater, 2, 0},
    {"GreaterOrEqual", greaterOrEqual, 2, 0},
    {"And", logicalAnd, 2, 0},
    {"Or", logicalOr, 2, 0},
    {"Xor", logicalXor, 2, 0},
    {"Not", logicalNot, 1, 0},
    {"Neg", negate, 1, 0},
    {"Abs", absolute, 1, 0},
    {"Sqrt", squareRoot, 1, 0},
    {"Reciprocal", reciprocal, 1, 0},
    {"Where", where, 3, 1},
};

/// Positions in the operands of each element of the broadcast result.
class Walk {
public:
  explicit Walk(Ints shape) : shape_(std::move(shape)), at_(shape_.size()) {}
  bool add(const Ints &own) {
    if (own.size() > shape_.size())
      return false;
    Ints strides(shape_.size());
    int64_t stride = 1;
    for (size_t i = own.size(), k = shape_.size(); i-- > 0;) {
      --k;
      if (own[i] != 1 && own[i] != shape_[k])
        return false;
      strides[k] = own[i] == 1 ? 0 : stride;
      stride *= own[i];
    }
    strides_.push_back(std::move(strides));
    positions_.push_back(0);
    return true;
  }
  size_t position(size_t operand) const { return size_t(positions_[operand]); }
  void next() {
    for (size_t axis = shape_.size(); axis-- > 0;) {
      bool wraps = ++at_[axis] == shape_[axis];
      for (size_t i = 0; i != positions_.size(); ++i)
        positions_[i] += strides_[i][axis] * (wraps ? 1 - shape_[axis] : 1);
      if (!wraps)
        return;
      at_[axis] = 0;
    }
  }

private:
  Ints shape_, at_, positions_;
  std::vector<Ints> strides_;
};

const ArithmeticRow *rowOf(const ConstantCall &call) {
  for (const ArithmeticRow &row : kArithmeticRows)
    if (call.isOnnx(row.op))
      return &row;
  return nullptr;
}

bool elementwise(const ConstantCall &call, Operands operands, Results results) {
  const ArithmeticRow &row = *rowOf(call);
  const Type *type = call.resultType(0);
  std::optional<Ints> shape = staticShape(type);
  if (!shape || operands.size() != row.operands || familyOf(type->dtype()) == Family::None ||
      call.attribute("axis") || call.attribute("broadcast")) // before operator set 7
    return false;
  Walk walk(*shape);
  std::vector<ElementReader> readers;
  bool isSplat = true;
  for (const TensorPtr &operand : operands) {
    if (!operand || familyOf(operand->type()->dtype()) == Family::None ||
        !walk.add(*staticShape(operand->type())))
      return false;
    isSplat = isSplat && isUniform(*operand);
    readers.emplace_back(*operand);
  }
  bool isReal = familyOf(operands[row.decides]->type()->dtype()) == Family::Real;
  // One element is enough if all are equal.
  auto count = size_t(type->numElements());
  isSplat = isSplat && count > 0;
  Writer writer(type, isSplat ? 1 : count);
  std::vector<WideNumber> numbers(operands.size());
  Interrupt interrupt;
  for (size_t i = 0; i != (isSplat ? 1 : count); ++i, walk.next()) {
    interrupt.poll();
    for (size_t k = 0; k != readers.size(); ++k)
      numbers[k] = readers[k].at(walk.position(k));
    WideNumber out;
    if (!row.function(numbers, isReal, out))
      return false;
    writer.put(i, out);
  }
  const std::vector<char> &bytes = writer.bytes();
  results[0] =
      TensorPtr::adopt(isSplat && count > 1 ? Tensor::splat(type, bytes.data(), bytes.size())
                                            : Tensor::copy(type, bytes.data(), bytes.size()));
  return true;
}

bool cast(const ConstantCall &call, Operands operands, Results results) {
  const Type *type = call.resultType(0);
  const TensorPtr &x = operands[0];
  if (!x || !staticShape(type) || type->numElements() != x->numElements())
    return false;
  Family from = familyOf(x->type()->dtype()), to = familyOf(type->dtype());
  if (from == Family::None || to == Family::None)
    return false;
  ElementReader reader(*x);
  auto count = size_t(type->numElements());
  bool isSplat = x->isSplat() && count > 1;
  Writer writer(type, isSplat ? 1 : count);
  Interrupt interrupt;
  for (size_t i = 0; i != (isSplat ? 1 : count); ++i) {
    interrupt.poll();
    WideNumber number = reader.at(i);
    if (from == Family::Whole && to == Family::Real) {
      // Rounding twice may differ from rounding once.
      constexpr int64_t kExact = int64_t(1) << 53;
      if (number.whole > kExact || number.whole < -kExact)
        return false;
      number.real = double(number.whole);
    }
    // Runtimes convert through f32.
    if (to == Family::Real && info(type->dtype()).bits == 16)
      number.real = double(float(number.real));
    if (from == Family::Real && to == Family::Whole) {
      if (type->dtype() == DType::Bool) {
        number.whole = number.real != 0;
      } else {
        // The result of a value that does not fit depends on the runtime.
        unsigned bits = info(type->dtype()).bits;
        bool isSigned = type->dtype() <= DType::I64;
        double high = std::ldexp(1, int(bits - isSigned)), low = isSigned ? -high : 0;
        double whole = std::trunc(number.real);
        if (!(whole >= low && whole < high))
          return false;
        number.whole = int64_t(whole);
      }
    }
    writer.put(i, number);
  }
  const std::vector<char> &bytes = writer.bytes();
  results[0] = TensorPtr::adopt(isSplat ? Tensor::splat(type, bytes.data(), bytes.size())
                                        : Tensor::copy(type, bytes.data(), bytes.size()));
  return true;
}

/// Sums of integers, which do not depend on the order.
bool cumSum(const ConstantCall &call, Operands operands, Results results) {
  const TensorPtr &x = operands[0];
  const Type *type = call.resultType(0);
  if (!x || operands.size() != 2 || !operands[1] || operands[1]->numElements() != 1 ||
      type != x->type() || familyOf(type->dtype()) != Family::Whole)
    return false;
  Ints shape = *staticShape(type);
  auto axis = int64_t(elementAt(*operands[1], 0));
  axis += axis < 0 ? int64_t(shape.size()) : 0;
  if (axis < 0 || size_t(axis) >= shape.size())
    return false;
  bool isReverse = call.intAttr("reverse", 0) != 0, isExclusive = call.intAttr("exclusive", 0) != 0;
  size_t size = size_t(shape[size_t(axis)]), inner = 1, count = size_t(type->numElements());
  for (size_t i = size_t(axis) + 1; i < shape.size(); ++i)
    inner *= size_t(shape[i]);
  ElementReader reader(*x);
  Writer writer(type, count);
  Interrupt interrupt;
  for (size_t first = 0; first < count; first += size * inner)
    for (size_t lane = first; lane != first + inner; ++lane) {
      uint64_t sum = 0;
      for (size_t step = 0; step != size; ++step) {
        interrupt.poll();
        size_t at = lane + (isReverse ? size - 1 - step : step) * inner;
        auto number = uint64_t(reader.at(at).whole);
        WideNumber out;
        out.whole = int64_t(isExclusive ? sum : sum + number);
        writer.put(at, out);
        sum += number;
      }
    }
  const std::vector<char> &bytes = writer.bytes();
  results[0] = TensorPtr::adopt(Tensor::copy(type, bytes.data(), bytes.size()));
  return true;
}

} // namespace

EvaluateFunction evaluateArithmetic(const ConstantCall &call) {
  if (call.op()->domain() != "onnx")
    return nullptr;
  if (call.isOnnx("Cast"))
    return cast;
  if (call.isOnnx("CumSum"))
    return cumSum;
  return rowOf(call) ? elementwise : nullptr;
}

} // namespace ge
