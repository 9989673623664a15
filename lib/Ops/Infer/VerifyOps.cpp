//===- VerifyOps.cpp - nodes against the definitions of their operators -----------------------===//
#include "ge/Ops/Infer/VerifyOps.h"

#include "../Schema/SlotPositions.h"
#include "../Schema/TypeConstraints.h"
#include "VerifyAttributes.h"

#include "ge/IR/Domain.h"
#include "ge/IR/Module.h"
#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Registry/DomainLoader.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Support/DiagnosticLimit.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace ge {
namespace {

constexpr std::string_view kConstant = "ge.Const";

/// onnxruntime has this domain in every opset, and its fusions write it.
constexpr std::string_view kInEveryOpset = "onnx.LayerNormalization";

/// "seq(tensor(float))"; empty when it is not known far enough.
std::string constraintText(const Type *type) {
  switch (type->kind()) {
  case TypeKind::Tensor:
    if (type->dtype() == DType::Undefined)
      return {};
    return cat("tensor(", constraintName(type->dtype()), ")");
  case TypeKind::Sequence:
  case TypeKind::Optional: {
    std::string element = constraintText(type->element());
    if (element.empty())
      return {};
    return cat(type->kind() == TypeKind::Sequence ? "seq(" : "optional(", element, ")");
  }
  case TypeKind::Map: {
    std::string value = constraintText(type->element());
    bool isTensor = value.starts_with("tensor(");
    if (!isTensor)
      return {};
    return cat("map(", constraintName(type->dtype()), ", ",
               value.substr(7)); // as the records write it
  }
  default:
    return {};
  }
}

/// The text of an entry of a function's attribute `onnx.function`.
std::string_view functionPart(Attribute function, std::string_view part) {
  Attribute text = function.entry(part);
  return text.kind() == AttrKind::String ? text.stringValue() : std::string_view();
}

using FunctionKey = std::array<std::string, 3>; ///< domain, type, overload

/// The operators that functions of the model define. O(graphs).
std::set<FunctionKey> functionsOf(const Module &module) {
  std::set<FunctionKey> functions;
  const Identifier *key = module.context().lookupIdentifier("onnx.function");
  Interrupt interrupt;
  ModuleReadAccess access(module);
  for (size_t i = 0; key && i != module.numGraphs(); ++i) {
    interrupt.poll();
    ReadAccess reading(module.graph(i)->root(), true);
    Attribute function = module.graph(i)->attributes().find(key->id());
    if (function.kind() == AttrKind::Dict)
      functions.insert({std::string(canonicalDomain(functionPart(function, "domain"))),
                        std::string(functionPart(function, "name")),
                        std::string(functionPart(function, "overload"))});
  }
  return functions;
}

class Checker {
public:
  /// What is compared with a definition. The structure: everything except types and results of
  /// hooks.
  enum class Scope : uint8_t { Structure, All };

  Checker(const Graph *start, const VerifyOptions &options, Scope scope = Scope::All)
      : start_(start), options_(options), scope_(scope),
        registry_(options.registry ? *options.registry : Registry::global()) {}

  void check(const Graph *graph) {
    for (const Node *node = graph->front(); node; node = node->next()) {
      interrupt_.poll();
      checkNode(node);
      for (const Graph *inner : node->subgraphs())
        check(inner);
    }
  }

  void checkOne(const Node *node) { checkNode(node); }

  /// Called for operators of nodes that a pass creates; returns whether other nodes have the
  /// operator.
  void setKnownOperators(std::function<bool(const OperatorName *)> isKnown) {
    isKnown_ = std::move(isKnown);
  }

  /// One attribute that was set or removed. Passes may mark nodes by attributes that no definition
  /// has.
  void checkAttribute(const Node *node, uint32_t name) {
    const OpDef *def = definition(node->op()).def.get();
    std::optional<uint32_t> param =
        def ? def->findParam(node->context().identifierAt(name)->str()) : std::nullopt;
    if (!param || def->params[*param].isOperand())
      return;
    if (Attribute value = node->attributes().find(name))
      checkGiven(node, *def, name, value);
    else
      checkPresent(node, *def, def->params[*param]);
  }

