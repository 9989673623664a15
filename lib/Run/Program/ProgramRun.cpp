//===- ProgramRun.cpp - programs that run ------------------------------------------------------===//
//
// Bodies and functions run on a stack of frames. A value is released after its last use. Inferred
// types of a step are cached while its operands have the same types, so that a node costs little
// more than its kernel.
//
#include "TensorSlices.h"

#include "ge/IR/FloatFormat.h"
#include "ge/IR/InternScope.h"
#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Run/Call/Call.h"
#include "ge/Run/Program/Program.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>

namespace ge {

namespace {

using Values = std::vector<RunValue>;

constexpr size_t kDeepest = 10000; ///< nesting depth of bodies and functions

/// The state of a step with bodies.
struct Control {
  bool isInCondition = false, goesOn = true;
  int64_t turn = 0, limit = 0, delta = 1;
  Values values; ///< values that the loop carries
  std::vector<std::vector<TensorPtr>> scans;
  std::vector<int64_t> axes;
};

struct Frame {
  explicit Frame(const Body &of) : body(&of), slots(of.numSlots) {}
  const Body *body;
  Values slots;
  size_t next = 0;
  std::unique_ptr<Control> control;
};

class Runner {
public:
  Runner(const Program &program, Execution &execution)
      : program_(program), execution_(execution), args_(program.mostArguments),
        objects_(program.mostOperands), kept_(program.mostOperands) {}

  Values run(Values inputs) {
    push(program_.bodies.front(), std::move(inputs));
    while (true) {
      Frame &frame = *stack_.back();
      const std::vector<Step> &steps = frame.body->steps;
      for (; frame.next < steps.size(); ++frame.next) {
        Interrupt::look();
        const Step &step = steps[frame.next];
        if (step.kind == StepKind::Kernel)
          runKernel(step, frame);
        else if (step.kind == StepKind::Tensors)
          runTensors(step, frame);
        else if (step.kind == StepKind::Region)
          runRegion(step, frame);
        else if (begin(step, frame))
          break; // a body has to run first
        releaseOf(step, frame);
      }
      if (frame.next < steps.size())
        continue;
      Values outputs;
      for (Place place : frame.body->outputs)
        outputs.emplace_back(at(frame, place));
      stack_.pop_back();
      if (stack_.empty())
        return outputs;
      Frame &around = *stack_.back();
      const Step &step = around.body->steps[around.next];
      if (!resume(step, around, outputs)) {
        releaseOf(step, around);
        ++around.next;
      }
    }
  }

  /// The current node, while an exception propagates.
  std::string_view label() const {
    for (size_t i = isTooDeep_ ? 0 : stack_.size(); i-- > 0;)
      if (const Frame &frame = *stack_[i]; frame.next < frame.body->steps.size())
        return frame.body->steps[frame.next].label;
    return {};
  }

private:
  static size_t numberOf(Place ofConstant) {
    Place number = ~ofConstant;
    return size_t(number);
  }
  GeObject *at(const Frame &frame, Place place) const {
    return place >= 0          ? frame.slots[size_t(place)].get()
           : place == kNowhere ? nullptr
                               : program_.constants[numberOf(place)].get();
  }
  Values operandsOf(const Step &step, const Frame &frame) const {
    Values all;
    for (Place place : step.operands)
      all.emplace_back(at(frame, place));
    return all;
  }
  static void releaseOf(const Step &step, Frame &frame) {
    for (Place place : step.releases)
      frame.slots[size_t(place)] = {};
  }
  template <typename... Parts>
  [[noreturn]] static void fail(const Step &step, const Parts &...parts) {
    throwError(ErrorKind::Verify, step.label, parts...);
  }
  TensorPtr tensor(const RunValue &value) const { return tensorOf(*program_.context, value); }

  // --- Kernels

