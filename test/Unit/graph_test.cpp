//===- graph_test.cpp - primitives, handles, transactions, order, without the C API -----------===//
//
// Guarantees: a rollback restores everything, use order included; handles die and live again with
// their objects; list order is what a plain vector says after any inserts; a root moved in as a
// subgraph keeps its handles; cursors survive every edit. Not covered: access from several threads
// (test/CAPI).
//
#include "check.h"

#include "ge/IR/Analysis.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ge;

namespace {

/// A root graph with one input and helpers to grow it.
struct Fixture {
  ContextPtr context = [] {
    Context *created = Context::create();
    ContextPtr held(created);
    created->release();
    return held;
  }();
  Root *root = Root::create(*context, "main");
  Graph *graph = root->graph();
  const Type *type = context->tensorType({});
  Value *x = Mutation::addInput(graph, "x", type)->result(0);

  ~Fixture() {
    root->drop();
    CHECK(context->liveHandleCount() == 0);
    CHECK(context->liveGraphCount() == 0);
  }

  NodeSpec spec(std::vector<Value *> &operands, std::string_view name, std::string_view op) {
    NodeSpec s;
    s.op = context->operatorName(op);
    s.operands = operands;
    s.resultTypes = {&type, 1};
    s.name = name;
    return s;
  }
  Node *add(std::string_view name, std::vector<Value *> operands, Node *before = nullptr,
            std::string_view op = "onnx.Add") {
    return Mutation::create(graph, before, spec(operands, name, op));
  }
  void outputs(std::vector<Value *> values) { Mutation::setOutputs(graph, values); }
};

std::string usesOf(const Value *value) {
  std::string text;
  for (const Use *use = value->firstUse(); use; use = use->next()) {
    use->owner()->appendName(text);
    text += cat(".", use->index(), " ");
  }
  return text;
}

std::string orderOf(const Graph *graph) {
  std::string text;
  for (const Node *node = graph->front(); node; node = node->next()) {
    node->appendName(text);
    text += ' ';
  }
  return text;
}

void rollbackRestoresEverything() {
  Fixture f;
  Node *a = f.add("a", {f.x, f.x}), *b = f.add("b", {a->result(0), f.x}),
       *c = f.add("c", {b->result(0), a->result(0)});
  Mutation::rename(b->result(0), "vb");
  Mutation::setAttribute(b, f.context->identifier("k"), *f.context->intAttr(1));
  Mutation::setAttribute(b, f.context->identifier("l"), *f.context->intAttr(2));
  Mutation::addControlEdge(a, c);
  f.outputs({c->result(0)});
  Mutation::setOutputName(f.graph, 0, "y");
  HandleRecord *hb = acquireHandle(b), *hv = acquireHandle(b->result(0));
  std::string uses = usesOf(f.x) + usesOf(a->result(0)), order = orderOf(f.graph);
  uint64_t hash = structuralHash(f.graph);
  HandleRecord *fresh;
  {
    Transaction outer(*f.root);
    Mutation::setAttribute(b, f.context->identifier("k"), {});
    Mutation::setAttribute(b, f.context->identifier("m"), *f.context->intAttr(3));
    {
      Transaction inner(*f.root);
      Value *replacement[] = {a->result(0)};
      Mutation::replace(b, replacement);
      CHECK(!hb->isAlive() && !hv->isAlive());
      inner.commit();
    }
    Node *d = f.add("a", {f.x, a->result(0)}, a);
    CHECK(d->name() == "a_1");
    fresh = acquireHandle(d);
    Node *owner = f.add("if", {f.x}, nullptr, "onnx.If");
    Graph *inner = Mutation::addSubgraph(owner, "then_branch", "t");
    std::vector<Value *> operands{f.x};
    Mutation::create(inner, nullptr, f.spec(operands, "in", "onnx.Relu"));
    Mutation::erase(owner);
    Mutation::rename(a, "z");
    Mutation::insert(c, f.graph, a);
    std::vector<Value *> many(5, f.x);
    Mutation::setOperands(c, many);
    Mutation::addInput(f.graph, "late", f.type, nullptr, 0);
    Mutation::setOutputName(f.graph, 0, "other");
    f.outputs({f.x, f.x});
    Mutation::sort(f.graph);
    Mutation::eraseDeadNodes(f.graph);
    outer.rollback();
  }
  CHECK(hb->isAlive() && hv->isAlive() && hb->object == b);
  CHECK(!fresh->isAlive() && fresh->reason().find("rolled back") != std::string::npos);
  CHECK(usesOf(f.x) + usesOf(a->result(0)) == uses);
  CHECK(orderOf(f.graph) == order);
  CHECK(structuralHash(f.graph) == hash);
  CHECK(b->result(0)->name() == "vb" && f.root->findValue("vb") == b->result(0));
  CHECK(f.root->findNode("a") == a && !f.root->findNode("z") && !f.root->findNode("a_1"));
  CHECK(f.graph->outputName(0) == "y" && f.graph->numInputs() == 1);
  CHECK(f.context->identifierAt(b->attributes().nameIdAt(0))->str() == "k");
  CHECK(f.add("a", {f.x})->name() == "a_1"); // the counter went back, too
  CHECK(verify(f.graph).empty());
  for (HandleRecord *record : {hb, hv, fresh})
    releaseHandle(record);
}

/// Some thousands of edits of all kinds that rewrites are made of, in transactions of which inner
/// ones are rolled back now and then.
void editAtRandom(Fixture &f, std::mt19937 &random, int count, bool nests) {
  const Identifier *key = f.context->identifier("k");
  std::vector<Node *> nodes;
  for (Node *node = f.graph->front(); node; node = node->next())
    nodes.push_back(node);
  for (int i = 0; i != count; ++i) {
    if (nests && i % 1000 == 0) {
      Transaction inner(*f.root);
      editAtRandom(f, random, 300, false);
      if (random() % 2)
        inner.commit();
      else
        inner.rollback();
      nodes.clear();
      for (Node *node = f.graph->front(); node; node = node->next())
        nodes.push_back(node);
    }
    size_t at = random() % nodes.size();
    Node *node = nodes[at];
    switch (random() % 8) {
    case 0:
    case 1:
    case 2: { // one takes the place of another
      Node *made = f.add("", {node->operand(0), f.x, node->operand(1)}, node, "onnx.Sum");
      Mutation::replaceAllUses(node->result(0), made->result(0));
      Mutation::moveName(node->result(0), made->result(0));
      Mutation::moveName(node, made);
      Mutation::erase(node);
      nodes[at] = made;
      break;
    }
    case 3:
      nodes.push_back(f.add(cat("n", i), {f.x, node->operand(0)}, node));
      break;
    case 4:
      Mutation::setOperand(node, random() % 2, f.x);
      break;
    case 5:
      Mutation::rename(node, cat("r", random() % 100));
      break;
    case 6:
      Mutation::setAttribute(node, key, *f.context->intAttr(int64_t(random() % 10)));
      break;
    default:
      if (node->hasUses() || nodes.size() < 100)
        break;
      Mutation::erase(node);
      nodes[at] = nodes.back();
      nodes.pop_back();
    }
  }
}

void manyEditsAreUndone() {
  Fixture f;
  std::mt19937 random(11);
  Value *x = f.x;
  for (int i = 0; i != 2000; ++i)
    x = f.add(cat("node", i), {x, f.x})->result(0);
  f.outputs({x});
  for (int round = 0; round != 4; ++round) {
    std::string uses = usesOf(f.x), order = orderOf(f.graph);
    uint64_t hash = structuralHash(f.graph);
    {
      Transaction transaction(*f.root);
      editAtRandom(f, random, 20000, true);
      transaction.rollback();
    }
    CHECK(usesOf(f.x) == uses && orderOf(f.graph) == order && structuralHash(f.graph) == hash);
    Transaction transaction(*f.root);
    editAtRandom(f, random, 20000, true);
    transaction.commit();
    CHECK(verify(f.graph).empty());
  }
  // The names of what was erased are free, and those of what is there are found.
  for (Node *node = f.graph->front(); node; node = node->next())
    CHECK(!node->hasName() || f.root->findNode(node->name()) == node);
  for (int i = 0; i != 2000; ++i)
    if (std::string name = cat("node", i); !f.root->findNode(name))
      CHECK(f.add(name, {f.x, f.x})->name() == name);
}

void orderIsThatOfAList() {
  Fixture f;
  std::mt19937 random(7);
  std::vector<Node *> model;
  for (int i = 0; i < 20000; ++i) {
    // Mostly at one place, which is the worst case for labels.
    size_t at = i % 10 ? std::min<size_t>(model.size(), 3) : random() % (model.size() + 1);
    Node *node = f.add("", {f.x}, at == model.size() ? nullptr : model[at]);
    model.insert(model.begin() + long(at), node);
  }
  size_t i = 0;
  bool same = true, sorted = true;
  for (Node *node = f.graph->front(); node; node = node->next(), ++i) {
    same = same && model[i] == node;
    sorted = sorted && (i == 0 || model[i - 1]->isBefore(node));
  }
  CHECK(same && sorted && i == model.size());
  for (int k = 0; k < 1000; ++k) {
    size_t a = random() % model.size(), b = random() % model.size();
    CHECK(model[a]->isBefore(model[b]) == (a < b));
  }
}

void cursorsSurviveEdits() {
  Fixture f;
  std::vector<Node *> nodes;
  for (int i = 0; i < 6; ++i)
    nodes.push_back(f.add(cat("n", i), {f.x}));
  std::string seen;
  NodeCursor cursor(f.graph);
  while (Node *node = cursor.next()) {
    node->appendName(seen);
    seen += ' ';
    if (node == nodes[1]) {
      f.add("behind", {f.x}, nodes[0]);
      f.add("ahead", {f.x}, nodes[2]);
      Mutation::erase(nodes[2]);
      Mutation::erase(nodes[1]);
    }
    if (node == nodes[3])
      Mutation::insert(nodes[3], f.graph, nullptr); // moved ahead: seen again there
    if (seen.size() > 200)
      break;
    if (node == nodes[5])
      Mutation::erase(nodes[3]);
  }
  CHECK(seen == "n0 n1 ahead n3 n4 n5 ");
}

void absorbedRootKeepsItsHandles() {
  Fixture f;
  Node *owner = f.add("if", {f.x}, nullptr, "onnx.If");
  Root *other = Root::create(*f.context, "body");
  Value *in = Mutation::addInput(other->graph(), "x", f.type)->result(0);
  std::vector<Value *> operands{in};
  Node *relu = Mutation::create(other->graph(), nullptr, f.spec(operands, "if", "onnx.Relu"));
  HandleRecord *graph = acquireHandle(other->graph()), *node = acquireHandle(relu);
  Mutation::erase(Mutation::create(other->graph(), nullptr, f.spec(operands, "dead", "onnx.Relu")));
  other->drop();
  Mutation::addSubgraph(owner, "then_branch", *other);
  CHECK(graph->isAlive() && node->isAlive() && &relu->root() == f.root);
  CHECK(relu->name() == "if_1" && in->name() == "x_1" && f.root->findNode("if_1") == relu);
  CHECK(f.context->liveGraphCount() == 1 && f.context->liveHandleCount() == 2);
  CHECK(verify(f.graph).empty());
  CHECK(f.root->findAll(owner->subgraphs()[0], relu->op()).size() == 1);
  releaseHandle(graph);
  Mutation::erase(owner);
  CHECK(!node->isAlive());
  CHECK(f.root->findAll(f.graph, f.context->operatorName("onnx.If")).empty());
  releaseHandle(node);
}

void rootLivesWhileAHandleDoes() {
  Context *context = Context::create();
  Root *root = Root::create(*context, "main");
  Value *x = Mutation::addInput(root->graph(), "x", context->tensorType({}))->result(0);
  HandleRecord *value = acquireHandle(x);
  root->drop();
  CHECK(context->liveGraphCount() == 1 && context->liveHandleCount() == 1);
  context->release(); // the root holds it
  CHECK(value->isAlive() && x->name() == "x");
  HandleRecord *again = acquireHandle(x);
  CHECK(again == value);
  releaseHandle(again);
  releaseHandle(value);
}

void capturesOrderTheirOwner() {
  Fixture f;
  Node *owner = f.add("if", {f.x}, nullptr, "onnx.If");
  Node *late = f.add("late", {f.x});
  Graph *inner = Mutation::addSubgraph(owner, "then_branch", "");
  std::vector<Value *> operands{late->result(0)};
  Node *first = Mutation::create(inner, nullptr, f.spec(operands, "in", "onnx.Relu"));
  operands = {first->result(0)};
  Mutation::create(inner, nullptr, f.spec(operands, "in2", "onnx.Relu"));
  Mutation::sort(f.graph);
  CHECK(orderOf(f.graph) == "late if ");
  Mutation::setOperand(late, 0, owner->result(0));
  std::vector<Diagnostic> found = verify(f.graph);
  CHECK(found.size() == 1 && found[0].message == "graph 'main' has a cycle: late -> if -> late");
}

void deadNodesGoWithTheirSources() {
  Fixture f;
  Node *a = f.add("a", {f.x}), *b = f.add("b", {a->result(0)}), *kept = f.add("kept", {f.x});
  f.add("c", {b->result(0), kept->result(0)});
  f.outputs({kept->result(0)});
  CHECK(Mutation::eraseDeadNodes(f.graph) == 3);
  CHECK(orderOf(f.graph) == "kept ");
}

} // namespace

int main() {
  rollbackRestoresEverything();
  manyEditsAreUndone();
  orderIsThatOfAList();
  cursorsSurviveEdits();
  absorbedRootKeepsItsHandles();
  rootLivesWhileAHandleDoes();
  capturesOrderTheirOwner();
  deadNodesGoWithTheirSources();
  return checkSummary();
}
