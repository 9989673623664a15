//===- Contents.h - small tensors known element by element ------------------------------------===//
//
// What shapes are computed with: the result of Shape, its slices, sums and products, on the way to
// Reshape. An element may be a symbol or not known, so that f32[N, 12, ?] has the shape {N, 12, ?}.
//
#ifndef GE_OPS_INFER_CONTENTS_H
#define GE_OPS_INFER_CONTENTS_H

#include "ge/IR/Tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ge {

/// One element.
struct Element {
  enum class Kind : uint8_t { Unknown, Int, Real, Symbol };
  Kind kind = Kind::Unknown;
  union {
    int64_t number = 0;       ///< Int; bools are 0 and 1
    double real;              ///< Real
    const Identifier *symbol; ///< Symbol: a size that is not known, >= 0
  };

  static Element of(int64_t number);
  static Element of(double real);
  static Element of(const Dim &dim);
  bool isInt() const { return kind == Kind::Int; }
  bool isSymbol() const { return kind == Kind::Symbol; }
  bool isKnown() const { return kind != Kind::Unknown; }
  /// As a dimension; a negative number is an unknown one.
  Dim dim() const;
  friend bool operator==(const Element &a, const Element &b) {
    if (a.kind != b.kind || a.kind == Kind::Unknown)
      return a.kind == b.kind;
    return a.kind == Kind::Real ? a.real == b.real : a.number == b.number;
  }
};

/// A tensor of integers, bools or real numbers with a static shape, row-major. An empty one is a
/// vector, so that the product of any of its sizes is small.
struct Contents {
  std::vector<int64_t> shape;
  std::vector<Element> elements;

  static Contents scalar(Element element) { return {{}, {element}}; }
  static Contents vector(std::vector<Element> elements);
  /// Of a constant; nullopt when it is larger than kMaxElements or has other elements.
  static std::optional<Contents> of(const Tensor &tensor);

  size_t rank() const { return shape.size(); }
  size_t size() const { return elements.size(); }
  bool allKnown() const;
  /// Each element a number: its values; nullopt otherwise.
  std::optional<std::vector<int64_t>> ints() const;
  std::vector<Dim> dims() const; ///< each element as a dimension

  /// More than any shape has, and any list of paddings.
  static constexpr int64_t kMaxElements = 1024;
};

} // namespace ge

#endif // GE_OPS_INFER_CONTENTS_H
