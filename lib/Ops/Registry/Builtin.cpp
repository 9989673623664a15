//===- Builtin.cpp - the operators that ship with GE ------------------------------------------===//
#include "ge/Ops/Registry/BuiltinOps.h"

namespace ge {

void addBuiltinOps(Registry &registry) {
  for (const std::vector<BuiltinOps> &front : {onnxOps(), geOps()})
    for (const BuiltinOps &ops : front) {
      auto library = registry.open(LibraryKind::Def, ops.ns, {"GE", 0});
      library->provide(ops.provider);
      registry.keep(std::move(library));
    }
}

} // namespace ge
