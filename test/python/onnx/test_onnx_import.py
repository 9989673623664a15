"""`import ge.onnx` loads reading and writing only; running, comparing and optimising are loaded on first use."""

import pickle
import subprocess
import sys

import pytest

from ge import onnx

FILES = {"from_onnx", "load", "save", "to_bytes", "to_onnx"}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_neither_run_nor_passes() -> None:
    code = (
        "import sys, ge.onnx; from ge.onnx import load, save\n"
        "print(*sorted({m.split('.')[1] for m in sys.modules if m.startswith('ge.')}))"
    )
    assert set(run(code).split()) <= {"_mlir_like", "_support", "ir", "onnx"}


@pytest.mark.parametrize("name", sorted(set(onnx.__all__) - FILES))
def test_each_name_can_be_the_first(name: str) -> None:
    """Whichever name is used first, its public home is ``ge.onnx``, and pickles find it there."""
    code = (
        "import pickle, ge.onnx\n"
        f"value = ge.onnx.{name}\n"
        "assert value is pickle.loads(pickle.dumps(value))\n"
        "print(value.__module__, value.__qualname__)"
    )
    assert run(code) == f"ge.onnx {name}"


def test_public_names() -> None:
    names: dict[str, object] = {}
    exec("from ge.onnx import *", names)
    assert set(onnx.__all__) <= set(names) and set(onnx.__all__) <= set(dir(onnx))
    for name in onnx.__all__:
        value = getattr(onnx, name)
        assert (value.__module__, value.__qualname__) == ("ge.onnx", name)
        assert pickle.loads(pickle.dumps(value)) is value
    with pytest.raises(AttributeError, match="module 'ge.onnx' has no attribute 'optimise'"):
        _ = onnx.optimise  # type: ignore[attr-defined]


def test_the_home_does_not_depend_on_the_way_there() -> None:
    code = (
        "from ge.optimize import OptimizeReport; from ge.run import CheckReport\n"
        "print(OptimizeReport.__module__, CheckReport.__module__)"
    )
    assert run(code) == "ge.onnx ge.onnx"
