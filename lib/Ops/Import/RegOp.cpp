//===- RegOp.cpp - the parser of REG_OP prototypes --------------------------------------------===//
#include "ge/Ops/Import/RegOp.h"

#include "../Schema/SchemaScanner.h"
#include "../Schema/SchemaWords.h"
#include "RegOpDocs.h"
#include "RegOpScanner.h"
#include "RegOpTypes.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <climits>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace ge {
namespace {

using regop::Token;
using regop::TokenKind;

/// What is wrong, and where; caught by the loop over prototypes.
struct Fault : std::exception {
  Fault(size_t offset, std::string message) : offset(offset), message(std::move(message)) {}
  size_t offset;
  std::string message;
};

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
constexpr std::pair<std::string_view, int64_t> kNumberWords[] = {
    {"INT_MAX", INT_MAX},     {"INT_MIN", INT_MIN},     {"INT32_MAX", INT32_MAX},
    {"INT32_MIN", INT32_MIN}, {"INT64_MAX", INT64_MAX}, {"INT64_MIN", INT64_MIN},
};

// What graph/types.h has for ListInt.
constexpr std::pair<std::string_view, int64_t> kListWords[] = {
    {"UNKNOWN_SHAPE", -1},
    {"UNKNOWN_RANK", -2},
};

/// The second argument of INPUT, OUTPUT and DATATYPE.
struct Types {
  bool isAny = false;        ///< ALL
  bool isPerElement = false; ///< ListTensorType: the elements of a list may differ
  std::vector<DType> dtypes;
  std::vector<std::string_view> symbols; ///< of DATATYPE; several in Promote
  size_t offset = 0;
};

class RegOpParser {
public:
  RegOpParser(std::string_view text, const SchemaSource &source, RegOps &out)
      : text_(text), source_(source), out_(out), scanner_(text), line_(source.line) {
    advance();
  }

  void run() {
    readAll();
    reportUnterminated();
  }

private:
  void readAll() {
    while (token_.kind != TokenKind::End) {
      bool isPrototype = token_.kind == TokenKind::Word && token_.text == "REG_OP";
      size_t begin = scanner_.offset(token_);
      std::string_view comment = scanner_.docComment();
      advance();
      if (!isPrototype)
        continue;
      try {
        readPrototype(begin, comment);
      } catch (const Fault &fault) {
        report(fault, Severity::Error);
        if (++numErrors_ + 1 < kMaxRegOpDiagnostics)
          continue;
        reportEnd("too many errors; the rest of the text was not read");
        return;
      }
    }
  }

  /// How many prototypes text that was stepped over may hold.
  static size_t countPrototypes(std::string_view text) {
    size_t count = 0;
    for (size_t at = 0; (at = text.find("REG_OP", at)) != text.npos; at += 6) {
      bool isWord = (at == 0 || !schema::isWordPart(text[at - 1])) &&
                    (at + 6 == text.size() || !schema::isWordPart(text[at + 6]));
      count += isWord;
    }
    return count;
  }

  /// What follows a missing `*/` or quote is not C++ any more: it is skipped, and that is an error.
  void reportUnterminated() {
    if (scanner_.unterminated().empty())
      return;
    spec_ = {};
    located_ = lineBegin_ = 0; // they stand before what has been reported
    line_ = source_.line;
    size_t count = 0;
    for (const regop::Unterminated &part : scanner_.unterminated()) {
      size_t skipped = countPrototypes(text_.substr(part.begin, part.end - part.begin));
      report(Fault(part.begin, cat("the ", part.what, " is not terminated; ",
                                   part.what == std::string_view("string") ? "the rest of the line"
                                                                           : "the rest of the text",
                                   " was skipped, and REG_OP is ", skipped, " times in it")),
             Severity::Error);
      if (++count == kMaxRegOpDiagnostics)
        break;
    }
    std::ranges::stable_sort(out_.diagnostics, {},
                             [](const Diagnostic &d) { return std::pair(d.line, d.column); });
  }

  //===---------------------------------------------------------------------------------------===//
  // Tokens
  //===---------------------------------------------------------------------------------------===//

