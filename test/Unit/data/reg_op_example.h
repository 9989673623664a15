// Prototypes in GE's notation with everything that readRegOps understands; read by
// test/Unit/reg_op_test.cpp, never compiled.
#ifndef REG_OP_EXAMPLE_H
#define REG_OP_EXAMPLE_H
#include "graph/operator_reg.h"

#define UNUSED_MACRO(x) \
  REG_OP(NotAPrototype) x

namespace ge {
/**
* @brief Scales a tensor and adds a bias . \n

* @par Inputs:
* Three inputs, including:
* @li x: The tensor to scale.
* Any shape.
* @li scale: One factor for each channel . \n
* @li bias: What is added. Absent: nothing.

* @par Attributes:
* @li axis: The dimension of the channels. Defaults to 1.
* @li mode: "exact" or "fast". \n

* @par Outputs:
* y: Has the type and shape of "x" . \n

* @attention Constraints:
* "scale" has one dimension.
*/
REG_OP(ScaleBias)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .INPUT(scale, TensorType({DT_FLOAT, \
                              DT_FLOAT16}))
    .OPTIONAL_INPUT(bias, TensorType::FLOAT())
    .OUTPUT(y, TensorType({DT_FLOAT, DT_FLOAT16}))
    .ATTR(axis, Int, 1)
    .ATTR(mode, String, "exact")
    .ATTR(epsilon, Float, 1e-5f)
    .OP_END_FACTORY_REG(ScaleBias)

// Every type of an attribute.
REG_OP(AllAttributes)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({IndexNumberType(), DT_BOOL}))
    .REQUIRED_ATTR(size, ListInt)
    .ATTR(low, Int, -2147483648)
    .ATTR(high, Int, INT64_MAX)
    .ATTR(hex, Int, 0xFFu)
    .ATTR(dtype, Int, ge::DT_INT64)
    .ATTR(type, Type, DT_BF16)
    .ATTR(flag, Bool, true)
    .ATTR(text, String, "a \"quoted\" word")
    .ATTR(ints, ListInt, {1, -1, 0,})
    .ATTR(floats, ListFloat, {0.5f, 1.})
    .ATTR(bools, ListBool, {true, false})
    .ATTR(strings, ListString, {"a", "b"})
    .ATTR(table, ListListInt, {{1, 2}, {}})
    .ATTR(types, ListType, {})
    .ATTR(value, Tensor, Tensor())
    .ATTR(function, NamedAttrs, NamedAttrs())
    .OP_END_FACTORY_REG(AllAttributes)

/**
* @brief Runs one of the subgraphs.
* @par Graphs:
* @li branches: What is run.
* @par Restrictions:
* Warning: THIS FUNCTION IS DEPRECATED. Please use If instead.
*/
REG_OP(Choose)
    .INPUT(index, DT_INT32)
    .DYNAMIC_INPUT(input, TensorType::ALL())
    .DYNAMIC_OUTPUT(output, TensorType::ALL())
    .GRAPH(prologue)
    .DYNAMIC_GRAPH(branches)
    .OP_END_FACTORY_REG(Choose);

/// The output is the input, written to.
REG_OP(AssignTo)
    .INPUT(ref, TensorType{DT_FLOAT32})
    .OPTIONAL_INPUT(mask, TensorType(DT_BOOL, DT_UINT8))
    .INPUT(value, TensorType::BasicType())
    .OUTPUT(ref, TensorType{DT_FLOAT32})
    .OP_END_FACTORY_REG(AssignTo)

REG_OP(Promoted)
    .INPUT(x1, "T1")
    .INPUT(x2, "T2")
    .DYNAMIC_INPUT(rest, "L")
    .OUTPUT(y, "P")
    .DATATYPE(T1, TensorType::NumberType())
    .DATATYPE(T2, TensorType::NumberType())
    .DATATYPE(L, ListTensorType(TensorType::RealNumberType()))
    .DATATYPE(P, Promote({"T1", "T2"}))
    .OP_END_FACTORY_REG(Promoted)
} // namespace ge
#endif
