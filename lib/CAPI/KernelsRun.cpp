//===- KernelsRun.cpp - ge-c/Kernels.h: operators and graphs that run on tensors ----------------===//
#include "KernelsRun.h"

#include "Ops.h"

#include "ge-c/Kernels.h"
#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Kernels/Kernels.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <unordered_map>

using namespace ge;
using namespace ge::capi;

namespace {

constexpr int32_t kCpu = 1;
constexpr uint64_t kOne = (uint64_t(1) << 32) + 1; ///< one strong reference
constexpr int kMostCalls = 1000;                   ///< of this thread inside one another

[[noreturn]] void rethrow() {
  throw Error(ErrorKind(geErrorStatus()), std::string(text(geErrorMessage(), "message")));
}
void must(GeStatus status) {
  if (status != GE_OK)
    rethrow();
}

void freeObject(void *self, int flags) {
  if (flags & 2)
    std::free(self);
}
void freeArray(void *self, int flags) {
  auto *array = static_cast<GeArrayObject *>(self);
  if (flags & 1)
    for (int64_t i = 0; i < array->size; ++i)
      if (array->items[i].tag >= 64)
        geObjectRelease(array->items[i].o);
  freeObject(self, flags);
}
/// A tensor that a kernel may keep.
struct HeldTensor {
  GeTensorObject object;
  const Tensor *tensor; ///< null: the data follows the strides
};
void freeTensor(void *self, int flags) {
  auto *held = static_cast<HeldTensor *>(self);
  if ((flags & 1) && held->tensor)
    std::exchange(held->tensor, nullptr)->release();
  freeObject(self, flags);
}

template <typename T>
T *newObject(int32_t tag, size_t extra, void (*deleter)(void *, int) = freeObject) {
  auto *object = static_cast<T *>(std::calloc(1, sizeof(T) + extra));
  if (!object)
    throw std::bad_alloc();
  auto *header = reinterpret_cast<GeObject *>(object);
  header->refs = kOne;
  header->tag = tag;
  header->deleter = deleter;
  return object;
}

GeAny anyOf(int32_t tag) {
  GeAny any{};
  any.tag = tag;
  return any;
}

/// The arguments of one call, and what they borrow.
class Arguments {
public:
  /// `counted`: for functions of tvm-ffi, which may keep what they get.
  explicit Arguments(bool counted) : counted_(counted) {}
  Arguments(const Arguments &) = delete;
  ~Arguments() {
    for (GeObject *object : objects_)
      geObjectRelease(object);
  }
  std::vector<GeAny> list;

  void addTensors(std::span<const Tensor *const> tensors, const Param &param) {
    if (!param.isVariadic()) {
      list.push_back(tensors.empty() || !tensors[0] ? anyOf(GE_ANY_NONE) : tensor(*tensors[0]));
      return;
    }
    std::vector<GeAny> items;
    for (const Tensor *one : tensors)
      items.push_back(one ? tensor(*one) : anyOf(GE_ANY_NONE));
    list.push_back(array(items));
  }
  void add(Attribute attribute, const SchemaType *type) { list.push_back(of(attribute, type)); }
  void add(const Constant &constant, const SchemaType *type) { list.push_back(of(constant, type)); }
  /// Memory for a result, which follows the parameters.
  GeObject *addBuffer(const Type *type) {
    GeObject *made = memory(type);
    GeAny any = anyOf(counted_ ? GE_ANY_TENSOR_OBJECT : GE_ANY_TENSOR);
    if (counted_)
      any.o = made;
    else
      any.t = &reinterpret_cast<GeTensorObject *>(made)->tensor;
    list.push_back(any);
    return made;
  }

private:
  GeAny object(int32_t tag, void *object) {
    objects_.push_back(static_cast<GeObject *>(object));
    GeAny any = anyOf(tag);
    any.o = objects_.back();
    return any;
  }

