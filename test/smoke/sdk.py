"""The installed wheel serves C programs: headers, library, CMake package and tools are where it says."""

import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <ge-c/Support.h>
#include <stdio.h>
int main(void) { return puts(geVersion()) < 0 || geAbiVersion() != GE_C_ABI_VERSION; }
"""


def config(option: str) -> str:
    command = [sys.executable, "-m", "ge.config", option]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


assert os.path.exists(os.path.join(config("--cmake-dir"), "GEConfig.cmake"))
assert os.access(os.path.join(config("--bin-dir"), "ge-opt"), os.X_OK)

# The native program finds its library, and the command hands over to it.
for program in (
    os.path.join(config("--bin-dir"), "ge-opt"),
    os.path.join(os.path.dirname(sys.executable), "ge-opt"),
):
    result = subprocess.run([program, "--no-such-option"], capture_output=True, check=False)
    assert result.returncode == 2, (program, result)

compiler = shutil.which("cc") or shutil.which("gcc")
assert compiler, "needs package gcc"
with tempfile.TemporaryDirectory() as directory:
    source, binary = os.path.join(directory, "version.c"), os.path.join(directory, "version")
    with open(source, "w") as file:
        file.write(PROGRAM)
    flags = [config("--includes"), *config("--libs").split()]
    subprocess.run([compiler, "-std=c17", source, "-o", binary, *flags], check=True)
    version = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.strip()
    assert version.count(".") == 2, version
