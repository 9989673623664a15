"""Arrays on a device reach its kernels: in C compact, whatever their layout, or the call is an error; never as if they were compact.

The arrays say that they are on a GPU or an NPU; their memory is the host's.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreign_arrays import Array, Bare, Contiguous, Standard
from needs import CC
from places import SUPPORT

import ge.ops as ops

ROOT = Path(__file__).resolve().parents[3]
X = np.arange(12, dtype=np.float32).reshape(3, 4)
DEVICES = [((2, 0), "cuda"), ((12, 3), "npu"), ((13, 0), "cuda")]
LAYOUTS = {
    "compact": X,
    "transposed": X.T,
    "sliced": X[:, ::2],
    "reversed": X[::-1],
    "broadcast": np.broadcast_to(X[:1], (3, 4)),
}
device = pytest.mark.parametrize(("device", "backend"), DEVICES)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernels") / "kernels.so"
    command = ["cc", "-std=c11", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
    subprocess.run([*command, "-o", str(made), str(SUPPORT / "kernels.c")], check=True)
    return made


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("dev") as opened:
        opened.define("scale(Tensor x, *, float factor=1.0) -> Tensor", traits=["pure"])
        opened.infer("scale")(lambda call: [call.operand_types[0]])
        opened.define("neg(Tensor x) -> Tensor", traits=["pure"])
        opened.infer("neg")(lambda call: [call.operand_types[0]])
        yield opened


@CC
@device
@pytest.mark.parametrize("kind", [Contiguous, Standard])
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_kernel_in_c_gets_compact_copies(
    lib: Any, shared: Path, device: Any, backend: str, kind: Any, name: str
) -> None:
    lib.impl("scale", backend, symbol=(shared, "scale"), out=True)
    memory = LAYOUTS[name]
    for y in (np.zeros(memory.shape, "f4"), np.zeros(memory.shape[::-1], "f4").T):
        out = kind(y, device)
        assert ops.call.dev.scale(kind(memory, device), factor=2.0, out=out) is out
        assert np.array_equal(y, memory * 2)


@CC
@device
@pytest.mark.parametrize("name", LAYOUTS)
def test_without_a_way_to_a_compact_copy_the_call_is_an_error(
    lib: Any, shared: Path, device: Any, backend: str, name: str
) -> None:
    lib.impl("scale", backend, symbol=(shared, "scale"), out=True)
    memory = LAYOUTS[name]
    y = np.zeros(memory.shape, "f4")
    if name == "compact":
        ops.call.dev.scale(Array(memory, device), factor=2.0, out=Array(y, device))
        assert np.array_equal(y, memory * 2)
        y = np.zeros(memory.shape[::-1], "f4").T
        words = r"dev::scale\(\): out is not compact"
    else:
        words = r"dev::scale\(\): operand 'x' is not compact"
    before = y.copy()
    with pytest.raises(ValueError, match=words):
        ops.call.dev.scale(Array(memory, device), factor=2.0, out=Array(y, device))
    assert np.array_equal(y, before)


@CC
def test_a_copy_that_is_not_compact_either_is_an_error(lib: Any, shared: Path) -> None:
    class Keeps(Contiguous):
        def contiguous(self) -> Any:
            return Keeps(np.array(self.memory, order="K"), self.device)

    lib.impl("scale", "cuda", symbol=(shared, "scale"), out=True)
    y = np.zeros((4, 3), "f4")
    with pytest.raises(ValueError, match="operand 'x' is not compact"):
        ops.call.dev.scale(Keeps(X.T, (2, 0)), out=Keeps(y, (2, 0)))


@CC
@device
def test_a_strided_kernel_gets_the_callers_memory(
    lib: Any, shared: Path, device: Any, backend: str
) -> None:
    lib.define("corner(Tensor x) -> float")
    lib.impl("corner", backend, symbol=(shared, "corner"), strided=True)
    for memory in LAYOUTS.values():
        assert isinstance(ops.call.dev.corner(Array(memory, device)), float)


@CC
@device
def test_a_written_operand_that_is_not_compact_is_written_back(
    lib: Any, shared: Path, device: Any, backend: str
) -> None:
    lib.define("add_(Tensor(a!) x, int k) -> Tensor(a!)")
    lib.impl("add_", backend, symbol=(shared, "addInPlace"))
    memory = X.copy()
    array = Contiguous(memory.T, device)
    assert ops.call.dev.add_(array, 1) is array
    assert np.array_equal(memory, X + 1)
    with pytest.raises(ValueError, match="operand 'x' is not compact"):
        ops.call.dev.add_(Bare(memory.T, device), 1)


@device
def test_out_of_a_kernel_that_returns_its_result(lib: Any, device: Any, backend: str) -> None:
    lib.impl("neg", backend, lambda v: Array(-v.memory, v.device))
    y = np.zeros_like(X)
    out = Array(y, device)
    assert ops.call.dev.neg(Array(X, device), out=out) is out
    assert np.array_equal(y, -X)
    with pytest.raises(TypeError, match=r"dev::neg\(\): result 0 cannot be copied into out: Bare"):
        ops.call.dev.neg(Array(X, device), out=Bare(y, device))


@device
def test_arrays_with_dlpack_alone_reach_their_kernel(lib: Any, device: Any, backend: str) -> None:
    lib.define("where(Tensor x) -> str")
    lib.impl("where", backend, lambda v: f"{v.device} {v.memory.shape}")
    assert ops.call.dev.where(Bare(X.T, device)) == f"{device} (4, 3)"
    lib.impl("scale", "cpu", lambda x, *, factor: x)
    with pytest.raises(NotImplementedError, match=rf"dev::scale has no kernel for {backend}"):
        ops.call.dev.scale(Bare(X, device))


def test_pinned_memory_is_the_cpus(lib: Any) -> None:
    lib.impl("neg", "cpu", lambda v: -v, as_="numpy")
    for device in ((3, 0), (11, 0)):
        assert np.array_equal(ops.call.dev.neg(Bare(X, device)), -X)
    with pytest.raises(ValueError, match="operands are on"):
        lib.define("add(Tensor x, Tensor y) -> Tensor")
        ops.call.dev.add(Bare(X, (3, 0)), Bare(X, (2, 0)))


def test_what_an_exporter_on_a_device_raises_is_in_the_error(lib: Any) -> None:
    lib.impl("neg", "cuda", lambda v: v)
    broken = Bare(X, (2, 0), BufferError("finish the graph first"))
    with pytest.raises(BufferError, match="finish the graph first"):
        ops.call.dev.neg(broken)
