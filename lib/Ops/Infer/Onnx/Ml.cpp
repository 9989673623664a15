//===- Ml.cpp - ONNX's machine-learning, preview and training operators -----------------------===//
#include "../InferRows.h"

#include <algorithm>

namespace ge {
namespace {

// --- Labels --------------------------------------------------------------------------------------

size_t lengthOf(InferContext &c, std::string_view name) {
  Attribute list = c.attribute(name);
  return list && list.kind() != AttrKind::Tensor ? list.size() : 0;
}

/// The rows of operand 0; a vector is one row, or a batch of one feature.
Dim batchOf(InferContext &c) {
  if (!c.isRanked(0) || c.rank(0) == 0)
    return {};
  return c.rank(0) == 1 ? Dim{} : c.shape(0)[0];
}

/// A label for each row, and a score for each row and class.
void classify(InferContext &c, std::string_view integers, bool scoresPairs) {
  if (c.isRanked(0) && (c.rank(0) < 1 || c.rank(0) > 2))
    return c.failAt(0, "must have one or two dimensions, not ", c.rank(0));
  size_t strings = lengthOf(c, "classlabels_strings"), numbers = lengthOf(c, integers);
  c.setTensor(0, strings != 0 ? DType::String : DType::I64, {batchOf(c)});
  size_t classes = std::max(strings, numbers);
  // How many scores there are for two classes depends on what else is given.
  bool isSure = classes > 2 || (classes == 2 && !scoresPairs);
  c.setTensor(1, DType::F32, {batchOf(c), isSure ? staticDim(int64_t(classes)) : Dim{}});
}

void linearClassifier(InferContext &c) { classify(c, "classlabels_ints", false); }
void treeClassifier(InferContext &c) { classify(c, "classlabels_int64s", false); }
/// Without probabilities, scores are of pairs of classes.
void svmClassifier(InferContext &c) {
  bool hasProbabilities = lengthOf(c, "prob_a") != 0;
  classify(c, "classlabels_ints", true);
  if (!hasProbabilities && !c.failed())
    c.setTensor(1, DType::F32, {batchOf(c), Dim{}});
}

/// A number for each row and target.
void regress(InferContext &c, DType dtype, int64_t targets) {
  if (c.isRanked(0) && (c.rank(0) < 1 || c.rank(0) > 2))
    return c.failAt(0, "must have one or two dimensions, not ", c.rank(0));
  c.setTensor(0, dtype, {batchOf(c), targets > 0 ? staticDim(targets) : Dim{}});
}

void linearRegressor(InferContext &c) { regress(c, DType::F32, c.intAttr("targets", 1)); }
void svmRegressor(InferContext &c) { regress(c, DType::F32, 1); }
void treeRegressor(InferContext &c) { regress(c, DType::F32, c.intAttr("n_targets", 0)); }
void treeEnsemble(InferContext &c) { regress(c, c.dtype(0), c.intAttr("n_targets", 0)); }

// --- Elements ------------------------------------------------------------------------------------

void setLike(InferContext &c, DType dtype) {
  if (c.isRanked(0))
    c.setTensor(0, dtype, c.shape(0));
  else
    c.setUnranked(0, dtype);
}

void toF32(InferContext &c) { setLike(c, DType::F32); }

/// Strings to integers and back.
void categoryMapper(InferContext &c) {
  DType from = c.dtype(0);
  if (from != DType::Undefined && from != DType::String && from != DType::I64)
    return c.failAt(0, "must have strings or i64");
  if (from != DType::Undefined)
    setLike(c, from == DType::String ? DType::I64 : DType::String);
}

/// Of the type of the values; in version 1 as categoryMapper.
void labelEncoder(InferContext &c) {
  if (c.version() < 2)
    return categoryMapper(c);
  DType dtype = DType::Undefined;
  if (c.attribute("values_strings"))
    dtype = DType::String;
  else if (c.attribute("values_int64s"))
    dtype = DType::I64;
  else if (c.attribute("values_floats"))
    dtype = DType::F32;
  else if (Attribute values = c.attribute("values_tensor"); values.kind() == AttrKind::Tensor)
    dtype = values.tensorValue()->type()->dtype();
  else
    return c.fail("needs one of the attributes values_strings, values_int64s, values_floats, "
                  "values_tensor");
  setLike(c, dtype);
}

/// One element for each category, after all dimensions.
void oneHotEncoder(InferContext &c) {
  size_t categories = std::max(lengthOf(c, "cats_int64s"), lengthOf(c, "cats_strings"));
  if (categories == 0)
    return c.fail("needs one of the attributes cats_int64s, cats_strings");
  if (!c.isRanked(0))
    return c.setUnranked(0, DType::F32);
  Dims dims(c.shape(0).begin(), c.shape(0).end());
  dims.push_back(staticDim(int64_t(categories)));
  c.setTensor(0, DType::F32, dims);
}

/// The elements of the last dimension that the indices name.
void arrayFeatureExtractor(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0))
    return c.setUnranked(0, dtype);
  if (c.rank(0) < 1)
    return c.failAt(0, "must have at least one dimension");
  Dim count = c.isRanked(1) ? multiplyAll(c.shape(1)) : Dim{};
  Dims dims(c.shape(0).begin(), c.shape(0).end() - 1);
  if (dims.empty())
    dims.push_back(staticDim(1));
  dims.push_back(count);
  c.setTensor(0, dtype, dims);
}

// --- Maps ----------------------------------------------------------------------------------------

