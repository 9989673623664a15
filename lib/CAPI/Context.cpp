//===- Context.cpp - contexts, identifiers, operator names, locations -------------------------===//

#include "Guard.h"

using namespace ge;
using namespace ge::capi;

// --- Context

GeStatus geContextCreate(GeContext **out) {
  return guarded([&] {
    auto &created = result(out);
    created = wrap(Context::create());
  });
}
void geContextRetain(GeContext *context) {
  if (context)
    unwrap(context)->retain();
}
void geContextRelease(GeContext *context) {
  if (context)
    unwrap(context)->release();
}

int64_t geContextLiveHandleCount(GeContext *context) {
  return guardedOr(int64_t(0), [&] { return need(context).liveHandleCount(); });
}
int64_t geContextLiveGraphCount(GeContext *context) {
  return guardedOr(int64_t(0), [&] { return need(context).liveGraphCount(); });
}
void geContextSetSerialized(GeContext *context, bool serialized) {
  if (context)
    unwrap(context)->setSerialized(serialized);
}
void *geContextGetSlot(GeContext *context) {
  return context ? unwrap(context)->slot().load(std::memory_order_acquire) : nullptr;
}
void geContextSetSlot(GeContext *context, void *slot) {
  if (context)
    unwrap(context)->slot().store(slot, std::memory_order_release);
}
void geContextSetSlotDestructor(GeContext *context, void (*destroy)(void *slot)) {
  if (context)
    unwrap(context)->setSlotDestructor(destroy);
}

// --- Diagnostics

namespace {

/// A handler of C with what it owns.
struct ForeignHandler {
  GeDiagnosticHandler handler;
  void *userData;
  void (*deleteUserData)(void *);
  ForeignHandler(GeDiagnosticHandler handler, void *userData)
      : handler(handler), userData(userData), deleteUserData(nullptr) {}
  ForeignHandler(const ForeignHandler &) = delete;
  ForeignHandler &operator=(const ForeignHandler &) = delete;
  ~ForeignHandler() {
    if (deleteUserData)
      deleteUserData(userData);
  }
};

} // namespace

GeStatus geContextAttachDiagnosticHandler(GeContext *context, GeDiagnosticHandler handler,
                                          void *userData, void (*deleteUserData)(void *),
                                          uint64_t *token) {
  return guarded([&] {
    auto &out = result(token, "token");
    if (!handler)
      throwNull("handler");
    auto shared = std::make_shared<ForeignHandler>(handler, userData);
    out = need(context).attachHandler([shared](const Diagnostic &diagnostic) {
      GeDiagnostic seen = view(diagnostic);
      InterruptPause pause;
      return shared->handler(&seen, shared->userData);
    });
    // From here on the context owns it; on failure the caller keeps it.
    shared->deleteUserData = deleteUserData;
  });
}

GeStatus geContextDetachDiagnosticHandler(GeContext *context, uint64_t token) {
  return guarded([&] { need(context).detachHandler(token); });
}

GeStatus geContextEmit(GeContext *context, GeSeverity severity, GeLocation location,
                       GeStringRef message, bool *handled) {
  return guarded([&] {
    Context &c = need(context);
    const Location *where = nullOrIn(c, location, "location");
    bool taken = c.emit(needDiagnostic(severity, where, message));
    if (handled)
      *handled = taken;
  });
}

// --- Identifiers and operator names

GeStatus geIdentifierGet(GeContext *context, GeStringRef string, GeIdentifier *out) {
  return guarded([&] { result(out) = wrap(need(context).identifier(text(string, "text"))); });
}
GeStringRef geIdentifierStr(GeIdentifier identifier) {
  return identifier ? stringRef(unwrap(identifier)->str()) : GeStringRef{"", 0};
}
GeContext *geIdentifierGetContext(GeIdentifier identifier) {
  return identifier ? wrap(&unwrap(identifier)->context()) : nullptr;
}
void *geIdentifierGetSlot(GeIdentifier identifier) {
  return identifier ? unwrap(identifier)->slot().load(std::memory_order_acquire) : nullptr;
}
void geIdentifierSetSlot(GeIdentifier identifier, void *slot) {
  if (identifier)
    unwrap(identifier)->slot().store(slot, std::memory_order_release);
}

