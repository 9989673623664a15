//===- Text.cpp - ge-c/Text.h: printing and parsing -------------------------------------------===//

#include "Live.h"
#include "LoadDomains.h"

#include "Printing.h"

using namespace ge;
using namespace ge::capi;

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

// The callback runs after the access is released, so it may call any function.

GeStatus geModulePrint(GeModule *module, const GePrintOptions *options, GeStringCallback callback,
                       void *userData) {
  return interruptible([&] {
    std::string out;
    {
      LiveModule<Access::Read> m(module, "module");
      ModuleGraphs graphs(*m.get());
      print(*m.get(), out, printOptionsOf(options));
    }
    give(out, callback, userData);
  });
}
GeStatus geGraphPrint(GeGraphRef *graph, const GePrintOptions *options, GeStringCallback callback,
                      void *userData) {
  return interruptible([&] {
    std::string out;
    print(Reading<Graph>(graph, "graph").get(), out, printOptionsOf(options));
    give(out, callback, userData);
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
