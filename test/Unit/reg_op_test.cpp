//===- reg_op_test.cpp - GE's prototypes become records ---------------------------------------===//
//
// Guarantees under test: every clause of REG_OP arrives in the record; what is not understood is
// one diagnostic with its place, and the next prototype is read; time grows with the text, not
// faster.
//
#include "ge/Ops/Import/RegOp.h"

#include "check.h"
#include "ge/Support/InputFile.h"

#include <cstdlib>
#include <string>

using namespace ge;

namespace {

std::string exampleText() {
  std::string path = __FILE__;
  path.replace(path.rfind('/') + 1, std::string::npos, "data/reg_op_example.h");
  return readFile(path);
}

void checkText(const std::string &got, std::string_view expected, int line) {
  if (got == expected)
    return;
  std::fprintf(stderr, "%s:%d: got      %s\n    expected %.*s\n", __FILE__, line, got.c_str(),
               int(expected.size()), expected.data());
  ++failures;
}
#define CHECK_TEXT(got, expected) checkText(got, expected, __LINE__)

const Param &param(const OpSpec &spec, std::string_view name) {
  for (const Param &param : spec.params)
    if (param.name == name)
      return param;
  std::fprintf(stderr, "no parameter %s\n", std::string(name).c_str());
  std::exit(1);
}

void testSchemas(const RegOps &ops) {
  const char *expected[] = {
      "ScaleBias(Tensor x, Tensor scale, Tensor? bias=None, *, int axis=1, str mode=\"exact\", "
      "float epsilon=1e-05) -> Tensor y",
      "AllAttributes(Tensor x, *, int[] size, int low=-2147483648, int high=9223372036854775807, "
      "int hex=255, int dtype=9, ScalarType type=DT_BF16, bool flag=True, str text=\"a "
      "\\\"quoted\\\" word\", int[] ints=[1, -1, 0], float[] floats=[0.5, 1.0], bool[] "
      "bools=[True, False], str[] strings=[\"a\", \"b\"], int[][] table=[[1, 2], []], "
      "ScalarType[] types=[], TensorLiteral? value=None, Dict(str, Any)? function=None) -> Tensor "
      "y",
      "Choose(Tensor index, Tensor[] input, Graph prologue, Graph[] branches) -> Tensor[] output",
      "AssignTo(Tensor(a0!) ref, Tensor? mask, Tensor value) -> Tensor(a0!) ref",
      "Promoted(Tensor x1, Tensor x2, Tensor[] rest) -> Tensor y",
  };
  CHECK(ops.specs.size() == std::size(expected));
  for (size_t i = 0; i < ops.specs.size() && i < std::size(expected); ++i) {
    CHECK_TEXT(schemaText(ops.specs[i]), expected[i]);
    OpDef::create(ops.specs[i]); // the checks of every record
  }
}

void testDocs(const RegOps &ops) {
  const OpSpec &scale = ops.specs[0];
  CHECK_TEXT(scale.doc, "Scales a tensor and adds a bias\n\nConstraints:\n\"scale\" has one "
                        "dimension.");
  CHECK_TEXT(param(scale, "x").doc, "The tensor to scale.\nAny shape.");
  CHECK_TEXT(param(scale, "scale").doc, "One factor for each channel");
  CHECK_TEXT(param(scale, "mode").doc, "\"exact\" or \"fast\".");
  CHECK_TEXT(scale.results[0].doc, "Has the type and shape of \"x\"");
  CHECK(scale.source.line == 31);
  const OpSpec &choose = ops.specs[2];
  CHECK(choose.deprecated);
  CHECK_TEXT(choose.deprecation, "Please use If instead.");
  CHECK_TEXT(choose.doc, "Runs one of the subgraphs.");
  CHECK_TEXT(param(choose, "branches").doc, "What is run.");
}

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &word : words)
    out += (out.empty() ? "" : ",") + word;
  return out;
}

void testTypes(const RegOps &ops) {
  const OpSpec &scale = ops.specs[0];
  CHECK_TEXT(joined(scale.typeVars.at(size_t(param(scale, "x").typeVar)).allowed),
             "tensor(float),tensor(float16)");
  CHECK_TEXT(joined(scale.typeVars.at(size_t(param(scale, "bias").typeVar)).allowed),
             "tensor(float),tensor(float16),tensor(bfloat16)");
  CHECK(param(scale, "x").typeVar != scale.results[0].typeVar);

  const OpSpec &all = ops.specs[1];
  CHECK(param(all, "x").typeVar == 0 && all.results[0].typeVar == 0);
  CHECK_TEXT(joined(all.typeVars[0].allowed), "tensor(int32),tensor(int64),tensor(bool)");

  CHECK(param(ops.specs[2], "input").typeVar == -1);
  CHECK(!param(ops.specs[2], "input").homogeneous);
  CHECK(ops.specs[3].results[0].alias->isWrite);

  const OpSpec &promoted = ops.specs[4];
  CHECK(!param(promoted, "rest").homogeneous);
  CHECK_TEXT(promoted.typeVars.at(size_t(promoted.results[0].typeVar)).doc,
             "The type that these are promoted to: T1, T2");
}

