"""The library of kernels in `native_nodes.c`."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def compiled(factory: pytest.TempPathFactory) -> str:
    """Compile the library and return its path."""
    made = factory.mktemp("native") / "native.so"
    command = ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    command += [f"-I{ROOT / 'include'}", "-o", str(made)]
    subprocess.run([*command, str(Path(__file__).with_suffix(".c"))], check=True)
    return str(made)
