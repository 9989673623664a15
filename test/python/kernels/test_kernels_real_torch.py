"""PyTorch itself: `export_torch`, kernels with `as_="torch"`, and libraries built with GE's torch headers beside it.

The package takes 5 GB with its libraries, so only the suite `torch` of `make test-long` installs it;
test_kernels_export.py uses a stand-in for its documented interface.
"""

import gc
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import INCLUDE, compile_library
from needs import CC
from places import SUPPORT

import ge.ir as ir
import ge.ops as ops

torch: Any = pytest.importorskip(
    "torch", reason="torch is not installed: the suite torch of make test-long installs it"
)

X = np.arange(6, dtype="f4").reshape(2, 3)
LOW = [torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kr") as library:
        library.define("scale(Tensor x, *, float k=2.0) -> Tensor")
        library.infer("scale")(lambda call: [call.operand_types[0]])
        library.impl("scale", "cpu", lambda x, *, k: (x * k).astype(x.dtype), as_="numpy")
        library.define("inc_(Tensor(a!) x) -> Tensor(a!)")

        @library.impl("inc_", "cpu", as_="numpy")
        def inc(x: Any) -> None:
            x += 1

        library.define("mul_out(Tensor x, Tensor y, *, Tensor(a!) out) -> Tensor(a!)")
        library.impl("mul_out", "cpu", lambda x, y, out: torch.mul(x, y, out=out), as_="torch")
        library.define("total(Tensor[] xs, float? factor=None) -> Tensor")

        @library.impl("total", "any", as_="torch")
        def total(xs: Any, factor: Any) -> Any:
            assert all(isinstance(x, torch.Tensor) for x in xs)
            return torch.stack(list(xs)).sum(0) * (1 if factor is None else factor)

        yield library


@pytest.fixture
def exported(lib: Any) -> Iterator[Any]:
    # A kernel that returns nothing: torch.mul returns its argument `out`.
    lib.impl("mul_out", "cpu", _multiply, as_="torch", override=True)
    with ops.export_torch("kr") as export:
        yield export


def _multiply(x: Any, y: Any, out: Any) -> None:
    torch.mul(x, y, out=out)


def test_calls_take_and_return_tensors_of_torch(lib: Any) -> None:
    x = torch.from_numpy(X.copy())
    assert torch.equal(ops.call.kr.scale(x, k=3), x * 3)
    assert torch.equal(ops.call.kr.scale(x.T), x.T * 2)
    assert torch.equal(ops.call.kr.scale(torch.tensor(2.0)), torch.tensor(4.0))
    assert ops.call.kr.scale(torch.empty(0, 3)).shape == (0, 3)
    assert torch.equal(ops.call.kr.total([x, x], 2.0), x * 4)
    before = x.clone()
    assert ops.call.kr.inc_(x) is x
    assert torch.equal(x, before + 1)


def test_the_memory_is_shared(lib: Any) -> None:
    seen: list[int] = []
    lib.define("look(Tensor x) -> int")
    lib.impl("look", "cpu", lambda x: seen.append(x.data_ptr()) or 0, as_="torch")
    x = torch.from_numpy(X.copy())
    ops.call.kr.look(x)
    lib.define("look_np(Tensor x) -> int")
    lib.impl("look_np", "cpu", lambda x: seen.append(x.ctypes.data) or 0, as_="numpy")
    ops.call.kr.look_np(x)
    assert seen == [x.data_ptr()] * 2
    # PyTorch has no read-only tensors, so an immutable operand is copied.
    constant = ir.Tensor(X)
    ops.call.kr.look(constant)
    assert seen[2] != constant.numpy().ctypes.data
    assert torch.equal(torch.from_dlpack(constant), torch.from_numpy(X))


@pytest.mark.parametrize("dtype", LOW, ids=str)
def test_element_types_that_dlpack_of_numpy_lacks(lib: Any, dtype: Any) -> None:
    x = torch.tensor([[1.0, 2.0], [4.0, 8.0]]).to(dtype)
    bits = torch.int16 if dtype.itemsize == 2 else torch.uint8
    made = ops.call.kr.scale(x, k=2)
    assert type(made) is torch.Tensor and made.dtype is dtype
    assert torch.equal(made.float(), x.float() * 2)
    assert ops.call.kr.inc_(x) is x
    assert x.float().tolist() == [[2, 3], [5, 9]] or dtype.itemsize == 1
    name = str(dtype).rpartition(".")[2]
    array = x.view(bits).numpy().view(ir.DType(name).numpy)
    seen = []
    lib.define("show(Tensor x) -> Tensor")
    lib.impl("show", "cpu", lambda x: seen.append(x.dtype) or x.clone(), as_="torch")
    given = ops.call.kr.show(array)
    assert seen == [dtype]
    assert given.dtype == array.dtype and given.tobytes() == array.tobytes()
    tensor = ir.Tensor(x)
    assert torch.equal(torch.from_dlpack(tensor).view(bits), x.view(bits))


def test_classes_that_derive_from_its_tensor(lib: Any) -> None:
    class Marked(torch.Tensor):
        pass

    x = torch.from_numpy(X.copy()).as_subclass(Marked)
    assert isinstance(ops.call.kr.scale(x), torch.Tensor)
    assert torch.equal(ops.call.kr.scale(x), torch.from_numpy(X) * 2)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda x: x.requires_grad_(), "require gradient"),
        (lambda x: x.to(torch.complex64).conj(), "conjugate"),
        (lambda x: x.to_sparse(), "layout"),
        (lambda x: x.to("meta"), "meta"),
    ],
)
def test_tensors_that_dlpack_refuses(lib: Any, make: Any, error: str) -> None:
    with pytest.raises((BufferError, ValueError, RuntimeError), match=error):
        ops.call.kr.scale(make(torch.ones(2, 2)))


