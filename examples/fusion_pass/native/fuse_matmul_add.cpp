// MatMul or BatchMatMulV2, then Add: one GEMM. Twins of ../fuse_matmul_add and
// ../fuse_matmul_add_captured.
#include "samples.h"

#include <ge-c/Patterns.h>

using namespace samples;

namespace {

#define ANY "!ge.unknown"
#define SUM                                                                                        \
  "  %add = \"math.Add\"(%product, %c) : (" ANY ", " ANY ") -> " ANY "\n"                          \
  "  return %add : " ANY "\n}\n"

constexpr char kMatMulAdd[] =
    "func.func @matmul_add(%a: " ANY ", %b: " ANY ", %c: " ANY ") -> " ANY " {\n"
    "  %product = \"math.MatMul\"(%a, %b) : (" ANY ", " ANY ") -> " ANY "\n" SUM;
constexpr char kBatchMatMulAdd[] =
    "func.func @batch_matmul_add(%a: " ANY ", %b: " ANY ", %c: " ANY ") -> " ANY " {\n"
    "  %product = \"nn.BatchMatMulV2\"(%a, %b) : (" ANY ", " ANY ") -> " ANY "\n" SUM;
constexpr char kGemm[] =
    "func.func @gemm(%a: " ANY ", %b: " ANY ", %c: " ANY ") -> " ANY " {\n"
    "  %alpha = \"ge.Const\"() {ge.name = \"Const_0\", value = dense<1.0> : tensor<f32>}"
    " : () -> tensor<f32>\n"
    "  %beta = \"ge.Const\"() {ge.name = \"Const_1\", value = dense<1.0> : tensor<f32>}"
    " : () -> tensor<f32>\n"
    "  %gemm = \"math.GEMM\"(%a, %b, %c, %alpha, %beta) {ge.name = \"GEMM_2\", transpose_a = false,"
    " transpose_b = false} : (" ANY ", " ANY ", " ANY ", tensor<f32>, tensor<f32>) -> " ANY "\n"
    "  return %gemm : " ANY "\n}\n";

/// `Add(MatMul(a, b), c)` becomes `GEMM(a, b, c, 1, 1)`.
struct FuseMatMulAdd {
  static constexpr const char *doc = "Makes a GEMM of a product and an Add.";
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    return statusOf([&] {
      GeContext *context = contextOf(graph);
      Rule first = ruleOf(context, "matmul_add", kMatMulAdd, kGemm);
      Rule second = ruleOf(context, "batch_matmul_add", kBatchMatMulAdd, kGemm);
      apply(graph, run, {first.get(), second.get()});
    });
  }
};

Node nodeOf(const GeMatch *match, const char *name) {
  return get<Node>(geMatchGetNode, match, str(name));
}

/// Only sums of two f32.
GeStatus isFloat(const GeMatch *match, void *, bool *out) {
  return statusOf([&] {
    *out = true;
    for (const char *name : {"product", "c"}) {
      Value value = get<Value>(geMatchGetValue, match, str(name));
      GeType type = nullptr;
      GeTensorTypeSpec spec{};
      check(geValueGetType(value.get(), &type));
      if (geTypeGetKind(type) != GE_TYPE_TENSOR || geTypeGetTensorSpec(type, &spec) != GE_OK) {
        *out = false;
        return;
      }
      GeDType f32{};
      check(geDTypeFromName(str("f32"), &f32));
      *out = *out && spec.dtype == f32;
    }
  });
}

/// What the product's attribute says; one that is not there is false.
Attribute isTransposed(GeNodeRef *product, std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (Attribute attribute = attributeOf(product, name)) {
      bool value = false;
      check(geAttributeGetBool(attribute.get(), &value));
      return Attribute::of(value);
    }
  return Attribute::of(false);
}

/// The same template, transposed as the product is.
GeStatus buildGemm(const GeMatch *match, GeGraphRef *graph, GeNodeRef *, void *,
                   GeReplacement *out) {
  return statusOf([&] {
    GeContext *context = contextOf(graph);
    Node product = nodeOf(match, "product");
    Graph made = get<Graph>(geGraphParse, context, str(kGemm), str("replacement"));
    Node gemm = get<Node>(geGraphFindNode, made.get(), str("GEMM_2"));
    Attribute a = isTransposed(product.get(), {"transpose_x1", "adj_x1"});
    Attribute b = isTransposed(product.get(), {"transpose_x2", "adj_x2"});
    check(geNodeSetAttribute(gemm.get(), identifier(context, "transpose_a"), a.get()));
    check(geNodeSetAttribute(gemm.get(), identifier(context, "transpose_b"), b.get()));
    out->graph = made.release();
    out->owner = out->graph;
    out->release = [](void *owner) { geGraphRelease(static_cast<GeGraphRef *>(owner)); };
  });
}

/// `Add(MatMul(a, b), c)` of floats becomes `GEMM(a, b, c, 1, 1)`, transposed as the product is.
struct FuseMatMulAddCaptured {
  static constexpr const char *doc =
      "Makes a GEMM of a product of f32, transposed or not, and an Add.";
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    return statusOf([&] {
      GeContext *context = contextOf(graph);
      GeRuleCallbacks callbacks{sizeof callbacks, isFloat, buildGemm, nullptr, nullptr};
      Rule first = ruleOf(context, "matmul_add", kMatMulAdd, nullptr, &callbacks);
      Rule second = ruleOf(context, "batch_matmul_add", kBatchMatMulAdd, nullptr, &callbacks);
      apply(graph, run, {first.get(), second.get()});
    });
  }
};

} // namespace

GE_REGISTER_PASS(FuseMatMulAdd, "NativeFuseMatMulAddPass", "BeforeInferShape")
GE_REGISTER_PASS(FuseMatMulAddCaptured, "NativeFuseMatMulAddCapturedPass", "BeforeInferShape")
