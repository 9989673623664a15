//===- Verify.cpp - what is wrong with a graph
//--------------------------------------------------------------------------===//

#include "ge/IR/Analysis.h"
#include "ge/Support/Interrupt.h"

#include <unordered_set>

namespace ge {

namespace {

class Verifier {
public:
  explicit Verifier(const Module *module) : module_(module) {}

  void run(const Graph *graph) {
    checkInputs(graph);
    checkOutputs(graph);
    for (const Node *node = graph->front(); node; node = node->next()) {
      interrupt_.poll();
      checkNode(graph, node);
    }
    checkCycles(graph);
  }

  std::vector<Diagnostic> take() { return std::move(diagnostics_); }

private:
  template <typename... Parts> Diagnostic &error(const Node *node, const Parts &...parts) {
    Diagnostic diagnostic;
    diagnostic.message = cat(parts...);
    if (const Location *file = node ? node->location()->firstFile() : nullptr) {
      diagnostic.file = std::string(file->file());
      diagnostic.line = file->line();
      diagnostic.column = file->column();
    }
    diagnostics_.push_back(std::move(diagnostic));
    return diagnostics_.back();
  }

  void checkInputs(const Graph *graph) {
    for (uint32_t i = 0; i < graph->numInputs(); ++i) {
      const Node *input = graph->inputNodes()[i];
      if (input->numResults() != 1 || input->result(0)->isAbsent())
        error(input, "input ", i, " of ", graph->describe(),
              " must have one result that is not absent");
      checkSymbols(input->attributes(), input);
    }
  }

  void checkOutputs(const Graph *graph) {
    std::unordered_set<std::string> names;
    for (uint32_t i = 0; i < graph->numOutputs(); ++i) {
      if (!graph->outputValue(i))
        error(graph->output(), "output ", i, " of ", graph->describe(),
              " is absent; give it a value or drop it");
      if (graph->hasOutputName(i) && !names.insert(graph->outputName(i)).second)
        error(graph->output(), "two outputs of ", graph->describe(), " have the name '",
              graph->outputName(i), "'");
    }
    checkOperands(graph, graph->output());
    checkSymbols(graph->attributes(), nullptr);
  }

  void checkNode(const Graph *graph, const Node *node) {
    checkOperands(graph, node);
    checkSymbols(node->attributes(), node);
    if (node->nameIsDuplicate())
      error(node, "the name of ", node->describe(), " is that of another node too; rename one");
    for (uint32_t i = 0; i < node->numResults(); ++i)
      if (node->result(i)->nameIsDuplicate())
        error(node, "value '", node->result(i)->name(), "' of ", node->describe(),
              " has the name of another value too; rename one");
    for (const Graph *inner : node->subgraphs())
      run(inner);
  }

  void checkOperands(const Graph *graph, const Node *node) {
    for (const Node *input : node->controlInputs())
      if (input->graph() != graph)
        error(node, "a control edge from ", input->describe(), " to ", node->describe(),
              ", which is in ", graph->describe(), ": control edges order the nodes of one graph; ",
              input->graph() ? "the other is in another" : "the other is detached");
    for (uint32_t i = 0; i < node->numOperands(); ++i) {
      const Value *value = node->operand(i);
      if (!value)
        continue;
      const Graph *defined = value->graph();
      std::string user = node->isNetOutput() ? cat("output ", i, " of ", graph->describe())
                                             : cat("operand ", i, " of ", node->describe());
      if (!defined)
        error(node, user, " is a result of ", value->node()->describe(),
              ", which is detached; insert that node or replace the operand");
      else if (!defined->encloses(graph))
        error(node, user, " is a result of ", value->node()->describe(), ", which is in ",
              defined->describe(),
              ": a graph sees its own values and those of the graphs around it");
    }
  }

  void checkCycles(const Graph *graph) {
    std::vector<Node *> order, cycle;
    if (graph->topologicalOrder(order, &cycle))
      return;
    Diagnostic &diagnostic =
        error(cycle.front(), graph->describe(), " has a cycle: ", Graph::cycleText(cycle));
    cycle.pop_back(); // the first again
    for (const Node *node : cycle) {
      if (const Location *file = node->location()->firstFile()) {
        Diagnostic note;
        note.severity = Severity::Note;
        note.file = std::string(file->file());
        note.line = file->line();
        note.column = file->column();
        note.message = cat(node->describe(), " is part of it");
        diagnostic.notes.push_back(std::move(note));
      }
    }
  }

  void checkSymbols(const AttributeList &attributes, const Node *node) {
    if (!module_)
      return;
    for (uint32_t i = 0; i < attributes.size(); ++i)
      checkSymbol(attributes.at(i), node);
  }

  void checkSymbol(Attribute attribute, const Node *node) {
    if (attribute.kind() == AttrKind::Graph) {
      if (!module_->find(attribute.stringValue()))
        error(node, node ? node->describe() : std::string("a graph"), " names the graph @",
              attribute.stringValue(), ", which the module does not have");
    } else if (attribute.kind() == AttrKind::List || attribute.kind() == AttrKind::Dict) {
      for (Attribute element : attribute.elements())
        checkSymbol(element, node);
    }
  }

  const Module *module_;
  Interrupt interrupt_;
  std::vector<Diagnostic> diagnostics_;
};

} // namespace

std::vector<Diagnostic> verify(const Graph *graph) {
  Verifier verifier(graph->module());
  verifier.run(graph);
  return verifier.take();
}

std::vector<Diagnostic> verify(const Module &module) {
  Verifier verifier(&module);
  for (size_t i = 0; i < module.numGraphs(); ++i)
    verifier.run(module.graph(i));
  return verifier.take();
}

} // namespace ge
