//===- leaf_test.cpp - what graphs are made from ----------------------------------------------===//
//
// Guarantees under test: equal things are interned once, from any thread; counted attributes free
// what they hold; texts are those of docs/ (what MLIR makes of them is tested with the parser);
// arenas, diagnostics and numbers as their headers say. Run it under the sanitizers as well.
//
#include "ge/IR/Context.h"
#include "ge/IR/FloatFormat.h"
#include "ge/IR/TensorText.h"
#include "ge/Support/Arena.h"
#include "ge/Support/AtomicFile.h"
#include "ge/Support/BlockSequence.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ge;

static int failures = 0;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                 \
      ++failures;                                                                                  \
    }                                                                                              \
  } while (false)

static void checkText(const std::string &got, std::string_view expected, int line) {
  if (got == expected)
    return;
  std::fprintf(stderr, "%s:%d: got      %s\n%*sexpected %.*s\n", __FILE__, line, got.c_str(), 4, "",
               int(expected.size()), expected.data());
  ++failures;
}
#define CHECK_TEXT(got, expected) checkText(got, expected, __LINE__)

/// The message of the error that `action` must throw, of this kind.
template <typename Action> static std::string errorOf(ErrorKind kind, const Action &action) {
  try {
    action();
  } catch (const Error &error) {
    CHECK(error.kind() == kind);
    return error.message();
  }
  CHECK(!"no error was thrown");
  return {};
}
#define CHECK_ERROR(kind, text, ...)                                                               \
  CHECK(errorOf(kind, [&] { __VA_ARGS__; }).find(text) != std::string::npos)

/// A context of one test.
static ContextPtr makeContext() {
  Context *context = Context::create();
  ContextPtr owner(context);
  context->release();
  return owner;
}

static std::string text(Attribute attr) {
  std::string out;
  attr.print(out);
  return out;
}
static std::string text(const AttrRef &attr) { return text(attr.get()); }

//===-----------------------------------------------------------------------------------------===//
// Support
//===-----------------------------------------------------------------------------------------===//

/// Elements stay where they are, and come back in order from any of them on, over several blocks.
static void testBlockSequence() {
  constexpr size_t kCount = 100'000;
  BlockSequence<std::string> sequence;
  auto textOf = [](size_t i) { return "element number " + std::to_string(i); };
  auto isWhole = [&](size_t first) {
    size_t next = first;
    sequence.forEachSpan(first, [&](std::span<std::string> elements) {
      for (const std::string &element : elements)
        CHECK(element == textOf(next++));
    });
    return next == std::max(first, sequence.size());
  };
  CHECK(sequence.empty() && isWhole(0));
  for (int round = 0; round != 2; ++round) {
    for (size_t i = sequence.size(); i != kCount; ++i)
      sequence.emplaceBack(textOf(i));
    const std::string *last = &sequence.back();
    CHECK(sequence.size() == kCount && sequence.fromEnd(0) == last);
    for (size_t first : {size_t(0), size_t(1), size_t(2047), size_t(2048), kCount - 1, kCount})
      CHECK(isWhole(first));
    while (sequence.size() > 1000) {
      CHECK(sequence.back() == textOf(sequence.size() - 1));
      sequence.popBack();
    }
    CHECK(isWhole(0));
  }
  while (!sequence.empty())
    sequence.popBack();
  sequence.emplaceBack(textOf(0));
  CHECK(isWhole(0));
  sequence.clear();
  CHECK(sequence.empty());
}