  /// The message of the first error; empty: there is none.
  std::string firstError() {
    auto first = std::ranges::find(result_.diagnostics, Severity::Error, &Diagnostic::severity);
    return first == result_.diagnostics.end() ? std::string() : std::move(first->message);
  }
  std::vector<Diagnostic> takeDiagnostics() {
    errors_.conclude(result_.diagnostics, Severity::Error, "errors");
    others_.conclude(result_.diagnostics, Severity::Warning, "warnings");
    return std::move(result_.diagnostics);
  }
  VerifyResult take() {
    auto add = [this](const OperatorName *op, uint64_t unknown) {
      if (unknown)
        result_.unknownOperators.emplace_back(op->str(), unknown);
    };
    if (firstOp_)
      add(firstOp_, first_.unknown);
    for (const auto &[op, known] : definitions_)
      add(start_->context().operatorAt(op), known.unknown);
    std::ranges::sort(result_.unknownOperators);
    result_.diagnostics = takeDiagnostics();
    return std::move(result_);
  }

private:
  template <typename... Parts>
  void report(Severity severity, const Node *node, const Parts &...parts) {
    if (!(severity == Severity::Error ? errors_ : others_).admits())
      return;
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.message = cat(node->describe(), ": ", parts...);
    if (const Location *file = node->location()->firstFile()) {
      diagnostic.file = std::string(file->file());
      diagnostic.line = file->line();
      diagnostic.column = file->column();
    }
    result_.diagnostics.push_back(std::move(diagnostic));
  }
  template <typename... Parts> void error(const Node *node, const Parts &...parts) {
    report(Severity::Error, node, parts...);
  }

  struct Definition {
    OpDefRef def;         ///< null: unknown, or newer than what is imported
    uint32_t opset = 0;   ///< of the operator's domain; 0: none is imported
    uint32_t since = 0;   ///< the first version, where the operator is newer than `opset`
    uint64_t unknown = 0; ///< nodes without a definition
    bool isConstant = false;
    bool isNamed = false; ///< without a definition, but nothing is wrong with the name
    // Set for a node that fits and has only operands and results: similar nodes fit, too.
    uint32_t plainOperands = UINT32_MAX, plainResults = 0;
  };
  Definition &definition(const OperatorName *op) {
    if (last_ && op == lastOp_)
      return *last_;
    lastOp_ = op;
    if (!firstOp_ || firstOp_ == op) { // checks of single nodes need no table
      last_ = &first_;
      if (!std::exchange(firstOp_, op))
        lookUp(*op, first_);
      return first_;
    }
    auto [found, isNew] = definitions_.try_emplace(op->id());
    last_ = &found->second; // its address is stable
    if (isNew)
      lookUp(*op, *last_);
    return *last_;
  }

  void lookUp(const OperatorName &op, Definition &known) {
    known.isConstant = op.str() == kConstant;
    if (isUndefinedDomain(op.domain())) {
      known.isNamed = true;
      return;
    }
    known.opset =
        op.domain() == "onnx" && options_.opset ? options_.opset : opsetOf(start_, op.domain());
    auto find = [&] {
      return registry_.find(op.domain(), op.type(), op.overload(),
                            known.opset ? known.opset : Registry::kNewest);
    };
    known.def = find();
    if (!known.def && scope_ == Scope::Structure && mayLoadDomain(op.domain()) &&
        registry_.overloads(op.domain(), op.type()).empty()) {
      // A package may define the domain. A pass may look it up while it has access to a graph.
      const std::string domain(op.domain());
      loadDomains({&domain, 1});
      known.def = find();
    }
    if (!known.def && known.opset && op.str() != kInEveryOpset)
      if (std::vector<OpDefRef> versions =
              registry_.versions(op.domain(), op.type(), op.overload());
          !versions.empty() && !isFunctionOfModel(op))
        known.since = versions.front()->since;
  }

