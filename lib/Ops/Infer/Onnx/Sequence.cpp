//===- Sequence.cpp - sequences, optionals, strings -------------------------------------------===//
#include "../InferRows.h"

#include <algorithm>

namespace ge {
namespace {

const Type *tensorOfRank(InferContext &c, DType dtype, std::optional<Dims> shape) {
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.ranked = shape.has_value();
  if (shape)
    spec.shape = *shape;
  return c.context().tensorType(spec);
}

/// The element type of a sequence; null, with an error when it is something else.
const Type *elementOf(InferContext &c, uint32_t i) {
  const Type *type = c.operand(i);
  if (!type || type->kind() == TypeKind::Unknown)
    return nullptr;
  if (type->kind() == TypeKind::Sequence)
    return type->element();
  c.failAt(i, "must be a sequence");
  return nullptr;
}

void sequenceConstruct(InferContext &c) {
  const Type *element = nullptr;
  for (uint32_t i = 0; i != c.numOperands(); ++i) {
    if (!c.has(i))
      return;
    element = element ? joinTypes(element, c.operand(i)) : c.operand(i);
  }
  commonDType(c, 0, c.numOperands());
  if (element && element->kind() != TypeKind::Unknown && !c.failed())
    c.setResult(0, c.context().sequenceType(element));
}

void sequenceEmpty(InferContext &c) {
  DType dtype = c.dtypeAttr("dtype", DType::F32);
  c.setResult(0, c.context().sequenceType(tensorOfRank(c, dtype, std::nullopt)));
}

void sequenceInsert(InferContext &c) {
  const Type *element = elementOf(c, 0);
  if (!element || !c.has(1))
    return;
  const Type *joined = joinTypes(element, c.operand(1));
  if (joined->kind() != TypeKind::Unknown)
    c.setResult(0, c.context().sequenceType(joined));
  else if (element->isTensor() && c.operand(1)->isTensor())
    c.failAt(1, "is not of the elements of ", c.operandName(0), " (", shortType(c.operand(0)), ")");
}

void sequenceErase(InferContext &c) {
  if (elementOf(c, 0))
    likeOperand(c);
}

void sequenceAt(InferContext &c) {
  if (const Type *element = elementOf(c, 0))
    c.setResult(0, element);
}

void sequenceLength(InferContext &c) {
  elementOf(c, 0);
  c.setTensor(0, DType::I64, Dims());
}

void splitToSequence(InferContext &c) {
  DType dtype = c.dtype(0);
  if (dtype == DType::Undefined)
    return;
  if (!c.isRanked(0))
    return c.setResult(0, c.context().sequenceType(tensorOfRank(c, dtype, std::nullopt)));
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, c.rank(0)))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim &part = dims[size_t(axis)];
  if (!c.has(1)) {
    if (c.intAttr("keepdims", 1) == 0)
      dims.erase(dims.begin() + axis);
    else
      part = staticDim(1);
  } else if (const Contents *split = c.contents(1); split && split->size() > 0) {
    const Element &first = split->elements[0];
    bool isEven =
        std::ranges::all_of(split->elements, [&](const Element &e) { return e == first; });
    // One number: parts of that size, the last may be smaller.
    if (split->rank() == 0)
      isEven =
          part.isStatic() && first.isInt() && first.number > 0 && part.size % first.number == 0;
    part = isEven ? first.dim() : Dim{};
  } else {
    part = {};
  }
  c.setResult(0, c.context().sequenceType(tensorOfRank(c, dtype, dims)));
}

void concatFromSequence(InferContext &c) {
  const Type *element = elementOf(c, 0);
  if (!element || !element->isTensor())
    return;
  if (!element->isRanked())
    return c.setUnranked(0, element->dtype());
  Dims dims(element->shape().begin(), element->shape().end());
  bool isNew = c.intAttr("new_axis", 0) != 0;
  int64_t axis = c.intAttr("axis", 0);
  if (!normalizeAxis(c, axis, int64_t(dims.size()) + isNew))
    return;
  if (isNew)
    dims.insert(dims.begin() + axis, Dim{});
  else
    dims[size_t(axis)] = {};
  c.setTensor(0, element->dtype(), dims);
}

void optional(InferContext &c) {
  const Type *element = c.operand(0);
  if (Attribute type = c.attribute("type"); !element && type.kind() == AttrKind::Type)
    element = type.typeValue();
  if (element && element->kind() != TypeKind::Unknown)
    c.setResult(0, c.context().optionalType(element));
}

void optionalGetElement(InferContext &c) {
  if (const Type *type = c.operand(0))
    c.setResult(0, type->kind() == TypeKind::Optional ? type->element() : type);
}

void optionalHasElement(InferContext &c) { c.setTensor(0, DType::Bool, Dims()); }

void stringNormalizer(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, DType::String);
  if (c.rank(0) == 1)
    return c.setTensor(0, DType::String, {Dim{}});
  c.setTensor(0, DType::String, {staticDim(1), Dim{}});
}

void stringSplit(InferContext &c) {
  if (!c.isRanked(0))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  c.setTensor(1, DType::I64, dims);
  dims.emplace_back();
  c.setTensor(0, DType::String, dims);
}

void regexFullMatch(InferContext &c) {
  if (c.isRanked(0))
    c.setTensor(0, DType::Bool, c.shape(0));
  else
    c.setUnranked(0, DType::Bool);
}

void tfIdfVectorizer(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, DType::F32);
  std::optional<std::vector<int64_t>> indexes = c.intsAttr("ngram_indexes");
  Dim size;
  if (indexes && !indexes->empty())
    size = add(Element::of(*std::ranges::max_element(*indexes)).dim(), staticDim(1));
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  if (dims.empty() || dims.size() > 2)
    return c.failAt(0, "must have 1 or 2 dimensions");
  dims.back() = size;
  c.setTensor(0, DType::F32, dims);
}

void imageDecoder(InferContext &c) {
  bool isGray = c.stringAttr("pixel_format", "RGB") == "Grayscale";
  c.setTensor(0, DType::U8, {Dim{}, Dim{}, staticDim(isGray ? 1 : 3)});
}

constexpr InferRow kSequenceRows[] = {
    {"SequenceConstruct", sequenceConstruct},
    {"SequenceEmpty", sequenceEmpty},
    {"SequenceInsert", sequenceInsert},
    {"SequenceErase", sequenceErase},
    {"SequenceAt", sequenceAt},
    {"SequenceLength", sequenceLength},
    {"SplitToSequence", splitToSequence},
    {"ConcatFromSequence", concatFromSequence},
    {"Optional", optional},
    {"OptionalGetElement", optionalGetElement},
    {"OptionalHasElement", optionalHasElement},
    {"StringNormalizer", stringNormalizer},
    {"StringSplit", stringSplit},
    {"RegexFullMatch", regexFullMatch},
    {"TfIdfVectorizer", tfIdfVectorizer},
    {"ImageDecoder", imageDecoder},
};

} // namespace

std::span<const InferRow> sequenceRows() { return kSequenceRows; }

} // namespace ge