static void testArena() {
  struct Block {
    unsigned char *data;
    size_t size;
    unsigned char fill;
  };
  auto intact = [](const Block &block) {
    return std::all_of(block.data, block.data + block.size,
                       [&](unsigned char c) { return c == block.fill; });
  };
  std::mt19937 random(7);
  Arena into;
  std::vector<Block> blocks;
  for (int round = 0; round != 4; ++round) {
    Arena arena;
    for (int i = 0; i != 20000; ++i) {
      if (!blocks.empty() && random() % 3 == 0) {
        size_t victim = random() % blocks.size();
        std::swap(blocks[victim], blocks.back());
        CHECK(intact(blocks.back()));
        // Blocks of former rounds belong to `into` by now, and only those are freed there.
        if (blocks.back().fill % 4 == round % 4)
          arena.deallocate(blocks.back().data, blocks.back().size);
        else
          into.deallocate(blocks.back().data, blocks.back().size);
        blocks.pop_back();
      } else {
        size_t size = random() % 20 == 0 ? random() % 4000 : random() % 200;
        auto fill = static_cast<unsigned char>((random() % 60) * 4 + unsigned(round));
        auto *data = static_cast<unsigned char *>(arena.allocate(size));
        CHECK(reinterpret_cast<uintptr_t>(data) % 8 == 0);
        std::memset(data, fill, size);
        blocks.push_back({data, size, fill});
      }
    }
    size_t before = into.bytesReserved() + arena.bytesReserved();
    into.absorb(arena);
    CHECK(into.bytesReserved() == before);
    CHECK(arena.bytesReserved() == 0);
    arena.deallocate(arena.allocate(40), 40); // still usable
  }
  CHECK(std::all_of(blocks.begin(), blocks.end(), intact));
  for (const Block &block : blocks)
    into.deallocate(block.data, block.size);

  Arena small;
  small.allocate(8);
  CHECK(small.bytesReserved() <= 4096);
  void *first = small.allocate(0);
  void *second = small.allocate(0);
  CHECK(first != second);
  small.deallocate(first, 0);
  small.deallocate(second, 0);
}

static void testDiagnostics() {
  Diagnostic diagnostic{Severity::Error,     "a.mlir", 3,  5, "expected ')'",
                        "  %x = f(\xC3\xA9", -1,       {}, {}};
  diagnostic.notes.push_back({Severity::Note, "a.mlir", 1, 1, "opened here", "", -1, {}, {}});
  CHECK_TEXT(diagnostic.render(), "a.mlir:3:5: error: expected ')'\n  %x = f(\xC3\xA9\n    ^\n"
                                  "a.mlir:1:1: note: opened here");
  CHECK_TEXT((Diagnostic{Severity::Warning, "", 0, 0, "odd", "", -1, {}, {}}).render(),
             "warning: odd");
  // A tab stays one, a character of two bytes is one column, nothing stands past the end.
  CHECK_TEXT((Diagnostic{Severity::Error, "f", 1, 5, "m", "\t\xC3\xA9x", -1, {}, {}}).render(),
             "f:1:5: error: m\n\t\xC3\xA9x\n\t  ^");
  CHECK_TEXT((Diagnostic{Severity::Error, "f", 1, 99, "m", "ab", -1, {}, {}}).render(),
             "f:1:99: error: m\nab\n  ^");
  Error error(ErrorKind::Parse,
              {diagnostic, {Severity::Remark, "b", 2, 0, "second", "", -1, {}, {}}});
  CHECK(error.kind() == ErrorKind::Parse && error.diagnostics().size() == 2);
  CHECK_TEXT(error.message(), diagnostic.render() + "\nb:2: remark: second");
}

static void testWords() {
  CHECK(isBareIdentifier("a.b_$1") && !isBareIdentifier("1a") && !isBareIdentifier("") &&
        !isBareIdentifier("a-b") && !isBareIdentifier("\xC3\xA9"));
  CHECK(isSSAIdentifier("$a-b.c") && !isSSAIdentifier("0x") && !isSSAIdentifier(""));
  CHECK(isValidUtf8("") && isValidUtf8("abcdefgh\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  for (std::string_view bad : {"\xC3", "\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                               "\xE0\x80\x80", "12345678\xFF", "\xF0\x9F\x98"})
    CHECK(!isValidUtf8(bad));
  std::string quoted;
  appendQuoted(quoted, std::string_view("a\"\\\n\0\xFFz", 7));
  CHECK_TEXT(quoted, "\"a\\22\\\\\\0A\\00\\FFz\"");
  std::string_view words[] = {"strides", "pads", "dilations", "group"};
  CHECK(nearestWord("stride", words, 4) == "strides" && nearestWord("gruop", words, 4) == "group");
  CHECK(nearestWord("dilatoins", words, 4) == "dilations" && !nearestWord("", words, 4));
  // Fixed values: hashes are part of what must not differ between processes.
  CHECK(hashBytes("") == hashBytes("") && hashBytes("a") != hashBytes("b") &&
        hashBytes("a") != hashBytes("a", 1));
  std::string longText(1000, 'x');
  for (size_t n = 0; n != 200; ++n)
    CHECK(hashBytes({longText.data(), n}) != hashBytes({longText.data(), n + 1}));
}

