//===- Errors.cpp - exceptions and diagnostics -------------------------------------------------===//
#include "Errors.h"

#include "Convert.h"
#include "ErrorText.h"
#include "Paths.h"
#include "PopulateIR.h"

#include <string>
#include <vector>

namespace ge::python {

namespace {

/// A copy that outlives the error it came from.
struct DiagnosticCopy {
  GeSeverity severity;
  uint32_t line, column;
  std::string file, message, sourceLine;
  std::vector<DiagnosticCopy> notes;

  explicit DiagnosticCopy(const GeDiagnostic &d)
      : severity(d.severity), line(d.line), column(d.column), file(d.file.data, d.file.length),
        message(d.message.data, d.message.length),
        sourceLine(d.sourceLine.data, d.sourceLine.length) {
    for (size_t i = 0; i < d.numNotes; ++i) {
      GeDiagnostic note;
      if (geDiagnosticNote(&d, i, &note) == GE_OK)
        notes.emplace_back(note);
    }
  }
  std::string str() const;
};

/// Indexed by GeStatus.
struct ExceptionRow {
  const char *name, *doc;
};
constexpr ExceptionRow kOwn[] = {
    {"GEError",
     "Base of the errors of GE.\n\nAttributes\n----------\ndiagnostics : sequence of Diagnostic\n"
     "    Each message with its location and notes; empty if the text is complete."},
    {"ParseError", "A text cannot be parsed; the message names file, line and column."},
    {"VerifyError",
     "The IR is invalid; ``diagnostics`` lists up to 10,000 errors, the message shows "
     "the first 20."},
    {"StaleHandleError", "The object of a handle was erased; the message names what erased it."},
    {"GraphBusyError",
     "The graph is being read or written by another thread or an enclosing call."},
    {"PassError",
     "A pass failed; what it had done is undone. ``__cause__`` is the exception that it raised, if "
     "it was one of Python.\n\nAttributes\n----------\npass_name : str or None\nhook : str or "
     "None\n    The method that raised: ``\"replacement\"``.\nnode : str or None\n    The node "
     "that it was about.\nfile : str or None\n    Where in the user's code it was raised.\n"
     "line : int or None\nkind : str\n    ``\"raised\"``: an error of the pass; "
     "``\"invalid-graph\"``: it left a graph that the verifier\n    refuses; "
     "``\"contradiction\"``: it left types "
     "that contradict each other; ``\"refused\"``: a native host refused its edits."},
    {"OpSchemaError",
     "A schema or definition of an operator is wrong or in conflict with another."},
    {"ModelError",
     "A model file is damaged or cannot be represented.\n\nAttributes\n----------\n"
     "offset : int or None\n    Where in the file, in bytes, if that is known.\n"
     "field : str or None\n    Path of the field, such as ``graph.node[3].op_type``."},
    {"BindError",
     "Arguments do not fit an operator's signature.\n\nAttributes\n----------\nop : str or None\n"
     "    Qualified name of the operator.\nargument : str or None\n    The parameter or keyword "
     "that is wrong, if it is one.\nreason : str or None\n    What is wrong with it.\n"
     "schema : str or None\n    The operator's schema line."},
};
enum Own { kGEError, kParse, kVerify, kStale, kBusy, kPass, kOpSchema, kModel, kBind, kOwnCount };
PyObject *own[kOwnCount];

const char *severityName(GeSeverity severity) {
  switch (severity) {
  case GE_SEVERITY_WARNING:
    return "warning";
  case GE_SEVERITY_REMARK:
    return "remark";
  case GE_SEVERITY_NOTE:
    return "note";
  case GE_SEVERITY_ERROR:
    break;
  }
  return "error";
}

std::string DiagnosticCopy::str() const {
  std::string text;
  if (!file.empty()) {
    text += file;
    if (line) {
      text.append(":").append(std::to_string(line));
      if (column)
        text.append(":").append(std::to_string(column));
    }
    text += ": ";
  }
  text += severityName(severity);
  text.append(": ").append(message);
  if (!sourceLine.empty()) {
    text.append("\n").append(sourceLine);
    if (column) {
      text += '\n';
      // Keep tabs, so that the caret is under its column in any terminal.
      for (size_t i = 0; i + 1 < column && i < sourceLine.size(); ++i)
        text += sourceLine[i] == '\t' ? '\t' : ' ';
      text += '^';
    }
  }
  for (const DiagnosticCopy &note : notes)
    text.append("\n").append(note.str());
  return text;
}

// One per thread, because native threads may call back into Python. A raw pointer, because it must
// not be released after the interpreter has ended.
thread_local PyObject *keptException = nullptr;

PyObject *raiseKept() {
  PyObject *error = std::exchange(keptException, nullptr);
  // Raising the object itself keeps its traceback.
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error)), error);
  Py_DECREF(error);
  return nullptr;
}

