/* Operators: records, schema text, registries, libraries, the binder through a table of functions,
 * and invalid arguments. */
#include "check.h"

#include "ge-c/Ops.h"

static GeOpDef parse(const char *schema) {
  GeOpDef op = NULL;
  CHECK_OK(geOpDefParse(S(schema), S("test.c"), 7, &op));
  return op;
}

static void checkPrints(GeOpDef op, GeSchemaStyle style, const char *expected) {
  Text text = {NULL, 0};
  CHECK_OK(geOpDefPrint(op, style, appendText, &text));
  if (strcmp(text.data, expected) != 0)
    FAIL("'%s' is not '%s'", text.data, expected);
  freeText(&text);
}

/* --- Records ---------------------------------------------------------------------------------- */

static void testRecord(void) {
  const char *schema = "acme::f.over(Tensor(a!)[] x, int[2] k=[1, 1], *, float e=1e-05, str "
                       "m=\"q\") -> (Tensor y, int n)";
  GeOpDef op = parse(schema);
  GeOpInfo info = {.size = sizeof info};
  CHECK_OK(geOpDefGetInfo(op, &info));
  CHECK_TEXT("acme", info.ns);
  CHECK_TEXT("f", info.name);
  CHECK_TEXT("over", info.overload);
  CHECK_TEXT("test.c", info.sourceFile);
  CHECK(info.sourceLine == 7 && info.since == 0 && !info.vararg && !info.deprecated);
  CHECK(info.numParams == 4 && info.numResults == 2 && info.numOperands == 1);
  CHECK(info.numPositional == 2 && info.traits == 0);
  checkPrints(op, GE_SCHEMA_CANONICAL, schema);
  checkPrints(op, GE_SCHEMA_TORCH,
              "acme::f.over(Tensor(a!)[] x, int[2] k=1, *, float e=1.0000000000000001e-05, str "
              "m=\"q\") -> (Tensor y, int n)");

  GeSlotInfo slot = {.size = sizeof slot};
  GeParamInfo param = {.size = sizeof param};
  CHECK_OK(geOpDefGetParam(op, 0, &slot, &param));
  CHECK_TEXT("x", slot.name);
  CHECK_TEXT("Tensor[]", geSchemaTypeStr(slot.type));
  CHECK(slot.isTensor && slot.isVariadic && !param.defaultValue && !param.kwOnly);
  GeAlias alias = geAliasGetContained(slot.alias, 0);
  CHECK(geAliasNumBefore(slot.alias) == 0 && geAliasNumBefore(alias) == 1);
  CHECK(geAliasIsWrite(alias) && geAliasNumAfter(alias) == 1);
  CHECK_TEXT("a", geAliasGetBefore(alias, 0));
  CHECK(geAliasGetBefore(alias, 1).length == 0 && !geAliasGetContained(alias, 0));

  CHECK_OK(geOpDefGetParam(op, 1, &slot, &param));
  GeConstantValue value = {.size = sizeof value};
  GeConstant item = NULL;
  CHECK(slot.length == 2 && geSchemaTypeGetKind(slot.type) == GE_SCHEMA_LIST);
  CHECK_TEXT("int", geSchemaTypeGetName(geSchemaTypeGetElement(slot.type, 0)));
  CHECK_TEXT("[1, 1]", param.defaultText);
  CHECK_OK(geConstantGet(param.defaultValue, &value));
  CHECK(value.kind == GE_CONSTANT_LIST && value.numItems == 2);
  CHECK_OK(geConstantGetItem(param.defaultValue, 1, &item));
  CHECK_OK(geConstantGet(item, &value));
  CHECK(value.kind == GE_CONSTANT_INT && value.integer == 1);
  CHECK_FAILS(GE_ERROR_INDEX, geConstantGetItem(param.defaultValue, 2, &item));

  CHECK_OK(geOpDefGetResult(op, 1, &slot));
  CHECK_TEXT("n", slot.name);
  CHECK(!slot.isTensor && !slot.alias && slot.typeVar == -1);
  size_t index = 0;
  CHECK_OK(geOpDefGetOperand(op, 0, &index));
  CHECK(index == 0);
  CHECK_OK(geOpDefGetAttribute(op, 2, &index));
  CHECK(index == 3 && geOpDefFindParam(op, S("e")) == 2 && geOpDefFindResult(op, S("e")) == -1);
  CHECK_FAILS(GE_ERROR_INDEX, geOpDefGetParam(op, 4, NULL, &param));
  CHECK_FAILS(GE_ERROR_INDEX, geOpDefGetAttribute(op, 3, &index));
  geOpDefRetain(op);
  geOpDefRelease(op);
  checkPrints(op, GE_SCHEMA_CANONICAL, schema);
  geOpDefRelease(op);
}

