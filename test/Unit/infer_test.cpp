//===- infer_test.cpp - inference of types -------------------------------------------------===//
//
// Guarantees: results of a sample of each family, symbols kept where sizes are equal; chains of
// shape arithmetic reach Reshape; errors name the operand and say what would be right; declared
// types are only made more precise and contradictions reported; loops widen; an unknown operator is
// counted, asked for elsewhere, and never a fault. Not covered: every operator (that is compared
// with ONNX's own node tests from Python).
//
#include "check.h"
#include "parsed.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Text/Text.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace ge;

namespace {

/// One call, with types as text: "f32[N, 4]" is written as the text form has it.
struct Call {
  ContextPtr context = makeContext();
  std::vector<const Type *> operands;
  std::vector<NamedAttribute> attributes;
  std::vector<AttrRef> kept;
  std::vector<const Type *> results;
  InferOutcome outcome;
  uint32_t opset = 0;

  Call(std::vector<std::string> types,
       std::vector<std::pair<std::string, std::string>> attrs = {}) {
    for (const std::string &text : types)
      operands.push_back(text.empty() ? nullptr : parseType(*context, text));
    for (const auto &[name, text] : attrs) {
      kept.push_back(parseAttribute(*context, text));
      attributes.push_back({context->identifier(name), *kept.back()});
    }
  }

