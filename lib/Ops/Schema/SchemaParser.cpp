//===- SchemaParser.cpp - schema text -> OpSpec -----------------------------------------------===//
//
// One pass over the characters, without tokens. The grammar is in docs/schema.md; a function below
// for each of its rules.
//
#include "SchemaScanner.h"

#include <algorithm>
#include <array>

namespace ge {

using schema::isLower;
using schema::isWordStart;
using schema::SchemaScanner;

namespace {

/// Common names of types that have another name here, and what PyTorch takes for type
/// variables without a warning.
struct Mistake {
  std::string_view word, meant;
};
constexpr Mistake kMistakes[] = {
    {"string", "str"},     {"boolean", "bool"},     {"integer", "int"},      {"double", "float"},
    {"long", "int"},       {"tensor", "Tensor"},    {"dtype", "ScalarType"}, {"object", "Any"},
    {"any", "Any"},        {"graph", "Graph"},      {"String", "str"},       {"Int", "int"},
    {"Float", "float"},    {"Bool", "bool"},        {"bytes", "Bytes"},      {"device", "Device"},
    {"number_", "Scalar"}, {"DType", "ScalarType"}, {"optional", "T?"},      {"Optional", "T?"},
    {"List", "T[]"},       {"Tuple", "(T1, T2)"},   {"dict", "Dict(K, V)"},
};

/// A type and the text in parentheses after its parts.
struct Annotated {
  const SchemaType *type;
  AliasInfo alias;
};

class Parser {
public:
  Parser(std::string_view text, const SchemaSource &source)
      : scanner_(text, source), source_(source), length_(text.size()) {}

  OpSpec schema(OpNameParts *nameOnly) {
    OpSpec spec;
    scanner_.skipSpace();
    spec.source.line = scanner_.lineOf(scanner_.position());
    spec.source.file = source_.file;
    OpNameParts name = operatorName();
    if (nameOnly) {
      scanner_.skipSpace();
      if (scanner_.atEnd()) {
        *nameOnly = std::move(name);
        return spec;
      }
    }
    spec.ns = std::move(name.ns);
    spec.name = std::move(name.name);
    spec.overload = std::move(name.overload);
    parameters(spec);
    if (!scanner_.accept("->"))
      scanner_.failExpected("'->' and the results");
    results(spec);
    end();
    return spec;
  }

  const SchemaType *typeAlone() {
    scanner_.skipSpace();
    const char *start = scanner_.position();
    Annotated annotated = type(1);
    if (!annotated.alias.isEmpty())
      scanner_.fail(start, "a type alone has no aliases");
    end();
    return annotated.type;
  }

private:
  void end() {
    scanner_.skipSpace();
    if (!scanner_.atEnd())
      scanner_.failExpected("the end of the schema");
  }

  // --- Names

  /// name ::= (word ('.' word)* '::')? word ('.' word)?
  OpNameParts operatorName() {
    OpNameParts parts;
    scanner_.skipSpace();
    const char *start = scanner_.position();
    std::string first(needWord("the name of an operator"));
    const char *lastDot = nullptr;
    std::string last;
    while (scanner_.accept('.')) {
      if (lastDot)
        first.append(1, '.').append(last);
      lastDot = scanner_.position() - 1;
      last = needWord("a name after '.'");
    }
    if (scanner_.accept("::")) {
      parts.ns = std::move(first);
      if (lastDot)
        parts.ns.append(1, '.').append(last);
      parts.name = needWord("the name of an operator after '::'");
      if (scanner_.accept('.')) {
        start = scanner_.position();
        parts.overload = needWord("the name of an overload after '.'");
      }
    } else {
      if (first.find('.') != std::string::npos)
        scanner_.fail(lastDot, "a namespace ends with '::'");
      parts.name = std::move(first);
      parts.overload = std::move(last);
    }
    if (parts.overload == "default")
      scanner_.fail(start,
                    "no overload may be called 'default': it is the name of the one without");
    return parts;
  }

  std::string_view needWord(std::string_view what) {
    std::string_view word = scanner_.word();
    if (word.empty())
      scanner_.failExpected(what);
    return word;
  }

