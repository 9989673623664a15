//===- PatternReader.h - from a graph to the tables of a pattern ------------------------------===//
#ifndef GE_LIB_PASSES_MATCH_PATTERNREADER_H
#define GE_LIB_PASSES_MATCH_PATTERNREADER_H

#include "ge/Passes/Match/Pattern.h"

#include <unordered_map>

namespace ge {

class PatternReader {
public:
  explicit PatternReader(Pattern &pattern) : p_(pattern), graph_(*pattern.root_->graph()) {}
  void read();

private:
  void readNode(const Node *node);
  void readDirective(const Node *node);
  void readOp(const Node *node);
  void readConstant(const Node *node);
  void readWhere(const Node *node);
  void readOperands(const Node *node, PatternNode &out);
  void readAttributes(const Node *node, PatternNode &out);
  void readAttribute(const Node *node, const Identifier *name, Attribute value, PatternNode &out);
  void readConditions(const Node *node, Attribute dict, PatternAttribute &out);
  void readDims(const Node *node, Attribute dims, PatternConstraint &out);
  void readDTypes(const Node *node, Attribute dtypes, PatternConstraint &out);
  /// Reads two integers in the form of builders or of the text; `what` completes the error.
  std::pair<int64_t, int64_t> readPair(const Node *node, Attribute value,
                                       std::string_view what) const;
  void readRank(const Node *node, Attribute rank, PatternConstraint &out);
  uint32_t readPredicate(const Node *node, Attribute value) const;
  void checkOperator(const Node *node, const OperatorName *op) const;
  static bool isOnnxConstant(const Node *node);
  void checkType(const Node *node, std::string_view type) const;
  void checkParams(const Node *node, const PatternNode &made) const;
  uint32_t commuting(const PatternNode &node) const;
  void readOutputs();
  void findAnchors();
  void measureDepth();
  void findTree();
  uint32_t add(const Value *value, PatternValue made);
  void addNode(const Node *node, PatternNode made);
  uint32_t valueOf(const Node *node, uint32_t operand) const;
  uint32_t inside(uint32_t value) const; ///< of nested Where
  [[noreturn]] void refuse(const Node *node, std::string_view what) const;

  Pattern &p_;
  const Graph &graph_;
  std::unordered_map<const Value *, uint32_t> ids_;
  std::unordered_map<std::string, uint32_t> symbols_, variables_;
};

/// `value` without enclosing Where nodes; the value itself if there are none.
uint32_t withoutWhere(const Pattern &pattern, uint32_t value);

} // namespace ge

#endif // GE_LIB_PASSES_MATCH_PATTERNREADER_H