  void advance() { token_ = scanner_.next(); }
  [[noreturn]] void fail(const Token &at, std::string message) const {
    throw Fault(scanner_.offset(at), std::move(message));
  }
  [[noreturn]] void failExpected(std::string_view what) const {
    if (token_.kind == TokenKind::End)
      fail(token_, cat("expected ", what, ", found the end"));
    if (token_.kind != TokenKind::Word && !isValidUtf8(token_.text))
      fail(token_, cat("expected ", what, ", found what is not UTF-8"));
    fail(token_, cat("expected ", what, ", found '", token_.text, '\''));
  }
  bool accept(char c) {
    if (!token_.isMark(c))
      return false;
    advance();
    return true;
  }
  void expect(char c, std::string_view where) {
    if (!accept(c))
      failExpected(cat('\'', c, "' ", where));
  }
  Token expectWord(std::string_view what) {
    if (token_.kind != TokenKind::Word)
      failExpected(what);
    Token word = token_;
    advance();
    return word;
  }

  /// Line and column of an offset. Offsets must not fall: each byte is looked at once.
  void locate(size_t offset) {
    std::string_view before = text_.substr(0, offset);
    for (size_t at = located_; (at = before.find('\n', at)) != before.npos; ++line_)
      lineBegin_ = ++at;
    located_ = offset;
  }

  void report(const Fault &fault, Severity severity) {
    locate(fault.offset);
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.file = source_.file;
    diagnostic.line = line_;
    diagnostic.column = uint32_t(fault.offset - lineBegin_ + 1);
    diagnostic.message = spec_.name.empty() ? fault.message : cat(spec_.name, ": ", fault.message);
    constexpr size_t kLongestMessage = 400; // names may be long
    if (diagnostic.message.size() > kLongestMessage)
      diagnostic.message.replace(kLongestMessage, std::string::npos, "...");
    std::string_view line = text_.substr(lineBegin_, text_.find('\n', lineBegin_) - lineBegin_);
    constexpr size_t kLongestLine = 1000;
    if (line.size() <= kLongestLine && isValidUtf8(line))
      diagnostic.sourceLine = line;
    out_.diagnostics.push_back(std::move(diagnostic));
  }
  void reportEnd(std::string message, Severity severity = Severity::Error) {
    Diagnostic last;
    last.severity = severity;
    last.file = source_.file;
    last.line = line_;
    last.message = std::move(message);
    out_.diagnostics.push_back(std::move(last));
  }

  /// A C++ compiler never looks at the types of an operand: INPUT drops them. So headers have
  /// misspelled ones, and an operator is not lost for that.
  void warn(size_t offset, std::string message) {
    if (numWarnings_ + warnings_.size() < kMaxRegOpDiagnostics)
      warnings_.emplace_back(offset, std::move(message));
  }
  void reportWarnings() {
    std::ranges::stable_sort(warnings_, {}, &Fault::offset);
    for (const Fault &fault : warnings_)
      report(fault, Severity::Warning);
    numWarnings_ += warnings_.size();
    if (!warnings_.empty() && numWarnings_ == kMaxRegOpDiagnostics)
      reportEnd("further warnings are not listed", Severity::Warning);
    warnings_.clear();
  }

  //===---------------------------------------------------------------------------------------===//
  // A prototype
  //===---------------------------------------------------------------------------------------===//

  void readPrototype(size_t begin, std::string_view comment) {
    locate(begin);
    spec_ = {};
    graphs_.clear();
    attributes_.clear();
    inputNames_.clear();
    outputNames_.clear();
    variables_.clear();
    pending_.clear();
    warnings_.clear();
    spec_.source = {std::string(source_.file), line_};
    expect('(', "after REG_OP");
    spec_.name = expectWord("the operator's name").text;
    expect(')', "after the operator's name");
    while (readClause()) {
    }
    finish(comment);
    reportWarnings();
    out_.specs.push_back(std::move(spec_));
    spec_ = {};
  }

  /// False at the last one.
  bool readClause() {
    expect('.', cat("before a clause; OP_END_FACTORY_REG(", spec_.name, ") ends the prototype"));
    Token word = expectWord("a clause");
    auto found = std::find_if(std::begin(kClauses), std::end(kClauses),
                              [&](const auto &row) { return row.first == word.text; });
    if (found == std::end(kClauses))
      failClause(word);
    expect('(', cat("after ", word.text));
    Token name = expectWord("a name");
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
        fail(name, cat("the prototype of '", spec_.name, "' ends as '", name.text, '\''));
      break;
    }
    expect(')', cat("at the end of ", word.text));
    return found->second != Clause::End;
  }

  [[noreturn]] void failClause(const Token &word) const {
    std::string_view words[std::size(kClauses)];
    std::transform(std::begin(kClauses), std::end(kClauses), words,
                   [](const auto &row) { return row.first; });
    // Comparing is quadratic.
    std::string_view start = word.text.substr(0, 40);
    auto near = nearestWord(start, words, std::size(words));
    fail(word, near ? cat("there is no clause '", word.text, "'; did you mean '", *near, "'?")
                    : cat("there is no clause '", word.text, '\''));
  }