  // --- Parameters

  /// parameters ::= '(' (parameter | '*') (',' ...)* ')', `...` last
  void parameters(OpSpec &spec) {
    scanner_.expect('(', "after the name");
    if (scanner_.accept(')'))
      return;
    // A schema has about one parameter per 16 characters; growing the vector would move its
    // elements.
    spec.params.reserve(std::min<size_t>(8, length_ / 16 + 1));
    const char *star = nullptr;
    do {
      scanner_.skipSpace();
      const char *start = scanner_.position();
      if (scanner_.accept("...")) {
        spec.vararg = true;
        if (!scanner_.accept(')'))
          scanner_.failExpected("')': '...' comes last");
        return;
      }
      if (scanner_.accept('*')) {
        if (star)
          scanner_.fail(start, "there is one '*' at most");
        star = start;
        scanner_.skipSpace();
        if (scanner_.peek() == ')')
          scanner_.fail(star, "there is no parameter after '*'");
        continue;
      }
      parameter(spec, star != nullptr);
    } while (scanner_.accept(','));
    scanner_.expect(')', "or ',' after a parameter");
  }

  /// parameter ::= type name ('=' default)?
  void parameter(OpSpec &spec, bool kwOnly) {
    Annotated annotated = type(1);
    scanner_.skipSpace();
    const char *start = scanner_.position();
    std::string_view name = needWord("the name of a parameter");
    if (name == "None" || name == "True" || name == "False")
      scanner_.fail(start, cat("a parameter cannot be called ", name));
    checkUnique(spec.params, name, start, "parameter");
    Param &param = spec.params.emplace_back();
    param.name = name;
    param.kwOnly = kwOnly;
    takeType(param, std::move(annotated));
    if (scanner_.accept('=')) {
      scanner_.skipSpace();
      const char *value = scanner_.position();
      Constant constant = schema::scanConstant(scanner_, param.type);
      param.defaultValue.emplace(std::move(constant), std::string(scanner_.textFrom(value)));
    } else if (!kwOnly && spec.params.size() > 1 &&
               spec.params[spec.params.size() - 2].defaultValue) {
      scanner_.fail(start, cat("'", name, "' needs a default: the parameter before it has one"));
    }
  }

  template <typename S> static void takeType(S &slot, Annotated &&annotated) {
    slot.type = annotated.type;
    if (!annotated.alias.isEmpty())
      slot.alias = std::make_shared<const AliasInfo>(std::move(annotated.alias));
  }

  template <typename S>
  void checkUnique(const std::vector<S> &slots, std::string_view name, const char *start,
                   std::string_view what) {
    // Longer lists are checked at their end, by OpDef::create: this would be quadratic.
    constexpr size_t kFew = 256;
    if (slots.size() > kFew)
      return;
    for (const S &slot : slots)
      if (slot.name == name)
        scanner_.fail(start, cat("there are two ", what, "s called '", name, "'"));
  }

  // --- Results

  /// results ::= result | '...' | '(' (result (',' result)*)? (',' '...')? ')'
  void results(OpSpec &spec) {
    if (scanner_.accept("...")) {
      spec.varret = true;
      return;
    }
    if (!scanner_.accept('(')) {
      result(spec);
      return;
    }
    if (scanner_.accept(')'))
      return;
    do {
      if (scanner_.accept("...")) {
        spec.varret = true;
        if (!scanner_.accept(')'))
          scanner_.failExpected("')': '...' comes last");
        return;
      }
      result(spec);
    } while (scanner_.accept(','));
    scanner_.expect(')', "or ',' after a result");
  }

  /// result ::= type name?
  void result(OpSpec &spec) {
    Annotated annotated = type(1);
    scanner_.skipSpace();
    const char *start = scanner_.position();
    std::string_view name = scanner_.word();
    if (!name.empty())
      checkUnique(spec.results, name, start, "result");
    Result &result = spec.results.emplace_back();
    result.name = name;
    takeType(result, std::move(annotated));
  }

  // --- Types

