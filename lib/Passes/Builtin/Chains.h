//===- Chains.h - the rules of merge-chains, by what they merge -------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_CHAINS_H
#define GE_LIB_PASSES_BUILTIN_CHAINS_H

#include "PassEditor.h"

namespace ge::builtin {

std::span<const RuleRow> arithmeticChainRules(); ///< Mul of Mul, Where of Not
std::span<const RuleRow> reductionChainRules();  ///< nodes before and after a reduction

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_CHAINS_H
