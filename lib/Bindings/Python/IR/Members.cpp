//===- Members.cpp - tables of slot functions, and their part of the stub ---------------------===//
#include "Members.h"

#include "PopulateIR.h"

#include <nanobind/stl/string.h>

#include <string_view>

namespace ge::python {

namespace {

std::string &patterns() {
  static std::string text;
  return text;
}

/// On one line, whatever the layout of the source.
std::string joined(std::string_view text) {
  std::string line;
  for (char c : text)
    if (c == ')' && !line.empty() && line.back() == ' ')
      line.back() = c;
    else if (c != '\n' && c != ' ')
      line += c;
    else if (!line.empty() && line.back() != ' ' && line.back() != '(')
      line += ' ';
  return line;
}

/// `name($self, op, operands=())`: a signature without types, as inspect.signature reads it.
std::string textSignature(std::string_view signature, int flags) {
  constexpr std::string_view kDef = "def ";
  if (signature.starts_with(kDef))
    signature.remove_prefix(kDef.size());
  std::string text;
  int depth = 0;
  bool isType = false;
  for (char c : signature) {
    depth += c == '(' || c == '[' || c == '{';
    bool isOuter = depth == 1;
    if (isOuter && c == ':')
      isType = true;
    else if (isOuter && (c == ',' || c == '=' || c == ')'))
      isType = false;
    if (isOuter && c == '=')
      while (text.back() == ' ')
        text.pop_back();
    if (!isType && !(c == ' ' && text.back() == '='))
      text += c;
    depth -= c == ')' || c == ']' || c == '}';
    if (c == ')' && depth == 0)
      break;
  }
  if (!(flags & METH_STATIC)) {
    size_t first = text.find('(') + 1, end = text.find_first_of(",)", first);
    text.replace(first, end - first, flags & METH_CLASS ? "$type" : "$self");
  }
  return text;
}

std::string nameOf(std::string_view signature) {
  size_t begin = signature.find(' ') + 1;
  return std::string(signature.substr(begin, signature.find('(') - begin));
}

void beginPattern(const char *type, std::string_view member) {
  patterns().append("\\.").append(type).append("\\.").append(member).append("$:\n");
}

void describe(const char *type, const Property &property) {
  std::string name(property.name), getter = property.type;
  beginPattern(type, name);
  patterns() += "    @property\n    def " + name + "(self) -> " + getter + ":\n        \\doc\n";
  if (property.set)
    patterns() += "    @" + name + ".setter\n    def " + name +
                  "(self, value: " + (property.takes ? property.takes : getter) +
                  ") -> None: ...\n";
  patterns() += '\n';
}

/// Returns a docstring. For a static method stubgen itself would find the docstring of class
/// staticmethod.
std::string quoted(std::string_view doc) {
  std::string text = "        \"\"\"\n        ";
  for (char c : doc)
    text.append(1, c).append(c == '\n' ? "        " : "");
  return text + "\n        \"\"\"\n\n";
}

void describe(const char *type, const std::string &signature, const Method &method) {
  beginPattern(type, nameOf(signature));
  if (method.flags & METH_CLASS)
    patterns() += "    @classmethod\n";
  if (method.flags & METH_STATIC)
    patterns() += "    @staticmethod\n";
  patterns() += "    " + signature + ":\n";
  patterns() += method.flags & METH_STATIC ? quoted(method.doc) : "        \\doc\n\n";
}

} // namespace

Members::Members(const char *type, std::span<const Property> properties,
                 std::span<const Method> methods, std::initializer_list<PyMethodDef> others) {
  for (const Property &p : properties) {
    properties_.push_back({p.name, p.get, p.set, p.doc, nullptr});
    describe(type, p);
  }
  properties_.emplace_back();
  for (const Method &m : methods) {
    std::string signature = joined(m.signature);
    const std::string &name = texts_.emplace_back(nameOf(signature));
    const std::string &doc =
        texts_.emplace_back(textSignature(signature, m.flags) + "\n--\n\n" + m.doc);
    methods_.push_back({name.c_str(), m.function, m.flags, doc.c_str()});
    describe(type, signature, m);
  }
  methods_.insert(methods_.end(), others);
  methods_.emplace_back();
}

void declareConstructor(const char *type, std::initializer_list<const char *> signatures) {
  beginPattern(type, "__prefix__");
  bool isOverloaded = signatures.size() > 1;
  if (isOverloaded)
    patterns() += "    \\from typing import overload\n";
  for (const char *signature : signatures) {
    if (isOverloaded)
      patterns() += "    @overload\n";
    patterns() += "    " + joined(signature) + ": ...\n";
  }
  patterns() += '\n';
}

void populateMembers(nb::module_ &m) {
  m.def("_stub_patterns", [] { return patterns(); });
}

} // namespace ge::python
