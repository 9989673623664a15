//===- attributes_test.cpp - attributes and tensors ---------------------------------------------===//
//
// Guarantees under test: equal attributes are interned once; counted attributes free what they
// hold; texts are those of docs/ (what MLIR makes of them is tested with the parser).
//
#include "leaf.h"

#include "ge/IR/Context.h"
#include "ge/Support/AtomicFile.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unistd.h>

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
  CHECK(dict->entry("k") == s && dict->entry("ge.x") == one && !dict->entry("x"));
  CHECK(!list->entry("k") && !Attribute().entry("k"));
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

int main() {
  testNumbers();
  testAttributes();
  testTensors();
  testCounting();
  testMappedTensor();
  return checkSummary();
}
