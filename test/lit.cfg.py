# Read by lit through lit.site.cfg.py of a build tree: `lit build/release/test`.
# ruff: noqa: F821
import os
import subprocess
import sys
import sysconfig

import lit.formats

config.name = "GE"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.join(config.ge_source_root, "test")
config.test_exec_root = os.path.join(config.ge_build_root, "test")
config.suffixes = [".py", ".mlir", ".test"]
# These have runners of their own.
config.excludes = [
    "models",
    "attack",
    "python",
    "smoke",
    "CAPI",
    "Unit",
    "fuzz",
    "random",
    "Inputs",
    "lit.cfg.py",
]
config.available_features.add("linux" if sys.platform == "linux" else sys.platform)

# Tools come from the build tree and from the environment that runs lit, never from the system: an
# LLVM of the distribution would be another FileCheck.
scripts = sysconfig.get_path("scripts")
python = sys.executable
environment = {"PYTHONPATH": os.path.join(config.ge_build_root, "python")}

if config.ge_sanitizer:
    config.available_features.add("sanitizer")
    # The interpreter is not sanitized, so the run time is loaded before it; libstdc++ with it, else
    # the interceptor of __cxa_throw finds nothing. Only for Python: our programs link their own.
    names = ["libtsan.so"] if config.ge_sanitizer == "thread" else ["libasan.so", "libubsan.so"]
    libraries = [
        subprocess.check_output(["g++", "-print-file-name=" + name], text=True).strip()
        for name in [*names, "libstdc++.so"]
    ]
    # Arenas of the interpreter are not freed at exit.
    options = "ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc"
    python = f"env LD_PRELOAD={':'.join(libraries)} {options} {python}"

config.environment.update(environment)
config.environment["PYTHONHASHSEED"] = "random"
for name in ("TSAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]


def tool(name: str, path: str) -> tuple[str, str]:
    """Substitute a command's name, but not a piece of a path that reads like it."""
    return rf"(?<![\w./-]){name}(?![\w./-])", path


ge_opt = os.path.join(config.ge_build_root, "bin", "ge-opt")
config.substitutions += [
    ("%PYTHON", python),
    ("%ge-opt", ge_opt),
    ("%samples", os.path.join(config.ge_source_root, "examples", "fusion_pass")),
    ("%onnx-fusion", os.path.join(config.ge_source_root, "examples", "onnx_fusion")),
    tool("ge-opt", ge_opt),
    tool("FileCheck", os.path.join(scripts, "filecheck")),
    tool("filecheck", os.path.join(scripts, "filecheck")),
]
