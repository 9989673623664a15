//===- OpCalls.cpp - ge-c/Kernels.h: operators that run on tensors ------------------------------===//
#include "OpCalls.h"

#include "Ops.h"

#include "ge-c/Kernels.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Run/Call/Call.h"

using namespace ge;
using namespace ge::capi;

std::vector<const Tensor *> ge::capi::tensorsIn(Context &context, GeTensor *const *tensors,
                                                size_t count, const char *what) {
  needArray(tensors, count, what);
  std::vector<const Tensor *> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back(unwrap(tensors[i]));
    if (all.back() && &all.back()->type()->context() != &context)
      throwForeign(what);
  }
  return all;
}

GeStatus geOpCall(GeOpDef op, GeContext *context, uint32_t opset, GeTensor *const *operands,
                  size_t numOperands, const GeNamedAttribute *attributes, size_t numAttributes,
                  GeTensor **results, size_t numResults) {
  return geOpCallWithSegments(op, context, opset, operands, numOperands, nullptr, 0, attributes,
                              numAttributes, results, numResults);
}

GeStatus geOpCallWithSegments(GeOpDef op, GeContext *context, uint32_t opset,
                              GeTensor *const *operands, size_t numOperands,
                              const int32_t *operandSegments, size_t numOperandSegments,
                              const GeNamedAttribute *attributes, size_t numAttributes,
                              GeTensor **results, size_t numResults) {
  return interruptible(context, [&] {
    const OpDef *def = need(op, "op");
    Context &owner = need(context);
    std::vector<const Tensor *> tensors = tensorsIn(owner, operands, numOperands, "operands");
    needArray(operandSegments, numOperandSegments, "operandSegments");
    std::span<const int32_t> segments(operandSegments, numOperandSegments);
    checkSegments(segments, numOperands, "operand");
    needArray(attributes, numAttributes, "attributes");
    needArray(results, numResults, "results");
    std::fill_n(results, numResults, nullptr);
    for (size_t i = 0; i < numAttributes; ++i) {
      needIn(owner, attributes[i].name, "attributes");
      needIn(owner, attributes[i].value, "attributes");
    }
    if (!def->varret && numResults != def->results.size())
      throwError(ErrorKind::Value, def->qualifiedName(), " has ", def->results.size(),
                 " results, not ", numResults);
    OpDefRef held = OpDefRef(def);
    const OperatorName *name = owner.operatorName(def->ns, def->name, def->overload);
    std::vector<TensorPtr> made(numResults);
    runOp({owner,
           name,
           def,
           opset,
           tensors,
           {reinterpret_cast<const NamedAttribute *>(attributes), numAttributes},
           {},
           segments},
          made);
    for (size_t i = 0; i < numResults; ++i)
      results[i] = wrap(made[i].take());
  });
}
