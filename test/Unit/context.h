//===- context.h - a context that lives as long as one test -------------------------------------===//

#ifndef GE_TEST_UNIT_CONTEXT_H
#define GE_TEST_UNIT_CONTEXT_H

#include "ge/IR/Context.h"

namespace ge {

/// A context of one test.
inline ContextPtr makeContext() {
  Context *context = Context::create();
  ContextPtr owner(context);
  context->release();
  return owner;
}

} // namespace ge

#endif // GE_TEST_UNIT_CONTEXT_H