  void addInputName(const Token &name) {
    if (!inputNames_.insert(name.text).second)
      fail(name, cat("there are two parameters called '", name.text, '\''));
  }

  void readInput(const Token &name, Clause clause) {
    addInputName(name);
    Param &param = spec_.params.emplace_back();
    param.name = name.text;
    const SchemaType *tensor = SchemaType::tensor();
    param.type = clause == Clause::Input           ? tensor
                 : clause == Clause::OptionalInput ? SchemaType::optional(tensor)
                                                   : SchemaType::list(tensor);
    pending_.push_back({true, spec_.params.size() - 1, readSlotTypes()});
  }

  void readOutput(const Token &name, Clause clause) {
    if (!outputNames_.insert(name.text).second)
      fail(name, cat("there are two results called '", name.text, '\''));
    Result &result = spec_.results.emplace_back();
    result.name = name.text;
    const SchemaType *tensor = SchemaType::tensor();
    result.type = clause == Clause::Output ? tensor : SchemaType::list(tensor);
    pending_.push_back({false, spec_.results.size() - 1, readSlotTypes()});
  }

  void readGraph(const Token &name, bool isList) {
    addInputName(name);
    Param &param = graphs_.emplace_back();
    param.name = name.text;
    const SchemaType *graph = SchemaType::get(SchemaAtom::Graph);
    param.type = isList ? SchemaType::list(graph) : graph;
  }

  //===---------------------------------------------------------------------------------------===//
  // Types
  //===---------------------------------------------------------------------------------------===//

  Types readSlotTypes() {
    expect(',', "before the types");
    return readTypes();
  }

  /// All spellings: `DT_FLOAT`, `TensorType({DT_FLOAT, NumberType()})`, `TensorType::ALL()`, "T",
  /// `ListTensorType("T")`, `Promote({"T1", "T2"})`. Ends before the comma or bracket that is not
  /// its own.
  Types readTypes() {
    Types types;
    types.offset = scanner_.offset(token_);
    std::bitset<size_t(DType::Count_)> seen;
    auto add = [&](DType dtype) {
      if (!seen[size_t(dtype)])
        types.dtypes.push_back(dtype);
      seen.set(size_t(dtype));
    };
    // As the preprocessor does: only brackets have to be in pairs.
    for (size_t depth = 0;; advance()) {
      if (token_.isMark('('))
        ++depth;
      else if (token_.isMark(')')) {
        if (depth == 0)
          break;
        --depth;
      } else if (token_.isMark(',')) {
        if (depth == 0)
          break;
      } else if (token_.isMark('{') || token_.isMark('}'))
        continue;
      else if (token_.kind == TokenKind::Word)
        takeTypeWord(types, add);
      else if (token_.kind == TokenKind::String)
        types.symbols.push_back(quotedSymbol());
      else if (!token_.isMark(':'))
        failExpected("types");
    }
    if (!types.isAny && types.dtypes.empty() && types.symbols.empty())
      failExpected("types");
    return types;
  }

  /// What a string says, which must be a word.
  std::string_view quotedSymbol() const {
    std::string_view text = token_.text;
    std::string_view word = text.substr(1, std::max<size_t>(text.size(), 2) - 2);
    if (word.empty() || !std::all_of(word.begin(), word.end(), schema::isWordPart))
      failExpected("types");
    return word;
  }

  template <typename Add> void takeTypeWord(Types &types, const Add &add) {
    std::string_view word = token_.text;
    if (word == "TensorType" || word == "ge" || word == "Promote")
      return;
    if (word == "ListTensorType") {
      types.isPerElement = true;
      return;
    }
    if (std::optional<DType> dtype = regop::elementType(word))
      return add(*dtype);
    bool known;
    std::span<const DType> family = regop::typeFamily(word, known);
    if (known) {
      types.isAny |= family.empty();
      for (DType dtype : family)
        add(dtype);
      return;
    }
    // Some headers write `.INPUT(axes, ListInt)`.
    if (regop::attributeType(word)) {
      types.isAny = true;
      return;
    }
    if (word.starts_with("DT_")) {
      warn(scanner_.offset(token_),
           cat("'", word, "' is not an element type of CANN; any is allowed"));
      types.isAny = true;
      return;
    }
    types.symbols.push_back(word);
  }

