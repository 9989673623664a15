//===- TypePrinter.cpp - the text of types ----------------------------------------------------===//
#include "ge/IR/Foreign.h"
#include "ge/IR/Identifier.h"
#include "ge/IR/Types.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge {

static bool hasSymbol(std::span<const Dim> dims) {
  return std::any_of(dims.begin(), dims.end(), [](const Dim &dim) { return dim.symbol; });
}

static void appendSymbol(std::string &out, const Dim &dim) {
  appendQuoted(out, dim.symbol ? dim.symbol->str() : std::string_view());
}

namespace {
/// The encoding's dictionary: opened by its first entry.
class Encoding {
public:
  explicit Encoding(std::string &out) : out_(out) {}
  std::string &entry(std::string_view key) {
    out_ += open_ ? ", " : ", {";
    open_ = true;
    return out_.append(key).append(" = ");
  }
  void text(std::string_view key, const Identifier *value) {
    if (value)
      appendQuoted(entry(key), value->str());
  }
  void close() {
    if (open_)
      out_.push_back('}');
  }

private:
  std::string &out_;
  bool open_ = false;
};
} // namespace

static void appendDims(std::string &out, std::span<const Dim> dims) {
  char separator = '[';
  for (const Dim &dim : dims) {
    out.push_back(separator);
    if (separator == ',')
      out.push_back(' ');
    appendSymbol(out, dim);
    separator = ',';
  }
  out.push_back(']');
}

static void appendOrigin(std::string &out, std::span<const Dim> dims) {
  out.push_back('[');
  for (size_t i = 0; i != dims.size(); ++i) {
    if (i)
      out += ", ";
    if (dims[i].isStatic())
      appendPart(out, dims[i].size);
    else
      appendSymbol(out, dims[i]);
  }
  out.push_back(']');
}

static void printTensor(const Type &type, std::string &out) {
  // MLIR's unranked tensors have no encoding.
  bool hasLayout = type.format() || type.originFormat() || type.hasOriginShape();
  out += !type.isRanked() && hasLayout ? "!ge.tensor<" : "tensor<";
  if (!type.isRanked())
    out += "*x";
  for (const Dim &dim : type.shape()) {
    if (dim.isStatic())
      appendPart(out, dim.size);
    else
      out.push_back('?');
    out.push_back('x');
  }
  out += info(type.dtype()).mlir;
  Encoding encoding(out);
  if (hasSymbol(type.shape()))
    appendDims(encoding.entry("dims"), type.shape());
  encoding.text("format", type.format());
  encoding.text("origin_format", type.originFormat());
  if (type.hasOriginShape())
    appendOrigin(encoding.entry("origin_shape"), type.originShape());
  encoding.close();
  out.push_back('>');
}

void Type::print(std::string &out) const {
  switch (kind_) {
  case TypeKind::Unknown:
    out += "!ge.unknown";
    return;
  case TypeKind::None:
    out += "none";
    return;
  case TypeKind::Tensor:
    return printTensor(*this, out);
  case TypeKind::Sequence:
    out += "!ge.seq<";
    break;
  case TypeKind::Optional:
    out += "!ge.optional<";
    break;
  case TypeKind::Map:
    out.append("!ge.map<").append(info(dtype_).mlir).append(", ");
    break;
  case TypeKind::Opaque:
    if (isForeign(payload_->str(), '!')) {
      out += payload_->str();
      return;
    }
    out += "!ge.opaque<";
    appendQuoted(out, payload_->str());
    out.push_back('>');
    return;
  }
  element_->print(out);
  out.push_back('>');
}

} // namespace ge
