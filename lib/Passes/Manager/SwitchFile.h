//===- SwitchFile.h - the fusion switch file --------------------------------------------------===//
#ifndef GE_LIB_PASSES_MANAGER_SWITCHFILE_H
#define GE_LIB_PASSES_MANAGER_SWITCHFILE_H

#include <map>
#include <string>
#include <string_view>

namespace ge {

/// The settings of Switch.GraphFusion in a JSON text, by pass name or "ALL". Values that are not
/// strings are returned as their JSON text, which switches the pass off. Throws Error(Value) with
/// line and column.
std::map<std::string, std::string, std::less<>> parseSwitchFile(std::string_view text);

} // namespace ge

#endif // GE_LIB_PASSES_MANAGER_SWITCHFILE_H