  /// Whether nothing defines operators of the domain, nor a package that is still to be asked for.
  bool isUndefinedDomain(std::string_view domain) const {
    return !registry_.hasNamespace(domain) && (scope_ == Scope::All || !mayLoadDomain(domain));
  }

  /// Whether a function of the model defines the operator. The module is searched once.
  bool isFunctionOfModel(const OperatorName &op) {
    if (!functions_)
      functions_ = start_->module() ? functionsOf(*start_->module()) : std::set<FunctionKey>();
    return functions_->contains(
        {std::string(op.domain()), std::string(op.type()), std::string(op.overload())});
  }

  void checkNode(const Node *node) {
    Definition &known = definition(node->op());
    if (known.since) {
      ++result_.checked;
      return error(node, "the operator came with opset ", known.since, " of '",
                   node->op()->domain(), "', the model imports ", known.opset, "; import opset ",
                   known.since, ", or use operators that ", known.opset, " has");
    }
    const OpDef *def = known.def.get();
    // Operators that are part of the IR. The others of the domain need not be registered either.
    if (known.isConstant)
      checkConstant(node);
    if (!def) {
      result_.unknown += !known.isConstant;
      known.unknown += !known.isConstant;
      if (!known.isConstant && !known.isNamed && scope_ == Scope::Structure)
        known.isNamed = checkName(node);
      return;
    }
    ++result_.checked;
    bool isPlain = scope_ == Scope::Structure && isPlainNode(node);
    if (isPlain && node->numOperands() == known.plainOperands &&
        node->numResults() == known.plainResults)
      return;
    size_t faults = result_.diagnostics.size();
    if (def->deprecated && scope_ == Scope::All)
      report(Severity::Warning, node, "the operator is deprecated",
             def->deprecation.empty() ? "" : "; ", def->deprecation);
    variables_.assign(def->typeVars.size(), {});
    checkOperands(node, *def);
    checkResults(node, *def);
    checkAttributes(node, *def);
    if (scope_ == Scope::Structure) {
      if (isPlain && result_.diagnostics.size() == faults) {
        known.plainOperands = node->numOperands();
        known.plainResults = node->numResults();
      }
      return;
    }
    if (const VerifyHook *hook = def->hooks().verify.load(std::memory_order_acquire))
      hook->verify(node, result_.diagnostics, hook->user);
  }

  /// All its operands are there, and it has neither attributes nor subgraphs.
  static bool isPlainNode(const Node *node) {
    bool isPlain = node->attributes().size() == 0 && !node->extra();
    for (uint32_t i = 0; isPlain && i != node->numOperands(); ++i)
      isPlain = node->operand(i) != nullptr;
    return isPlain;
  }

  /// A name that a domain with records does not have is a mistake, but where a model brings it.
  /// CANN's domain is larger than its records here. False: it is reported.
  bool checkName(const Node *node) {
    const OperatorName &op = *node->op();
    if (op.domain() == "ge" || !registry_.hasNamespace(op.domain()) ||
        !registry_.overloads(op.domain(), op.type()).empty() || isFunctionOfModel(op) ||
        (isKnown_ && isKnown_(&op)))
      return true;
    std::string text;
    for (const std::string &near : registry_.suggestions(op.domain(), op.type()))
      text += cat(text.empty() ? "; did you mean " : ", ", near);
    error(node, "'", op.domain(), "' has no operator '", op.type(), "'", text,
          text.empty() ? "" : "?");
    return false;
  }

  /// The constant must have the declared type of its result, because code uses either.
  void checkConstant(const Node *node) {
    const Tensor *value = node->attribute("value").tensorValue();
    if (!value || node->numResults() != 1)
      return;
    const Type *declared = node->result(0)->type();
    if (!meetTypes(declared, value->type()))
      error(node, "the value is ", shortType(value->type()), ", the result ", shortType(declared),
            "; set a value of that type, or the result's type, too");
  }

