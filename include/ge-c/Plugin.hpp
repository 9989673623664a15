//===- ge-c/Plugin.hpp - plugins of passes in C++ ---------------------------------------------===//
//
// A pass is a class; a plugin is a shared library of such files, linked with GE::Stubs:
//
//   #include "ge-c/Plugin.hpp"
//
//   struct EraseDead {
//     static constexpr const char *doc = "Erases nodes without uses."; // optional
//     GeStatus run(GeGraphRef *graph, GePassRun *run) {
//       size_t erased = 0;
//       return geGraphEraseDeadNodes(graph, &erased);
//     }
//   };
//   GE_REGISTER_PASS(EraseDead, "my-erase-dead", "AfterInferShape")
//
// An instance lives for one execution. A class may be constructed from the options that are written
// in the pipeline, (const GePassOption *options, size_t numOptions). A class with `priority`
// (int64_t) has that priority in its stage. What it throws fails the pass with its text.
//
// Needs C++20. Nothing of a pass's class runs before gePluginInit is called.
//
#ifndef GE_C_PLUGIN_HPP
#define GE_C_PLUGIN_HPP

#include "ge-c/Api.h"

#include <cstring>
#include <exception>
#include <type_traits>

// Hidden: every plugin has its own.
#pragma GCC visibility push(hidden)
namespace ge::plugin {

inline GeStringRef str(const char *text) { return {text, std::strlen(text)}; }

/// Runs `body`; what it throws becomes the thread's last error.
template <typename F> GeStatus guarded(const F &body) noexcept {
  try {
    return body();
  } catch (const std::exception &error) {
    geErrorSet(GE_ERROR_GENERAL, str(error.what()));
  } catch (...) {
    geErrorSet(GE_ERROR_GENERAL, str("threw an exception that is not a std::exception"));
  }
  return GE_ERROR_GENERAL;
}

template <typename Class> struct PassFunctions {
  static GeStatus create(void *, const GePassOption *options, size_t numOptions, void **instance) {
    return guarded([&] {
      if constexpr (std::is_constructible_v<Class, const GePassOption *, size_t>)
        *instance = new Class(options, numOptions);
      else
        *instance = new Class();
      return GE_OK;
    });
  }
  static GeStatus run(void *instance, GeGraphRef *graph, GePassRun *run) {
    return guarded([&] { return static_cast<Class *>(instance)->run(graph, run); });
  }
  static void destroy(void *instance) { delete static_cast<Class *>(instance); }

  static GeStatus add(GePluginRegistrar *registrar, const char *name, const char *stage) {
    GePassInfo info{};
    info.size = sizeof info;
    info.name = str(name);
    info.stage = str(stage);
    info.kind = str("native");
    if constexpr (requires { str(Class::doc); })
      info.doc = str(Class::doc);
    if constexpr (requires { int64_t(Class::priority); })
      info.priority = Class::priority;
    GePassTable table{};
    table.size = sizeof table;
    table.create = create;
    table.run = run;
    table.destroy = destroy;
    return geRegistrarAddPass(registrar, &info, &table);
  }
};

/// A registration that waits for gePluginInit.
struct PassRecord {
  const char *name, *stage;
  GeStatus (*add)(GePluginRegistrar *registrar, const char *name, const char *stage);
  PassRecord *next = nullptr;
  PassRecord(const char *n, const char *s, decltype(add) a);
};

/// In the order of the file.
struct PassRecords {
  PassRecord *first = nullptr;
  PassRecord **last = &first;
};
inline PassRecords &passRecords() {
  static constinit PassRecords records;
  return records;
}
inline PassRecord::PassRecord(const char *n, const char *s, decltype(add) a)
    : name(n), stage(s), add(a) {
  *passRecords().last = this;
  passRecords().last = &next;
}

} // namespace ge::plugin
#pragma GCC visibility pop

#define GE_PLUGIN_JOIN_(a, b) a##b
#define GE_PLUGIN_JOIN(a, b) GE_PLUGIN_JOIN_(a, b)
/// `GE_REGISTER_PASS(Class, "name", "BeforeInferShape")` at namespace scope; an empty stage is
/// none.
#define GE_REGISTER_PASS(Class, name, stage)                                                       \
  static ::ge::plugin::PassRecord GE_PLUGIN_JOIN(gePassRecord, __COUNTER__)(                       \
      name, stage, ::ge::plugin::PassFunctions<Class>::add);

/// One definition for all files of a plugin; one of the plugin's own replaces it.
extern "C" __attribute__((weak, visibility("default"))) GeStatus
gePluginInit(const GeApi *api, GePluginRegistrar *registrar) {
  if (GeStatus status = geStubsInit(api))
    return status;
  for (ge::plugin::PassRecord *record = ge::plugin::passRecords().first; record;
       record = record->next)
    if (GeStatus status = record->add(registrar, record->name, record->stage))
      return status;
  return GE_OK;
}

#endif // GE_C_PLUGIN_HPP
