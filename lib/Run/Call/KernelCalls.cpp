//===- KernelCalls.cpp - calls of kernels in C on constants -------------------------------------===//
#include "ge/Run/Call/KernelCalls.h"

#include "ge/Ops/Infer/Infer.h"
#include "ge/Support/Error.h"
#include "ge/Support/StringUtil.h"

namespace ge {

bool KernelCalls::evaluate(const EvalCall &asked, std::span<TensorPtr> results) {
  OpCall call{*asked.context, asked.op,         asked.def, asked.opset,
              asked.operands, asked.attributes, {},        asked.operandSegments};
  const KernelBinding *bound = find(call, asked, results.size());
  if (!bound)
    return false;
  std::vector<CallArg> arguments;
  arguments.reserve(bound->arguments.size());
  for (const KernelBinding::Argument &one : bound->arguments)
    arguments.push_back({asked.operands.subspan(one.first, one.count), one.attribute});
  try {
    runKernel(call, *bound->kernel, bound->plan, arguments, bound->resultTypes, results);
  } catch (const Error &error) {
    throw Error(ErrorKind::Verify, std::string(error.message()));
  }
  for (size_t i = 0; i < std::min(results.size(), asked.resultTypes.size()); ++i)
    if (const Type *type = asked.resultTypes[i];
        type && results[i] && !meetTypes(type, results[i]->type()))
      throwError(ErrorKind::Verify, asked.def->qualifiedName(), ": kernel ",
                 bound->kernel->backend(), " (", bound->kernel->source().str(), ") gave ",
                 results[i]->type()->str(), " for result ", i, ", the node says ", type->str());
  return true;
}

/// Null if the operator has no kernel that the core can call. Kernels in Python, functions of
/// tvm-ffi and kernels that hold the GIL are called by the installed evaluator.
const KernelRef &KernelCalls::kernelOf(const OpDef &def) {
  Registry &registry = Registry::global();
  if (uint64_t generation = registry.generation(); generation != generation_) {
    generation_ = generation;
    kernels_.clear();
    calls_.clear();
  }
  auto [found, isNew] = kernels_.try_emplace(&def);
  if (isNew) {
    found->second.def = OpDefRef(&def);
    KernelRef &kernel = found->second.kernel;
    std::string name = def.qualifiedName();
    kernel = registry.findKernel(name, "cpu");
    if (!kernel)
      kernel = registry.findKernel(name, "any");
    constexpr uint32_t kOthers = GE_KERNEL_FOREIGN | GE_KERNEL_TVM_FFI | GE_KERNEL_HOLDS_GIL;
    if (kernel && (kernel->flags() & kOthers))
      kernel = nullptr;
  }
  return found->second.kernel;
}

const KernelCalls::KernelBinding *KernelCalls::find(const OpCall &call, const EvalCall &asked,
                                                    size_t numResults) {
  if (!call.def || !asked.subgraphs.empty())
    return nullptr;
  const KernelRef &kernel = kernelOf(*call.def);
  if (!kernel)
    return nullptr;
  uint64_t hash = CallSignature::hash(asked);
  auto found = calls_.find(hash);
  if (found != calls_.end() && found->second.signature == asked &&
      found->second.resultTypes.size() == numResults)
    return &found->second;
  std::vector<CallArg> bound;
  std::vector<const Type *> types;
  try {
    bound = bindCall(*call.def, {}, asked.operands, asked.attributes, asked.operandSegments);
    types = typesByTypes(call, numResults);
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::Verify)
      throw;
    return nullptr; // it is not a call of that record
  }
  KernelBinding made{
      CallSignature(asked), {}, std::move(types), ResultPlan(*call.def, numResults), kernel};
  size_t next = 0;
  for (const CallArg &one : bound) {
    made.arguments.push_back({next, one.tensors.size(), one.attribute});
    next += one.tensors.size();
  }
  constexpr size_t kMostCalls = 1024;
  if (calls_.size() >= kMostCalls)
    calls_.clear();
  return &calls_.insert_or_assign(hash, std::move(made)).first->second;
}

} // namespace ge
