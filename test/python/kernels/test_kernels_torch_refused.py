"""Unsupported torch API does not compile, invalid libraries leave no registration, and the documentation is right."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from native_plugins import INCLUDE, plain_environment
from needs import CC
from places import SUPPORT
from torch_sources import (
    FLAGS,
    PYTHON,
    TORCH,
    A,
    B,
    compiled,
    files,  # noqa: F401 - a fixture
)

import ge.ops as ops

pytestmark = CC


# --- Invalid libraries

WRONG = {
    "signature": r"is a function \(Tensor, float\) -> \(\), the schema is wrong::f\(Tensor x, int k\) -> Tensor",
    "results": r"is a function \(Tensor\) -> \(Tensor, Tensor\), the schema is",
    "schema": "Tensr",
    "twice": "wrong::fine",
    "kernel twice": "is implemented at",
    "throws": "boo",
    "throws an int": "no std::exception",
    "namespace": "other",
    "class twice": r"wrong\.Known",
    "args": r"wrong\.Args::f: 2 torch::arg for 1 parameters",
    "second home": "the second block",
    "def in impl": "wrong",
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_library_leaves_nothing(
    files: dict[str, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library reads the variable with getenv to select the error.
    monkeypatch.setenv("TORCH_WRONG", kind)
    for _ in range(2):
        with pytest.raises(Exception, match=WRONG[kind]):
            ops.load_library(files["wrong"])
        assert ops.find("wrong", "fine") is None and ops.kernel("wrong::fine") is None
    monkeypatch.delenv("TORCH_WRONG")
    with ops.load_library(files["wrong"]):
        assert ops.function("wrong::fine")(3) == 3


TWO = """
#include <torch/library.h>
TORCH_LIBRARY(fused, m) { m.def("f", [](int64_t x) { return x; }); }
"""


@pytest.mark.slow
def test_a_namespace_has_one_home(files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "two.cpp").write_text(TWO)
    two = compiled(tmp_path / "libtwo.so", tmp_path / "two.cpp")
    with (
        ops.load_library(files["tutorial"]),
        pytest.raises(ops.OpSchemaError, match=r"torch_tutorial\.cpp"),
    ):
        ops.load_library(two)
    with ops.load_library(two):
        assert ops.function("fused::f")(3) == 3


MIXED = """
#include "ge/library.h"
#include <torch/library.h>
GE_LIBRARY_FRAGMENT(fused, m) { m.def("twice", [](int64_t x) { return 2 * x; }); }
TORCH_LIBRARY_FRAGMENT(fused, m) { m.def("thrice", [](int64_t x) { return 3 * x; }); }
"""


@pytest.mark.slow
def test_several_files_are_one_library(tmp_path: Path) -> None:
    (tmp_path / "mixed.cpp").write_text(MIXED)
    sources = [SUPPORT / "torch_tutorial.cpp", SUPPORT / "torch_stable.cpp", tmp_path / "mixed.cpp"]
    path = compiled(tmp_path / "libmixed.so", *sources, flags=("-std=c++20",))
    with ops.load_library(path):
        assert (ops.call.fused.mul(A, B) == A * B).all()
        assert (ops.call.fused_stable.muladd(A, B, 1.0) == A * B + 1).all()
        assert ops.function("fused::twice")(4) == 8 and ops.function("fused::thrice")(4) == 12


MISSING = {
    "arithmetic": "at::Tensor f(at::Tensor a) { return a + a; }",
    "an operator of ATen": "at::Tensor f(at::Tensor a) { return at::matmul(a, a); }",
    "a narrow integer": 'TORCH_LIBRARY(f, m) { m.def("f", [](int x) { return x; }); }',
    "a key": "TORCH_LIBRARY_IMPL(f, SparseCPU, m) { (void)m; }",
    "a type": "auto f = at::kQInt8;",
    "a dictionary": "c10::Dict<int64_t, int64_t> f;",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MISSING)
def test_what_is_missing_does_not_compile(kind: str, tmp_path: Path) -> None:
    source = tmp_path / "missing.cpp"
    source.write_text(f"#include <torch/all.h>\n{MISSING[kind]}\n")
    command = ["c++", "-fsyntax-only", *FLAGS, f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, env=plain_environment())
    assert done.returncode != 0
    if kind == "a narrow integer":
        assert "none of torch's schemas" in done.stderr


@pytest.mark.slow
def test_every_header_compiles_alone(tmp_path: Path) -> None:
    headers = sorted(path.relative_to(TORCH).as_posix() for path in TORCH.rglob("*.h"))
    assert "torch/library.h" in headers
    both = headers + headers[::-1]  # in either order, and each twice
    (tmp_path / "both.cpp").write_text("".join(f"#include <{name}>\n" for name in both))
    for name in ("torch/custom_class.h", "torch/csrc/stable/ops.h", "ATen/Dispatch.h", None):
        source = tmp_path / "one.cpp"
        source.write_text(f"#include <{name}>\n" if name else (tmp_path / "both.cpp").read_text())
        command = ["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *FLAGS]
        subprocess.run([*command, f"-I{INCLUDE}", str(source)], check=True, env=plain_environment())


PAGE = SUPPORT.parents[2] / "docs/torch-headers.md"


@pytest.mark.slow
def test_the_library_of_the_page(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```cpp\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    (tmp_path / "fma.cpp").write_text(text)
    with ops.load_library(compiled(tmp_path / "libfma.so", tmp_path / "fma.cpp")):
        assert (ops.call.fma.muladd(A, B, 1.5) == A * B + 1.5).all()
        with pytest.raises(ops.KernelError, match="failed: a and b differ"):
            ops.call.fma.muladd(A, B[0], 1.5)


def test_the_page_lists_the_headers() -> None:
    page = PAGE.read_text()
    missing = [
        name
        for path in TORCH.rglob("*.h")
        if not (name := path.relative_to(TORCH).as_posix()).startswith("ge-torch/")
        and f"`{name}`" not in page
    ]
    assert not missing


@pytest.mark.skipif(sys.platform != "linux", reason="needs an ELF loader")
def test_a_module_of_python_is_a_library_too(files: dict[str, Path]) -> None:
    code = (
        "import importlib.machinery, importlib.util, numpy as np, ge.ops as ops\n"
        f"path = {str(files['tutorial'])!r}\n"
        "loader = importlib.machinery.ExtensionFileLoader('_C', path)\n"
        "spec = importlib.util.spec_from_loader('_C', loader)\n"
        "module = importlib.util.module_from_spec(spec)\n"
        "assert ops.find('fused', 'mul') is None\n"
        "library = ops.load_library(module)\n"
        "assert (ops.call.fused.mul(np.ones(2, 'f4'), np.ones(2, 'f4')) == 1).all()\n"
    )
    if not (Path(PYTHON) / "Python.h").exists():
        pytest.skip("needs the headers of Python")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
