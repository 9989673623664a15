//===- FoldPad.cpp - fold-pad: into convolution and pooling -----------------------------------===//
//
// Not the matcher: a pair is found by one test of the producer's type, and the rest is arithmetic
// on pads.
//
#include "Builtin.h"
#include "PassEditor.h"

#include <algorithm>
#include <limits>

namespace ge::builtin {

namespace {

/// What a Pad does to the spatial dimensions: first all beginnings, then all ends.
struct Padding {
  Value *x;
  Ints spatial;
  double value;
};

/// Returns nullopt unless the node pads spatial dimensions with one known number and removes
/// nothing.
std::optional<Padding> paddingOf(PassEditor &r, const Node *user) {
  Node *pad = PassEditor::producer(operandOf(user, 0), "Pad");
  std::optional<Ints> pads;
  if (!pad || !operandOf(pad, 0) || r.opset() < 2 || operandOf(pad, 3) ||
      stringAttr(pad, "mode", "constant") != "constant" || !r.listOf(pad, "pads", 1, pads) ||
      !pads || pads->size() < 6 || pads->size() % 2 != 0 ||
      std::ranges::any_of(*pads, [](int64_t n) { return n < 0; }))
    return std::nullopt;
  size_t rank = pads->size() / 2;
  if ((*pads)[0] || (*pads)[1] || (*pads)[rank] || (*pads)[rank + 1])
    return std::nullopt;
  Padding padding{pad->operand(0), {}, floatAttr(pad, "value", 0)};
  if (Value *given = operandOf(pad, 2)) {
    std::optional<double> value = r.scalar(given);
    if (!value)
      return std::nullopt;
    padding.value = *value;
  }
  for (size_t begin : {size_t(2), rank + 2})
    padding.spatial.insert(padding.spatial.end(), pads->begin() + int64_t(begin),
                           pads->begin() + int64_t(begin + rank - 2));
  return padding;
}

/// The pads of the user and those of the Pad together; nullopt if the user pads by auto_pad.
std::optional<Ints> sum(const Node *user, const Ints &more) {
  std::string_view automatic = stringAttr(user, "auto_pad", "NOTSET");
  if (automatic != "NOTSET" && automatic != "VALID")
    return std::nullopt;
  Ints own(more.size());
  if (automatic == "NOTSET" && user->attribute("pads")) {
    std::optional<Ints> given = intsAttr(user, "pads");
    if (!given || given->size() != more.size())
      return std::nullopt;
    own = *given;
  }
  for (size_t i = 0; i != more.size(); ++i)
    own[i] += more[i];
  return own;
}

bool put(PassEditor &r, Node *user, Value *x, const Ints &pads,
         std::initializer_list<Attr> others = {}) {
  std::vector<Value *> operands;
  for (uint32_t i = 0; i != user->numOperands(); ++i)
    operands.push_back(user->operand(i));
  operands[0] = x;
  Node *made = r.createLike(user, operands, {{"pads", pads}}, {"auto_pad"});
  for (const Attr &other : others)
    Mutation::setAttribute(made, r.context().identifier(other.name), other.value);
  return r.replace(user, made);
}

bool intoConvolution(PassEditor &r, Node *node) {
  std::optional<Padding> padding = paddingOf(r, node);
  std::optional<Ints> pads =
      padding && padding->value == 0 ? sum(node, padding->spatial) : std::nullopt;
  return pads && put(r, node, padding->x, *pads);
}

/// Runtimes reject windows that lie completely in the padding.
bool isSmallerThanWindow(const Node *pool, const Ints &pads) {
  std::optional<Ints> kernel = intsAttr(pool, "kernel_shape");
  if (!kernel || kernel->size() * 2 != pads.size())
    return false;
  for (size_t i = 0; i != pads.size(); ++i)
    if (pads[i] >= (*kernel)[i % kernel->size()])
      return false;
  return true;
}

bool intoAveragePool(PassEditor &r, Node *node) {
  std::optional<Padding> padding = paddingOf(r, node);
  // ceil_mode may add positions beyond the padding, which are not counted.
  if (!padding || padding->value != 0 || r.opset() < 7 || intAttr(node, "ceil_mode", 0) != 0)
    return false;
  std::optional<Ints> own = sum(node, Ints(padding->spatial.size()));
  std::optional<Ints> pads = sum(node, padding->spatial);
  if (!own || !pads || !isSmallerThanWindow(node, *pads))
    return false;
  // The zeros of Pad count in the average, so all padding must count.
  bool hasOwn = std::ranges::any_of(*own, [](int64_t n) { return n != 0; });
  if (hasOwn && intAttr(node, "count_include_pad", 0) == 0)
    return false;
  return put(r, node, padding->x, *pads, {{"count_include_pad", int64_t(1)}});
}

bool intoMaxPool(PassEditor &r, Node *node) {
  std::optional<Padding> padding = paddingOf(r, node);
  // The indices of the largest elements would change.
  bool hasIndices = node->numResults() > 1 && node->result(1)->hasUses();
  if (!padding || padding->value != -std::numeric_limits<double>::infinity() || hasIndices ||
      intAttr(node, "ceil_mode", 0) != 0)
    return false;
  std::optional<Ints> pads = sum(node, padding->spatial);
  return pads && isSmallerThanWindow(node, *pads) && put(r, node, padding->x, *pads);
}

constexpr RuleRow kFoldPadRules[] = {
    // Runtimes use other loops for padded borders.
    {"Conv", intoConvolution, Exactness::Reassociating, "Pad into Conv"},
    // A sum that includes a zero of the padding is never -0.0.
    {"AveragePool", intoAveragePool, Exactness::Reassociating, "Pad into AveragePool"},
    // Whether a NaN or a number is the maximum depends on their positions.
    {"MaxPool", intoMaxPool, Exactness::Reassociating, "Pad into MaxPool"},
};

} // namespace

void registerFoldPad(PassRegistry &registry) {
  registry.add(rulePass(
      "fold-pad",
      "Folds Pad with zeros into Conv and AveragePool, and with minus infinity into MaxPool. Not: "
      "negative padding, padding that is not constant, pads channels, has axes, or is wider than "
      "the window; pooling with ceil_mode.",
      kFoldPadRules));
}

} // namespace ge::builtin
