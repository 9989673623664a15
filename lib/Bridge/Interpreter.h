//===- Interpreter.h - which interpreter a native program gets ------------------------------------===//
#ifndef GE_BRIDGE_INTERPRETER_H
#define GE_BRIDGE_INTERPRETER_H

#include <string>

namespace gebridge {

/// An interpreter on this machine.
struct Installed {
  std::string program; ///< sys.executable of the interpreter: decides on the virtual environment
  std::string library; ///< file of its shared library
  std::string minor;   ///< "3.11"
};

/// The first that exists of `chosen` (the option, or $GE_PYTHON; nothing further is tried when it
/// is given), the active virtual environment, the environment that `directory` is the site-packages
/// of, and `python3` of $PATH. False: `why` tells each try.
bool findInstalled(const char *chosen, const std::string &directory, Installed &out,
                   std::string &why);

} // namespace gebridge

#endif // GE_BRIDGE_INTERPRETER_H
