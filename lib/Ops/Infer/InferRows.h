//===- InferRows.h - the families of native inference functions, and what they share ----------===//
#ifndef GE_LIB_OPS_INFER_INFERROWS_H
#define GE_LIB_OPS_INFER_INFERROWS_H

#include "ge/Ops/Infer/Infer.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ge {

/// One operator. Both functions apply to every version and read InferContext::version().
struct InferRow {
  std::string_view name; ///< without domain
  InferFunction infer;
  /// Computes small results from small operands, after `infer`; null: nothing to gain.
  InferFunction evaluate = nullptr;
};

// Of ONNX's operators; one for each file.
std::span<const InferRow> elementwiseRows();
std::span<const InferRow> reductionRows();
std::span<const InferRow> convolutionRows();
std::span<const InferRow> normalizationRows();
std::span<const InferRow> matmulRows();
std::span<const InferRow> layoutRows();
std::span<const InferRow> resizeRows();
std::span<const InferRow> indexRows();
std::span<const InferRow> createRows();
std::span<const InferRow> recurrentRows();
std::span<const InferRow> controlRows();
std::span<const InferRow> sequenceRows();
std::span<const InferRow> signalRows();
std::span<const InferRow> lossRows();
// Of ONNX's other domains: onnx.ml, onnx.preview, onnx.preview.training.
std::span<const InferRow> mlRows();
std::span<const InferRow> previewRows();
std::span<const InferRow> trainingRows();
// Of CANN's operators, whose domain is ge, math or nn.
std::span<const InferRow> geElementwiseRows();
std::span<const InferRow> geLayoutRows();
std::span<const InferRow> geMathRows();
std::span<const InferRow> geSliceRows();
std::span<const InferRow> geBlockRows();
std::span<const InferRow> geNeuralRows();
std::span<const InferRow> geWindowRows();
std::span<const InferRow> geLossRows();
std::span<const InferRow> geQuantizeRows();
std::span<const InferRow> geControlRows();
std::span<const InferRow> geParallelRows();

/// The row of an operator; null when there is none.
const InferRow *inferRow(const OperatorName &op);

using Dims = std::vector<Dim>;

// --- Dimensions ----------------------------------------------------------------------------------

inline Dim staticDim(int64_t size) { return {size, nullptr}; }
/// Known when one is 0 or 1, or both are static; overflow is unknown.
Dim multiply(Dim a, Dim b);
Dim add(Dim a, Dim b); ///< a symbol plus 0 is the symbol
/// Product; unknown when a factor is, unless one is 0.
Dim multiplyAll(std::span<const Dim> dims);
/// The meet of two sizes: the more precise one; false in `ok` if they differ.
Dim unify(Dim a, Dim b, bool &ok);
std::string dimText(const Dim &dim);

/// NumPy's broadcasting of `b` onto `a`. False when they do not fit.
bool broadcastInto(Dims &a, std::span<const Dim> b);

/// An axis within [-rank, rank) made positive; false, with an error, otherwise.
bool normalizeAxis(InferContext &c, int64_t &axis, int64_t rank, std::string_view what = "axis");
/// The same for a list; repetitions are an error, too.
bool normalizeAxes(InferContext &c, std::vector<int64_t> &axes, int64_t rank);

// --- What many functions do ----------------------------------------------------------------------

/// Result 0 is of operand `i`'s type.
void likeOperand(InferContext &c, uint32_t i = 0);
/// The dtype of the first of these operands that has one; an error when they differ.
DType commonDType(InferContext &c, std::initializer_list<uint32_t> operands);
/// All operands from `first` to `last` (excluded).
DType commonDType(InferContext &c, uint32_t first, uint32_t last);
/// Result 0 of `dtype` with the broadcast shape of the operands; unranked when one is. The type of
/// an operand, layout included, where one has that element type and shape.
void broadcastOperands(InferContext &c, DType dtype, std::initializer_list<uint32_t> operands);
/// An error when operand `i` is known to be of another rank.
bool expectRank(InferContext &c, uint32_t i, int64_t rank);
/// The integers of an operand; `known` is false when it is present but not constant.
std::optional<std::vector<int64_t>> operandInts(InferContext &c, uint32_t i, bool &known);
/// Number of elements of a vector operand; -1 when not known or absurd for a rank.
int64_t vectorLength(InferContext &c, uint32_t i);
/// Result 0 has operand `i`'s element type and a rank, or none when it is < 0; nothing else known.
void setRank(InferContext &c, DType dtype, int64_t rank);

// --- Inference functions that several operators have ---------------------------------------------

void inferSame(InferContext &c);       ///< of operand 0's type
void inferPredicate(InferContext &c);  ///< bools of operand 0's shape
void inferBinary(InferContext &c);     ///< of one element type, broadcast
void inferComparison(InferContext &c); ///< the same, to bools
void inferVariadic(InferContext &c);   ///< all operands of one element type, broadcast
void inferWhere(InferContext &c);
void inferConstant(InferContext &c);
void inferRange(InferContext &c);
void inferReshape(InferContext &c);
void inferFlatten(InferContext &c);
void inferSqueeze(InferContext &c);
void inferUnsqueeze(InferContext &c);
void inferExpand(InferContext &c);
void inferTile(InferContext &c);
void inferEinsum(InferContext &c);

// --- The same with what ONNX has as attributes given by the caller -------------------------------

/// Operand 0 with the shape in operand 1, or with `dims`, broadcast both ways.
void expandTo(InferContext &c, Dims dims);
/// Operand 0 repeated along each dimension.
void tileBy(InferContext &c, std::span<const Dim> repeats);
/// Operand 0 with the sizes of a reshape: -1 is what remains, 0 copies a dimension unless
/// `zeroIsZero`.
void reshapeTo(InferContext &c, std::span<const Element> wanted, bool zeroIsZero);
/// Resize as ONNX has it since 11; the operands with factors and sizes.
void resizeBy(InferContext &c, uint32_t scales, uint32_t sizes);
/// Result 0 of operand 0 without `axes` (nullopt or empty: all, or none); `known` is false when
/// they are operand 1 and not known.
void reduceOver(InferContext &c, DType dtype, std::optional<std::vector<int64_t>> axes, bool known,
                bool keep, bool emptyIsNoop);
/// Operand 0 without one axis, or with 1 there.
void reduceAxis(InferContext &c, uint32_t result, DType dtype, int64_t axis, bool keep);
/// NumPy's matmul of operands `a` and `b`, their last two dimensions exchanged first.
void inferProduct(InferContext &c, DType dtype, uint32_t a, uint32_t b, bool transposeA = false,
                  bool transposeB = false);
void transposeBy(InferContext &c, std::optional<std::vector<int64_t>> perm);
/// nullopt: all dimensions of 1.
void squeezeAxes(InferContext &c, std::optional<std::vector<int64_t>> axes, bool known);
/// nullopt: not known; as many as operand 1 has elements.
void unsqueezeAxes(InferContext &c, std::optional<std::vector<int64_t>> axes);
void concatOperands(InferContext &c, uint32_t begin, uint32_t end, int64_t axis);
/// Operand `x` into all results; `sizes` nullopt: not known, or equal parts.
void splitOperand(InferContext &c, uint32_t x, int64_t axis,
                  std::optional<std::vector<int64_t>> sizes, bool known, bool lastIsSmaller);

} // namespace ge

#endif // GE_LIB_OPS_INFER_INFERROWS_H
