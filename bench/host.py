"""Compare the start of ge-opt, with and without Python passes, with that of the interpreter, and one pass under both.

``python bench/host.py [--check]`` measures the build tree $GE_BUILD_DIR (default: build/release). A row is the median wall
time of 15 processes. The rows take turns, so that other load on the machine affects all of them. The last rows are the
time that the pass manager reports for a pass with a condition and a replacement in Python, the minimum of 5 processes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(os.environ.get("GE_BUILD_DIR", "build/release"))
GRAPH = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }\n"
PASS = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="Nothing", stage=PassStage.BEFORE_INFER_SHAPE)
class Nothing(FusionBasePass):
    def run(self, graph, context):
        pass
"""
PAIRS = """
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="Pairs", stage=PassStage.BEFORE_INFER_SHAPE)
class Pairs(PatternFusionPass):
    per_match = True

    @pattern
    def twice(self, x):
        return op.Neg(op.Neg(x))

    def meet_requirements(self, match):
        return match["x"].type.rank == 1

    def replacement(self, x):
        return op.Identity(x)
"""
UNDER_PYTHON = """
import sys
from ge import ir
from ge.passes import load_pass_plugins, run_stage
load_pass_plugins(sys.argv[1])
result = run_stage(ir.Module.parse(open(sys.argv[2]).read()), "BeforeInferShape")
print(result.timing())
"""
MATCHES = 5000
# Limits in milliseconds: for ge-opt without Python passes; and for ge-opt with one, above an interpreter that runs the
# same pass file.
WITHOUT, ABOVE = 10.0, 30.0
# Limit of the time of a pass in ge-opt relative to the same pass under Python: 1.0 and a margin for noise.
RATIO = 1.25


def milliseconds(command: list[str], env: dict[str, str]) -> float:
    """Return the wall time of one process."""
    start = time.perf_counter()
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


def chain(pairs: int) -> str:
    """Return the text of a graph with that many matches."""
    lines = ["func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {"]
    name = "x"
    for i in range(2 * pairs):
        lines.append(f'  %{i} = "onnx.Neg"(%{name}) : (tensor<4xf32>) -> tensor<4xf32>')
        name = str(i)
    return "\n".join([*lines, f"  return %{name} : tensor<4xf32>", "}", ""])


def pass_milliseconds(command: list[str], env: dict[str, str]) -> float:
    """Return the time of the pass that the process reports."""
    done = subprocess.run(command, check=True, env=env, capture_output=True, text=True)
    line = next(each for each in (done.stdout + done.stderr).splitlines() if "Pairs" in each)
    return float(line.split()[0]) * 1e3


def main() -> int:
    """Print the rows; with `--check` return 1 if a row is above its limit."""
    env = {**os.environ, "GE_PYTHON": sys.executable, "PYTHONPATH": str(BUILD / "python")}
    env.pop("ASCEND_GE_PY_PASS_PATH", None)
    with tempfile.TemporaryDirectory() as directory:
        graph, file = Path(directory, "graph.mlir"), Path(directory, "nothing.py")
        graph.write_text(GRAPH)
        file.write_text(PASS)
        ge_opt = [str(BUILD / "bin/ge-opt"), "--stage=BeforeInferShape", str(graph)]
        rows = {
            "ge-opt": ge_opt,
            "ge-opt with a pass in Python": [*ge_opt, f"--py-pass-path={file}"],
            "python, nothing": [sys.executable, "-c", "pass"],
            "python, the same pass file": [sys.executable, str(file)],
        }
        times: dict[str, list[float]] = {name: [] for name in rows}
        for round_ in range(16):
            for name, command in rows.items():
                taken = milliseconds(command, env)
                if round_:  # the first one fills the page cache
                    times[name].append(taken)
        file.write_text(PAIRS)
        graph.write_text(chain(MATCHES))
        options = [f"--py-pass-path={file}", "--timing", "-o", os.devnull, "--allow-pipe"]
        both = {
            "a pass from a host": [*ge_opt, *options],
            "the same under Python": [sys.executable, "-c", UNDER_PYTHON, str(file), str(graph)],
        }
        least = {
            name: min(pass_milliseconds(command, env) for _ in range(5))
            for name, command in both.items()
        }
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:32} {value:8.1f} ms")
    above = medians["ge-opt with a pass in Python"] - medians["python, the same pass file"]
    print(f"{'above python':32} {above:8.1f} ms")
    for name, value in least.items():
        print(f"{name:32} {value:8.1f} ms, {MATCHES} matches")
    ratio = least["a pass from a host"] / least["the same under Python"]
    print(f"{'ratio':32} {ratio:8.2f}")
    good = medians["ge-opt"] <= WITHOUT and above <= ABOVE and ratio <= RATIO
    limits = f"ge-opt <= {WITHOUT:g} ms, above python <= {ABOVE:g} ms, ratio <= {RATIO:g}"
    print("PASS" if good else "FAIL", limits)
    return int("--check" in sys.argv[1:] and not good)


if __name__ == "__main__":
    sys.exit(main())
