//===- Plugins.cpp - native plugins of passes -------------------------------------------------===//
#include "PopulatePasses.h"

#include "../IR/Convert.h"
#include "../IR/Errors.h"
#include "../IR/Gil.h"

#include "ge-c/Plugin.h"

#include <string>
#include <vector>

namespace ge::python {

namespace {

struct Seen {
  GePluginState state;
  std::string path, error;
  std::vector<std::string> passes;
};

std::string owned(GeStringRef text) {
  return text.length ? std::string(text.data, text.length) : "";
}

void append(const GePluginInfo *info, void *to) {
  Seen seen{info->state, owned(info->path), owned(info->error), {}};
  for (size_t i = 0; i < info->numPasses; ++i)
    seen.passes.push_back(owned(info->passes[i]));
  static_cast<std::vector<Seen> *>(to)->push_back(std::move(seen));
}

/// Bytes of a path that are not UTF-8 are decoded as by os.fsdecode.
nb::object pathText(const std::string &text) {
  return nb::steal(
      checked(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "surrogateescape")));
}

nb::list toList(const std::vector<Seen> &all) {
  static constexpr const char *kStates[] = {"loaded", "failed", "foreign"};
  nb::list out;
  for (const Seen &seen : all) {
    nb::list names;
    for (const std::string &name : seen.passes)
      names.append(pathText(name));
    out.append(
        nb::make_tuple(kStates[seen.state], pathText(seen.path), pathText(seen.error), names));
  }
  return out;
}

} // namespace

void populatePlugins(nb::module_ &m) {
  m.def(
      "_load_plugin",
      [](const nb::bytes &path) {
        GeStringRef bytes = {path.c_str(), path.size()};
        GeStatus status;
        {
          GilRelease released;
          status = gePluginLoad(bytes);
        }
        check(status);
      },
      nb::arg("path"), "Load a native plugin of passes.");
  m.def(
      "_load_plugin_places",
      [] {
        std::vector<Seen> all;
        GeStatus status;
        {
          GilRelease released;
          status = gePluginLoadPlaces(nullptr, append, &all);
        }
        check(status);
        return toList(all);
      },
      "Load the native plugins that the environment names; state, path, error and passes of each.");
  m.def(
      "_list_plugins",
      [] {
        std::vector<Seen> all;
        check(gePluginForEach(append, &all));
        return toList(all);
      },
      "State, path, error and passes of the loaded native plugins.");
  m.def(
      "_unload_plugins",
      [] {
        GeStatus status;
        {
          GilRelease released;
          status = gePluginUnloadAll();
        }
        check(status);
      },
      "Take the passes of all native plugins out.");
}

} // namespace ge::python