  /// type ::= (word alias? | call | '(' types? ')') ('?' | ('[' size? ']' alias?))*
  Annotated type(uint32_t depth) {
    scanner_.skipSpace();
    if (depth > SchemaType::kMaxDepth)
      scanner_.fail(scanner_.position(),
                    cat("a type may be nested ", SchemaType::kMaxDepth, " deep at most"));
    Annotated result = baseType(depth);
    while (true) {
      scanner_.skipSpace();
      const char *start = scanner_.position();
      char c = scanner_.peek();
      if (c != '?' && c != '[')
        return result;
      if (result.type->depth() >= SchemaType::kMaxDepth)
        scanner_.fail(start, cat("a type may be nested ", SchemaType::kMaxDepth, " deep at most"));
      scanner_.skipOne();
      if (c == '?') {
        result.type = SchemaType::optional(result.type);
        if (startsAlias())
          scanner_.fail(scanner_.position(), "the alias set comes before '?': Tensor(a!)?");
        continue;
      }
      uint32_t size = 0;
      if (!scanner_.accept(']')) {
        size = schema::scanSize(scanner_);
        scanner_.expect(']', "after the size of the list");
      }
      result.type = SchemaType::list(result.type, size);
      AliasInfo whole;
      if (startsAlias())
        alias(whole);
      if (!result.alias.isEmpty())
        whole.contained.push_back(std::move(result.alias));
      result.alias = std::move(whole);
    }
  }

  Annotated baseType(uint32_t depth) {
    scanner_.skipSpace();
    const char *start = scanner_.position();
    if (scanner_.accept('('))
      return tuple(depth);
    std::string_view word = scanner_.word();
    if (word.empty())
      scanner_.failExpected("a type");
    Annotated result{namedType(word, start), {}};
    if (result.type) {
      if (startsAlias())
        alias(result.alias);
      return result;
    }
    if (word == "Dict") {
      std::vector<Annotated> parts = arguments(word, depth);
      if (parts.size() != 2)
        scanner_.fail(start, "Dict has a key and a value: Dict(str, Tensor)");
      result.type = checked(start, [&] { return SchemaType::dict(parts[0].type, parts[1].type); });
      takeAliases(result.alias, parts);
      AliasInfo own;
      if (startsAlias()) {
        alias(own);
        own.contained = std::move(result.alias.contained);
        result.alias = std::move(own);
      }
      return result;
    }
    std::vector<Annotated> parts = arguments(word, depth);
    takeAliases(result.alias, parts);
    if (word == "Union") {
      std::vector<const SchemaType *> types;
      for (const Annotated &part : parts)
        types.push_back(part.type);
      if (!result.alias.isEmpty())
        scanner_.fail(start, "the members of a Union have no aliases");
      result.type = checked(start, [&] { return SchemaType::unionOf(types); });
      return result;
    }
    if (parts.size() != 1)
      scanner_.fail(start, cat(word, " has one type: ", word, "(Tensor)"));
    SchemaTypeKind kind = word == "Future"  ? SchemaTypeKind::Future
                          : word == "Await" ? SchemaTypeKind::Await
                                            : SchemaTypeKind::RRef;
    result.type = checked(start, [&] { return SchemaType::wrapper(kind, parts[0].type); });
    return result;
  }

  /// An atom, class or variable; null for a word that takes types in parentheses.
  const SchemaType *namedType(std::string_view word, const char *start) {
    if (std::optional<SchemaAtom> atom = schemaAtomFromName(word))
      return SchemaType::get(*atom);
    if (word == "Dict" || word == "Union" || word == "Future" || word == "Await" || word == "RRef")
      return nullptr;
    if (scanner_.peek() == '.' && isWordStart(scanner_.peekAfter())) {
      do {
        scanner_.skipOne();
        scanner_.word();
      } while (scanner_.peek() == '.' && isWordStart(scanner_.peekAfter()));
      return SchemaType::classNamed(scanner_.textFrom(start));
    }
    checkVariable(word, start);
    return SchemaType::variable(word);
  }

