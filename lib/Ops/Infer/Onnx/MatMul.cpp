//===- MatMul.cpp - products: MatMul, Gemm, Einsum, attention ---------------------------------===//
#include "../InferRows.h"

#include <algorithm>
#include <map>

namespace ge {
namespace {

void matMul(InferContext &c) { inferProduct(c, commonDType(c, {0, 1}), 0, 1); }
void matMulInteger(InferContext &c) { inferProduct(c, DType::I32, 0, 1); }
/// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point.
void qlinearMatMul(InferContext &c) { inferProduct(c, c.dtype(7), 0, 3); }

void gemm(InferContext &c) {
  DType dtype = commonDType(c, {0, 1, 2});
  if (c.failed() || !expectRank(c, 0, 2) || !expectRank(c, 1, 2))
    return;
  Dim rows, columns, inner, same;
  if (c.isRanked(0)) {
    bool isTransposed = c.intAttr("transA", 0) != 0;
    rows = c.shape(0)[isTransposed];
    inner = c.shape(0)[!isTransposed];
  }
  if (c.isRanked(1)) {
    bool isTransposed = c.intAttr("transB", 0) != 0;
    same = c.shape(1)[isTransposed];
    columns = c.shape(1)[!isTransposed];
  }
  if (inner.isStatic() && same.isStatic() && inner.size != same.size)
    return c.failAt(1, "has ", same.size, " where ", c.operandName(0), " (",
                    shortType(c.operand(0)), ") has ", inner.size,
                    "; the inner dimensions must be equal (see transA, transB)");
  Dims dims{rows, columns};
  if (c.isRanked(2) && c.version() >= 7) {
    Dims fitted = dims;
    if (c.rank(2) > 2 || !broadcastInto(fitted, c.shape(2)) ||
        (rows.size == 1 && fitted[0].size > 1) || (columns.size == 1 && fitted[1].size > 1))
      return c.failAt(2, "does not broadcast to [", dimText(rows), ", ", dimText(columns), "]");
  }
  c.setTensor(0, dtype, dims);
}

/// Letters of an Einsum term; "..." is '.'.
bool parseTerm(std::string_view text, std::string &letters) {
  for (size_t i = 0; i < text.size(); ++i) {
    char letter = text[i];
    if (letter == ' ')
      continue;
    if (letter == '.') {
      if (text.substr(i, 3) != "..." || letters.find('.') != std::string::npos)
        return false;
      i += 2;
    } else if ((letter | 32) < 'a' || (letter | 32) > 'z')
      return false;
    letters += letter;
  }
  return true;
}

/// Q, K, V, mask, past_key, past_value. Three dimensions {batch, length, heads * size} or four
/// {batch, heads, length, size}.
void attention(InferContext &c) {
  DType dtype = c.dtype(0);
  if (!c.isRanked(0) || !c.isRanked(1) || !c.isRanked(2))
    return c.setUnranked(0, dtype);
  int64_t rank = c.rank(0);
  if (rank != 3 && rank != 4)
    return c.failAt(0, "must have 3 or 4 dimensions, not ", rank);
  if (!expectRank(c, 1, rank) || !expectRank(c, 2, rank))
    return;
  std::span<const Dim> q = c.shape(0), k = c.shape(1), v = c.shape(2);
  Dim qHeads, kvHeads, keySize, valueSize, qLength, length;
  if (rank == 4) {
    qHeads = q[1];
    qLength = q[2];
    kvHeads = k[1];
    length = k[2];
    keySize = k[3];
    valueSize = v[3];
  } else {
    int64_t qCount = c.intAttr("q_num_heads", 0), kvCount = c.intAttr("kv_num_heads", 0);
    if (qCount < 1 || kvCount < 1)
      return c.fail("operands of 3 dimensions need the attributes 'q_num_heads' and "
                    "'kv_num_heads'");
    qHeads = staticDim(qCount);
    kvHeads = staticDim(kvCount);
    qLength = q[1];
    length = k[1];
    auto split = [&](Dim hidden) {
      return hidden.isStatic() ? staticDim(hidden.size / kvCount) : Dim{};
    };
    keySize = split(k[2]);
    valueSize = split(v[2]);
  }
  Dim past = c.rank(4) == 4 ? c.shape(4)[2] : c.has(4) ? Dim{} : staticDim(0);
  Dim total = add(past, length);
  if (rank == 4)
    c.setTensor(0, dtype, {q[0], qHeads, qLength, valueSize});
  else
    c.setTensor(0, dtype, {q[0], qLength, multiply(qHeads, valueSize)});
  c.setTensor(1, c.dtype(1), {k[0], kvHeads, total, keySize});
  c.setTensor(2, c.dtype(2), {v[0], kvHeads, total, valueSize});
  c.setTensor(3, dtype, {q[0], qHeads, qLength, total});
}

/// query {B, T, q heads * key size}, key, value {B, T, kv heads * value size}, past_state.
void linearAttention(InferContext &c) {
  for (uint32_t i : {0u, 1u, 2u})
    if (!expectRank(c, i, 3))
      return;
  int64_t qHeads = c.intAttr("q_num_heads", 0), kvHeads = c.intAttr("kv_num_heads", 0);
  if (qHeads < 1 || kvHeads < 1)
    return c.fail("attributes 'q_num_heads' and 'kv_num_heads' must be at least 1");
  auto perHead = [&](uint32_t i) {
    Dim hidden = c.isRanked(i) ? c.shape(i)[2] : Dim{};
    return hidden.isStatic() ? staticDim(hidden.size / kvHeads) : Dim{};
  };
  Dim batch = c.isRanked(0) ? c.shape(0)[0] : Dim{}, length = c.isRanked(0) ? c.shape(0)[1] : Dim{};
  Dim keySize = perHead(1), valueSize = perHead(2);
  c.setTensor(0, c.dtype(0), {batch, length, multiply(staticDim(qHeads), valueSize)});
  DType state = c.has(3) ? c.dtype(3) : c.dtype(0);
  c.setTensor(1, state, {batch, staticDim(kvHeads), keySize, valueSize});
}

void det(InferContext &c) {
  if (!c.isRanked(0))
    return c.setUnranked(0, c.dtype(0));
  if (c.rank(0) < 2)
    return c.failAt(0, "must have at least 2 dimensions");
  c.setTensor(0, c.dtype(0), c.shape(0).first(size_t(c.rank(0) - 2)));
}

constexpr InferRow kMatMulRows[] = {
    {"MatMul", matMul},
    {"MatMulInteger", matMulInteger},
    {"QLinearMatMul", qlinearMatMul},
    {"Gemm", gemm},
    {"Einsum", inferEinsum},
    {"Attention", attention},
    {"LinearAttention", linearAttention},
    {"Det", det},
};

} // namespace

void inferEinsum(InferContext &c) {
  DType dtype = commonDType(c, 0, c.numOperands());
  if (c.failed())
    return;
  std::string_view equation = c.stringAttr("equation", "");
  size_t arrow = equation.find("->");
  std::string_view terms = equation.substr(0, arrow);
  std::map<char, Dim> sizes;
  std::map<char, int> counts;
  Dims ellipsis;
  bool isKnown = true, hasEllipsis = false;
  for (uint32_t i = 0; i != c.numOperands(); ++i) {
    size_t comma = std::min(terms.find(','), terms.size());
    std::string letters;
    if (!parseTerm(terms.substr(0, comma), letters))
      return c.fail("attribute 'equation' is '", equation, "': a term has letters and '...'");
    bool isLast = comma == terms.size();
    if (isLast != (i + 1 == c.numOperands()))
      return c.fail("attribute 'equation' is '", equation, "', but there are ", c.numOperands(),
                    " operands");
    terms.remove_prefix(std::min(comma + 1, terms.size()));
    size_t dots = letters.find('.');
    for (char letter : letters)
      if (letter != '.')
        ++counts[letter];
    hasEllipsis = hasEllipsis || dots != std::string::npos;
    if (!c.isRanked(i)) {
      isKnown = isKnown && dots == std::string::npos;
      for (char letter : letters)
        if (letter != '.')
          sizes.try_emplace(letter, Dim{});
      continue;
    }
    std::span<const Dim> shape = c.shape(i);
    size_t named = letters.size() - (dots != std::string::npos);
    if (dots == std::string::npos ? shape.size() != named : shape.size() < named)
      return c.failAt(i, "does not have the ", named, " dimensions of its term '", letters, "'");
    size_t at = 0;
    for (char letter : letters) {
      if (letter == '.') {
        size_t count = shape.size() - named;
        if (!broadcastInto(ellipsis, shape.subspan(at, count)))
          return c.failAt(i, "does not broadcast in the dimensions of '...'");
        at += count;
        continue;
      }
      auto [found, isNew] = sizes.try_emplace(letter, shape[at]);
      bool ok = true;
      if (!isNew && found->second.size != 1 && shape[at].size != 1)
        found->second = unify(found->second, shape[at], ok);
      else if (!isNew && found->second.size == 1)
        found->second = shape[at];
      if (!ok)
        return c.failAt(i, "has ", shape[at].size, " for '", std::string(1, letter),
                        "', another operand ", found->second.size);
      ++at;
    }
  }
  std::string out;
  if (arrow != std::string_view::npos) {
    if (!parseTerm(equation.substr(arrow + 2), out))
      return c.fail("attribute 'equation' is '", equation, "': the result has letters and '...'");
  } else {
    out = hasEllipsis ? "." : "";
    for (auto [letter, count] : counts) // in alphabetic order
      if (count == 1)
        out += letter;
  }
  if (!isKnown)
    return c.setUnranked(0, dtype);
  Dims dims;
  for (char letter : out) {
    if (letter == '.')
      dims.insert(dims.end(), ellipsis.begin(), ellipsis.end());
    else if (auto found = sizes.find(letter); found != sizes.end())
      dims.push_back(found->second);
    else
      return c.fail("attribute 'equation' is '", equation, "': '", std::string(1, letter),
                    "' of the result is in no term");
  }
  c.setTensor(0, dtype, dims);
}

void inferProduct(InferContext &c, DType dtype, uint32_t a, uint32_t b, bool transposeA,
                  bool transposeB) {
  if (c.failed())
    return;
  if (!c.isRanked(a) || !c.isRanked(b))
    return c.setUnranked(0, dtype);
  Dims left(c.shape(a).begin(), c.shape(a).end());
  Dims right(c.shape(b).begin(), c.shape(b).end());
  for (uint32_t i : {a, b})
    if (c.rank(i) == 0)
      return c.failAt(i, "is a scalar; it needs at least one dimension");
  if (transposeA && left.size() > 1)
    std::swap(left.back(), left[left.size() - 2]);
  if (transposeB && right.size() > 1)
    std::swap(right.back(), right[right.size() - 2]);
  bool isRow = left.size() == 1, isColumn = right.size() == 1;
  if (isRow)
    left.insert(left.begin(), staticDim(1));
  if (isColumn)
    right.push_back(staticDim(1));
  Dim inner = left.back(), rows = right[right.size() - 2];
  if (inner.isStatic() && rows.isStatic() && inner.size != rows.size)
    return c.failAt(b, "has ", rows.size, transposeB ? " columns" : " rows", ", but ",
                    c.operandName(a), " (", shortType(c.operand(a)), ") has ", inner.size,
                    transposeA ? " rows" : " columns", "; these must be equal");
  Dims dims(left.begin(), left.end() - 2);
  if (!broadcastInto(dims, std::span(right).first(right.size() - 2)))
    return c.failAt(b, "does not broadcast with ", c.operandName(a), " (", shortType(c.operand(a)),
                    ") in the dimensions before the last two");
  if (!isRow)
    dims.push_back(left[left.size() - 2]);
  if (!isColumn)
    dims.push_back(right.back());
  c.setTensor(0, dtype, dims);
}

std::span<const InferRow> matmulRows() { return kMatMulRows; }

} // namespace ge