static void testSpec(void) {
  GeOpSpec *spec = NULL;
  CHECK_OK(
      geOpSpecCreate(S("f(Tensor x, str mode=\"a\", float p=0.5) -> Tensor"), S(""), 0, &spec));
  CHECK_OK(geOpSpecSetDoc(spec, S("Does it.")));
  CHECK_OK(geOpSpecSetSince(spec, 13));
  CHECK_OK(geOpSpecSetTraits(spec, GE_TRAIT_PURE | GE_TRAIT_ELEMENTWISE));
  CHECK_FAILS(GE_ERROR_VALUE, geOpSpecSetTraits(spec, 1u << 20));
  CHECK_TEXT("elementwise", geOpTraitName(GE_TRAIT_ELEMENTWISE));
  CHECK_TEXT("function", geOpTraitName(GE_TRAIT_FUNCTION));
  /* An invalid value. NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange) */
  CHECK_TEXT("", geOpTraitName((GeOpTrait)3));
  CHECK_OK(geOpSpecSetDeprecated(spec, true, S("use g")));
  CHECK_OK(geOpSpecSetChoices(spec, 1, S("['a', 'b']")));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geOpSpecSetChoices(spec, 1, S("[1]")));
  CHECK_OK(geOpSpecSetRange(spec, 2, 1, 1, false, false));
  CHECK_FAILS(GE_ERROR_VALUE, geOpSpecSetRange(spec, 2, 1, 1, true, false));
  CHECK_OK(geOpSpecSetRange(spec, 2, 0, 1, false, true));
  CHECK_FAILS(GE_ERROR_VALUE, geOpSpecSetRange(spec, 2, 1, 0, false, false));
  GeStringRef allowed[2] = {S("tensor(float)"), S("tensor(double)")};
  int32_t variable = -1;
  CHECK_OK(geOpSpecAddTypeVar(spec, S("T"), allowed, 2, S("Floats."), &variable));
  GeSlotExtra extra = {sizeof extra, S("The operand."), false, true, 0, variable};
  CHECK_OK(geOpSpecSetSlot(spec, false, 0, &extra));
  CHECK_OK(geOpSpecSetSlot(spec, true, 0, &extra));
  CHECK_FAILS(GE_ERROR_INDEX, geOpSpecSetSlot(spec, true, 1, &extra));
  GeStringRef notUtf8 = {"\xff", 1};
  CHECK_FAILS(GE_ERROR_VALUE, geOpSpecSetDoc(spec, notUtf8));
  GeOpDef op = NULL;
  CHECK_OK(geOpSpecFinish(spec, &op));

  GeOpInfo info = {.size = sizeof info};
  CHECK_OK(geOpDefGetInfo(op, &info));
  CHECK_TEXT("Does it.", info.doc);
  CHECK_TEXT("use g", info.deprecation);
  CHECK(info.since == 13 && info.deprecated && info.numTypeVars == 1);
  CHECK(info.traits == (GE_TRAIT_PURE | GE_TRAIT_ELEMENTWISE));
  GeStringRef name, doc;
  size_t count = 0;
  CHECK_OK(geOpDefGetTypeVar(op, 0, &name, &doc, &count));
  CHECK_TEXT("T", name);
  CHECK(count == 2);
  CHECK_OK(geOpDefGetAllowedType(op, 0, 1, &name));
  CHECK_TEXT("tensor(double)", name);
  GeSlotInfo slot = {.size = sizeof slot};
  GeParamInfo param = {.size = sizeof param};
  CHECK_OK(geOpDefGetParam(op, 0, &slot, NULL));
  CHECK_TEXT("The operand.", slot.doc);
  CHECK(slot.typeVar == 0);
  CHECK_OK(geOpDefGetParam(op, 1, NULL, &param));
  GeConstant choice = NULL;
  CHECK(param.numChoices == 2);
  CHECK_OK(geOpDefGetChoice(op, 1, 1, &choice));
  GeConstantValue value = {.size = sizeof value};
  CHECK_OK(geConstantGet(choice, &value));
  CHECK_TEXT("b", value.text);
  CHECK_OK(geOpDefGetParam(op, 2, NULL, &param));
  CHECK(param.hasRange && param.low == 0 && param.high == 1);
  CHECK(!param.isLowOpen && param.isHighOpen);
  geOpDefRelease(op);
}

