//===- GraphParser.h - modules, graphs and nodes out of a text ------------------------------------===//
#ifndef GE_LIB_TEXT_GRAPHPARSER_H
#define GE_LIB_TEXT_GRAPHPARSER_H

#include "Reserved.h"
#include "Scopes.h"
#include "ValueParser.h"

#include "ge/IR/Mutation.h"
#include "ge/Text/Text.h"

#include <unordered_set>
#include <vector>

namespace ge::text {

/// Thrown if parsing cannot continue: too many errors, or the text ended.
struct Abort {};

/// Reads a whole file. The module is built while reading; with errors it is thrown away.
///
/// The subgraphs of an operation precede its attributes and types, which are needed to create its
/// node. Their text is therefore skipped first, by its brackets, and parsed afterwards. Skipping
/// records the brackets of all nested operations, so no text is skipped twice.
class GraphParser : public ValueParser {
public:
  GraphParser(Context &context, std::string_view text, std::string_view file,
              const ParseOptions &options)
      : ValueParser(context, text, file), options_(options) {}
  ~GraphParser();

  /// One reference, the caller's. Throws Error(Parse) with everything that was wrong.
  Module *parse();

private:
  static constexpr size_t kMostErrors = 20;

  /// Reserved attributes that are allowed somewhere.
  enum Allowed : unsigned {
    kPlain = 1,        ///< attributes of the node itself
    kName = 2,         ///< ge.name
    kResultNames = 4,  ///< ge.result_names
    kIdentity = 8,     ///< ge.domain, ge.type, ge.overload
    kVariant = 16,     ///< ge.op
    kSubgraphs = 32,   ///< ge.subgraphs
    kOrigins = 64,     ///< ge.origins
    kSymbol = 128,     ///< sym_name, sym_visibility
    kSignature = 256,  ///< function_type, arg_attrs, res_attrs
    kGraphLists = 512, ///< ge.args, ge.outputs
    kSegments = 1024,  ///< operandSegmentSizes, resultSegmentSizes
  };
  struct Deferred {
    enum class Owner : uint8_t { Node, Graph, Module } owner;
    void *object;
    const Identifier *name;
    const char *place;
  };
  /// One attribute dictionary, its reserved entries sorted out.
  struct Attributes {
    bool hasName = false, hasResultNames = false, hasSymbol = false;
    std::string_view name, symbol, domain, type, overload;
    const OperatorName *variant = nullptr;
    const char *resultNamesPlace = nullptr;
    const char *subgraphs = nullptr, *origins = nullptr; ///< places of lists read later
    const char *inputs = nullptr, *outputs = nullptr;
    std::vector<const Type *> inputTypes, outputTypes; ///< of function_type
    bool hasFunctionType = false;
    std::vector<std::string_view> resultNames;
    std::vector<int32_t> operandSegments, resultSegments; ///< lengths of lists; empty: none
    std::vector<NamedAttribute> plain;
    std::vector<AttrRef> owned; ///< those of `plain` that are counted
    std::vector<std::pair<const Identifier *, const char *>> deferred;
    std::unordered_set<const Identifier *> seen; ///< names in `plain`, once they are many
    bool isSeen(const Identifier *attribute);
    void clear();
  };
  struct Operand {
    SSAName name;
    const char *place;
    const Definition *definition; ///< null when not defined yet
    const Type *type;
    bool isControl;
  };
  struct Result {
    std::string_view name;
    const char *place;
    uint32_t index; ///< in its pack
    bool isFirst;   ///< of its pack
  };
  struct PendingUse {
    Node *node;
    uint32_t operand;
    SSAName name;
    const Type *type;
    const char *place;
  };
  struct PendingControl {
    Node *node;
    SSAName name;
    const char *place;
  };
  struct PendingLocation {
    Node *node;
    std::string_view alias;
  };
  /// An entry of ge.subgraphs, or its equivalent.
  struct SubgraphEntry {
    std::string slot, name;
    const char *inputs = nullptr, *outputs = nullptr, *attributes = nullptr;
  };
  /// A graph that is being read.
  struct Body {
    Graph *graph;
    OpKind terminator;
    const char *inputs = nullptr;  ///< the list with the inputs' attributes; the next entry
    const char *outputs = nullptr; ///< the list of output names
    std::vector<const Type *> outputTypes;
    std::vector<std::string> outputNames;
    bool hasOutputTypes = false;
    bool ended = false; ///< by its terminator
  };
  struct OpName {
    OpKind kind = OpKind::Node;
    const OperatorName *op = nullptr;
  };
  class PlaceSaver;