  void runKernel(const Step &step, Frame &frame) {
    const KernelStep &own = *step.kernel;
    size_t count = own.arguments.list.size();
    std::copy_n(own.arguments.list.data(), count, args_.data());
    for (size_t i = 0; i < own.operands.size(); ++i) {
      const KernelStep::Operand &operand = own.operands[i];
      objects_[i] = at(frame, operand.place);
      if (objects_[i])
        prepare(operand, own, frame, i);
    }
    if (own.lists.empty())
      for (size_t i = 0; i < own.operands.size(); ++i)
        args_[own.operands[i].argument] = argument(objects_[i], own.isCounted);
    else
      addLists(own);
    const StepTypes &types = typesOf(step, own);
    results_.resize(own.owners.size());
    for (size_t i : own.isOut ? std::span(own.fresh) : std::span<const size_t>()) {
      const KnownType &type = types.results[i];
      if (!type.isStatic)
        fail(step, ": ", own.kernelText,
             " writes into arrays of the caller, and inference does not say the type of result ",
             i);
      results_[i] = RunValue::adopt(
          newTensorObject(type.element, type.shape, bytesOf(type.element, type.shape)));
      args_[count++] = argument(results_[i].get(), own.isCounted);
    }
    const Kernel &kernel = *execution_.kernels[own.kernel];
    KernelResult given(kernel);
    call(step, kernel, count, given.value);
    if (own.fresh.size() != own.owners.size())
      checkWritten(step, own, given.value);
    if (!own.isOut)
      if (std::string fault = takeResults(given.value, own.fresh, results_); !fault.empty())
        failKernel(step, fault);
    for (size_t i = 0; i < own.owners.size(); ++i) {
      if (own.owners[i])
        results_[i] = RunValue(objects_[*own.owners[i]]);
      else if (!own.isOut)
        checkResult(step, own, types, i);
      if (results_[i] && !own.declared[i].takes(tensorIn(results_[i].get())))
        fail(step, ": its kernel gave ", shownValue(results_[i]), " for result ", i,
             ", its type says ", own.declared[i].text);
    }
    for (size_t i = 0; i < step.results.size(); ++i)
      if (RunValue made = std::move(results_[i]); step.results[i] >= 0)
        frame.slots[size_t(step.results[i])] = std::move(made);
    for (size_t i = 0; i < own.operands.size(); ++i)
      kept_[i] = {};
    arrays_.clear();
  }

  static std::string shownValue(const RunValue &value) {
    const DLTensor &t = tensorIn(value.get());
    return shownType(t.dtype, {t.shape, size_t(t.ndim)});
  }

  /// Converts an operand for the kernel. One that it writes is a copy, unless nothing else uses the
  /// value.
  void prepare(const KernelStep::Operand &operand, const KernelStep &own, Frame &frame, size_t i) {
    GeObject *object = objects_[i];
    if (!operand.isWritten && isDense(object, own.isStrided)) [[likely]]
      return;
    if (tensorIn(object).dtype.bits == 0)
      kept_[i] = RunValue::adopt(newDenseCopy(object)); // throws if that is impossible
    else if (!operand.isWritten)
      kept_[i] = asKernelsTake(RunValue(object), own.isStrided);
    else if (operand.place >= 0 && operand.isLast && isWritable(object))
      kept_[i] = std::move(frame.slots[size_t(operand.place)]);
    else
      kept_[i] = RunValue::adopt(newDenseCopy(object));
    objects_[i] = kept_[i].get();
  }

  static GeAny argument(GeObject *object, bool isCounted) {
    GeAny any{};
    if (!object)
      return any;
    any.tag = isCounted ? GE_ANY_TENSOR_OBJECT : GE_ANY_TENSOR;
    if (isCounted)
      any.o = object;
    else
      any.t = &tensorIn(object);
    return any;
  }

  void addLists(const KernelStep &own) {
    std::vector<GeAny> items;
    size_t done = 0;
    auto single = [&](size_t end) {
      for (; done < end; ++done)
        args_[own.operands[done].argument] = argument(objects_[done], own.isCounted);
    };
    for (const KernelStep::List &list : own.lists) {
      single(list.first);
      items.clear();
      for (; done < list.first + list.count; ++done)
        items.push_back(argument(objects_[done], own.isCounted));
      arrays_.push_back(RunValue::adopt(newArrayObject(items)));
      GeAny &any = args_[list.argument];
      any = {};
      any.tag = GE_ANY_ARRAY_OBJECT;
      any.o = arrays_.back().get();
    }
    single(own.operands.size());
  }

  void call(const Step &step, const Kernel &kernel, size_t count, GeAny &given) {
    std::string fault = callFromHere(kernel, {args_.data(), count}, given);
    if (!fault.empty())
      throwError(ErrorKind::General, step.label, ": ", step.kernel->kernelText, " ", fault);
  }

  template <typename... Parts>
  [[noreturn]] void failKernel(const Step &step, const Parts &...parts) const {
    throwError(ErrorKind::General, step.label, ": ", step.kernel->kernelText, " ", parts...);
  }

