//===- AttributesParser.cpp - dictionaries of operations, their reserved entries ------------------===//
#include "GraphParser.h"
#include "Reserved.h"

#include <algorithm>

namespace ge::text {

/// Up to here comparing with all is quicker than a table.
static constexpr size_t kFew = 16;

bool GraphParser::Attributes::isSeen(const Identifier *attribute) {
  if (seen.empty())
    for (const NamedAttribute &other : plain)
      seen.insert(other.name);
  return !seen.insert(attribute).second;
}

void GraphParser::Attributes::clear() {
  if (!seen.empty())
    seen.clear();
  hasName = hasResultNames = hasSymbol = false;
  name = symbol = domain = type = overload = {};
  variant = nullptr;
  resultNamesPlace = subgraphs = origins = inputs = outputs = nullptr;
  hasFunctionType = false;
  inputTypes.clear();
  outputTypes.clear();
  resultNames.clear();
  operandSegments.clear();
  resultSegments.clear();
  plain.clear();
  owned.clear();
  deferred.clear();
}

void GraphParser::attributes(Attributes &into, unsigned allowed) {
  dictionary(
      [&](std::string_view key, const char *place) { attributeEntry(into, key, place, allowed); });
}

void GraphParser::attributeEntry(Attributes &into, std::string_view key, const char *place,
                                 unsigned allowed) {
  bool maybeReserved = key.starts_with("ge.") || (allowed & (kSymbol | kSignature)) ||
                       key == kOperandSegments || key == kResultSegments;
  if (maybeReserved && reservedEntry(into, key, place, allowed))
    return;
  if (key.starts_with("ge."))
    scan_.fail(place, cat("'", key,
                          "' has no meaning here; an attribute of that name stands in "
                          "ge.attrs = {...}"));
  if (!(allowed & kPlain))
    scan_.fail(place, cat("attribute '", key, "' belongs in ge.attrs = {...} here"));
  plainEntry(into, key, place);
}

/// `= value`, or nothing for true.
void GraphParser::plainEntry(Attributes &into, std::string_view key, const char *place) {
  const Identifier *name = identifier(key);
  auto same = [&](const NamedAttribute &other) { return other.name == name; };
  bool isRepeated = into.plain.size() < kFew
                        ? std::any_of(into.plain.begin(), into.plain.end(), same)
                        : into.isSeen(name);
  if (isRepeated)
    scan_.fail(place, cat("attribute '", key, "' is given twice"));
  AttrRef value;
  if (!scan_.take('=')) {
    value = AttrRef(Attribute::boolean(true));
  } else {
    scan_.skipSpace();
    const char *valuePlace = scan_.at();
    setSawResource(false);
    value = attribute();
    if (sawResource()) [[unlikely]]
      into.deferred.emplace_back(name, valuePlace);
  }
  into.plain.push_back({name, value.get()});
  if (value->isCounted())
    into.owned.push_back(std::move(value));
}

const char *GraphParser::skippedList() {
  if (scan_.peek() != '[')
    scan_.failExpected("a list");
  const char *place = scan_.at();
  scan_.skipBalanced(false);
  return place;
}

void GraphParser::stringList(std::vector<std::string_view> &into, std::string_view what) {
  list([&] { into.push_back(stringValue(what)); });
}

bool GraphParser::reservedEntry(Attributes &into, std::string_view key, const char *place,
                                unsigned allowed) {
  enum class Key : uint8_t {
    Name,
    ResultNames,
    Attrs,
    Domain,
    Type,
    Overload,
    Op,
    Subgraphs,
    Origins,
    Args,
    Outputs,
    Symbol,
    Visibility,
    FunctionType,
    ArgAttrs,
    ResultAttrs,
    OperandSegments,
    ResultSegments,
  };
  static constexpr struct {
    std::string_view key;
    Key what;
    unsigned allowed; ///< where this bit is set; 0: everywhere
  } kKeys[] = {
      {"ge.name", Key::Name, kName},
      {"ge.result_names", Key::ResultNames, kResultNames},
      {"ge.attrs", Key::Attrs, 0},
      {"ge.domain", Key::Domain, kIdentity},
      {"ge.type", Key::Type, kIdentity},
      {"ge.overload", Key::Overload, kIdentity},
      {"ge.op", Key::Op, kVariant},
      {"ge.subgraphs", Key::Subgraphs, kSubgraphs},
      {"ge.origins", Key::Origins, kOrigins},
      {"ge.args", Key::Args, kGraphLists},
      {"ge.outputs", Key::Outputs, kGraphLists},
      {"sym_name", Key::Symbol, kSymbol},
      {"sym_visibility", Key::Visibility, kSymbol},
      {"function_type", Key::FunctionType, kSignature},
      {"arg_attrs", Key::ArgAttrs, kSignature},
      {"res_attrs", Key::ResultAttrs, kSignature},
      {kOperandSegments, Key::OperandSegments, kSegments},
      {kResultSegments, Key::ResultSegments, kSegments},
  };
  for (const auto &row : kKeys) {
    if (row.key != key || (row.allowed & allowed) != row.allowed)
      continue;
    scan_.expect('=', cat("after '", key, "'"));
    scan_.skipSpace();
    switch (row.what) {
    case Key::Name:
      into.name = stringValue("as a name");
      into.hasName = true;
      break;
    case Key::ResultNames:
      into.resultNamesPlace = place;
      into.resultNames.clear();
      stringList(into.resultNames, "as the name of a result");
      into.hasResultNames = true;
      break;
    case Key::Attrs:
      dictionary([&](std::string_view inner, const char *innerPlace) {
        plainEntry(into, inner, innerPlace);
      });
      break;
    case Key::Domain:
      into.domain = stringValue("as a domain");
      break;
    case Key::Type:
      into.type = stringValue("as an operator type");
      break;
    case Key::Overload:
      into.overload = stringValue("as an overload");
      break;
    case Key::Op:
      into.variant = variant();
      break;
    case Key::Subgraphs:
      into.subgraphs = skippedList();
      break;
    case Key::Origins:
      into.origins = skippedList();
      break;
    case Key::Args:
    case Key::ArgAttrs:
      into.inputs = skippedList();
      break;
    case Key::Outputs:
    case Key::ResultAttrs:
      into.outputs = skippedList();
      break;
    case Key::Symbol:
      into.symbol = stringValue("as a name");
      into.hasSymbol = true;
      break;
    case Key::Visibility:
      stringValue("as a visibility");
      break;
    case Key::FunctionType:
      functionTypeProperty(into);
      break;
    case Key::OperandSegments:
      segments(into.operandSegments, key);
      break;
    case Key::ResultSegments:
      segments(into.resultSegments, key);
      break;
    }
    return true;
  }
  return false;
}

/// `array<i32: 1, 2>`: the lengths of operand or result lists.
void GraphParser::segments(std::vector<int32_t> &into, std::string_view key) {
  const char *place = scan_.at();
  AttrRef value = attribute();
  if (value->kind() != AttrKind::Array || !value->floats().empty() || !value->doubles().empty() ||
      value->width() == DType::Bool)
    scan_.fail(place, cat("'", key,
                          "' is a list of lengths, array<i32: ...>; an attribute of that "
                          "name stands in ge.attrs = {...}"));
  into.clear();
  for (int64_t length : value->ints()) {
    if (length < 0 || length > INT32_MAX)
      scan_.fail(place, cat("'", key, "' has the length ", length));
    into.push_back(int32_t(length));
  }
}

/// The operator of an input: `"RefData"` of the domain ge, `"domain.Type"`, or
/// `["domain", "type", "overload"]`.
const OperatorName *GraphParser::variant() {
  const char *place = scan_.at();
  std::vector<std::string_view> parts;
  if (scan_.peek() == '[')
    stringList(parts, "in an operator's name");
  else
    parts.push_back(stringValue("as an operator's name"));
  return refusedAt(place, [&]() -> const OperatorName * {
    if (parts.size() == 1)
      return parts[0].find_first_of(".:") == std::string_view::npos
                 ? context_.operatorName("ge", parts[0])
                 : context_.operatorName(parts[0]);
    if (parts.size() == 3)
      return context_.operatorName(parts[0], parts[1], parts[2]);
    scan_.fail(place, "expected a name, or a list of domain, type and overload");
  });
}

/// `[{node = "...", op = "...", pass = "...", rule = "...", loc = loc(...)}, ...]`.
void GraphParser::origins(Node *node, const char *place) {
  PlaceSaver saver(scan_, place);
  std::vector<Origin> result;
  list([&] {
    Origin origin;
    dictionary([&](std::string_view key, const char *keyPlace) {
      scan_.expect('=', cat("after '", key, "'"));
      scan_.skipSpace();
      if (key == "loc" && scan_.peek() == '#') {
        const char *aliasPlace = scan_.at();
        scan_.take('#');
        origin.where = locationAlias(scan_.suffixWord());
        if (!origin.where)
          scan_.fail(aliasPlace, "this location alias is not defined");
      } else if (key == "loc") {
        if (!scan_.atWord("loc"))
          scan_.failExpected("a location");
        origin.where = location();
      } else {
        const char *valuePlace = scan_.at();
        std::string_view text = stringValue("in an origin");
        if (key == "node")
          origin.node = std::string(text);
        else if (key == "op")
          origin.op = refusedAt(valuePlace, [&] { return context_.operatorName(text); });
        else if (key == "pass")
          origin.pass = context_.scopedIdentifier(text);
        else if (key == "rule")
          origin.rule = context_.scopedIdentifier(text);
        else
          scan_.fail(keyPlace, cat("expected node, op, pass, rule or loc, got '", key, "'"));
      }
    });
    result.push_back(std::move(origin));
  });
  Mutation::setOrigins(node, result);
}

void GraphParser::defer(const Attributes &attributes, Deferred::Owner owner, void *object) {
  for (auto [name, place] : attributes.deferred)
    deferred_.push_back({owner, object, name, place});
}

const Location *GraphParser::sourceLocation(const char *place) {
  uint32_t line = 0, column = 0;
  scan_.position(place, line, column);
  return context_.fileLocation(scan_.file(), line, column);
}

} // namespace ge::text
