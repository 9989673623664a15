"""The installed CMake package: GE::Kernels for libraries of kernels, GE::Stubs for plugins of passes.

Libraries built with them do not link GE, and load into the installed package.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from needs import CC
from places import SUPPORT
from vendor_wheels import CMAKE

ROOT = SUPPORT.parents[2]
TREE = os.environ.get("GE_BUILD_DIR", "")
pytestmark = [
    CC,
    pytest.mark.nosan,  # an interpreter without the sanitizer run time loads the libraries
    pytest.mark.skipif(
        not (Path(TREE) / "build.ninja").exists(), reason="needs the build tree (GE_BUILD_DIR)"
    ),
]


def checked(*command: object, **environment: str) -> str:
    words = [str(word) for word in command]
    env = {**os.environ, **environment}
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("installed")
    checked(CMAKE, "--install", TREE, "--component", "GEPython", "--prefix", site)
    return site


def build(source: Path, into: Path, site: Path) -> Path:
    """Build a project with the installed package; return the build directory."""
    directory = checked(sys.executable, "-m", "ge.config", "--cmake-dir", PYTHONPATH=str(site))
    options = [f"-DGE_DIR={directory.strip()}", "-DCMAKE_BUILD_TYPE=Release"]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    checked(CMAKE, "-G", "Ninja", "-S", source, "-B", into, *options, PATH=tools)
    checked(CMAKE, "--build", into, PATH=tools)
    return into


@pytest.mark.slow
def test_the_example_of_kernels(site: Path, tmp_path: Path) -> None:
    build(ROOT / "examples/kernels", tmp_path / "build", site)
    library = tmp_path / "build/libacme_kernels.so"
    said = checked(sys.executable, ROOT / "examples/kernels/run.py", library, PYTHONPATH=str(site))
    assert "<Library 'acme_kernels' FRAGMENT>" in said and "scale [-2.  1.  6.]" in said


TORCH = """cmake_minimum_required(VERSION 3.20)
project(fused LANGUAGES CXX)
find_package(GE CONFIG REQUIRED)
add_library(fused MODULE torch_stable.cpp)
target_link_libraries(fused PRIVATE GE::TorchLibrary)
"""


@pytest.mark.slow
def test_a_source_of_torch(site: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(TORCH)
    (tmp_path / "torch_stable.cpp").write_text((SUPPORT / "torch_stable.cpp").read_text())
    build(tmp_path, tmp_path / "build", site)
    code = (
        "import ge.ops as ops, numpy as np\n"
        f"ops.load_library({str(tmp_path / 'build/libfused.so')!r})\n"
        "print(ops.call.fused_stable.muladd(np.ones(2, 'f4'), np.ones(2, 'f4'), 2.0))\n"
    )
    assert checked(sys.executable, "-c", code, PYTHONPATH=str(site)) == "[3. 3.]\n"
    flags = checked(sys.executable, "-m", "ge.config", "--torch-includes", PYTHONPATH=str(site))
    own, c = (Path(flag.removeprefix("-I")) for flag in flags.split())
    assert (own / "torch/library.h").is_file() and (c / "ge-c/Api.h").is_file()
    assert not (c / "torch").exists()


@pytest.mark.slow
def test_the_plugin_of_the_guide(site: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/guide-native-pass.md").read_text()
    (code,) = re.findall(r"^```cpp\n(.*?)^```$", page, re.M | re.S)
    (cmake,) = [
        text for text in re.findall(r"^```cmake\n(.*?)^```$", page, re.M | re.S) if "Stubs" in text
    ]
    (tmp_path / "my_passes.cpp").write_text(code)
    (tmp_path / "CMakeLists.txt").write_text(cmake)
    build(tmp_path, tmp_path / "build", site)
    plugin = tmp_path / "build/libmy_passes.so"
    listed = checked(site / "ge/_sdk/bin/ge-opt", f"--load-pass-plugin={plugin}", "--list-passes")
    assert "my-erase-dead\n    Erases nodes that nothing uses.\n" in listed
