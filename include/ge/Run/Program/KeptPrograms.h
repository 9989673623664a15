//===- KeptPrograms.h - programs that are kept with their graphs --------------------------------===//
#ifndef GE_RUN_PROGRAM_KEPTPROGRAMS_H
#define GE_RUN_PROGRAM_KEPTPROGRAMS_H

#include "ge/Run/Program/Program.h"

namespace ge {

/// The program of a root graph with the functions of its module; as programOf(). It is kept with
/// the graph, and is the one of the last call unless something that it was made from has changed:
/// the graphs of the module, their operator sets, registered operators, kernels or inferrers, the
/// region runner. All kept programs together hold at most 1 GiB of constants and 64 programs; those
/// that ran longest ago are dropped first. The caller has read access to the graphs.
PinnedProgram keptProgramOf(const Graph &graph, uint32_t opset);
/// Drops all kept programs, and with them the regions that a runner compiled for them.
void dropKeptPrograms();

} // namespace ge

#endif // GE_RUN_PROGRAM_KEPTPROGRAMS_H