/// The message for one prototype, which another one follows.
std::string errorOf(std::string_view text) {
  RegOps ops = readRegOps(cat(text, "\nREG_OP(Next).OP_END_FACTORY_REG(Next)"), {"ops.h", 1});
  CHECK(ops.diagnostics.size() == 1);
  CHECK(ops.specs.size() == 1 && ops.specs[0].name == "Next");
  return ops.diagnostics.empty() ? std::string() : ops.diagnostics[0].render();
}

void testErrors() {
  CHECK_TEXT(errorOf("REG_OP(A)\n  .INPUTS(x, DT_INT32)\n  .OP_END_FACTORY_REG(A)"),
             "ops.h:2:4: error: A: there is no clause 'INPUTS'; did you mean 'INPUT'?\n"
             "  .INPUTS(x, DT_INT32)\n"
             "   ^");
  const std::pair<const char *, const char *> cases[] = {
      {"REG_OP(A)", "1: error: A: expected '.' before a clause; OP_END_FACTORY_REG(A) ends the"},
      {"REG_OP(A).INPUT(x, )", "expected types, found ')'"},
      {"REG_OP(A).INPUT(x)", "expected ',' before the types, found ')'"},
      {"REG_OP(A).INPUT(x, DT_INT8).ATTR(x, Int, 1)", "there are two parameters called 'x'"},
      {"REG_OP(A).ATTR(k, Whole, 1)", "'Whole' is not a type of an attribute"},
      {"REG_OP(A).ATTR(k, int, 1)", "did you mean 'Int'?"},
      {"REG_OP(A).ATTR(k, ListFloat, {1 / 0})", "a number that fits a double"},
      {"REG_OP(A).ATTR(k, ListFloat, UNKNOWN_RANK)", "expected '{' before the elements"},
      {"REG_OP(A).ATTR(k, Int, 1.5)", "expected an integer, found '1.5'"},
      {"REG_OP(A).ATTR(k, Int, 99999999999999999999)", "does not fit 64 bits"},
      {"REG_OP(A).ATTR(k, Int, -9223372036854775809)", "does not fit 64 bits"},
      {"REG_OP(A).ATTR(k, Int, kDefault)", "'kDefault' is not an integer"},
      {"REG_OP(A).ATTR(k, Float, 1e999)", "does not fit a double"},
      {"REG_OP(A).ATTR(k, Bool, 2)", "expected true or false, found '2'"},
      {"REG_OP(A).ATTR(k, ListInt, {1 2})", "expected ',' or '}' after an element"},
      {"REG_OP(A).ATTR(k, Type, DT_NONE)", "'DT_NONE' is not an element type of CANN"},
      {"REG_OP(A).OP_END_FACTORY_REG(B)", "the prototype of 'A' ends as 'B'"},
      {"REG_OP(A).ATTR(k, String, \"\xff\")", "UTF-8"},
      {"REG_OP", "expected '(' after REG_OP"},
      {"REG_OP(1)", "expected the operator's name, found '1'"},
  };
  for (auto [text, expected] : cases) {
    std::string got = errorOf(text);
    if (got.find(expected) == std::string::npos)
      checkText(got, expected, __LINE__);
  }
}

/// What a missing end hides is counted, not lost in silence.
void testUnterminated() {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"/* REG_OP(A)\nREG_OP(B).OP_END_FACTORY_REG(B)",
       "1:1: error: the comment is not terminated; the rest of the text was skipped, and REG_OP is "
       "2 "
       "times in it"},
      {"\nREG_OP(A)\n/** doc\n.OP_END_FACTORY_REG(A)", "3:1: error: the comment is not terminated"},
      {"\"x REG_OP(A).OP_END_FACTORY_REG(A)", "1:1: error: the string is not terminated; the rest "
                                              "of the line was skipped, and REG_OP is 1 "
                                              "times in it"},
      {"R\"(x\nREG_OP(A).OP_END_FACTORY_REG(A)", "1:1: error: the raw string is not terminated"},
      {"REG_OP(A).ATTR(k, String, \"x)\n.OP_END_FACTORY_REG(A)",
       "1:27: error: the string is not terminated"},
  };
  for (auto [text, expected] : cases) {
    RegOps ops = readRegOps(text);
    CHECK(ops.specs.empty() && !ops.diagnostics.empty());
    std::string got = ops.diagnostics.empty() ? std::string() : ops.diagnostics[0].render();
    if (got.find(expected) == std::string::npos)
      checkText(got, expected, __LINE__);
  }
  RegOps fine = readRegOps("int n = 1'000; auto s = R\"x(\" /* )x\"; char c = '\"';\n"
                           "// don't\nREG_OP(A).OP_END_FACTORY_REG(A)");
  CHECK(fine.specs.size() == 1 && fine.diagnostics.empty());
  RegOps unfinished = readRegOps("REG_OP(A)\n.INPUT(x, DT_INT8)");
  CHECK(unfinished.specs.empty() && unfinished.diagnostics.size() == 1);
}

