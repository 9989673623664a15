//===- TextOf.h - printing -----------------------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_TEXTOF_H
#define GE_BINDINGS_PYTHON_IR_TEXTOF_H

#include "Convert.h"
#include "Errors.h"
#include "Unlock.h"

#include "ge-c/Text.h"

#include <utility>

namespace ge::python {

/// `names` is "ssa" or "attr"; `elide` None or a number of elements.
inline GePrintOptions printOptions(std::string_view names, nb::handle elide, bool locations) {
  if (names != "ssa" && names != "attr")
    throw nb::value_error("names must be 'ssa' or 'attr'");
  GePrintOptions options{};
  options.size = sizeof options;
  options.nameAttributes = names == "attr";
  options.locations = locations;
  options.elideElementsLargerThan = -1;
  if (!elide.is_none()) {
    options.elideElementsLargerThan = nb::cast<int64_t>(elide);
    if (options.elideElementsLargerThan < 0)
      throw nb::value_error("elide_elements_larger_than must be None or >= 0");
  }
  return options;
}

/// Builds a Python string from the printed pieces as they arrive. Copying a large text once more
/// would cost page faults, which serialize two threads in the kernel.
class PrintedText {
public:
  PrintedText() = default;
  PrintedText(const PrintedText &) = delete;
  PrintedText &operator=(const PrintedText &) = delete;
  ~PrintedText() { Py_XDECREF(text_); }

  /// A GeStringCallback. While the interpreter finalizes, the pieces are collected and converted to
  /// a Python string at the end only.
  static void append(GeStringRef piece, void *self) {
    auto &text = *static_cast<PrintedText *>(self);
    GilAcquire gil;
    if (gil && text.rest_.empty())
      text.append(piece);
    else
      text.rest_.append(piece.data, piece.length);
  }
  /// Raises the exception that a piece caused.
  nb::object take() {
    if (!rest_.empty() || (!text_ && !failed_))
      append(stringRef(rest_));
    return nb::steal(checked(std::exchange(text_, nullptr)));
  }

private:
  void append(GeStringRef piece) {
    if (failed_)
      return;
    PyObject *more = newText(piece);
    if (!text_) {
      text_ = more;
    } else if (more) {
      PyUnicode_Append(&text_, more);
      Py_DECREF(more);
    } else {
      Py_CLEAR(text_);
    }
    failed_ = !text_;
  }
  PyObject *text_ = nullptr;
  bool failed_ = false;
  std::string rest_; ///< printed without the interpreter
};

inline nb::object printed(GeGraphRef *graph, const GePrintOptions &options) {
  PrintedText text;
  check(reading(graph, [&] { return geGraphPrint(graph, &options, PrintedText::append, &text); }));
  return text.take();
}
inline nb::object printed(GeModule *module, const GePrintOptions &options) {
  PrintedText text;
  check(
      reading(module, [&] { return geModulePrint(module, &options, PrintedText::append, &text); }));
  return text.take();
}

/// What `str` shows: everything but large tensors.
constexpr GePrintOptions kForPeople{sizeof(GePrintOptions), false, false, 1024};
/// What pickles hold: everything.
constexpr GePrintOptions kForPickles{sizeof(GePrintOptions), true, true, -1};

/// Encodes which types were inferred, which the text form does not contain.
inline nb::bytes typeSources(GeGraphRef *graph) {
  GeStringRef bits;
  check(geGraphGetTypeSources(graph, &bits));
  return nb::bytes(bits.data, bits.length);
}

inline constexpr const char *kToTextDoc =
    "Return the text form, which is MLIR generic assembly.\n\n"
    "Parameters\n----------\n"
    "names : {\"ssa\", \"attr\"}\n"
    "    \"attr\" writes names as attributes always, so that they survive a trip through MLIR.\n"
    "elide_elements_larger_than : int, optional\n"
    "    Tensors with more elements print as ``__elided__``, which cannot be read again.\n"
    "locations : bool\n    Write ``loc(...)``.\n\n"
    "Cost: O(size). Large ones are printed without the GIL; changes meanwhile are "
    "`GraphBusyError`.";

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_TEXTOF_H