  /// Types of `count` results, or the error.
  std::string run(std::string_view op, size_t count = 1) {
    InferArgs args;
    args.context = context.get();
    args.op = context->operatorName(op);
    OpDefRef def = Registry::global().find(args.op->domain(), args.op->type(), {},
                                           opset ? opset : Registry::kNewest);
    args.def = def.get();
    args.opset = opset;
    args.operands = operands;
    args.attributes = attributes;
    results.resize(count);
    outcome = infer(args, results);
    if (outcome.status == InferStatus::Failed)
      return outcome.message;
    std::string text;
    for (const Type *type : results)
      text += cat(text.empty() ? "" : "; ", shortType(type));
    return text;
  }
};

#define CHECK_EQ(actual, wanted)                                                                   \
  do {                                                                                             \
    std::string is = (actual);                                                                     \
    if (is != (wanted))                                                                            \
      std::fprintf(stderr, "is: %s\n", is.c_str());                                                \
    CHECK(is == (wanted));                                                                         \
  } while (false)

const std::string kN4 = "tensor<?x4xf32, {dims = [\"N\", \"\"]}>";
const std::string kM4 = "tensor<?x4xf32, {dims = [\"M\", \"\"]}>";

void singleCalls() {
  CHECK_EQ(Call({kN4, kN4}).run("onnx.Add"), "f32[N, 4]");
  CHECK_EQ(Call({kN4, "tensor<1x4xf32>"}).run("onnx.Add"), "f32[N, 4]");
  CHECK_EQ(Call({kN4, "tensor<8x1xf32>"}).run("onnx.Mul"), "f32[8, 4]");
  CHECK_EQ(Call({kN4, kM4}).run("onnx.Sub"), "f32[?, 4]");
  CHECK_EQ(Call({kN4, "tensor<f32>"}).run("onnx.Less"), "bool[N, 4]");
  CHECK_EQ(Call({kN4, "tensor<*xf32>"}).run("onnx.Add"), "f32[*]");
  CHECK_EQ(Call({kN4, "!ge.unknown"}).run("onnx.Add"), "f32[*]");
  CHECK_EQ(Call({kN4, "tensor<4x7xf32>"}).run("onnx.MatMul"), "f32[N, 7]");
  CHECK_EQ(Call({"tensor<1x3x224x224xf32>", "tensor<64x3x7x7xf32>"},
                {{"strides", "array<i64: 2, 2>"}, {"pads", "array<i64: 3, 3, 3, 3>"}})
               .run("onnx.Conv"),
           "f32[1, 64, 112, 112]");
  CHECK_EQ(Call({kN4}, {{"axes", "array<i64: -1>"}}).run("onnx.ReduceMean"), "f32[N, 1]");
  CHECK_EQ(Call({kN4}, {{"to", "#ge.dtype<i64>"}}).run("onnx.Cast"), "i64[N, 4]");
  CHECK_EQ(Call({kN4}, {{"perm", "array<i64: 1, 0>"}}).run("onnx.Transpose"), "f32[4, N]");
  CHECK_EQ(Call({kN4, "tensor<3xi64>"}).run("onnx.Reshape"), "f32[?, ?, ?]");
  CHECK_EQ(Call({kN4}).run("onnx.Shape"), "i64[2]");
  CHECK_EQ(Call({"tensor<6x4xf32>"}, {{"num_outputs", "2 : i64"}}).run("onnx.Split", 2),
           "f32[3, 4]; f32[3, 4]");
  CHECK_EQ(Call({"tensor<5x2x8xf32>", "tensor<1x64x8xf32>", "tensor<1x64x16xf32>"},
                {{"hidden_size", "16 : i64"}})
               .run("onnx.LSTM", 3),
           "f32[5, 1, 2, 16]; f32[1, 2, 16]; f32[1, 2, 16]");
  CHECK_EQ(Call({"tensor<2x3xf32>", "tensor<3x?xf32>"}, {{"equation", "\"ij,jk->ik\""}})
               .run("onnx.Einsum"),
           "f32[2, ?]");
  CHECK_EQ(Call({"!ge.seq<tensor<2xf32>>", "tensor<i64>"}).run("onnx.SequenceAt"), "f32[2]");
}

void versionsDiffer() {
  Call old({"tensor<2x3x4xf32>"});
  old.opset = 12; // the axis's default is 1, the operand is flattened there
  CHECK_EQ(old.run("onnx.Softmax"), "f32[2, 3, 4]");
  Call mask({"tensor<2xf32>"});
  mask.opset = 7;
  CHECK_EQ(mask.run("onnx.Dropout", 2), "f32[2]; f32[2]");
  mask.opset = 13;
  CHECK_EQ(mask.run("onnx.Dropout", 2), "f32[2]; bool[2]");
  Call broadcast({"tensor<2x3xf32>", "tensor<2xf32>"},
                 {{"broadcast", "1 : i64"}, {"axis", "0 : i64"}});
  broadcast.opset = 6;
  CHECK_EQ(broadcast.run("onnx.Add"), "f32[2, 3]");
}

void errorsTeach() {
  std::string text = Call({"tensor<2x3xf32>", "tensor<4xf32>"}).run("onnx.Add");
  CHECK(contains(text, "operand 1 'B' (f32[4]) does not broadcast with operand 0 'A'"));
  text = Call({"tensor<2xf32>", "tensor<2xi64>"}).run("onnx.Add");
  CHECK(contains(text, "operand 1 'B' (i64[2]) has another element type"));
  text = Call({"tensor<2x3xf32>", "tensor<4x5xf32>"}).run("onnx.MatMul");
  CHECK(contains(text, "has 4 rows, but operand 0 'A' (f32[2, 3]) has 3 columns"));
  text = Call({"tensor<1x3x8x8xf32>", "tensor<4x5x3x3xf32>"}).run("onnx.Conv");
  CHECK(contains(text, "has 3 channels, but operand 1 'W'"));
  text = Call({"tensor<1x3x2x2xf32>", "tensor<4x3x3x3xf32>"}).run("onnx.Conv");
  CHECK(contains(text, "too small"));
  text = Call({kN4}, {{"axis", "2 : i64"}}).run("onnx.Softmax");
  CHECK(contains(text, "axis 2 is out of range: it must be in [-2, 1]"));
  text = Call({kN4}, {{"perm", "array<i64: 0, 0>"}}).run("onnx.Transpose");
  CHECK(contains(text, "axis 0 is given twice"));
  text = Call({kN4}, {{"perm", "array<i64: 0>"}}).run("onnx.Transpose");
  CHECK(contains(text, "'perm' has 1 numbers"));
}

/// Sizes at the edge of what fits must not overflow.
void extremeSizes() {
  std::string huge = "tensor<9223372036854775807x9223372036854775807xf32>";
  CHECK_EQ(Call({huge}).run("onnx.Flatten"), "f32[9223372036854775807, 9223372036854775807]");
  CHECK_EQ(Call({huge}, {{"axis", "0 : i64"}}).run("onnx.Flatten"), "f32[1, ?]");
  Call({huge, huge}, {{"axis", "0 : i64"}}).run("onnx.Concat");
  Call({"tensor<1x1x9223372036854775807xf32>"},
       {{"kernel_shape", "array<i64: 2147483647>"}, {"pads", "array<i64: 2147483647, 2147483647>"}})
      .run("onnx.MaxPool");
  Call({huge}, {{"axes", "array<i64: -9223372036854775808>"}}).run("onnx.ReduceSum");
  Call({"tensor<4xf32>", "tensor<9223372036854775807xi64>"}).run("onnx.Reshape");
  CHECK_EQ(Call({}, {}).run("onnx.Add"), "unknown");
  CHECK_EQ(Call({"none", "none"}, {}).run("onnx.Conv"), "unknown");
}

/// x: {N, 12, 64} -> {N, 12 * 64} by the arithmetic that exporters write.
void chainsReachReshape() {
  Parsed p(R"(func.func @main(%x: tensor<?x12x64xf32, {dims = ["N", "", ""]}>) -> !ge.unknown {
    %shape = "onnx.Shape"(%x) : (tensor<?x12x64xf32, {dims = ["N", "", ""]}>) -> !ge.unknown
    %zero = "onnx.Constant"() {value_int = 0 : i64} : () -> !ge.unknown
    %two = "ge.Const"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> !ge.unknown
    %axis = "ge.Const"() {value = dense<0> : tensor<1xi64>} : () -> !ge.unknown
    %n = "onnx.Gather"(%shape, %zero) {axis = 0 : i64} : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %rest = "onnx.Gather"(%shape, %two) {axis = 0 : i64} : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %size = "onnx.ReduceProd"(%rest) : (!ge.unknown) -> !ge.unknown
    %narrow = "onnx.Cast"(%n) {to = #ge.dtype<i32>} : (!ge.unknown) -> !ge.unknown
    %wide = "onnx.Cast"(%narrow) {to = #ge.dtype<i64>} : (!ge.unknown) -> !ge.unknown
    %row = "onnx.Unsqueeze"(%wide, %axis) : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %to = "onnx.Concat"(%row, %size) {axis = 0 : i64} : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %y = "onnx.Reshape"(%x, %to) : (tensor<?x12x64xf32, {dims = ["N", "", ""]}>, !ge.unknown) -> !ge.unknown
    %minus = "ge.Const"() {value = dense<-1> : tensor<1xi64>} : () -> !ge.unknown
    %flat = "onnx.Concat"(%row, %minus) {axis = 0 : i64} : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %z = "onnx.Reshape"(%x, %flat) : (tensor<?x12x64xf32, {dims = ["N", "", ""]}>, !ge.unknown) -> !ge.unknown
    return %y : !ge.unknown
  })");
  InferOptions options;
  options.opset = 18;
  InferCounts counts = inferTypes(p.graph(), options);
  CHECK_EQ(p.type("y"), "f32[N, 768]");
  CHECK_EQ(p.type("z"), "f32[N, 768]");
  CHECK_EQ(p.type("to"), "i64[2]");
  CHECK(counts.diagnostics.empty());
  CHECK(counts.unknown == 0 && counts.inferred == counts.nodes && counts.nodes == 15);
  InferCounts again = inferTypes(p.graph(), options);
  CHECK(again.changed == 0);
}

/// The same without a graph walk: a builder asks for one call, whose operands lead back.
void callsLookBack() {
  Parsed p(R"(func.func @main(%x: tensor<?x12xf32, {dims = ["N", ""]}>) -> tensor<1xi64> {
    %shape = "onnx.Shape"(%x) {start = 0 : i64, end = 1 : i64} : (tensor<?x12xf32, {dims = ["N", ""]}>) -> tensor<1xi64>
    return %shape : tensor<1xi64>
  })");
  Value *values[] = {p.graph()->input(0), p.root->findValue("shape")};
  const Type *types[] = {values[0]->type(), values[1]->type()};
  const Type *result = nullptr;
  InferArgs args;
  args.context = p.context.get();
  args.op = p.context->operatorName("onnx.Expand");
  args.operands = types;
  args.values = values;
  CHECK(infer(args, {&result, 1}).status == InferStatus::Inferred);
  CHECK_EQ(shortType(result), "f32[N, 12]");
  args.op = p.context->operatorName("onnx.ConstantOfShape");
  args.operands = std::span(types).subspan(1);
  args.values = std::span(values).subspan(1);
  CHECK(infer(args, {&result, 1}).status == InferStatus::Inferred);
  CHECK_EQ(shortType(result), "f32[N]");
}

void declaredTypesStay() {
  Parsed p(R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<*xf32> {
    %y = "onnx.Relu"(%x) : (tensor<?x3xf32>) -> tensor<2x3xf32>
    %z = "onnx.Abs"(%y) : (tensor<2x3xf32>) -> tensor<*xf32>
    %w = "onnx.Neg"(%y) {ge.name = "wrong"} : (tensor<2x3xf32>) -> tensor<2x4xf32>
    return %z : tensor<*xf32>
  })");
  InferCounts counts = inferTypes(p.graph());
  CHECK_EQ(p.type("y"), "f32[2, 3]");
  CHECK_EQ(p.type("z"), "f32[2, 3]");
  CHECK_EQ(p.type("w"), "f32[2, 4]");
  CHECK(counts.changed == 1);
  CHECK(counts.diagnostics.size() == 1);
  if (!counts.diagnostics.empty())
    CHECK_EQ(counts.diagnostics[0].message,
             "result 0 of node 'wrong' (onnx.Neg) is declared as f32[2, 4], but inferred as "
             "f32[2, 3]; correct the declaration or the operands");
}

void controlFlow() {
  Parsed p(R"(func.func @main(%c: tensor<i1>, %m: tensor<i64>, %x: tensor<2x3xf32>) -> !ge.unknown {
    %y = "onnx.If"(%c) ({
      %a = "onnx.Abs"(%x) : (tensor<2x3xf32>) -> !ge.unknown
      "ge.yield"(%a) : (!ge.unknown) -> ()
    }, {
      %b = "onnx.Concat"(%x, %x) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> !ge.unknown
      "ge.yield"(%b) : (!ge.unknown) -> ()
    }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> !ge.unknown
    %last, %all = "onnx.Loop"(%m, %c, %x) ({
    ^bb0(%i: !ge.unknown, %go: !ge.unknown, %v: !ge.unknown):
      %longer = "onnx.Concat"(%v, %x) {axis = 0 : i64} : (!ge.unknown, tensor<2x3xf32>) -> !ge.unknown
      %sum = "onnx.ReduceSum"(%v) {keepdims = 0 : i64} : (!ge.unknown) -> !ge.unknown
      "ge.yield"(%go, %longer, %sum) : (!ge.unknown, !ge.unknown, !ge.unknown) -> ()
    }) {ge.subgraphs = [{slot = "body"}]} : (tensor<i64>, tensor<i1>, tensor<2x3xf32>) -> (!ge.unknown, !ge.unknown)
    %strange = "com.acme.Odd"(%y) ({
      %inner = "onnx.Neg"(%x) : (tensor<2x3xf32>) -> !ge.unknown
      "ge.yield"(%inner) : (!ge.unknown) -> ()
    }) : (!ge.unknown) -> !ge.unknown
    return %last : !ge.unknown
  })");
  InferCounts counts = inferTypes(p.graph());
  for (const Diagnostic &d : counts.diagnostics)
    std::fprintf(stderr, "%s\n", d.message.c_str());
  CHECK(counts.diagnostics.empty());
  CHECK_EQ(p.type("y"), "f32[?, 3]");
  CHECK_EQ(p.type("last"), "f32[?, 3]");
  CHECK_EQ(p.type("v"), "f32[?, 3]"); // not f32[2, 3], which holds in the first round only
  CHECK_EQ(p.type("all"), "f32[?]");
  CHECK_EQ(p.type("inner"), "f32[2, 3]");
  CHECK(counts.unknown == 1);
  CHECK(counts.unknownOperators.size() == 1 && counts.unknownOperators[0].first == "com.acme.Odd");
}

struct Odd final : ForeignInferrer {
  std::string_view name() const override { return "odd"; }
  bool infer(InferContext &c) override {
    if (c.op().str() != "com.acme.Odd")
      return false;
    c.setResult(0, c.operand(0));
    return true;
  }
};

void foreignInferrersAreCounted() {
  uint64_t number = registerInferrer(std::make_shared<Odd>());
  Parsed p(R"(func.func @main(%x: tensor<2xf32>) -> !ge.unknown {
    %y = "com.acme.Odd"(%x) : (tensor<2xf32>) -> !ge.unknown
    %z = "com.acme.Other"(%x) : (tensor<2xf32>) -> !ge.unknown
    %a = "onnx.Abs"(%x) : (tensor<2xf32>) -> !ge.unknown
    return %y : !ge.unknown
  })");
  InferCounts counts = inferTypes(p.graph());
  unregisterInferrer(number);
  CHECK_EQ(p.type("y"), "f32[2]");
  CHECK(counts.byFallback == 1 && counts.unknown == 1 && counts.inferred == 2);
  uint64_t asked = 0;
  for (const InferrerUse &use : inferrerUses()) {
    CHECK(use.inferrer == "odd");
    CHECK(use.answered == (use.op == "com.acme.Odd" ? 1 : 0));
    asked += use.asked;
  }
  CHECK(asked == 2);
}

