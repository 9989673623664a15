//===- Verify.cpp - what is wrong with a graph ------------------------------------------------===//

#include "Dependences.h"
#include "Journal.h"

#include "ge/IR/Analysis.h"
#include "ge/IR/VerifyEdits.h"
#include "ge/Support/DiagnosticLimit.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

namespace ge {

namespace {

/// Nodes and graphs that were edited according to the journal.
class Edited {
public:
  explicit Edited(std::span<const EditMark> marks) {
    for (const EditMark &mark : marks) {
      roots_.insert(mark.root);
      if (const Journal *journal = mark.root->journal())
        journal->forEachSince(mark.length, [this](const auto &entry) { add(entry); });
    }
  }
  /// Returns whether the node, or an enclosing one, was edited.
  bool has(const Node *node) const {
    while (node && !objects_.contains(node)) {
      const Graph *graph = node->graph();
      if (graph && objects_.contains(graph) && graph->parentNode())
        return true;
      node = graph ? graph->parentNode() : nullptr;
    }
    return node;
  }
  bool has(const Graph *graph) const {
    return objects_.contains(graph) || has(graph->parentNode());
  }
  bool hasSymbols(const void *object) const { return symbols_.contains(object); }
  /// The node was created by the edits.
  bool isNew(const Root &root) const { return !roots_.contains(&root); }

private:
  // Types, names and origins do not affect edges, symbols and the names of outputs, so changing
  // them is not an edit here.
  template <typename E> void add(const E &) {}
  void add(const undo::Created &e) { objects_.insert(e.node); }
  void add(const undo::Inserted &e) { objects_.insert(e.node); }
  void add(const undo::Removed &e) { objects_.insert(e.node); }
  void add(const undo::OperandSet &e) { objects_.insert(e.node); }
  void add(const undo::OperandsResized &e) { objects_.insert(e.node); }
  void add(const undo::InputInserted &e) { objects_.insert(e.node); }
  void add(const undo::InputRemoved &e) { objects_.insert(e.node); }
  void add(const undo::SubgraphAdded &e) { objects_.insert(e.graph); }
  void add(const undo::OutputNamesSet &e) { objects_.insert(e.graph); }
  void add(const undo::ControlAdded &e) {
    objects_.insert(e.from);
    objects_.insert(e.to);
  }
  void add(const undo::AttributeSet &e) { addSymbols(e.object); }
  void add(const undo::AttributeAdded &e) { addSymbols(e.object); }
  void addSymbols(const NamedObject &object) {
    std::visit([this](const auto *each) { symbols_.insert(each); }, object);
  }
  std::unordered_set<const void *> objects_; ///< objects whose edges were edited
  std::unordered_set<const void *> symbols_; ///< objects whose attributes were edited
  std::unordered_set<const Root *> roots_;
};

class Verifier {
public:
  explicit Verifier(const Module *module, const Edited *edited = nullptr)
      : module_(module), edited_(edited) {}

  void run(const Graph *graph) {
    checkInputs(graph);
    checkOutputs(graph);
    for (const Node *node = graph->front(); node; node = node->next()) {
      interrupt_.poll();
      checkNode(graph, node);
    }
    checkCycles(graph);
  }

  std::vector<Diagnostic> take() {
    limit_.conclude(diagnostics_, Severity::Error, "errors");
    return std::move(diagnostics_);
  }

private:
  /// Returns whether one of them was edited; true if everything is verified.
  template <typename... Objects> bool counts(const Objects *...objects) const {
    return !edited_ || (... || (objects && edited_->has(objects)));
  }

  template <typename... Parts> Diagnostic &error(const Node *node, const Parts &...parts) {
    if (!limit_.admits())
      return unlisted_ = Diagnostic();
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
      interrupt_.poll();
      const Node *input = graph->inputNodes()[i];
      if ((input->numResults() != 1 || input->result(0)->isAbsent()) && counts(input))
        error(input, "input ", i, " of ", graph->describe(),
              " must have one result that is not absent");
      checkSymbols(input->attributes(), input);
    }
  }

