//===- types_test.cpp - names, types, locations and their context -------------------------------===//
//
// Guarantees under test: equal things are interned once, from any thread; texts of types, names and
// locations are those of docs/ (what MLIR makes of them is tested with the parser).
//
#include "leaf.h"

#include "ge/IR/Context.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

static void testDTypes() {
  for (size_t i = 0; i != size_t(DType::Count_); ++i) {
    const DTypeInfo &row = info(DType(i));
    CHECK(dtypeFromName(row.name) == row.dtype && dtypeFromMLIR(row.mlir) == row.dtype);
    CHECK(!row.numpy || dtypeFromName(row.numpy) == row.dtype);
    CHECK(!row.cannName || dtypeFromName(row.cannName) == row.dtype);
    CHECK(row.onnx < 0 || dtypeFromOnnx(row.onnx) == row.dtype);
    CHECK(row.cann < 0 || dtypeFromCann(row.cann) == row.dtype);
    CHECK((row.cann < 0) == (row.cannName == nullptr));
  }
  CHECK(dtypeFromName("DT_BF16") == DType::BF16 &&
        dtypeFromName("float8_e4m3fn") == DType::F8E4M3FN);
  CHECK(dtypeFromMLIR("si32") == DType::I32 && !dtypeFromMLIR("i3") && !dtypeFromName(""));
  CHECK(dtypeFromOnnx(16) == DType::BF16 && dtypeFromCann(27) == DType::BF16 && !dtypeFromCann(5));
  CHECK(!dtypeFromOnnx(-1) && !dtypeFromOnnx(1000));
}

static void testOperators() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  const OperatorName *conv = c.operatorName("onnx.Conv");
  CHECK(conv->domain() == "onnx" && conv->type() == "Conv" && conv->overload().empty());
  CHECK(conv->str() == "onnx.Conv" && c.operatorAt(conv->id()) == conv);
  for (std::string_view same : {"onnx::Conv", "ai.onnx.Conv", "ai.onnx::Conv"})
    CHECK(c.operatorName(same) == conv && c.lookupOperator(same) == conv);
  CHECK(c.operatorName("", "Conv") == conv && c.operatorName("ai.onnx", "Conv") == conv);
  CHECK(c.operatorName("com.microsoft.FusedMatMul")->domain() == "com.microsoft");
  const OperatorName *add = c.operatorName("aten::add.Tensor");
  CHECK(add->type() == "add" && add->overload() == "Tensor");
  CHECK(add == c.operatorName("aten", "add", "Tensor"));
  CHECK(c.operatorName("ai.onnx.ml.Scaler") == c.operatorName("onnx.ml", "Scaler"));
  const OperatorName *overloaded = c.operatorName("aten", "add", "Tensor");
  CHECK(overloaded->str() == "aten.add.Tensor" && c.lookupOperator("aten.add.Tensor") == nullptr);
  for (std::string_view bad : {"", "Conv", ".Conv", "onnx.", "onnx::", "::Conv"}) {
    CHECK_ERROR(ErrorKind::Value, "operator", c.operatorName(bad));
    CHECK(c.lookupOperator(bad) == nullptr);
  }
  CHECK_ERROR(ErrorKind::Value, "type", c.operatorName("onnx", ""));
  CHECK(c.lookupOperator("onnx.Never") == nullptr && !c.lookupIdentifier("Never"));
  CHECK(c.identifier("") == c.identifierAt(0) &&
        c.lookupIdentifier("Conv") == conv->typeIdentifier());
}