  /// Whether each element of a tuple may be absent.
  static void addOptional(const SchemaType *type, bool isOptional, std::vector<bool> &mayLack) {
    isOptional |= type->isOptional();
    if (type->required()->kind() != SchemaTypeKind::Tuple)
      return mayLack.push_back(isOptional);
    for (const SchemaType *element : type->required()->elements())
      addOptional(element, isOptional, mayLack);
  }

  void checkOperands(const Node *node, const OpDef &def) {
    std::span<const uint32_t> params = def.operands();
    auto slotOf = [&](size_t i) -> const Param & { return def.params[params[i]]; };
    uint32_t n = node->numOperands(), at = 0;
    if (!checkSegments(node, def, false))
      return;
    bool hasLengths = !node->operandSegments().empty();
    SlotPositions positions(params.size(), n, slotOf, def.hasOperandChoice(),
                            node->operandSegments());
    // In ONNX only optional operands may be absent, and elements of a variadic list are not
    // optional.
    bool isOnnx = def.ns == "onnx" || def.ns.starts_with("onnx.");
    for (size_t i = 0; i != positions.numKnown(); ++i) {
      const Param &param = slotOf(i);
      size_t count = positions.countOf(i);
      bool isThere = count != 0 && at < n && node->operand(at);
      if (std::string fault = isThere ? nodeFormFault(param) : ""; !fault.empty())
        return error(node, fault);
      if (param.isVariadic() && count < param.minCount)
        error(node, "'", param.name, "' has ", count, " operands, at least ", param.minCount,
              " are needed");
      bool isOptional = param.type->isOptional() || param.defaultValue;
      if (hasLengths && count == 0 && !isOptional && !param.isVariadic())
        error(node, "operand '", param.name, "' is missing; it is required");
      // Elements of a tuple are given either all or not at all, but for optional ones.
      std::vector<bool> mayLack;
      if (count > 1 && !param.isVariadic()) {
        for (size_t k = 0; k != count; ++k)
          isOptional &= at + k >= n || !node->operand(uint32_t(at + k));
        addOptional(param.type->required(), isOptional, mayLack);
      }
      for (size_t k = 0; k != count; ++k, ++at) {
        const Value *value = at < n ? node->operand(at) : nullptr;
        if (!value) {
          if (!(k < mayLack.size() ? mayLack[k] : isOptional) && !param.isVariadic())
            error(node, "operand ", at, " '", param.name, "' is missing; it is required");
          else if (!isOptional && isOnnx)
            error(node, "operand ", at, " is missing; those of '", param.name,
                  "' are all required");
          continue;
        }
        if (scope_ == Scope::All)
          checkType(node, def, param, value->type(), cat("operand ", at, " '", param.name, "'"));
      }
    }
    if (at < n && !def.vararg && !positions.isShared())
      error(node, "has ", n, " operands, at most ", params.size(), " are allowed",
            otherFormText(node, [&](const OpDef &other) {
              return other.operands().size() >= n || other.vararg;
            }));
  }

  /// The lengths of lists that the node stores, or lacks. False: a fault was reported.
  bool checkSegments(const Node *node, const OpDef &def, bool ofResults) {
    std::span<const int32_t> given = ofResults ? node->resultSegments() : node->operandSegments();
    uint32_t count = ofResults ? node->numResults() : node->numOperands();
    std::string fault;
    if (!given.empty())
      fault = segmentsFault(ofResults ? resultSlots(def) : operandSlots(def), given);
    else if (count != 0 && (ofResults ? def.hasResultChoice() : def.hasOperandChoice()))
      fault = missingSegmentsText(def, ofResults, count);
    if (!fault.empty())
      error(node, fault);
    return fault.empty();
  }

