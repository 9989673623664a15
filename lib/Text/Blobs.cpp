//===- Blobs.cpp ----------------------------------------------------------------------------------===//
#include "Blobs.h"

#include "Hex.h"

#include "ge/Support/Interrupt.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <bit>

namespace ge::text {

std::string_view Blobs::key(const Tensor *tensor, std::string_view wanted) {
  auto [it, isNew] = index_.try_emplace(tensor, blobs_.size());
  if (!isNew)
    return blobs_[it->second].key;
  if (taken_.empty())
    taken_.emplace("__elided__", 0); // means that there is no blob
  std::string name(wanted.empty() ? std::string_view("tensor") : wanted);
  if (auto found = taken_.find(name); found != taken_.end()) {
    std::string free;
    do
      free = cat(name, "_", ++found->second);
    while (taken_.contains(free));
    name = std::move(free);
  }
  taken_.emplace(name, 0);
  std::string printed;
  if (isBareIdentifier(name))
    printed = std::move(name);
  else
    appendQuoted(printed, name);
  blobs_.push_back({tensor, std::move(printed)});
  return blobs_.back().key;
}

static void appendBlob(std::string &out, const Tensor &tensor) {
  // A splat has the bytes of one element, whatever its shape.
  int64_t count = tensor.isSplat() ? 1 : tensor.numElements();
  size_t element = tensor.elementSize();
  auto alignment = uint32_t(std::bit_ceil(std::max<size_t>(element, 1)));
  char header[4];
  for (unsigned i = 0; i < 4; ++i)
    header[i] = char(alignment >> (8 * i));
  appendHex(out, {header, 4});
  constexpr int64_t kPiece = 1 << 16;
  std::string piece;
  for (int64_t first = 0; first < count; first += kPiece) {
    Interrupt::look();
    int64_t length = std::min(kPiece, count - first);
    piece.resize(size_t(length) * element);
    tensor.copyElements(first, length, piece.data());
    appendHex(out, piece);
  }
}

void Blobs::print(std::string &out) const {
  if (blobs_.empty())
    return;
  size_t size = 128;
  for (const Blob &blob : blobs_)
    size += blob.key.size() + 32 +
            2 * (blob.tensor->isSplat() ? blob.tensor->elementSize() : blob.tensor->denseSize());
  out.reserve(out.size() + size);
  out += "\n{-#\n  dialect_resources: {\n    builtin: {\n";
  for (size_t i = 0; i < blobs_.size(); ++i) {
    out.append("      ").append(blobs_[i].key).append(": \"0x");
    appendBlob(out, *blobs_[i].tensor);
    out += i + 1 == blobs_.size() ? "\"\n" : "\",\n";
  }
  out += "    }\n  }\n#-}\n";
}

} // namespace ge::text
