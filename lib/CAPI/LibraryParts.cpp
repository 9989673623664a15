//===- LibraryParts.cpp - ge-c/Kernels.h: what is removed when a library is closed -----------===//
#include "Ops.h"

#include "ge-c/Kernels.h"
#include "ge/Support/Reserve.h"

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
    std::string qualified = name.find("::") == std::string_view::npos
                                ? cat(library->library->ns(), "::", name)
                                : std::string(name);
    reserveMore(library->inferrers, 1);
    library->inferrers.push_back(addInferrer(given, std::move(qualified)));
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
    reserveMore(parent->children, 1);
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
