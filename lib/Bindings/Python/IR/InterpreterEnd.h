//===- InterpreterEnd.h - the end of the interpreter, also before the end of the process -------===//
#ifndef GE_BINDINGS_PYTHON_IR_INTERPRETEREND_H
#define GE_BINDINGS_PYTHON_IR_INTERPRETEREND_H

namespace ge::python {

/// Observes the end of this interpreter: from then on isPythonGone() is true, also if the program
/// that embeds it initialises a second one, in which the objects that we hold are not valid. Throws
/// an ImportError if one has ended already.
void observeInterpreterEnd();

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_INTERPRETEREND_H
