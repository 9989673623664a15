//===- Shared.cpp - what _ge.ir lends to the other modules of the package ---------------------===//
#include "Shared.h"

#include "AttributeClasses.h"
#include "Errors.h"
#include "NodeObject.h"
#include "PopulateIR.h"
#include "Scope.h"

namespace ge::python {

namespace {

/// Leaves the scope open; the caller closes it.
bool tracedPush(GeContext *context) { return TracedEdit::begin(context); }

const Shared &sharedTable() {
  static const Shared shared{
      .size = sizeof(Shared),
      .payloadOffset = payloadOffset,
      .classes = &classes,
      .raise = raise,
      .exceptionOf = exceptionOf,
      .raiseType = raiseType,
      .otherPackage = otherPackage,
      .keepException = keepException,
      .hasKeptException = hasKeptException,
      .translateException = translateException,
      .newDiagnostic = [](const GeDiagnostic &d) { return newDiagnostic(d).release().ptr(); },
      .stateOf = [](GeContext *c) -> ContextState & { return ContextState::of(c); },
      .identifier = [](ContextState &s, PyObject *text,
                       const char *what) { return s.identifier(text, what); },
      .operatorName = [](ContextState &s, PyObject *text) { return s.operatorName(text); },
      .newIdentifier = [](GeIdentifier i) { return newText(i); },
      .toDType = toDType,
      .toAttribute = toAttribute,
      .buildAttribute = buildAttribute,
      .newAttribute = newAttribute,
      .toTensor = toTensor,
      .isArrayLike = isArrayLike,
      .attributeStartsWith = attributeStartsWith,
      .isType = isType,
      .wrapType = wrapType,
      .wrapDType = wrapDType,
      .wrapTensor = wrapTensor,
      .wrapModule = wrapModule,
      .resolveInsertionPoint = resolveInsertionPoint,
      .resolveLocation = resolveLocation,
      .currentContext = currentContext,
      .guardThread = guardThread,
      .parkThread = parkThread,
      .isPythonGone = isPythonGone,
      .tracing = &TracedEdit::tracing,
      .tracedPush = tracedPush,
      .setValueOperators = [](ValueOperatorFunction f) { valueOperators = f; },
      .numpy = Numpy::get,
      .inferrersVersion = &inferrersVersion,
  };
  return shared;
}

} // namespace

void populateShared(nb::module_ &m) {
  m.attr("_shared") = nb::capsule(&sharedTable(), kSharedCapsule);
}

} // namespace ge::python