void cyclesAreReported() {
  ContextPtr context = makeContext();
  Root *root = Root::create(*context, "main");
  const Type *unknown = context->unknownType();
  NodeSpec spec;
  spec.op = context->operatorName("onnx.Abs");
  spec.resultTypes = {&unknown, 1};
  Value *none = nullptr;
  spec.operands = {&none, 1};
  Node *a = Mutation::create(root->graph(), nullptr, spec);
  Node *b = Mutation::create(root->graph(), nullptr, spec);
  Mutation::setOperand(a, 0, b->result(0));
  Mutation::setOperand(b, 0, a->result(0));
  InferCounts counts = inferTypes(root->graph());
  CHECK(counts.diagnostics.size() == 1 && contains(counts.diagnostics[0].message, "cycle"));
  root->drop();
}

/// Deeper than any stack: contents are found by walking back, and stop.
void longChains() {
  ContextPtr context = makeContext();
  Root *root = Root::create(*context, "main");
  TensorTypeSpec scalar;
  scalar.dtype = DType::I64;
  const Type *type = context->tensorType(scalar);
  Value *at = Mutation::addInput(root->graph(), "x", type)->result(0);
  for (int i = 0; i != 100000; ++i) {
    Value *operands[] = {at, at};
    NodeSpec spec;
    spec.op = context->operatorName("onnx.Add");
    spec.operands = operands;
    spec.resultTypes = {&type, 1};
    at = Mutation::create(root->graph(), nullptr, spec)->result(0);
  }
  const Type *result = nullptr;
  InferArgs args;
  args.context = context.get();
  args.op = context->operatorName("onnx.ConstantOfShape");
  args.operands = {&type, 1};
  args.values = {&at, 1};
  infer(args, {&result, 1});
  CHECK(inferTypes(root->graph()).unknown == 0);
  root->drop();
}