  void checkResults(const Node *node, const OpDef &def) {
    auto slotOf = [&](size_t i) -> const Result & { return def.results[i]; };
    uint32_t n = node->numResults(), at = 0;
    if (!checkSegments(node, def, true))
      return;
    bool hasLengths = !node->resultSegments().empty();
    SlotPositions positions(def.results.size(), n, slotOf, def.hasResultChoice(),
                            node->resultSegments());
    for (size_t i = 0; i != positions.numKnown(); ++i) {
      const Result &result = slotOf(i);
      for (size_t k = 0; k != positions.countOf(i) && at < n; ++k, ++at)
        if (scope_ == Scope::All && !node->result(at)->isAbsent())
          checkType(node, def, result, node->result(at)->type(),
                    cat("result ", at, " '", result.name, "'"));
      if (hasLengths) {
        if (positions.countOf(i) == 0 && !result.isVariadic() && !result.type->isOptional())
          error(node, "result '", result.name, "' is missing; the operator has it always");
        continue;
      }
      if (positions.countOf(i) == 1 && at == n && i + 1 < def.results.size()) {
        // Only optional ones may be left out at the end.
        for (size_t rest = i + 1; rest != def.results.size(); ++rest)
          if (!slotOf(rest).type->isOptional() && !slotOf(rest).isVariadic())
            error(node, "result '", slotOf(rest).name, "' is missing; the operator has it always");
        return;
      }
    }
    if (n > def.results.size() && !hasLengths && !positions.hasList() && !def.varret)
      error(node, "has ", n, " results, at most ", def.results.size(), " are allowed",
            otherFormText(node, [&](const OpDef &other) {
              return other.results.size() >= n || other.varret;
            }));
  }

  /// Whole types, sequences and maps too; checkElementTypes() asks tensors while nodes are built.
  void checkType(const Node *node, const OpDef &def, const Slot &slot, const Type *type,
                 const std::string &where) {
    if (slot.typeVar < 0 || type->isNone())
      return;
    const TypeVar &variable = def.typeVars[size_t(slot.typeVar)];
    std::string name = constraintText(type);
    if (name.empty())
      return;
    auto allows = [&](std::string_view wanted) {
      return std::ranges::find(variable.allowed, wanted) != variable.allowed.end();
    };
    // ONNX takes a value where an optional one is allowed.
    if (!variable.allowed.empty() && !allows(name) && !allows(cat("optional(", name, ")"))) {
      std::string list;
      for (const std::string &allowed : variable.allowed)
        list += cat(list.empty() ? "" : ", ", allowed);
      return error(node, where, " is ", name, "; '", variable.name, "' may be ", list);
    }
    if (!slot.homogeneous || isType(variable))
      return;
    auto &[known, first] = variables_[size_t(slot.typeVar)];
    if (known.empty()) {
      known = name;
      first = where;
    } else if (known != name && !isOptionalOf(known, name)) {
      error(node, where, " is ", name, ", but ", first, " is ", known, "; both are of type '",
            variable.name, "'");
    }
  }

  static bool isOptionalOf(std::string_view a, std::string_view b) {
    return a == cat("optional(", b, ")") || b == cat("optional(", a, ")");
  }

  void checkAttributes(const Node *node, const OpDef &def) {
    const AttributeList &given = node->attributes();
    for (uint32_t i = 0; i != given.size(); ++i)
      checkGiven(node, def, given.nameIdAt(i), given.at(i));
    for (uint32_t index : def.attributes())
      checkPresent(node, def, def.params[index]);
  }

  void checkGiven(const Node *node, const OpDef &def, uint32_t nameId, Attribute value) {
    std::string_view name = node->context().identifierAt(nameId)->str();
    std::optional<uint32_t> param = def.findParam(name);
    if (!param || def.params[*param].isOperand()) {
      if (!isFreeAttribute(def, name))
        error(node, "the operator has no attribute '", name, "'", nearText(def, name),
              otherFormText(node, [&](const OpDef &other) {
                std::optional<uint32_t> there = other.findParam(name);
                return there && !other.params[*there].isOperand();
              }));
      return;
    }
    if (isReference(value) || isOpaque(value))
      return;
    if (std::string why = attributeFault(value, def.params[*param]); !why.empty())
      error(node, "attribute '", name, "' ", why);
  }

