"""Libraries compiled from sources that include torch's headers."""

import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import INCLUDE, compile_library
from places import SUPPORT

import ge.ops as ops

TORCH = INCLUDE / "ge-torch"
PYTHON = sysconfig.get_path("include")
FLAGS = ("-std=c++17", f"-I{TORCH}", f"-I{PYTHON}")
A = np.arange(6, dtype="f4").reshape(2, 3)
B = np.full((2, 3), 2, "f4")


def compiled(out: Path, *sources: Path, flags: "tuple[str, ...]" = ()) -> Path:
    return compile_library(out, *sources, flags=(*FLAGS, *flags), link=False)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("torch")
    names = ("tutorial", "stable", "kinds", "wrong")
    flags = {"tutorial": ("-DWITH_MODULE",)} if (Path(PYTHON) / "Python.h").exists() else {}
    return {
        name: compiled(
            folder / f"lib{name}.so", SUPPORT / f"torch_{name}.cpp", flags=flags.get(name, ())
        )
        for name in names
    }


@pytest.fixture
def kinds(files: dict[str, Path]) -> Iterator[Any]:
    with ops.load_library(files["kinds"]) as library:
        yield library
