"""examples/host, built against an installed package as its readers do, and run on a saved model."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from native_hosts import BUILD, HAS_LIBRARY, ROOT, environment, run
from needs import CXX

import ge.onnx as gonnx
from ge import ir

pytestmark = [pytest.mark.nosan, HAS_LIBRARY, CXX]
EXAMPLE = ROOT / "examples/host"
GELU = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = "onnx.Constant"() {value = dense<1.41421354> : tensor<f32>} : () -> tensor<f32>
  %h = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %o = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "onnx.Div"(%x, %r) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "onnx.Erf"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "onnx.Add"(%1, %o) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "onnx.Mul"(%x, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = "onnx.Mul"(%3, %h) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = "onnx.Abs"(%4) : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
"""


CMAKE = shutil.which("cmake") or str(Path(sys.executable).with_name("cmake"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with an installation of the build tree."""
    directory = tmp_path_factory.mktemp("example")
    install = ["--install", str(BUILD), "--component", "GEPython", "--prefix", str(directory)]
    subprocess.run([CMAKE, *install], check=True, capture_output=True)
    return directory


@pytest.fixture(scope="module")
def compiler(site: Path) -> Path:
    """Return the example's program, built with CMake against the installation."""
    ninja = str(Path(sys.executable).with_name("ninja"))
    configure = ["-S", str(EXAMPLE), "-B", str(site / "build"), "-G", "Ninja"]
    configure += [f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DGE_DIR={site}/ge/_sdk/lib/cmake/GE"]
    subprocess.run([CMAKE, *configure], check=True, capture_output=True)
    subprocess.run([CMAKE, "--build", str(site / "build")], check=True, capture_output=True)
    return site / "build/compiler"


def test_it_is_short() -> None:
    files = [EXAMPLE / "compiler.cpp", EXAMPLE / "CMakeLists.txt"]
    assert sum(len(file.read_text().splitlines()) for file in files) < 120


@pytest.mark.slow
def test_a_pass_in_python_between_those_in_cpp(compiler: Path, tmp_path: Path) -> None:
    model, plain, fused = (tmp_path / f"{name}.onnx" for name in ("model", "plain", "fused"))
    gonnx.save(ir.Module.parse(GELU), model)

    assert run(compiler, model, plain).stdout.splitlines() == [
        "BeforeInferShape",
        "AfterInferShape",
        "  compiler-dce: 0 rewrites",
    ]
    env = environment(ASCEND_GE_PY_PASS_PATH=str(EXAMPLE / "fuse_gelu.py"))
    printed = run(compiler, model, fused, env=env).stdout.splitlines()
    assert printed[:2] == ["BeforeInferShape", "  FuseGelu: 1 rewrites"]
    assert [n.type for n in gonnx.load(plain).graphs[0].nodes if n.type == "Erf"] == ["Erf"]
    types = [node.type for node in gonnx.load(fused).graphs[0].nodes]
    assert "Gelu" in types and "Erf" not in types and "Abs" not in types


def test_installed_programs_run_passes_in_python(site: Path, tmp_path: Path) -> None:
    """They are installed in `_sdk` inside the package, and find the package from there."""
    graph, model, out = (tmp_path / name for name in ("graph.mlir", "model.onnx", "out.mlir"))
    graph.write_text(GELU)
    gonnx.save(ir.Module.parse(GELU), model)
    programs, file = site / "ge/_sdk/bin", EXAMPLE / "fuse_gelu.py"
    words = ["--py-pass-path", file, "--stage", "BeforeInferShape", graph]
    assert '"com.microsoft.Gelu"' in run(programs / "ge-opt", *words).stdout
    run(programs / "ge-atc", f"--py_pass_path={file}", model, "-o", out)
    assert '"com.microsoft.Gelu"' in out.read_text()


def test_a_pass_that_cannot_be_loaded(compiler: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.onnx", tmp_path / "out.onnx"
    gonnx.save(ir.Module.parse(GELU), model)
    env = environment(ASCEND_GE_PY_PASS_PATH=f"{tmp_path}/none.py:{EXAMPLE / 'fuse_gelu.py'}")
    done = run(compiler, model, out, env=env)
    assert "none.py does not exist" in done.stderr and "FuseGelu: 1 rewrites" in done.stdout


@pytest.mark.slow
def test_the_commands_of_the_page(compiler: Path, site: Path, tmp_path: Path) -> None:
    """Each `sh` block of docs/host.md runs, without the lines of CMake: that program is built already."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/host").symlink_to(compiler.parent)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("python", ""), ("ge", " -m ge.cli")):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        (programs / name).chmod(0o755)
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "docs/host.md").read_text(), re.M | re.S)
    lines = [line for line in "".join(blocks).splitlines() if not line.startswith("cmake ")]
    path = f"{programs}:{site}/ge/_sdk/bin:/usr/bin:/bin"
    env = environment(PATH=path, PYTHONPATH=str(site))
    script = "\n".join(["set -e", f"cd '{tmp_path}'", *lines])
    done = run("bash", "-c", script, env=env)
    assert '"com.microsoft.Gelu"' in done.stdout
    assert "FuseGelu: 1 rewrites" in done.stdout
    for name in ("fused.onnx", "model.opt.onnx"):
        types = [node.type for node in gonnx.load(tmp_path / name).graphs[0].nodes]
        assert "Gelu" in types and "Erf" not in types
