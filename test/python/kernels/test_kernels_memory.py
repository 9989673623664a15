"""Memory between Python and kernels in C: layouts that a kernel cannot read, endless nesting of values, and files
whose kernels outlive the library or plugin that registered them. Programs that might crash run in a child process."""

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import compile_library
from needs import CC

import ge.ir as ir
import ge.ops as ops
from ge.graph import DataType

pytestmark = CC

SOURCE = """
#include "ge-c/Kernels.h"
int copy(void *self, const GeAny *args, int32_t n, GeAny *result) {
  (void)self, (void)result;
  const DLTensor *x = args[0].t, *y = args[n - 1].t;
  for (int64_t i = 0; i < x->shape[0]; ++i)
    ((float *)y->data)[i * y->strides[0]] = ((float *)x->data)[i * x->strides[0]];
  return 0;
}
int add1(void *self, const GeAny *args, int32_t n, GeAny *result) {
  (void)self, (void)result, (void)n;
  for (int64_t i = 0; i < args[0].t->shape[0]; ++i)
    ((float *)args[0].t->data)[i * args[0].t->strides[0]] += 1;
  return 0;
}
int count(void *self, const GeAny *args, int32_t n, GeAny *result) {
  (void)self, (void)args;
  result->tag = GE_ANY_INT;
  result->i = n;
  return 0;
}
int kind(void *self, const GeAny *args, int32_t n, GeAny *result) {
  (void)self, (void)n;
  result->tag = GE_ANY_INT;
  result->i = args[0].t->dtype.code * 1000 + args[0].t->ndim * 100 + args[0].t->shape[0];
  return 0;
}
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("memory")
    (folder / "memory.c").write_text(SOURCE)
    return str(compile_library(folder / "memory.so", folder / "memory.c", link=False))


@pytest.fixture
def lib(shared: str) -> Iterator[Any]:
    with ops.Library("kmem") as made:
        for name, strided in (("compact", False), ("strided", True)):
            made.define(f"{name}(Tensor x) -> Tensor")
            made.infer(name)(lambda call: [call.operand_types[0]])
            made.impl(name, "cpu", symbol=(shared, "copy"), out=True, strided=strided)
            made.define(f"{name}_(Tensor(a!) x) -> ()")
            made.impl(f"{name}_", "cpu", symbol=(shared, "add1"), strided=strided)
        made.define("count(...) -> Any")
        made.impl("count", "any", symbol=(shared, "count"))
        yield made


WORDS = ("compact", "strided")


def structured() -> Any:
    made = np.zeros(3, dtype=[("a", "i1"), ("b", "f4")])
    made["b"] = [1, 2, 3]
    return made["b"]


def misaligned() -> Any:
    made = np.frombuffer(bytearray(13), "f4", 3, 1)
    made[:] = [1, 2, 3]
    return made


LAYOUTS = {
    "big-endian": lambda: np.array([1, 2, 3], ">f4"),
    "field": structured,
    "misaligned": misaligned,
    "reversed": lambda: np.array([3, 2, 1], "f4")[::-1],
}


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_kernel_in_c_reads_any_layout(lib: Any, word: str, layout: str) -> None:
    call = getattr(ops.call.kmem, word)
    for _ in range(3):  # the first call and the learned calls after it
        assert np.asarray(call(LAYOUTS[layout]())).tolist() == [1, 2, 3]
    assert np.asarray(call(np.array([4, 5], "f4"))).tolist() == [4, 5]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("layout", ["field", "misaligned", "reversed"])
def test_a_kernel_in_c_writes_any_layout(lib: Any, word: str, layout: str) -> None:
    array = LAYOUTS[layout]()
    for k in range(3):
        getattr(ops.call.kmem, f"{word}_")(array)
        assert array.tolist() == [2 + k, 3 + k, 4 + k]
    out = np.zeros((3, 2), "f4")[:, 0]
    assert getattr(ops.call.kmem, word)(array, out=out) is out
    assert out.tolist() == [4, 5, 6]


@pytest.mark.parametrize("word", WORDS)
def test_what_is_written_has_this_machines_byte_order(lib: Any, word: str) -> None:
    other = np.array([1, 2, 3], ">f4")
    with pytest.raises(ValueError, match=r"operand 'x' is written, and has the byte order"):
        getattr(ops.call.kmem, f"{word}_")(other)
    with pytest.raises(ValueError, match=r"out is written, and has the byte order"):
        getattr(ops.call.kmem, word)(np.ones(3, "f4"), out=other)
    assert other.tolist() == [1, 2, 3]


def test_lists_inside_one_another_have_a_limit(lib: Any) -> None:
    endless: list[Any] = []
    endless.append(endless)
    deep: list[Any] = []
    for _ in range(31):
        deep = [deep]
    assert ops.call.kmem.count(deep, 1) == 2
    for wrong in (endless, [deep]):
        with pytest.raises((ValueError, ops.KernelError), match="nested 32 deep at most"):
            ops.call.kmem.count(wrong)
    with pytest.raises(OverflowError, match="does not fit 64 bits"):
        ops.call.kmem.count(2**70)
    assert ops.call.kmem.count(-(2**63), 2**63 - 1) == 2


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


REGISTERS = """
#include "ge-c/Api.h"
#include <string.h>
static GeStringRef s(const char *t) { GeStringRef r = {t, strlen(t)}; return r; }
static int k(void *self, const GeAny *args, int32_t n, GeAny *result) {
  (void)self, (void)args, (void)n;
  result->tag = GE_ANY_INT;
  result->i = 42;
  return 0;
}
static int released;
static void release(void *self) { ++*(int *)self; }
static GeStatus registers(const GeApi *api, GeLibrary *library) {
  GeOpSpec *spec;
  GeStatus status = api->geOpSpecCreate(s("f() -> int"), s("k.c"), 1, &spec);
  if (status == GE_OK)
    status = api->geLibraryDefineSpec(library, spec, 0);
  if (status != GE_OK)
    return status;
  GeKernelSpec kernel = {0};
  kernel.size = sizeof kernel;
  kernel.op = s("f");
  kernel.backend = s("cpu");
  kernel.function = k;
  kernel.self = &released;
  kernel.release = release;
  return api->geLibraryImpl(library, &kernel, 0);
}
"""


def test_a_library_that_fails_releases_its_kernels_before_it_is_unmapped(tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text(
        REGISTERS
        + """