  GeAny tensor(const Tensor &value) {
    if (value.isString())
      throwError(ErrorKind::Type, "kernels take no tensors of strings");
    bool isPlain = !value.isSplat() && value.packing() == Tensor::Packing::Bytes;
    auto *made = reinterpret_cast<HeldTensor *>(memory(value.type(), isPlain ? &value : nullptr));
    objects_.push_back(&made->object.header);
    if (!isPlain)
      value.copyDense(made->object.tensor.data);
    GeAny any = anyOf(counted_ ? GE_ANY_TENSOR_OBJECT : GE_ANY_TENSOR);
    if (counted_)
      any.o = &made->object.header;
    else
      any.t = &made->object.tensor;
    return any;
  }

  /// A tensor object over `over`, or over memory of its own.
  static GeObject *memory(const Type *type, const Tensor *over = nullptr) {
    size_t rank = type->shape().size();
    DLDataType element;
    must(geDTypeToDLPack(GeDType(type->dtype()), &element));
    size_t bytes = 0;
    if (!over &&
        __builtin_mul_overflow(size_t(type->numElements()), size_t(element.bits / 8), &bytes))
      throwError(ErrorKind::Overflow, "the tensor is too large");
    constexpr size_t kAlign = 64;
    size_t before = sizeof(HeldTensor) + 2 * rank * sizeof(int64_t);
    auto *held = newObject<HeldTensor>(GE_ANY_TENSOR_OBJECT,
                                       before - sizeof(HeldTensor) + bytes + kAlign, freeTensor);
    auto *shape = reinterpret_cast<int64_t *>(held + 1);
    DLTensor &t = held->object.tensor;
    int64_t step = 1;
    for (size_t i = rank; i-- > 0;) {
      shape[i] = type->shape()[i].size;
      shape[rank + i] = step;
      step *= shape[i];
    }
    auto own = (reinterpret_cast<uintptr_t>(shape + 2 * rank) + kAlign - 1) & ~(kAlign - 1);
    if (over) {
      over->retain();
      held->tensor = over;
      own = reinterpret_cast<uintptr_t>(over->bytes().data());
    }
    t = {reinterpret_cast<void *>(own), {kCpu, 0}, int32_t(rank), element, shape, shape + rank, 0};
    return &held->object.header;
  }

  GeAny bytes(int32_t tag, std::string_view data) {
    auto *made = newObject<GeBytesObject>(tag, data.size() + 1);
    std::memcpy(made + 1, data.data(), data.size());
    made->data = reinterpret_cast<char *>(made + 1);
    made->size = data.size();
    return object(tag, made);
  }
  GeAny string(std::string_view value) {
    if (counted_ || value.find('\0') != std::string_view::npos)
      return bytes(GE_ANY_STR_OBJECT, value);
    GeAny any = anyOf(GE_ANY_STR);
    any.s = strings_.emplace_back(value).c_str();
    return any;
  }
  GeAny array(const std::vector<GeAny> &items) {
    auto *made =
        newObject<GeArrayObject>(GE_ANY_ARRAY_OBJECT, items.size() * sizeof(GeAny), freeArray);
    made->items = reinterpret_cast<GeAny *>(made + 1);
    made->size = made->capacity = int64_t(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      made->items[i] = items[i];
      if (items[i].tag >= 64)
        __atomic_fetch_add(&items[i].o->refs, 1, __ATOMIC_RELAXED);
    }
    return object(GE_ANY_ARRAY_OBJECT, made);
  }

  static bool isFloat(const SchemaType *type) {
    return type &&
           (type->required()->is(SchemaAtom::Float) || type->required()->is(SchemaAtom::SymFloat));
  }
  static const SchemaType *itemOf(const SchemaType *type) {
    const SchemaType *list = type ? type->required() : nullptr;
    return list && list->isList() ? list->element() : nullptr;
  }
  static GeAny number(int64_t value, const SchemaType *type) {
    GeAny any = anyOf(isFloat(type) ? GE_ANY_FLOAT : GE_ANY_INT);
    if (isFloat(type))
      any.f = double(value);
    else
      any.i = value;
    return any;
  }
  static GeAny number(double value) {
    GeAny any = anyOf(GE_ANY_FLOAT);
    any.f = value;
    return any;
  }
  static GeAny boolean(bool value) {
    GeAny any = anyOf(GE_ANY_BOOL);
    any.i = value;
    return any;
  }

