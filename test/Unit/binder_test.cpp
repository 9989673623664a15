//===- binder_test.cpp - arguments to parameters, the registry --------------------------------===//
//
// Guarantees under test: the binder's faults, their order and words; conversions, and what strict
// mode takes away; overloads in registration order. Versions side by side, lazy records made once,
// libraries that take back what they added, look-ups while others register.
//
#include "check.h"

#include "ge/Ops/Binding/Binder.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Support/Error.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

using namespace ge;

namespace {

/// An argument of these tests.
struct Value {
  ArgKind kind = ArgKind::None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Value> items;
};
Value none() { return {}; }
Value boolean(bool v) { return {ArgKind::Bool, v, 0, {}, {}}; }
Value integer(int64_t v) { return {ArgKind::Int, v, 0, {}, {}}; }
Value real(double v) { return {ArgKind::Float, 0, v, {}, {}}; }
Value str(std::string v) { return {ArgKind::Str, 0, 0, std::move(v), {}}; }
Value tensor() { return {ArgKind::Value, 0, 0, {}, {}}; }
Value list(std::vector<Value> items) { return {ArgKind::List, 0, 0, {}, std::move(items)}; }
Value object(std::string type) { return {ArgKind::Object, 0, 0, std::move(type), {}}; }

class Values final : public ArgView {
public:
  static const Value &of(Arg arg) { return *static_cast<const Value *>(arg); }
  ArgKind kind(Arg arg) const override { return of(arg).kind; }
  size_t size(Arg arg) const override { return of(arg).items.size(); }
  Arg item(Arg arg, size_t index) const override { return &of(arg).items[index]; }
  bool intValue(Arg arg, int64_t &out) const override {
    out = of(arg).integer;
    return true;
  }
  double floatValue(Arg arg) const override { return of(arg).real; }
  std::string_view strValue(Arg arg) const override { return of(arg).text; }
  bool isInstance(Arg arg, const SchemaType &type) const override {
    return of(arg).text == type.str();
  }
  std::string describe(Arg arg) const override {
    switch (kind(arg)) {
    case ArgKind::Str:
      return "str '" + of(arg).text + "'";
    case ArgKind::Int:
      return "int " + std::to_string(of(arg).integer);
    case ArgKind::List:
      return "list of " + std::to_string(of(arg).items.size());
    case ArgKind::None:
      return "None";
    case ArgKind::Bool:
      return "bool";
    default:
      return "object";
    }
  }
};

struct Call {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

struct Bound {
  bool ok = false;
  std::vector<BoundArg> args;
  BindFault fault;
};

Bound bindTo(const std::vector<OpDefRef> &ops, const Call &call, BindOptions options = {},
             int *chosen = nullptr) {
  Values view;
  std::vector<Arg> positional;
  for (const Value &value : call.positional)
    positional.push_back(&value);
  std::vector<Keyword> keywords;
  for (const auto &[name, value] : call.keywords)
    keywords.push_back({name, &value});
  Bound bound;
  bound.args.resize(16);
  int index = resolveOverload(ops, view, positional, keywords, options, bound.args, &bound.fault);
  bound.ok = index >= 0;
  if (chosen)
    *chosen = index;
  return bound;
}

OpDefRef op(const char *schema) { return OpDef::create(parseSchema(schema)); }

void checkFault(const char *schema, const Call &call, BindFault::Kind kind, const char *reason,
                int line, BindOptions options = {}) {
  Bound bound = bindTo({op(schema)}, call, options);
  bool whole = bound.fault.message.find(bound.fault.reason) != std::string::npos &&
               bound.fault.message.find(schema) != std::string::npos;
  if (bound.ok || bound.fault.kind != kind || bound.fault.reason != reason || !whole) {
    std::fprintf(stderr, "line %d: %s\n", line, bound.fault.message.c_str());
    ++failures;
  }
}
#define CHECK_FAULT(...) checkFault(__VA_ARGS__)

using Kind = BindFault::Kind;

void testFaults() {
  const char *f = "acme::f(Tensor x, int k, *, bool training=False, int dim=0) -> Tensor";
  CHECK_FAULT(f, {{tensor(), integer(1)}, {{"axis", integer(1)}}}, Kind::UnknownKeyword,
              "unexpected keyword 'axis' (did you mean 'dim'?)", __LINE__);
  CHECK_FAULT(f, {{tensor(), integer(1)}, {{"trainin", boolean(true)}}}, Kind::UnknownKeyword,
              "unexpected keyword 'trainin' (did you mean 'training'?)", __LINE__);
  CHECK_FAULT(f, {{tensor(), integer(1)}, {{"k", integer(1)}}}, Kind::Twice,
              "argument 'k' specified twice", __LINE__);
  CHECK_FAULT(f, {{tensor()}, {{"k", integer(1)}, {"k", integer(1)}}}, Kind::Twice,
              "argument 'k' specified twice", __LINE__);
  CHECK_FAULT(f, {{tensor(), integer(1), boolean(true)}, {}}, Kind::KeywordOnly,
              "keyword-only argument 'training' passed as positional", __LINE__);
  CHECK_FAULT("g(int a, int b=0) -> ()", {{integer(1), integer(2), integer(3)}, {}}, Kind::TooMany,
              "too many positional arguments: expected at most 2, got 3", __LINE__);
  CHECK_FAULT(f, {{tensor()}, {}}, Kind::Missing, "missing required argument 'k'", __LINE__);
  CHECK_FAULT(f, {{tensor(), str("x")}, {}}, Kind::Type,
              "argument 'k' (position 2) expects int, got str 'x'", __LINE__);
  CHECK_FAULT(f, {{tensor()}, {{"k", str("x")}}}, Kind::Type,
              "argument 'k' expects int, got str 'x'", __LINE__);
  CHECK_FAULT("g(int[2] k) -> ()", {{list({integer(1), str("x")})}, {}}, Kind::Type,
              "argument 'k' (position 1) expects int[2], got list of 2 whose element 1 is str 'x'",
              __LINE__);
  // The order: each call has the fault of this line and of those below it.
  CHECK_FAULT(f, {{tensor(), str("x"), str("y"), str("z")}, {{"k", none()}, {"q", none()}}},
              Kind::UnknownKeyword, "unexpected keyword 'q'", __LINE__);
  CHECK_FAULT(f, {{tensor(), str("x"), str("y"), str("z")}, {{"k", none()}}}, Kind::Twice,
              "argument 'k' specified twice", __LINE__);
  CHECK_FAULT(f, {{none(), str("x"), str("y"), str("z")}, {}}, Kind::KeywordOnly,
              "keyword-only argument 'training' passed as positional", __LINE__);
  CHECK_FAULT("g(int a, int b) -> ()", {{str("x")}, {}}, Kind::Missing,
              "missing required argument 'b'", __LINE__);
}

// The examples of the RFC that asked for the binder (seed 001), with its schemas and calls.

Value named(const char *name) { return {ArgKind::Value, 0, 0, name, {}}; }
Value written(double v, const char *text) { return {ArgKind::Float, 0, v, text, {}}; }
Value tuple(std::vector<Value> items) { return {ArgKind::Tuple, 0, 0, {}, std::move(items)}; }

std::string textOf(const Value &value) {
  switch (value.kind) {
  case ArgKind::None:
    return "None";
  case ArgKind::Bool:
    return value.integer ? "True" : "False";
  case ArgKind::Int:
    return std::to_string(value.integer);
  case ArgKind::Tuple: {
    std::string text;
    for (const Value &item : value.items)
      text += (text.empty() ? "" : ",") + textOf(item);
    return "(" + text + ")";
  }
  default:
    return value.text;
  }
}

/// "x, k=5, axis=-1" as the RFC writes what was bound; tensors without their parameter's name.
std::string bindingOf(const char *schema, const Call &call) {
  OpDefRef def = op(schema);
  Bound bound = bindTo({def}, call);
  if (!bound.ok)
    return bound.fault.reason;
  std::string text;
  for (size_t i = 0; i < def->params.size(); ++i) {
    const Param &param = def->params[i];
    const BoundArg &arg = bound.args[i];
    std::string value;
    if (arg.source == ArgSource::Default)
      value = param.defaultValue->text;
    else
      value = textOf(arg.source == ArgSource::Keyword ? call.keywords[arg.index].second
                                                      : call.positional[arg.index]);
    text += text.empty() ? "" : ", ";
    text += value == param.name ? value : param.name + "=" + value;
  }
  return text;
}

void testSeedExamples() {
  struct Example {
    const char *schema;
    Call call;
    const char *bound; ///< or the reason
  };
  Value x = named("x"), y = named("y"), z = named("z"), a = named("a"), b = named("b");
  Value boxes = named("boxes"), scores = named("scores"), rois = named("rois");
  Value decoder = named("decoder");
  const char *nms = "nms(Tensor boxes, Tensor scores, float iou=0.5, int topk=-1, *, bool "
                    "normalized=False) -> Tensor";
  const char *softmax = "softmax(Tensor x, int axis=-1, *, bool use_cudnn=True) -> Tensor";
  const char *blend = "blend((Tensor, Tensor) inputs, float alpha=0.5) -> Tensor";
  const char *video = "add_video_stream(Tensor(a!) decoder, *, (Tensor, Tensor, Tensor)? "
                      "custom_frame_mappings=None) -> ()";
  const char *dropout = "dropout(Tensor x, float p=0.5, *, bool training=True) -> Tensor";
  const Example examples[] = {
      {nms,
       {{boxes, scores}, {{"topk", integer(200)}}},
       "boxes, scores, iou=0.5, topk=200, normalized=False"},
      {"roi_align(Tensor x, Tensor rois, int pooled_h=7, int pooled_w=7) -> Tensor",
       {{x, rois}, {}},
       "x, rois, pooled_h=7, pooled_w=7"},
      {"topk(Tensor x, int k=1, int axis=-1, bool largest=True, bool sorted=True) -> (Tensor, "
       "Tensor)",
       {{x, integer(5)}, {{"sorted", boolean(false)}}},
       "x, k=5, axis=-1, largest=True, sorted=False"},
      {softmax,
       {{x}, {{"axis", integer(1)}, {"use_cudnn", boolean(false)}}},
       "x, axis=1, use_cudnn=False"},
      {softmax,
       {{x, integer(1), boolean(false)}, {}},
       "keyword-only argument 'use_cudnn' passed as positional"},
      {"clamp(Tensor x, float? min=None, float? max=None) -> Tensor",
       {{x}, {{"max", written(0, "0.0")}}},
       "x, min=None, max=0.0"},
      {blend, {{tuple({x, y})}, {{"alpha", written(0.3, "0.3")}}}, "inputs=(x,y), alpha=0.3"},
      {video,
       {{decoder}, {{"custom_frame_mappings", none()}}},
       "decoder, custom_frame_mappings=None"},
      {video,
       {{decoder}, {{"custom_frame_mappings", tuple({x, y, z})}}},
       "decoder, custom_frame_mappings=(x,y,z)"},
      {"normalize_(Tensor(a!) x, float eps=1e-5) -> Tensor(a!)",
       {{x}, {{"eps", written(1e-6, "1e-6")}}},
       "x, eps=1e-6"},
      {"add(Tensor a, Tensor b) -> Tensor",
       {{a, b}, {{"axis", integer(1)}}},
       "unexpected keyword 'axis'"},
      {"topk(Tensor x, int k=1, int axis=-1) -> (Tensor, Tensor)",
       {{x, integer(5)}, {{"k", integer(3)}}},
       "argument 'k' specified twice"},
      {"matmul(Tensor a, Tensor b) -> Tensor", {{a}, {}}, "missing required argument 'b'"},
      {dropout,
       {{x, written(0.2, "0.2"), boolean(false)}, {}},
       "keyword-only argument 'training' passed as positional"},
      // Near what the RFC writes: the first wrong argument is named.
      {blend, {{x, y}, {}}, "argument 'inputs' (position 1) expects (Tensor, Tensor), got object"},
      {video,
       {{decoder}, {{"custom_frame_mappings", tuple({x, y})}}},
       "argument 'custom_frame_mappings' expects (Tensor, Tensor, Tensor)?, got object"},
      {dropout,
       {{x, str("p")}, {{"training", str("q")}}},
       "argument 'p' (position 2) expects float, got str 'p'"},
      {dropout, {{}, {{"p", str("p")}}}, "missing required argument 'x'"},
  };
  for (const Example &example : examples)
    if (std::string bound = bindingOf(example.schema, example.call); bound != example.bound) {
      std::fprintf(stderr, "%s\n  binds %s\n  not   %s\n", example.schema, bound.c_str(),
                   example.bound);
      ++failures;
    }
}

Conversion conversionOf(const char *type, Value value, BindOptions options = {}) {
  Bound bound = bindTo({op((std::string("f(") + type + " x) -> ()").c_str())},
                       {{std::move(value)}, {}}, options);
  CHECK(bound.ok);
  return bound.args[0].conversion;
}
bool isRefused(const char *type, Value value, BindOptions options = {}) {
  return !bindTo({op((std::string("f(") + type + " x) -> ()").c_str())}, {{std::move(value)}, {}},
                 options)
              .ok;
}

void testConversions() {
  const BindOptions strict{true, false}, builder{false, true};
  CHECK(conversionOf("int", integer(1)) == Conversion::Exact);
  CHECK(conversionOf("int", boolean(true)) == Conversion::BoolToInt);
  CHECK(isRefused("int", boolean(true), strict) && isRefused("int", real(1)));
  CHECK(conversionOf("float", integer(1)) == Conversion::ToFloat);
  CHECK(conversionOf("float", integer(1), strict) == Conversion::ToFloat);
  CHECK(isRefused("float", boolean(true), strict) && isRefused("bool", integer(1)));
  CHECK(conversionOf("complex", real(1)) == Conversion::ToComplex);
  CHECK(conversionOf("Scalar", boolean(true), strict) == Conversion::Exact);
  CHECK(conversionOf("int[2]", integer(1)) == Conversion::Repeat);
  CHECK(isRefused("int[2]", integer(1), strict) && isRefused("int[]", integer(1)));
  CHECK(conversionOf("int[2]", list({integer(1)}), builder) == Conversion::Exact);
  CHECK(isRefused("int[2]", list({integer(1)})));
  CHECK(isRefused("int[2]", list({integer(1)}), strict));
  CHECK(conversionOf("int[1]", list({integer(1), integer(2)}), strict) == Conversion::Exact);
  CHECK(conversionOf("float[]", list({integer(1), boolean(true)})) == Conversion::Exact);
  CHECK(conversionOf("int?", none()) == Conversion::Absent && isRefused("int", none()));
  CHECK(conversionOf("Tensor?[]", list({none(), tensor()})) == Conversion::Exact);
  CHECK(isRefused("Tensor", real(1)) && isRefused("Tensor", none(), builder));
  CHECK(conversionOf("Tensor", real(1), builder) == Conversion::ToConstant);
  CHECK(conversionOf("Tensor", list({list({integer(1)})}), builder) == Conversion::ToConstant);
  CHECK(isRefused("Tensor", list({tensor()}), builder));
  CHECK(conversionOf("ScalarType", str("float32")) == Conversion::NameToDType);
  CHECK(isRefused("ScalarType", str("flat32")));
  CHECK(conversionOf("MemoryFormat", str("channels_last")) == Conversion::Exact);
  CHECK(conversionOf("acme.Plan", object("acme.Plan")) == Conversion::Exact);
  CHECK(isRefused("acme.Plan", object("acme.Other")));
  CHECK(conversionOf("Union(float, int)", integer(1)) == Conversion::Exact);
  CHECK(conversionOf("t", object("?")) == Conversion::Exact);
  CHECK(conversionOf("(int, str)", list({integer(1), str("a")})) == Conversion::Exact);
}

void testConstraints() {
  OpSpec spec = parseSchema("f(str mode=\"a\", float p=0.5, Tensor[] x=[]) -> ()");
  spec.params[0].choices = {Constant::string("a"), Constant::string("b")};
  spec.params[1].range = Range{0, 1};
  spec.params[2].minCount = 2;
  OpDefRef def = OpDef::create(spec);
  CHECK(bindTo({def}, {{str("b"), real(1), list({tensor(), tensor()})}, {}}).ok);
  CHECK(bindTo({def}, {{str("c")}, {}}).fault.reason ==
        "argument 'mode' (position 1) expects one of 'a', 'b', got str 'c'");
  CHECK(bindTo({def}, {{}, {{"p", integer(2)}}}).fault.reason ==
        "argument 'p' expects float between 0.0 and 1.0, got int 2");
  CHECK(bindTo({def}, {{}, {{"x", list({tensor()})}}}).fault.reason ==
        "argument 'x' expects 2 of Tensor at least, got list of 1");
}

void testOverloads() {
  std::vector<OpDefRef> ops = {op("m::add.Tensor(Tensor a, Tensor b) -> Tensor"),
                               op("m::add.Scalar(Tensor a, Scalar b, *, Scalar k=1) -> Tensor"),
                               op("m::add.Any(Any a, Any b) -> Any")};
  int chosen = 0;
  bindTo(ops, {{tensor(), tensor()}, {}}, {}, &chosen);
  CHECK(chosen == 0);
  Bound bound = bindTo(ops, {{tensor(), integer(1)}, {{"k", integer(2)}}}, {}, &chosen);
  CHECK(chosen == 1 && bound.args[2].source == ArgSource::Keyword && bound.args[2].index == 0);
  bound = bindTo(ops, {{tensor()}, {{"c", none()}}}, {}, &chosen);
  CHECK(chosen == -1 && bound.fault.kind == Kind::NoOverload);
  for (const char *part : {"m::add(): none of 3 overloads", "m::add.Tensor(Tensor a, Tensor b)",
                           "unexpected keyword 'c'", "m::add.Any("})
    CHECK(bound.fault.message.find(part) != std::string::npos);
  CHECK(bindTo({op("f(int a, ...) -> ()")}, {{integer(1), str("x"), none()}, {}}).ok);
}

//===-----------------------------------------------------------------------------------------===//
// Registry
//===-----------------------------------------------------------------------------------------===//

template <typename F> void checkError(ErrorKind kind, const char *message, const F &action) {
  try {
    action();
    CHECK(!"no error");
  } catch (const Error &error) {
    CHECK(error.kind() == kind);
    if (error.message().find(message) == std::string::npos) {
      std::fprintf(stderr, "got %s\nnot %s\n", error.message().c_str(), message);
      ++failures;
    }
  }
}

/// Conv at versions 1, 11, 22, and Relu at 6.
class Onnx final : public OpProvider {
public:
  std::vector<Entry> entries() const override {
    ++asked;
    return {{"Conv", "", 11}, {"Conv", "", 1}, {"Conv", "", 22}, {"Relu", "", 6}};
  }
  OpSpec make(size_t index) const override {
    ++made;
    Entry entry = entries()[index];
    OpSpec spec = parseSchema("onnx::" + std::string(entry.name) + "(Tensor X) -> Tensor");
    spec.since = entry.since;
    return spec;
  }
  mutable std::atomic<int> asked{0}, made{0};
};

void testVersions() {
  Registry registry;
  auto provider = std::make_shared<Onnx>();
  std::unique_ptr<Library> library = registry.open(LibraryKind::Def, "onnx", {"table", 1});
  library->provide(provider);
  CHECK(provider->asked == 0);
  CHECK(registry.find("onnx", "Conv", "", 11)->since == 11);
  CHECK(registry.find("ai.onnx", "Conv", "", 21)->since == 11);
  CHECK(registry.find("", "Conv")->since == 22 && !registry.find("onnx", "Relu", "", 5));
  CHECK(provider->made == 2);
  CHECK(registry.find("onnx", "Conv").get() == registry.get("onnx.Conv").get());
  CHECK(registry.versions("onnx", "Conv").size() == 3 && registry.list().size() == 4);
  checkError(ErrorKind::Key, "did you mean onnx::Conv?", [&] { registry.get("onnx::conv"); });
  checkError(ErrorKind::Key, "no namespace 'onx'; did you mean onnx::Conv?",
             [&] { registry.get("onx::Conv"); });
  checkError(ErrorKind::Key, "'onnx::Relu' is not in opset 5: it came with 6",
             [&] { registry.get("onnx::Relu", 5); });
  OpDefRef kept = registry.find("onnx", "Relu");
  library->close();
  CHECK(registry.list().empty() && registry.namespaces().empty() && !registry.find("", "Relu"));
  CHECK(kept->name == "Relu");
}

void testLibraries() {
  Registry registry;
  auto home = registry.open(LibraryKind::Def, "acme", {"a.py", 3});
  checkError(ErrorKind::OpSchema, "is defined at b.py:4, and was already at a.py:3",
             [&] { registry.open(LibraryKind::Def, "acme", {"b.py", 4}); });
  checkError(ErrorKind::OpSchema, "is not a valid namespace",
             [&] { registry.open(LibraryKind::Def, "a::b", {"b.py", 4}); });
  uint64_t before = registry.generation();
  OpDefRef add = home->define("add.Tensor(Tensor a, Tensor b) -> Tensor", {"a.py", 5}, "Adds.");
  CHECK(registry.generation() > before && add->ns == "acme" && add->doc == "Adds.");
  {
    auto fragment = registry.open(LibraryKind::Fragment, "acme", {"c.py", 1});
    fragment->define("acme::add.Scalar(Tensor a, Scalar b) -> Tensor", {"c.py", 2});
    checkError(ErrorKind::OpSchema,
               "'acme::add.Tensor' is defined at c.py:3, and was already at "
               "a.py:5",
               [&] { fragment->define("add.Tensor() -> ()", {"c.py", 3}); });
    checkError(ErrorKind::OpSchema, "cannot be defined in a library of 'acme'",
               [&] { fragment->define("other::f() -> ()"); });
    std::vector<OpDefRef> overloads = registry.overloads("acme", "add");
    CHECK(overloads.size() == 2 && overloads[0]->overload == "Tensor");
    checkError(ErrorKind::Key, "has overloads Tensor, Scalar", [&] { registry.get("acme::add"); });
    checkError(ErrorKind::Key, "has no overload 'Tenso'", [&] { registry.get("acme::add.Tenso"); });
    CHECK(registry.get("acme.add.Scalar")->overload == "Scalar");
  }
  CHECK(registry.get("acme::add")->overload == "Tensor"); // the fragment's has gone
  auto impl = registry.open(LibraryKind::Impl, "acme", {"d.py", 1});
  checkError(ErrorKind::OpSchema, "holds kernels only", [&] { impl->define("f() -> ()"); });
  home->close();
  home->close();
  checkError(ErrorKind::OpSchema, "is closed", [&] { home->define("f() -> ()"); });
  registry.open(LibraryKind::Def, "acme", {"e.py", 1});
}

/// Readers see a record or none, whatever is defined and closed meanwhile.
void testRegistryThreads() {
  Registry registry;
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  auto provider = std::make_shared<Onnx>();
  auto onnx = registry.open(LibraryKind::Def, "onnx", {"table", 1});
  onnx->provide(provider);
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!stop) {
        CHECK(registry.find("onnx", "Conv")->since == 22);
        if (OpDefRef f = registry.find("acme", "f"))
          CHECK(f->params.size() == 1);
        static_cast<void>(registry.list());
      }
    });
  for (int i = 0; i < 500; ++i) {
    auto library = registry.open(LibraryKind::Fragment, "acme", {"x", 1});
    library->define("f(int a) -> ()");
  }
  stop = true;
  for (std::thread &reader : readers)
    reader.join();
  CHECK(registry.list("acme").empty());
}

} // namespace

int main() {
  testFaults();
  testSeedExamples();
  testConversions();
  testConstraints();
  testOverloads();
  testVersions();
  testLibraries();
  testRegistryThreads();
  return checkSummary();
}