  void checkWritten(const Step &step, const KernelStep &own, const GeAny &given) {
    owners_.clear();
    for (const std::optional<size_t> &owner : own.owners)
      owners_.push_back(owner ? objects_[*owner] : nullptr);
    if (std::string fault = writtenFault(given, owners_); !fault.empty())
      failKernel(step, fault);
  }

  void checkResult(const Step &step, const KernelStep &own, const StepTypes &types, size_t i) {
    RunValue made = std::move(results_[i]);
    if (std::string fault = aliasFault(*own.def, own.lenders[i], args_, tensorIn(made.get()), i);
        !fault.empty())
      failKernel(step, fault);
    if (!types.results[i].takes(tensorIn(made.get())))
      failKernel(step, "gave ", shownValue(made), " for result ", i, ", inference says ",
                 shownType(types.results[i].element, types.results[i].shape));
    made = asKernelsTake(std::move(made), false);
    if (!own.lenders[i].empty()) {
      std::vector<GeAny> lenders;
      for (uint32_t argument : own.lenders[i])
        lenders.push_back(args_[argument]);
      made = heldWith(made, lenders);
    }
    results_[i] = std::move(made);
  }

  // --- Inference

  /// Encodes element type and rank in one number.
  static int64_t headOf(const DLTensor &t) {
    return int64_t(t.ndim + 1) << 32 | t.dtype.lanes << 16 | t.dtype.bits << 8 | t.dtype.code;
  }

  bool isSame(const StepTypes &types, size_t count) const {
    const int64_t *key = types.key.data();
    for (size_t i = 0; i < count; ++i) {
      if (!objects_[i]) {
        if (*key++ != 0)
          return false;
        continue;
      }
      const DLTensor &t = tensorIn(objects_[i]);
      if (*key++ != headOf(t))
        return false;
      for (int32_t k = 0; k < t.ndim; ++k)
        if (*key++ != t.shape[k])
          return false;
    }
    return true;
  }

  const StepTypes &typesOf(const Step &step, const KernelStep &own) {
    StepTypes &types = execution_.types[own.number];
    if (types.isSet && isSame(types, own.operands.size())) [[likely]]
      return types;
    types.isSet = false;
    types.key.clear();
    for (size_t i = 0; i < own.operands.size(); ++i) {
      types.key.push_back(objects_[i] ? headOf(tensorIn(objects_[i])) : 0);
      if (objects_[i])
        types.key.insert(types.key.end(), tensorIn(objects_[i]).shape,
                         tensorIn(objects_[i]).shape + tensorIn(objects_[i]).ndim);
    }
    inferTypes(step, own, types);
    types.isSet = true;
    return types;
  }

  /// Interns types in a scope that frees them afterwards.
  void inferTypes(const Step &step, const KernelStep &own, StepTypes &types) {
    Context &context = *program_.context;
    InternScope scope(context);
    static const char something = 0;
    std::vector<const Type *> operands;
    std::vector<const Tensor *> there;
    bool isComplete = true;
    for (size_t i = 0; i < own.operands.size(); ++i) {
      operands.push_back(objects_[i] ? typeOf(context, tensorIn(objects_[i])) : nullptr);
      there.push_back(objects_[i] ? reinterpret_cast<const Tensor *>(&something) : nullptr);
      isComplete &= objects_[i] || own.operands[i].place == kNowhere;
    }
    if (!isComplete)
      bindCall(*own.def, step.label, there, own.attributes,
               own.operandSegments); // throws if an operand is missing
    while (!operands.empty() && !operands.back())
      operands.pop_back();
    InferArgs args;
    args.context = &context;
    args.op = own.op;
    args.def = own.def.get();
    args.opset = own.opset;
    args.operands = operands;
    args.attributes = own.attributes;
    args.operandSegments = own.operandSegments;
    args.checksElementTypes = program_.isHosted;
    std::vector<const Type *> results(own.owners.size());
    InferOutcome outcome = infer(args, results);
    if (outcome.status == InferStatus::Failed)
      fail(step, ": ", outcome.message);
    types.results.clear();
    for (const Type *type : results)
      types.results.emplace_back(outcome.status == InferStatus::Inferred ? type : nullptr);
  }

  static const Type *typeOf(Context &context, const DLTensor &t) {
    std::vector<Dim> shape;
    for (int32_t i = 0; i < t.ndim; ++i)
      shape.push_back(Dim{t.shape[i], nullptr});
    TensorTypeSpec spec;
    spec.dtype = dtypeOf(t.dtype);
    spec.shape = shape;
    return context.tensorType(spec);
  }