GeStatus geOperatorNameParse(GeContext *context, GeStringRef string, GeOperatorName *out) {
  return guarded([&] { result(out) = wrap(need(context).operatorName(text(string, "text"))); });
}
GeStatus geOperatorNameGet(GeContext *context, GeStringRef domain, GeStringRef type,
                           GeStringRef overload, GeOperatorName *out) {
  return guarded([&] {
    result(out) = wrap(need(context).operatorName(text(domain, "domain"), text(type, "type"),
                                                  text(overload, "overload")));
  });
}
GeIdentifier geOperatorNameFull(GeOperatorName op) {
  return op ? wrap(unwrap(op)->fullIdentifier()) : nullptr;
}
GeIdentifier geOperatorNameDomain(GeOperatorName op) {
  return op ? wrap(unwrap(op)->domainIdentifier()) : nullptr;
}
GeIdentifier geOperatorNameType(GeOperatorName op) {
  return op ? wrap(unwrap(op)->typeIdentifier()) : nullptr;
}
GeIdentifier geOperatorNameOverload(GeOperatorName op) {
  return op ? wrap(unwrap(op)->overloadIdentifier()) : nullptr;
}
GeContext *geOperatorNameGetContext(GeOperatorName op) {
  return op ? wrap(&unwrap(op)->context()) : nullptr;
}

// --- Locations

GeLocation geLocationUnknown(GeContext *context) {
  return context ? wrap(unwrap(context)->unknownLocation()) : nullptr;
}
GeStatus geLocationFile(GeContext *context, GeStringRef file, uint32_t line, uint32_t column,
                        GeLocation *out) {
  return guarded(
      [&] { result(out) = wrap(need(context).fileLocation(text(file, "file"), line, column)); });
}
GeStatus geLocationName(GeContext *context, GeStringRef name, GeLocation child, GeLocation *out) {
  return guarded([&] {
    Context &c = need(context);
    result(out) = wrap(c.nameLocation(text(name, "name"), nullOrIn(c, child, "child")));
  });
}
GeStatus geLocationFused(GeContext *context, const GeLocation *parts, size_t count,
                         GeLocation *out) {
  return guarded([&] {
    Context &c = need(context);
    needArray(parts, count, "parts");
    std::vector<const Location *> all;
    for (size_t i = 0; i < count; ++i)
      all.push_back(needIn(c, parts[i], "parts"));
    result(out) = wrap(c.fusedLocation(all));
  });
}
GeLocationKind geLocationGetKind(GeLocation location) {
  static_assert(int(Location::Kind::Fused) == GE_LOCATION_FUSED);
  return location ? static_cast<GeLocationKind>(unwrap(location)->kind()) : GE_LOCATION_UNKNOWN;
}
GeContext *geLocationGetContext(GeLocation location) {
  return location ? wrap(&unwrap(location)->context()) : nullptr;
}
GeStringRef geLocationGetText(GeLocation location) {
  switch (geLocationGetKind(location)) {
  case GE_LOCATION_FILE:
    return stringRef(unwrap(location)->file());
  case GE_LOCATION_NAME:
    return stringRef(unwrap(location)->name());
  case GE_LOCATION_UNKNOWN:
  case GE_LOCATION_FUSED:
    break;
  }
  return {"", 0};
}
uint32_t geLocationGetLine(GeLocation location) { return location ? unwrap(location)->line() : 0; }
uint32_t geLocationGetColumn(GeLocation location) {
  return location ? unwrap(location)->column() : 0;
}
size_t geLocationNumParts(GeLocation location) {
  return location ? unwrap(location)->parts().size() : 0;
}
GeStatus geLocationGetPart(GeLocation location, size_t index, GeLocation *out) {
  return guarded([&] {
    auto parts = need(location, "location")->parts();
    result(out) = wrap(parts[needIndex("part", index, parts.size())]);
  });
}
void geLocationPrint(GeLocation location, GeStringCallback callback, void *userData) {
  guarded([&] {
    std::string out;
    need(location, "location")->print(out);
    give(out, callback, userData);
  });
}