  void checkOutputs(const Graph *graph) {
    std::unordered_set<std::string> names;
    for (uint32_t i = 0; i < graph->numOutputs(); ++i) {
      interrupt_.poll();
      if (!graph->outputValue(i) && counts(graph->output()))
        error(graph->output(), "output ", i, " of ", graph->describe(),
              " is absent; give it a value or drop it");
      if (graph->hasOutputName(i) && !names.insert(graph->outputName(i)).second && counts(graph))
        error(graph->output(), "two outputs of ", graph->describe(), " have the name '",
              graph->outputName(i), "'");
    }
    checkOperands(graph, graph->output());
    checkSymbols(graph->attributes(), nullptr, graph);
  }

  void checkNode(const Graph *graph, const Node *node) {
    checkOperands(graph, node);
    checkSymbols(node->attributes(), node);
    checkNames(node);
    for (const Graph *inner : node->subgraphs())
      run(inner);
  }

  /// Only a file or a text can have a name twice: no edit creates one.
  void checkNames(const Node *node) {
    if (edited_)
      return;
    if (node->nameIsDuplicate())
      error(node, "the name of ", node->describe(), " is that of another node too; rename one");
    for (uint32_t i = 0; i < node->numResults(); ++i) {
      interrupt_.poll();
      if (node->result(i)->nameIsDuplicate())
        error(node, "value '", node->result(i)->name(), "' of ", node->describe(),
              " has the name of another value too; rename one");
    }
  }

  void checkOperands(const Graph *graph, const Node *node) {
    for (const Node *input : node->controlInputs())
      if (input->graph() != graph && counts(node, input))
        error(node, "a control edge from ", input->describe(), " to ", node->describe(),
              ", which is in ", graph->describe(), ": control edges order the nodes of one graph; ",
              input->graph() ? "the other is in another" : "the other is detached");
    for (uint32_t i = 0; i < node->numOperands(); ++i) {
      interrupt_.poll();
      const Value *value = node->operand(i);
      if (!value)
        continue;
      const Graph *defined = value->graph();
      if ((defined && defined->encloses(graph)) || !counts(node, value->node()))
        continue;
      std::string user = node->isNetOutput() ? cat("output ", i, " of ", graph->describe())
                                             : cat("operand ", i, " of ", node->describe());
      if (!defined)
        error(node, user, " is a result of ", value->node()->describe(),
              ", which is detached; insert that node or replace the operand");
      else
        error(node, user, " is a result of ", value->node()->describe(), ", which is in ",
              defined->describe(),
              ": a graph sees its own values and those of the graphs around it");
    }
  }

  void checkCycles(const Graph *graph) {
    if (isSorted(graph))
      return;
    std::vector<Node *> order, cycle;
    if (graph->topologicalOrder(order, &cycle) ||
        (edited_ && std::ranges::none_of(cycle, [&](const Node *node) { return counts(node); })))
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

  void checkSymbols(const AttributeList &attributes, const Node *node,
                    const Graph *graph = nullptr) {
    bool isEdited = counts(node, graph) || (node && edited_->hasSymbols(node)) ||
                    (graph && edited_->hasSymbols(graph));
    if (!module_ || !isEdited)
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
  const Edited *edited_; ///< null: verify everything
  Interrupt interrupt_;
  std::vector<Diagnostic> diagnostics_;
  DiagnosticLimit limit_;
  Diagnostic unlisted_; ///< receives the notes of errors beyond the limit
};

} // namespace

std::vector<Diagnostic> verify(const Graph *graph) {
  Verifier verifier(graph->module());
  verifier.run(graph);
  return verifier.take();
}

std::vector<Diagnostic> verify(const Module &module) {
  Verifier verifier(&module);
  for (size_t i = 0; i < module.numGraphs(); ++i) {
    Interrupt::look();
    verifier.run(module.graph(i));
  }
  return verifier.take();
}

std::vector<Diagnostic> verifyEdits(std::span<const Graph *const> graphs, const Module *module,
                                    std::span<const EditMark> marks) {
  Edited edited(marks);
  std::vector<Diagnostic> all;
  for (const Graph *graph : graphs) {
    Interrupt::look();
    Verifier verifier(module ? module : graph->module(),
                      edited.isNew(graph->root()) ? nullptr : &edited);
    verifier.run(graph);
    std::ranges::move(verifier.take(), std::back_inserter(all));
  }
  return all;
}

} // namespace ge