  // --- Operators of evaluators

  void runTensors(const Step &step, Frame &frame) {
    const TensorStep &own = *step.tensors;
    std::vector<TensorPtr> held;
    std::vector<const Tensor *> operands;
    for (const RunValue &value : operandsOf(step, frame)) {
      held.push_back(tensor(value));
      operands.push_back(held.back().get());
    }
    std::vector<TensorPtr> results(step.results.size());
    OpDefRef def = recordOf(own.op, own.opset);
    while (!(def && takesLists(*def)) && !operands.empty() && !operands.back())
      operands.pop_back();
    runOp({*program_.context, own.op, def.get(), own.opset, operands, own.attributes, own.nodeName,
           own.operandSegments},
          results);
    for (size_t i = 0; i < results.size(); ++i)
      if (step.results[i] >= 0 && results[i])
        frame.slots[size_t(step.results[i])] = valueOf(*results[i]);
  }

  void runRegion(const Step &step, Frame &frame) {
    std::vector<TensorPtr> inputs;
    for (const RunValue &value : operandsOf(step, frame))
      inputs.push_back(tensor(value));
    std::vector<TensorPtr> results = step.region->run(inputs);
    for (size_t i = 0; i < results.size(); ++i)
      if (step.results[i] >= 0 && results[i])
        frame.slots[size_t(step.results[i])] = valueOf(*results[i]);
  }

  // --- Bodies and functions

  void push(const Body &body, Values inputs) {
    if (stack_.size() >= kDeepest) {
      isTooDeep_ = true;
      std::string path;
      for (const auto &frame : std::span(stack_).last(4))
        path += cat(frame->body->name, " -> ");
      throwError(ErrorKind::General, "graphs call each other ", kDeepest,
                 " deep, which is the limit: ", path, body.name);
    }
    if (inputs.size() != body.numInputs)
      throwError(ErrorKind::Value, body.described, " has ", body.numInputs, " inputs, not ",
                 inputs.size());
    auto frame = std::make_unique<Frame>(body);
    if (!stack_.empty())
      for (const auto &[from, to] : body.captures)
        frame->slots[size_t(to)] = stack_.back()->slots[size_t(from)];
    for (size_t i = 0; i < inputs.size(); ++i)
      frame->slots[i] = std::move(inputs[i]);
    stack_.push_back(std::move(frame));
  }

  static bool finish(const Step &step, Frame &frame, Values results) {
    if (results.size() != step.results.size())
      fail(step, " has ", step.results.size(), " results, its body ", results.size());
    for (size_t i = 0; i < results.size(); ++i)
      if (step.results[i] >= 0)
        frame.slots[size_t(step.results[i])] = std::move(results[i]);
    frame.control.reset();
    return false;
  }

  static const RunValue &operandOf(const Step &step, const Values &operands, size_t i) {
    if (i >= operands.size() || !operands[i])
      fail(step, " has no operand ", i);
    return operands[i];
  }
  static Values rest(const Values &operands, size_t from) {
    return {operands.begin() + ptrdiff_t(std::min(from, operands.size())), operands.end()};
  }

  /// Evaluates a condition: one number is true if it is not zero; in CANN, another tensor if it is
  /// not empty.
  bool truth(const Step &step, const RunValue &value) const {
    TensorPtr condition = tensor(value);
    if (!condition || condition->isString())
      fail(step, ": the condition is not a number");
    if (condition->numElements() != 1) {
      if (step.isOnnx)
        fail(step, ": the condition has ", condition->numElements(), " elements");
      return condition->numElements() > 0;
    }
    std::vector<char> bytes(condition->denseSize());
    condition->copyDense(bytes.data());
    // -0.0 is the one number that is zero and not of zero bits.
    if (bytes.size() > 1 && hasFloatFormat(condition->type()->dtype()))
      bytes.back() = char(bytes.back() & 0x7f);
    return std::ranges::any_of(bytes, [](char byte) { return byte != 0; });
  }
  int64_t number(const Step &step, const RunValue &value) const {
    TensorPtr one = tensor(value);
    std::optional<int64_t> found = one ? integerOf(*one) : std::nullopt;
    if (!found)
      fail(step, " needs one integer, not ", one ? one->type()->str() : "nothing");
    return *found;
  }
  RunValue scalar(DType dtype, int64_t value) const {
    return valueOf(*scalarOf(*program_.context, dtype, value));
  }