/// A map from labels to scores for each row.
void zipMap(InferContext &c) {
  TensorTypeSpec spec;
  spec.dtype = DType::F32;
  const Type *score = c.context().tensorType(spec);
  bool isText = lengthOf(c, "classlabels_strings") != 0;
  if (!isText && lengthOf(c, "classlabels_int64s") == 0)
    return c.fail("needs one of the attributes classlabels_int64s, classlabels_strings");
  const Type *map = c.context().mapType(isText ? DType::String : DType::I64, score);
  c.setResult(0, c.context().sequenceType(map));
}

/// One row; only the keys that there are (DENSE), or all up to `max_map`.
void castMap(InferContext &c) {
  std::string_view to = c.stringAttr("cast_to", "TO_FLOAT");
  DType dtype = to == "TO_FLOAT"    ? DType::F32
                : to == "TO_INT64"  ? DType::I64
                : to == "TO_STRING" ? DType::String
                                    : DType::Undefined;
  if (dtype == DType::Undefined)
    return c.fail("attribute 'cast_to' is '", to, "'; it must be TO_FLOAT, TO_INT64 or TO_STRING");
  bool isSparse = c.stringAttr("map_form", "DENSE") == "SPARSE";
  c.setTensor(0, dtype,
              {staticDim(1), isSparse ? Element::of(c.intAttr("max_map", 1)).dim() : Dim{}});
}

/// One row with a place for each word of the vocabulary.
void dictVectorizer(InferContext &c) {
  size_t words = std::max(lengthOf(c, "string_vocabulary"), lengthOf(c, "int64_vocabulary"));
  if (words == 0)
    return c.fail("needs one of the attributes string_vocabulary, int64_vocabulary");
  const Type *map = c.operand(0);
  const Type *value = map && map->kind() == TypeKind::Map ? map->element() : nullptr;
  if (value && value->isTensor())
    c.setTensor(0, value->dtype(), {staticDim(1), staticDim(int64_t(words))});
}

/// Rows of all operands one after the other, with the lengths of the attribute.
void featureVectorizer(InferContext &c) {
  std::optional<std::vector<int64_t>> sizes = c.intsAttr("inputdimensions");
  Dim total = sizes ? staticDim(0) : Dim{};
  if (sizes)
    for (int64_t size : *sizes)
      total = add(total, Element::of(size).dim());
  c.setTensor(0, DType::F32, {batchOf(c), total});
}

// --- Training ------------------------------------------------------------------------------------

/// R, T, then `groups` lists of as many tensors: values, gradients, and what is kept beside them.
/// Results are all of these but the gradients.
void optimizer(InferContext &c, uint32_t groups) {
  uint32_t given = c.numOperands() < 2 ? 0 : c.numOperands() - 2;
  if (given == 0 || given % groups != 0)
    return c.fail("has ", given, " operands after 'T'; there must be ", groups, " for each tensor");
  uint32_t n = given / groups;
  if (c.numResults() != n * (groups - 1))
    return c.fail("has ", c.numResults(), " results, but ", n * (groups - 1), " are needed");
  for (uint32_t group = 0, result = 0; group != groups; ++group) {
    if (group == 1) // gradients
      continue;
    for (uint32_t i = 0; i != n; ++i, ++result)
      if (uint32_t operand = 2 + group * n + i; c.has(operand))
        c.setResult(result, c.operand(operand));
  }
}

void threeGroups(InferContext &c) { optimizer(c, 3); }
void fourGroups(InferContext &c) { optimizer(c, 4); }

/// By each tensor of `xs`, which are the first operands.
void gradient(InferContext &c) {
  for (uint32_t i = 0; i != c.numResults(); ++i)
    if (c.has(i))
      c.setResult(i, c.operand(i));
}

/// Q {batch, heads, length, size}, K, V.
void flexAttention(InferContext &c) {
  for (uint32_t i : {0u, 1u, 2u})
    if (!expectRank(c, i, 4))
      return;
  Dims dims(4);
  if (c.isRanked(0))
    dims.assign(c.shape(0).begin(), c.shape(0).end());
  dims[3] = c.isRanked(2) ? c.shape(2)[3] : Dim{};
  c.setTensor(0, c.dtype(0), dims);
}

constexpr InferRow kMl[] = {
    {"ArrayFeatureExtractor", arrayFeatureExtractor},
    {"Binarizer", inferSame},
    {"CastMap", castMap},
    {"CategoryMapper", categoryMapper},
    {"DictVectorizer", dictVectorizer},
    {"FeatureVectorizer", featureVectorizer},
    {"Imputer", inferSame},
    {"LabelEncoder", labelEncoder},
    {"LinearClassifier", linearClassifier},
    {"LinearRegressor", linearRegressor},
    {"Normalizer", toF32},
    {"OneHotEncoder", oneHotEncoder},
    {"SVMClassifier", svmClassifier},
    {"SVMRegressor", svmRegressor},
    {"Scaler", toF32},
    {"TreeEnsemble", treeEnsemble},
    {"TreeEnsembleClassifier", treeClassifier},
    {"TreeEnsembleRegressor", treeRegressor},
    {"ZipMap", zipMap},
};

constexpr InferRow kPreview[] = {
    {"FlexAttention", flexAttention},
};

constexpr InferRow kTraining[] = {
    {"Adagrad", threeGroups},
    {"Adam", fourGroups},
    {"Gradient", gradient},
    {"Momentum", threeGroups},
};

} // namespace

std::span<const InferRow> mlRows() { return kMl; }
std::span<const InferRow> previewRows() { return kPreview; }
std::span<const InferRow> trainingRows() { return kTraining; }

} // namespace ge
