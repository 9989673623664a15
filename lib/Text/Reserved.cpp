//===- Reserved.cpp -------------------------------------------------------------------------------===//
#include "Reserved.h"

#include <algorithm>
#include <iterator>

namespace ge::text {

OpKind opKindOf(std::string_view name) {
  static constexpr struct {
    std::string_view name;
    OpKind kind;
  } kWords[] = {
      {"ge.op", OpKind::SpelledNode},     {"ge.none", OpKind::None},
      {"ge.control", OpKind::Control},    {"ge.control_sink", OpKind::ControlSink},
      {"ge.unseen", OpKind::Unseen},      {"func.return", OpKind::Return},
      {"ge.yield", OpKind::Yield},        {"ge.output", OpKind::Output},
      {"func.func", OpKind::Function},    {"ge.graph", OpKind::Graph},
      {"builtin.module", OpKind::Module},
  };
  for (const auto &word : kWords)
    if (word.name == name)
      return word.kind;
  return OpKind::Node;
}

// Dialects of upstream MLIR and related projects. A tool with such a dialect rejects an unknown
// operation of it, or verifies it by the dialect's own rules.
static constexpr std::string_view kDialects[] = {
    "acc",
    "affine",
    "amdgpu",
    "amx",
    "arith",
    "arm_neon",
    "arm_sme",
    "arm_sve",
    "async",
    "bufferization",
    "builtin",
    "cf",
    "check",
    "chlo",
    "complex",
    "dlti",
    "emitc",
    "flow",
    "func",
    "gpu",
    "hal",
    "hal_inline",
    "hal_loader",
    "index",
    "io_parameters",
    "iree_codegen",
    "iree_cpu",
    "iree_encoding",
    "iree_gpu",
    "iree_input",
    "iree_linalg_ext",
    "iree_map",
    "iree_tensor_ext",
    "iree_vector_ext",
    "irdl",
    "linalg",
    "llvm",
    "math",
    "memref",
    "mesh",
    "mhlo",
    "ml_program",
    "mpi",
    "nvgpu",
    "nvvm",
    "omp",
    "pcf",
    "pdl",
    "pdl_interp",
    "ptr",
    "quant",
    "rocdl",
    "scf",
    "sdy",
    "shape",
    "shard",
    "smt",
    "sparse_tensor",
    "spirv",
    "stablehlo",
    "stream",
    "tensor",
    "tm_tensor",
    "torch",
    "torch_c",
    "tosa",
    "transform",
    "ub",
    "util",
    "vcix",
    "vector",
    "vhlo",
    "vm",
    "vmvx",
    "wasmssa",
    "x86",
    "x86vector",
    "xegpu",
    "xevm",
};

bool isPlainOperator(const OperatorName &op) {
  std::string_view name = op.str(), domain = op.domain();
  if (!op.overload().empty() || op.context().lookupOperator(name) != &op ||
      name.find('\0') != std::string_view::npos || opKindOf(name) != OpKind::Node)
    return false;
  std::string_view dialect = domain.substr(0, domain.find('.'));
  return std::find(std::begin(kDialects), std::end(kDialects), dialect) == std::end(kDialects);
}

} // namespace ge::text