  void checkPresent(const Node *node, const OpDef &def, const Param &param) {
    bool isGiven = bool(node->attribute(param.name)) || hasSubgraph(node, def, param);
    if (param.isRequired() && !isGiven)
      error(node, param.type->containsGraph() ? "subgraph '" : "attribute '", param.name,
            "' is missing; it is required");
  }

  /// By slot; where slots have no names, by number.
  static bool hasSubgraph(const Node *node, const OpDef &def, const Param &param) {
    if (!param.type->containsGraph())
      return false;
    size_t graphs = 0;
    for (uint32_t index : def.attributes())
      graphs += def.params[index].type->containsGraph();
    for (const Graph *graph : node->subgraphs())
      if (graph->slot() == param.name ||
          (graph->slot().empty() && node->subgraphs().size() >= graphs))
        return true;
    return param.type->required()->isList() && !node->subgraphs().empty();
  }

  /// For a node that fits another version of its operator: the version, and the imported one.
  template <typename Fits> std::string otherFormText(const Node *node, const Fits &fits) {
    const OperatorName &op = *node->op();
    const Definition &known = definition(&op);
    if (!known.opset)
      return {};
    for (const OpDefRef &other : registry_.versions(op.domain(), op.type(), op.overload()))
      if (other->since != known.def->since && fits(*other))
        return cat("; that is the form of opset ", other->since,
                   other->since > known.opset ? " and newer" : "", ", the model imports opset ",
                   known.opset, " of '", op.domain(), "'");
    return {};
  }

  static std::string nearText(const OpDef &def, std::string_view name) {
    std::string names;
    for (uint32_t index : def.attributes()) {
      const std::string &known = def.params[index].name;
      if (std::ranges::equal(known, name, [](char a, char b) { return (a | 32) == (b | 32); }))
        return cat("; did you mean '", known, "'?");
      names += cat(names.empty() ? "" : ", ", known);
    }
    return names.empty() ? "; it has none" : cat("; it has ", names);
  }

  Interrupt interrupt_;
  std::function<bool(const OperatorName *)> isKnown_;
  const Graph *start_;
  const VerifyOptions &options_;
  const Scope scope_;
  const Registry &registry_;
  VerifyResult result_;
  DiagnosticLimit errors_, others_;
  const OperatorName *firstOp_ = nullptr;                      ///< the first that was asked for,
  Definition first_;                                           ///< and what it is
  std::unordered_map<uint32_t, Definition> definitions_;       ///< of the others, by operator
  const OperatorName *lastOp_ = nullptr;                       ///< the last that was asked for,
  Definition *last_ = nullptr;                                 ///< and what it is
  std::optional<std::set<FunctionKey>> functions_;             ///< of the module, once asked for
  std::vector<std::pair<std::string, std::string>> variables_; ///< type, and where it was seen
};

} // namespace

VerifyResult verifyDefinitions(const Graph *graph, const VerifyOptions &options) {
  Checker checker(graph, options);
  checker.check(graph);
  return checker.take();
}

std::string definitionFault(const Node *node, uint32_t opset) {
  VerifyOptions options;
  options.opset = opset;
  Checker checker(node->graph(), options);
  checker.checkOne(node);
  return checker.firstError();
}

