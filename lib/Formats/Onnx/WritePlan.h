//===- WritePlan.h - order and names of a module, decided before it is written ----------------===//
#ifndef GE_LIB_FORMATS_ONNX_WRITEPLAN_H
#define GE_LIB_FORMATS_ONNX_WRITEPLAN_H

#include "Layout.h"
#include "Names.h"

#include "ge/Formats/Onnx/Onnx.h"
#include "ge/IR/TensorBytes.h"
#include "ge/Support/Interrupt.h"

#include <map>
#include <memory>
#include <tsl/robin_map.h>
#include <unordered_set>

namespace ge::onnx {

struct OutputPlan {
  const Value *value; ///< null for an absent one
  std::string name;
  bool needsIdentity; ///< the value has another name
};

/// One graph: its nodes in topological order, grouped by what they are written as.
struct GraphPlan {
  std::vector<const Node *> nodes;
  std::vector<const Node *> constants; ///< ge.Const: initializers
  std::vector<const Node *> sparse;    ///< sparse initializers
  std::vector<const Node *> splats;    ///< ge.Const: written as ConstantOfShape
  std::vector<OutputPlan> outputs;
  Layout layout;
};

/// Returns the layout in an object's attributes, or an empty one. Throws Error(Model) when its
/// bytes are malformed.
Layout layoutOf(const Context &context, const AttributeList &attributes);
/// The bytes of a Bytes attribute or of the tensor that represents a large one; else empty.
TensorBytes bytesOf(Attribute attribute);
/// Whether a tensor represents a large Bytes attribute.
bool holdsBytes(const Tensor &tensor);
/// The attribute, or an invalid one.
Attribute find(const Context &context, const AttributeList &attributes, std::string_view name);

bool isConstant(const Node *node); ///< ge.Const
bool isFunction(const Graph *graph);
/// A ge.Const of many equal elements that ConstantOfShape can make in this opset.
bool isLargeSplat(const Node *node, int64_t opset);

/// Orders and names of one root graph.
///
/// A value keeps its name; a value that the reader renamed gets the file's name back where ONNX's
/// scopes allow it. A value without a name gets an unused one. The name of an output becomes the
/// name of its value if that is a result of a node of the graph and no other output or input;
/// otherwise an Identity node is added.
class RootPlan {
public:
  /// `opset`: of the default domain.
  RootPlan(const Graph *root, int64_t opset);

  const GraphPlan &of(const Graph *graph) const { return *graphs_.at(graph); }
  std::string_view name(const Value *value) const {
    if (!renamed_.empty())
      if (auto it = renamed_.find(value); it != renamed_.end())
        return it->second;
    return value->name();
  }
  /// Of a node that has one: the file's. Unlike values, nodes of one graph may have equal names in
  /// ONNX.
  std::string_view name(const Node *node) const {
    return hasOriginalNodes_ ? node->originalName() : node->name();
  }
  /// Of the shape that the ConstantOfShape of a splat takes.
  const std::string &shapeName(const Node *splat) const { return shapeNames_.at(splat); }
  /// All graphs, outer ones first.
  const std::vector<const Graph *> &graphs() const { return order_; }
  /// Domains of the operators that are written, in order of appearance.
  const std::vector<std::string_view> &domains() const { return domains_; }

private:
  void add(const Graph *graph);
  void addDomain(std::string_view domain);
  void nameOutputs(const Graph *graph);
  void restoreNames();
  void nameUnnamed();
  void nameShapes();
  void rename(const Value *value);
  void clearTheWay(const Graph *graph, uint32_t output, const std::string &wanted,
                   const Value *value);
  std::string freshName(std::string_view base);
  bool isTaken(std::string_view name) const;

  const Root &root_;
  bool isFunction_;
  int64_t opset_;
  std::vector<const Graph *> order_;
  std::map<const Graph *, std::unique_ptr<GraphPlan>> graphs_;
  tsl::robin_map<const Value *, std::string> renamed_;
  std::map<const Node *, std::string> shapeNames_;
  std::vector<const Value *> originals_, unnamed_; ///< in order of appearance
  /// Outputs that have the file's name of a value of an enclosing graph, which the IR renamed.
  std::vector<std::pair<const Graph *, uint32_t>> captured_;
  bool hasOriginalNodes_ = false;
  std::unordered_set<std::string> given_; ///< names of outputs and new ones
  Interrupt interrupt_;
  tsl::robin_map<std::string, uint32_t> counters_;
  std::unordered_set<const OperatorName *> operators_;
  std::vector<std::string_view> domains_;
  std::unordered_set<std::string_view> seenDomains_;
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_WRITEPLAN_H
