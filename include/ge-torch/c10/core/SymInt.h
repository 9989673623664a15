//===- c10/core/SymInt.h - sizes that may be symbolic in PyTorch -------------------------------===//
//
// Kernels of GE get numbers only, so a SymInt here is always one.
//
#ifndef GE_TORCH_C10_CORE_SYMINT_H
#define GE_TORCH_C10_CORE_SYMINT_H

#include <c10/macros/Macros.h>

#include <optional>
#include <ostream>
#include <type_traits>

GE_TORCH_OPEN(c10)

class SymInt {
public:
  SymInt() = default;
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  SymInt(T value) : value_(int64_t(value)) {}
  bool is_symbolic() const { return false; }
  std::optional<int64_t> maybe_as_int() const { return value_; }
  int64_t expect_int() const { return value_; }
  int64_t as_int_unchecked() const { return value_; }
  int64_t guard_int(const char *, int64_t) const { return value_; }
  explicit operator int64_t() const { return value_; }

#define GE_TORCH_SYMINT(op)                                                                        \
  friend SymInt operator op(const SymInt &a, const SymInt &b) { return a.value_ op b.value_; }     \
  SymInt &operator op## = (const SymInt &other) {                                                  \
    value_ op## = other.value_;                                                                    \
    return *this;                                                                                  \
  }
  GE_TORCH_SYMINT(+)
  GE_TORCH_SYMINT(-)
  GE_TORCH_SYMINT(*)
  GE_TORCH_SYMINT(/)
  GE_TORCH_SYMINT(%)
#undef GE_TORCH_SYMINT
#define GE_TORCH_SYMINT(op)                                                                        \
  friend bool operator op(const SymInt &a, const SymInt &b) { return a.value_ op b.value_; }
  GE_TORCH_SYMINT(==)
  GE_TORCH_SYMINT(!=)
  GE_TORCH_SYMINT(<)
  GE_TORCH_SYMINT(<=)
  GE_TORCH_SYMINT(>)
  GE_TORCH_SYMINT(>=)
#undef GE_TORCH_SYMINT
  friend std::ostream &operator<<(std::ostream &out, const SymInt &value) {
    return out << value.value_;
  }

private:
  int64_t value_ = 0;
};

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_SYMINT_H
