//===- support_test.cpp - arenas, diagnostics, words and floats ---------------------------------===//
//
// Guarantees under test: arenas, block sequences, diagnostics, words and numbers do as their
// headers say.
//
#include "leaf.h"

#include "ge/IR/Context.h"
#include "ge/IR/FloatFormat.h"
#include "ge/IR/TensorText.h"
#include "ge/Support/Arena.h"
#include "ge/Support/BlockSequence.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

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
  for (size_t first : {size_t(0), size_t(999), size_t(1000)}) {
    size_t next = first;
    for (BlockSequence<std::string>::Reader reader(sequence, first); !reader.atEnd();)
      CHECK(reader.next() == textOf(next++));
    CHECK(next == 1000);
  }
  while (!sequence.empty())
    sequence.popBack();
  CHECK(BlockSequence<std::string>::Reader(sequence, 0).atEnd());
  BlockSequence<uint64_t> numbers; // over the ends of blocks, too
  for (uint64_t i = 0; i != 300'000; i += 3)
    numbers.append({i, i + 1, i + 2});
  BlockSequence<uint64_t>::Reader reader(numbers, 10'000);
  for (uint64_t i = 10'000; i != 300'000; ++i)
    CHECK(!reader.atEnd() && reader.next() == i);
  CHECK(reader.atEnd());
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

  // What is given back late comes before new memory, and is asked for no more when it is all.
  struct Late {
    Arena arena;
    std::vector<void *> blocks;
    int asked = 0;
  } late;
  for (int i = 0; i != 3; ++i)
    late.blocks.push_back(late.arena.allocate(80));
  std::vector<void *> given(late.blocks.rbegin(), late.blocks.rend());
  late.arena.deferFrees(
      [](void *self) {
        auto &owner = *static_cast<Late *>(self);
        ++owner.asked;
        owner.arena.deallocate(owner.blocks.back(), 80);
        owner.blocks.pop_back();
        return !owner.blocks.empty();
      },
      &late);
  for (int i = 0; !GE_ARENA_SEPARATE_BLOCKS && i != 5; ++i) {
    void *block = late.arena.allocate(80);
    CHECK(i < 3 ? block == given[size_t(i)] : std::ranges::find(given, block) == given.end());
    CHECK(late.asked == std::min(i + 1, 3));
  }
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

int main() {
  testArena();
  testBlockSequence();
  testDiagnostics();
  testWords();
  testFloats();
  return checkSummary();
}
