//===- verify_ops_test.cpp - verification of nodes against definitions --------------------------===//
//
// Guarantees: an error names the operand, attribute or subgraph and says what would be right; an
// unknown operator is counted and never an error. What is inferred is tested in infer_test.cpp.
//
#include "check.h"
#include "parsed.h"

#include "ge/Ops/Infer/VerifyOps.h"

#include <string>
#include <vector>

using namespace ge;

namespace {

std::vector<std::string> verifyText(std::string_view text, uint32_t opset = 0) {
  Parsed p(text);
  VerifyOptions options;
  options.opset = opset;
  std::vector<std::string> messages;
  for (const Diagnostic &d : verifyDefinitions(p.graph(), options).diagnostics)
    messages.push_back(d.message);
  return messages;
}

void definitions() {
  auto node = [](std::string_view text) {
    return cat("func.func @main(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, "
               "%h: tensor<4xf16>, %c: tensor<i1>) -> tensor<1x3x8x8xf32> {\n",
               text, "\nreturn %x : tensor<1x3x8x8xf32>\n}");
  };
  const std::string types = " : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> !ge.unknown";
  CHECK(verifyText(node("%y = \"onnx.Conv\"(%x, %w) {group = 1 : i64}" + types)).empty());
  auto one = [&](std::string_view text, std::string_view part) {
    std::vector<std::string> messages = verifyText(node(text));
    CHECK(messages.size() == 1);
    CHECK(!messages.empty() && contains(messages[0], part));
  };
  one("%y = \"onnx.Conv\"(%x, %w) {Group = 1 : i64}" + types, "did you mean 'group'?");
  one("%y = \"onnx.Conv\"(%x, %w) {group = \"one\"}" + types,
      "attribute 'group' must be int, not str");
  one("%y = \"onnx.Conv\"(%x) : (tensor<1x3x8x8xf32>) -> !ge.unknown",
      "operand 1 'W' is missing; it is required");
  one("%y = \"onnx.Conv\"(%x, %w, %h) : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, "
      "tensor<4xf16>) -> !ge.unknown",
      "operand 2 'B' is tensor(float16), but operand 0 'X' is tensor(float); both are of type 'T'");
  one("%y = \"onnx.Relu\"(%x, %x) : (tensor<1x3x8x8xf32>, tensor<1x3x8x8xf32>) -> !ge.unknown",
      "has 2 operands, at most 1 are allowed");
  one("%y = \"onnx.Relu\"(%c) : (tensor<i1>) -> !ge.unknown",
      "operand 0 'X' is tensor(bool); 'T' may be");
  one("%y = \"onnx.Concat\"(%x) : (tensor<1x3x8x8xf32>) -> !ge.unknown",
      "attribute 'axis' is missing; it is required");
  one("%y = \"onnx.If\"(%c) ({\n\"ge.yield\"(%x) : (tensor<1x3x8x8xf32>) -> ()\n}) "
      "{ge.subgraphs = [{slot = \"then_branch\"}]} : (tensor<i1>) -> !ge.unknown",
      "subgraph 'else_branch' is missing");
  Parsed p(node("%y = \"com.acme.Odd\"(%x) : (tensor<1x3x8x8xf32>) -> !ge.unknown"));
  VerifyResult result = verifyDefinitions(p.graph());
  CHECK(result.diagnostics.empty() && result.unknown == 1);
  CHECK(result.unknownOperators.size() == 1 && result.unknownOperators[0].first == "com.acme.Odd");
}

} // namespace

int main() {
  definitions();
  return checkSummary();
}
