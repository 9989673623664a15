//===- Printer.h - graphs as text -----------------------------------------------------------------===//
#ifndef GE_LIB_TEXT_PRINTER_H
#define GE_LIB_TEXT_PRINTER_H

#include "Blobs.h"
#include "PrintPlan.h"

#include "ge/IR/Module.h"
#include "ge/Support/Interrupt.h"
#include "ge/Text/Text.h"

#include <string>
#include <string_view>
#include <vector>

namespace ge::text {

/// Texts by a small id, made at first use: few types and operators, many nodes.
class TextTable {
public:
  /// `make(out)` appends the text.
  template <typename F> std::string_view get(uint32_t id, F make) {
    if (id >= spans_.size())
      spans_.resize(id + 1);
    Span &span = spans_[id];
    if (!span.length) [[unlikely]] {
      span.start = text_.size();
      make(text_);
      span.length = uint32_t(text_.size() - span.start);
    }
    return std::string_view(text_).substr(span.start, span.length);
  }

private:
  struct Span {
    size_t start = 0;
    uint32_t length = 0;
  };
  std::vector<Span> spans_;
  std::string text_;
};

/// One text. Graphs after each other share its resources.
class Printer {
public:
  Printer(Context &context, std::string &out, const PrintOptions &options)
      : context_(context), out_(out), options_(options) {}

  // GraphPrinter.cpp
  void module(const Module &module);
  void graph(const Graph *graph, unsigned indent);
  void resources() { blobs_.print(out_); }

  // NodePrinter.cpp
  void singleNode(const Node *node); ///< without a plan, for people

private:
  enum class Terminator : uint8_t { Return, Yield, Output };
  /// The dictionary after a node: opened by its first entry.
  class Dictionary {
  public:
    Dictionary(std::string &out, std::string_view open) : out_(out), open_(open) {}
    std::string &entry(std::string_view key) {
      out_ += isOpen_ ? std::string_view(", ") : open_;
      isOpen_ = true;
      return out_.append(key).append(" = ");
    }
    void close() {
      if (isOpen_)
        out_ += '}';
    }
    bool isOpen() const { return isOpen_; }
    /// After the text was cut back to where `earlier` was copied.
    void restore(const Dictionary &earlier) { isOpen_ = earlier.isOpen_; }

  private:
    std::string &out_;
    std::string_view open_;
    bool isOpen_ = false;
  };

  // GraphPrinter.cpp
  void function(const Graph *graph, unsigned indent);
  void looseGraph(const Graph *graph, unsigned indent);
  void symbol(std::string_view name);
  void graphAttributes(Dictionary &dictionary, const Graph *graph);
  void functionInputs(const Graph *graph);
  void functionResults(const Graph *graph);
  void body(Terminator terminator, unsigned indent);
  void preamble(const PrintPlan::Entry &entry, unsigned indent);
  void terminator(const Graph *graph, Terminator kind, unsigned indent);
  void blockLabel(const Graph *graph, unsigned indent, bool withCaptures);
  bool inputEntries(std::string_view key, Dictionary &dictionary, const Graph *graph,
                    bool withCaptures);
  void outputNames(std::string_view key, Dictionary &dictionary, const Graph *graph);
  void capture(Dictionary &dictionary, const Value *value);
  bool subgraphEntry(const Graph *graph);

  // NodePrinter.cpp
  void node(const Node *node, unsigned indent);
  void regions(const Node *node, unsigned indent);
  void nodeAttributes(const Node *node);
  void nodeName(Dictionary &dictionary, const Node *node, std::string_view implied);
  void resultNames(Dictionary &dictionary, const Node *node);
  void inputAttributes(Dictionary &dictionary, const Node *node);
  void origins(Dictionary &dictionary, const Node *node);
  void identity(Dictionary &dictionary, const OperatorName &op);
  void segments(Dictionary &dictionary, std::string_view key, std::span<const int32_t> lengths);
  void subgraphEntries(Dictionary &dictionary, const Node *node);
  void location(const Location *location);
  void valueName(const Value *value);
  void controlName(const Node *node);
  void type(const Type *type);
  /// Producers of the control operands. A single node shows all that it has.
  template <typename F> void forEachControl(const Node *node, F visit) {
    if (node->extra())
      for (const Node *input : node->controlInputs())
        if (!plan_ || isShownControl(input, node))
          visit(input);
  }
  bool hasControlResult(const Node *node) const {
    return plan_ ? hasShownControl(node) : node->extra() && !node->controlOutputs().empty();
  }
  void typeList(const Node *node);
  void operandTypes(const Node *node);
  void line(unsigned indent) { out_.append(size_t(indent) * 2, ' '); }
  std::string_view opText(const OperatorName *op);
  bool isSpelled(const OperatorName *op) { return opText(op) == kSpelled; }

  // AttrPrinter.cpp
  enum Where : uint8_t { Direct, Inside }; ///< as an entry of its own, or in ge.attrs
  void attributes(Dictionary &dictionary, const AttributeList &list, bool isData, bool allInside,
                  std::string_view keyHint);
  void attribute(Attribute attribute, std::string_view keyHint);
  void tensor(const Tensor &tensor, std::string_view keyHint);
  std::string_view key(uint32_t nameId, Where &where);
  std::string_view keyHint(const Node *node) const;

  static constexpr std::string_view kSpelled = "\"ge.op\"(";

  Interrupt interrupt_;
  Context &context_;
  std::string &out_;
  const PrintOptions &options_;
  std::string symbolFor(const Graph *graph) const;
  const Module *module_ = nullptr;  ///< null for a single graph
  const PrintPlan *plan_ = nullptr; ///< null for a single node
  size_t nextEntry_ = 0;            ///< of the plan
  bool noneIsVisible_ = false;
  bool elideAll_ = false; ///< tensors that need a resource
  Blobs blobs_;
  TextTable types_, ops_, keys_;
};

} // namespace ge::text

#endif // GE_LIB_TEXT_PRINTER_H