  void readDataType(const Token &name) {
    Types types = readSlotTypes();
    TypeVar variable;
    variable.name = name.text;
    fillAllowed(variable, types);
    for (std::string_view symbol : types.symbols)
      variable.doc +=
          cat(variable.doc.empty() ? "The type that these are promoted to: " : ", ", symbol);
    if (!variables_.emplace(name.text, Variable{spec_.typeVars.size(), types.isPerElement}).second)
      fail(name, cat("there are two type symbols called '", name.text, '\''));
    spec_.typeVars.push_back(std::move(variable));
  }

  static void fillAllowed(TypeVar &variable, const Types &types) {
    if (types.isAny)
      return;
    for (DType dtype : types.dtypes)
      variable.allowed.push_back(tensorConstraint(dtype));
  }

  /// After the last clause: a symbol may come before its DATATYPE.
  void resolve(Slot &slot, const Types &types) {
    if (!types.symbols.empty()) {
      auto found = variables_.find(types.symbols.front());
      if (types.symbols.size() == 1 && found != variables_.end()) {
        slot.typeVar = int32_t(found->second.index);
        slot.homogeneous = !found->second.isPerElement;
        return;
      }
      warn(types.offset, cat("'", slot.name, "' has the type '", types.symbols.back(),
                             "', for which there is no DATATYPE; any is allowed"));
    }
    // Its own list of types says nothing about the elements being of one type.
    slot.homogeneous = !slot.isVariadic();
    if (types.isAny || !types.symbols.empty())
      return;
    TypeVar variable;
    variable.name = slot.name;
    fillAllowed(variable, types);
    slot.typeVar = int32_t(spec_.typeVars.size());
    spec_.typeVars.push_back(std::move(variable));
  }

  //===---------------------------------------------------------------------------------------===//
  // Attributes
  //===---------------------------------------------------------------------------------------===//

  void readAttribute(const Token &name, bool isRequired) {
    addInputName(name);
    expect(',', "before the attribute's type");
    Token word = expectWord("the attribute's type");
    Param &param = attributes_.emplace_back();
    param.name = name.text;
    param.kwOnly = true;
    param.type = regop::attributeType(word.text);
    if (!param.type)
      failAttributeType(word);
    if (isRequired)
      return;
    expect(',', cat("before the default of '", name.text, '\''));
    param.defaultValue.emplace();
    if (hasNoLiteral(param.type)) {
      skipValue();
      param.type = SchemaType::optional(param.type);
    } else
      param.defaultValue->value = readConstant(param.type);
  }

  [[noreturn]] void failAttributeType(const Token &word) const {
    auto near = regop::nearestAttributeType(word.text);
    fail(word,
         near ? cat("'", word.text, "' is not a type of an attribute; did you mean '", *near, "'?")
              : cat("'", word.text, "' is not a type of an attribute"));
  }

  /// Tensors and dictionaries: their default is an object made by a constructor.
  static bool hasNoLiteral(const SchemaType *type) {
    return type->is(SchemaAtom::TensorLiteral) || type->is(SchemaAtom::Bytes) ||
           type->kind() == SchemaTypeKind::Dict;
  }
  void skipValue() {
    for (size_t depth = 0; token_.kind != TokenKind::End; advance()) {
      bool closes = token_.isMark(')') || token_.isMark('}');
      if (depth == 0 && (closes || token_.isMark(',')))
        return;
      depth += token_.isMark('(') || token_.isMark('{');
      depth -= closes;
    }
  }

  /// Recurses as deep as the type.
  Constant readConstant(const SchemaType *type) {
    if (type->isList())
      return readList(type->element());
    switch (type->atom()) {
    case SchemaAtom::Int:
      return Constant::number(readInt());
    case SchemaAtom::Float:
      return Constant::number(readFloat());
    case SchemaAtom::Bool:
      return Constant::boolean(readBool());
    case SchemaAtom::Str:
      return Constant::string(readString());
    case SchemaAtom::ScalarType: {
      skipPrefix();
      Token word = expectWord("an element type");
      if (!regop::elementType(word.text))
        fail(word, cat("'", word.text, "' is not an element type of CANN"));
      int64_t number = schema::numberOfWord(word.text, SchemaAtom::ScalarType).value_or(-1);
      return Constant::ident(word.text, number);
    }
    default:
      failExpected("no default: there is no way to write one of this type");
    }
  }

  Constant readList(const SchemaType *element) {
    skipPrefix();
    for (auto [known, value] : kListWords)
      if (token_.text == known && element->is(SchemaAtom::Int)) {
        advance();
        return Constant::list({Constant::number(value)});
      }
    expect('{', "before the elements");
    std::vector<Constant> items;
    while (!accept('}')) {
      if (hasNoLiteral(element))
        failExpected("'}'");
      items.push_back(readConstant(element));
      if (!accept(',') && !token_.isMark('}'))
        failExpected("',' or '}' after an element");
    }
    return Constant::list(std::move(items));
  }