GeStatus ge_library_init(const GeApi *api, GeLibrary *library) {
  if (registers(api, library) == GE_OK)
    api->geErrorSet(GE_ERROR_VALUE, s("no licence"));
  return GE_ERROR_VALUE;
}
"""
    )
    path = compile_library(tmp_path / "libbad.so", tmp_path / "bad.c", link=False)
    code = f"""
import ge.ops as ops
try:
    ops.load_library({str(path)!r})
except ValueError as error:
    print(error)
print(ops.find("bad", "f"), {str(path)!r} in open("/proc/self/maps").read())
"""
    assert run(code).splitlines()[-2:] == [
        f"cannot load library '{path}': no licence",
        "None False",
    ]


def test_operators_of_a_plugin_outlive_it(tmp_path: Path) -> None:
    (tmp_path / "plug.c").write_text(
        REGISTERS
        + """
GeStatus gePluginInit(const GeApi *api, GePluginRegistrar *registrar) {
  (void)registrar;
  GeLibrary *library;
  GeStatus status =
      api->geLibraryOpen(api->geRegistryGlobal(), GE_LIBRARY_DEF, s("plg"), s("k.c"), 1, &library);
  return status == GE_OK ? registers(api, library) : status;
}
"""
    )
    path = compile_library(tmp_path / "plug.so", tmp_path / "plug.c", link=False)
    code = f"""
import ge.ops as ops, ge.passes as passes
passes.load_plugin({str(path)!r})
print(ops.function("plg::f")())
passes.unload_pass_plugins()
print(ops.function("plg::f")())
"""
    assert run(code).split() == ["42", "42"]


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_a_class_is_collected_when_its_library_is_closed(calls: int) -> None:
    def use() -> Any:
        with ops.Library("kcls") as library:

            @library.cls("P")
            class P(ops.Object):
                n: int

                def add(self, other: "P") -> int:
                    return self.n + other.n

            p = P(3)
            for _ in range(calls):
                assert p.add(p) == 6
            return weakref.ref(P)

    known = use()
    gc.collect()
    gc.collect()
    assert known() is None


def test_one_kernel_for_an_operator_of_cann_under_all_its_names() -> None:
    for first, second in (("nn", "ge"), ("ge", "nn")):
        with ops.Library(first, kind="IMPL") as one, ops.Library(second, kind="IMPL") as two:
            one.impl("Relu", "cpu", lambda x: x.numpy() + 1)
            with pytest.raises(ops.OpSchemaError, match="and was already at"):
                two.impl("Relu", "cpu", lambda x: x.numpy() + 2)
            two.impl("Relu", "cpu", lambda x: x.numpy() + 3, override=True)
            x = np.zeros(2, "f4")
            assert ops.call.ge.Relu(x).tolist() == ops.call.nn.Relu(x).tolist() == [3, 3]
            assert len(ops.get("nn::Relu").proto().kernels) == 1
            two.close()
            assert ops.call.ge.Relu(x).tolist() == [1, 1]


def test_a_tensor_whose_type_changes_is_read_again(lib: Any, shared: str) -> None:
    lib.define("kind(Tensor x) -> int")
    lib.impl("kind", "cpu", symbol=(shared, "kind"))
    tensor = ir.Tensor(np.zeros(6, "f4"))
    integers, floats = 0, 2000
    for _ in range(3):
        assert ops.call.kmem.kind(tensor) == floats + 106
    for data_type, code in ((DataType.DT_INT32, integers), (DataType.DT_FLOAT, floats)) * 2:
        tensor.set_data_type(data_type)
        for _ in range(3):
            assert ops.call.kmem.kind(tensor) == code + 106