static void testTypes() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  const Identifier *n = c.identifier("N");
  const Identifier *nchw = c.identifier("NCHW");
  Dim dims[] = {{-1, n}, {3, nullptr}, {224, nullptr}, {-1, nullptr}};
  TensorTypeSpec spec;
  spec.shape = dims;
  spec.format = nchw;
  const Type *type = c.tensorType(spec);
  CHECK_TEXT(type->str(),
             "tensor<?x3x224x?xf32, {dims = [\"N\", \"\", \"\", \"\"], format = \"NCHW\"}>");
  CHECK(c.tensorType(spec) == type && c.typeAt(type->id()) == type && !type->hasStaticShape());
  spec.format = nullptr;
  spec.hasOriginShape = true;
  spec.originShape = std::span(dims, 2);
  spec.originFormat = nchw;
  Dim fixed[] = {{2, nullptr}, {0, nullptr}};
  spec.shape = fixed;
  CHECK_TEXT(c.tensorType(spec)->str(),
             "tensor<2x0xf32, {origin_format = \"NCHW\", origin_shape = [\"N\", 3]}>");
  spec.originShape = {};
  spec.originFormat = nullptr;
  spec.ranked = false;
  CHECK_TEXT(c.tensorType(spec)->str(), "!ge.tensor<*xf32, {origin_shape = []}>");
  spec.hasOriginShape = false;
  spec.dtype = DType::HiFloat8;
  const Type *unranked = c.tensorType(spec);
  CHECK_TEXT(unranked->str(), "tensor<*x!ge.dtype<\"hifloat8\">>");
  CHECK_TEXT(c.tensorType({DType::Bool, true, {}})->str(), "tensor<i1>");
  CHECK_TEXT(c.mapType(DType::String, c.sequenceType(c.optionalType(unranked)))->str(),
             "!ge.map<!ge.string, !ge.seq<!ge.optional<tensor<*x!ge.dtype<\"hifloat8\">>>>>");
  CHECK_TEXT(c.opaqueType("a>\"b")->str(), "!ge.opaque<\"a>\\22b\">");
  CHECK_TEXT(c.unknownType()->str() + c.noneType()->str(), "!ge.unknownnone");

  Dim bad[] = {{-2, nullptr}};
  CHECK_ERROR(ErrorKind::Value, "-2", c.tensorType({DType::F32, true, bad}));
  Dim named[] = {{4, n}};
  CHECK_ERROR(ErrorKind::Value, "'N'", c.tensorType({DType::F32, true, named}));
  CHECK_ERROR(ErrorKind::Value, "exist", c.tensorType({DType::Count_, true, {}}));
  Dim huge[] = {{INT64_MAX, nullptr}, {2, nullptr}, {0, nullptr}};
  CHECK(c.tensorType({DType::F32, true, huge})->numElements() == 0);
  CHECK(c.tensorType({DType::F32, true, std::span(huge, 2)})->numElements() == -1);
  Dim binary[] = {{-1, c.identifier("\xFF")}};
  CHECK_ERROR(ErrorKind::Value, "UTF-8", c.tensorType({DType::F32, true, binary}));
  // The empty symbol is none.
  Dim nameless[] = {{-1, c.identifier("")}}, unknown[] = {{-1, nullptr}};
  CHECK(c.tensorType({DType::F32, true, nameless}) == c.tensorType({DType::F32, true, unknown}));

  const Type *deep = c.noneType();
  for (int i = 1; i != 256; ++i)
    deep = c.sequenceType(deep);
  CHECK(deep->depth() == 256 && deep->str().size() == 255 * 9 + 4);
  CHECK_ERROR(ErrorKind::Value, "256", c.optionalType(deep));

  ContextPtr other = makeContext();
  CHECK_ERROR(ErrorKind::Value, "context", other->sequenceType(deep));
  const Type *there = other->mapType(DType::I64, other->opaqueType("x"));
  const Type *here = c.mapType(DType::I64, c.opaqueType("x"));
  CHECK(there != here && typeEquals(there, here) && there->hash() == here->hash());
  CHECK(!typeEquals(there, deep) && typeEquals(nullptr, nullptr) && !typeEquals(there, nullptr));
}

static void testLocations() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  auto print = [](const Location *location) {
    std::string out;
    location->print(out);
    return out;
  };
  const Location *a = c.fileLocation("f.py", 3, 1);
  const Location *b = c.nameLocation("x\"", a);
  CHECK(c.fileLocation("f.py", 3, 1) == a && c.fileLocation("f.py", 3, 2) != a);
  CHECK(c.locationAt(a->id()) == a && a->file() == "f.py" && a->line() == 3);
  CHECK_TEXT(print(c.unknownLocation()), "unknown");
  CHECK_TEXT(print(b), "\"x\\22\"(\"f.py\":3:1)");
  const Location *parts[] = {a, c.unknownLocation(), b, a};
  const Location *fused = c.fusedLocation(parts);
  CHECK_TEXT(print(fused), "fused[\"f.py\":3:1, \"x\\22\"(\"f.py\":3:1)]");
  const Location *nested[] = {fused, a, c.nameLocation("y")};
  CHECK(c.fusedLocation(nested)->parts().size() == 3 && c.fusedLocation(nested)->firstFile() == a);
  CHECK(c.fusedLocation(std::span(parts, 2)) == a && c.fusedLocation({}) == c.unknownLocation());
  CHECK(c.nameLocation("y")->firstFile() == nullptr && b->child() == a && b->name() == "x\"");
  const Location *deep = a;
  for (uint32_t i = 1; i != Location::kMaxDepth; ++i)
    deep = c.nameLocation("n", deep);
  CHECK_ERROR(ErrorKind::Value, "256", c.nameLocation("n", deep));
}

