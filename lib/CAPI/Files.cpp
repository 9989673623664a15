//===- Files.cpp - ge-c/Files.h: files that are written whole or not at all -----------------------===//

#include "Guard.h"

#include "ge-c/Files.h"
#include "ge/Support/AtomicFile.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace ge;
using namespace ge::capi;

GeStatus geFileWrite(GeStringRef path, const void *data, size_t size,
                     const GeFileWriteOptions *options) {
  return guarded([&] {
    std::string place(text(path, "path"));
    needArray(static_cast<const char *>(data), size, "data");
    GeFileWriteOptions chosen = sizedOr(options, "GeFileWriteOptions");
    writeFileAtomically(place, {static_cast<const char *>(data), size},
                        {.isNew = chosen.isNew,
                         .allowPipe = chosen.allowPipe,
                         .temporaryBase = {},
                         .noLinks = chosen.noLinks});
  });
}
