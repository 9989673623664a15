//===- RegOp.cpp - the parser of REG_OP prototypes ---------------------------------------------===//
#include "ge/Ops/Import/RegOp.h"

#include "RegOpDefaults.h"
#include "RegOpDocs.h"
#include "RegOpReport.h"
#include "RegOpSlotTypes.h"
#include "RegOpTypes.h"

#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ge::regop {
namespace {

enum class Clause : uint8_t {
  Input,
  OptionalInput,
  DynamicInput,
  Output,
  DynamicOutput,
  Attr,
  RequiredAttr,
  Graph,
  DynamicGraph,
  DataType,
  End,
};
constexpr std::pair<std::string_view, Clause> kClauses[] = {
    {"INPUT", Clause::Input},
    {"OPTIONAL_INPUT", Clause::OptionalInput},
    {"DYNAMIC_INPUT", Clause::DynamicInput},
    {"OUTPUT", Clause::Output},
    {"DYNAMIC_OUTPUT", Clause::DynamicOutput},
    {"ATTR", Clause::Attr},
    {"REQUIRED_ATTR", Clause::RequiredAttr},
    {"GRAPH", Clause::Graph},
    {"DYNAMIC_GRAPH", Clause::DynamicGraph},
    {"DATATYPE", Clause::DataType},
    {"OP_END_FACTORY_REG", Clause::End},
};

class RegOpParser {
public:
  RegOpParser(std::string_view text, const SchemaSource &source, RegOps &out)
      : source_(source), out_(out), cursor_(text), report_(text, source, out.diagnostics) {}

  void run() {
    readAll();
    report_.addUnread(cursor_.unterminated(), cursor_.leftOut());
  }

private:
  void readAll() {
    while (!cursor_.isKind(TokenKind::End)) {
      bool isPrototype = cursor_.isKind(TokenKind::Word) && cursor_.token().text == "REG_OP";
      size_t begin = cursor_.offset();
      std::string_view comment = cursor_.docComment();
      cursor_.advance();
      if (!isPrototype)
        continue;
      try {
        readPrototype(begin, comment);
      } catch (const Fault &fault) {
        if (!report_.error(fault))
          return;
      }
    }
  }

  void readPrototype(size_t begin, std::string_view comment) {
    spec_ = {};
    graphs_.clear();
    attributes_.clear();
    inputNames_.clear();
    outputNames_.clear();
    symbols_.clear();
    pending_.clear();
    report_.begin({});
    spec_.source = {std::string(source_.file), report_.locate(begin)};
    cursor_.expect('(', "after REG_OP");
    spec_.name = cursor_.expectWord("the operator's name").text;
    report_.begin(spec_.name);
    cursor_.expect(')', "after the operator's name");
    while (readClause()) {
    }
    finish(comment);
    report_.finish();
    out_.specs.push_back(std::move(spec_));
  }

  /// Returns false after the last clause.
  bool readClause() {
    cursor_.expect('.',
                   cat("before a clause; OP_END_FACTORY_REG(", spec_.name, ") ends the prototype"));
    Token word = cursor_.expectWord("a clause");
    auto found = std::find_if(std::begin(kClauses), std::end(kClauses),
                              [&](const auto &row) { return row.first == word.text; });
    if (found == std::end(kClauses))
      failClause(word);
    cursor_.expect('(', cat("after ", word.text));
    Token name = cursor_.expectWord("a name");
    switch (found->second) {
    case Clause::Input:
    case Clause::OptionalInput:
    case Clause::DynamicInput:
      readInput(name, found->second);
      break;
    case Clause::Output:
    case Clause::DynamicOutput:
      readOutput(name, found->second);
      break;
    case Clause::Attr:
    case Clause::RequiredAttr:
      readAttribute(name, found->second == Clause::RequiredAttr);
      break;
    case Clause::Graph:
    case Clause::DynamicGraph:
      readGraph(name, found->second == Clause::DynamicGraph);
      break;
    case Clause::DataType:
      readDataType(name);
      break;
    case Clause::End:
      if (name.text != spec_.name)
        cursor_.fail(name, cat("the prototype of '", spec_.name, "' ends as '", name.text, '\''));
      break;
    }
    cursor_.expect(')', cat("at the end of ", word.text));
    return found->second != Clause::End;
  }

  [[noreturn]] void failClause(const Token &word) const {
    std::string_view words[std::size(kClauses)];
    std::transform(std::begin(kClauses), std::end(kClauses), words,
                   [](const auto &row) { return row.first; });
    // The comparison is quadratic in the length.
    std::string_view start = word.text.substr(0, 40);
    auto near = nearestWord(start, words, std::size(words));
    cursor_.fail(word,
                 near ? cat("there is no clause '", word.text, "'; did you mean '", *near, "'?")
                      : cat("there is no clause '", word.text, '\''));
  }

  void addInputName(const Token &name) {
    if (!inputNames_.insert(name.text).second)
      cursor_.fail(name, cat("there are two parameters called '", name.text, '\''));
  }

