//===- Form.cpp - the record that a graph-building function binds by ---------------------------===//
#include "Function.h"

namespace ge::python {

namespace {

bool isKeyword(const std::string &name) {
  // Not a static initializer: another thread would wait for it while holding the GIL, which the
  // import needs.
  static PyObject *test = nullptr;
  if (!test) {
    PyObject *found = nb::object(importModule("keyword").attr("iskeyword")).release().ptr();
    test = found;
  }
  return nb::cast<bool>(nb::borrow(test)(str(name)));
}

AttributeForm formOf(GeSchemaType type) {
  while (geSchemaTypeGetKind(type) == GE_SCHEMA_OPTIONAL)
    type = geSchemaTypeGetElement(type, 0);
  bool isList = geSchemaTypeGetKind(type) == GE_SCHEMA_LIST;
  if (isList)
    type = geSchemaTypeGetElement(type, 0);
  if (geSchemaTypeGetKind(type) != GE_SCHEMA_ATOM)
    return AttributeForm::Other;
  GeStringRef text = geSchemaTypeGetName(type);
  std::string_view name(text.data, text.length);
  if (name == "int" || name == "SymInt")
    return isList ? AttributeForm::Ints : AttributeForm::Int;
  if (name == "float")
    return isList ? AttributeForm::Floats : AttributeForm::Float;
  if (name == "Graph")
    return isList ? AttributeForm::Graphs : AttributeForm::Graph;
  if (name == "str" && isList)
    return AttributeForm::Strings;
  if (isList)
    return AttributeForm::Other;
  if (name == "bool")
    return AttributeForm::Bool;
  if (name == "ScalarType")
    return AttributeForm::DType;
  if (name == "TensorLiteral")
    return AttributeForm::Tensor;
  return AttributeForm::Other;
}

/// A parameter as the form spells it.
struct Spelled {
  std::string text;
  bool changed = false;
};

Spelled spell(GeOpDef record, size_t index, const GeSlotInfo &slot, AttributeForm form) {
  Spelled out;
  check(geOpDefPrintParam(record, index, GE_SCHEMA_CANONICAL, appendTo, &out.text));
  std::string name(slot.name.data, slot.name.length);
  if (!isKeyword(name))
    return out;
  bool isGraph = form == AttributeForm::Graph || form == AttributeForm::Graphs;
  const char *prefix = slot.isTensor ? "in_" : isGraph ? "subgraph_" : "attr_";
  // In `Type name=default`, no type contains ` name`, so the match is the name itself.
  for (size_t at = out.text.find(" " + name); at != std::string::npos;
       at = out.text.find(" " + name, at + 1)) {
    size_t end = at + 1 + name.size();
    if (end == out.text.size() || out.text[end] == '=') {
      out.text.insert(at + 1, prefix);
      out.changed = true;
      break;
    }
  }
  return out;
}

void copyExtras(GeOpSpec *spec, GeOpDef record, const std::vector<FormParam> &params) {
  for (size_t i = 0; i < params.size(); ++i) {
    if (params[i].source == SIZE_MAX)
      continue;
    GeSlotInfo slot;
    GeParamInfo info;
    check(geOpDefGetParam(record, params[i].source, &slot, &info));
    GeSlotExtra extra{sizeof extra, slot.doc, slot.hidden, slot.homogeneous, slot.minCount, -1};
    check(geOpSpecSetSlot(spec, false, i, &extra));
    if (info.hasRange)
      check(geOpSpecSetRange(spec, i, info.low, info.high, info.isLowOpen, info.isHighOpen));
    if (info.numChoices) {
      std::string choices = "[";
      for (size_t c = 0; c < info.numChoices; ++c) {
        GeConstant choice;
        check(geOpDefGetChoice(record, params[i].source, c, &choice));
        if (c)
          choices += ", ";
        geConstantPrint(choice, appendTo, &choices);
      }
      check(geOpSpecSetChoices(spec, i, stringRef(choices + "]")));
    }
  }
}

} // namespace

GeOpDef formOf(GeOpDef record, std::vector<FormParam> &params) {
  GeOpInfo info;
  check(geOpDefGetInfo(record, &info));
  // CANN's order: inputs, sizes of dynamic outputs, subgraphs, then attributes.
  std::vector<FormParam> positional, graphs, keywords;
  std::vector<std::string> positionalText, graphText, keywordText;
  bool changed = false;
  for (size_t i = 0; i < info.numParams; ++i) {
    GeSlotInfo slot;
    GeParamInfo param;
    check(geOpDefGetParam(record, i, &slot, &param));
    AttributeForm form = slot.isTensor ? AttributeForm::Other : formOf(slot.type);
    PyObject *name = checked(newText(slot.name));
    PyUnicode_InternInPlace(&name);
    FormParam own{i,         name, slot.isTensor, slot.isVariadic,
                  slot.type, form, slot.length,   slot.typeVar};
    own.isOptionalList = slot.isVariadic && geSchemaTypeGetKind(slot.type) == GE_SCHEMA_OPTIONAL;
    GeConstantValue value{};
    value.size = sizeof value;
    if (slot.isVariadic && param.defaultValue) {
      check(geConstantGet(param.defaultValue, &value));
      own.isEmptyByDefault = value.kind == GE_CONSTANT_LIST;
    }
    Spelled text = spell(record, i, slot, form);
    bool isPositional = slot.isTensor && !param.kwOnly;
    bool isGraph = !param.kwOnly && (form == AttributeForm::Graph || form == AttributeForm::Graphs);
    changed |= text.changed || (!isPositional && !isGraph && !param.kwOnly);
    (isPositional ? positional : isGraph ? graphs : keywords).push_back(own);
    (isPositional ? positionalText
     : isGraph    ? graphText
                  : keywordText)
        .push_back(std::move(text.text));
  }
  // Operators of ONNX have `_outputs=` instead.
  for (size_t i = 0; i < info.numResults && info.since == 0; ++i) {
    GeSlotInfo result;
    check(geOpDefGetResult(record, i, &result));
    if (!result.isVariadic || !result.name.length)
      continue;
    std::string name(result.name.data, result.name.length);
    if (isKeyword(name))
      name.insert(0, "out_");
    PyObject *text = checked(newText(stringRef(name + "_num")));
    PyUnicode_InternInPlace(&text);
    // A parameter before a required one must not have a default.
    for (std::string &before : positionalText)
      before = before.substr(0, before.find('='));
    positional.push_back({SIZE_MAX, text, false, false, nullptr, AttributeForm::Int, 0, -1});
    positionalText.push_back("int " + name + "_num");
    changed = true;
  }
  positional.insert(positional.end(), graphs.begin(), graphs.end());
  positionalText.insert(positionalText.end(), graphText.begin(), graphText.end());
  size_t numPositional = positional.size();
  params = std::move(positional);
  params.insert(params.end(), keywords.begin(), keywords.end());
  if (!changed) {
    geOpDefRetain(record);
    return record;
  }
  std::string text = qualifiedName(info) + "(";
  for (size_t i = 0; i < params.size(); ++i) {
    if (i)
      text += ", ";
    if (i == numPositional)
      text += "*, ";
    text += i < numPositional ? positionalText[i] : keywordText[i - numPositional];
  }
  if (info.vararg)
    text += params.empty() ? "..." : ", ...";
  std::string whole = printed(record, "canonical");
  text += whole.substr(whole.rfind(") -> "));
  GeOpSpec *spec;
  check(geOpSpecCreate(stringRef(text), info.sourceFile, info.sourceLine, &spec));
  try {
    copyExtras(spec, record, params);
  } catch (...) {
    geOpSpecDestroy(spec);
    throw;
  }
  GeOpDef form;
  check(geOpSpecFinish(spec, &form));
  return form;
}

} // namespace ge::python
