//===- Recurrent.cpp - LSTM, GRU, RNN ---------------------------------------------------------===//
#include "../InferRows.h"

namespace ge {
namespace {

/// X: {length, batch, input}, or {batch, length, input} with `layout` 1 (since 14). W:
/// {directions, gates * hidden, input}. R: {directions, gates * hidden, hidden}.
void recurrent(InferContext &c, int64_t gates, uint32_t states) {
  DType dtype = commonDType(c, {0, 1, 2});
  if (c.failed() || !expectRank(c, 0, 3) || !expectRank(c, 1, 3) || !expectRank(c, 2, 3))
    return;
  Dim length, batch, hidden;
  bool isBatchFirst = c.intAttr("layout", 0) != 0;
  Dim directions = staticDim(c.stringAttr("direction", "forward") == "bidirectional" ? 2 : 1);
  if (c.isRanked(0)) {
    length = c.shape(0)[isBatchFirst];
    batch = c.shape(0)[!isBatchFirst];
  }
  if (c.isRanked(2))
    hidden = c.shape(2)[2];
  if (int64_t size = c.intAttr("hidden_size", 0); size > 0) {
    if (hidden.isStatic() && hidden.size != size)
      return c.failAt(2, "has ", hidden.size, " columns, but attribute 'hidden_size' is ", size);
    hidden = staticDim(size);
  }
  bool ok = true;
  if (c.isRanked(0) && c.isRanked(1))
    unify(c.shape(0)[2], c.shape(1)[2], ok);
  if (!ok)
    return c.failAt(0, "has ", c.shape(0)[2].size, " features, but ", c.operandName(1), " (",
                    shortType(c.operand(1)), ") is for ", c.shape(1)[2].size);
  for (uint32_t i : {1u, 2u}) {
    if (!c.isRanked(i))
      continue;
    unify(c.shape(i)[0], directions, ok);
    if (!ok)
      return c.failAt(i, "must begin with the number of directions, ", directions.size);
    unify(c.shape(i)[1], multiply(hidden, staticDim(gates)), ok);
    if (!ok)
      return c.failAt(i, "must have ", gates, " times the hidden size (", hidden.size, ") rows");
  }
  if (isBatchFirst)
    c.setTensor(0, dtype, {batch, length, directions, hidden});
  else
    c.setTensor(0, dtype, {length, directions, batch, hidden});
  for (uint32_t i = 1; i <= states; ++i) {
    if (isBatchFirst)
      c.setTensor(i, dtype, {batch, directions, hidden});
    else
      c.setTensor(i, dtype, {directions, batch, hidden});
  }
}

void lstm(InferContext &c) { recurrent(c, 4, 2); }
void gru(InferContext &c) { recurrent(c, 3, 1); }
void rnn(InferContext &c) { recurrent(c, 1, 1); }

constexpr InferRow kRecurrentRows[] = {
    {"LSTM", lstm},
    {"GRU", gru},
    {"RNN", rnn},
};

} // namespace

std::span<const InferRow> recurrentRows() { return kRecurrentRows; }

} // namespace ge
