//===- intern_scope_test.cpp - interned objects that go with their model ----------------------===//
//
// Guarantees: what a scope interned dies with the last root, module, tensor or attribute that uses
// it, and not earlier; what anybody else gets hold of becomes permanent, with all it is made of;
// equal objects stay one pointer; several threads read, share, keep and drop at the same time.
//
#include "check.h"

#include "ge/IR/Analysis.h"
#include "ge/Support/StringUtil.h"
#include "ge/Text/Text.h"

#include <string>
#include <thread>
#include <vector>

using namespace ge;

namespace {

std::string printGraph(const Graph *graph) {
  PrintOptions options;
  options.locations = true;
  std::string text;
  print(graph, text, options);
  return text;
}

struct Fixture {
  ContextPtr context = [] {
    Context *created = Context::create();
    ContextPtr held(created);
    created->release();
    return held;
  }();
  ~Fixture() {
    CHECK(context->scopedCount() == 0);
    CHECK(context->liveGraphCount() == 0);
  }

  /// A model with symbols, keys, texts, arrays and locations that have `number` in them.
  std::string text(int number) const {
    Root *root = Root::create(*context, "main");
    InternScope scope(*context);
    Root *made = Root::create(*context, cat("graph", number));
    Dim dims[] = {{-1, context->scopedIdentifier(cat("N", number))}, {number, nullptr}};
    TensorTypeSpec spec;
    spec.shape = dims;
    const Type *type = context->sequenceType(context->tensorType(spec));
    Node *x = Mutation::addInput(made->graph(), "x", type);
    const Location *where[] = {context->nameLocation(cat("name", number)),
                               context->fileLocation(cat("file", number), 1, 2)};
    Mutation::setLocation(x, context->fusedLocation(where));
    AttrRef words = context->stringAttr(cat("text", number));
    Attribute elements[] = {*words, Attribute::type(type)};
    const Identifier *keys[] = {context->scopedIdentifier(cat("key", number)),
                                context->scopedIdentifier("other")};
    AttrRef dict = context->dictAttr(keys, elements);
    Mutation::setAttribute(made->graph(), context->identifier("metadata"), *dict);
    std::string printed = printGraph(made->graph());
    made->drop();
    root->drop();
    return printed;
  }
  Root *parse(int number) { return parseGraph(*context, text(number)); }
};

const Type *typeOf(const Root *root) { return root->graph()->input(0)->type(); }

void modelsGoWithTheirTexts() {
  Fixture f;
  Root *root = f.parse(1);
  CHECK(f.context->scopedCount() > 5);
  uint32_t id = typeOf(root)->id();
  root->drop();
  CHECK(f.context->scopedCount() == 0);
  root = f.parse(2);
  CHECK(typeOf(root)->id() == id); // the id is given out again
  root->drop();
}

void equalObjectsStayOnePointer() {
  Fixture f;
  std::string source = f.text(1);
  Root *a = parseGraph(*f.context, source);
  size_t alone = f.context->scopedCount();
  Root *b = parseGraph(*f.context, source);
  CHECK(typeOf(a) == typeOf(b));
  CHECK(f.context->scopedCount() == alone);
  a->drop();
  CHECK(typeOf(b)->str().find("N1") != std::string::npos);
  b->drop();
}

void copiesShareWhatTheyUse() {
  Fixture f;
  Root *root = f.parse(1);
  std::string printed = printGraph(root->graph());
  Root *copy = clone(root->graph());
  size_t count = f.context->scopedCount();
  root->drop();
  CHECK(f.context->scopedCount() == count);
  CHECK(printGraph(copy->graph()) == printed);
  copy->drop();
}

void absorbedGraphsShareWhatTheyUse() {
  Fixture f;
  Root *root = Root::create(*f.context, "main");
  NodeSpec spec;
  spec.op = f.context->operatorName("test.If");
  Node *node = Mutation::create(root->graph(), nullptr, spec);
  Root *body = f.parse(1);
  Graph *graph = Mutation::addSubgraph(node, "then", *body);
  body->drop();
  CHECK(printGraph(root->graph()).find("N1") != std::string::npos);
  CHECK(graph->input(0)->type()->str().find("N1") != std::string::npos);
  root->drop();
}

void usedElsewhereIsPermanent() {
  Fixture f;
  Root *root = f.parse(1), *other = Root::create(*f.context, "other");
  const Type *type = typeOf(root);
  CHECK(!type->lifetime().isPermanent());
  Mutation::addInput(other->graph(), "y", type);
  CHECK(type->lifetime().isPermanent());
  CHECK(type->element()->lifetime().isPermanent());
  CHECK(type->element()->shape()[0].symbol->lifetime().isPermanent());
  Attribute dict = root->graph()->attributes().at(0);
  CHECK(dict.interned() && !dict.interned()->lifetime().isPermanent());
  root->drop();
  CHECK(type->str().find("N1") != std::string::npos);
  other->drop();
}

void foundOutsideIsPermanent() {
  Fixture f;
  Root *root = f.parse(1);
  const Type *type = typeOf(root);
  CHECK(f.context->sequenceType(type->element()) == type);
  CHECK(type->lifetime().isPermanent());
  AttrRef text = f.context->stringAttr("text1");
  CHECK(text->interned()->lifetime().isPermanent());
  root->drop();
  CHECK(text->stringValue() == "text1");
}

void tensorsKeepTheirType() {
  Fixture f;
  TensorPtr tensor;
  AttrRef list;
  {
    InternScope scope(*f.context);
    Root *root = Root::create(*f.context, "main");
    Dim dims[] = {{3, nullptr}};
    TensorTypeSpec spec;
    spec.shape = dims;
    float values[] = {1, 2, 3};
    tensor = TensorPtr::adopt(Tensor::copy(f.context->tensorType(spec), values, sizeof values));
    AttrRef held = f.context->tensorAttr(tensor), word = f.context->stringAttr("beside");
    Attribute elements[] = {*held, *word};
    list = f.context->listAttr(elements);
    Mutation::setAttribute(root->graph(), f.context->identifier("list"), *list);
    root->drop();
  }
  CHECK(tensor->type()->str() == "tensor<3xf32>");
  CHECK(list->elements()[1].stringValue() == "beside");
  CHECK(f.context->scopedCount() == 2);
  list = AttrRef();
  CHECK(f.context->scopedCount() == 1);
  tensor = TensorPtr();
}

/// Readers with models in common, of which others are kept, copied and made permanent meanwhile.
void threadsReadAndDrop() {
  Fixture f;
  std::vector<std::string> texts;
  for (int i = 0; i != 8; ++i)
    texts.push_back(f.text(i));
  auto work = [&](unsigned thread) {
    for (int round = 0; round != 60; ++round) {
      size_t which = (thread + size_t(round)) % texts.size();
      Root *root = parseGraph(*f.context, texts[which]);
      Root *copy = clone(root->graph());
      root->drop();
      if (printGraph(copy->graph()) != texts[which])
        std::abort();
      if (round % 20 == 19)
        f.context->stringAttr(cat("text", which));
      copy->drop();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != 4; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

int main() {
  modelsGoWithTheirTexts();
  equalObjectsStayOnePointer();
  copiesShareWhatTheyUse();
  absorbedGraphsShareWhatTheyUse();
  usedElsewhereIsPermanent();
  foundOutsideIsPermanent();
  tensorsKeepTheirType();
  threadsReadAndDrop();
  return checkSummary();
}
