//===- schema_test.cpp - the schema language and the record -----------------------------------===//
//
// Guarantees under test: what PyTorch prints parses and prints back; canonical text is a fixpoint;
// what is refused is refused with a reason, at its place; no text crashes the parser.
//
#include "check.h"

#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace ge;

namespace {

void checkText(const std::string &got, const std::string &expected, int line) {
  if (got == expected)
    return;
  std::fprintf(stderr, "%s:%d: got      %s\n    expected %s\n", __FILE__, line, got.c_str(),
               expected.c_str());
  ++failures;
}

/// The text is canonical: it prints as it is, in PyTorch's style as `torch`.
void checkPrints(const std::string &text, const std::string &torch, int line) {
  try {
    OpSpec spec = parseSchema(text);
    checkText(schemaText(spec), text, line);
    checkText(schemaText(spec, SchemaStyle::Torch), torch, line);
    OpDefRef def = OpDef::create(std::move(spec));
    checkText(schemaText(*def), text, line);
  } catch (const Error &error) {
    checkText(error.message(), text, line);
  }
}

void checkBecomes(const std::string &text, const std::string &canonical, int line) {
  try {
    checkText(schemaText(parseSchema(text)), canonical, line);
    checkText(schemaText(parseSchema(canonical)), canonical, line);
  } catch (const Error &error) {
    checkText(error.message(), canonical, line);
  }
}

/// Refused at that column with a message that has this in it.
void checkRefused(const std::string &text, uint32_t column, const std::string &message, int line) {
  try {
    parseSchema(text);
    checkText("accepted", message, line);
  } catch (const Error &error) {
    bool same = error.kind() == ErrorKind::OpSchema && error.diagnostics().size() == 1 &&
                error.diagnostics()[0].column == column &&
                error.diagnostics()[0].message.find(message) != std::string::npos;
    if (!same)
      checkText(error.message(), std::to_string(column) + ": " + message, line);
  }
}

#define CHECK_SAME(text) checkPrints(text, text, __LINE__)
#define CHECK_PRINTS(text, torch) checkPrints(text, torch, __LINE__)
#define CHECK_BECOMES(text, canonical) checkBecomes(text, canonical, __LINE__)
#define CHECK_REFUSED(text, column, message) checkRefused(text, column, message, __LINE__)

void testTypes() {
  CHECK_SAME("f(Tensor x, int a, float b, bool c, complex d, str e, Scalar g) -> ()");
  CHECK_SAME("f(SymInt a, SymBool b, ScalarType c, Layout d, Device e, MemoryFormat g) -> ()");
  CHECK_SAME("f(Generator? a, Storage b, Stream c, QScheme d, Dimname[]? e, Capsule g) -> ()");
  CHECK_SAME("f(NoneType a, Any b, AnyEnumType c, AnyClassType d, list e, tuple g) -> ()");
  CHECK_SAME("f(int[2] k, bool[3] m, int?[] n, int[]?[]? o, Tensor[][] p, int[][2] q) -> ()");
  CHECK_SAME("f((Tensor, Tensor)? hx, Dict(str, Tensor) d, Future(t) g, Await(t) h) -> t");
  CHECK_SAME("f(RRef(t) r, t1[] a, Dict(int, t)[] b, (int, str)[] c) -> Dict(t, t)");
  CHECK_SAME("c10d::g(__torch__.torch.classes.c10d.ProcessGroup g, acme.Plan p) -> int");
  CHECK_SAME("f(Graph body, TensorLiteral value, SparseLiteral s, ValueType t, Bytes b) -> Tensor");
  CHECK_BECOMES("f(number a, None b, DeviceIndex c, int?? d) -> None",
                "f(Scalar a, NoneType b, int c, int? d) -> NoneType");
  CHECK_PRINTS("f(Union(str, Tensor, int) x) -> ()", "f(Union(Tensor, int, str) x) -> ()");
  CHECK_BECOMES("f(Union(int, None) x, Union(int, Union(str, int)) y) -> ()",
                "f(int? x, Union(int, str) y) -> ()");
  CHECK(parseSchemaType("int[2]?") == parseSchemaType(" int [ 2 ] ?"));
  CHECK(parseSchemaType("Tensor[]?")->containsTensor());
  CHECK(!parseSchemaType("Any")->containsTensor());
}

void testAliases() {
  CHECK_SAME("f(Tensor(a!) x, Tensor(b|a) y, Tensor(*) z, Tensor(a -> *) w) -> Tensor(a!)");
  CHECK_SAME("f(Tensor(a!)[] x, Tensor(a!)? y, t[](a!) z, Tensor(a! -> b|c) w) -> t(*)");
  CHECK_SAME("f(Dict(str, t)(a!) self, Tensor(a!)[](b!) x) -> ((str, t)[])");
  CHECK_PRINTS("f((Tensor(a), int) x) -> ()", "f((Tensor, int) x) -> ()");
  CHECK_BECOMES("f(Tensor( a | a ! ) x) -> Tensor (a)", "f(Tensor(a!) x) -> Tensor(a)");
  OpSpec spec = parseSchema("f(Tensor(a! -> b)[] x) -> ()");
  const AliasInfo &alias = *spec.params[0].alias;
  CHECK(alias.before.empty() && alias.contained.size() == 1);
  CHECK(alias.contained[0].isWrite && alias.contained[0].after == std::vector<std::string>{"b"});
}

void testDefaults() {
  CHECK_SAME("f(int a=-1, bool b=True, Tensor? c=None, str d=\"a\\n\\\"\", int[] e=[0, 1]) -> ()");
  CHECK_PRINTS("f(int[2] k=[1, 1], SymInt[2] l=[1, 1], float[2] m=[0.5, 0.5]) -> ()",
               "f(int[2] k=1, SymInt[2] l=[1, 1], float[2] m=[0.5, 0.5]) -> ()");
  CHECK_BECOMES("f(int[2] k=1, bool[3] m=True) -> ()",
                "f(int[2] k=[1, 1], bool[3] m=[True, True, True]) -> ()");
  CHECK_PRINTS("f(float a=1e-05, float b=3.0, float c=inf, float d=-inf, float e=nan) -> ()",
               "f(float a=1.0000000000000001e-05, float b=3., float c=inf, float d=-inf, float "
               "e=nan) -> ()");
  CHECK_PRINTS("f(MemoryFormat m=contiguous_format, int r=Mean, ScalarType d=float) -> ()",
               "f(MemoryFormat m=0, int r=1, ScalarType d=6) -> ()");
  CHECK_PRINTS("f(Layout l=strided, Device d=\"cpu\", ScalarType t=f16) -> ()",
               "f(Layout l=0, Device d=cpu, ScalarType t=5) -> ()");
  CHECK_PRINTS("f(Scalar a=1, Scalar b=1.5, Scalar c=True, complex d=0.0+1.0j) -> ()",
               "f(Scalar a=1, Scalar b=1.5, Scalar c=True, complex d=0.+1.j) -> ()");
  CHECK_BECOMES("f(float a=3, complex b=1-2.5j, float? c=.5, int d=- 4) -> ()",
                "f(float a=3.0, complex b=1.0-2.5j, float? c=0.5, int d=-4) -> ()");
  CHECK_BECOMES("f(str a='x', str b='\\x41\\102', str[] c=['p','q']) -> ()",
                "f(str a=\"x\", str b=\"AB\", str[] c=[\"p\", \"q\"]) -> ()");
  CHECK_SAME("f((int, int) a=(1, 2)) -> ()");
  CHECK_SAME("f(int[1] dim=[-2, -1], int[1] e=[], int[][] g=[[1, 2], []]) -> ()");
  CHECK(schemaText(parseSchema("f(float? x=1) -> ()"), SchemaStyle::Torch) ==
        "f(float? x=1) -> ()");
  OpSpec spec = parseSchema("f(ScalarType d=half, int[2] k=3) -> ()");
  CHECK(constantDType(spec.params[0].defaultValue->value) == DType::F16);
  CHECK(spec.params[1].defaultValue->text == "3" && spec.params[1].size() == 2);
}

void testForm() {
  CHECK_SAME("f() -> ()");
  CHECK_SAME("f(...) -> ...");
  CHECK_SAME("a::b.c(int a, ...) -> (int, ...)");
  CHECK_SAME("ai.onnx.ml::Op(Tensor x, *, int k) -> (Tensor y, Tensor? z)");
  CHECK_SAME("f(*, int a) -> ((int, str))");
  CHECK_BECOMES("f ( int  a ,*, int b = 1 )->( int c )  # tail\n", "f(int a, *, int b=1) -> int c");
  CHECK_BECOMES("# head\n f(int a,\n   int b) -> (...)", "f(int a, int b) -> ...");
  CHECK(parseSchema("\n\n f() -> ()", {"file.txt", 10}).source.str() == "file.txt:12");
  auto name = parseSchemaOrName("aten::add.Tensor");
  CHECK(std::get<OpNameParts>(name).overload == "Tensor");
  CHECK(std::holds_alternative<OpSpec>(parseSchemaOrName("f() -> ()")));
}

void testRefused() {
  // What PyTorch accepts and means nothing.
  CHECK_REFUSED("f(int x=\"a\") -> ()", 9, "must be int, not str \"a\"");
  CHECK_REFUSED("f(int[1.5] x) -> ()", 8, "expected ']'");
  CHECK_REFUSED("f(int x=0x10) -> ()", 9, "decimal");
  CHECK_REFUSED("f(int x=010) -> ()", 9, "leading zeros");
  CHECK_REFUSED("f(int x, int x) -> ()", 14, "two parameters called 'x'");
  CHECK_REFUSED("f() -> (int x, int x)", 20, "two results called 'x'");
  CHECK_REFUSED("f(int[2] x=[1, 2, 3]) -> ()", 12, "not a list of 3");
  CHECK_REFUSED("f(Union(int) x) -> ()", 3, "two different types");
  CHECK_REFUSED("f(int[2] x=[True]) -> ()", 12, "must be int[2]");
  CHECK_REFUSED("f(int x=1.5) -> ()", 9, "not float 1.5");
  CHECK_REFUSED("f(int x=None) -> ()", 9, "not None");
  CHECK_REFUSED("f(int x=float) -> ()", 9, "its words are Mean, Sum");
  CHECK_REFUSED("f(int[0] x) -> ()", 7, "above 0");
  CHECK_REFUSED("f(int[99999999999] x) -> ()", 7, "too large");
  CHECK_REFUSED("f(int a=1, int b) -> ()", 16, "needs a default");
  CHECK_REFUSED("f(*, int a, *, int b) -> ()", 13, "one '*'");
  CHECK_REFUSED("f(int a, *) -> ()", 10, "no parameter after '*'");
  CHECK_REFUSED("f(string x) -> ()", 3, "did you mean str?");
  CHECK_REFUSED("f(Tensr x) -> ()", 3, "did you mean Tensor?");
  // What no schema accepts.
  CHECK_REFUSED("", 1, "found the end");
  CHECK_REFUSED("f(int x)", 9, "expected '->'");
  CHECK_REFUSED("f(int x -> ()", 9, "or ',' after a parameter, found '-'");
  CHECK_REFUSED("f(..., int x) -> ()", 6, "'...' comes last");
  CHECK_REFUSED("f(int x, ) -> ()", 10, "expected a type");
  CHECK_REFUSED("f(int) -> ()", 6, "the name of a parameter");
  CHECK_REFUSED("f(Tensor?(a!) x) -> ()", 10, "before '?'");
  CHECK_REFUSED("f(Tensor(!) x) -> ()", 10, "alias set");
  CHECK_REFUSED("f(str x=\"a", 9, "no end");
  CHECK_REFUSED("f(str x=\"\\q\") -> ()", 10, "unknown escape");
  CHECK_REFUSED("f(str x=\"\\377\") -> ()", 9, "not UTF-8");
  CHECK_REFUSED("f(float x=1e999) -> ()", 11, "does not fit");
  CHECK_REFUSED("f(int x=9223372036854775808) -> ()", 9, "does not fit");
  CHECK_REFUSED("f() -> () g", 11, "the end of the schema");
  CHECK_REFUSED("a.b.c() -> ()", 4, "ends with '::'");
  CHECK_REFUSED("a::b.default() -> ()", 6, "'default'");
  CHECK_REFUSED("f(int[9999] x=1) -> ()", 15, "write the list out");
  CHECK_REFUSED(std::string("f(int\0x) -> ()", 14), 6, "found byte 0");
}

/// Nested as deep as text can be: an error, not the end of the stack.
void testDepth() {
  for (std::string open : {"(", "Future(", "Dict(str, ", "Union(int, "}) {
    std::string text = "f(";
    for (int i = 0; i < 100000; ++i)
      text += open;
    size_t inside = (SchemaType::kMaxDepth - 1) * open.size() + open.find('(') + 1;
    CHECK_REFUSED(text, uint32_t(3 + inside), "64 deep");
  }
  std::string lists = "f(int";
  for (int i = 0; i < 100000; ++i)
    lists += "[]";
  CHECK_REFUSED(lists, 6 + 2 * 63, "64 deep");
  CHECK_REFUSED("f(Any x=" + std::string(100000, '[') + ")", 9 + 64, "64 deep");
  std::string marks = "f(int" + std::string(100000, '?') + " x) -> ()";
  CHECK(schemaText(parseSchema(marks)) == "f(int? x) -> ()");
}

/// Any change of a text parses or is refused; what parses is a fixpoint.
void testMutations() {
  const std::string seeds[] = {"aten::conv2d(Tensor(a!)[] x, Tensor? b=None, int[2] s=1, *, str "
                               "p=\"a\\101\") -> Tensor(a|b)",
                               "f((Tensor, Dict(str, t))? x, Union(int, str[]) y, float e=1e-05, "
                               "complex c=1+2j) -> (int, ...)",
                               "x.y::z.w(int[] a=[-1, 2], bool[3] m=True, MemoryFormat "
                               "f=channels_last, ...) -> ((int, str))"};
  const std::string alphabet = "()[]?*,.:=-+!|>\"'\\ aTt01ejNx#\n\xc3\xa9";
  std::mt19937 random(7);
  size_t accepted = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string text = seeds[random() % 3];
    for (unsigned n = random() % 4 + 1; n; --n) {
      size_t place = random() % text.size();
      char c = alphabet[random() % alphabet.size()];
      if (random() % 3 == 0)
        text.erase(place, 1);
      else if (random() % 2)
        text.insert(place, 1, c);
      else
        text[place] = c;
    }
    try {
      std::string once = schemaText(parseSchema(text));
      ++accepted;
      if (schemaText(parseSchema(once)) != once)
        checkText(schemaText(parseSchema(once)), once, __LINE__);
    } catch (const Error &error) {
      CHECK(error.kind() == ErrorKind::OpSchema);
    }
  }
  CHECK(accepted > 1000);
}

