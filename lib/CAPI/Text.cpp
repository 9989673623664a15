//===- Text.cpp - ge-c/Text.h: printing and parsing -------------------------------------------===//

#include "Live.h"
#include "LoadDomains.h"

#include "Printing.h"

#include <array>
#include <mutex>
#include <string>
#include <utility>

using namespace ge;
using namespace ge::capi;

namespace {

/// The buffer of a print. Its memory is reused by later calls: it grows by doubling, and malloc
/// returns large blocks to the system, so that each text would cost its page faults twice.
class PrintBuffer {
public:
  PrintBuffer() {
    Kept &all = kept();
    // Does not wait: after a fork, the lock may be held by a thread that does not exist.
    std::unique_lock lock(all.mutex, std::try_to_lock);
    if (!lock)
      return;
    for (std::string &each : all.strings)
      if (each.capacity() > text.capacity())
        text.swap(each);
  }
  ~PrintBuffer() {
    if (text.capacity() < kLeast || text.capacity() > kMost)
      return;
    text.clear();
    Kept &all = kept();
    std::unique_lock lock(all.mutex, std::try_to_lock);
    if (!lock)
      return;
    for (std::string &each : all.strings)
      if (each.capacity() < text.capacity())
        text.swap(each);
  }
  PrintBuffer(const PrintBuffer &) = delete;
  PrintBuffer &operator=(const PrintBuffer &) = delete;

  std::string text;

private:
  static constexpr size_t kLeast = size_t(64) << 10, kMost = size_t(16) << 20;
  struct Kept {
    std::mutex mutex;
    std::array<std::string, 2> strings;
  };
  static Kept &kept() {
    // Never destroyed: threads may be at work when the process ends.
    static auto &all = *new Kept;
    return all;
  }
};

} // namespace

PrintOptions ge::capi::printOptionsOf(const GePrintOptions *options) {
  PrintOptions own;
  GePrintOptions defaults{};
  defaults.elideElementsLargerThan = own.elideElementsLargerThan;
  GePrintOptions given = sizedOr(options, "GePrintOptions", defaults);
  own.names = given.nameAttributes ? PrintOptions::Names::Attr : PrintOptions::Names::SSA;
  own.locations = given.locations;
  own.elideElementsLargerThan = given.elideElementsLargerThan;
  return own;
}

// Called after the access is released, so that the callback may call any function.

GeStatus geModulePrint(GeModule *module, const GePrintOptions *options, GeStringCallback callback,
                       void *userData) {
  return interruptible([&] {
    PrintBuffer buffer;
    {
      LiveModule<Access::Read> m(module, "module");
      ModuleGraphs graphs(*m.get());
      print(*m.get(), buffer.text, printOptionsOf(options));
    }
    give(buffer.text, callback, userData);
  });
}
GeStatus geGraphPrint(GeGraphRef *graph, const GePrintOptions *options, GeStringCallback callback,
                      void *userData) {
  return interruptible([&] {
    PrintBuffer buffer;
    print(Reading<Graph>(graph, "graph").get(), buffer.text, printOptionsOf(options));
    give(buffer.text, callback, userData);
  });
}
GeStatus geNodePrint(GeNodeRef *node, GeStringCallback callback, void *userData) {
  return guarded([&] {
    std::string out;
    print(Reading<Node>(node, "node").get(), out);
    give(out, callback, userData);
  });
}

GeStatus geModuleParse(GeContext *context, GeStringRef source, GeStringRef file,
                       const GeParseOptions *given, GeModule **out) {
  return interruptible(context, [&] {
    GeModule *&parsed = result(out);
    ParseOptions options;
    options.sourceLocations = sizedOr(given, "GeParseOptions").sourceLocations;
    parsed =
        withDomains(parseModule(need(context), text(source, "text"), text(file, "file"), options));
  });
}
GeStatus geGraphParse(GeContext *context, GeStringRef source, GeStringRef file, GeGraphRef **out) {
  return interruptible(context, [&] {
    GeGraphRef *&parsed = result(out);
    Root *root = parseGraph(need(context), text(source, "text"), text(file, "file"));
    try {
      loadDomainsOf(*root->graph());
      parsed = newRef(root->graph());
    } catch (...) {
      root->drop();
      throw;
    }
    root->drop();
  });
}
GeStatus geTypeParse(GeContext *context, GeStringRef source, GeType *out) {
  return guarded(context, [&] {
    GeType &parsed = result(out);
    parsed = wrap(parseType(need(context), text(source, "text")));
  });
}
GeStatus geAttributeParse(GeContext *context, GeStringRef source, GeAttribute *out) {
  return guarded(context, [&] {
    GeAttribute &parsed = result(out);
    parsed = wrap(parseAttribute(need(context), text(source, "text")).take());
  });
}
