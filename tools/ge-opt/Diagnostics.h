//===- Diagnostics.h - messages, shown or compared with what a test expects -----------------------===//
#ifndef GE_TOOLS_GEOPT_DIAGNOSTICS_H
#define GE_TOOLS_GEOPT_DIAGNOSTICS_H

#include "ge-c/Support.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geopt {

/// A part of the input. Diagnostics count lines in the part, people in the file.
struct Piece {
  std::string_view text;
  uint32_t firstLine = 0; ///< lines of the file before it
};

/// A copy: the C API keeps a diagnostic until the next failing call only.
struct Diagnostic {
  GeSeverity severity;
  std::string file;
  uint32_t line;
  uint32_t column;
  std::string message;
  std::string sourceLine;
  std::vector<Diagnostic> notes;
};

/// A copy; lines counted in the file `file`.
Diagnostic copy(const GeDiagnostic &from, const Piece &piece, const std::string &file);
/// The diagnostics of the thread's last failing call, lines counted in the file `file`.
std::vector<Diagnostic> lastDiagnostics(const Piece &piece, const std::string &file);
void show(const Diagnostic &diagnostic);

/// Compares with the `// expected-...` comments of the piece. Prints the differences; returns true
/// if there are none.
bool asExpected(const Piece &piece, const std::string &file,
                const std::vector<Diagnostic> &diagnostics);

} // namespace geopt

#endif // GE_TOOLS_GEOPT_DIAGNOSTICS_H
