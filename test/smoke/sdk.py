"""The installed wheel supports C programs: ``ge.config`` gives the paths of headers, library, CMake package and tools."""

import os
import shutil
import subprocess
import sys
import sysconfig
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

# The native program finds its library; the installed command runs the native program.
for program in (
    os.path.join(config("--bin-dir"), "ge-opt"),
    os.path.join(os.path.dirname(sys.executable), "ge-opt"),
):
    result = subprocess.run([program, "--no-such-option"], capture_output=True, check=False)
    assert result.returncode == 2, (program, result)

# ge-opt runs passes in Python with this interpreter, if it was built with a shared library.
PASS = """
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass
@register_fusion_pass(name="Twice", stage=PassStage.BEFORE_INFER_SHAPE)
class Twice(PatternFusionPass):
    @pattern
    def twice(self, x):
        return op.Neg(op.Neg(x))
    def replacement(self, x):
        return x
"""
GRAPH = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
if sysconfig.get_config_var("Py_ENABLE_SHARED"):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in (("twice.py", PASS), ("graph.mlir", GRAPH)):
            with open(os.path.join(directory, name), "w") as file:
                file.write(text)
        command = [os.path.join(os.path.dirname(sys.executable), "ge-opt"), "graph.mlir"]
        command += ["--py-pass-path", "twice.py", "--stage", "BeforeInferShape"]
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
        assert "onnx.Neg" not in result.stdout, result

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