void precision() {
  ContextPtr context = makeContext();
  auto type = [&](std::string_view text) { return parseType(*context, text); };
  const Type *symbolic = type("tensor<?x4xf32, {dims = [\"N\", \"\"]}>");
  CHECK_EQ(shortType(meetTypes(symbolic, type("tensor<2x?xf32>"))), "f32[2, 4]");
  CHECK_EQ(shortType(meetTypes(type("tensor<?x?xf32>"), symbolic)), "f32[N, 4]");
  CHECK(meetTypes(symbolic, type("tensor<*xf32>")) == symbolic);
  CHECK(!meetTypes(symbolic, type("tensor<2x5xf32>")));
  CHECK(!meetTypes(symbolic, type("tensor<2x4xf16>")));
  CHECK_EQ(shortType(joinTypes(symbolic, type("tensor<2x4xf32>"))), "f32[?, 4]");
  CHECK_EQ(shortType(joinTypes(symbolic, type("tensor<4xf32>"))), "f32[*]");
  CHECK(joinTypes(symbolic, type("!ge.seq<tensor<f32>>"))->kind() == TypeKind::Unknown);
}

/// CANN's operators have operands for ONNX's attributes, other names, other layouts.
void operatorsOfCann() {
  CHECK_EQ(Call({kN4, "tensor<7x4xf32>"}, {{"transpose_x2", "true"}}).run("math.MatMul"),
           "f32[N, 7]");
  CHECK_EQ(Call({"tensor<2x8x8x3xf32>", "tensor<16x3x3x3xf32>"},
                {{"strides", "array<i64: 1, 2, 2, 1>"}, {"pads", "array<i64: 1, 1, 1, 1>"}})
               .run("nn.Conv2D"),
           "f32[2, 4, 4, 16]");
  CHECK_EQ(Call({"tensor<2x8x8x3xf32>"}, {{"ksize", "array<i64: 1, 2, 2, 1>"},
                                          {"strides", "array<i64: 1, 2, 2, 1>"},
                                          {"padding", "\"VALID\""}})
               .run("nn.MaxPool"),
           "f32[2, 4, 4, 3]");
  CHECK_EQ(Call({kN4}, {{"dst_type", "1 : i64"}}).run("math.Cast"), "f16[N, 4]");
  CHECK_EQ(Call({kN4, kN4}, {{"concat_dim", "-1 : i64"}}).run("math.ConcatV2D"), "f32[N, 8]");
  CHECK_EQ(Call({kN4, kN4}, {{"N", "2 : i64"}}).run("math.Pack"), "f32[2, N, 4]");
  CHECK_EQ(Call({kN4}, {{"axes", "array<i64: 1>"}, {"keep_dims", "true"}}).run("math.ReduceSumD"),
           "f32[N, 1]");
  Parsed p(R"(func.func @main(%x: tensor<2x3x4xf32>) -> !ge.unknown {
    %perm = "ge.Const"() {value = dense<[2, 0, 1]> : tensor<3xi32>} : () -> !ge.unknown
    %axis = "ge.Const"() {value = dense<1> : tensor<i32>} : () -> !ge.unknown
    %t = "math.Transpose"(%x, %perm) : (tensor<2x3x4xf32>, !ge.unknown) -> !ge.unknown
    %s = "math.Shape"(%t) : (!ge.unknown) -> !ge.unknown
    %zero = "ge.Const"() {value = dense<0> : tensor<1xi32>} : () -> !ge.unknown
    %p = "math.ReduceProd"(%s, %zero) : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %e = "math.ExpandDims"(%t, %axis) : (!ge.unknown, !ge.unknown) -> !ge.unknown
    %a, %b = "math.Split"(%axis, %t) {num_split = 2 : i64} : (!ge.unknown, !ge.unknown) -> (!ge.unknown, !ge.unknown)
    return %e : !ge.unknown
  })");
  InferCounts counts = inferTypes(p.graph());
  CHECK(counts.diagnostics.empty() && counts.unknown == 0);
  CHECK_EQ(p.type("t"), "f32[4, 2, 3]");
  CHECK_EQ(p.type("e"), "f32[4, 1, 2, 3]");
  CHECK_EQ(p.type("b"), "f32[4, 1, 3]");
}

