//===- SimplifyShapes.cpp - simplify-shapes: arithmetic on sizes that are symbols -------------===//
//
// Not the matcher: the rules depend on known contents of values all over the graph.
//
#include "Builtin.h"
#include "KnownContents.h"
#include "ShapeOperand.h"

#include <algorithm>

namespace ge::builtin {

namespace {

class Simplifier {
public:
  explicit Simplifier(PassEditor &rewriter) : rewriter_(rewriter), known_(rewriter) {}

  void run(Graph &graph) {
    std::vector<Node *> order;
    graph.topologicalOrder(order);
    // An edit erases only the node itself and nodes before it.
    for (Node *node : order) {
      rewriter_.poll();
      known_.visit(node);
      if (!isFree(node))
        continue;
      std::string name = rewriter_.nameFor(node);
      if (rewriter_.mayRewrite() && !rewriter_.isDisputed(node) &&
          (reshape(node) || expand(node) || shapeAgain(node))) {
        rewriter_.rewrote("simplified", name);
        continue;
      }
      for (size_t i = 0; i < node->subgraphs().size(); ++i)
        run(*node->subgraphs()[i]);
    }
  }

private:
  /// A computed shape of which at most one size is unknown.
  bool reshape(Node *node) {
    if (!isOnnx(node, "Reshape") || rewriter_.opset() < 5 || intAttr(node, "allowzero", 0) != 0 ||
        !operandOf(node, 0) || !operandOf(node, 1) || rewriter_.isConstant(node->operand(1)))
      return false;
    Symbols nonZero;
    if (const Contents *wanted = known_.contents(node->operand(1)))
      addNonZero(node, *wanted, nonZero);
    std::optional<Ints> shape = shapeOperand(node->operand(0), reshapedType(node), nonZero);
    if (!shape)
      return false;
    Node *old = node->operand(1)->node();
    Mutation::setOperand(node, 1, rewriter_.createInts(node, *shape));
    rewriter_.eraseIfDead(old);
    return true;
  }

  /// Of the result, with the sizes that the shape operand surely has.
  const Type *reshapedType(const Node *node) {
    const Type *declared = node->result(0)->type();
    const Contents *shape = known_.contents(node->operand(1));
    if (!shape || shape->rank() != 1)
      return declared;
    for (const Element &size : shape->elements)
      if (size.isInt() && size.number <= 0) // 0 copies and -1 is computed: inference knows the size
        return declared;
    std::vector<Dim> dims = shape->dims();
    TensorTypeSpec spec;
    spec.dtype = dtypeOf(node->operand(0));
    spec.shape = dims;
    if (spec.dtype == DType::Undefined)
      return declared;
    const Type *met = meetTypes(rewriter_.context().tensorType(spec), declared);
    return met ? met : declared;
  }

  /// To a shape that the operand has already.
  bool expand(Node *node) {
    if (!isOnnx(node, "Expand") || !isRanked(operandOf(node, 0)) || !operandOf(node, 1))
      return false;
    const Contents *shape = known_.contents(node->operand(1));
    std::span<const Dim> own = shapeOf(node->operand(0));
    if (!shape || shape->rank() != 1 || shape->size() > own.size())
      return false;
    std::span<const Dim> last = own.last(shape->size());
    for (size_t i = 0; i != shape->size(); ++i) {
      const Element &wanted = shape->elements[i];
      bool isOne = wanted.isInt() && wanted.number == 1;
      if (!isOne && !sameDim(last[i], wanted.dim()))
        return false;
    }
    return rewriter_.replaceOrIdentity(node, node->operand(0));
  }

  /// Sizes taken out of a shape one by one and put together again, perhaps as another type.
  bool shapeAgain(Node *node) {
    if (!isOnnx(node, "Concat"))
      return false;
    const Contents *all = known_.contents(node->result(0));
    auto isSymbol = [](const Element &e) { return e.isSymbol(); };
    if (!all || all->rank() != 1 || !all->allKnown() ||
        std::ranges::none_of(all->elements, isSymbol))
      return false;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (Node *shape = sourceShape(node->operand(i))) {
        const Contents *whole = known_.contents(shape->result(0));
        if (!whole || whole->elements != all->elements)
          continue;
        DType dtype = dtypeOf(node->result(0));
        if (dtype == DType::I64)
          return rewriter_.replaceOrIdentity(node, shape->result(0));
        if (!isInteger(dtype))
          return false;
        Node *cast = rewriter_.create(node, "Cast", {shape->result(0)},
                                      {{"to", int64_t(info(dtype).onnx)}}, node->result(0)->type());
        return rewriter_.replace(node, cast->result(0));
      }
    return false;
  }

  /// The Shape that a size comes from, if all nodes in between only move elements.
  static Node *sourceShape(const Value *value) {
    constexpr int kMost = 8;
    for (int i = 0; value && i != kMost; ++i) {
      Node *node = value->node();
      if (isOnnx(node, "Shape"))
        return isFree(node) && node->graph() ? node : nullptr;
      bool goesOn = false;
      for (std::string_view type : {"Gather", "Slice", "Unsqueeze", "Squeeze", "Reshape", "Cast"})
        goesOn = goesOn || isOnnx(node, type);
      value = goesOn ? operandOf(node, 0) : nullptr;
    }
    return nullptr;
  }

  PassEditor &rewriter_;
  KnownContents known_;
};

} // namespace

void registerSimplifyShapes(PassRegistry &registry) {
  registry.add(functionPass(
      "simplify-shapes",
      "Gives Reshape a constant shape, with 0 and -1 for symbolic sizes; removes Expand to the "
      "operand's own shape, and shapes that are assembled from a value's own sizes. Not: more than "
      "one unknown size.",
      [](PassEditor &rewriter) { Simplifier(rewriter).run(rewriter.root()); }));
}

} // namespace ge::builtin
