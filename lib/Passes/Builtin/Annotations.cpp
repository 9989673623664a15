//===- Annotations.cpp - tensors that quantization_annotation names ---------------------------===//
//
// Reads an attribute of graphs and rewrites no nodes, so it needs no matcher.
//
#include "Annotations.h"

#include "PassEditor.h"

#include "ge/Support/Wire/Wire.h"

namespace ge::builtin {

namespace {

// Fields of GraphProto, TensorAnnotation and StringStringEntryProto.
constexpr uint32_t kAnnotation = 14, kTensorName = 1, kParameters = 2, kParameterName = 2;

struct Annotation {
  std::string_view raw; ///< with its tag
  bool isAnnotation = false;
  std::string_view tensor;
  std::vector<std::string_view> parameters;
};

/// The fields of a graph that the IR does not represent. Empty where there are none, or they cannot
/// be read.
std::vector<Annotation> fieldsOf(const Graph &graph) {
  const Identifier *key = graph.context().lookupIdentifier("onnx.extra");
  Attribute extra = key ? graph.attributes().find(key->id()) : Attribute();
  std::vector<Annotation> fields;
  if (extra.kind() != AttrKind::Bytes)
    return fields;
  WireSource source{extra.stringValue(), "onnx.extra"};
  try {
    WireReader reader(source, source.bytes, nullptr);
    while (reader.next()) {
      Annotation &field = fields.emplace_back();
      field.raw = reader.raw();
      if (reader.field() != kAnnotation)
        continue;
      field.isAnnotation = true;
      WireReader inner(source, reader.bytes("quantization_annotation"), nullptr);
      while (inner.next())
        if (inner.field() == kTensorName) {
          field.tensor = inner.bytes("tensor_name");
        } else if (inner.field() == kParameters) {
          WireReader entry(source, inner.bytes("quant_parameter_tensor_names"), nullptr);
          while (entry.next())
            if (entry.field() == kParameterName)
              field.parameters.push_back(entry.bytes("value"));
        }
    }
  } catch (const Error &) {
    fields.clear();
  }
  return fields;
}

} // namespace

Annotations::Annotations(Graph &root) {
  if (!root.context().lookupIdentifier("onnx.extra"))
    return;
  for (const Graph *graph : allGraphs(root))
    for (const Annotation &field : fieldsOf(*graph))
      if (field.isAnnotation) {
        subjects_.emplace(field.tensor);
        parameters_.insert(field.parameters.begin(), field.parameters.end());
      }
}

size_t eraseStaleAnnotations(Graph &root) {
  if (Annotations(root).isEmpty())
    return 0;
  std::unordered_set<std::string> present;
  std::vector<Graph *> graphs = allGraphs(root);
  for (const Graph *graph : graphs) {
    for (const Node *node = graph->front(); node; node = node->next())
      for (uint32_t i = 0; i != node->numResults(); ++i)
        present.emplace(node->result(i)->name());
    for (const Node *input : graph->inputNodes())
      present.emplace(input->result(0)->name());
    for (uint32_t i = 0; i != graph->output()->numOperands(); ++i)
      present.emplace(graph->outputName(i));
  }
  size_t erased = 0;
  for (Graph *graph : graphs) {
    std::string kept;
    size_t stale = 0;
    for (const Annotation &field : fieldsOf(*graph))
      if (field.isAnnotation && !present.contains(std::string(field.tensor)))
        ++stale;
      else
        kept += field.raw;
    if (stale == 0)
      continue;
    erased += stale;
    AttrRef bytes = root.context().bytesAttr(kept);
    Mutation::setAttribute(graph, root.context().identifier("onnx.extra"),
                           kept.empty() ? Attribute() : *bytes);
  }
  return erased;
}

} // namespace ge::builtin