  void readInput(const Token &name, Clause clause) {
    addInputName(name);
    Param &param = spec_.params.emplace_back();
    param.name = name.text;
    const SchemaType *tensor = SchemaType::tensor();
    param.type = clause == Clause::Input           ? tensor
                 : clause == Clause::OptionalInput ? SchemaType::optional(tensor)
                                                   : SchemaType::list(tensor);
    pending_.push_back({true, spec_.params.size() - 1, readSlotTypes(cursor_, report_)});
  }

  void readOutput(const Token &name, Clause clause) {
    if (!outputNames_.insert(name.text).second)
      cursor_.fail(name, cat("there are two results called '", name.text, '\''));
    Result &result = spec_.results.emplace_back();
    result.name = name.text;
    const SchemaType *tensor = SchemaType::tensor();
    result.type = clause == Clause::Output ? tensor : SchemaType::list(tensor);
    pending_.push_back({false, spec_.results.size() - 1, readSlotTypes(cursor_, report_)});
  }

  void readGraph(const Token &name, bool isList) {
    addInputName(name);
    Param &param = graphs_.emplace_back();
    param.name = name.text;
    const SchemaType *graph = SchemaType::get(SchemaAtom::Graph);
    param.type = isList ? SchemaType::list(graph) : graph;
  }

  void readDataType(const Token &name) {
    SlotTypes types = readSlotTypes(cursor_, report_);
    if (!symbols_.declare(name.text, types, spec_))
      cursor_.fail(name, cat("there are two type symbols called '", name.text, '\''));
  }

  void readAttribute(const Token &name, bool isRequired) {
    addInputName(name);
    cursor_.expect(',', "before the attribute's type");
    Token word = cursor_.expectWord("the attribute's type");
    Param &param = attributes_.emplace_back();
    param.name = name.text;
    param.kwOnly = true;
    param.type = attributeType(word.text);
    if (!param.type)
      failAttributeType(word);
    if (isRequired)
      return;
    cursor_.expect(',', cat("before the default of '", name.text, '\''));
    param.defaultValue.emplace();
    if (hasNoLiteral(param.type)) {
      skipDefault(cursor_);
      param.type = SchemaType::optional(param.type);
    } else
      param.defaultValue->value = readDefault(cursor_, param.type);
  }

  [[noreturn]] void failAttributeType(const Token &word) const {
    auto near = nearestAttributeType(word.text);
    cursor_.fail(word, near ? cat("'", word.text, "' is not a type of an attribute; did you mean '",
                                  *near, "'?")
                            : cat("'", word.text, "' is not a type of an attribute"));
  }

  //===---------------------------------------------------------------------------------------===//
  // The end of a prototype
  //===---------------------------------------------------------------------------------------===//

  void finish(std::string_view comment) {
    for (const Pending &slot : pending_)
      symbols_.resolve(slot.isParam ? static_cast<Slot &>(spec_.params[slot.index])
                                    : static_cast<Slot &>(spec_.results[slot.index]),
                       slot.types, spec_, report_);
    addAliases();
    std::move(graphs_.begin(), graphs_.end(), std::back_inserter(spec_.params));
    bool isRequiredAfter = false;
    for (size_t i = spec_.params.size(); i-- > 0;) {
      Param &param = spec_.params[i];
      isRequiredAfter |= !param.type->isOptional();
      if (!isRequiredAfter)
        param.defaultValue = DefaultValue{Constant::none(), {}};
    }
    std::move(attributes_.begin(), attributes_.end(), std::back_inserter(spec_.params));
    readDocs(comment, spec_);
  }

  /// CANN's references: an output with the name of an input aliases that input and writes it.
  void addAliases() {
    std::unordered_map<std::string_view, Param *> inputs;
    for (Param &param : spec_.params)
      inputs.emplace(param.name, &param);
    size_t count = 0;
    for (Result &result : spec_.results) {
      auto found = inputs.find(result.name);
      if (found == inputs.end() || found->second->type != result.type ||
          !result.type->is(SchemaAtom::Tensor))
        continue;
      auto alias = std::make_shared<AliasInfo>();
      alias->before.push_back(cat("a", count++));
      alias->after = alias->before;
      alias->isWrite = true;
      result.alias = found->second->alias = std::move(alias);
    }
  }

  struct Pending {
    bool isParam;
    size_t index;
    SlotTypes types;
  };

  const SchemaSource &source_;
  RegOps &out_;
  RegOpCursor cursor_;
  RegOpReport report_;
  // The current prototype:
  OpSpec spec_;
  std::vector<Param> graphs_, attributes_;
  std::unordered_set<std::string_view> inputNames_, outputNames_;
  TypeSymbols symbols_;
  std::vector<Pending> pending_; ///< slots whose types are resolved after the last clause
};

} // namespace
} // namespace ge::regop

namespace ge {

RegOps readRegOps(std::string_view text, const SchemaSource &source) {
  RegOps out;
  regop::RegOpParser(text, source, out).run();
  return out;
}

} // namespace ge
