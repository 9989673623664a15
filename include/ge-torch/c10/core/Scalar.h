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

  /// An error when the value does not fit.
  template <typename T> T to() const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      bool fits;
      if (kind_ == Kind::Float || kind_ == Kind::Complex) {
        // The largest integer may round up to a power of two that does not fit.
        constexpr double low = double(std::numeric_limits<T>::min());
        const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
        fits = real_ >= low && real_ < high && imaginary_ == 0;
      } else if (kind_ == Kind::Unsigned || std::is_same_v<T, uint64_t>) {
        fits = std::is_same_v<T, uint64_t>;
      } else {
        fits = integer_ >= int64_t(std::numeric_limits<T>::min()) &&
               integer_ <= int64_t(std::numeric_limits<T>::max());
      }
      TORCH_CHECK(fits, "value cannot be converted to type ",
                  toString(CppTypeToScalarType<T>::value), " without overflow");
    } else if constexpr (!detail::isComplexNumber<T>) {
      TORCH_CHECK(!isComplex() || imaginary_ == 0, "value cannot be converted to type ",
                  toString(CppTypeToScalarType<T>::value), " without overflow");
    }
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
      return T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(real()));
  }

private:
  enum class Kind { Bool, Int, Unsigned, Float, Complex };
  double real() const {
    return kind_ == Kind::Float || kind_ == Kind::Complex ? real_
           : kind_ == Kind::Unsigned                      ? double(uint64_t(integer_))
                                                          : double(integer_);
  }
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