  /// Type variables begin with a lower-case letter, or are an upper-case letter and digits.
  void checkVariable(std::string_view word, const char *start) {
    for (const Mistake &mistake : kMistakes)
      if (mistake.word == word)
        scanner_.fail(start,
                      cat("there is no type '", word, "'; did you mean ", mistake.meant, "?"));
    bool isCapital =
        word[0] >= 'A' && word[0] <= 'Z' && std::ranges::all_of(word.substr(1), schema::isDigit);
    std::array<std::string_view, size_t(SchemaAtom::Count_)> atoms;
    for (size_t i = 0; i < atoms.size(); ++i)
      atoms[i] = schemaAtomName(SchemaAtom(i));
    std::optional<std::string_view> near = nearestWord(word, atoms.data(), atoms.size());
    if (near && !isCapital)
      scanner_.fail(start, cat("there is no type '", word, "'; did you mean ", *near, "?"));
    if (!isLower(word[0]) && !isCapital)
      scanner_.fail(start, cat("there is no type '", word,
                               "'; a class has dots in its name, a type variable is a capital or "
                               "begins with a small letter"));
  }

  Annotated tuple(uint32_t depth) {
    const char *start = scanner_.position() - 1;
    std::vector<Annotated> parts;
    if (!scanner_.accept(')')) {
      do
        parts.push_back(type(depth + 1));
      while (scanner_.accept(','));
      scanner_.expect(')', "after the types of a tuple");
    }
    std::vector<const SchemaType *> types;
    for (const Annotated &part : parts)
      types.push_back(part.type);
    Annotated result{checked(start, [&] { return SchemaType::tuple(types); }), {}};
    takeAliases(result.alias, parts);
    return result;
  }

  std::vector<Annotated> arguments(std::string_view word, uint32_t depth) {
    scanner_.expect('(', cat("after ", word));
    std::vector<Annotated> parts;
    do
      parts.push_back(type(depth + 1));
    while (scanner_.accept(','));
    scanner_.expect(')', cat("after the types of ", word));
    return parts;
  }

  static void takeAliases(AliasInfo &into, std::vector<Annotated> &parts) {
    if (std::ranges::all_of(parts, [](const Annotated &part) { return part.alias.isEmpty(); }))
      return;
    for (Annotated &part : parts)
      into.contained.push_back(std::move(part.alias));
  }

  /// Exceptions without a location get this one.
  template <typename F> const SchemaType *checked(const char *start, const F &make) {
    try {
      return make();
    } catch (const Error &error) {
      scanner_.fail(start, error.message());
    }
  }

  // --- Aliases

  /// A `(` right after a type, even after white space, can only start an alias set.
  bool startsAlias() {
    scanner_.skipSpace();
    return scanner_.peek() == '(';
  }

  /// alias ::= '(' set '!'? ('->' set)? ')'
  void alias(AliasInfo &out) {
    scanner_.skipOne();
    aliasSet(out.before);
    out.isWrite = scanner_.accept('!');
    if (scanner_.accept("->"))
      aliasSet(out.after);
    else
      out.after = out.before;
    scanner_.expect(')', "after the alias set");
  }

  /// set ::= ('*' | word) ('|' ...)*
  void aliasSet(std::vector<std::string> &set) {
    constexpr size_t kMost = 64;
    do {
      if (set.size() == kMost)
        scanner_.fail(scanner_.position(), cat("an alias set has ", kMost, " names at most"));
      std::string_view name =
          scanner_.accept('*') ? "*" : needWord("the name of an alias set or '*'");
      if (std::ranges::find(set, name) == set.end())
        set.emplace_back(name);
    } while (scanner_.accept('|'));
  }

  SchemaScanner scanner_;
  const SchemaSource &source_;
  size_t length_;
};

} // namespace

OpSpec parseSchema(std::string_view text, const SchemaSource &source) {
  return Parser(text, source).schema(nullptr);
}

std::variant<OpNameParts, OpSpec> parseSchemaOrName(std::string_view text,
                                                    const SchemaSource &source) {
  OpNameParts name;
  OpSpec spec = Parser(text, source).schema(&name);
  if (!name.name.empty())
    return name;
  return spec;
}

const SchemaType *parseSchemaType(std::string_view text, const SchemaSource &source) {
  return Parser(text, source).typeAlone();
}

} // namespace ge