def test_exported_operators(exported: Any) -> None:
    x = torch.from_numpy(X.copy())
    assert torch.equal(torch.ops.kr.scale(x, k=3.0), x * 3)
    assert torch.ops.kr.inc_(x) is x
    out = torch.empty(2, 3)
    assert torch.ops.kr.mul_out(x, x, out=out) is out
    assert torch.equal(out, x * x)
    assert torch.equal(torch.ops.kr.total([x, x], 0.5), x)
    assert str(torch.ops.kr.scale.default._schema) == "kr::scale(Tensor x, *, float k=2.) -> Tensor"
    with pytest.raises(RuntimeError, match="Expected a value of type 'float'"):
        torch.ops.kr.scale(x, k="3")
    for kind in ("scale", "total"):
        arguments = (x,) if kind == "scale" else ([x, x],)
        tests = ["test_schema", "test_autograd_registration"]
        tests += ["test_faketensor", "test_aot_dispatch_dynamic"] if kind == "scale" else []
        torch.library.opcheck(getattr(torch.ops.kr, kind).default, arguments, test_utils=tests)


def test_parameters_of_a_model(exported: Any) -> None:
    weight = torch.nn.Parameter(torch.from_numpy(X.copy()))
    with torch.no_grad():
        assert torch.equal(torch.ops.kr.scale(weight), weight * 2)
        assert torch.ops.kr.inc_(weight) is weight
    assert torch.equal(weight.detach(), torch.from_numpy(X) + 1)
    assert torch.equal(torch.ops.kr.total([weight, weight]).detach(), weight.detach() * 2)