template <typename Float, typename Bits> static void checkFloats() {
  std::mt19937_64 random(11);
  for (int i = 0; i != 100000; ++i) {
    Float value = std::bit_cast<Float>(Bits(random()));
    std::string out;
    appendFloat(out, value);
    if (!std::isfinite(value)) {
      CHECK(std::strtoull(out.c_str(), nullptr, 16) == std::bit_cast<Bits>(value));
      CHECK(out.size() == 2 + 2 * sizeof(Float));
      continue;
    }
    Float back = 0;
    std::from_chars(out.data(), out.data() + out.size(), back);
    CHECK(std::bit_cast<Bits>(back) == std::bit_cast<Bits>(value));
    CHECK(out.find('.') != std::string::npos);
  }
}

static void testFloats() {
  auto f32 = [](float value) {
    std::string out;
    appendFloat(out, value);
    return out;
  };
  CHECK_TEXT(f32(1), "1.0");
  CHECK_TEXT(f32(1e-5f), "1.0e-05");
  CHECK_TEXT(f32(-0.0f), "-0.0");
  CHECK_TEXT(f32(0.1f), "0.1");
  CHECK_TEXT(f32(1e20f), "1.0e+20");
  CHECK_TEXT(f32(std::numeric_limits<float>::max()), "3.4028235e+38");
  CHECK_TEXT(f32(-std::numeric_limits<float>::infinity()), "0xFF800000");
  checkFloats<float, uint32_t>();
  checkFloats<double, uint64_t>();

  // Every value of every small format survives its text and its value.
  for (size_t t = 0; t != size_t(DType::Count_); ++t) {
    DType dtype = DType(t);
    unsigned bits = info(dtype).bits;
    if (!hasFloatFormat(dtype) || bits > 16)
      continue;
    for (uint64_t pattern = 0; pattern != uint64_t(1) << bits; ++pattern) {
      double value = decodeFloat(dtype, pattern);
      uint64_t again = encodeFloat(dtype, value);
      CHECK(again == pattern || (bits == 8 && std::isnan(value)));
      std::string out;
      appendFloat(out, dtype, pattern);
      if (std::isfinite(value)) {
        double read = 0;
        std::from_chars(out.data(), out.data() + out.size(), read);
        CHECK(encodeFloat(dtype, read) == pattern && out.find('.') != std::string::npos);
      } else {
        CHECK(std::strtoull(out.c_str(), nullptr, 16) == pattern);
      }
    }
  }
  CHECK(encodeFloat(DType::F16, 65519) == 0x7BFF && encodeFloat(DType::F16, 65520) == 0x7C00);
  CHECK(encodeFloat(DType::F16, 0x1p-25) == 0 && encodeFloat(DType::F16, 0x1.8p-25) == 1);
  CHECK(encodeFloat(DType::BF16, 1.00390625) == 0x3F80); // a tie goes to even
  CHECK(encodeFloat(DType::F8E4M3FN, 1000) == 0x7F && encodeFloat(DType::F8E4M3FNUZ, -0.0) == 0);
  CHECK(encodeFloat(DType::F4E2M1FN, 100) == 7 && encodeFloat(DType::F4E2M1FN, -100) == 15);
  CHECK(encodeFloat(DType::F8E8M0FNU, -1) == 0xFF && encodeFloat(DType::F8E8M0FNU, 4) == 129);
  CHECK(decodeFloat(DType::F8E5M2, 0x7C) == std::numeric_limits<double>::infinity());
}