static void testSlotsAndHandlers() {
  static int destroyed;
  destroyed = 0;
  {
    ContextPtr owner = makeContext();
    owner->setSlotDestructor([](void *object) { destroyed += *static_cast<int *>(object); });
    static int one = 1, ten = 10;
    owner->identifier("x")->slot() = &one;
    owner->noneType()->slot() = &ten;
    for (int i = 0; i != 1000; ++i)
      owner->identifier(cat("id", i))->slot() = &one;

    std::string order;
    uint64_t a = owner->attachHandler([&](const Diagnostic &) { return order += 'a', true; });
    uint64_t b = owner->attachHandler([&](const Diagnostic &) { return order += 'b', false; });
    uint64_t self = 0;
    self = owner->attachHandler([&](const Diagnostic &) {
      owner->detachHandler(self);
      return false;
    });
    CHECK(owner->emit({}) && order == "ba");
    owner->detachHandler(a);
    owner->detachHandler(a);
    CHECK(!owner->emit({}) && order == "bab");
    owner->detachHandler(b);
    CHECK(!owner->emit({}) && owner->liveGraphCount() == 0 && owner->liveHandleCount() == 0);
  }
  CHECK(destroyed == 1011);
}

static void testThreads() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  constexpr int kThreads = 8, kRounds = 3000;
  struct Seen {
    std::vector<const void *> objects;
  };
  std::vector<Seen> seen(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t != kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i != kRounds; ++i) {
        std::string name = cat("name", i);
        const Identifier *identifier = c.identifier(name);
        const OperatorName *op = c.operatorName(cat("onnx.Op", i % 97));
        Dim dims[] = {{i % 50, nullptr}, {-1, identifier}};
        const Type *type = c.tensorType({DType::F32, true, dims});
        int64_t ints[] = {i, i + 1};
        AttrRef array = c.intArray(ints);
        Attribute items[] = {c.stringAttr(name).get(), array.get(), Attribute::type(type)};
        AttrRef list = c.listAttr(items);
        const Identifier *keys[] = {identifier, op->typeIdentifier()};
        AttrRef dict = c.dictAttr(keys, std::span(items, 2));
        const Location *location = c.fileLocation(name, uint32_t(i), 1);
        bool ok = c.identifierAt(identifier->id()) == identifier && c.typeAt(type->id()) == type &&
                  c.operatorAt(op->id()) == op && c.locationAt(location->id()) == location &&
                  identifier->str() == name && list->elements()[0].stringValue() == name;
        for (const void *object :
             {static_cast<const void *>(ok ? identifier : nullptr), static_cast<const void *>(op),
              static_cast<const void *>(type), reinterpret_cast<const void *>(list->bits()),
              reinterpret_cast<const void *>(dict->bits()), static_cast<const void *>(location)})
          seen[size_t(t)].objects.push_back(object);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Seen &other : seen)
    CHECK(other.objects == seen[0].objects);
  CHECK(std::find(seen[0].objects.begin(), seen[0].objects.end(), nullptr) ==
        seen[0].objects.end());

  // Counted attributes are shared, too.
  AttrRef shared = c.tensorAttr(tensorOf<float>(c, DType::F32, {2}, {1, 2}));
  threads.clear();
  for (int t = 0; t != kThreads; ++t)
    threads.emplace_back([&c, shared] {
      for (int i = 0; i != 1000; ++i) {
        Attribute items[] = {*shared};
        AttrRef list = c.listAttr(items);
        AttrRef copy = list;
        if (attrHash(*copy) != attrHash(*list))
          std::abort();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

int main() {
  testDTypes();
  testOperators();
  testTypes();
  testLocations();
  testSlotsAndHandlers();
  testThreads();
  return checkSummary();
}
