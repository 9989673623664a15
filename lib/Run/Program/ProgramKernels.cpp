//===- ProgramKernels.cpp - steps of kernels and evaluators ------------------------------------===//
#include "ProgramCompiler.h"
#include "ge/Run/Call/Call.h"

#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Ops/Schema/Effects.h"
#include "ge/Ops/Schema/OpSegments.h"

#include <algorithm>

namespace ge {

namespace {

bool isPlain(const Result &result) {
  return result.isTensor() && !result.isVariadic() && !result.type->isOptional();
}

/// Whether an operand is a tuple or a list of tuples.
bool hasTuple(const Param &param) {
  const SchemaType *type = param.type->required();
  if (type->isList())
    type = type->element()->required();
  return param.isOperand() && type->kind() == SchemaTypeKind::Tuple;
}

} // namespace

void ProgramCompiler::compileOperator(ProgramScope &scope, Step &step, const Node *node) {
  NamedAttributes attributes = attributesOf(scope, node);
  try {
    step.kernel = kernelOf(step, node, attributes);
  } catch (const Error &) {
    // Its arguments do not fit: the error is reported when it runs.
  }
  step.kind = step.kernel ? StepKind::Kernel : StepKind::Tensors;
  if (step.kernel)
    return;
  refuse(step.label, " has no kernel that runs here");
  // Evaluators crash on nodes that do not fit their definition.
  if (std::string fault = definitionFault(node, program_.opset); !fault.empty()) {
    step.kind = StepKind::Fail;
    step.reason = fault.starts_with(step.label) ? fault.substr(step.label.size()) : ": " + fault;
    return;
  }
  step.tensors = std::make_unique<TensorStep>(
      TensorStep{node->op(),
                 opsetOf(node),
                 std::string(node->name()),
                 std::move(attributes),
                 {node->operandSegments().begin(), node->operandSegments().end()}});
}

std::unique_ptr<KernelStep> ProgramCompiler::kernelOf(const Step &step, const Node *node,
                                                      const NamedAttributes &attributes) {
  uint32_t opset = opsetOf(node);
  OpDefRef def = recordOf(node->op(), opset);
  if (!def || def->vararg || def->varret || def->results.size() != node->numResults() ||
      !std::ranges::all_of(def->results, isPlain) || std::ranges::any_of(def->params, hasTuple))
    return nullptr; // runOp() runs it
  Registry &registry = Registry::global();
  std::string name = def->qualifiedName();
  KernelRef kernel = registry.findKernel(name, program_.backend);
  if (!kernel)
    kernel = registry.findKernel(name, "any");
  uint32_t foreign = GE_KERNEL_FOREIGN | GE_KERNEL_TVM_FFI | GE_KERNEL_HOLDS_GIL;
  if (!kernel || (program_.isHosted && (kernel->flags() & foreign)))
    return nullptr;
  auto own = std::make_unique<KernelStep>(
      (kernel->flags() & (GE_KERNEL_TVM_FFI | GE_KERNEL_KEEPS | GE_KERNEL_FOREIGN)) != 0);
  own->opset = opset;
  own->isOut = (kernel->flags() & GE_KERNEL_OUT) != 0;
  own->isStrided = (kernel->flags() & GE_KERNEL_STRIDED) != 0;
  own->kernelText = cat("kernel ", kernel->backend(), " (", kernel->source().str(), ")");
  own->op = node->op();
  own->attributes = attributes;
  own->operandSegments.assign(node->operandSegments().begin(), node->operandSegments().end());
  bindArguments(*own, *def, step, attributes);
  if (!planResults(*own, *def, node))
    return nullptr;
  own->def = std::move(def);
  own->number = program_.numKernelSteps++;
  own->kernel = numberOf(kernel);
  size_t count = own->arguments.list.size() + own->fresh.size();
  program_.mostArguments = std::max(program_.mostArguments, count);
  program_.mostOperands = std::max(program_.mostOperands, own->operands.size());
  return own;
}

size_t ProgramCompiler::numberOf(const KernelRef &kernel) {
  auto [found, isNew] = kernels_.try_emplace(kernel.get(), program_.kernels.size());
  if (isNew) {
    program_.kernels.push_back(kernel);
    pinned_.push_back(kernel); // its address stays taken
  }
  return found->second;
}

void ProgramCompiler::bindArguments(KernelStep &own, const OpDef &def, const Step &step,
                                    const NamedAttributes &attributes) {
  static const char something = 0; // a stand-in: the binder only tests whether operands are absent
  std::vector<const Tensor *> operands;
  for (Place place : step.operands)
    operands.push_back(place == kNowhere ? nullptr : reinterpret_cast<const Tensor *>(&something));
  while (!program_.isHosted && !takesLists(def) && !operands.empty() && !operands.back())
    operands.pop_back();
  std::vector<CallArg> bound = bindCall(def, step.label, operands, attributes, own.operandSegments);
  for (size_t i = 0; i < def.params.size(); ++i) {
    const Param &param = def.params[i];
    auto argument = uint32_t(own.arguments.list.size());
    if (param.isOperand()) {
      bool isWritten = param.alias && isWrite(*param.alias);
      std::span<const Tensor *const> given = bound[i].tensors;
      if (param.isVariadic() && !isAbsentList(param, given))
        own.lists.push_back({argument, own.operands.size(), given.size()});
      for (const Tensor *const &one : given)
        own.operands.push_back(
            {step.operands[size_t(&one - operands.data())], argument, isWritten, false});
      parameters_[i] = given.empty() ? std::nullopt : std::optional(own.operands.size() - 1);
      own.arguments.list.push_back({});
    } else if (bound[i].attribute) {
      own.arguments.add(bound[i].attribute, param.type);
    } else if (param.defaultValue) {
      own.arguments.add(param.defaultValue->value, param.type);
    } else {
      own.arguments.add(Constant(), param.type); // None, which its type takes
    }
  }
}

bool ProgramCompiler::planResults(KernelStep &own, const OpDef &def, const Node *node) {
  ResultPlan plan(def);
  const auto &owners = plan.owners;
  for (size_t i = 0; i < owners.size(); ++i) {
    own.declared.emplace_back(program_.isHosted ? node->result(uint32_t(i))->type() : nullptr);
    own.owners.push_back(owners[i] ? parameters_[*owners[i]] : std::nullopt);
    if (owners[i] && (!own.owners[i] || own.operands[*own.owners[i]].place == kNowhere))
      return false; // the result aliases an absent operand
    // A result that may share an operand's memory: only the caller knows who owns that memory.
    if (program_.isHosted && !owners[i] && def.results[i].alias)
      return false;
  }
  own.fresh = std::move(plan.fresh);
  own.lenders = std::move(plan.lenders);
  return true;
}

} // namespace ge