/// A name in two files would leave one of them without effect; of the operators that ship and have
/// results none is missing.
void namesAreOnce() {
  std::vector<std::string> names = nativeInferences();
  CHECK(std::ranges::adjacent_find(names) == names.end());
  const Registry &registry = Registry::global();
  for (std::string_view ns :
       {"onnx", "onnx.ml", "onnx.preview", "onnx.preview.training", "math", "nn"})
    for (const Registry::Listed &listed : registry.list(ns)) {
      bool isCann = ns == "math" || ns == "nn";
      bool isNative =
          std::ranges::binary_search(names, cat(isCann ? "ge" : ns, ".", listed.name)) ||
          registry.find(ns, listed.name)->results.empty();
      if (!isNative)
        std::fprintf(stderr, "no native inference: %s.%s\n", std::string(ns).c_str(),
                     listed.name.c_str());
      CHECK(isNative);
    }
}

/// Not a limit, which a loaded machine would break: for who runs it by hand.
void printTime() {
  ContextPtr context = makeContext();
  const Type *type = parseType(*context, "tensor<4x4xf32>");
  const Type *row = parseType(*context, "tensor<1x4xf32>");
  for (const Type *second : {type, row}) {
    const Type *operands[] = {type, second};
    const Type *result = nullptr;
    InferArgs args;
    args.context = context.get();
    args.op = context->operatorName("onnx.Add");
    OpDefRef def = Registry::global().find("onnx", "Add");
    args.def = def.get();
    args.operands = operands;
    constexpr int kCalls = 200000;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i != kCalls; ++i)
      infer(args, {&result, 1});
    double ns =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    std::printf("infer Add(f32[4, 4], %s): %.0f ns\n", shortType(second).c_str(), ns / kCalls);
    CHECK(result == type);
  }
}

} // namespace

int main() {
  singleCalls();
  versionsDiffer();
  errorsTeach();
  extremeSizes();
  chainsReachReshape();
  callsLookBack();
  declaredTypesStay();
  controlFlow();
  foreignInferrersAreCounted();
  cyclesAreReported();
  longChains();
  precision();
  operatorsOfCann();
  namesAreOnce();
  printTime();
  return checkSummary();
}