static void testSchemaText(void) {
  GeOpDef op = NULL;
  GeDiagnostic diagnostic = {.size = sizeof diagnostic};
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geOpDefParse(S("f(int x=\"a\") -> ()"), S("a.py"), 3, &op));
  CHECK(geErrorNumDiagnostics() == 1);
  CHECK_OK(geErrorDiagnostic(0, &diagnostic));
  CHECK(diagnostic.line == 3 && diagnostic.column == 9);
  CHECK_SAYS("must be int, not str \"a\"");
  CHECK_SAYS("        ^");
  GeStringRef ns, name, overload;
  CHECK_OK(geOpDefParseOrName(S("aten::add.Tensor"), S(""), 0, &op, &ns, &name, &overload));
  CHECK(!op);
  CHECK_TEXT("aten", ns);
  CHECK_TEXT("add", name);
  CHECK_TEXT("Tensor", overload);
  CHECK_OK(geOpDefParseOrName(S("a::f() -> ()"), S(""), 0, &op, &ns, &name, &overload));
  CHECK_TEXT("f", name);
  geOpDefRelease(op);
  GeSchemaType type = NULL, same = NULL;
  CHECK_OK(geSchemaTypeParse(S("Dict(str, Tensor)?"), &type));
  CHECK_OK(geSchemaTypeParse(S(" Dict( str,Tensor ) ?"), &same));
  CHECK(type == same && geSchemaTypeContainsTensor(type));
  CHECK(geSchemaTypeGetKind(type) == GE_SCHEMA_OPTIONAL && !geSchemaTypeGetElement(type, 1));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geSchemaTypeParse(S("Tensor(a)"), &type));
  GeDType f16 = 0, dtype = 0;
  CHECK_OK(geDTypeFromName(S("f16"), &f16));
  op = parse("f(ScalarType d=half, int k=1) -> ()");
  GeParamInfo param = {.size = sizeof param};
  CHECK_OK(geOpDefGetParam(op, 0, NULL, &param));
  CHECK_OK(geConstantGetDType(param.defaultValue, &dtype));
  CHECK(dtype == f16);
  geOpDefRelease(op);
}

/* --- Registry --------------------------------------------------------------------------------- */

static void countKeys(const GeOpKey *key, void *userData) {
  CHECK(key->name.length > 0);
  ++*(int *)userData;
}

