"""CosineOp of seed 004, defined in Python, C and C++: each definition gives the same record, and runs.

Seed 001's examples are in test_kernels_python.py, the mechanisms of seed 003 in test_kernels_ffi.py.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import compile_library
from needs import CC

import ge.ir as ir
import ge.ops as ops

pytestmark = CC

# --- Seed 004: CosineOp

COSINE_CPP = r"""
#include "ge/library.h"
#include <cmath>

struct CosineOp {
  explicit CosineOp(const ge::Attributes &attributes) : scale(attributes.get<float>("scale")) {}
  void operator()(ge::TensorView input, ge::Out output) const {
    for (int64_t i = 0; i < input.numel(); ++i)
      output.data<float>()[i] = scale * std::cos(input.data<float>()[i]);
  }
  float scale;
};
struct CosineOpProtoMaker : ge::OpProtoMaker {
  explicit CosineOpProtoMaker(ge::OpProto *proto) : OpProtoMaker(proto) {
    AddInput("input", "input of cosine op");
    AddOutput("output", "output of cosine op");
    AddAttr<float>("scale", "scale of cosine op").Default(1.0).GreaterThan(0.0);
    AddType("cos");
    AddComment("This is cos op");
  }
};
REGISTER_OP_IN("seed", CosineOp, CosineOpProtoMaker, cos)
GE_LIBRARY_FRAGMENT(seed, m) { m.infer("cos", ge::sameAs(0)); }
"""

COSINE_C = r"""
#include "ge-c/Api.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static int cosine(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  int64_t n = 1;
  for (int32_t i = 0; i < args[0].t->ndim; ++i) n *= args[0].t->shape[i];
  for (int64_t i = 0; i < n; ++i)
    ((float *)args[2].t->data)[i] = (float)args[1].f * cosf(((const float *)args[0].t->data)[i]);
  return 0;
}
static GeStatus same(void *self, const GeOpCall *call, GeType *results, bool *known) {
  (void)self;
  results[0] = call->operandTypes[0];
  *known = true;
  return GE_OK;
}
static GeStringRef S(const char *text) { GeStringRef made = {text, strlen(text)}; return made; }
static GeStatus describe(const GeApi *api, GeOpSpec *spec, bool isResult, size_t index, const char *doc) {
  GeSlotExtra extra;
  memset(&extra, 0, sizeof extra);
  extra.size = sizeof extra;
  extra.doc = S(doc);
  extra.homogeneous = true;
  extra.typeVar = -1;
  return api->geOpSpecSetSlot(spec, isResult, index, &extra);
}
__attribute__((visibility("default"))) GeStatus ge_library_init(const GeApi *api, GeLibrary *library) {
  GeOpSpec *spec = NULL;
  GeStatus status = api->geOpSpecCreate(S("cos(Tensor input, *, float scale=1.0) -> (Tensor output)"), S("cos.c"), 1, &spec);
  if (status == GE_OK) status = api->geOpSpecSetDoc(spec, S("This is cos op"));
  if (status == GE_OK) status = describe(api, spec, false, 0, "input of cosine op");
  if (status == GE_OK) status = describe(api, spec, false, 1, "scale of cosine op");
  if (status == GE_OK) status = describe(api, spec, true, 0, "output of cosine op");
  if (status == GE_OK) status = api->geOpSpecSetRange(spec, 1, 0.0, INFINITY, true, false);
  if (status != GE_OK) return status;
  status = api->geLibraryDefineSpec(library, spec, NULL);
  GeInferrer inferrer = {sizeof inferrer, {"cos", 3}, NULL, same, NULL};
  if (status == GE_OK) status = api->geLibraryInfer(library, S("cos"), &inferrer);
  GeKernelSpec kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.size = sizeof kernel;
  kernel.op = S("cos");
  kernel.backend = S("any");
  kernel.function = cosine;
  kernel.flags = GE_KERNEL_OUT;
  kernel.file = S("cos.c");
  kernel.line = 1;
  return status == GE_OK ? api->geLibraryImpl(library, &kernel, NULL) : status;
}
"""


def cosine_in_python() -> ops.Library:
    library = ops.Library("seed")
    library.define(
        "cos(Tensor input, *, float scale=1.0) -> (Tensor output)",
        doc="This is cos op",
        docs={
            "input": "input of cosine op",
            "scale": "scale of cosine op",
            "output": "output of cosine op",
        },
        ranges={"scale": ops.Range(above=0.0)},
        infer=lambda call: [call.operand_types[0]],
    )

    @library.impl("cos", "any", as_="numpy")
    def cos(input: Any, *, scale: float) -> Any:
        return np.float32(scale) * np.cos(input)

    return library


def cosine_in(language: str, folder: Path) -> ops.Library:
    if language == "Python":
        return cosine_in_python()
    source = folder / f"cos.{'c' if language == 'C' else 'cpp'}"
    source.write_text(COSINE_C if language == "C" else COSINE_CPP)
    return ops.load_library(
        compile_library(folder / f"lib{language}.so", source, link=False), "seed"
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", ["Python", "C", "Cpp"])
def test_seed_004_cosine_op_runs_and_its_proto_is_the_same(language: str, tmp_path: Path) -> None:
    with cosine_in_python():
        expected = ops.get("seed::cos").proto()
    x = np.array([[0.0, math.pi]], "f4")
    library = cosine_in(language, tmp_path)
    try:
        proto = ops.get("seed::cos").proto()
        assert (proto.name, proto.comment) == ("seed::cos", "This is cos op")
        assert [k.backend for k in proto.kernels] == ["any"]
        for part in ("comment", "since", "inputs", "outputs", "attributes", "traits", "schema"):
            assert getattr(proto, part) == getattr(expected, part), part
        np.testing.assert_allclose(ops.call.seed.cos(x, scale=2.0), 2 * np.cos(x), rtol=1e-6)
        np.testing.assert_allclose(ops.call.seed.cos(x), np.cos(x), rtol=1e-6)
        with pytest.raises(
            ops.BindError, match=r"argument 'scale' expects float above 0.0, got float 0.0"
        ):
            ops.call.seed.cos(x, scale=0.0)
        graph = ir.Module("m").add_graph("main")
        made = graph.add_node(
            "seed.cos",
            [graph.add_input("x", ir.TensorType([1, 2], ir.DType("f32")))],
            {"scale": 3.0},
        )
        graph.infer_types()
        graph.outputs = [made.result]
        np.testing.assert_allclose(graph.run([x])[0], 3 * np.cos(x), rtol=1e-6)
    finally:
        library.close()
