/* Modules: order and names of graphs, moving them in and out, attributes, clones, ownership. */
#include "check.h"

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeModule *module = NULL;
  CHECK_OK(geModuleCreate(context, S("model"), &module));
  CHECK(geModuleGetContext(module) == context);
  GeStringRef text;
  CHECK_OK(geModuleGetName(module, &text));
  CHECK_TEXT("model", text);
  CHECK_OK(geModuleSetName(module, S("renamed")));
  CHECK_OK(geModuleGetName(module, &text));
  CHECK_TEXT("renamed", text);
  CHECK_FAILS(GE_ERROR_VALUE, geModuleSetName(module, S("\xff")));

  GeGraphRef *a = NULL, *b = newGraph(context, "b"), *found = NULL;
  CHECK_OK(geModuleAddGraph(module, S("a"), &a));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleAddGraph(module, S("a"), &found));
  CHECK_OK(geModuleAdoptGraph(module, b));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleAdoptGraph(module, b));
  CHECK(geModuleNumGraphs(module) == 2);
  CHECK_OK(geModuleGetGraph(module, 1, &found));
  CHECK(found == b);
  geGraphRelease(found);
  CHECK_FAILS(GE_ERROR_INDEX, geModuleGetGraph(module, 2, &found));
  CHECK_OK(geModuleFindGraph(module, S("a"), &found));
  CHECK(found == a);
  geGraphRelease(found);
  CHECK_FAILS(GE_ERROR_VALUE, geGraphSetName(b, S("a")));
  CHECK_OK(geGraphSetName(b, S("c")));
  CHECK_OK(geModuleFindGraph(module, S("c"), &found));
  CHECK(found == b);
  geGraphRelease(found);
  CHECK_OK(geModuleFindGraph(module, S("b"), &found));
  CHECK(found == NULL);
  GeModule *owner = NULL;
  CHECK_OK(geGraphGetModule(a, &owner));
  CHECK(owner == module);
  geModuleRelease(owner);

  /* A renaming that is rolled back. */
  GeTransaction *t = NULL;
  CHECK_OK(geTransactionBegin(b, &t));
  CHECK_OK(geGraphSetName(b, S("temporary")));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleAddGraph(module, S("c"), &found)); /* still reserved */
  CHECK_FAILS(GE_ERROR_VALUE, geGraphSetName(a, S("c")));
  CHECK_OK(geTransactionDestroy(t));
  CHECK_OK(geModuleFindGraph(module, S("temporary"), &found));
  CHECK(found == NULL);
  CHECK_OK(geModuleFindGraph(module, S("c"), &found));
  CHECK(found == b);
  geGraphRelease(found);

  /* Attributes in order. */
  GeIdentifier producer = identifier(context, "producer"), opset = identifier(context, "opset");
  GeAttribute value = {0}, read = {0};
  CHECK_OK(geAttributeString(context, S("pytorch"), &value));
  CHECK_OK(geModuleSetAttribute(module, producer, value));
  CHECK_OK(geAttributeInt(context, 17, 8, &value));
  CHECK_OK(geModuleSetAttribute(module, opset, value));
  CHECK(geModuleNumAttributes(module) == 2);
  GeNamedAttribute named;
  CHECK_OK(geModuleGetAttributeAt(module, 0, &named));
  CHECK(named.name == producer);
  CHECK_OK(geModuleGetAttribute(module, opset, &read));
  CHECK(read.bits == value.bits);
  read.bits = 0;
  CHECK_OK(geModuleSetAttribute(module, producer, read));
  CHECK(geModuleNumAttributes(module) == 1);
  CHECK_FAILS(GE_ERROR_INDEX, geModuleGetAttributeAt(module, 1, &named));

  /* Graph symbols are resolved in the module. */
  GeNodeRef *call = addNode(a, "my.Call", "call", NULL, NULL, NULL);
  CHECK_OK(geAttributeGraph(context, S("c"), &value));
  CHECK_OK(geNodeSetAttribute(call, identifier(context, "callee"), value));
  CHECK_OK(geModuleVerify(module));
  CHECK_OK(geAttributeGraph(context, S("nobody"), &value));
  CHECK_OK(geNodeSetAttribute(call, identifier(context, "callee"), value));
  CHECK_FAILS(GE_ERROR_VERIFY, geModuleVerify(module));
  CHECK_SAYS("nobody");
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerify(a));

  /* A copy. */
  GeModule *copy = NULL;
  CHECK_OK(geModuleClone(module, &copy));
  bool equal = false;
  CHECK_OK(geModuleIsStructurallyEqual(module, copy, &equal));
  CHECK(equal);
  CHECK_OK(geModuleFindGraph(copy, S("a"), &found));
  CHECK_OK(geModuleEraseGraph(copy, found));
  CHECK_FAILS(GE_ERROR_STALE, geGraphSort(found));
  CHECK_SAYS("graph 'a' was erased");
  geGraphRelease(found);
  CHECK_OK(geModuleIsStructurallyEqual(module, copy, &equal));
  CHECK(!equal);
  CHECK_FAILS(GE_ERROR_VALUE, geModuleEraseGraph(copy, a));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleAdoptGraph(copy, a));
  geModuleRelease(copy);

  /* A detached graph is kept alive by its reference only. */
  CHECK_OK(geModuleDetachGraph(module, a));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleDetachGraph(module, a));
  CHECK_OK(geGraphGetModule(a, &owner));
  CHECK(owner == NULL);
  CHECK(geModuleNumGraphs(module) == 1);
  CHECK_OK(geModuleAdoptGraph(module, a));

  /* A reference into a graph keeps the module alive, and with it the module's other graphs. */
  geGraphRelease(b);
  geModuleRelease(module);
  CHECK(geContextLiveGraphCount(context) == 2);
  CHECK_OK(geGraphGetModule(a, &owner));
  CHECK_OK(geModuleFindGraph(owner, S("c"), &found));
  CHECK(found != NULL);
  geGraphRelease(found);
  int wrapper = 0;
  CHECK(geModuleGetSlot(owner) == NULL);
  geModuleSetSlot(owner, &wrapper);
  CHECK(geModuleGetSlot(owner) == &wrapper);
  geModuleRelease(owner);
  geGraphRelease(a);
  CHECK_OK(geNodeSetName(call, S("kept")));
  geNodeRelease(call);
  CHECK_NO_LEAKS(context);

  /* Read access to a whole module. */
  CHECK_OK(geModuleCreate(context, S("held"), &module));
  CHECK_OK(geModuleAddGraph(module, S("a"), &a));
  CHECK_OK(geModuleAcquireRead(module));
  CHECK_FAILS(GE_ERROR_BUSY, geGraphSetName(a, S("x")));
  CHECK_SAYS("graph 'a'");
  CHECK_FAILS(GE_ERROR_BUSY, geModuleSetName(module, S("x")));
  CHECK_SAYS("module 'held'");
  CHECK_OK(geModuleReleaseRead(module));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleReleaseRead(module));
  CHECK_OK(geGraphSetName(a, S("x")));
  geGraphRelease(a);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