  GeAny of(Attribute a, const SchemaType *type) {
    std::vector<GeAny> items;
    switch (a.kind()) {
    case AttrKind::Invalid:
      return anyOf(GE_ANY_NONE);
    case AttrKind::Bool:
      return boolean(a.boolValue());
    case AttrKind::Int:
      return number(a.intValue(), type);
    case AttrKind::Float:
      return number(a.floatValue());
    case AttrKind::String:
      return string(a.stringValue());
    case AttrKind::Bytes:
      return bytes(GE_ANY_BYTES_OBJECT, a.stringValue());
    case AttrKind::DType: {
      GeAny any = anyOf(GE_ANY_DTYPE);
      must(geDTypeToDLPack(GeDType(a.dtypeValue()), &any.dtype));
      return any;
    }
    case AttrKind::Tensor:
      return tensor(*a.tensorValue());
    case AttrKind::Array:
      for (double value : a.doubles())
        items.push_back(number(value));
      for (float value : a.floats())
        items.push_back(number(double(value)));
      for (int64_t value : a.ints())
        items.push_back(a.width() == DType::Bool ? boolean(value != 0)
                                                 : number(value, itemOf(type)));
      return array(items);
    case AttrKind::List:
      for (Attribute item : a.elements())
        items.push_back(of(item, itemOf(type)));
      return array(items);
    default:
      throwError(ErrorKind::Type, "kernels take no types, dictionaries and subgraphs");
    }
  }

  GeAny of(const Constant &c, const SchemaType *type) {
    std::vector<GeAny> items;
    switch (c.kind) {
    case Constant::Kind::None:
      return anyOf(GE_ANY_NONE);
    case Constant::Kind::Bool:
      return boolean(c.integer != 0);
    case Constant::Kind::Int:
    case Constant::Kind::Ident:
      return number(c.integer, type);
    case Constant::Kind::Float:
      return number(c.real);
    case Constant::Kind::Str:
      return string(c.text);
    case Constant::Kind::List:
      for (const Constant &item : c.items)
        items.push_back(of(item, itemOf(type)));
      return array(items);
    case Constant::Kind::Complex:
      break;
    }
    throwError(ErrorKind::Type, "kernels take no complex numbers");
  }

  const bool counted_;
  std::deque<std::string> strings_;
  std::vector<GeObject *> objects_;
};

/// Gives what a kernel gave back, where it is not taken.
struct Given {
  GeAny value{};
  Given() = default;
  Given(const Given &) = delete;
  ~Given() {
    if (value.tag >= 64)
      geObjectRelease(value.o);
  }
};

/// A tensor over a counted object, whose reference it takes over, also on failure.
TensorPtr tensorOf(Context &context, GeObject *object) {
  struct Managed {
    DLManagedTensorVersioned base;
    GeObject *object;
  };
  auto *managed = new Managed{};
  managed->base.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->base.dl_tensor = reinterpret_cast<GeTensorObject *>(object)->tensor;
  managed->base.deleter = [](DLManagedTensorVersioned *self) {
    auto *own = reinterpret_cast<Managed *>(self);
    geObjectRelease(own->object);
    delete own;
  };
  managed->object = object;
  GeTensor *made = nullptr;
  if (geTensorFromDLPack(reinterpret_cast<GeContext *>(&context), &managed->base, &made)) {
    managed->base.deleter(&managed->base);
    rethrow();
  }
  return TensorPtr::adopt(unwrap(made));
}

std::string shown(const OpCall &call) {
  std::string name = call.def ? call.def->qualifiedName() : std::string(call.op->str());
  return call.nodeName.empty() ? name : cat("node '", call.nodeName, "' (", name, ")");
}

class KernelRun {
public:
  KernelRun(const OpCall &call, const Kernel &kernel)
      : call_(call), kernel_(kernel), isOut_((kernel.flags() & GE_KERNEL_OUT) != 0),
        arguments_((kernel.flags() & (GE_KERNEL_TVM_FFI | GE_KERNEL_KEEPS | GE_KERNEL_FOREIGN)) !=
                   0) {}

