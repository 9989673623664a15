"""Members of torch's headers compute what PyTorch's own compute: layouts, aliasing, values and errors.

torch_members.cpp and torch_numbers.cpp print a line for each; the texts beside them are what they print with PyTorch 2.13's
headers. test_kernels_real_torch.py compiles them with PyTorch and checks that the texts are current.
"""

import subprocess
from pathlib import Path

import pytest
from native_plugins import INCLUDE
from needs import CC
from places import SUPPORT
from torch_sources import FLAGS

pytestmark = CC


@pytest.mark.slow
@pytest.mark.nosan  # the program is built with its own sanitizer
@pytest.mark.parametrize("name", ["members", "numbers"])
def test_members_print_what_pytorch_prints(tmp_path: Path, name: str) -> None:
    program = tmp_path / "members"
    command = ["c++", "-Wall", "-Wextra", "-Werror", *FLAGS, f"-I{INCLUDE}"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    source = SUPPORT / f"torch_{name}.cpp"
    subprocess.run([*command, str(source), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    expected = source.with_suffix(".txt").read_text().splitlines()
    assert [(i, a) for i, a in enumerate(lines) if a != expected[i]] == []
    assert len(lines) == len(expected)
