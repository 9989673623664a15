//===- LibraryParts.cpp - ge-c/Kernels.h: what goes with a library when it is closed ----------===//
#include "Ops.h"

#include "ge-c/Kernels.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace ge;
using namespace ge::capi;

void GeLibrary::closeParts() noexcept {
  while (!inferrers.empty()) {
    geOpsRemoveInferrer(inferrers.back());
    inferrers.pop_back();
  }
  for (auto child = children.rbegin(); child != children.rend(); ++child)
    static_cast<void>(geLibraryClose(*child));
}

GeLibrary::~GeLibrary() {
  closeParts();
  while (!children.empty()) {
    geLibraryRelease(children.back());
    children.pop_back();
  }
}

namespace {

/// An inferrer that answers for one operator.
struct OpInferrer {
  GeInferrer inferrer;
  std::string ns, name, overload;

  static GeStatus infer(void *userData, const GeOpCall *call, GeType *results, bool *known) {
    auto *self = static_cast<OpInferrer *>(userData);
    GeOpInfo info{};
    *known = false;
    if (!call->op || geOpDefGetInfo(call->op, &info) != GE_OK || text(info.ns, "ns") != self->ns ||
        text(info.name, "name") != self->name || text(info.overload, "overload") != self->overload)
      return GE_OK;
    *known = true;
    return self->inferrer.infer(self->inferrer.userData, call, results, known);
  }
  static void release(void *userData) {
    auto *self = static_cast<OpInferrer *>(userData);
    if (self->inferrer.release)
      self->inferrer.release(self->inferrer.userData);
    delete self;
  }
};

} // namespace

GeStatus geLibraryInfer(GeLibrary *library, GeStringRef op, const GeInferrer *inferrer) {
  return guarded([&] {
    if (!library)
      throwNull("library");
    GeInferrer given = sized(inferrer, "GeInferrer");
    if (!given.infer)
      throwNull("inferrer->infer");
    if (library->library->isClosed())
      throwError(ErrorKind::OpSchema, "library ", library->library->ns(), " is closed");
    std::string_view name = text(op, "op");
    auto own = std::make_unique<OpInferrer>();
    own->inferrer = given;
    own->ns = library->library->ns();
    if (size_t colons = name.find("::"); colons != std::string_view::npos) {
      own->ns = name.substr(0, colons);
      name.remove_prefix(colons + 2);
    }
    own->name = name.substr(0, name.find('.'));
    if (size_t dot = name.find('.'); dot != std::string_view::npos)
      own->overload = name.substr(dot + 1);
    GeInferrer table{};
    table.size = sizeof table;
    table.name = given.name;
    table.userData = own.get();
    table.infer = OpInferrer::infer;
    table.release = OpInferrer::release;
    library->inferrers.reserve(library->inferrers.size() + 1);
    uint64_t token = 0;
    if (GeStatus status = geOpsAddInferrer(&table, &token))
      throwError(ErrorKind(numberOf(status)), text(geErrorMessage(), "message"));
    static_cast<void>(own.release());
    library->inferrers.push_back(token);
  });
}

GeStatus geLibraryOpenChild(GeLibrary *parent, GeLibraryKind kind, GeStringRef ns, GeStringRef file,
                            uint32_t line, GeLibrary **out) {
  return guarded([&] {
    GeLibrary *&made = result(out);
    if (!parent)
      throwNull("parent");
    if (parent->library->isClosed())
      throwError(ErrorKind::OpSchema, "library ", parent->library->ns(), " is closed");
    parent->children.reserve(parent->children.size() + 1);
    GeLibrary *child = nullptr;
    if (GeStatus status = geLibraryOpen(parent->registry, kind, ns, file, line, &child))
      throwError(ErrorKind(numberOf(status)), text(geErrorMessage(), "message"));
    parent->children.push_back(child);
    made = child;
  });
}

size_t geLibraryNumChildren(GeLibrary *library) { return library ? library->children.size() : 0; }

GeStatus geLibraryGetChild(GeLibrary *library, size_t index, GeLibrary **out) {
  return guarded([&] {
    GeLibrary *&found = result(out);
    if (!library)
      throwNull("library");
    found = library->children[needIndex("child", index, library->children.size())];
  });
}

GeStatus geLibraryAddRemark(GeLibrary *library, GeStringRef remark) {
  return guarded([&] {
    if (!library)
      throwNull("library");
    library->remarks.emplace_back(text(remark, "text"));
  });
}

GeStatus geLibraryGetRemarks(GeLibrary *library, GeStringCallback callback, void *userData) {
  return guarded([&] {
    if (!library)
      throwNull("library");
    if (!callback)
      throwNull("callback");
    for (const std::string &remark : library->remarks)
      give(remark, callback, userData);
    for (GeLibrary *child : library->children)
      static_cast<void>(geLibraryGetRemarks(child, callback, userData));
  });
}
