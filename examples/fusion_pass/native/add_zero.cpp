// What adds zero goes. Twins of ../add_zero and ../add_zero_in_custom_op.
#include "samples.h"

#include <ge-c/Patterns.h>

#include <cmath>
#include <cstdint>
#include <cstring>

using namespace samples;

namespace {

#define ANY "!ge.unknown"

/// The numbers of a tensor; none when their type is not known here. `tolerance`: what counts as 0.
std::vector<double> numbersOf(GeTensor *tensor, std::string_view dtype) {
  std::vector<unsigned char> bytes(geTensorDenseSize(tensor));
  check(geTensorCopyTo(tensor, bytes.data(), bytes.size()));
  std::vector<double> out;
  auto read = [&]<typename T>(T) {
    for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T number;
      std::memcpy(&number, bytes.data() + at, sizeof number);
      out.push_back(double(number));
    }
  };
  if (dtype == "f32")
    read(float());
  else if (dtype == "f64")
    read(double());
  else if (dtype == "i32")
    read(int32_t());
  return out;
}

/// Of type half: without its sign.
double halfMagnitude(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 31)
    return INFINITY;
  return exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
}

struct Zeros {
  bool onlyScalars;
  /// By type; what is not here is not a zero.
  std::initializer_list<std::pair<const char *, double>> tolerances;
};
const Zeros kOfAdd{true, {{"f32", 1e-6}, {"f64", 1e-15}, {"i32", 1}}};
const Zeros kOfCustom{false, {{"f32", 1e-6}, {"f16", 1e-3}}};

bool isZero(GeTensor *tensor, const Zeros &zeros) {
  GeTensorTypeSpec spec{};
  GeDTypeInfo info{};
  check(geTypeGetTensorSpec(geTensorGetType(tensor), &spec));
  check(geDTypeGetInfo(spec.dtype, &info));
  std::string_view dtype = info.name;
  if (zeros.onlyScalars && spec.rank)
    return false;
  for (const auto &[name, tolerance] : zeros.tolerances) {
    if (dtype != name)
      continue;
    if (dtype == "f16") {
      std::vector<uint16_t> halves(geTensorDenseSize(tensor) / 2);
      check(geTensorCopyTo(tensor, halves.data(), halves.size() * 2));
      for (uint16_t half : halves)
        if (!(halfMagnitude(half) < tolerance))
          return false;
      return true;
    }
    for (double number : numbersOf(tensor, dtype))
      if (!(std::fabs(number) < tolerance))
        return false;
    return true;
  }
  return false;
}

/// The condition: all constants of the match are zeros.
GeStatus areZeros(const GeMatch *match, void *userData, bool *out) {
  return statusOf([&] {
    size_t count = 0;
    check(geMatchNumConstants(match, &count));
    *out = true;
    for (size_t i = 0; *out && i < count; ++i) {
      Value constant = get<Value>(geMatchGetConstant, match, i);
      Node node = get<Node>(geValueGetNode, constant.get());
      Attribute attribute = attributeOf(node.get(), "value");
      *out = false;
      if (!attribute || geAttributeGetKind(attribute.get()) != GE_ATTR_TENSOR)
        return;
      Tensor tensor = get<Tensor>(geAttributeGetTensor, attribute.get());
      *out = isZero(tensor.get(), *static_cast<const Zeros *>(userData));
    }
  });
}

GeRuleCallbacks onlyZeros(const Zeros &zeros) {
  return {sizeof(GeRuleCallbacks), areZeros, nullptr, const_cast<Zeros *>(&zeros), nullptr};
}

/// `Add(x, 0)` becomes `x`: any constant is found, and the condition looks at its value.
struct AddZero {
  static constexpr const char *doc = "Takes away an Add of zero.";
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    return statusOf([&] {
      GeRuleCallbacks callbacks = onlyZeros(kOfAdd);
      Rule rule =
          ruleOf(contextOf(graph), "add_constant",
                 "func.func @add_constant(%x: " ANY ") -> " ANY " {\n"
                 "  %0 = \"ge.Const\"() {value = dense<0> : tensor<i64>} : () -> "
                 "tensor<i64>\n"
                 "  %1 = \"math.Add\"(%x, %0) : (" ANY ", tensor<i64>) -> " ANY "\n"
                 "  return %1 : " ANY "\n}\n",
                 "func.func @input(%x: " ANY ") -> " ANY " { return %x : " ANY " }\n", &callbacks);
      apply(graph, run, {rule.get()});
    });
  }
};

#define ZERO                                                                                       \
  "func.func @pattern(%x: " ANY ", %y: " ANY ") -> " ANY " {\n"                                    \
  "  %0 = \"ge.Const\"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>\n"                 \
  "  %1 = \"math.Identity\"(%0) : (tensor<f32>) -> " ANY "\n"
#define SUMS(ZERO_NAME)                                                                            \
  "  %3 = \"custom.AddCustom\"(%x, " ZERO_NAME ") : (" ANY ", " ANY ") -> " ANY "\n"               \
  "  %4 = \"custom.AddCustom\"(%3, %y) : (" ANY ", " ANY ") -> " ANY "\n"                          \
  "  return %4 : " ANY "\n}\n"

/// `AddCustom(AddCustom(x, 0), y)` becomes `AddCustom(x, y)`.
struct AddZeroInCustomOp {
  static constexpr const char *doc = "Takes away an AddCustom of zero.";
  GeStatus run(GeGraphRef *graph, GePassRun *run) {
    return statusOf([&] {
      GeContext *context = contextOf(graph);
      GeRuleCallbacks callbacks = onlyZeros(kOfCustom);
      constexpr char sum[] =
          "func.func @sum(%x: " ANY ", %y: " ANY ") -> " ANY " {\n"
          "  %0 = \"custom.AddCustom\"(%x, %y) {ge.name = \"AddCustom_0\"} : (" ANY ", " ANY
          ") -> " ANY "\n  return %0 : " ANY "\n}\n";
      Rule first = ruleOf(context, "identity", ZERO SUMS("%1"), sum, &callbacks);
      Rule second =
          ruleOf(context, "moved_identity",
                 ZERO "  %2 = \"math.TensorMove\"(%1) : (" ANY ") -> " ANY "\n" SUMS("%2"), sum,
                 &callbacks);
      apply(graph, run, {first.get(), second.get()});
    });
  }
};

} // namespace

GE_REGISTER_PASS(AddZero, "NativeAddZeroPass", "BeforeInferShape")
GE_REGISTER_PASS(AddZeroInCustomOp, "NativeAddZeroInCustomOpPass", "BeforeInferShape")