static void testRegistry(void) {
  GeRegistry *registry = NULL;
  GeLibrary *home = NULL, *fragment = NULL, *second = NULL;
  CHECK_OK(geRegistryCreate(&registry));
  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_DEF, S("acme"), S("a.c"), 1, &home));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA,
              geLibraryOpen(registry, GE_LIBRARY_DEF, S("acme"), S("b.c"), 2, &second));
  CHECK_SAYS("b.c:2");
  CHECK_SAYS("a.c:1");
  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_FRAGMENT, S("acme"), S("b.c"), 2, &fragment));
  uint64_t generation = geRegistryGeneration(registry);
  GeOpDef op = NULL;
  CHECK_OK(geLibraryDefine(home, S("add.Tensor(Tensor a, Tensor b) -> Tensor"), S("Adds."),
                           S("a.c"), 2, &op));
  CHECK(geRegistryGeneration(registry) > generation);
  CHECK_OK(geLibraryDefine(fragment, S("acme::add.Scalar(Tensor a, Scalar b) -> Tensor"), S(""),
                           S("b.c"), 3, NULL));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA,
              geLibraryDefine(fragment, S("add.Tensor() -> ()"), S(""), S("b.c"), 4, NULL));
  GeOpSpec *spec = NULL;
  for (uint32_t since = 1; since <= 11; since += 10) {
    CHECK_OK(geOpSpecCreate(S("conv(Tensor x) -> Tensor"), S("a.c"), since, &spec));
    CHECK_OK(geOpSpecSetSince(spec, since));
    CHECK_OK(geLibraryDefineSpec(home, spec, NULL));
  }

  GeOpDef found[4] = {NULL}, none = NULL;
  size_t count = 0;
  CHECK_OK(geRegistryOverloads(registry, S("acme"), S("add"), GE_OPSET_NEWEST, found, 1, &count));
  CHECK(count == 2 && found[0] == op && !found[1]);
  geOpDefRelease(found[0]);
  CHECK_OK(geRegistryVersions(registry, S("acme"), S("conv"), S(""), found, 4, &count));
  CHECK(count == 2);
  GeOpDef old = NULL;
  CHECK_OK(geRegistryFind(registry, S("acme"), S("conv"), S(""), 10, &old));
  CHECK(old == found[0]);
  geOpDefRelease(old);
  geOpDefRelease(found[0]);
  geOpDefRelease(found[1]);
  CHECK_OK(geRegistryFind(registry, S("acme"), S("conv"), S(""), 0, &none));
  CHECK(!none);
  CHECK_FAILS(GE_ERROR_KEY, geRegistryGet(registry, S("acme::Cnv"), GE_OPSET_NEWEST, &none));
  CHECK_SAYS("did you mean acme::conv?");
  int keys = 0;
  CHECK_OK(geRegistryList(registry, S(""), countKeys, &keys));
  CHECK(keys == 4);
  Text text = {NULL, 0};
  CHECK_OK(geRegistryNamespaces(registry, appendText, &text));
  CHECK(strcmp(text.data, "acme") == 0);
  freeText(&text);

  size_t defined = 0;
  const char *header = "REG_OP(Neg).INPUT(x, TensorType::ALL()).OUTPUT(y, TensorType::ALL())"
                       ".OP_END_FACTORY_REG(Neg)";
  CHECK_OK(geLibraryDefineRegOps(fragment, S(header), S("ops.h"), NULL, NULL, &defined));
  CHECK(defined == 1);

  geLibraryRelease(fragment);
  keys = 0;
  CHECK_OK(geRegistryList(registry, S("acme"), countKeys, &keys));
  CHECK(keys == 3);
  CHECK(!geLibraryIsClosed(home) && geLibraryGetKind(home) == GE_LIBRARY_DEF);
  CHECK_TEXT("acme", geLibraryGetNamespace(home));
  CHECK_OK(geLibraryClose(home));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geLibraryDefine(home, S("f() -> ()"), S(""), S(""), 0, NULL));
  checkPrints(op, GE_SCHEMA_CANONICAL, "acme::add.Tensor(Tensor a, Tensor b) -> Tensor");
  geOpDefRelease(op);
  geRegistryRelease(registry); /* the library keeps it alive */
  geLibraryRelease(home);
}