//===-----------------------------------------------------------------------------------------===//
// Names, types, locations
//===-----------------------------------------------------------------------------------------===//

static void testDTypes() {
  for (size_t i = 0; i != size_t(DType::Count_); ++i) {
    const DTypeInfo &row = info(DType(i));
    CHECK(dtypeFromName(row.name) == row.dtype && dtypeFromMLIR(row.mlir) == row.dtype);
    CHECK(!row.numpy || dtypeFromName(row.numpy) == row.dtype);
    CHECK(!row.geName || dtypeFromName(row.geName) == row.dtype);
    CHECK(row.onnx < 0 || dtypeFromOnnx(row.onnx) == row.dtype);
    CHECK(row.ge < 0 || dtypeFromGE(row.ge) == row.dtype);
    CHECK((row.ge < 0) == (row.geName == nullptr));
  }
  CHECK(dtypeFromName("DT_BF16") == DType::BF16 &&
        dtypeFromName("float8_e4m3fn") == DType::F8E4M3FN);
  CHECK(dtypeFromMLIR("si32") == DType::I32 && !dtypeFromMLIR("i3") && !dtypeFromName(""));
  CHECK(dtypeFromOnnx(16) == DType::BF16 && dtypeFromGE(27) == DType::BF16 && !dtypeFromGE(5));
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

//===-----------------------------------------------------------------------------------------===//
// Attributes and tensors
//===-----------------------------------------------------------------------------------------===//

static const Type *shaped(Context &c, DType dtype, std::vector<int64_t> sizes) {
  std::vector<Dim> dims;
  for (int64_t size : sizes)
    dims.push_back({size, nullptr});
  return c.tensorType({dtype, true, dims});
}

template <typename T>
static TensorPtr tensorOf(Context &c, DType dtype, std::vector<int64_t> sizes,
                          std::vector<T> data) {
  return TensorPtr::adopt(
      Tensor::copy(shaped(c, dtype, sizes), data.data(), data.size() * sizeof(T)));
}

static void testNumbers() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  for (int64_t value : {int64_t(0), int64_t(-1), (int64_t(1) << 60) - 1, -(int64_t(1) << 60),
                        int64_t(1) << 60, INT64_MAX, INT64_MIN}) {
    AttrRef attr = c.intAttr(value);
    CHECK(attr->intValue() == value && attr->kind() == AttrKind::Int &&
          attr->width() == DType::I64);
    CHECK(attr->isInline() == Attribute::fitsInline(value) && c.intAttr(value).get() == attr.get());
    CHECK_TEXT(text(attr), std::to_string(value) + " : i64");
  }
  CHECK_TEXT(text(c.intAttr(-1, DType::U64)), "18446744073709551615 : ui64");
  CHECK_TEXT(text(c.intAttr(-128, DType::I8)), "-128 : i8");
  CHECK(c.intAttr(1, DType::Bool).get() == Attribute::boolean(true));
  CHECK(c.intAttr(1, DType::I32).get() != c.intAttr(1).get());
  CHECK_ERROR(ErrorKind::Overflow, "128 does not fit i8", c.intAttr(128, DType::I8));
  CHECK_ERROR(ErrorKind::Overflow, "-1 does not fit u8", c.intAttr(-1, DType::U8));
  CHECK_ERROR(ErrorKind::Value, "f32", c.intAttr(1, DType::F32));

  CHECK_TEXT(text(c.floatAttr(1e-5)), "1.0e-05 : f32");
  CHECK_TEXT(text(c.floatAttr(0.1, DType::F64)), "0.1 : f64");
  CHECK_TEXT(text(c.floatAttr(0.1, DType::F16)), "0.1 : f16");
  CHECK(c.floatAttr(0.1, DType::F16)->floatValue() == 0.0999755859375);
  CHECK(c.floatAttr(0.1, DType::F16).get() == c.floatAttr(0.0999755859375, DType::F16).get());
  CHECK_TEXT(text(c.floatAttr(INFINITY, DType::BF16)), "0x7F80 : bf16");
  CHECK_TEXT(text(Attribute::f32(std::bit_cast<float>(0x7F800001u))), "0x7F800001 : f32");
  CHECK_TEXT(text(Attribute::f32(-0.0f)), "-0.0 : f32");
  double nan = std::bit_cast<double>(uint64_t(0x7FF0000000000001));
  CHECK_TEXT(text(c.floatAttr(nan, DType::F64)), "0x7FF0000000000001 : f64");
  CHECK(c.floatAttr(0.0, DType::F64).get() != c.floatAttr(-0.0, DType::F64).get());
  CHECK_ERROR(ErrorKind::Overflow, "f32", c.floatAttr(1e300));
  CHECK_ERROR(ErrorKind::Overflow, "f16", c.floatAttr(1e5, DType::F16));
  CHECK_ERROR(ErrorKind::Value, "i8", c.floatAttr(1, DType::I8));

  int64_t ints[] = {1, 2, -3};
  CHECK_TEXT(text(c.intArray(ints)), "array<i64: 1, 2, -3>");
  CHECK(c.intArray(ints).get() == c.intArray(ints).get() && c.intArray(ints)->ints()[2] == -3);
  CHECK_TEXT(text(c.intArray({})), "array<i64>");
  CHECK_TEXT(text(c.intArray(std::span(ints, 1), DType::Bool)), "array<i1: true>");
  CHECK_TEXT(text(c.intArray(std::span(ints, 2), DType::U8)), "array<ui8: 1, 2>");
  CHECK(c.intArray({}, DType::U8).get() != c.intArray({}).get());
  CHECK_ERROR(ErrorKind::Overflow, "-3", c.intArray(ints, DType::U32));
  float floats[] = {1.0f, INFINITY, -0.0f};
  double doubles[] = {1e-5};
  CHECK_TEXT(text(c.floatArray(floats)), "array<f32: 1.0, 0x7F800000, -0.0>");
  CHECK_TEXT(text(c.doubleArray(doubles)), "array<f64: 1.0e-05>");
  CHECK_TEXT(text(c.floatArray({})), "array<f32>");
  CHECK(c.floatArray(floats)->floats().size() == 3 && c.floatArray(floats)->ints().empty());
}

