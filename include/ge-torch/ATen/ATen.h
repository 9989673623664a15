//===- ATen/ATen.h - all of at:: that is here --------------------------------------------------===//
#ifndef GE_TORCH_ATEN_ATEN_H
#define GE_TORCH_ATEN_ATEN_H

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/List.h>
#include <c10/util/irange.h>
#include <c10/util/string_view.h>

#endif // GE_TORCH_ATEN_ATEN_H