  void run(std::span<const Type *const> types, std::span<TensorPtr> results) {
    gather();
    std::vector<GeObject *> buffers;
    struct Release {
      std::vector<GeObject *> &all;
      ~Release() {
        for (GeObject *one : all)
          if (one)
            geObjectRelease(one);
      }
    } guard{buffers};
    for (size_t i = 0; isOut_ && i < results.size(); ++i) {
      if (!types[i] || !types[i]->isTensor() || types[i]->numElements() < 0)
        fail("writes into arrays of the caller, and inference does not say the type of result ", i);
      buffers.push_back(arguments_.addBuffer(types[i]));
    }
    Given given;
    invoke(given.value);
    if (isOut_) {
      for (size_t i = 0; i < results.size(); ++i)
        results[i] = tensorOf(call_.context, std::exchange(buffers[i], nullptr));
    } else {
      take(given.value, results);
    }
    for (size_t i = 0; i < results.size(); ++i)
      if (types[i] && results[i] && !meetTypes(types[i], results[i]->type()))
        fail("gave ", text(results[i]->type()), " for result ", i, ", inference says ",
             text(types[i]));
  }

private:
  static std::string text(const Type *type) {
    std::string out;
    type->print(out);
    return out;
  }
  template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) const {
    throwError(ErrorKind::General, shown(call_), ": kernel ", kernel_.backend(), " (",
               kernel_.source().str(), ") ", parts...);
  }

  void gather() {
    const OpDef &def = *call_.def;
    size_t next = 0, operands = def.operands().size(), place = 0;
    for (const Param &param : def.params) {
      if (!param.isOperand()) {
        addAttribute(param);
        continue;
      }
      size_t after = operands - ++place;
      size_t left = call_.operands.size() - std::min(next, call_.operands.size());
      size_t count = param.isVariadic() ? left - std::min(left, after) : std::min<size_t>(left, 1);
      arguments_.addTensors(call_.operands.subspan(std::min(next, call_.operands.size()), count),
                            param);
      next += count;
    }
    if (next < call_.operands.size())
      throwError(ErrorKind::Verify, shown(call_), " takes ", next, " operands, not ",
                 call_.operands.size());
  }
  void addAttribute(const Param &param) {
    for (const NamedAttribute &given : call_.attributes)
      if (given.name->str() == param.name) {
        arguments_.add(given.value, param.type);
        return;
      }
    if (!param.defaultValue)
      throwError(ErrorKind::Verify, shown(call_), " has no attribute '", param.name,
                 "', which is required");
    arguments_.add(param.defaultValue->value, param.type);
  }

  void invoke(GeAny &result) {
    static thread_local int depth = 0;
    struct Depth {
      Depth() { ++depth; }
      ~Depth() { --depth; }
    } entered;
    if (depth > kMostCalls)
      fail("calls itself, ", kMostCalls, " times");
    InterruptPause pause; // it may call anything
    auto function = reinterpret_cast<GeKernelFn>(kernel_.function());
    int status =
        function(kernel_.self(), arguments_.list.data(), int32_t(arguments_.list.size()), &result);
    if (status == 0)
      return;
    std::string why = result.tag == GE_ANY_STR && result.s && *result.s
                          ? cat("failed: ", std::string_view(result.s))
                          : "failed without a message";
    result = {};
    fail(why);
  }

  void take(GeAny &given, std::span<TensorPtr> results) {
    if (results.size() == 1 && given.tag == GE_ANY_TENSOR_OBJECT) {
      results[0] = tensorOf(call_.context, std::exchange(given, GeAny{}).o);
      return;
    }
    if (given.tag != GE_ANY_ARRAY_OBJECT)
      fail("gave a value of tag ", given.tag, ", the schema has ", results.size(),
           " results that are tensors");
    auto &array = *reinterpret_cast<GeArrayObject *>(given.o);
    if (size_t(array.size) != results.size())
      fail("gave ", array.size, " results, the schema has ", results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      const GeAny &item = array.items[i];
      if (item.tag != GE_ANY_TENSOR_OBJECT)
        fail("gave a value of tag ", item.tag, " for result ", i, ", which is a tensor");
      __atomic_fetch_add(&item.o->refs, 1, __ATOMIC_RELAXED);
      results[i] = tensorOf(call_.context, item.o);
    }
  }

