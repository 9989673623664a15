"""The native library destroys no static object at process exit, because threads may still be running.

Python's daemon threads are among them. Not tested: the extension modules, whose objects are used with the GIL only,
which no thread can acquire by then.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ge._mlir_like import _cext_loader

pytestmark = pytest.mark.nosan  # sanitizers register functions of their own

# The static empty table of tsl::robin_map, whose destructor does nothing.
HARMLESS = "robin_hash"
# Code of the compiler and the C library: the calls themselves, and `atexit`, with which the host registers its exit
# handler.
GLUE = {"__cxa_atexit@plt", "atexit", "frame_dummy", "__do_global_dtors_aux"}


@pytest.mark.slow
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
