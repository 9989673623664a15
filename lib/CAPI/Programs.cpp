//===- Programs.cpp - ge-c/Kernels.h: graphs that run -------------------------------------------===//
#include "Live.h"
#include "OpCalls.h"

#include "ge-c/Kernels.h"
#include "ge/IR/Module.h"
#include "ge/IR/Root.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Run/Program/KeptPrograms.h"

#include <map>
#include <optional>
#include <string>

using namespace ge;
using namespace ge::capi;

struct GeProgram {
  std::shared_ptr<Program> program;
  std::atomic<int64_t> refs{1};
};

namespace {

/// Read access to the functions of a graph's module.
class ModuleAccess {
public:
  explicit ModuleAccess(const Graph &graph) {
    if (Module *module = graph.module()) {
      list_.emplace(*module);
      graphs_.emplace(*module);
    }
  }

private:
  std::optional<LiveModule<Access::Read>> list_;
  std::optional<ModuleGraphs> graphs_;
};

/// The sizes that inputs give to the symbols of their declared types.
class SymbolSizes {
public:
  /// Throws if a symbol has another size already.
  void add(const Value *input, const Type *given) {
    std::span<const Dim> declared = input->type()->shape();
    for (size_t i = 0; i < declared.size(); ++i) {
      if (!declared[i].symbol)
        continue;
      auto [found, isNew] =
          sizes_.try_emplace(declared[i].symbol, given->shape()[i].size, input->name());
      const auto &[size, name] = found->second;
      if (size != given->shape()[i].size)
        throwError(ErrorKind::Model, "input '", input->name(), "' has ", declared[i].symbol->str(),
                   "=", given->shape()[i].size, ", and '", name, "' has ",
                   declared[i].symbol->str(), "=", size);
    }
  }

private:
  std::map<const Identifier *, std::pair<int64_t, std::string>> sizes_;
};

/// Throws when kernels cannot take it.
void checkInput(const GeAny &input, size_t index) {
  constexpr int32_t kCpu = 1;
  if (input.tag == GE_ANY_NONE)
    return;
  if (input.tag != GE_ANY_TENSOR_OBJECT || !input.o)
    throwError(ErrorKind::Type, "input ", index, " is of tag ", input.tag,
               ", and a counted tensor is needed");
  const DLTensor &t = tensorIn(input.o);
  if (t.device.device_type != kCpu)
    throwError(ErrorKind::Value, "input ", index, " is on DLPack device type ",
               int(t.device.device_type), ", not on the CPU");
  if (t.dtype.bits % 8 || dtypeOf(t.dtype) == DType::Undefined)
    throwError(ErrorKind::Type, "input ", index, " has elements of DLPack's code ",
               int(t.dtype.code), ", bits ", int(t.dtype.bits), ", lanes ", int(t.dtype.lanes),
               ", which kernels do not take");
  if (!isPossible(t))
    throwError(ErrorKind::Value, "input ", index, " has no data, or a shape that no tensor has");
}

GeProgram &needProgram(GeProgram *program) {
  if (!program)
    throwNull("program");
  return *program;
}

} // namespace

GeStatus geGraphRun(GeGraphRef *graph, uint32_t opset, GeTensor *const *inputs, size_t numInputs,
                    GeTensor **outputs, size_t numOutputs) {
  return interruptible([&] {
    Reading<Graph> g(graph, "graph");
    Context &context = g->context();
    std::vector<const Tensor *> tensors = tensorsIn(context, inputs, numInputs, "inputs");
    needArray(outputs, numOutputs, "outputs");
    std::fill_n(outputs, numOutputs, nullptr);
    if (numOutputs != g->numOutputs())
      throwError(ErrorKind::Value, g->describe(), " has ", g->numOutputs(), " outputs, not ",
                 numOutputs);
    std::vector<RunValue> given;
    SymbolSizes sizes;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i])
        throwError(ErrorKind::Value, "input ", i, " is NULL");
      given.push_back(valueOf(*tensors[i]));
      if (i >= g->numInputs())
        continue; // reported below
      const Type *type = g->input(uint32_t(i))->type();
      if (type->isTensor() && !meetTypes(type, tensors[i]->type()))
        throwError(ErrorKind::Value, "input '", g->input(uint32_t(i))->name(), "' is ", type->str(),
                   ", not ", tensors[i]->type()->str());
      if (type->isTensor() && type->isRanked())
        sizes.add(g->input(uint32_t(i)), tensors[i]->type());
    }
    ModuleAccess functions(*g.get());
    std::string_view failed;
    PinnedProgram own = keptProgramOf(*g.get(), opset);
    std::vector<RunValue> made = own.program->run(std::move(given), failed);
    for (size_t i = 0; i < numOutputs; ++i)
      outputs[i] = wrap(tensorOf(context, made[i]).take());
  });
}

GeStatus geProgramCreate(GeGraphRef *graph, GeStringRef backend, GeNodeRef *const *nodes,
                         size_t numNodes, GeValueRef *const *inputs, size_t numInputs,
                         GeValueRef *const *outputs, size_t numOutputs, GeProgram **out) {
  return interruptible([&] {
    GeProgram *&made = result(out);
    made = nullptr;
    Reading<Graph> g(graph, "graph");
    Peers<Node> listed(g, nodes, numNodes, "nodes", false);
    Peers<Value> in(g, inputs, numInputs, "inputs", false);
    Peers<Value> given(g, outputs, numOutputs, "outputs", false);
    ModuleAccess functions(*g.get());
    made = new GeProgram{programOf(*g.get(), text(backend, "backend"), listed, in, given)};
  });
}

void geProgramRetain(GeProgram *program) {
  if (program)
    program->refs.fetch_add(1, std::memory_order_relaxed);
}
void geProgramRelease(GeProgram *program) {
  if (program && program->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete program;
}

GeStatus geProgramRun(GeProgram *program, const GeAny *inputs, size_t numInputs, GeAny *outputs,
                      size_t numOutputs, GeStringRef *node) {
  return interruptible([&] {
    needArray(inputs, numInputs, "inputs");
    std::vector<RunValue> given;
    given.reserve(numInputs);
    for (size_t i = 0; i < numInputs; ++i)
      given.push_back(RunValue::adopt(inputs[i].tag < 64 ? nullptr : inputs[i].o));
    needArray(outputs, numOutputs, "outputs");
    std::fill_n(outputs, numOutputs, GeAny{});
    GeStringRef &failed = result(node, "node");
    failed = {};
    for (size_t i = 0; i < numInputs; ++i)
      checkInput(inputs[i], i);
    std::shared_ptr<Program> own = needProgram(program).program;
    if (numOutputs != own->bodies.front().outputs.size())
      throwError(ErrorKind::Value, "the program has ", own->bodies.front().outputs.size(),
                 " outputs, not ", numOutputs);
    std::string_view label;
    std::vector<RunValue> made;
    try {
      made = own->run(std::move(given), label);
    } catch (...) {
      failed = keptString(label);
      throw;
    }
    // Constants stay what they are, whatever becomes of the results.
    for (RunValue &one : made)
      if (one && tensorBehind(one.get()))
        one = RunValue::adopt(newDenseCopy(one.get()));
    for (size_t i = 0; i < numOutputs; ++i) {
      outputs[i].tag = made[i] ? GE_ANY_TENSOR_OBJECT : GE_ANY_NONE;
      outputs[i].o = made[i].take();
    }
  });
}