  const OpCall &call_;
  const Kernel &kernel_;
  bool isOut_;
  Arguments arguments_;
};

/// Types of results that inference knows; null: unknown.
std::vector<const Type *> typesOf(const OpCall &call, size_t numResults) {
  std::vector<const Type *> operands, results(numResults);
  for (const Tensor *operand : call.operands)
    operands.push_back(operand ? operand->type() : nullptr);
  while (!operands.empty() && !operands.back())
    operands.pop_back();
  InferArgs args;
  args.context = &call.context;
  args.op = call.op;
  args.def = call.def;
  args.opset = call.opset;
  args.operands = operands;
  args.attributes = call.attributes;
  InferOutcome outcome = infer(args, results);
  if (outcome.status == InferStatus::Failed)
    throwError(ErrorKind::Verify, shown(call), ": ", outcome.message);
  for (const Type *&type : results)
    if (outcome.status != InferStatus::Inferred || !type || !type->isTensor())
      type = nullptr;
  return results;
}

} // namespace

namespace ge::capi {

void runOp(const OpCall &call, std::span<TensorPtr> results) {
  Registry &registry = Registry::global();
  if (call.def) {
    std::string name = call.def->qualifiedName();
    KernelRef kernel = registry.findKernel(name, "cpu");
    if (!kernel)
      kernel = registry.findKernel(name, "any");
    if (kernel) {
      std::vector<const Type *> types = typesOf(call, results.size());
      KernelRun(call, *kernel).run(types, results);
      return;
    }
  }
  if (std::shared_ptr<Evaluator> installed = evaluator()) {
    EvalCall asked;
    asked.context = &call.context;
    asked.op = call.op;
    asked.def = call.def;
    asked.opset = call.opset;
    asked.operands = call.operands;
    asked.attributes = call.attributes;
    asked.nodeName = call.nodeName;
    if (installed->evaluate(asked, results))
      return;
  }
  if (!call.def)
    throwError(ErrorKind::NotImplemented, shown(call), " is not registered, so nothing runs it");
  throwError(
      ErrorKind::NotImplemented, shown(call), ": ",
      missingKernel(call.def->qualifiedName(), "cpu", registry.kernels(call.def->qualifiedName())));
}

OpDefRef recordOf(const OperatorName *op, uint32_t opset) {
  Registry &registry = Registry::global();
  uint32_t newest = opset ? opset : Registry::kNewest;
  OpDefRef def = registry.find(op->domain(), op->type(), op->overload(), newest);
  // CANN's operators are of two namespaces.
  for (const char *ns : {"math", "nn"})
    if (!def && op->domain() == "ge")
      def = registry.find(ns, op->type(), op->overload(), newest);
  return def;
}

std::vector<const Tensor *> tensorsIn(Context &context, GeTensor *const *tensors, size_t count,
                                      const char *what) {
  needArray(tensors, count, what);
  std::vector<const Tensor *> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back(unwrap(tensors[i]));
    if (all.back() && &all.back()->type()->context() != &context)
      throwForeign(what);
  }
  return all;
}

} // namespace ge::capi

GeStatus geOpCall(GeOpDef op, GeContext *context, uint32_t opset, GeTensor *const *operands,
                  size_t numOperands, const GeNamedAttribute *attributes, size_t numAttributes,
                  GeTensor **results, size_t numResults) {
  return interruptible(context, [&] {
    const OpDef *def = need(op, "op");
    Context &owner = need(context);
    std::vector<const Tensor *> tensors = tensorsIn(owner, operands, numOperands, "operands");
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
           {}},
          made);
    for (size_t i = 0; i < numResults; ++i)
      results[i] = wrap(made[i].take());
  });
}
