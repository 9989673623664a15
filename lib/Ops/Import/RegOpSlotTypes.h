//===- RegOpSlotTypes.h - types of operands and results of REG_OP ------------------------------===//
#ifndef GE_LIB_OPS_IMPORT_REGOPSLOTTYPES_H
#define GE_LIB_OPS_IMPORT_REGOPSLOTTYPES_H

#include "RegOpReport.h"

#include "ge/IR/DType.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace ge::regop {

/// The second argument of INPUT, OUTPUT and DATATYPE.
struct SlotTypes {
  bool isAny = false;        ///< ALL
  bool isPerElement = false; ///< ListTensorType: the elements of a list may differ
  std::vector<DType> dtypes;
  std::vector<std::string_view> symbols; ///< of DATATYPE; several in Promote
  size_t offset = 0;
};

/// Reads the comma and all spellings: `DT_FLOAT`, `TensorType({DT_FLOAT, NumberType()})`,
/// `TensorType::ALL()`, "T", `ListTensorType("T")`, `Promote({"T1", "T2"})`. Ends before the comma
/// or bracket after the types.
SlotTypes readSlotTypes(RegOpCursor &cursor, RegOpReport &report);

/// The type symbols of one prototype, which its DATATYPE clauses declare.
class TypeSymbols {
public:
  void clear() { variables_.clear(); }
  /// Adds the variable of a DATATYPE clause. False if the symbol is declared already.
  bool declare(std::string_view symbol, const SlotTypes &types, OpSpec &spec);
  /// Gives the slot its type variable: that of its symbol, or one of its own for a list of types.
  /// Called after the last clause, since a symbol may be used before its DATATYPE.
  void resolve(Slot &slot, const SlotTypes &types, OpSpec &spec, RegOpReport &report) const;

private:
  struct Variable {
    size_t index;
    bool isPerElement;
  };
  std::unordered_map<std::string_view, Variable> variables_;
};

} // namespace ge::regop

#endif // GE_LIB_OPS_IMPORT_REGOPSLOTTYPES_H
