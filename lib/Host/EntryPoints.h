//===- EntryPoints.h - whether installed packages bring passes in Python --------------------------===//
#ifndef GE_LIB_HOST_ENTRYPOINTS_H
#define GE_LIB_HOST_ENTRYPOINTS_H

namespace ge::host {

/// Whether a package of the environment whose interpreter would be started has entry points for
/// passes: looked up in the files of installed packages, without starting Python, which takes a
/// thousand times longer. `python`: the option, or null. Never with GE_NO_PLUGINS=1.
bool hasPassEntryPoints(const char *python);

} // namespace ge::host

#endif // GE_LIB_HOST_ENTRYPOINTS_H