namespace {

/// Calls `visit` with the nodes of a graph and of those inside until it returns true.
bool anyNode(const Graph *graph, const std::function<bool(const Node *)> &visit) {
  for (const Node *node = graph->front(); node; node = node->next()) {
    if (visit(node))
      return true;
    for (const Graph *inner : node->subgraphs())
      if (anyNode(inner, visit))
        return true;
  }
  return false;
}

/// Calls `visit` with the nodes of the root that holds `graph`, and of the other graphs of its
/// module, until it returns true. O(nodes of the module).
bool anyNodeOfModel(const Graph *graph, const std::function<bool(const Node *)> &visit) {
  const Graph *root = graph->root().graph();
  if (anyNode(root, visit))
    return true;
  const Module *module = root->module();
  if (!module)
    return false;
  ModuleReadAccess access(*module);
  for (size_t i = 0; i != module->numGraphs(); ++i) {
    ReadAccess reading(module->graph(i)->root(), true);
    if (module->graph(i) != root && anyNode(module->graph(i), visit))
      return true;
  }
  return false;
}

} // namespace

std::string structureFault(const Node *node, std::span<Node *const> made) {
  VerifyOptions options;
  Checker checker(node->graph(), options, Checker::Scope::Structure);
  checker.setKnownOperators([&](const OperatorName *op) {
    std::unordered_set<const Node *> others(made.begin(), made.end());
    others.insert(node);
    return anyNodeOfModel(node->graph(), [&](const Node *each) {
      return each->op() == op && !others.contains(each);
    });
  });
  checker.checkOne(node);
  return checker.firstError();
}

/// The operators that nodes had before the marks: those may have been copied, moved or erased
/// since. O(nodes + edits).
static std::unordered_set<const OperatorName *> operatorsBefore(std::span<const EditMark> marks) {
  std::unordered_set<const Node *> made;
  std::unordered_set<const OperatorName *> operators;
  for (const EditMark &mark : marks)
    forEachNodeEdit(mark, [&](const NodeEdit &edit) {
      if (edit.kind == NodeEdit::Kind::Made)
        made.insert(edit.node);
    });
  auto add = [&](const Node *node) {
    if (!made.contains(node))
      operators.insert(node->op());
    return false;
  };
  for (const EditMark &mark : marks) {
    forEachNodeEdit(
        mark,
        [&](const NodeEdit &edit) {
          if (edit.kind == NodeEdit::Kind::Erased)
            add(edit.node);
        },
        true);
    anyNodeOfModel(mark.root->graph(), add);
  }
  return operators;
}

std::vector<Diagnostic> definitionFaultsOfEdits(std::span<const EditMark> marks) {
  std::vector<Diagnostic> faults;
  std::optional<std::unordered_set<const OperatorName *>> before; // computed at first use
  VerifyOptions options;
  for (const EditMark &mark : marks) {
    std::optional<std::unordered_set<const Node *>> seen; // once asked for
    auto isSeen = [&](const Node *node) {
      if (!seen) {
        seen.emplace();
        forEachNodeEdit(mark, [&](const NodeEdit &edit) {
          if (edit.kind == NodeEdit::Kind::Made)
            seen->insert(edit.node);
        });
      }
      return seen->contains(node);
    };
    std::set<std::pair<const Node *, uint32_t>> attributes;
    Checker checker(mark.root->graph(), options, Checker::Scope::Structure);
    checker.setKnownOperators([&](const OperatorName *op) {
      if (!before)
        before = operatorsBefore(marks);
      return before->contains(op);
    });
    forEachNodeEdit(mark, [&](const NodeEdit &edit) {
      const Node *node = edit.node;
      if (!node->isListed())
        return;
      if (edit.kind == NodeEdit::Kind::Made) { // once, and before other edits of it
        checker.checkOne(node);
      } else if (node->op()->str() == kConstant) {
        if (!isSeen(node)) {
          seen->insert(node);
          checker.checkOne(node);
        }
      } else if (edit.kind == NodeEdit::Kind::Attribute && !isSeen(node) &&
                 attributes.emplace(node, edit.attribute).second) {
        checker.checkAttribute(node, edit.attribute);
      }
    });
    std::ranges::move(checker.takeDiagnostics(), std::back_inserter(faults));
  }
  return faults;
}

} // namespace ge
