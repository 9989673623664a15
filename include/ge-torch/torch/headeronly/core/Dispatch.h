//===- torch/headeronly/core/Dispatch.h - code for each element type ---------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_CORE_DISPATCH_H
#define GE_TORCH_TORCH_HEADERONLY_CORE_DISPATCH_H

#include <ATen/Dispatch.h>

#define THO_DISPATCH_CASE(type, ...) AT_DISPATCH_CASE(type, __VA_ARGS__)
#define THO_DISPATCH_SWITCH(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, __VA_ARGS__)

#endif // GE_TORCH_TORCH_HEADERONLY_CORE_DISPATCH_H
