//===- DenseParser.cpp - dense<...> and dense_resource<...> ---------------------------------------===//
#include "Hex.h"
#include "ValueParser.h"

#include <cstdlib>

namespace ge::text {

/// Bytes in the heap that a tensor takes over.
struct HeapBytes {
  explicit HeapBytes(size_t size) : data(static_cast<char *>(std::malloc(size ? size : 1))) {
    if (!data)
      throw std::bad_alloc();
  }
  ~HeapBytes() { std::free(data); }
  HeapBytes(const HeapBytes &) = delete;
  HeapBytes &operator=(const HeapBytes &) = delete;
  TensorPtr take(const Type *type, size_t size) {
    TensorPtr result = TensorPtr::adopt(Tensor::borrow(type, data, size, std::free, data));
    data = nullptr;
    return result;
  }
  char *data;
};

/// Size of an element, one byte at least; 0 when values of the type have no bytes.
static size_t elementBytes(DType dtype) { return (info(dtype).bits + 7u) / 8u; }

/// `: type` after the literal.
const Type *ValueParser::tensorTypeBehind(std::string_view what) {
  scan_.expect(':', cat("and a tensor type after '", what, "<...>'"));
  scan_.skipSpace();
  const char *place = scan_.at();
  const Type *result = type();
  if (!result->isTensor() || result->numElements() < 0)
    scan_.fail(place, cat("expected a tensor type with a static shape, got ", result->str()));
  return result;
}

struct ValueParser::Elements {
  const Type *type;
  std::vector<char> bytes;
  std::vector<std::string> strings;
};

/// One list for each dimension, as MLIR requires. Without recursion, because the rank is unbounded.
void ValueParser::denseElements(Elements &elements) {
  std::span<const Dim> shape = elements.type->shape();
  struct Level {
    const char *place;
    int64_t count;
  };
  std::vector<Level> open;
  for (;;) {
    bool isEmpty = false;
    if (open.size() < shape.size()) {
      if (scan_.peek() != '[')
        scan_.failExpected(cat("a list for dimension ", open.size(), " of ", elements.type->str()));
      open.push_back({scan_.at(), 0});
      scan_.take('[');
      isEmpty = scan_.peek() == ']';
      if (!isEmpty)
        continue;
    } else {
      interrupt_.poll();
      denseElement(elements);
    }
    for (; !open.empty(); isEmpty = false) {
      Level &level = open.back();
      level.count += !isEmpty;
      if (!isEmpty && scan_.take(','))
        break;
      scan_.expect(']', "or ',' after an element");
      int64_t size = shape[open.size() - 1].size;
      if (level.count != size)
        scan_.fail(level.place, cat("expected ", size, " elements in dimension ", open.size() - 1,
                                    " of ", elements.type->str(), ", got ", level.count));
      open.pop_back();
    }
    if (open.empty())
      return;
  }
}

void ValueParser::denseElement(Elements &elements) {
  DType dtype = elements.type->dtype();
  if (dtype == DType::String) {
    if (scan_.peek() != '"')
      scan_.failExpected("a string as element");
    elements.strings.emplace_back(scan_.string(buffer_));
    return;
  }
  size_t size = elementBytes(dtype);
  elements.bytes.resize(elements.bytes.size() + size);
  numericElement(dtype, elements.bytes.data() + elements.bytes.size() - size);
}

void ValueParser::numericElement(DType dtype, char *out) {
  auto put = [&](uint64_t bits, size_t size) {
    for (size_t i = 0; i < size; ++i) // little-endian, whatever the machine
      out[i] = char(bits >> (8 * i));
    out += size;
  };
  switch (dtype) {
  case DType::C64:
  case DType::C128:
  case DType::C32: {
    DType part = dtype == DType::C64 ? DType::F32 : dtype == DType::C32 ? DType::F16 : DType::F64;
    scan_.expect('(', "before a complex number");
    put(floatBits(number(), part), elementBytes(part));
    scan_.expect(',', "between the parts of a complex number");
    put(floatBits(number(), part), elementBytes(part));
    scan_.expect(')', "after a complex number");
    return;
  }
  case DType::Bool:
    if (scan_.takeWord("true"))
      return put(1, 1);
    if (scan_.takeWord("false"))
      return put(0, 1);
    return put(uint64_t(integer(number(), dtype)), 1);
  default:
    if (isInteger(dtype)) {
      // Unused upper bits of a byte are 0.
      uint64_t mask = ~uint64_t(0) >> (64 - info(dtype).bits);
      return put(uint64_t(integer(number(), dtype)) & mask, elementBytes(dtype));
    }
    return put(floatBits(number(), dtype), elementBytes(dtype));
  }
}

AttrRef ValueParser::denseAttribute() {
  const char *place = scan_.at();
  if (scan_.peek() != '<')
    scan_.failExpected("'<' after 'dense'");
  const char *literal = scan_.at() + 1;
  // The type, which follows the elements, determines how they are read.
  scan_.skipBalanced(true);
  const char *literalEnd = scan_.at() - 1;
  const Type *type = tensorTypeBehind("dense");
  const char *behind = scan_.at();
  scan_.setAt(literal);

  DType dtype = type->dtype();
  TensorPtr tensor;
  char first = scan_.peek();
  if (first == '"' && dtype != DType::String) {
    tensor = hexTensor(type, place);
  } else if (dtype != DType::String && !info(dtype).mlirBuiltin && first != '>') {
    scan_.fail(literal, cat("elements of ", info(dtype).name,
                            " have no literals; write them as dense_resource or dense<\"0x...\">"));
  } else {
    Elements elements{type, {}, {}};
    bool isSplat = false;
    if (first == '>') {
      if (type->numElements() != 0)
        scan_.failExpected(cat("elements of ", type->str()));
    } else if (first == '[') {
      denseElements(elements);
    } else {
      denseElement(elements);
      isSplat = true;
    }
    tensor = refusedAt(place, [&] {
      if (isSplat && type->numElements() == 0) {
        elements.strings.clear();
        elements.bytes.clear();
      }
      if (dtype == DType::String)
        return TensorPtr::adopt(Tensor::strings(type, std::move(elements.strings)));
      const Tensor *made = isSplat && type->numElements() != 0
                               ? Tensor::splat(type, elements.bytes.data(), elements.bytes.size())
                               : Tensor::copy(type, elements.bytes.data(), elements.bytes.size());
      return TensorPtr::adopt(made);
    });
  }
  scan_.skipSpace();
  if (scan_.at() != literalEnd)
    scan_.failExpected("'>' after the elements");
  scan_.setAt(behind);
  return refusedAt(place, [&] { return context_.tensorAttr(std::move(tensor)); });
}

/// `"0x..."`: all elements, one element for all, or bools packed into bits.
TensorPtr ValueParser::hexTensor(const Type *type, const char *place) {
  bool hasEscapes = false;
  std::string_view hex = scan_.rawString(hasEscapes);
  if (!hex.starts_with("0x") || hex.size() % 2)
    scan_.fail(place, "expected hexadecimal bytes \"0x...\"");
  hex.remove_prefix(2);
  size_t size = hex.size() / 2;
  HeapBytes bytes(size);
  if (!decodeHex(hex, bytes.data))
    scan_.fail(place, "expected hexadecimal bytes \"0x...\"");
  size_t element = elementBytes(type->dtype());
  auto count = uint64_t(type->numElements());
  bool isBool = type->dtype() == DType::Bool;
  if (element && size / element == count && size % element == 0) {
    if (isBool)
      for (size_t i = 0; i < size; ++i)
        bytes.data[i] = bytes.data[i] != 0;
    return refusedAt(place, [&] { return bytes.take(type, size); });
  }
  if (isBool && size == count / 8 + (count % 8 != 0)) {
    HeapBytes bools(count);
    for (uint64_t i = 0; i < count; ++i)
      bools.data[i] = (bytes.data[i / 8] >> (i % 8)) & 1;
    return refusedAt(place, [&] { return bools.take(type, count); });
  }
  if (element && size == element && count)
    return refusedAt(place,
                     [&] { return TensorPtr::adopt(Tensor::splat(type, bytes.data, size)); });
  scan_.fail(place, cat(size, " bytes are not the ", count, " elements of ", type->str()));
}

AttrRef ValueParser::resourceAttribute() {
  scan_.expect('<', "after 'dense_resource'");
  scan_.skipSpace();
  const char *place = scan_.at();
  std::string key(scan_.peek() == '"' ? scan_.string(buffer_) : scan_.bareWord());
  if (key.empty())
    scan_.fail(place, "expected the key of a resource");
  scan_.expect('>', "after the key of a resource");
  const Type *type = tensorTypeBehind("dense_resource");
  if (!resourcesKnown_) {
    sawResource_ = true;
    return AttrRef(Attribute::boolean(false));
  }
  return context_.tensorAttr(resourceTensor(key, type, place));
}

TensorPtr ValueParser::resourceTensor(std::string_view key, const Type *type, const char *place) {
  auto found = resources_.find(key);
  if (found == resources_.end()) {
    if (key == "__elided__")
      scan_.fail(place, "the elements were left out when this was printed (dense_resource<"
                        "__elided__>) and cannot be read back; print it without eliding");
    scan_.fail(place, cat("resource '", key, "' has no blob in dialect_resources"));
  }
  Resource &resource = found->second;
  TensorPtr &known = resource.tensors[type];
  if (known)
    return known;
  // The first 4 bytes are the alignment.
  std::string_view hex = resource.hex.substr(8);
  size_t size = hex.size() / 2;
  size_t element = elementBytes(type->dtype());
  auto count = uint64_t(type->numElements());
  bool isSplat = element && size == element && count > 1;
  if (!isSplat && (!element || size % element || size / element != count))
    scan_.fail(place,
               cat("resource '", key, "' has ", size, " bytes, which are not the ", count,
                   " elements of ", type->str()),
               resource.place, "the blob is here");
  HeapBytes bytes(size);
  decodeHex(hex, bytes.data); // was checked
  known = refusedAt(place, [&] {
    return isSplat ? TensorPtr::adopt(Tensor::splat(type, bytes.data, size))
                   : bytes.take(type, size);
  });
  return known;
}

} // namespace ge::text