/// Error messages quote file contents, which may not be UTF-8.
nb::str newStr(const std::string &text) {
  return nb::steal<nb::str>(
      checked(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace")));
}

/// The byte offset and field of a ModelError.
void setPlace(const nb::object &error) {
  GeDiagnostic first;
  int64_t offset;
  GeStringRef field;
  if (geErrorDiagnostic(0, &first) != GE_OK ||
      geDiagnosticPlace(&first, &offset, &field) != GE_OK || offset < 0)
    return;
  error.attr("offset") = nb::int_(offset);
  if (field.length)
    error.attr("field") = nb::steal(checked(newText(field)));
}

/// OSError(errno, reason, path), whose constructor selects FileNotFoundError, PermissionError and
/// so on.
bool raiseSystem() {
  int code;
  GeStringRef reason, path;
  if (!geErrorGetSystem(&code, &reason, &path))
    return false;
  nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(reason.data, Py_ssize_t(reason.length), "replace"));
  nb::object file = nb::steal(PyUnicode_DecodeFSDefaultAndSize(path.data, Py_ssize_t(path.length)));
  if (!text.is_valid() || !file.is_valid())
    return true;
  nb::object arguments = nb::steal(Py_BuildValue("(iOO)", code, text.ptr(), file.ptr()));
  if (arguments.is_valid())
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
  return true;
}

} // namespace

PyObject *exceptionOf(GeStatus status) {
  switch (status) {
  case GE_ERROR_PARSE:
    return own[kParse];
  case GE_ERROR_VERIFY:
    return own[kVerify];
  case GE_ERROR_STALE:
    return own[kStale];
  case GE_ERROR_BUSY:
    return own[kBusy];
  case GE_ERROR_PASS:
    return own[kPass];
  case GE_ERROR_OP_SCHEMA:
    return own[kOpSchema];
  case GE_ERROR_MODEL:
    return own[kModel];
  case GE_ERROR_TYPE:
    return PyExc_TypeError;
  case GE_ERROR_VALUE:
    return PyExc_ValueError;
  case GE_ERROR_INDEX:
    return PyExc_IndexError;
  case GE_ERROR_KEY:
    return PyExc_KeyError;
  case GE_ERROR_OVERFLOW:
    return PyExc_OverflowError;
  case GE_ERROR_MEMORY:
    return PyExc_MemoryError;
  case GE_ERROR_NOT_IMPLEMENTED:
    return PyExc_NotImplementedError;
  case GE_ERROR_OS:
    return PyExc_OSError;
  case GE_ERROR_INTERRUPTED:
    return PyExc_KeyboardInterrupt;
  case GE_OK:
  case GE_ERROR_GENERAL:
  case GE_ERROR_INTERNAL:
  case GE_ERROR_STATE:
    break;
  }
  return own[kGEError];
}

void keepException() {
  nb::python_error error;
  if (!isCalledByPython()) // the status already carries its text
    return;
  if (keptException && PyErr_GivenExceptionMatches(keptException, PyExc_Exception) &&
      isInterruption(error.value().ptr()) && !isInterruption(keptException))
    Py_CLEAR(keptException);
  if (keptException) {
    error.discard_as_unraisable("a callback of " GE_PYTHON_PACKAGE
                                ".ir, after another one had raised");
    return;
  }
  keptException = Py_NewRef(error.value().ptr());
}

bool hasKeptException() { return keptException != nullptr; }
bool hasKeptInterrupt() { return keptException && isInterruption(keptException); }