  /// Starts a step with bodies; returns true if a body has to run now.
  bool begin(const Step &step, Frame &frame) {
    Values operands = operandsOf(step, frame);
    auto own = std::make_unique<Control>();
    Control &control = *own;
    frame.control = std::move(own);
    switch (step.kind) {
    case StepKind::If: {
      bool taken = truth(step, operandOf(step, operands, 0));
      return enter(*step.bodies[taken ? 0 : 1], step.isOnnx ? Values() : rest(operands, 1));
    }
    case StepKind::Case: {
      // An index out of range selects the last branch.
      auto count = int64_t(step.bodies.size());
      int64_t which = number(step, operandOf(step, operands, 0));
      return enter(*step.bodies[size_t(which >= 0 && which < count ? which : count - 1)],
                   rest(operands, 1));
    }
    case StepKind::Call:
      return enter(*step.bodies[0], std::move(operands));
    case StepKind::While:
      control.values = std::move(operands);
      return turnWhile(step, control);
    case StepKind::For:
      control.turn = number(step, operandOf(step, operands, 0));
      control.limit = number(step, operandOf(step, operands, 1));
      control.delta = number(step, operandOf(step, operands, 2));
      if (control.delta == 0)
        fail(step, ": delta is 0");
      control.values = rest(operands, 3);
      return turnFor(step, frame);
    case StepKind::Loop:
      control.limit = !operands.empty() && operands[0] ? number(step, operands[0]) : INT64_MAX;
      control.goesOn = operands.size() < 2 || !operands[1] || truth(step, operands[1]);
      control.values = rest(operands, 2);
      control.scans.resize(step.outputTypes.size());
      return turnLoop(step, frame);
    case StepKind::Scan:
      beginScan(step, control, operands);
      return turnScan(step, frame);
    default:
      throwError(step.failure, step.label, step.reason);
    }
  }

  bool enter(const Body &body, Values inputs) {
    push(body, std::move(inputs));
    return true;
  }

  /// Continues with the results of a body; returns true if another one has to run now.
  bool resume(const Step &step, Frame &frame, Values &made) {
    Control &control = *frame.control;
    switch (step.kind) {
    case StepKind::While:
      if (!control.isInCondition) {
        control.values = std::move(made);
        return turnWhile(step, control);
      }
      control.isInCondition = false;
      if (made.empty() || !truth(step, made[0]))
        return finish(step, frame, std::move(control.values));
      return enter(*step.bodies[1], control.values);
    case StepKind::For:
      control.values = std::move(made);
      if (__builtin_add_overflow(control.turn, control.delta, &control.turn))
        return finish(step, frame, std::move(control.values));
      return turnFor(step, frame);
    case StepKind::Loop:
      control.goesOn = truth(step, made[0]);
      ++control.turn;
      made.erase(made.begin());
      carry(control, made);
      return turnLoop(step, frame);
    case StepKind::Scan:
      ++control.turn;
      carry(control, made);
      return turnScan(step, frame);
    default:
      return finish(step, frame, std::move(made));
    }
  }

  /// The results are the states, then the concatenated outputs.
  void carry(Control &control, Values &made) const {
    size_t count = control.values.size();
    for (size_t i = 0; i < control.scans.size(); ++i)
      control.scans[i].push_back(tensor(made[count + i]));
    made.resize(count);
    control.values = std::move(made);
  }

  bool turnWhile(const Step &step, Control &control) {
    control.isInCondition = true;
    return enter(*step.bodies[0], control.values);
  }

  bool turnFor(const Step &step, Frame &frame) {
    Control &control = *frame.control;
    if (control.delta > 0 ? control.turn >= control.limit : control.turn <= control.limit)
      return finish(step, frame, std::move(control.values));
    DType dtype = dtypeOf(tensorIn(at(frame, step.operands[0])).dtype);
    Values inputs = {scalar(dtype, control.turn)};
    std::ranges::move(control.values, std::back_inserter(inputs));
    return enter(*step.bodies[0], std::move(inputs));
  }

  bool turnLoop(const Step &step, Frame &frame) {
    Control &control = *frame.control;
    if (!control.goesOn || control.turn >= control.limit) {
      Values results = std::move(control.values);
      for (size_t i = 0; i < control.scans.size(); ++i)
        results.push_back(stackedFor(step, control.scans[i], 0, step.outputTypes[i], i));
      return finish(step, frame, std::move(results));
    }
    Values inputs = {scalar(DType::I64, control.turn), scalar(DType::Bool, control.goesOn)};
    inputs.insert(inputs.end(), control.values.begin(), control.values.end());
    return enter(*step.bodies[0], std::move(inputs));
  }

