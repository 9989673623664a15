"""Run all benchmarks, or the named ones, one after the other; `make bench` calls this.

``python bench/run.py [ir passes ops kernels evaluators onnx_files onnx_optimize host threads] [--quick] [--check] [--runs=N]``
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FLAGS = ("--quick", "--check", "--runs")
# The benchmark programs, with the flags that each accepts.
BENCHMARKS = {
    "ir": FLAGS,
    "passes": FLAGS,
    "ops": ("--quick",),
    "kernels": (),
    "evaluators": ("--quick", "--check"),
    "onnx_files": FLAGS,
    "onnx_optimize": FLAGS,
    "host": ("--check",),
    "threads": ("--quick", "--check"),
}


def bare(flag: str) -> str:
    """Return a flag without its value: ``--runs`` for ``--runs=3``."""
    return flag.partition("=")[0]


def main() -> int:
    """Run the benchmarks; return 1 if one failed."""
    flags = [word for word in sys.argv[1:] if word.startswith("-")]
    names = [word for word in sys.argv[1:] if not word.startswith("-")] or list(BENCHMARKS)
    for word in [*map(bare, flags), *names]:
        if word not in FLAGS and word not in BENCHMARKS:
            print(f"'{word}' is not a benchmark ({', '.join(BENCHMARKS)}) and no flag of one")
            return 2
    failed = False
    for name in names:
        print(f"== {name}", flush=True)
        taken = [flag for flag in flags if bare(flag) in BENCHMARKS[name]]
        failed |= bool(subprocess.call([sys.executable, str(HERE / f"{name}.py"), *taken]))
        print(flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
