"""Native programs that run Python passes: ge-opt, ge-atc, and native_host.c, which a test controls step by step."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from needs import CC

__all__ = [
    "BUILD",
    "GRAPH",
    "HAS_LIBRARY",
    "MARKS",
    "NATIVE",
    "PASS",
    "ROOT",
    "TORCH_LIKE",
    "build",
    "environment",
    "run",
    "steps",
]

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("GE_BUILD_DIR", ROOT / "build/release"))
NATIVE = BUILD / "python/ge/_mlir_like/_ge"


def _has_library() -> bool:
    names = [sysconfig.get_config_var(name) or "" for name in ("INSTSONAME", "LDLIBRARY")]
    places = [sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")]
    places.append(os.path.join(places[0], sysconfig.get_config_var("MULTIARCH") or ""))
    return any(".so" in n and os.path.isfile(os.path.join(p, n)) for n in names for p in places)


HAS_LIBRARY = pytest.mark.skipif(not _has_library(), reason="needs package libpython3-dev")
MARKS = [CC, HAS_LIBRARY]


def _sanitizer() -> list[str]:
    """Return the flags of this tree's sanitizer: a sanitized C library needs its runtime in the program."""
    cache = BUILD / "CMakeCache.txt"
    kind = (
        re.search(r"^GE_SANITIZER:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    )
    names = {"address": "address,undefined", "thread": "thread"}
    return [f"-fsanitize={names[kind[1]]}"] if kind and kind[1] else []


GRAPH = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
PASS = """
from ge.es import onnx as op
from ge.passes import FusionBasePass, PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class Pairs(PatternFusionPass):
    @pattern
    def twice(self, x):
        return op.Neg(op.Neg(x))

    def replacement(self, x):
        return x
"""


# Typical side effects of importing large packages.
TORCH_LIKE = """
import atexit, concurrent.futures, ctypes, threading, time, weakref

pool = concurrent.futures.ThreadPoolExecutor(2)
answer = pool.submit(lambda: 42).result()
atexit.register(pool.shutdown)
threading.Thread(target=lambda: [time.sleep(0.001) for _ in iter(int, 1)], daemon=True).start()
libc = ctypes.CDLL(None)  # waits in C, without the GIL, while everything else ends
threading.Thread(target=libc.pause, daemon=True).start()

class Tensor:
    def __del__(self):
        self.storage.clear()

tensor = Tensor()
tensor.storage = {"self": tensor}
finalizer = weakref.finalize(tensor, lambda: None)
"""


def environment(**changes: str | None) -> dict[str, str]:
    """Return an environment without `ge` on Python's path, so that the program must find its own."""
    made = {**os.environ, "GE_PYTHON": sys.executable}
    for name in ("PYTHONPATH", "ASCEND_GE_PY_PASS_PATH", "GE_PY_PASS_MODULES"):
        made.pop(name, None)
    for name, value in changes.items():
        made.pop(name, None)
        if value is not None:
            made[name] = value
    return made


def build(directory: Path) -> Path:
    """Build the program that runs steps."""
    library = next(NATIVE.glob("libGE-*.so"))
    program = directory / "native_host"
    source = ROOT / "test/python/support/native_host.c"
    command = [
        "cc",
        "-std=c17",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{ROOT / 'include'}",
        *_sanitizer(),
        str(source),
    ]
    command += ["-o", str(program), str(library), f"-Wl,-rpath,{NATIVE}", "-pthread", "-rdynamic"]
    subprocess.run(command, check=True)
    return program


def run(
    *command: object,
    env: dict[str, str] | None = None,
    timeout: float = 120,
    status: int | None = 0,
) -> subprocess.CompletedProcess[str]:
    """Run a program, which must end with exit status `status` (None: any)."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env=environment() if env is None else env,
        timeout=timeout,
        check=False,
    )
    assert status is None or done.returncode == status, (
        f"exit {done.returncode}\n{done.stdout}{done.stderr}"
    )
    return done


def steps(
    program: Path, *given: str, env: dict[str, str] | None = None, timeout: float = 120
) -> list[str]:
    """Run steps and return the lines that they print. The program must end cleanly."""
    done = run(program, *given, env=env, timeout=timeout)
    assert done.stdout.splitlines().count("end") == 1, done.stdout
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()