void testRecord() {
  OpDefRef def =
      OpDef::create(parseSchema("f(Tensor x, int k, Tensor[] y, *, float e=1.0) -> (Tensor z)"));
  CHECK(def->operands().size() == 2 && def->operands()[1] == 2);
  CHECK(def->attributes().size() == 2 && def->attributes()[0] == 1);
  CHECK(def->numPositional() == 3 && def->params[2].isVariadic());
  CHECK(def->findParam("e") == 3u && !def->findParam("z") && def->findResult("z") == 0u);
  auto refused = [](OpSpec spec, const char *message) {
    try {
      OpDef::create(std::move(spec));
      CHECK(!"accepted");
    } catch (const Error &error) {
      CHECK(error.message().find(message) != std::string::npos);
    }
  };
  OpSpec spec = parseSchema("f(int k=1, *, int m=2) -> ()");
  OpSpec wrong = spec;
  wrong.params[0].defaultValue->value = Constant::string("a");
  refused(wrong, "the default of 'k' must be int");
  wrong = spec;
  std::swap(wrong.params[0], wrong.params[1]);
  refused(wrong, "is not keyword-only");
  wrong = spec;
  wrong.params[1].name = "k";
  refused(wrong, "two parameters called 'k'");
  wrong = spec;
  wrong.params[1].typeVar = 0;
  refused(wrong, "type variable 0 of 0");
  wrong = spec;
  wrong.params[1].choices = {Constant::number(1.5)};
  refused(wrong, "a choice of 'm'");
}

/// Equal types are one object, from any thread.
void testThreads() {
  std::vector<std::vector<const SchemaType *>> found(4);
  std::vector<std::thread> threads;
  for (auto &types : found)
    threads.emplace_back([&types] {
      for (int i = 1; i < 200; ++i)
        types.push_back(parseSchemaType("Dict(str, threads" + std::to_string(i) + ")[" +
                                        std::to_string(i) + "]?"));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &types : found)
    CHECK(types == found[0]);
}

} // namespace

int main() {
  testTypes();
  testAliases();
  testDefaults();
  testForm();
  testRefused();
  testDepth();
  testMutations();
  testRecord();
  testThreads();
  return checkSummary();
}