class Model(torch.nn.Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return torch.ops.kr.scale(x, k=3.0) + 1


def test_models_are_exported_and_compiled(exported: Any) -> None:
    x = torch.from_numpy(X.copy())
    rows = torch.export.Dim("rows")
    program = torch.export.export(Model(), (x,), dynamic_shapes={"x": {0: rows}})
    assert "kr.scale" in str(program.graph)
    assert torch.equal(program.module()(torch.ones(7, 3)), torch.full((7, 3), 4.0))
    compiled = torch.compile(Model(), backend="aot_eager", fullgraph=True, dynamic=True)
    for shape in ((2, 3), (5, 3), (9, 4)):
        assert torch.equal(compiled(torch.ones(shape)), torch.full(shape, 4.0))


def test_inference_with_sizes_that_are_not_known(lib: Any) -> None:
    """A symbolic size is specialized (guarded) by torch if inference computes with it, and stays dynamic otherwise."""
    lib.define("double(Tensor x) -> Tensor")
    lib.impl("double", "cpu", lambda x: np.concatenate([x, x]), as_="numpy")

    @lib.infer("double")
    def double(call: Any) -> Any:
        (type_,) = call.operand_types
        rows = type_.shape[0]
        first = 2 * rows if isinstance(rows, int) else None
        return [ir.TensorType((first, *type_.shape[1:]), type_.dtype, context=call.context)]

    class Doubled(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return torch.ops.kr.double(x)

    with ops.export_torch("kr"):
        compiled = torch.compile(Doubled(), backend="aot_eager", fullgraph=True, dynamic=True)
        for rows in (2, 5):
            assert compiled(torch.ones(rows, 3)).shape == (2 * rows, 3)


def test_closing_unregisters(lib: Any) -> None:
    lib.impl("mul_out", "cpu", _multiply, as_="torch", override=True)
    for _ in range(2):
        export = ops.export_torch("kr")
        assert torch.ops.kr.scale(torch.ones(2)).tolist() == [2, 2]
        export.close()
        with pytest.raises(AttributeError):
            torch.ops.kr.scale(torch.ones(2))
    with torch.library._scoped_library("kr", "DEF") as taken:
        taken.define("own(Tensor x) -> Tensor")
        with pytest.raises(RuntimeError, match="Only a single TORCH_LIBRARY"):
            ops.export_torch("kr")


def test_graphs_run_on_its_tensors(lib: Any) -> None:
    graph = ir.Module("m").add_graph("main")
    x = graph.add_input("x", ir.TensorType([2, 3], "f32"))
    node = graph.add_node("kr.scale", [x], {"k": 3.0}, result_types=[x.type])
    graph.outputs.append(node.result)
    (made,) = graph.run({"x": torch.from_numpy(X)})
    assert np.array_equal(np.asarray(made), X * 3)


def torch_flags() -> tuple[str, ...]:
    """Return the compiler's flags for sources that use PyTorch's own headers and libraries."""
    from torch.utils import cpp_extension

    folders = [*cpp_extension.include_paths(), sysconfig.get_path("include")]
    libraries = cpp_extension.library_paths()
    return (
        "-std=c++20",
        "-Wno-all",
        "-Wno-extra",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}",
        *(f"-isystem{folder}" for folder in folders),
        *(f"-L{folder}" for folder in libraries),
        *(f"-Wl,-rpath,{folder}" for folder in libraries),
        *("-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10"),
    )


@CC
@pytest.mark.parametrize("name", ["members", "numbers"])
def test_members_of_torchs_headers(tmp_path: Path, name: str) -> None:
    """The same source, compiled with GE's headers and PyTorch's, prints the same; the text beside it is current."""
    source = SUPPORT / f"torch_{name}.cpp"
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    flags = ["-std=c++17", f"-I{INCLUDE / 'ge-torch'}", f"-I{INCLUDE}"]
    flags += [f"-I{sysconfig.get_path('include')}"]
    subprocess.run(["c++", *flags, str(source), "-o", str(ours)], check=True)
    subprocess.run(["c++", str(source), *torch_flags(), "-o", str(theirs)], check=True)

    def printed(program: Path, *count: str) -> list[str]:
        command = [str(program), *count]
        text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        return text.splitlines()

    assert printed(theirs) == source.with_suffix(".txt").read_text().splitlines()
    mine, its = printed(ours, "3000"), printed(theirs, "3000")
    assert [pair for pair in zip(mine, its, strict=True) if pair[0] != pair[1]] == []


@CC
def test_a_library_of_our_headers_beside_torch_and_the_same_source_with_its_own(
    tmp_path: Path,
) -> None:
    """PyTorch's tutorial computes the same when built with ge-torch for GE and with torch's own headers for torch."""
    source = SUPPORT / "torch_tutorial.cpp"
    python = sysconfig.get_path("include")
    ours = compile_library(
        tmp_path / "libours.so",
        source,
        flags=("-std=c++17", f"-I{INCLUDE / 'ge-torch'}", f"-I{python}"),
        link=False,
    )
    theirs = compile_library(tmp_path / "libtheirs.so", source, flags=torch_flags(), link=False)
    torch.ops.load_library(str(theirs))
    a, b = torch.from_numpy(X.copy()), torch.full((2, 3), 2.0)
    with ops.load_library(ours):
        assert torch.equal(ops.call.fused.muladd(a, b, 1.5), torch.ops.fused.muladd(a, b, 1.5))
        mine, its = torch.empty(2, 3), torch.empty(2, 3)
        ops.call.fused.add_out(a, b, mine)
        torch.ops.fused.add_out(a, b, its)
        assert torch.equal(mine, its)
        with pytest.raises(ops.KernelError, match=r"sizes\(\).* to be true"):
            ops.call.fused.muladd(a, b[:1], 1.0)
        with pytest.raises(RuntimeError, match=r"sizes\(\).* to be true"):
            torch.ops.fused.muladd(a, b[:1], 1.0)
    # Closing GE's library does not affect torch's registration.
    assert torch.ops.fused.muladd(a, b, 0.0).shape == (2, 3)


SOURCE = """
#include "ge-c/Kernels.h"
int ge_twice(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self; (void)numArgs; (void)result;
  const DLTensor *x = args[0].t, *out = args[1].t;
  int64_t count = 1;
  for (int i = 0; i < x->ndim; ++i)
    count *= x->shape[i];
  for (int64_t i = 0; i < count; ++i)
    ((float *)out->data)[i] = 2 * ((const float *)x->data)[i];
  return 0;
}
"""


@pytest.fixture(scope="module")
def kernel_in_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("twice")
    source = folder / "twice.c"
    source.write_text(SOURCE)
    return compile_library(folder / "libtwice.so", source, link=False)


@CC
@pytest.mark.parametrize("kernel", ["C", "torch"])
def test_calls_like_earlier_ones(lib: Any, kernel_in_c: Path, kernel: str) -> None:
    """Repeated calls are native, and still check properties that DLPack's C functions do not report."""
    lib.define("twice(Tensor x) -> Tensor")
    lib.infer("twice")(lambda call: [call.operand_types[0]])
    if kernel == "C":
        lib.impl("twice", "cpu", symbol=(kernel_in_c, "ge_twice"), out=True)
    else:
        lib.impl("twice", "cpu", lambda x: x * 2, as_="torch")
    twice = ops.call.kr.twice
    x = torch.arange(12.0).reshape(3, 4)
    for _ in range(3):
        made = twice(x)
        assert type(made) is torch.Tensor and torch.equal(made, x * 2)
        for view in (x.T, x[1:, ::2], x[:0], x[2], x.expand(2, 3, 4), torch.tensor(4.0)):
            assert torch.equal(twice(view), view * 2)
        negated = torch.complex(x, x).conj().imag
        assert negated.is_neg()
        if kernel == "C":
            with pytest.raises(BufferError, match="negative bit"):
                twice(negated)
            with pytest.raises(BufferError, match="require gradient"):
                twice(x.clone().requires_grad_())
        assert isinstance(twice(x.numpy()), np.ndarray)
        assert isinstance(twice(ir.Tensor(x)), ir.Tensor)
    if kernel == "C":
        out = torch.empty(3, 4)
        for _ in range(3):
            out.zero_()
            assert twice(x, out=out) is out
            assert torch.equal(out, x * 2)
            with pytest.raises(ValueError, match="out"):
                twice(x, out=torch.empty(3, 5))
            with pytest.raises(ValueError, match=r"out|overlap|memory"):
                twice(x, out=x)
    kept = [twice(torch.full((64,), float(i))) for i in range(200)]
    gc.collect()
    assert all(torch.equal(k, torch.full((64,), 2.0 * i)) for i, k in enumerate(kept))


def test_kinds_of_results(lib: Any) -> None:
    """A kernel may return another framework's array: the result is converted to the kind of the first operand."""
    lib.define("mixed(Tensor x, int kind) -> Tensor")

    @lib.impl("mixed", "cpu", as_="torch")
    def mixed(x: Any, kind: int) -> Any:
        return x + 1 if kind == 0 else (x + 1).numpy() if kind == 1 else (x + 1)[::2].contiguous()

    lib.define("made(int n) -> Tensor")
    lib.impl("made", "any", lambda n: torch.ones(n), as_="torch")
    lib.define("plain(Tensor x) -> Tensor")
    lib.impl("plain", "cpu", lambda x: torch.ones(2), as_="numpy")
    x = torch.from_numpy(X.copy())
    for _ in range(3):
        assert torch.equal(ops.call.kr.mixed(x, 0), x + 1)
        assert torch.equal(ops.call.kr.mixed(x, 1), x + 1)
        assert ops.call.kr.mixed(x, 2).shape == (1, 3)
        assert isinstance(ops.call.kr.mixed(X.copy(), 0), np.ndarray)
        assert isinstance(ops.call.kr.made(2), np.ndarray)
        assert isinstance(ops.call.kr.plain(X), np.ndarray)
        assert isinstance(ops.call.kr.plain(x), torch.Tensor)


def test_nothing_is_kept(exported: Any) -> None:
    x = torch.from_numpy(X.copy())
    torch.ops.kr.scale(x)
    gc.collect()
    count = sys.getrefcount(x)
    for _ in range(100):
        torch.ops.kr.scale(x)
        ops.call.kr.total([x, x])
        ops.call.kr.inc_(x)
    gc.collect()
    assert sys.getrefcount(x) == count


LAZY = {
    "requires_grad": (lambda: torch.ones(2, 3, requires_grad=True), "detach"),
    "a parameter": (lambda: torch.nn.Parameter(torch.ones(2, 3)), "detach"),
    "a node of a gradient": (lambda: torch.ones(2, 3, requires_grad=True) * 2, "detach"),
    "the negative bit": (lambda: torch._neg_view(torch.ones(2, 3)), "resolve_neg"),
    "the conjugate bit": (lambda: torch.ones(2, 3, dtype=torch.complex64).conj(), "resolve_conj"),
    "imag of a conjugate": (lambda: torch.ones(2, 3, dtype=torch.complex64).conj().imag, "resolve_neg"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAZY)
def test_every_importer_refuses_a_tensor_whose_memory_is_not_its_value(
    lib: Any, name: str, tmp_path: Path
) -> None:
    make, way = LAZY[name]
    dtype = ir.c64 if name == "the conjugate bit" else ir.f32
    graph = ir.Graph("g")
    graph.outputs = [graph.add_input("x", ir.TensorType([2, 3], dtype))]
    lib.define("fill(Tensor x, *, float factor=1.0) -> Tensor")
    lib.infer("fill")(lambda call: [call.operand_types[0]])
    out = torch.zeros(2, 3, dtype=torch.complex64 if dtype == ir.c64 else torch.float32)
    importers = [
        lambda x: ir.Tensor(x),
        lambda x: ir.Tensor(x, dtype=ir.f64),
        lambda x: ir.Tensor(x, copy=True),
        lambda x: ops.call.kr.scale(x),
        lambda x: ops.call.kr.scale(x, out=out),
        lambda x: ops.call.kr.inc_(x),
        lambda x: graph.run([x]),
        lambda x: graph.run({"x": x}),
        lambda x: graph.add_node("ge.Const", [], {"value": x}),
    ]
    for importer in importers:
        for _ in range(2):
            with pytest.raises(BufferError, match=f"(?i){way}|conjugate bit|gradient"):
                importer(make())
    ops.call.kr.scale(torch.ones(2, 3))  # and then again by the learned way
    for _ in range(3):
        with pytest.raises(BufferError):
            ops.call.kr.scale(make())


@pytest.mark.parametrize("dtype", LOW, ids=str)
def test_low_precision_tensors_of_every_layout_are_taken(lib: Any, dtype: Any) -> None:
    whole = torch.arange(12).reshape(3, 4).to(torch.float32)
    for plain in (whole, whole.T, whole[:, ::2], whole[:1].expand(3, 4), whole[0, 0], whole[:0]):
        x = plain.to(dtype) if plain.stride() != (0, 1) else whole[:1].to(dtype).expand(3, 4)
        expected = x.to(torch.float32).numpy()
        assert np.array_equal(ir.Tensor(x).numpy().astype("f4"), expected)
        for _ in range(3):
            made = ops.call.kr.scale(x, k=1.0)
            assert made.dtype == dtype
            assert np.array_equal(made.to(torch.float32).numpy(), expected)
        graph = ir.Graph("g")
        graph.outputs = [graph.add_input("x", ir.TensorType(list(x.shape), ir.Tensor(x).dtype))]
        made = graph.run([x])[0]
        assert made.dtype == dtype
        assert np.array_equal(made.to(torch.float32).numpy(), expected)


def test_a_kernel_of_torch_gets_tensors_that_require_gradients(lib: Any) -> None:
    lib.define("twice(Tensor x) -> Tensor")
    lib.infer("twice")(lambda call: [call.operand_types[0]])
    lib.impl("twice", "cpu", lambda x: x * 2, as_="torch")
    x = torch.ones(2, 3, requires_grad=True)
    for _ in range(3):
        made = ops.call.kr.twice(x)
        assert made.requires_grad


@pytest.mark.parametrize("name", LAZY)
def test_a_result_whose_memory_is_not_its_value_is_an_error_of_the_kernel(
    lib: Any, name: str
) -> None:
    make, way = LAZY[name]
    lib.define("lazy(Tensor x) -> Tensor")
    lib.impl("lazy", "cpu", lambda x: make(), as_="torch")
    for _ in range(3):
        with pytest.raises(
            ops.KernelError, match=rf"kr::lazy: .*result 0 .*{way}|gradient|conjugate"
        ):
            ops.call.kr.lazy(X)
        assert ops.call.kr.lazy(torch.ones(2, 3)).shape == (2, 3)  # of PyTorch for PyTorch
