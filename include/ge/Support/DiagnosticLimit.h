//===- DiagnosticLimit.h - how many diagnostics one call reports ------------------------------===//
#ifndef GE_SUPPORT_DIAGNOSTICLIMIT_H
#define GE_SUPPORT_DIAGNOSTICLIMIT_H

#include "ge/Support/Error.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace ge {

/// Each node of a model may be invalid, and a diagnostic takes far more memory than a node: those
/// above a limit are only counted. One object counts one kind, for example errors but not warnings.
class DiagnosticLimit {
public:
  static constexpr size_t kMost = 10'000;

  /// Returns whether one more is listed. Called before its text is built.
  bool admits() {
    bool isListed = listed_ < kMost;
    ++(isListed ? listed_ : omitted_);
    return isListed;
  }
  bool hasOmitted() const { return omitted_ != 0; }

  /// Adds a last diagnostic with the number of those that are not listed, if there are any.
  void conclude(std::vector<Diagnostic> &diagnostics, Severity severity, std::string_view what) {
    if (!omitted_)
      return;
    Diagnostic last;
    last.severity = severity;
    last.message = cat(std::exchange(omitted_, 0), " more ", what, " are not listed");
    diagnostics.push_back(std::move(last));
  }

private:
  size_t listed_ = 0, omitted_ = 0;
};

} // namespace ge

#endif // GE_SUPPORT_DIAGNOSTICLIMIT_H
