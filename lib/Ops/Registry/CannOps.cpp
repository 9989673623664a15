//===- CannOps.cpp - CANN's operators ---------------------------------------------------------===//
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Schema/SchemaFile.h"

namespace ge {
namespace {

constexpr char kBytes[] =
#include "cann_ops.inc"
    ;
constexpr std::string_view kText(kBytes, sizeof kBytes - 1);

const SchemaFile &file() {
  // Never destroyed: threads may be at work when the process ends.
  static const auto &instance = *new SchemaFile(kText, "cann_ops.schema");
  return instance;
}

/// Those entries of the file that are of one namespace.
class CannProvider final : public OpProvider {
public:
  explicit CannProvider(std::string_view ns) : ns_(ns) {}

  std::vector<Entry> entries() const override {
    std::vector<Entry> found;
    for (const SchemaFile::Entry &entry : own())
      found.push_back({entry.name, entry.overload, 0});
    return found;
  }
  OpSpec make(size_t index) const override { return file().make(own()[index]); }

private:
  /// The file is sorted by namespace.
  std::span<const SchemaFile::Entry> own() const {
    std::span<const SchemaFile::Entry> all = file().entries();
    size_t begin = 0;
    while (begin < all.size() && all[begin].ns != ns_)
      ++begin;
    size_t end = begin;
    while (end < all.size() && all[end].ns == ns_)
      ++end;
    return all.subspan(begin, end - begin);
  }
  std::string_view ns_;
};

} // namespace

std::vector<BuiltinOps> geOps() {
  std::vector<BuiltinOps> all;
  for (std::string_view ns : {"math", "nn"})
    all.push_back({ns, std::make_shared<CannProvider>(ns)});
  return all;
}

} // namespace ge
