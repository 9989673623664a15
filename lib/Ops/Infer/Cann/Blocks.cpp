//===- Blocks.cpp - CANN's operators that move blocks, repeat, pad, change layouts ------------===//
#include "../../Eval/EvalShape.h"
#include "CannInference.h"

#include <algorithm>
#include <string>

namespace ge {
namespace {

// --- Sizes given by attributes -------------------------------------------------------------------

std::vector<Element> elementsOf(std::span<const int64_t> values) {
  std::vector<Element> elements;
  for (int64_t value : values)
    elements.push_back(Element::of(value));
  return elements;
}

Dims dimsOf(std::span<const int64_t> values) {
  Dims dims;
  for (int64_t value : values)
    dims.push_back(Element::of(value).dim());
  return dims;
}

void tileD(InferContext &c) {
  if (std::optional<std::vector<int64_t>> multiples = c.intsAttr("multiples"))
    tileBy(c, dimsOf(*multiples));
  else
    setRank(c, c.dtype(0), c.rank(0));
}

void expandD(InferContext &c) {
  if (std::optional<std::vector<int64_t>> shape = c.intsAttr("shape"))
    expandTo(c, dimsOf(*shape));
  else
    c.setUnranked(0, c.dtype(0));
}

/// x, on_value, off_value.
void oneHotD(InferContext &c) {
  DType dtype = commonDType(c, {1, 2});
  if (c.failed() || !c.isRanked(0))
    return c.setUnranked(0, dtype);
  int64_t axis = c.intAttr("axis", -1);
  if (!normalizeAxis(c, axis, c.rank(0) + 1))
    return;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  dims.insert(dims.begin() + axis, Element::of(c.intAttr("depth", -1)).dim());
  c.setTensor(0, dtype, dims);
}

/// Two numbers for each dimension; a list of lists, or flat.
std::optional<std::vector<int64_t>> paddingsOf(InferContext &c) {
  Attribute given = c.attribute("paddings");
  if (given.kind() != AttrKind::List || given.size() == 0)
    return c.intsAttr("paddings");
  std::vector<int64_t> flat;
  for (Attribute row : given.elements()) {
    if (row.kind() != AttrKind::Array || !isInteger(row.width()))
      return std::nullopt;
    flat.insert(flat.end(), row.ints().begin(), row.ints().end());
  }
  return flat;
}

void padD(InferContext &c) {
  std::optional<std::vector<int64_t>> paddings = paddingsOf(c);
  if (!c.isRanked(0) || !paddings)
    return setRank(c, c.dtype(0), c.rank(0));
  if (paddings->size() != c.shape(0).size() * 2)
    return c.fail("attribute 'paddings' has ", paddings->size(), " numbers, but ",
                  c.shape(0).size() * 2, " are needed: two for each dimension");
  Dims dims;
  for (size_t i = 0; i != c.shape(0).size(); ++i) {
    for (size_t side : {2 * i, 2 * i + 1})
      if ((*paddings)[side] < 0)
        return c.fail("attribute 'paddings' has ", (*paddings)[side], "; it must not be negative");
    dims.push_back(
        add(add(c.shape(0)[i], staticDim((*paddings)[2 * i])), staticDim((*paddings)[2 * i + 1])));
  }
  c.setTensor(0, c.dtype(0), dims);
}

/// Operands make a grid, whose outermost dimension is the first of `concat_dim`.
void phonyConcat(InferContext &c) {
  DType dtype = commonDType(c, 0, c.numOperands());
  std::vector<int64_t> axes = c.intsAttr("concat_dim").value_or(std::vector<int64_t>());
  std::vector<int64_t> counts = c.intsAttr("N").value_or(std::vector<int64_t>());
  if (c.failed() || !c.isRanked(0))
    return c.setUnranked(0, dtype);
  if (axes.size() != counts.size())
    return c.fail("attributes 'concat_dim' and 'N' must have as many numbers: ", axes.size(), ", ",
                  counts.size());
  if (!normalizeAxes(c, axes, c.rank(0)))
    return;
  int64_t total = 1;
  for (int64_t count : counts)
    if (count < 1 || __builtin_mul_overflow(total, count, &total))
      return c.fail("attribute 'N' has ", count, "; it must be at least 1");
  if (total != int64_t(c.numOperands()))
    return c.fail("there are ", c.numOperands(), " operands, but attribute 'N' is for ", total);
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  int64_t stride = total;
  for (size_t level = 0; level != axes.size(); ++level) {
    size_t axis = size_t(axes[level]);
    stride /= counts[level];
    Dim sum = staticDim(0);
    for (int64_t i = 0; i != counts[level]; ++i) {
      uint32_t operand = uint32_t(i * stride);
      if (!expectRank(c, operand, c.rank(0)))
        return;
      sum = add(sum, c.isRanked(operand) ? c.shape(operand)[axis] : Dim{});
    }
    dims[axis] = sum;
  }
  c.setTensor(0, dtype, dims);
}

// --- Blocks --------------------------------------------------------------------------------------

/// The attribute 'block_size'; 0 after an error.
int64_t blockSize(InferContext &c) {
  int64_t size = c.intAttr("block_size", 0);
  if (size >= 1 && size <= INT32_MAX)
    return size;
  c.fail("attribute 'block_size' is ", size, "; it must be at least 1");
  return 0;
}

void moveDepth(InferContext &c, bool toSpace) {
  if (!c.isRanked(0))
    return setRank(c, c.dtype(0), 4);
  int64_t block = blockSize(c);
  if (block == 0 || !expectRank(c, 0, 4))
    return;
  SpaceLayout layout = SpaceLayout::of(c, "NHWC");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  Dim &channels = dims[layout.channels];
  if (toSpace && !divideBy(c, channels, block * block, "channels"))
    return;
  if (!toSpace)
    channels = multiply(channels, staticDim(block * block));
  for (size_t i = layout.space; i != layout.space + 2; ++i) {
    if (toSpace)
      dims[i] = multiply(dims[i], staticDim(block));
    else if (!divideBy(c, dims[i], block, "height or width"))
      return;
  }
  c.setTensor(0, c.dtype(0), dims);
}

void depthToSpace(InferContext &c) { moveDepth(c, true); }
void spaceToDepth(InferContext &c) { moveDepth(c, false); }

/// `margins` has two numbers for each block: how much is cropped or padded before and after.
void moveBatch(InferContext &c, std::span<const int64_t> blocks, uint32_t margins, bool toBatch) {
  if (c.rank(0) < int64_t(blocks.size()) + 1)
    return c.failAt(0, "has ", c.rank(0), " dimensions, but there are ", blocks.size(),
                    " blocks beside the batch");
  const Contents *sizes = c.contents(margins);
  if (sizes && sizes->size() != blocks.size() * 2)
    return c.failAt(margins, "has ", sizes->size(), " numbers, but ", blocks.size() * 2,
                    " are needed: two for each block");
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  int64_t volume = 1;
  for (size_t i = 0; i != blocks.size(); ++i) {
    if (blocks[i] < 1 || __builtin_mul_overflow(volume, blocks[i], &volume))
      return c.fail("a block has the size ", blocks[i], "; it must be at least 1");
    Dim &dim = dims[i + 1];
    Element before = sizes ? sizes->elements[2 * i] : Element{},
            after = sizes ? sizes->elements[2 * i + 1] : Element{};
    if (toBatch) {
      dim = add(add(dim, before.dim()), after.dim());
      if (!divideBy(c, dim, blocks[i], "a padded dimension"))
        return;
      continue;
    }
    dim = multiply(dim, staticDim(blocks[i]));
    bool isWhole = before.isInt() && after.isInt() && before.number == 0 && after.number == 0;
    if (isWhole)
      continue;
    int64_t size = -1;
    if (dim.isStatic() && before.isInt() && after.isInt() && before.number >= 0 &&
        after.number >= 0) {
      size = before.number > dim.size ? -1 : dim.size - before.number - after.number;
      if (size < 0)
        return c.failAt(margins, "takes more than the ", dim.size, " elements of dimension ",
                        i + 1);
    }
    dim = Element::of(size).dim();
  }
  if (toBatch)
    dims[0] = multiply(dims[0], staticDim(volume));
  else if (!divideBy(c, dims[0], volume, "the batch"))
    return;
  c.setTensor(0, c.dtype(0), dims);
}

void moveBatchByOperand(InferContext &c, bool toBatch) {
  std::optional<std::vector<int64_t>> blocks = listOf(c, 1);
  if (!c.isRanked(0) || !blocks)
    return setRank(c, c.dtype(0), c.rank(0));
  moveBatch(c, *blocks, 2, toBatch);
}

void moveBatchByAttribute(InferContext &c, bool toBatch) {
  if (!c.isRanked(0))
    return setRank(c, c.dtype(0), 4);
  int64_t block = blockSize(c);
  if (block == 0 || !expectRank(c, 0, 4))
    return;
  moveBatch(c, std::vector<int64_t>{block, block}, 1, toBatch);
}

void batchToSpaceND(InferContext &c) { moveBatchByOperand(c, false); }
void spaceToBatchND(InferContext &c) { moveBatchByOperand(c, true); }
void batchToSpace(InferContext &c) { moveBatchByAttribute(c, false); }
void spaceToBatch(InferContext &c) { moveBatchByAttribute(c, true); }

// --- Layouts and shapes --------------------------------------------------------------------------

/// All dimensions from `axis` to `end_axis` become one.
void flattenV2(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  int64_t rank = std::max<int64_t>(c.rank(0), 1);
  int64_t first = c.intAttr("axis", 1), last = c.intAttr("end_axis", -1);
  if (!normalizeAxis(c, first, rank) || !normalizeAxis(c, last, rank, "end_axis"))
    return;
  if (first > last)
    return c.fail("axis ", first, " is greater than end_axis ", last);
  std::span<const Dim> shape = c.shape(0);
  if (shape.empty())
    return c.setTensor(0, c.dtype(0), {staticDim(1)});
  Dims dims(shape.begin(), shape.begin() + first);
  dims.push_back(multiplyAll(shape.subspan(size_t(first), size_t(last - first + 1))));
  dims.insert(dims.end(), shape.begin() + last + 1, shape.end());
  c.setTensor(0, c.dtype(0), dims);
}

void confusionTranspose(InferContext &c) {
  std::optional<std::vector<int64_t>> perm = c.intsAttr("perm"), shape = c.intsAttr("shape");
  if (!perm || !shape)
    return c.fail("needs the attributes 'perm' and 'shape'");
  // Transposing changes no number of elements.
  reshapeTo(c, elementsOf(*shape), false);
  if (c.failed() || c.intAttr("transpose_first", 0) != 0 || !c.result(0) ||
      !c.result(0)->isRanked())
    return;
  std::span<const Dim> reshaped = c.result(0)->shape();
  if (perm->size() != reshaped.size())
    return c.fail("attribute 'perm' has ", perm->size(), " numbers, 'shape' has ", reshaped.size());
  if (!normalizeAxes(c, *perm, int64_t(reshaped.size())))
    return;
  Dims dims;
  for (int64_t axis : *perm)
    dims.push_back(reshaped[size_t(axis)]);
  c.setTensor(0, c.dtype(0), dims);
}

/// As TensorFlow has it: a wider type takes the last dimension away, a narrower one adds it. With
/// keep_dim the last dimension shrinks or grows instead.
void bitcast(InferContext &c) {
  DType to = cannDType(c, "type", DType::Undefined), from = c.dtype(0);
  if (to == DType::Undefined || from == DType::Undefined || !c.isRanked(0))
    return c.setUnranked(0, to);
  unsigned wide = info(to).bits, narrow = info(from).bits;
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  if (c.intAttr("keep_dim", 0) && wide != 0 && narrow != 0 && wide != narrow) {
    if (dims.empty())
      return c.failAt(0, "is a scalar; keep_dim needs a last dimension");
    Dim bits = multiply(dims.back(), staticDim(narrow));
    if (bits.isStatic() && bits.size % wide != 0)
      return c.failAt(0, "has ", bits.size,
                      " bits in the last dimension, which are not a whole number of ",
                      info(to).name);
    dims.back() = bits.isStatic() ? staticDim(bits.size / wide) : Dim{};
  } else if (wide < narrow && wide != 0 && narrow % wide == 0)
    dims.push_back(staticDim(narrow / wide));
  else if (wide > narrow) {
    bool fits = narrow != 0 && wide % narrow == 0 && !dims.empty() &&
                (!dims.back().isStatic() || dims.back().size == int64_t(wide / narrow));
    if (!fits)
      return c.failAt(0, "must have a last dimension of ", narrow ? wide / narrow : 0,
                      " to become ", info(to).name);
    dims.pop_back();
  } else if (wide != narrow)
    return c.failAt(0, "cannot be read as ", info(to).name, ": their bits do not divide");
  c.setTensor(0, to, dims);
}

/// How many channels the cube units of Ascend processors take at once. Of 32 bits it is 8 or 16, by
/// the processor, but for FRACTAL_NZ.
Dim cubeChannels(DType dtype, std::string_view layout) {
  unsigned bits = info(dtype).bits;
  if (bits == 32 && layout != "FRACTAL_NZ")
    return {};
  return staticDim(bits == 4 ? 64 : bits == 8 ? 32 : 16);
}

Dim blocksOf(Dim dim, Dim block) {
  if (!dim.isStatic() || !block.isStatic())
    return {};
  return staticDim(dim.size / block.size + (dim.size % block.size != 0));
}

/// The dimension with this letter; null when the layout has none.
const Dim *dimNamed(std::string_view format, std::span<const Dim> shape, char letter) {
  size_t at = format.find(letter);
  return at < shape.size() ? &shape[at] : nullptr;
}

/// The shape in the new layout; nullopt when nothing is known of it.
std::optional<Dims> shapeInLayout(std::span<const Dim> shape, std::string_view from,
                                  std::string_view to, DType dtype) {
  Dim cube = cubeChannels(dtype, to), rows = staticDim(16);
  if (to == "FRACTAL_NZ" && shape.size() >= 2) {
    Dims dims(shape.begin(), shape.end() - 2);
    for (Dim dim :
         {blocksOf(shape.back(), cube), blocksOf(shape[shape.size() - 2], rows), rows, cube})
      dims.push_back(dim);
    return dims;
  }
  // A layout of one letter for each dimension.
  if (from.size() != shape.size())
    return std::nullopt;
  const Dim *n = dimNamed(from, shape, 'N'), *channels = dimNamed(from, shape, 'C'),
            *h = dimNamed(from, shape, 'H'), *w = dimNamed(from, shape, 'W');
  bool isImage = from.size() == 4 && n && channels && h && w;
  if (to == "NC1HWC0" && isImage)
    return Dims{*n, blocksOf(*channels, cube), *h, *w, cube};
  if (to == "FRACTAL_Z" && isImage)
    return Dims{multiply(multiply(blocksOf(*channels, cube), *h), *w), blocksOf(*n, rows), rows,
                cube};
  if (!std::ranges::is_permutation(from, to))
    return std::nullopt;
  Dims dims;
  for (char letter : to)
    dims.push_back(*dimNamed(from, shape, letter));
  return dims;
}

/// Back from blocks is only known where the type says what it was.
void transData(InferContext &c) {
  DType dtype = c.dtype(0);
  std::string_view from = c.stringAttr("src_format", ""), to = c.stringAttr("dst_format", "");
  const Type *type = c.operand(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  std::optional<Dims> dims;
  if (from == to)
    dims.emplace(c.shape(0).begin(), c.shape(0).end());
  else if (type->hasOriginShape() && type->originFormat() && type->originFormat()->str() == to)
    dims.emplace(type->originShape().begin(), type->originShape().end());
  else if (c.intAttr("groups", 1) == 1)
    dims = shapeInLayout(c.shape(0), from, to, dtype);
  if (!dims && from == "NC1HWC0" && c.rank(0) == 5 && (to == "NCHW" || to == "NHWC")) {
    Dim n = c.shape(0)[0], h = c.shape(0)[2], w = c.shape(0)[3];
    dims = to == "NCHW" ? Dims{n, Dim{}, h, w} : Dims{n, h, w, Dim{}};
  }
  if (!dims)
    return c.setUnranked(0, dtype);
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = *dims;
  spec.format = to.empty() ? nullptr : c.context().identifier(to);
  spec.hasOriginShape = type->hasOriginShape();
  spec.originShape = type->originShape();
  spec.originFormat = type->originFormat();
  if (dtype != DType::Undefined)
    c.setResult(0, c.context().tensorType(spec));
}

constexpr InferRow kBlocksRows[] = {
    {"TileD", tileD},
    {"BroadcastToD", expandD, evalExpand},
    {"ExpandD", expandD, evalExpand},
    {"OneHotD", oneHotD},
    {"PadD", padD},
    {"PhonyConcat", phonyConcat},
    {"DepthToSpace", depthToSpace},
    {"SpaceToDepth", spaceToDepth},
    {"BatchToSpaceND", batchToSpaceND},
    {"SpaceToBatchND", spaceToBatchND},
    {"BatchToSpace", batchToSpace},
    {"SpaceToBatch", spaceToBatch},
    {"FlattenV2", flattenV2, evalCopy},
    {"ConfusionTransposeD", confusionTranspose},
    {"Bitcast", bitcast},
    {"TransData", transData},
};

} // namespace

bool divideBy(InferContext &c, Dim &dim, int64_t by, std::string_view what) {
  if (dim.isStatic() && dim.size % by != 0) {
    c.failAt(0, "has ", dim.size, " in ", what, ", which is not a multiple of ", by);
    return false;
  }
  if (by != 1)
    dim = dim.isStatic() ? staticDim(dim.size / by) : Dim{};
  return true;
}

std::span<const InferRow> geBlockRows() { return kBlocksRows; }

} // namespace ge
