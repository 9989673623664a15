//===- TextOf.h - printing -----------------------------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_TEXTOF_H
#define GE_BINDINGS_PYTHON_IR_TEXTOF_H

#include "Convert.h"
#include "Errors.h"
#include "Unlock.h"

#include "ge-c/Text.h"

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

inline nb::object printed(GeGraphRef *graph, const GePrintOptions &options) {
  std::string text;
  check(reading(graph, [&] { return geGraphPrint(graph, &options, appendTo, &text); }));
  return nb::steal(checked(newText(stringRef(text))));
}
inline nb::object printed(GeModule *module, const GePrintOptions &options) {
  std::string text;
  check(reading(module, [&] { return geModulePrint(module, &options, appendTo, &text); }));
  return nb::steal(checked(newText(stringRef(text))));
}

/// What `str` shows: everything but large tensors.
constexpr GePrintOptions kForPeople{sizeof(GePrintOptions), false, false, 1024};
/// What pickles hold: everything.
constexpr GePrintOptions kForPickles{sizeof(GePrintOptions), true, true, -1};

/// Which types count as inferred, which text does not say.
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
