//===- op_tables_test.cpp - the operators that ship with GE -----------------------------------===//
//
// Guarantees under test: every entry of both tables makes a record that passes OpDef's checks and
// whose schema reads back; spot checks against ONNX and GE; what SchemaFile understands; the first
// look-up is no slower than a millisecond. That the ONNX table is complete is tested in Python.
//
#include "check.h"
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Schema/SchemaFile.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

using namespace ge;

namespace {

double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

OpSpec make(const std::vector<BuiltinOps> &tables, std::string_view ns, std::string_view name,
            uint32_t since = 0) {
  for (const BuiltinOps &table : tables) {
    if (table.ns != ns)
      continue;
    std::vector<OpProvider::Entry> entries = table.provider->entries();
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i].name == name && (since == 0 || entries[i].since == since))
        return table.provider->make(i);
  }
  std::fprintf(stderr, "there is no %.*s\n", int(name.size()), name.data());
  ++failures;
  return {};
}

void checkText(const std::string &got, std::string_view expected, int line) {
  if (got == expected)
    return;
  std::fprintf(stderr, "%s:%d: got      %s\n    expected %.*s\n", __FILE__, line, got.c_str(),
               int(expected.size()), expected.data());
  ++failures;
}
#define CHECK_TEXT(got, expected) checkText(got, expected, __LINE__)

void testFirstLookUp() {
  auto start = std::chrono::steady_clock::now();
  make(onnxOps(), "onnx", "Conv", 22);
  double took = millisecondsSince(start);
  std::printf("first look-up of onnx::Conv: %.3f ms\n", took);
  start = std::chrono::steady_clock::now();
  make(geOps(), "nn", "Conv2D");
  double tookGe = millisecondsSince(start);
  std::printf("first look-up of nn::Conv2D: %.3f ms\n", tookGe);
}

/// Makes all, and gives how many.
size_t checkAll(const std::vector<BuiltinOps> &tables) {
  size_t count = 0;
  for (const BuiltinOps &table : tables) {
    std::vector<OpProvider::Entry> entries = table.provider->entries();
    CHECK(!entries.empty());
    std::set<std::string> seen;
    for (size_t i = 0; i < entries.size(); ++i) {
      std::string name =
          cat(table.ns, "::", entries[i].name, '.', entries[i].overload, ' ', entries[i].since);
      if (!seen.insert(name).second) {
        std::fprintf(stderr, "%s is there twice\n", name.c_str());
        ++failures;
      }
      try {
        OpSpec spec = table.provider->make(i);
        CHECK(spec.ns == table.ns && spec.name == entries[i].name);
        CHECK(spec.since == entries[i].since && spec.overload == entries[i].overload);
        CHECK(spec.source.line != 0);
        std::string text = schemaText(spec);
        CHECK_TEXT(schemaText(parseSchema(text)), text);
        OpDef::create(std::move(spec));
        ++count;
      } catch (const Error &error) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
        ++failures;
      }
    }
  }
  return count;
}

void testOnnxRecords() {
  std::vector<BuiltinOps> onnx = onnxOps();
  OpSpec conv = make(onnx, "onnx", "Conv", 11);
  CHECK_TEXT(schemaText(conv),
             "onnx::Conv(Tensor X, Tensor W, Tensor? B=None, *, str auto_pad=\"NOTSET\", int[]? "
             "dilations=None, int group=1, int[]? kernel_shape=None, int[]? pads=None, int[]? "
             "strides=None) -> Tensor Y");
  CHECK(conv.has(OpTrait::Pure) && !conv.has(OpTrait::Commutative));
  CHECK(conv.typeVars.size() == 1 && conv.typeVars[0].name == "T");
  CHECK(conv.typeVars[0].allowed.size() == 3 && conv.typeVars[0].allowed[0] == "tensor(double)");
  CHECK(conv.doc.starts_with("The convolution operator consumes"));
  CHECK(conv.params[1].doc.find('\n') == std::string::npos || !conv.params[1].doc.empty());
  // A version that differs in types only has its slots from the one before.
  CHECK_TEXT(schemaText(make(onnx, "onnx", "Conv", 22)), schemaText(conv));
  CHECK(make(onnx, "onnx", "Conv", 22).typeVars[0].allowed.size() == 4);

  // Not commutative where B was broadcast to A.
  CHECK(!make(onnx, "onnx", "Add", 6).has(OpTrait::Commutative));
  CHECK(make(onnx, "onnx", "Add", 14).has(OpTrait::Commutative));
  CHECK(make(onnx, "onnx", "Add", 14).has(OpTrait::Elementwise));

  OpSpec loop = make(onnx, "onnx", "Loop", 13);
  CHECK_TEXT(schemaText(loop), "onnx::Loop(Tensor? M=None, Tensor? cond=None, Tensor[] "
                               "v_initial=[], *, Graph body) -> Tensor[] v_final_and_scan_outputs");
  CHECK(!loop.params[2].homogeneous && loop.params[2].minCount == 0);
  CHECK(loop.results[0].minCount == 1);
  CHECK(loop.has(OpTrait::ControlFlow) && !loop.has(OpTrait::Pure));

  OpSpec dropout = make(onnx, "onnx", "Dropout", 13);
  CHECK(dropout.has(OpTrait::Nondeterministic) && !dropout.has(OpTrait::Pure));
  CHECK_TEXT(schemaText(dropout), "onnx::Dropout(Tensor data, Tensor? ratio=None, Tensor? "
                                  "training_mode=None, *, int? seed=None) -> (Tensor output, "
                                  "Tensor? mask)");
  CHECK(make(onnx, "onnx", "Upsample", 10).deprecated);
  CHECK(make(onnx, "onnx", "Concat", 13).params[0].minCount == 1);
  // An operand and an attribute of one name.
  CHECK_TEXT(make(onnx, "onnx", "Split", 1).params[1].name, "split_");
  // A type that is no variable.
  OpSpec shape = make(onnx, "onnx", "Reshape", 14);
  CHECK_TEXT(shape.typeVars.at(size_t(shape.params[1].typeVar)).allowed.at(0), "tensor(int64)");
  // Types with a comma inside.
  OpSpec map = make(onnx, "onnx.ml", "DictVectorizer", 1);
  for (const std::string &type : map.typeVars[0].allowed)
    CHECK(type.starts_with("map(") && type.ends_with(')'));
}

