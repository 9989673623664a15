//===- ATen/Operators.h - what tutorials include; there are no operators of ATen ---------------===//
#ifndef GE_TORCH_ATEN_OPERATORS_H
#define GE_TORCH_ATEN_OPERATORS_H

#include <ATen/ATen.h>

#endif // GE_TORCH_ATEN_OPERATORS_H