static void testBuiltin(void) {
  GeRegistry *registry = geRegistryGlobal();
  GeOpDef conv = NULL;
  GeOpInfo info = {.size = sizeof info};
  CHECK_OK(geRegistryGet(registry, S("onnx::Conv"), 11, &conv));
  CHECK_OK(geOpDefGetInfo(conv, &info));
  CHECK(info.since == 11 && info.numOperands == 3);
  CHECK(geOpDefGetSlot(conv) == NULL);
  geOpDefSetSlot(conv, &info);
  CHECK(geOpDefGetSlot(conv) == &info);
  geOpDefSetSlot(conv, NULL);
  geOpDefRelease(conv);
  geRegistryRelease(registry); /* the global registry is not destroyed */
  CHECK_OK(geRegistryFind(registry, S("ai.onnx"), S("Relu"), S(""), GE_OPSET_NEWEST, &conv));
  CHECK(conv);
  geOpDefRelease(conv);
}

static int destroyed = 0;
static void destroySlot(void *slot) { *(int *)slot += 1; }

static void testRecords(void) {
  GeOpDef op = NULL;
  CHECK_OK(geOpDefParse(S("acme::f(Tensor(a -> b|c)[] x, (Tensor(d!), int)[]? y=None, *, "
                          "int[3] k=[1, 2, 3]) -> ()"),
                        S(""), 0, &op));
  GeSlotInfo slot = {.size = sizeof slot};
  GeParamInfo param = {.size = sizeof param};
  CHECK_OK(geOpDefGetParam(op, 0, &slot, NULL));
  GeAlias alias = slot.alias;
  if (alias && geAliasNumAfter(alias) == 0 && geAliasNumContained(alias) == 1)
    alias = geAliasGetContained(alias, 0); /* of the list's elements */
  CHECK(alias && geAliasNumBefore(alias) == 1 && geAliasNumAfter(alias) == 2);
  CHECK_TEXT("a", geAliasGetBefore(alias, 0));
  CHECK_TEXT("c", geAliasGetAfter(alias, 1));
  CHECK(geAliasGetAfter(alias, 2).length == 0 && geAliasGetAfter(NULL, 0).length == 0);
  CHECK(geAliasNumContained(NULL) == 0 && geAliasNumAfter(NULL) == 0);
  CHECK_OK(geOpDefGetParam(op, 2, &slot, &param));
  CHECK(geSchemaTypeGetSize(slot.type) == 3 && geSchemaTypeGetSize(NULL) == 0);
  Text text = {NULL, 0};
  geConstantPrint(param.defaultValue, appendText, &text);
  CHECK(strcmp(text.data, "[1, 2, 3]") == 0);
  freeText(&text);
  CHECK_OK(geOpDefPrintParam(op, 2, GE_SCHEMA_CANONICAL, appendText, &text));
  CHECK(strcmp(text.data, "int[3] k=[1, 2, 3]") == 0);
  freeText(&text);
  CHECK_FAILS(GE_ERROR_TYPE, geOpDefPrintParam(NULL, 0, GE_SCHEMA_TORCH, appendText, &text));
  CHECK(geOpDefPrintParam(op, 3, GE_SCHEMA_TORCH, appendText, &text) != GE_OK);
  geOpDefSetSlotDestructor(destroySlot);
  geOpDefSetSlot(op, &destroyed);
  CHECK(geOpDefGetSlot(op) == &destroyed);
  geOpDefRelease(op);
  CHECK(destroyed == 1);
}

