"""Members of torch's headers compute what PyTorch's own compute: layouts, aliasing, values and errors.

torch_members.cpp prints a line for each; torch_members.txt is what it prints with PyTorch 2.13's headers.
test_kernels_real_torch.py compiles it with PyTorch and checks that the file is current.
"""

import subprocess
from pathlib import Path

import pytest
from native_plugins import INCLUDE
from needs import CC
from places import SUPPORT
from torch_sources import FLAGS

pytestmark = CC


@pytest.mark.nosan  # the program is built with its own sanitizer
def test_members_print_what_pytorch_prints(tmp_path: Path) -> None:
    program = tmp_path / "members"
    command = ["c++", "-Wall", "-Wextra", "-Werror", *FLAGS, f"-I{INCLUDE}"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    source = SUPPORT / "torch_members.cpp"
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    expected = source.with_suffix(".txt").read_text().splitlines()
    assert [(i, a) for i, a in enumerate(lines) if a != expected[i]] == []
    assert len(lines) == len(expected)
