//===- Kernels.cpp - kernels that are Python objects, and calls of operators -------------------===//
//
// A kernel in Python is registered as the function runPython() with the Python object as `self`.
// Calls from Python recognise that function and call the object directly, without converting to
// 16-byte values.
//
#include "KernelObject.h"

#include "../IR/Scope.h"
#include "../Imported/Imported.h"
#include "CallPlan.h"
#include "Function.h"
#include "KernelCall.h"
#include "KernelValues.h"
#include "PopulateOps.h"

#include <string>
#include <vector>

namespace ge::python {

namespace {

/// Returns the message of the exception that is being handled, and clears it.
const char *textOfException() {
  static thread_local std::string text;
  translateException();
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  nb::object name = nb::steal(PyObject_GetAttrString(type, "__name__"));
  nb::object said = nb::steal(PyObject_Str(value));
  text.clear();
  for (const nb::object &part : {name, said}) {
    GeStringRef piece;
    if (part.is_valid() && toText(part.ptr(), "text", piece))
      text.append(text.empty() ? "" : ": ").append(piece.data, piece.length);
  }
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return text.c_str();
}

/// Calls from C, on any thread: geOpCall, geGraphRun, geKernelCall.
int runPython(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  GilAcquire guard;
  if (!guard)
    return geAnyFail(result, "the Python interpreter is ending");
  try {
    nb::object kernel = nb::borrow(static_cast<PyObject *>(self));
    nb::list values, views;
    for (int32_t i = 0; i < numArgs; ++i) {
      Argument one = argumentToPython(args[i]);
      values.append(one.value);
      views.append(one.view);
    }
    nb::object given =
        importModule(GE_PYTHON_PACKAGE ".ops._from_c").attr("run_from_c")(kernel, values, views);
    *result = ownedValue(given);
    return 0;
  } catch (...) {
    return geAnyFail(result, textOfException());
  }
}

void releasePython(void *self) {
  GilAcquire guard; // a library may be closed by any thread, also at the interpreter's end
  if (guard)
    Py_DECREF(static_cast<PyObject *>(self));
}

struct KernelHandle {
  GeKernel ref = nullptr;
  KernelHandle() = default;
  KernelHandle(const KernelHandle &) = delete;
  ~KernelHandle() { geKernelRelease(ref); }
};

/// Returns the Python object of a kernel; for a kernel in C, a callable that wraps it.
nb::object objectOf(const KernelHandle &kernel) {
  GeKernelInfo info;
  check(geKernelGetInfo(kernel.ref, &info));
  if (info.function != runPython)
    return wrapNativeKernel(kernel.ref);
  return nb::borrow(static_cast<PyObject *>(info.self));
}

nb::object findKernel(nb::str op, nb::str backend) {
  KernelHandle found;
  check(geKernelFind(geRegistryGlobal(), ref(op), ref(backend), &found.ref));
  return found.ref ? objectOf(found) : nb::object(nb::none());
}

/// Raises NotImplementedError, which lists the registered kernels, if none of them serves the call.
void requireKernel(nb::str op, nb::str backend) {
  KernelHandle found;
  check(geKernelRequire(geRegistryGlobal(), ref(op), ref(backend), &found.ref));
}

/// (backend, file, line, object) of each.
nb::object listKernels(nb::str op) {
  size_t count = 0;
  check(geKernelList(geRegistryGlobal(), ref(op), nullptr, 0, &count));
  std::vector<GeKernel> found(count);
  size_t now = 0;
  check(geKernelList(geRegistryGlobal(), ref(op), found.data(), count, &now));
  nb::list all;
  for (size_t i = 0; i < std::min(count, now); ++i) {
    KernelHandle one;
    one.ref = found[i];
    GeKernelInfo info;
    check(geKernelGetInfo(one.ref, &info));
    all.append(nb::make_tuple(str(info.backend), str(info.file), info.line, objectOf(one)));
  }
  return nb::tuple(all);
}

/// How Python code must convert the argument of a parameter.
enum Code : char { Default, Exact, Absent, Convert };

/// (index of the overload, values of its parameters and varargs, a Code for each parameter).
nb::object bindCall(nb::tuple ops, nb::tuple args, nb::dict kwargs) {
  CallArguments call(callArgumentView());
  for (nb::handle arg : args)
    if (!call.addPositional(arg.ptr()))
      throw nb::python_error();
  for (auto [name, value] : kwargs)
    if (!call.addKeyword(name.ptr(), value.ptr()))
      throw nb::python_error();
  GeBindOptions options{sizeof options, geOpsGetStrict(), false};
  GeBindFault fault;
  BoundArgs bound;
  size_t chosen = 0;
  std::vector<GeOpDef> records;
  size_t most = 0;
  for (nb::handle op : ops) {
    records.push_back(opOf(op));
    GeOpInfo info;
    check(geOpDefGetInfo(records.back(), &info));
    most = std::max(most, info.numParams);
  }
  bound.resize(most);
  GeStatus status = records.size() == 1 ? call.bind(records[0], options, bound, fault)
                                        : call.resolve(records, options, bound, chosen, fault);
  if (status) {
    raiseBind(records[0], status, fault);
    throw nb::python_error();
  }
  GeOpInfo info;
  check(geOpDefGetInfo(records[chosen], &info));
  std::string codes(info.numParams, char(Default));
  nb::list values;
  for (size_t i = 0; i < info.numParams; ++i) {
    PyObject *value = call.of(bound[i]);
    values.append(value ? nb::borrow(value) : nb::none());
    if (value)
      codes[i] = char(bound[i].conversion == GE_CONVERT_NOT      ? Exact
                      : bound[i].conversion == GE_CONVERT_ABSENT ? Absent
                                                                 : Convert);
  }
  if (info.vararg)
    for (size_t i = info.numPositional; i < call.numPositional(); ++i)
      values.append(nb::borrow(call.positional(i)));
  return nb::make_tuple(chosen, values, nb::bytes(codes.data(), codes.size()));
}

/// Types of calls are interned in a context of this file, which is replaced from time to time, and
/// not in the user's: a program that calls with ever new shapes does not grow.
class CallContext {
public:
  CallContext() {
    static GeContext *current;
    static size_t uses;
    if (!current || ++uses == kUses) {
      GeContext *made;
      check(geContextCreate(&made));
      geContextRelease(current);
      current = made;
      uses = 0;
    }
    geContextRetain(current);
    context_ = current;
  }
  CallContext(const CallContext &) = delete;
  CallContext &operator=(const CallContext &) = delete;
  ~CallContext() { geContextRelease(context_); }
  GeContext *get() const { return context_; }

private:
  static constexpr size_t kUses = 4096;
  GeContext *context_;
};

GeType typeOf(GeContext *context, nb::handle described) {
  if (described.is_none())
    return nullptr;
  GeTensorTypeSpec spec{};
  if (!toDType(nb::object(described[0]).ptr(), spec.dtype))
    throw nb::python_error();
  std::vector<GeDim> dims;
  for (nb::handle size : nb::cast<nb::tuple>(described[1]))
    if (PyUnicode_Check(size.ptr())) {
      GeIdentifier symbol;
      check(geIdentifierGet(context, ref(nb::borrow<nb::str>(size)), &symbol));
      dims.push_back({-1, symbol});
    } else {
      dims.push_back({nb::cast<int64_t>(size), nullptr});
    }
  spec.ranked = true;
  spec.rank = dims.size();
  spec.shape = dims.data();
  GeType type;
  check(geTypeTensor(context, &spec, &type));
  return type;
}

/// (name of the element type, sizes, None: unranked); None: no tensor type. A size that is not
/// known is None, or with `symbols` its name if it has one.
nb::object described(GeType type, bool symbols) {
  GeTensorTypeSpec spec;
  if (!type || geTypeGetTensorSpec(type, &spec))
    return nb::none();
  GeDTypeInfo info;
  check(geDTypeGetInfo(spec.dtype, &info));
  if (!spec.ranked)
    return nb::make_tuple(nb::str(info.name), nb::none());
  nb::list sizes;
  for (size_t i = 0; i < spec.rank; ++i) {
    const GeDim &dim = spec.shape[i];
    if (dim.size >= 0)
      sizes.append(nb::int_(dim.size));
    else if (symbols && dim.symbol)
      sizes.append(str(geIdentifierStr(dim.symbol)));
    else
      sizes.append(nb::none());
  }
  return nb::make_tuple(nb::str(info.name), nb::tuple(sizes));
}

struct OwnedAttributes {
  std::vector<GeNamedAttribute> list;
  ~OwnedAttributes() {
    for (const GeNamedAttribute &attribute : list)
      geAttributeRelease(attribute.value);
  }
};

/// The callable form of a record, for one call.
struct Form {
  std::vector<FormParam> params; // declared before `op`, which fills them
  GeOpDef op;
  explicit Form(GeOpDef record) : op(formOf(record, params)) {}
  Form(const Form &) = delete;
  ~Form() {
    for (FormParam &param : params)
      Py_XDECREF(param.name);
    geOpDefRelease(op);
  }
};

/// The result types as (element type, shape) from those of the operands, or None if inference
/// fails.
nb::object inferCall(nb::handle op, nb::tuple operands, nb::dict attributes, size_t numResults,
                     bool symbols, nb::object segments) {
  GeOpDef record = opOf(op);
  CallContext context;
  std::vector<GeType> types;
  for (nb::handle operand : operands)
    types.push_back(typeOf(context.get(), operand));
  ContextState &state = ContextState::of(context.get());
  Form form(record);
  OwnedAttributes named;
  for (const FormParam &param : form.params) {
    if (param.operand || param.source == SIZE_MAX)
      continue;
    PyObject *value = PyDict_GetItem(attributes.ptr(), param.name);
    if (!value || value == Py_None)
      continue;
    GeNamedAttribute attribute{};
    attribute.name = state.identifier(param.name, "attribute's name");
    if (!attribute.name || !toParamAttribute(state, param, value, attribute.value)) {
      PyErr_Clear(); // an argument that no attribute can hold, such as an object of a class
      return nb::none();
    }
    named.list.push_back(attribute);
  }
  std::vector<GeType> results(numResults);
  bool known = false;
  std::vector<int32_t> lengths;
  if (!segments.is_none())
    for (nb::handle length : segments)
      lengths.push_back(nb::cast<int32_t>(length));
  check(afterCallbacks(geOpInferTypesWithSegments(
      record, context.get(), 0, types.data(), types.size(), lengths.data(), lengths.size(),
      named.list.data(), named.list.size(), results.data(), numResults, &known)));
  nb::list out;
  for (GeType type : results)
    out.append(described(type, symbols));
  return nb::tuple(out);
}

} // namespace

void implementInPython(GeLibrary *library, nb::str op, nb::str backend, nb::handle kernel,
                       uint32_t flags, bool overrides, nb::str file, uint32_t line) {
  GeKernelSpec spec{};
  spec.size = sizeof spec;
  spec.op = ref(op);
  spec.backend = ref(backend);
  spec.function = runPython;
  spec.self = Py_NewRef(kernel.ptr()); // given back also on failure
  spec.release = releasePython;
  spec.flags = flags | GE_KERNEL_FOREIGN;
  spec.overrides = overrides;
  spec.file = ref(file);
  spec.line = line;
  check(geLibraryImpl(library, &spec, nullptr));
}

namespace {

/// Converts a writable NumPy array on this machine to a tensor of the framework of `like`.
nb::object ofFramework(nb::handle array, nb::handle like) {
  const Framework *framework = frameworkOf(like.ptr());
  CallOperand own;
  if (!framework || !own.read(array.ptr()) || !own.array)
    return nb::borrow(array);
  DLTensor memory{own.data, {1, 0}, own.ndim, own.type, own.shape, own.strides, 0};
  return nb::steal(checked(tensorOfFramework(*framework, memory, array.ptr())));
}

/// None if the framework has no allocator for other libraries.
nb::object emptyOfFramework(nb::handle like, nb::handle dtype, nb::tuple shape, nb::tuple device) {
  const Framework *framework = frameworkOf(like.ptr());
  GeDType element;
  if (!framework || !framework->exchange->allocate)
    return nb::none();
  if (!toDType(dtype.ptr(), element))
    throw nb::python_error();
  DLTensor prototype{};
  check(geDTypeToDLPack(element, &prototype.dtype));
  std::vector<int64_t> sizes;
  for (nb::handle size : shape)
    sizes.push_back(nb::cast<int64_t>(size));
  prototype.ndim = int32_t(sizes.size());
  prototype.shape = sizes.data();
  prototype.device = {nb::cast<int32_t>(device[0]), nb::cast<int32_t>(device[1])};
  return nb::steal(checked(newOfFramework(*framework, prototype)));
}

} // namespace

void populateKernels(nb::module_ &m) {
  m.attr("_classes") = nb::borrow(registeredClasses());
  // Python code builds forms and flags from these numbers.
  nb::dict codes, flags;
  for (auto [name, code] : {std::pair("tensor", ParamCode::Tensor),
                            {"int", ParamCode::Int},
                            {"float", ParamCode::Float},
                            {"bool", ParamCode::Bool},
                            {"str", ParamCode::Str},
                            {"ints", ParamCode::Ints},
                            {"floats", ParamCode::Floats},
                            {"other", ParamCode::Other},
                            {"object", ParamCode::Object},
                            {"any", ParamCode::Any}})
    codes[name] = int(code);
  for (auto [name, flag] : {std::pair("out", GE_KERNEL_OUT),
                            {"strided", GE_KERNEL_STRIDED},
                            {"holds_gil", GE_KERNEL_HOLDS_GIL},
                            {"tvm_ffi", GE_KERNEL_TVM_FFI}})
    flags[name] = int(flag);
  m.attr("_param_codes") = codes;
  m.attr("_kernel_flags") = flags;
  m.def("_set_object_class", [](nb::handle type) {
    Py_XDECREF(reinterpret_cast<PyObject *>(
        std::exchange(objectClass, reinterpret_cast<PyTypeObject *>(Py_NewRef(type.ptr())))));
  });
  m.def("_set_classes_closed", [](nb::handle function) {
    Py_XDECREF(std::exchange(hooks.classesClosed, Py_NewRef(function.ptr())));
  });
  m.def("_find_kernel", findKernel);
  m.def("_require_kernel", requireKernel);
  m.def("_list_kernels", listKernels);
  m.def("_bind_call", bindCall);
  m.def("_infer_call", inferCall, nb::arg("op"), nb::arg("operands"), nb::arg("attributes"),
        nb::arg("num_results"), nb::arg("symbols") = false, nb::arg("segments") = nb::none());
  m.def("_has_exchange", [](nb::handle array) { return frameworkOf(array.ptr()) != nullptr; });
  m.def("_of_framework", ofFramework);
  m.def("_empty_of_framework", emptyOfFramework);
  m.def("_backend_of_device",
        [](int32_t deviceType) { return str(geKernelBackendOfDevice(deviceType)); });
  m.def(
      "backends",
      [] {
        nb::list words;
        check(geKernelBackends(
            [](GeStringRef word, void *list) { static_cast<nb::list *>(list)->append(str(word)); },
            &words));
        return nb::tuple(words);
      },
      nb::sig("def backends() -> tuple[str, ...]"),
      "Return the words that a kernel can be registered for.");
}

} // namespace ge::python