static void testSuggestions(void) {
  GeRegistry *registry = NULL;
  CHECK_OK(geRegistryCreate(&registry));
  geRegistryRetain(registry);
  geRegistryRelease(registry);
  GeLibrary *library = NULL;
  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_DEF, S("acme"), S(""), 0, &library));
  CHECK_OK(geLibraryDefine(library, S("scale(Tensor x) -> Tensor"), S(""), S(""), 0, NULL));
  Text text = {NULL, 0};
  CHECK_OK(geRegistrySuggestions(registry, S("acme"), S("scael"), appendText, &text));
  CHECK(strcmp(text.data, "acme::scale") == 0);
  freeText(&text);
  CHECK_FAILS(GE_ERROR_TYPE, geRegistrySuggestions(NULL, S("a"), S("b"), appendText, &text));
  geRegistryRetain(NULL);
  geLibraryRelease(library);
  geRegistryRelease(registry);
}

/* --- Binder ----------------------------------------------------------------------------------- */

typedef struct Argument {
  GeArgKind kind;
  int64_t integer;
  const char *text;
  size_t count;
  const struct Argument *items;
} Argument;

static const Argument *of(GeArg arg) { return (const Argument *)arg; }
static GeArgKind kindOf(void *data, GeArg arg) {
  (void)data;
  return of(arg)->kind;
}
static size_t sizeOf(void *data, GeArg arg) {
  (void)data;
  return of(arg)->count;
}
static GeArg itemOf(void *data, GeArg arg, size_t index) {
  (void)data;
  return &of(arg)->items[index];
}
static bool intOf(void *data, GeArg arg, int64_t *out) {
  (void)data;
  *out = of(arg)->integer;
  return true;
}
static double floatOf(void *data, GeArg arg) {
  (void)data;
  return (double)of(arg)->integer;
}
static GeStringRef strOf(void *data, GeArg arg) {
  (void)data;
  return S(of(arg)->text);
}
static bool isInstance(void *data, GeArg arg, GeSchemaType type) {
  (void)data;
  (void)type;
  return of(arg)->kind == GE_ARG_OBJECT;
}
static void describe(void *data, GeArg arg, GeStringCallback callback, void *to) {
  (void)data;
  callback(S(of(arg)->text), to);
}
static const GeArgView kView = {sizeof(GeArgView), NULL,  kindOf,     sizeOf,  itemOf, intOf,
                                floatOf,           strOf, isInstance, describe};