static void testAttributes() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  CHECK_TEXT(text(c.stringAttr("a\"\xC3\xA9")), "\"a\\22\\C3\\A9\"");
  CHECK_TEXT(text(c.bytesAttr("\xFF")), "#ge.bytes<\"\\FF\">");
  CHECK_TEXT(text(c.graphAttr("main")) + text(c.graphAttr("a b")), "@main@\"a b\"");
  CHECK_TEXT(text(Attribute::dtype(DType::HiFloat8)), "#ge.dtype<!ge.dtype<\"hifloat8\">>");
  CHECK_TEXT(text(Attribute::type(c.noneType())), "none");
  CHECK(Attribute::type(c.noneType()).context() == owner.get() && !Attribute::f32(1).context());
  CHECK(c.stringAttr("x").get() != c.bytesAttr("x").get() &&
        c.stringAttr("x")->stringValue() == "x");
  CHECK_ERROR(ErrorKind::Value, "UTF-8", c.stringAttr("\xFF"));
  CHECK_ERROR(ErrorKind::Value, "symbol", c.graphAttr(""));
  CHECK(!Attribute() && Attribute().kind() == AttrKind::Invalid);

  Attribute one = Attribute::inlineInt(1);
  Attribute s = c.stringAttr("s").get();
  Attribute items[] = {s, one};
  AttrRef list = c.listAttr(items);
  CHECK_TEXT(text(list), "[\"s\", 1 : i64]");
  CHECK(c.listAttr(items).get() == list.get() && list->depth() == 2 && list->size() == 2);
  CHECK_TEXT(text(c.listAttr({})) + text(c.dictAttr({}, {})), "[]{}");
  const Identifier *keys[] = {c.identifier("k"), c.identifier("ge.x")};
  const Identifier *swapped[] = {keys[1], keys[0]};
  Attribute swappedItems[] = {one, s};
  AttrRef dict = c.dictAttr(keys, items);
  AttrRef other = c.dictAttr(swapped, swappedItems);
  CHECK_TEXT(text(dict), "{k = \"s\", \"ge.x\" = 1 : i64}");
  CHECK(dict.get() != other.get() && attrEquals(*dict, *other) &&
        attrHash(*dict) == attrHash(*other));
  Attribute inA[] = {*dict}, inB[] = {*other};
  CHECK(attrEquals(*c.listAttr(inA), *c.listAttr(inB)));
  CHECK(!attrEquals(*dict, *list) && !attrEquals(*dict, Attribute()) &&
        !attrEquals(*c.dictAttr(swapped, items), *dict));
  const Identifier *twice[] = {keys[0], keys[0]};
  CHECK_ERROR(ErrorKind::Value, "repeated", c.dictAttr(twice, items));
  const Identifier *empty[] = {keys[0], c.identifier("")};
  CHECK_ERROR(ErrorKind::Value, "empty", c.dictAttr(empty, items));
  const Identifier *missing[] = {keys[0], nullptr};
  CHECK_ERROR(ErrorKind::Value, "missing", c.dictAttr(missing, items));
  Attribute hole[] = {Attribute()};
  CHECK_ERROR(ErrorKind::Value, "missing", c.listAttr(hole));

  AttrRef deep = c.listAttr({});
  for (int i = 1; i != 256; ++i) {
    Attribute inner[] = {*deep};
    deep = c.listAttr(inner);
  }
  Attribute tooDeep[] = {*deep};
  CHECK(deep->depth() == 256 && text(deep).size() == 512);
  CHECK_ERROR(ErrorKind::Value, "256", c.listAttr(tooDeep));

  ContextPtr elsewhere = makeContext();
  CHECK_ERROR(ErrorKind::Value, "context", elsewhere->listAttr(items));
  const Identifier *theirKeys[] = {elsewhere->identifier("ge.x"), elsewhere->identifier("k")};
  AttrRef theirString = elsewhere->stringAttr("s");
  Attribute theirItems[] = {one, *theirString};
  AttrRef theirs = elsewhere->dictAttr(theirKeys, theirItems);
  CHECK(attrEquals(*theirs, *dict) && attrHash(*theirs) == attrHash(*dict));
  CHECK(!attrEquals(*theirString, *c.stringAttr("t")) && attrEquals(*theirString, s));
}

