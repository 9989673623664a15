//===- c10/core/Scalar.h - a number of any type ------------------------------------------------===//
#ifndef GE_TORCH_C10_CORE_SCALAR_H
#define GE_TORCH_C10_CORE_SCALAR_H

#include <c10/core/ScalarType.h>

#include <limits>

GE_TORCH_OPEN(c10)

namespace detail {
template <typename T> inline constexpr bool isComplexNumber = false;
template <typename T> inline constexpr bool isComplexNumber<std::complex<T>> = true;
} // namespace detail

class Scalar {
public:
  Scalar() : Scalar(int64_t(0)) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Scalar(T value) : kind_(std::is_same_v<T, bool> ? Kind::Bool : Kind::Int) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
      kind_ = value > uint64_t(std::numeric_limits<int64_t>::max()) ? Kind::Unsigned : Kind::Int;
    integer_ = int64_t(value);
  }
  Scalar(float value) : Scalar(double(value)) {}
  Scalar(Half value) : Scalar(double(float(value))) {}
  Scalar(BFloat16 value) : Scalar(double(float(value))) {}
  Scalar(double value) : kind_(Kind::Float), real_(value) {}
  template <typename T>
  Scalar(std::complex<T> value)
      : kind_(Kind::Complex), real_(double(value.real())), imaginary_(double(value.imag())) {}

  bool isFloatingPoint() const { return kind_ == Kind::Float; }
  bool isIntegral(bool includeBool) const {
    return kind_ == Kind::Int || kind_ == Kind::Unsigned || (includeBool && isBoolean());
  }
  bool isBoolean() const { return kind_ == Kind::Bool; }
  bool isComplex() const { return kind_ == Kind::Complex; }
  ScalarType type() const {
    return isFloatingPoint() ? kDouble : isComplex() ? kComplexDouble : isBoolean() ? kBool : kLong;
  }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  bool toBool() const { return to<bool>(); }

  /// An error when the type cannot hold the value. A negative integer whose magnitude an unsigned
  /// type can hold wraps round, as in PyTorch.
  template <typename T> T to() const {
    TORCH_CHECK(fits<T>(), "value cannot be converted to type ",
                toString(CppTypeToScalarType<T>::value), " without overflow");
    return cast<T>();
  }
  /// As static_cast converts the value.
  template <typename T> T cast() const {
    if constexpr (detail::isComplexNumber<T>)
      return T(typename T::value_type(real()), typename T::value_type(imaginary_));
    else if constexpr (std::is_same_v<T, bool>)
      return kind_ == Kind::Float || kind_ == Kind::Complex ? real_ != 0 || imaginary_ != 0
                                                            : integer_ != 0;
    else if constexpr (std::is_integral_v<T>)
      return kind_ == Kind::Float || kind_ == Kind::Complex ? truncated<T>() : T(integer_);
    else
      return T(realAs<std::conditional_t<std::is_same_v<T, double>, double, float>>());
  }

private:
  enum class Kind { Bool, Int, Unsigned, Float, Complex };
  template <typename T> bool fits() const {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else if constexpr (detail::isComplexNumber<T>) {
      using Part = typename T::value_type;
      return fitsReal<Part>(real_) && fitsReal<Part>(imaginary_); // of integers both are 0
    } else {
      switch (kind_) {
      case Kind::Bool:
        return true;
      case Kind::Int:
        return fitsInteger<T>(integer_);
      case Kind::Unsigned:
        return std::is_same_v<T, uint64_t> || !std::is_integral_v<T>;
      case Kind::Float:
        return fitsReal<T>(real_);
      case Kind::Complex:
        return imaginary_ == 0 && fitsReal<T>(real_);
      }
      return false;
    }
  }
  template <typename T> static bool fitsInteger(int64_t value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (!std::is_integral_v<T>)
      return fitsReal<T>(double(value));
    else if constexpr (std::is_signed_v<T>)
      return value >= int64_t(Limits::min()) && value <= int64_t(Limits::max());
    else
      return (value < 0 ? -uint64_t(value) : uint64_t(value)) <= uint64_t(Limits::max());
  }
  template <typename T> static bool fitsReal(double value) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>) {
      // The largest integer may round up to a power of two that does not fit.
      return value >= double(Limits::min()) && value < std::ldexp(1.0, Limits::digits);
    } else {
      return !std::isfinite(value) ||
             (value >= double(Limits::lowest()) && value <= double(Limits::max()));
    }
  }
  /// Rounded once.
  template <typename T> T realAs() const {
    return kind_ == Kind::Float || kind_ == Kind::Complex ? T(real_)
           : kind_ == Kind::Unsigned                      ? T(uint64_t(integer_))
                                                          : T(integer_);
  }
  double real() const { return realAs<double>(); }
  template <typename T> T truncated() const {
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (real_ >= 9223372036854775808.0 && real_ < 18446744073709551616.0)
        return T(real_);
    }
    // Outside of 64 bits the cast of C++ is undefined.
    if (!(real_ > -9223372036854775809.0 && real_ < 9223372036854775808.0))
      return T(std::numeric_limits<int64_t>::min());
    return T(int64_t(real_));
  }
  Kind kind_;
  int64_t integer_ = 0;
  double real_ = 0, imaginary_ = 0;
};

inline std::ostream &operator<<(std::ostream &out, const Scalar &value) {
  if (value.isComplex()) {
    auto number = value.cast<std::complex<double>>();
    return out << "(" << number.real() << "," << number.imag() << ")";
  }
  if (value.isFloatingPoint())
    return out << value.toDouble();
  if (value.isBoolean())
    return out << (value.toBool() ? "true" : "false");
  return out << value.cast<int64_t>();
}

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_SCALAR_H
