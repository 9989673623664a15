//===- SchemaPrinter.cpp - OpSpec -> schema text ----------------------------------------------===//
#include "SchemaScanner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace ge {

using Kind = Constant::Kind;

namespace schema {

namespace {

void printNonFinite(double value, std::string &out) {
  out.append(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

/// The shortest decimal that reads back equal, with '.' or an exponent.
void printShortest(double value, std::string &out) {
  if (!std::isfinite(value))
    return printNonFinite(value, out);
  char buffer[40];
  char *end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
  if (std::find_if(buffer, end, [](char c) { return c == '.' || c == 'e'; }) == end)
    out.append(".0");
}

/// As c10::IValue prints: integers below 1e10 as `5.`, others with 17 digits.
void printAsTorch(double value, std::string &out) {
  if (!std::isfinite(value))
    return printNonFinite(value, out);
  if (std::abs(value) < 1e10 && double(int64_t(value)) == value) {
    appendPart(out, int64_t(value));
    out.push_back('.');
    return;
  }
  char buffer[40];
  // As %.17g, in whatever locale.
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general,
                           std::numeric_limits<double>::max_digits10);
  out.append(buffer, end.ptr);
}

void printReal(double value, std::string &out, SchemaStyle style) {
  if (style == SchemaStyle::Torch)
    printAsTorch(value, out);
  else
    printShortest(value, out);
}

/// PyTorch's escapes, except that non-ASCII characters are kept, which PyTorch prints with wrong
/// digits.
void printQuoted(std::string_view text, std::string &out) {
  constexpr std::string_view kLetters = "ntr\\\"'abfv", kMeanings = "\n\t\r\\\"'\a\b\f\v";
  out.push_back('"');
  for (char c : text) {
    if (size_t index = kMeanings.find(c); index != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(kLetters[index]);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out.push_back('\\');
      for (int shift = 6; shift >= 0; shift -= 3)
        out.push_back(char('0' + ((static_cast<unsigned char>(c) >> shift) & 7)));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// PyTorch prints a list of equal ints as one; only ints, not SymInts.
bool printsAsOne(const Constant &value, const SchemaType *type) {
  return type && type->required()->isList() && type->required()->element()->is(SchemaAtom::Int) &&
         value.items.size() > 1 && std::ranges::all_of(value.items, [&](const Constant &item) {
           return item == value.items[0];
         });
}

/// Whether PyTorch keeps the quotes: only a string by itself.
bool quotesAsTorch(const SchemaType *type) { return type && type->required()->is(SchemaAtom::Str); }

} // namespace

void printConstantOf(const Constant &value, const SchemaType *type, std::string &out,
                     SchemaStyle style) {
  bool torch = style == SchemaStyle::Torch;
  switch (value.kind) {
  case Kind::None:
    out.append("None");
    return;
  case Kind::Bool:
    out.append(value.integer ? "True" : "False");
    return;
  case Kind::Int:
    appendPart(out, value.integer);
    return;
  case Kind::Float:
    printReal(value.real, out, style);
    return;
  case Kind::Complex:
    printReal(value.real, out, style);
    out.push_back(value.imaginary >= 0 ? '+' : '-');
    printReal(std::abs(value.imaginary), out, style);
    out.push_back('j');
    return;
  case Kind::Str:
    if (torch && !quotesAsTorch(type))
      out.append(value.text);
    else
      printQuoted(value.text, out);
    return;
  case Kind::Ident:
    if (torch && value.integer >= 0)
      appendPart(out, value.integer);
    else
      out.append(value.text);
    return;
  case Kind::List:
    break;
  }
  if (torch && printsAsOne(value, type))
    return appendPart(out, value.items[0].integer);
  const SchemaType *target = type ? type->required() : nullptr;
  bool isTuple = target && target->kind() == SchemaTypeKind::Tuple;
  out.push_back(isTuple ? '(' : '[');
  for (size_t i = 0; i < value.items.size(); ++i) {
    if (i)
      out.append(", ");
    const SchemaType *element = nullptr;
    if (torch || !target)
      ; // PyTorch does not quote strings inside
    else if (target->isList())
      element = target->element();
    else if (isTuple && i < target->elements().size())
      element = target->elements()[i];
    printConstantOf(value.items[i], element, out, style);
  }
  out.push_back(isTuple ? ')' : ']');
}

} // namespace schema

namespace {

void printAliasSet(const std::vector<std::string> &set, std::string &out) {
  for (size_t i = 0; i < set.size(); ++i)
    out.append(i ? "|" : "").append(set[i]);
}

void printOwnAlias(const AliasInfo *alias, std::string &out) {
  if (!alias || alias->before.empty())
    return;
  out.push_back('(');
  printAliasSet(alias->before, out);
  if (alias->isWrite)
    out.push_back('!');
  if (alias->after != alias->before) {
    out.append(" -> ");
    printAliasSet(alias->after, out);
  }
  out.push_back(')');
}

const AliasInfo *containedAlias(const AliasInfo *alias, size_t index) {
  return alias && index < alias->contained.size() ? &alias->contained[index] : nullptr;
}

/// A kind of types by its place in PyTorch's list of them, which orders the members of a Union.
int torchRank(const SchemaType *type) {
  if (type->kind() != SchemaTypeKind::Atom) {
    constexpr SchemaTypeKind kOrder[] = {SchemaTypeKind::Tuple, SchemaTypeKind::List,
                                         SchemaTypeKind::Dict};
    for (int i = 0; i < 3; ++i)
      if (type->kind() == kOrder[i])
        return 10 + i;
    return type->kind() == SchemaTypeKind::Class ? 60 : 25;
  }
  constexpr SchemaAtom kBefore[] = {SchemaAtom::Any, SchemaAtom::AnyEnum, SchemaAtom::Tensor,
                                    SchemaAtom::Storage};
  constexpr SchemaAtom kAfter[] = {SchemaAtom::Scalar,    SchemaAtom::Float, SchemaAtom::Complex,
                                   SchemaAtom::Int,       SchemaAtom::None,  SchemaAtom::Str,
                                   SchemaAtom::Generator, SchemaAtom::Bool,  SchemaAtom::Device,
                                   SchemaAtom::Stream};
  for (int i = 0; i < int(std::size(kBefore)); ++i)
    if (type->is(kBefore[i]))
      return i;
  for (int i = 0; i < int(std::size(kAfter)); ++i)
    if (type->is(kAfter[i]))
      return 20 + i * (i < 3 ? 1 : 2);
  return 70 + int(type->atom());
}

void printType(const SchemaType *type, const AliasInfo *alias, std::string &out, SchemaStyle style);

void printTypes(const SchemaType *type, const AliasInfo *alias, std::string &out,
                SchemaStyle style) {
  std::vector<const SchemaType *> elements(type->elements().begin(), type->elements().end());
  bool torch = style == SchemaStyle::Torch;
  if (torch && type->kind() == SchemaTypeKind::Union)
    std::ranges::stable_sort(elements, {}, torchRank);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i)
      out.append(", ");
    printType(elements[i], torch ? nullptr : containedAlias(alias, i), out, style);
  }
  out.push_back(')');
}

void printType(const SchemaType *type, const AliasInfo *alias, std::string &out,
               SchemaStyle style) {
  if (!alias && style == SchemaStyle::Canonical) {
    out.append(type->str());
    return;
  }
  switch (type->kind()) {
  case SchemaTypeKind::Optional:
    printType(type->element(), alias, out, style);
    out.push_back('?');
    return;
  case SchemaTypeKind::List:
    printType(type->element(), containedAlias(alias, 0), out, style);
    out.push_back('[');
    if (type->listSize())
      appendPart(out, type->listSize());
    out.push_back(']');
    break;
  case SchemaTypeKind::Tuple:
    out.push_back('(');
    printTypes(type, alias, out, style);
    break;
  case SchemaTypeKind::Dict:
    out.append("Dict(");
    printTypes(type, alias, out, style);
    break;
  case SchemaTypeKind::Future:
    out.append("Future(");
    printTypes(type, alias, out, style);
    break;
  case SchemaTypeKind::Await:
    out.append("Await(");
    printTypes(type, alias, out, style);
    break;
  case SchemaTypeKind::RRef:
    out.append("RRef(");
    printTypes(type, alias, out, style);
    break;
  case SchemaTypeKind::Union:
    out.append("Union(");
    printTypes(type, alias, out, style);
    break;
  case SchemaTypeKind::Atom:
  case SchemaTypeKind::Class:
  case SchemaTypeKind::Variable:
    out.append(type->str());
    break;
  }
  printOwnAlias(alias, out);
}

void printSlot(const Slot &slot, std::string &out, SchemaStyle style) {
  printType(slot.type, slot.alias.get(), out, style);
  if (!slot.name.empty())
    out.append(1, ' ').append(slot.name);
}

void printResults(const OpSpec &spec, std::string &out, SchemaStyle style) {
  if (spec.results.empty()) {
    out.append(spec.varret ? "..." : "()");
    return;
  }
  std::string text;
  for (const Result &result : spec.results) {
    if (&result != &spec.results.front())
      text.append(", ");
    printSlot(result, text, style);
  }
  if (spec.varret)
    text.append(", ...");
  // A tuple in front would be read as a list of results.
  if (spec.results.size() > 1 || spec.varret || text.front() == '(')
    out.append(1, '(').append(text).append(1, ')');
  else
    out.append(text);
}

} // namespace

void printParam(const Param &param, std::string &out, SchemaStyle style) {
  printSlot(param, out, style);
  if (!param.defaultValue)
    return;
  out.push_back('=');
  // PyTorch keeps the int of `float? x=1`, and prints the float of `float x=1`.
  if (const Constant &value = param.defaultValue->value;
      style == SchemaStyle::Torch && param.type->isOptional() && value.kind == Kind::Float &&
      !param.defaultValue->text.empty() &&
      param.defaultValue->text.find_first_not_of("-0123456789") == std::string::npos)
    return appendPart(out, param.defaultValue->text);
  schema::printConstantOf(param.defaultValue->value, param.type, out, style);
}

void printConstant(const Constant &value, std::string &out) {
  schema::printConstantOf(value, nullptr, out, SchemaStyle::Canonical);
}

void printSchema(const OpSpec &spec, std::string &out, SchemaStyle style) {
  if (!spec.ns.empty())
    out.append(spec.ns).append("::");
  out.append(spec.name);
  if (!spec.overload.empty())
    out.append(1, '.').append(spec.overload);
  out.push_back('(');
  bool seenKwOnly = false;
  for (const Param &param : spec.params) {
    if (&param != &spec.params.front())
      out.append(", ");
    if (param.kwOnly && !seenKwOnly) {
      out.append("*, ");
      seenKwOnly = true;
    }
    printParam(param, out, style);
  }
  if (spec.vararg)
    out.append(spec.params.empty() ? "..." : ", ...");
  out.append(") -> ");
  printResults(spec, out, style);
}

} // namespace ge