static void testTensors() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  auto dense = [&](const TensorPtr &tensor) { return text(c.tensorAttr(tensor)); };
  TensorPtr matrix = tensorOf<float>(c, DType::F32, {2, 2}, {1, 2.5f, -0.0f, INFINITY});
  CHECK_TEXT(dense(matrix), "dense<[[1.0, 2.5], [-0.0, 0x7F800000]]> : tensor<2x2xf32>");
  CHECK_TEXT(dense(tensorOf<int8_t>(c, DType::I8, {1, 3, 1}, {-128, 0, 127})),
             "dense<[[[-128], [0], [127]]]> : tensor<1x3x1xi8>");
  CHECK_TEXT(dense(tensorOf<uint64_t>(c, DType::U64, {}, {UINT64_MAX})),
             "dense<18446744073709551615> : tensor<ui64>");
  CHECK_TEXT(dense(tensorOf<float>(c, DType::C64, {1}, {1, -2})),
             "dense<[(1.0,-2.0)]> : tensor<1xcomplex<f32>>");
  CHECK_TEXT(dense(tensorOf<uint8_t>(c, DType::Bool, {2}, {2, 0})),
             "dense<[true, false]> : tensor<2xi1>");
  CHECK_TEXT(dense(tensorOf<uint8_t>(c, DType::I4, {2}, {0xFF, 7})),
             "dense<[-1, 7]> : tensor<2xi4>");
  CHECK_TEXT(dense(tensorOf<float>(c, DType::F32, {0, 3}, {})), "dense<> : tensor<0x3xf32>");
  CHECK_TEXT(dense(tensorOf<float>(c, DType::F32, {17}, std::vector<float>(17))),
             "dense_resource<__elided__> : tensor<17xf32>");
  CHECK_TEXT(dense(tensorOf<uint8_t>(c, DType::HiFloat8, {1}, {1})),
             "dense_resource<__elided__> : tensor<1x!ge.dtype<\"hifloat8\">>");
  const Type *strings = shaped(c, DType::String, {2});
  TensorPtr words = TensorPtr::adopt(Tensor::strings(strings, {"a", "\xFF"}));
  CHECK_TEXT(dense(words), "dense<[\"a\", \"\\FF\"]> : tensor<2x!ge.string>");
  TensorPtr sameWords = TensorPtr::adopt(Tensor::strings(strings, {"b"}));
  CHECK(sameWords->isSplat());
  CHECK_TEXT(dense(sameWords), "dense<\"b\"> : tensor<2x!ge.string>");
  CHECK(sameWords->equals(*TensorPtr::adopt(Tensor::strings(strings, {"b", "b"}))));
  CHECK(sameWords->hash() == TensorPtr::adopt(Tensor::strings(strings, {"b", "b"}))->hash());

  // A splat takes one element's room whatever its shape is, and equals its dense form.
  float half = 0.5f;
  TensorPtr vast =
      TensorPtr::adopt(Tensor::splat(shaped(c, DType::F32, {1 << 30, 1 << 20}), &half, 4));
  CHECK(vast->bytes().size() == 4);
  CHECK_TEXT(dense(vast), "dense<0.5> : tensor<1073741824x1048576xf32>");
  const Type *many = shaped(c, DType::F32, {10000});
  TensorPtr splat = TensorPtr::adopt(Tensor::splat(many, &half, 4));
  TensorPtr full = tensorOf<float>(c, DType::F32, {10000}, std::vector<float>(10000, half));
  CHECK(splat->equals(*full) && full->equals(*splat) && splat->hash() == full->hash());
  std::vector<float> copied(10000);
  splat->copyDense(copied.data());
  CHECK(std::all_of(copied.begin(), copied.end(), [](float x) { return x == 0.5f; }));
  std::vector<float> changed(10000, half);
  changed[9999] = 1;
  TensorPtr different = tensorOf<float>(c, DType::F32, {10000}, changed);
  CHECK(!different->equals(*full) && !splat->equals(*different) &&
        different->hash() != full->hash());

  // Packed and unpacked elements are the same values, whatever the unused bits are.
  for (DType dtype : {DType::U4, DType::I2, DType::U1, DType::F6E3M2}) {
    unsigned bits = info(dtype).bits;
    std::vector<uint8_t> bytes(9001), packed((9001 * bits + 7) / 8);
    for (size_t i = 0; i != bytes.size(); ++i) {
      bytes[i] = uint8_t(i * 7 / 3);
      for (unsigned b = 0; b != bits; ++b)
        if (bytes[i] >> b & 1)
          packed[(i * bits + b) / 8] |= uint8_t(1u << ((i * bits + b) % 8));
    }
    const Type *type = shaped(c, dtype, {9001});
    TensorPtr p =
        TensorPtr::adopt(Tensor::copy(type, packed.data(), packed.size(), Tensor::Packing::Packed));
    TensorPtr u = TensorPtr::adopt(Tensor::copy(type, bytes.data(), bytes.size()));
    CHECK(p->equals(*u) && u->equals(*p) && p->hash() == u->hash() && p->denseSize() == 9001);
  }

  CHECK_ERROR(ErrorKind::Value, "takes 40000 bytes, not 4", Tensor::copy(many, &half, 4));
  CHECK_ERROR(ErrorKind::Value, "static",
              Tensor::copy(c.tensorType({DType::F32, false, {}}), &half, 4));
  CHECK_ERROR(ErrorKind::Value, "strings", Tensor::copy(strings, &half, 4));
  CHECK_ERROR(ErrorKind::Value, "tensor type", Tensor::copy(c.noneType(), &half, 4));
  CHECK_ERROR(ErrorKind::Value, "strings", Tensor::strings(many, {"a"}));
  CHECK_ERROR(ErrorKind::Value, "2 strings, not 3", Tensor::strings(strings, {"a", "b", "c"}));
  CHECK_ERROR(ErrorKind::Value, "no bytes", Tensor::copy(shaped(c, DType::Variant, {1}), &half, 0));
}