static void testBinder(void) {
  GeOpDef op = parse("acme::f(Tensor x, int[2] k, *, bool training=False, int dim=0) -> Tensor");
  Argument x = {GE_ARG_VALUE, 0, "a tensor", 0, NULL}, one = {GE_ARG_INT, 1, "int 1", 0, NULL};
  Argument text = {GE_ARG_STR, 0, "str 'x'", 0, NULL};
  GeArg positional[3] = {&x, &one, &one};
  GeKeyword dim = {S("dim"), &one}, axis = {S("axis"), &one}, wrong = {S("dim"), &text};
  GeBoundArg bound[4];
  GeBindFault fault = {.size = sizeof fault};
  CHECK_OK(geOpDefBind(op, &kView, positional, 2, &dim, 1, NULL, bound, 4, &fault));
  CHECK(bound[0].source == GE_FROM_POSITIONAL && bound[0].conversion == GE_CONVERT_NOT);
  CHECK(bound[1].source == GE_FROM_POSITIONAL && bound[1].conversion == GE_CONVERT_REPEAT);
  CHECK(bound[2].source == GE_FROM_DEFAULT);
  CHECK(bound[3].source == GE_FROM_KEYWORD && bound[3].index == 0);
  CHECK(fault.kind == GE_FAULT_NONE);

  CHECK_FAILS(GE_ERROR_TYPE,
              geOpDefBind(op, &kView, positional, 2, &axis, 1, NULL, bound, 4, &fault));
  CHECK(fault.kind == GE_FAULT_UNKNOWN_KEYWORD);
  CHECK_TEXT("axis", fault.argument);
  CHECK_TEXT("unexpected keyword 'axis' (did you mean 'dim'?)", fault.reason);
  CHECK_SAYS("acme::f(): unexpected keyword");
  CHECK_SAYS("acme::f(Tensor x, int[2] k, *");
  CHECK_FAILS(GE_ERROR_TYPE,
              geOpDefBind(op, &kView, positional, 2, &wrong, 1, NULL, bound, 4, NULL));
  CHECK_SAYS("argument 'dim' expects int, got str 'x'");
  CHECK_FAILS(GE_ERROR_TYPE,
              geOpDefBind(op, &kView, positional, 3, NULL, 0, NULL, bound, 4, &fault));
  CHECK(fault.kind == GE_FAULT_KEYWORD_ONLY);
  GeBindOptions strict = {sizeof strict, true, false};
  CHECK_FAILS(GE_ERROR_TYPE,
              geOpDefBind(op, &kView, positional, 2, NULL, 0, &strict, bound, 4, &fault));
  CHECK(fault.kind == GE_FAULT_TYPE);
  CHECK_FAILS(GE_ERROR_VALUE,
              geOpDefBind(op, &kView, positional, 2, NULL, 0, NULL, bound, 3, NULL));
  GeArgView half = kView;
  half.item = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geOpDefBind(op, &half, positional, 2, NULL, 0, NULL, bound, 4, NULL));

  GeOpDef ops[2] = {op, parse("acme::f.all(Any a, ...) -> ()")};
  size_t chosen = 9;
  CHECK_OK(geOpDefResolve(ops, 2, &kView, positional, 3, NULL, 0, NULL, bound, 4, &chosen, NULL));
  CHECK(chosen == 1);
  CHECK_FAILS(GE_ERROR_TYPE, geOpDefResolve(ops, 2, &kView, positional, 3, &axis, 1, NULL, bound, 4,
                                            &chosen, &fault));
  CHECK(fault.kind == GE_FAULT_NO_OVERLOAD);
  CHECK_SAYS("acme::f.all(Any a, ...)");
  geOpDefRelease(ops[1]);
  geOpDefRelease(op);
  bool before = geOpsGetStrict();
  geOpsSetStrict(!before);
  CHECK(geOpsGetStrict() != before);
  geOpsSetStrict(before);
}

static void testNull(void) {
  GeOpDef op = NULL;
  size_t count = 0;
  GeOpInfo info = {.size = sizeof info};
  CHECK_FAILS(GE_ERROR_TYPE, geOpDefGetInfo(NULL, &info));
  CHECK_FAILS(GE_ERROR_TYPE, geOpDefParse(S("f() -> ()"), S(""), 0, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geRegistryGet(NULL, S("a::b"), 0, &op));
  CHECK_FAILS(GE_ERROR_TYPE, geRegistryOverloads(NULL, S("a"), S("b"), 0, NULL, 0, &count));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryDefine(NULL, S("f() -> ()"), S(""), S(""), 0, &op));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryClose(NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geOpSpecSetDoc(NULL, S("")));
  CHECK_FAILS(GE_ERROR_TYPE, geOpSpecFinish(NULL, &op));
  CHECK_FAILS(GE_ERROR_TYPE, geOpDefBind(NULL, &kView, NULL, 0, NULL, 0, NULL, NULL, 0, NULL));
  geOpDefRetain(NULL);
  geOpDefRelease(NULL);
  geOpSpecDestroy(NULL);
  geLibraryRelease(NULL);
  geRegistryRelease(NULL);
  CHECK(geLibraryIsClosed(NULL) && geAliasNumBefore(NULL) == 0 && !geAliasIsWrite(NULL));
  CHECK(geSchemaTypeStr(NULL).length == 0 && geSchemaTypeNumElements(NULL) == 0);
  CHECK(geOpDefFindParam(NULL, S("x")) == -1 && !geOpDefGetSlot(NULL));
}

int main(void) {
  testRecord();
  testSpec();
  testRecords();
  testSchemaText();
  testRegistry();
  testSuggestions();
  testBuiltin();
  testBinder();
  testNull();
  return 0;
}