  void beginScan(const Step &step, Control &control, const Values &operands) const {
    size_t count = step.axes.size(), numStates = operands.size() - count;
    control.axes = step.axes;
    std::optional<int64_t> length;
    for (size_t i = 0; i < count; ++i) {
      const DLTensor &input = tensorIn(operandOf(step, operands, numStates + i).get());
      int64_t rank = input.ndim, &axis = control.axes[i];
      if (axis < -rank || axis >= rank)
        fail(step, ": scan input ", i, " of rank ", rank, " has no axis ", axis);
      axis += axis < 0 ? rank : 0;
      int64_t own = input.shape[axis];
      if (length.value_or(own) != own)
        fail(step, ": scan inputs have the lengths ", *length, " and ", own);
      length = own;
    }
    control.limit = *length;
    control.values.assign(operands.begin(), operands.begin() + ptrdiff_t(numStates));
    control.scans.resize(step.outputTypes.size());
  }

  bool turnScan(const Step &step, Frame &frame) {
    Control &control = *frame.control;
    if (control.turn >= control.limit) {
      Values results = std::move(control.values);
      for (size_t i = 0; i < control.scans.size(); ++i) {
        if (step.outBackwards[i])
          std::ranges::reverse(control.scans[i]);
        results.push_back(
            stackedFor(step, control.scans[i], step.outAxes[i], step.outputTypes[i], i));
      }
      return finish(step, frame, std::move(results));
    }
    Values inputs = control.values;
    for (size_t i = 0; i < control.axes.size(); ++i) {
      TensorPtr input = tensor(RunValue(at(frame, step.operands[control.values.size() + i])));
      int64_t index = step.backwards[i] ? control.limit - 1 - control.turn : control.turn;
      inputs.push_back(valueOf(*sliceOf(*input, size_t(control.axes[i]), index)));
    }
    return enter(*step.bodies[0], std::move(inputs));
  }

  RunValue stackedFor(const Step &step, const std::vector<TensorPtr> &parts, int64_t axis,
                      const Type *output, size_t index) const {
    if (!output || !std::ranges::all_of(parts, [](const TensorPtr &part) { return bool(part); }))
      fail(step, ": its body gives nothing for scan output ", index);
    if (parts.empty())
      return valueOf(*emptyOf(*program_.context, output, axis));
    for (const TensorPtr &part : parts)
      if (part->type() != parts[0]->type())
        fail(step, ": its body gave ", parts[0]->type()->str(), " and ", part->type()->str(),
             " for scan output ", index);
    auto rank = int64_t(parts[0]->type()->shape().size()) + 1;
    if (axis < -rank || axis >= rank)
      fail(step, ": a scan output of rank ", rank, " has no axis ", axis);
    return valueOf(*stackOf(parts, size_t(axis < 0 ? axis + rank : axis)));
  }

  const Program &program_;
  Execution &execution_;
  std::vector<std::unique_ptr<Frame>> stack_;
  // Of the current kernel step.
  std::vector<GeAny> args_;
  std::vector<GeObject *> objects_, owners_;
  Values kept_, results_, arrays_;
  bool isTooDeep_ = false;
};

} // namespace

std::unique_ptr<Execution> Program::takeExecution() {
  std::unique_ptr<Execution> taken;
  {
    std::lock_guard guard(lock_);
    if (!free_.empty()) {
      taken = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!taken)
    taken = std::make_unique<Execution>();
  taken->types.resize(numKernelSteps);
  for (const std::weak_ptr<const Kernel> &kernel : kernels) {
    taken->kernels.push_back(kernel.lock());
    if (!taken->kernels.back())
      throwError(ErrorKind::Stale, "a library that the graph was prepared with was closed");
  }
  return taken;
}

void Program::giveExecution(std::unique_ptr<Execution> execution) {
  constexpr size_t kMostFree = 8;
  execution->kernels.clear();
  std::lock_guard guard(lock_);
  if (free_.size() < kMostFree)
    free_.push_back(std::move(execution));
}

std::vector<RunValue> Program::run(std::vector<RunValue> inputs, std::string_view &failed) {
  std::unique_ptr<Execution> execution = takeExecution();
  Runner runner(*this, *execution);
  try {
    std::vector<RunValue> outputs = runner.run(std::move(inputs));
    giveExecution(std::move(execution));
    return outputs;
  } catch (...) {
    failed = runner.label();
    throw;
  }
}

} // namespace ge