void testGeRecords() {
  std::vector<BuiltinOps> ge = geOps();
  // As GE's samples call them: positional operands, attributes by keyword.
  const char *expected[] = {
      "math::MatMul(Tensor x1, Tensor x2, Tensor? bias=None, *, bool transpose_x1=False, bool "
      "transpose_x2=False) -> Tensor y",
      "math::GEMM(Tensor a, Tensor b, Tensor c, Tensor alpha, Tensor beta, *, bool "
      "transpose_a=False, bool transpose_b=False) -> Tensor y",
      "math::Split(Tensor split_dim, Tensor x, *, int num_split) -> Tensor[] y",
      "math::Concat(Tensor concat_dim, Tensor[] x, *, int N=1) -> Tensor y",
      "math::ConcatV2(Tensor[] x, Tensor concat_dim, *, int N=1) -> Tensor y",
      "math::If(Tensor cond, Tensor[] input, Graph then_branch, Graph else_branch) -> Tensor[] "
      "output",
      "nn::Conv2D(Tensor x, Tensor filter, Tensor? bias=None, Tensor? offset_w=None, *, int[] "
      "strides, int[] pads, int[] dilations=[1, 1, 1, 1], int groups=1, str "
      "data_format=\"NHWC\", int offset_x=0) -> Tensor y",
  };
  for (std::string_view text : expected) {
    size_t colons = text.find("::");
    std::string_view name = text.substr(colons + 2, text.find('(') - colons - 2);
    CHECK_TEXT(schemaText(make(ge, text.substr(0, colons), name)), text);
  }
  for (std::string_view name : {"Data", "NetOutput", "Const", "Add", "Mul", "ReduceSumD", "Reshape",
                                "Transpose", "Tile", "ConcatV2D", "SplitV", "Pack", "Squeeze",
                                "Identity", "TensorMove", "Shape", "Slice", "NoOp"})
    make(ge, "math", name);
  for (std::string_view name :
       {"MatMulV2", "MatMulV3", "BatchMatMul", "BatchMatMulV2", "Relu", "Conv2DV2", "BatchNorm"})
    make(ge, "nn", name);
  OpSpec add = make(ge, "math", "Add");
  CHECK(add.has(OpTrait::Commutative) && add.has(OpTrait::Pure) &&
        add.doc == "x1 + x2, broadcast.");
  OpSpec relu = make(ge, "nn", "Relu");
  CHECK(relu.params[0].typeVar == 0 && relu.results[0].typeVar == 0);
  OpSpec assign = make(ge, "math", "Assign");
  CHECK(assign.results[0].alias && assign.results[0].alias->isWrite && !assign.has(OpTrait::Pure));
  for (const BuiltinOps &table : ge)
    for (size_t i = 0; i < table.provider->entries().size(); ++i)
      CHECK(!table.provider->make(i).doc.empty());
}

void testSchemaFile() {
  SchemaFile file("# A comment.\n"
                  "\n"
                  "# Adds.\n"
                  "#\n"
                  "# Slowly.\n"
                  "# x: First.\n"
                  "#   More.\n"
                  "# note: not a name\n"
                  "# y: The sum.\n"
                  "# traits: pure, commutative\n"
                  "# same: x, y\n"
                  "# deprecated: use math\n"
                  "a::Add.two(Tensor x, Tensor z) -> Tensor y\n"
                  "b::Bad(Tensor\n"
                  "# traits: fast\n"
                  "b::Trait() -> ()",
                  "ops.schema");
  CHECK(file.entries().size() == 3);
  OpSpec add = file.make(file.entries()[0]);
  CHECK_TEXT(schemaText(add), "a::Add.two(Tensor x, Tensor z) -> Tensor y");
  CHECK_TEXT(add.doc, "Adds.\n\nSlowly.\nnote: not a name");
  CHECK_TEXT(add.params[0].doc, "First.\nMore.");
  CHECK_TEXT(add.results[0].doc, "The sum.");
  CHECK(add.has(OpTrait::Pure) && add.has(OpTrait::Commutative));
  CHECK(add.params[0].typeVar == 0 && add.results[0].typeVar == 0 && add.params[1].typeVar == -1);
  CHECK(add.deprecated && add.deprecation == "use math");
  CHECK(add.source.str() == "ops.schema:13");
  for (auto [index, expected] : {std::pair(size_t(1), "ops.schema:14:"), {2, "ops.schema:15: "}}) {
    try {
      file.make(file.entries()[index]);
      CHECK(!"no error");
    } catch (const Error &error) {
      CHECK(error.kind() == ErrorKind::OpSchema);
      CHECK(std::string_view(error.what()).starts_with(expected));
    }
  }
}

} // namespace

int main() {
  testFirstLookUp();
  std::printf("%zu records of ONNX, %zu of GE\n", checkAll(onnxOps()), checkAll(geOps()));
  testOnnxRecords();
  testGeRecords();
  testSchemaFile();
  return checkSummary();
}
