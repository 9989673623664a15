//===- Trust.cpp - what is looked at before passes are loaded ---------------------------------===//
#include "PopulatePasses.h"

#include "../IR/Convert.h"
#include "../IR/Errors.h"

#include "ge-c/Support.h"

#include <cstring>
#include <string>
#include <unistd.h>

namespace ge::python {

static GeStringRef bytesOf(const nb::bytes &bytes) { return {bytes.c_str(), bytes.size()}; }

/// None, or the reason; bytes in it that are not UTF-8 belong to paths and are decoded as by
/// os.fsdecode.
static nb::object distrust(const nb::bytes &path, const nb::bytes &alsoOwnerOf) {
  bool trusted = false;
  std::string why;
  check(geFileIsTrusted(bytesOf(path), bytesOf(alsoOwnerOf), &trusted, appendTo, &why));
  if (trusted)
    return nb::none();
  return nb::steal(
      checked(PyUnicode_DecodeUTF8(why.data(), Py_ssize_t(why.size()), "surrogateescape")));
}

/// The environment as getenv() sees it: os.environ is a copy from the interpreter's start.
static nb::list environment() {
  nb::list variables;
  for (char **variable = environ; variable && *variable; ++variable)
    variables.append(nb::bytes(*variable, std::strlen(*variable)));
  return variables;
}

void populateTrust(nb::module_ &m) {
  m.def("_environment", environment,
        "Return the variables of the process, each as bytes, ``NAME=value``.");
  m.def("_distrust", distrust, nb::arg("path"), nb::arg("also_owner_of"),
        "Return why code in a file is not trusted, None when it is.");
}

} // namespace ge::python