  void skipPrefix() {
    if (token_.kind == TokenKind::Word && token_.text == "ge") {
      advance();
      expect(':', "after ge");
      expect(':', "after ge");
    }
  }
  bool readSign() {
    if (accept('-'))
      return true;
    accept('+');
    return false;
  }

  int64_t readInt() {
    Token first = token_;
    bool isNegative = readSign();
    skipPrefix();
    if (token_.kind == TokenKind::Word) {
      Token word = expectWord("an integer");
      if (std::optional<DType> dtype = regop::elementType(word.text); dtype && !isNegative)
        return info(*dtype).cann;
      for (auto [known, value] : kNumberWords)
        if (known == word.text && (!isNegative || value > 0))
          return isNegative ? -value : value;
      fail(word, cat("'", word.text, "' is not an integer"));
    }
    if (token_.kind != TokenKind::Number)
      failExpected("an integer");
    std::string_view digits = token_.text;
    while (!digits.empty() && std::string_view("uUlL").find(digits.back()) != digits.npos)
      digits.remove_suffix(1);
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits.front() == '0')
      base = 8;
    uint64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    uint64_t limit = uint64_t(INT64_MAX) + isNegative;
    if (error == std::errc::result_out_of_range || (error == std::errc() && value > limit))
      fail(first, "the number does not fit 64 bits");
    if (error != std::errc() || end != digits.data() + digits.size())
      failExpected("an integer");
    advance();
    return isNegative ? int64_t(0 - value) : int64_t(value);
  }

  /// `1.f / 16` too.
  double readFloat() {
    double value = readNumber();
    for (; accept('/'); value /= readNumber()) {
    }
    if (!std::isfinite(value))
      failExpected("the end of a number that fits a double");
    return value;
  }

  double readNumber() {
    bool isNegative = readSign();
    if (token_.kind != TokenKind::Number)
      failExpected("a number");
    std::string_view digits = token_.text;
    if (digits.ends_with('f') || digits.ends_with('F'))
      digits.remove_suffix(1);
    double value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
      fail(token_, "the number does not fit a double");
    if (error != std::errc() || end != digits.data() + digits.size())
      failExpected("a number");
    advance();
    return isNegative ? -value : value;
  }

  bool readBool() {
    std::string_view text = token_.text;
    bool isTrue = text == "true" || text == "True" || text == "1";
    if (!isTrue && text != "false" && text != "False" && text != "0")
      failExpected("true or false");
    advance();
    return isTrue;
  }

  std::string readString() {
    if (token_.kind != TokenKind::String || token_.text.front() != '"')
      failExpected("a string");
    std::string text;
    for (; token_.kind == TokenKind::String && token_.text.front() == '"'; advance())
      text += regop::unquoted(token_.text);
    if (!isValidUtf8(text))
      failExpected("a string in UTF-8 before this");
    return text;
  }

  //===---------------------------------------------------------------------------------------===//
  // The end
  //===---------------------------------------------------------------------------------------===//

  void finish(std::string_view comment) {
    for (const Pending &slot : pending_)
      resolve(slot.isParam ? static_cast<Slot &>(spec_.params[slot.index])
                           : static_cast<Slot &>(spec_.results[slot.index]),
              slot.types);
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
    regop::readDocs(comment, spec_);
  }

  /// CANN's references: an output with an input's name is that input, written to.
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

  struct Variable {
    size_t index;
    bool isPerElement;
  };
  struct Pending {
    bool isParam;
    size_t index;
    Types types;
  };

  std::string_view text_;
  SchemaSource source_;
  RegOps &out_;
  regop::RegOpScanner scanner_;
  Token token_;
  size_t lineBegin_ = 0, located_ = 0;
  size_t numErrors_ = 0, numWarnings_ = 0;
  uint32_t line_;
  // Of the prototype at hand.
  OpSpec spec_;
  std::vector<Param> graphs_, attributes_;
  std::unordered_set<std::string_view> inputNames_, outputNames_;
  std::unordered_map<std::string_view, Variable> variables_;
  std::vector<Pending> pending_; ///< whose types wait for the symbols
  std::vector<Fault> warnings_;
};

} // namespace

RegOps readRegOps(std::string_view text, const SchemaSource &source) {
  RegOps out;
  RegOpParser(text, source, out).run();
  return out;
}

} // namespace ge
