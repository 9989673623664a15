//===- TensorText.cpp -------------------------------------------------------------------------===//
#include "ge/IR/TensorText.h"

#include "ge/IR/FloatFormat.h"
#include "ge/Support/Interrupt.h"
#include "ge/Support/StringUtil.h"

#include <cstring>

namespace ge {

static constexpr int64_t kMaxInline = 16;

bool printsInline(const Tensor &tensor) {
  if (tensor.isString() || tensor.numElements() == 0)
    return true;
  return info(tensor.type()->dtype()).mlirBuiltin &&
         (tensor.isSplat() || tensor.numElements() <= kMaxInline);
}

/// The low `bytes` bytes, the rest 0.
static uint64_t loadBits(const char *element, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, bytes);
  return bits;
}

static void appendComplex(std::string &out, DType part, const char *element) {
  size_t width = info(part).bits / 8;
  out.push_back('(');
  appendFloat(out, part, loadBits(element, width));
  out.push_back(',');
  appendFloat(out, part, loadBits(element + width, width));
  out.push_back(')');
}

void appendElement(std::string &out, DType dtype, const void *data) {
  const char *element = static_cast<const char *>(data);
  unsigned width = info(dtype).bits;
  switch (dtype) {
  case DType::Bool:
    out += *element ? "true" : "false";
    return;
  case DType::C32:
    return appendComplex(out, DType::F16, element);
  case DType::C64:
    return appendComplex(out, DType::F32, element);
  case DType::C128:
    return appendComplex(out, DType::F64, element);
  default:
    break;
  }
  uint64_t bits = loadBits(element, (width + 7) / 8);
  if (isFloat(dtype))
    return appendFloat(out, dtype, bits);
  switch (dtype) {
  case DType::I2:
  case DType::I4:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
    // Moves the sign to the top bit and back.
    return appendPart(out, int64_t(bits << (64 - width)) >> (64 - width));
  default:
    return appendPart(out, bits);
  }
}

namespace {
/// Nested brackets by shape.
class DensePrinter {
public:
  DensePrinter(std::string &out, const Tensor &tensor)
      : out_(out), tensor_(tensor), dtype_(tensor.type()->dtype()), width_(tensor.elementSize()) {
    if (!tensor.isString() && tensor.numElements() != 0) {
      bytes_.resize(tensor.isSplat() ? width_ : tensor.denseSize());
      tensor.copyElements(0, tensor.isSplat() ? 1 : tensor.numElements(), bytes_.data());
    }
  }
  void print() {
    if (tensor_.numElements() == 0)
      return;
    if (tensor_.isSplat())
      element(0);
    else
      level(tensor_.type()->shape());
  }

private:
  void element(size_t index) {
    if (tensor_.isString())
      appendQuoted(out_, tensor_.strings()[index]);
    else
      appendElement(out_, dtype_, bytes_.data() + index * width_);
  }
  // Without recursion, because the rank is unbounded. Before element i, a bracket opens for each
  // trailing dimension whose total size divides i.
  void level(std::span<const Dim> shape) {
    size_t count = size_t(tensor_.numElements());
    size_t closing = 0;
    Interrupt interrupt;
    for (size_t i = 0; i != count; ++i) {
      interrupt.poll();
      size_t opening = bordering(shape, i);
      closing = bordering(shape, i + 1);
      if (i)
        out_ += ", ";
      out_.append(opening, '[');
      element(i);
      out_.append(closing, ']');
    }
  }
  static size_t bordering(std::span<const Dim> shape, size_t index) {
    size_t borders = 0;
    for (size_t dim = shape.size(); dim-- > 0; ++borders) {
      size_t size = size_t(shape[dim].size);
      if (index % size)
        break;
      index /= size;
    }
    return borders;
  }

  std::string &out_;
  const Tensor &tensor_;
  DType dtype_;
  size_t width_;
  std::string bytes_;
};
} // namespace

void appendDense(std::string &out, const Tensor &tensor) {
  out += "dense<";
  DensePrinter(out, tensor).print();
  out += "> : ";
  tensor.type()->print(out);
}

} // namespace ge