static void testCounting() {
  ContextPtr owner = makeContext();
  Context &c = *owner;
  static int released;
  released = 0;
  static const float data[] = {1, 2, 3, 4};
  auto borrow = [&] {
    return TensorPtr::adopt(Tensor::borrow(
        shaped(c, DType::F32, {4}), data, 16, [](void *count) { ++*static_cast<int *>(count); },
        &released));
  };
  {
    AttrRef tensor = c.tensorAttr(borrow());
    AttrRef equal = c.tensorAttr(borrow());
    CHECK(tensor->isCounted() && tensor.get() != equal.get() && attrEquals(*tensor, *equal));
    CHECK(attrHash(*tensor) == attrHash(*equal));
    AttrRef deep = tensor;
    AttrRef deepEqual = equal;
    for (int i = 1; i != 256; ++i) {
      Attribute inner[] = {*deep, Attribute::inlineInt(i)}, innerEqual[] = {*deepEqual, inner[1]};
      const Identifier *keys[] = {c.identifier("a"), c.identifier("b")};
      deep = i % 2 ? c.listAttr(inner) : c.dictAttr(keys, inner);
      deepEqual = i % 2 ? c.listAttr(innerEqual) : c.dictAttr(keys, innerEqual);
    }
    CHECK(deep->isCounted() && deep->depth() == 256 && attrEquals(*deep, *deepEqual));
    CHECK(attrHash(*deep) == attrHash(*deepEqual));
    tensor = AttrRef();
    CHECK(released == 0);
    deep = AttrRef();
    CHECK(released == 1);
  }
  CHECK(released == 2);
  // What fails to be made is the caller's still.
  CHECK_ERROR(
      ErrorKind::Value, "bytes",
      Tensor::borrow(shaped(c, DType::F32, {5}), data, 16, [](void *) { ++released; }, nullptr));
  CHECK(released == 2);
}