PyObject *raise(GeStatus status) {
  if (keptException)
    return raiseKept();
  if (status == GE_ERROR_OS && raiseSystem())
    return nullptr;
  PyObject *type = exceptionOf(status);
  GeStringRef message = geErrorMessage();
  nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(message.data, Py_ssize_t(message.length), "replace"));
  if (!text.is_valid())
    return nullptr;
  size_t count = geErrorNumDiagnostics();
  if (count == 0) {
    PyErr_SetObject(type, text.ptr());
    return nullptr;
  }
  try {
    nb::object list = lastDiagnostics();
    nb::object error = nb::borrow(type)(text);
    error.attr("diagnostics") = list;
    if (status == GE_ERROR_MODEL)
      setPlace(error);
    PyErr_SetObject(type, error.ptr());
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

void throwStatus(GeStatus status) {
  raise(status);
  throw nb::python_error();
}

/// The GE package that defines a class: the part of `__module__` below which native modules are
/// loaded. Null if there is none, or if it is this package, also under the name of a re-export.
static nb::object packageOfClass(nb::handle type, bool &isKnown) {
  PyObject *modules = PyImport_GetModuleDict();
  nb::object name = nb::steal(PyObject_GetAttrString(type.ptr(), "__module__"));
  while (name.is_valid() && PyUnicode_Check(name.ptr()) && PyObject_IsTrue(name.ptr()) == 1) {
    nb::object native = nb::steal(PyUnicode_FromFormat("%U._mlir_like._ge.ir", name.ptr()));
    if (!native.is_valid())
      break;
    if (PyObject *found = PyDict_GetItem(modules, native.ptr())) {
      isKnown = true;
      nb::object own = nb::steal(PyUnicode_FromString(GE_PYTHON_PREFIX "._ge.ir"));
      bool isOwn = own.is_valid() && found == PyDict_GetItem(modules, own.ptr());
      return isOwn ? nb::object() : name;
    }
    nb::object parts = nb::steal(PyObject_CallMethod(name.ptr(), "rpartition", "s", "."));
    name = parts.is_valid() ? nb::borrow(PyTuple_GetItem(parts.ptr(), 0)) : nb::object();
  }
  return {};
}

/// Decided by the first base class (or the class itself) that a GE package defines.
PyObject *otherPackage(PyObject *object) {
  auto *type = PyType_Check(object) ? object : reinterpret_cast<PyObject *>(Py_TYPE(object));
  nb::object bases = nb::steal(PyObject_GetAttrString(type, "__mro__"));
  nb::object package;
  bool isKnown = false;
  if (bases.is_valid() && PyTuple_Check(bases.ptr()))
    for (Py_ssize_t i = 0; i < PyTuple_Size(bases.ptr()) && !isKnown; ++i)
      package = packageOfClass(PyTuple_GetItem(bases.ptr(), i), isKnown);
  PyErr_Clear();
  return package.release().ptr();
}

PyObject *raiseType(const char *what, const char *expected, PyObject *got) {
  bool isClass = PyType_Check(got);
  nb::object name = nb::steal(PyObject_GetAttrString(
      isClass ? got : reinterpret_cast<PyObject *>(Py_TYPE(got)), "__name__"));
  if (!name.is_valid())
    return nullptr;
  const char *theClass = isClass ? "the class " : "";
  if (nb::object other = nb::steal(otherPackage(got)); other.is_valid())
    PyErr_Format(PyExc_TypeError, "%s must be %s of '%s', not %s%U of '%U'%s", what, expected,
                 GE_PYTHON_PACKAGE, isClass ? theClass : "a ", name.ptr(), other.ptr(),
                 isClass ? "" : ": objects of two packages cross as text");
  else
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %s%U", what, expected, theClass, name.ptr());
  return nullptr;
}

void translateException() noexcept {
  try {
    throw;
  } catch (nb::python_error &e) {
    e.restore();
  } catch (const nb::builtin_exception &e) {
    switch (e.type()) {
    case nb::exception_type::type_error:
      return PyErr_SetString(PyExc_TypeError, e.what());
    case nb::exception_type::value_error:
      return PyErr_SetString(PyExc_ValueError, e.what());
    case nb::exception_type::index_error:
      return PyErr_SetString(PyExc_IndexError, e.what());
    case nb::exception_type::key_error:
      return PyErr_SetString(PyExc_KeyError, e.what());
    default:
      return PyErr_SetString(own[kGEError], e.what());
    }
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::bad_cast &e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const std::exception &e) {
    PyErr_SetString(own[kGEError], e.what());
  } catch (...) {
    PyErr_SetString(own[kGEError], "an unknown C++ exception");
  }
}

nb::list lastDiagnostics() {
  nb::list list;
  size_t count = geErrorNumDiagnostics();
  for (size_t i = 0; i < count; ++i) {
    GeDiagnostic d;
    if (geErrorDiagnostic(i, &d) == GE_OK)
      list.append(newDiagnostic(d));
  }
  return list;
}

nb::object newDiagnostic(const GeDiagnostic &diagnostic) {
  return nb::cast(DiagnosticCopy(diagnostic));
}

void populateErrors(nb::module_ &m) {
  // For TypeErrors raised by Python code.
  m.def(
      "_other_package",
      [](nb::handle object) {
        nb::object package = nb::steal(otherPackage(object.ptr()));
        return package.is_valid() ? package : nb::none();
      },
      nb::arg("object").none());
  nb::object home = m.attr("__name__");
  for (int i = 0; i < kOwnCount; ++i) {
    nb::object bases = i == kGEError ? nb::borrow(PyExc_RuntimeError) : nb::borrow(own[kGEError]);
    if (i == kBind)
      bases = nb::make_tuple(bases, nb::borrow(PyExc_TypeError));
    nb::dict members;
    if (i == kGEError)
      members["diagnostics"] = nb::tuple();
    if (i == kPass) {
      for (const char *attribute : {"pass_name", "hook", "node", "file", "line"})
        members[attribute] = nb::none();
      members["kind"] = "raised";
    }
    if (i == kModel)
      members["offset"] = members["field"] = nb::none();
    if (i == kBind)
      for (const char *attribute : {"op", "argument", "reason", "schema"})
        members[attribute] = nb::none();
    nb::object name = nb::steal(PyUnicode_FromFormat("%U.%s", home.ptr(), kOwn[i].name));
    nb::object type = nb::steal(checked(PyErr_NewExceptionWithDoc(
        nb::cast<nb::str>(name).c_str(), kOwn[i].doc, bases.ptr(), members.ptr())));
    // Owned for the life of the process: objects may be used after the module is gone.
    own[i] = Py_NewRef(type.ptr());
    m.attr(kOwn[i].name) = type;
  }

  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)}, {0, nullptr}};
  nb::class_<DiagnosticCopy>(
      m, "Diagnostic", nb::is_final(), nb::type_slots(slots),
      "One message with its place: an element of ``GEError.diagnostics``, and what\n"
      "diagnostic handlers get.")
      .def_prop_ro(
          "severity", [](const DiagnosticCopy &d) { return nb::str(severityName(d.severity)); },
          "``\"error\"``, ``\"warning\"``, ``\"remark\"`` or ``\"note\"``.")
      .def_prop_ro(
          "file", [](const DiagnosticCopy &d) { return nb::str(pathOf(stringRef(d.file))); },
          "Name of the file or text; empty when unknown.")
      .def_prop_ro(
          "line", [](const DiagnosticCopy &d) { return d.line; },
          "Line, counted from 1; 0 when unknown.")
      .def_prop_ro(
          "column", [](const DiagnosticCopy &d) { return d.column; },
          "Column, counted from 1; 0 when unknown.")
      .def_prop_ro(
          "message", [](const DiagnosticCopy &d) { return newStr(d.message); }, "What is wrong.")
      .def_prop_ro(
          "source_line", [](const DiagnosticCopy &d) { return newStr(d.sourceLine); },
          "The line of the text; empty when there is none.")
      .def_prop_ro(
          "notes",
          [](const DiagnosticCopy &d) {
            nb::list notes;
            for (const DiagnosticCopy &note : d.notes)
              notes.append(nb::cast(note));
            return nb::tuple(notes);
          },
          nb::for_getter(nb::sig("def notes(self, /) -> tuple[Diagnostic, ...]")),
          "Further messages that belong to this one.")
      .def("__str__", [](const DiagnosticCopy &d) { return newStr(d.str()); })
      .def("__repr__", [](const DiagnosticCopy &d) {
        return newStr(std::string("<diagnostic: ").append(d.str()).append(">"));
      });
}

} // namespace ge::python