/// A compiler drops the types of operands, so headers have some that mean nothing.
void testUnknownTypes() {
  RegOps ops = readRegOps(R"(REG_OP(A)
  .INPUT(x, "T")
  .INPUT(y, TensorType({DT_FLOAT, DT_FLOAT64}))
  .OPTIONAL_INPUT(z, int8_t({DT_INT8}))
  .OUTPUT(out, TensorType(DT_FLOAT, DT_INT8}))
  .ATTR(shape, ListInt, ge::UNKNOWN_RANK)
  .ATTR(scales, ListFloat, {1.f / 4, 1.f / 8 / 2})
  .ATTR(mode, AscendString, "a")
  .OP_END_FACTORY_REG(A))",
                          {"ops.h", 1});
  CHECK(ops.specs.size() == 1);
  CHECK_TEXT(schemaText(ops.specs.at(0)),
             "A(Tensor x, Tensor y, Tensor? z=None, *, int[] shape=[-2], float[] scales=[0.25, "
             "0.0625], str mode=\"a\") -> Tensor out");
  CHECK(param(ops.specs[0], "x").typeVar == -1 && param(ops.specs[0], "y").typeVar == -1);
  const char *expected[] = {
      "A: 'x' has the type 'T', for which there is no DATATYPE; any is allowed",
      "A: 'DT_FLOAT64' is not an element type of CANN; any is allowed",
      "A: 'z' has the type 'int8_t', for which there is no DATATYPE; any is allowed",
  };
  CHECK(ops.diagnostics.size() == std::size(expected));
  for (size_t i = 0; i < ops.diagnostics.size() && i < std::size(expected); ++i) {
    CHECK_TEXT(ops.diagnostics[i].message, expected[i]);
    CHECK(ops.diagnostics[i].severity == Severity::Warning && ops.diagnostics[i].line == i + 2);
  }
  std::string text = "REG_OP(A)";
  for (int i = 0; i < 1000; ++i)
    text += cat(".INPUT(x", i, ", y)");
  RegOps many = readRegOps(text + ".OP_END_FACTORY_REG(A)");
  CHECK(many.specs.size() == 1 && many.diagnostics.size() == kMaxRegOpDiagnostics + 1);
}

std::string repeated(std::string_view piece, size_t bytes) {
  std::string text;
  while (text.size() < bytes)
    text += piece;
  return text;
}

void testRepetition() {
  // Something quadratic would not end before the test's time limit.
  for (std::string_view piece :
       {"REG_OP(A).OP_END_FACTORY_REG(A) ", "REG_OP(A).INPUT(x, y) ", "(((((", "/*", "\"", "{{{",
        "REG_OP(", "#\\\n", "REG_OP(A).ATTR(k, ListListInt, {{{{", "@li x: "})
    readRegOps(repeated(piece, 1'000'000));
  RegOps many = readRegOps(repeated("REG_OP(A).X(y) ", 100'000));
  CHECK(many.diagnostics.size() == kMaxRegOpDiagnostics);
}

void testManySlots() {
  std::string text = "/** @par Inputs:\n";
  std::string clauses;
  for (int i = 0; i < 20'000; ++i) {
    text += cat("* x", i, ": text\n");
    clauses += cat(".INPUT(x", i, ", DT_INT8)\n");
  }
  text += cat("*/ REG_OP(A)", clauses, ".OP_END_FACTORY_REG(A)");
  RegOps ops = readRegOps(text);
  CHECK(ops.specs.size() == 1 && ops.specs[0].params.back().doc == "text");
}

} // namespace

int main() {
  RegOps ops = readRegOps(exampleText(), {"reg_op_example.h", 1});
  for (const Diagnostic &diagnostic : ops.diagnostics)
    std::fprintf(stderr, "%s\n", diagnostic.render().c_str());
  CHECK(ops.diagnostics.empty());
  testSchemas(ops);
  testDocs(ops);
  testTypes(ops);
  testErrors();
  testUnterminated();
  testUnknownTypes();
  testRepetition();
  testManySlots();
  return checkSummary();
}
