//===- NativeCalls.cpp - operators that the core computes itself -------------------------------===//
#include "ge/IR/Context.h"
#include "ge/IR/InternScope.h"
#include "ge/Ops/Eval/TensorEvaluation.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Run/Call/Call.h"

#include <algorithm>

namespace ge {

bool runNatively(const OpCall &call, std::span<TensorPtr> results) {
  if (results.empty() || !nativeInference(*call.op))
    return false;
  InternScope scope(call.context);
  std::vector<const Type *> operands, types(results.size());
  for (const Tensor *operand : call.operands)
    operands.push_back(operand ? operand->type() : nullptr);
  std::vector<std::optional<Contents>> contents;
  InferArgs args;
  args.context = &call.context;
  args.op = call.op;
  args.def = call.def;
  args.opset = call.opset;
  args.operands = operands;
  args.constants = call.operands;
  args.attributes = call.attributes;
  args.operandSegments = call.operandSegments;
  args.resultContents = &contents;
  if (infer(args, types).status != InferStatus::Inferred)
    return false; // the caller reports that nothing computes it
  std::vector<TensorPtr> made(results.size());
  for (size_t i = 0; i < std::min(made.size(), contents.size()); ++i)
    if (contents[i] && types[i]->isTensor())
      made[i] = tensorOf(call.context, types[i]->dtype(), *contents[i]);
  auto isThere = [](const TensorPtr &one) { return bool(one); };
  if (!std::ranges::all_of(made, isThere)) {
    ConstantCall native(call.op, call.attributes, types);
    std::vector<TensorPtr> held;
    for (const Tensor *operand : call.operands)
      held.emplace_back(operand);
    EvaluateFunction function = held.empty() ? nullptr : nativeEvaluation(native);
    if (!function || !function(native, held, made) || !std::ranges::all_of(made, isThere))
      return false;
  }
  std::ranges::move(made, results.begin());
  return true;
}

} // namespace ge