static void testMappedTensor() {
  ContextPtr owner = makeContext();
  std::string path =
      std::filesystem::temp_directory_path() / cat("leaf_test.", std::to_string(::getpid()));
  writeFileAtomically(path, std::string("abcd\0\0\x80\x3F", 8));
  auto file = MappedFile::open(path);
  ::unlink(path.c_str());
  const Type *one = shaped(*owner, DType::F32, {1});
  TensorPtr tensor = TensorPtr::adopt(Tensor::map(one, file, 4, 4));
  CHECK(tensor->file() == file && tensor->fileOffset() == 4);
  CHECK_ERROR(ErrorKind::Value, path, Tensor::map(one, file, 5, 4));
  CHECK_ERROR(ErrorKind::Value, "8", Tensor::map(one, file, SIZE_MAX, 4));
  file.reset();
  float value;
  tensor->copyDense(&value);
  CHECK(value == 1.0f);
}

//===-----------------------------------------------------------------------------------------===//
// Context
//===-----------------------------------------------------------------------------------------===//

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
  testArena();
  testBlockSequence();
  testDiagnostics();
  testWords();
  testFloats();
  testDTypes();
  testOperators();
  testTypes();
  testLocations();
  testNumbers();
  testAttributes();
  testTensors();
  testCounting();
  testMappedTensor();
  testSlotsAndHandlers();
  testThreads();
  if (failures)
    std::fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}