  // FileParser.cpp
  void file();
  void topLevel();
  void moduleItem();
  void recoverItem(const char *start);
  void checkUtf8();
  void openModule(const char *place, bool isExplicit);
  void customModule(const char *place);
  void genericModule(const char *place);
  void moduleBody();
  void setModuleAttributes(const Attributes &attributes);
  void finish();
  void stopAfterMany() {
    if (scan_.errors().size() >= kMostErrors)
      throw Abort();
  }
  [[noreturn]] void throwErrors();

  // FunctionParser.cpp
  Graph *makeGraph(std::string_view name, const char *place);
  void customFunction();
  void genericGraph(OpKind kind, const char *place);
  void functionInputs(Body &body);
  void functionResults(Body &body);
  void resultAttributes(const char *list, Body &body);
  void outputNameList(const char *place, Body &body);
  void functionTypeProperty(Attributes &into);
  void setGraphAttributes(Graph *graph, const Attributes &attributes);

  // BodyParser.cpp
  void body(Body &body); ///< `{` ... `}`
  void blockLabel(Body &body);
  void inputArgument(Body &body, bool attributesFollow);
  void addInput(Graph *graph, std::string_view name, const char *place, const Type *type);
  void statement(Body &body);
  void recoverStatement(const char *start);
  void terminator(Body &body, const char *place);
  void customReturn(Body &body, const char *place);
  void subgraphs(Node *node, const char *regions, const char *entries);
  std::vector<SubgraphEntry> subgraphEntries(const char *place);
  void resolveScope(size_t pendingMark, size_t controlMark, bool isOutermost);

  // OpParser.cpp
  void operation(Body &body, const char *place);
  void results();
  OpName opName();
  void operands();
  Operand operand();
  const char *regions();
  void functionType();
  void operandType(Operand &operand);
  bool takeControlType();
  void node(Body &body, const OperatorName *op, const char *place, const char *regions);
  Node *createNode(Graph *graph, const OperatorName *op);
  void defineResults(Node *node);
  void nameResults(Node *node);
  void define(const Definition &definition, const SSAName &name);
  void defineBroken(const char *start);
  void checkCount(const char *place, std::string_view what, size_t names, size_t types);
  void formatOperation(Body &body, OpKind kind, const char *place);
  void addControl(Node *node, const Operand &operand);
  Value *valueOf(const Operand &operand, Node *user, uint32_t index);
  [[noreturn]] void failUndefined(const SSAName &name, const char *place);
  const OperatorName *spelledOperator(const char *place);
  void trailing(const char *place);

  // AttributesParser.cpp
  void attributes(Attributes &into, unsigned allowed);
  void attributeEntry(Attributes &into, std::string_view key, const char *place, unsigned allowed);
  bool reservedEntry(Attributes &into, std::string_view key, const char *place, unsigned allowed);
  void plainEntry(Attributes &into, std::string_view key, const char *place);
  void stringList(std::vector<std::string_view> &into, std::string_view what);
  const char *skippedList();
  const OperatorName *variant();
  void segments(std::vector<int32_t> &into, std::string_view key);
  void origins(Node *node, const char *place);
  void defer(const Attributes &attributes, Deferred::Owner owner, void *object);
  const Location *sourceLocation(const char *place);

  ParseOptions options_;
  Module *module_ = nullptr;
  bool moduleIsExplicit_ = false;

  Root *root_ = nullptr; ///< of the graph that is being read
  bool forward_ = false; ///< uses may come before definitions
  Scopes scopes_;
  std::vector<PendingUse> pending_;
  std::vector<PendingControl> pendingControls_;
  std::vector<PendingLocation> pendingLocations_;
  std::vector<Deferred> deferred_;
  std::vector<RegionList> regionLists_; ///< by place
  Memo<OpName> opNames_;

  // Of the statement that is being read; nothing of it is needed once its node is made.
  Attributes attributes_;
  std::vector<Operand> operands_;
  std::vector<Result> results_;
  std::vector<const Type *> resultTypes_; ///< without the control result
  std::vector<Value *> values_;
  const char *resultTypesPlace_ = nullptr;
  bool hasControlResult_ = false;
  const Location *location_ = nullptr;
  std::string_view laterLocation_;
  const Type *lastResultType_ = nullptr;
};

/// Reads something at another place of the text, and returns.
class GraphParser::PlaceSaver {
public:
  PlaceSaver(Scanner &scanner, const char *place) : scanner_(scanner), behind_(scanner.at()) {
    scanner.setAt(place);
  }
  ~PlaceSaver() { scanner_.setAt(behind_); }
  PlaceSaver(const PlaceSaver &) = delete;
  PlaceSaver &operator=(const PlaceSaver &) = delete;

private:
  Scanner &scanner_;
  const char *behind_;
};

} // namespace ge::text

#endif // GE_LIB_TEXT_GRAPHPARSER_H
