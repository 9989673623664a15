//===- Create.cpp - tensors from attributes and scalars ---------------------------------------===//
#include "../../Eval/EvalShape.h"
#include "../InferRows.h"
#include "../SparseLiteral.h"

#include <cmath>

namespace ge {
namespace {

/// A tensor of shape {size of the list} or {}, from attribute `name`.
void listConstant(InferContext &c, std::string_view name, DType dtype) {
  c.setTensor(0, dtype, {staticDim(int64_t(c.attribute(name).size()))});
}

void constantOfShape(InferContext &c) {
  DType dtype = DType::F32;
  if (Attribute value = c.attribute("value"); value.kind() == AttrKind::Tensor)
    dtype = value.tensorValue()->type()->dtype();
  if (const Contents *shape = c.contents(0))
    return c.setTensor(0, dtype, shape->dims());
  setRank(c, dtype, vectorLength(c, 0));
}

const Element *scalar(InferContext &c, uint32_t i) {
  const Contents *contents = c.contents(i);
  return contents && contents->size() == 1 ? &contents->elements[0] : nullptr;
}

void eyeLike(InferContext &c) {
  DType dtype = c.dtypeAttr("dtype", c.dtype(0));
  if (!expectRank(c, 0, 2))
    return;
  if (c.isRanked(0))
    c.setTensor(0, dtype, c.shape(0));
  else
    setRank(c, dtype, 2);
}

void random(InferContext &c) {
  std::optional<std::vector<int64_t>> shape = c.intsAttr("shape");
  if (!shape)
    return c.fail("needs the attribute 'shape'");
  Dims dims;
  for (int64_t size : *shape) {
    if (size < 0)
      return c.fail("attribute 'shape' has ", size, "; a size must not be negative");
    dims.push_back(staticDim(size));
  }
  c.setTensor(0, c.dtypeAttr("dtype", DType::F32), dims);
}

void randomLike(InferContext &c) {
  DType dtype = c.dtypeAttr("dtype", c.dtype(0));
  if (c.isRanked(0))
    c.setTensor(0, dtype, c.shape(0));
  else
    c.setUnranked(0, dtype);
}

void multinomial(InferContext &c) {
  Dim batch = c.rank(0) == 2 ? c.shape(0)[0] : Dim{};
  if (expectRank(c, 0, 2))
    c.setTensor(0, c.dtypeAttr("dtype", DType::I32),
                {batch, Element::of(c.intAttr("sample_size", 1)).dim()});
}

void sparseConstant(InferContext &c) {
  std::optional<SparseLiteral> sparse = sparseLiteral(c.attribute("sparse_value"));
  if (!sparse)
    return c.fail("attribute 'sparse_value' must have 'values' and 'indices', which are tensors or "
                  "arrays, and 'dims', a list of ints");
  Dims dims;
  for (int64_t size : sparse->dims)
    dims.push_back(staticDim(size));
  c.setTensor(0, sparse->values->type()->dtype(), dims);
}

constexpr InferRow kCreateRows[] = {
    {"Constant", inferConstant, evalConstant},
    {"ConstantOfShape", constantOfShape, evalConstantOfShape},
    {"Range", inferRange, evalRange},
    {"EyeLike", eyeLike},
    {"RandomNormal", random},
    {"RandomUniform", random},
    {"RandomNormalLike", randomLike},
    {"RandomUniformLike", randomLike},
    {"Multinomial", multinomial},
};

} // namespace

void inferConstant(InferContext &c) {
  constexpr std::string_view kNames[] = {"value",         "value_int",   "value_float",
                                         "value_string",  "value_ints",  "value_floats",
                                         "value_strings", "sparse_value"};
  std::string_view given;
  for (std::string_view name : kNames)
    if (c.attribute(name)) {
      if (!given.empty())
        return c.fail("has the attributes ", given, " and ", name, "; it needs one of them");
      given = name;
    }
  if (Attribute value = c.attribute("value"); value.kind() == AttrKind::Tensor)
    return c.setResult(0, value.tensorValue()->type());
  if (given == "sparse_value")
    return sparseConstant(c);
  if (c.attribute("value_int"))
    return c.setTensor(0, DType::I64, Dims());
  if (c.attribute("value_float"))
    return c.setTensor(0, DType::F32, Dims());
  if (c.attribute("value_string"))
    return c.setTensor(0, DType::String, Dims());
  if (c.attribute("value_ints"))
    return listConstant(c, "value_ints", DType::I64);
  if (c.attribute("value_floats"))
    return listConstant(c, "value_floats", DType::F32);
  if (c.attribute("value_strings"))
    return listConstant(c, "value_strings", DType::String);
  if (given.empty())
    c.fail("needs one of the attributes value, value_int, value_float, value_string, value_ints, "
           "value_floats, value_strings, sparse_value");
}

/// ceil((limit - start) / delta). Runtimes compute it as double or in the element type, or one step
/// so and the next one otherwise: known if all agree.
static Dim realCount(double start, double limit, double delta, bool isDouble) {
  double room = limit - start, count = std::ceil(room / delta);
  if (!isDouble) {
    auto narrow = float(room);
    if (std::ceil(double(narrow) / delta) != count || std::ceil(narrow / float(delta)) != count)
      return {};
  }
  // False for what is not a number, too.
  return count < 0x1p53 ? staticDim(count > 0 ? int64_t(count) : 0) : Dim{};
}

void inferRange(InferContext &c) {
  DType dtype = commonDType(c, {0, 1, 2});
  if (c.failed())
    return;
  const Element *start = scalar(c, 0), *limit = scalar(c, 1), *delta = scalar(c, 2);
  Dim size;
  if (start && limit && delta && start->isInt() && delta->isInt() && limit->isInt()) {
    int64_t room, step = delta->number;
    if (step == 0)
      return c.failAt(2, "is 0");
    if (!__builtin_sub_overflow(limit->number, start->number, &room) && room != INT64_MIN) {
      if (step < 0)
        room = -room;
      uint64_t width = step < 0 ? 0 - uint64_t(step) : uint64_t(step);
      size = staticDim(room <= 0 ? 0 : int64_t((uint64_t(room) - 1) / width) + 1);
    }
  } else if (start && limit && delta && start->isInt() && start->number == 0 && delta->isInt() &&
             delta->number == 1) {
    size = limit->dim(); // arange(N)
  } else if (start && limit && delta && start->kind == Element::Kind::Real &&
             limit->kind == Element::Kind::Real && delta->kind == Element::Kind::Real) {
    size = realCount(start->real, limit->real, delta->real, dtype == DType::F64);
  }
  c.setTensor(0, dtype, {size});
}

std::span<const InferRow> createRows() { return kCreateRows; }

} // namespace ge
