//===- OtherFormats.cpp - files mistaken for models ----------------------------------------------===//
#include "OtherFormats.h"

#include <algorithm>

namespace ge::onnx {

namespace {

struct Signature {
  std::string_view begins, says;
};

constexpr std::string_view kPage =
    "it is an HTML page, which web sites send in place of a file; download the file itself";
constexpr std::string_view kTorch =
    "it is what torch.save writes; export the model with torch.onnx.export";
constexpr std::string_view kProtobufText = "it is protobuf's text form; onnx.load(path, "
                                           "format='textproto') reads it, and onnx.save writes "
                                           "the binary form";
constexpr std::string_view kGEText = "it is GE's text form; give it a name that ends in .mlir";

// From the formats' definitions; HDF5 and the archive formats have fixed signatures.
constexpr Signature kSignatures[] = {
    {"version https://git-lfs", "it is a pointer of Git LFS; run 'git lfs pull'"},
    {"<!DOCTYPE", kPage},
    {"<!doctype", kPage},
    {"<html", kPage},
    {"PK\x03\x04", kTorch},
    {"\x80\x02\x8a\nl\xfc\x9c", kTorch},
    {"\x89HDF\r\n", "it is an HDF5 file, as Keras writes; convert the model to ONNX"},
    {"\x1f\x8b\x08", "it is compressed; unpack it with gunzip"},
    {"ir_version:", kProtobufText},
    {"graph {", kProtobufText},
    {"func.func", kGEText},
    {"module", kGEText},
    {"builtin.module", kGEText},
};

} // namespace

std::string_view otherFormat(std::string_view bytes) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::string_view text = bytes.substr(0, 64);
  if (size_t start = text.find_first_not_of(kBlank); start != text.npos)
    text.remove_prefix(start);
  for (const Signature &each : kSignatures)
    if (text.starts_with(each.begins))
      return each.says;
  return {};
}

bool isText(std::string_view bytes) {
  // A model is binary: its first fields have tags and lengths below the printable characters.
  return !bytes.empty() && std::ranges::all_of(bytes, [](unsigned char c) {
    return c >= ' ' ? c != 0x7f : c == '\t' || c == '\n' || c == '\r';
  });
}

} // namespace ge::onnx
