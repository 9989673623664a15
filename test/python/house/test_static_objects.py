"""The C library destroys no object when the process ends: threads may be at work then, daemon threads of Python among them.

Not tested: the modules of Python, whose objects are used with the interpreter's lock, which no thread gets by then.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ge._mlir_like import _cext_loader

pytestmark = pytest.mark.nosan  # sanitizers register functions of their own

# The constant that stands for an empty table of tsl::robin_map: its destructor does nothing.
HARMLESS = "robin_hash"
# Compiler and C library: the calls themselves, and the function `atexit`, by which the host says that it ends.
GLUE = {"__cxa_atexit@plt", "atexit", "frame_dummy", "__do_global_dtors_aux"}


def test_nothing_is_destroyed_at_exit() -> None:
    program = shutil.which("objdump")
    if program is None:
        pytest.skip("needs objdump, of the package binutils")
    (library,) = Path(_cext_loader.native_directory()).glob("libGE-*.so")
    command = [program, "-d", "-C", "--no-show-raw-insn", library]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    function, found = "", set()
    for line in text.splitlines():
        if head := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            function = head[1]
        elif "__cxa_atexit" in line and HARMLESS not in function:
            found.add(function)
    assert "geVersion" in text
    assert found - GLUE == set()
