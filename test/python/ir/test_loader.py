"""The loader finds the native modules, or reports the directories that it tried and why each was unusable.

Each case runs in its own process, because a process loads its native modules once. Not promised: that a process can
load them after a failure without a restart.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ge.ir

# The package in a build tree, or an installed one.
PACKAGE = Path(ge.ir.__file__).parents[1]


def python(code: str, *path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `code` with this package, or the given directories, on the path."""
    joined = os.pathsep.join(map(str, path or [PACKAGE.parent]))
    # -S -s would hide nanobind-backend; PYTHONPATH comes before site-packages, which is enough.
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment, "PYTHONPATH": joined},
    )


def test_missing_directory_is_named(tmp_path: Path) -> None:
    result = python("import ge.ir", GE_NATIVE_DIR=str(tmp_path / "nowhere"))
    assert "ImportError: no usable native module of 'ge'" in result.stderr
    assert f"{tmp_path / 'nowhere'} ($GE_NATIVE_DIR): no such directory" in result.stderr


def test_directory_without_modules_is_named(tmp_path: Path) -> None:
    result = python("import ge.ir", GE_NATIVE_DIR=str(tmp_path))
    assert f"{tmp_path} ($GE_NATIVE_DIR): holds no module '_init'" in result.stderr


def test_override_is_taken(tmp_path: Path) -> None:
    native = tmp_path / "native"
    shutil.copytree(PACKAGE / "_mlir_like" / "_ge", native)
    code = "import ge.ir, sys; print(sys.modules['ge._mlir_like._ge.ir'].__file__)"
    result = python(code, GE_NATIVE_DIR=str(native))
    assert result.stderr == ""
    assert Path(result.stdout.strip()).parent == native


def test_failure_is_raised_again(tmp_path: Path) -> None:
    code = """
for _ in range(2):
    try:
        import ge.ir
    except ImportError as error:
        print(str(error).splitlines()[0])
"""
    lines = python(code, GE_NATIVE_DIR=str(tmp_path)).stdout.splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]


def test_other_abi_of_the_library_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "ge"
    shutil.copytree(PACKAGE, package, symlinks=False)
    shutil.rmtree(package / "_mlir_like" / "_ge")
    native = package / "_mlir_like" / "_ge"
    native.mkdir()
    (native / "_init.py").write_text("__abi__ = (1, 2)\ndef initialize(): pass\n")
    result = python("import ge.ir", tmp_path)
    assert "_init.py was built for version 1 of the C API" in result.stderr
    assert "has version 2" in result.stderr


def test_failing_initialiser_is_an_error(tmp_path: Path) -> None:
    package = tmp_path / "ge"
    shutil.copytree(PACKAGE, package, symlinks=False)
    shutil.rmtree(package / "_mlir_like" / "_ge")
    native = package / "_mlir_like" / "_ge"
    native.mkdir()
    (native / "_init.py").write_text("__abi__ = (1, 1)\ndef initialize(): raise ValueError('no')\n")
    result = python("import ge.ir", tmp_path)
    assert "initialisation failed: ValueError: no" in result.stderr


def test_foreign_package_of_our_name_is_named(tmp_path: Path) -> None:
    """A regular package takes precedence over our namespace package even later on the path; the loader warns of it."""
    foreign = tmp_path / "ge" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("")
    code = f"import ge.config, sys; sys.path.append({str(tmp_path)!r}); import ge.ir"
    result = python(code)
    assert result.returncode == 0, result.stderr
    assert f"RuntimeWarning: {foreign} is a regular package named 'ge'" in result.stderr


def test_same_files_serve_a_vendor(tmp_path: Path) -> None:
    """The loader derives the names of package and environment variable from its own location."""
    package = tmp_path / "acme" / "ge"
    shutil.copytree(PACKAGE, package, symlinks=False)
    (tmp_path / "acme" / "__init__.py").write_text("")
    nowhere = tmp_path / "nowhere"
    result = python("import acme.ge.ir", tmp_path, ACME_NATIVE_DIR=str(nowhere))
    assert "ImportError: no usable native module of 'acme.ge'" in result.stderr
    assert "$ACME_NATIVE_DIR" in result.stderr


def test_import_loads_nothing_heavy() -> None:
    code = """
import sys
before = set(sys.modules)
import ge.ir
print(*sorted(set(sys.modules) - before))
"""
    result = python(code)
    assert result.returncode == 0, result.stderr
    heavy = {"numpy", "typing", "enum", "dataclasses", "importlib.metadata", "inspect", "re"}
    assert not heavy & set(result.stdout.split())


SUBINTERPRETER = """
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
code = '''
try:
    import ge.ir
except ImportError as error:
    text = str(error)
try:
    import ge.passes
except ImportError as error:
    assert str(error) == text
maps = open("/proc/self/maps").read() if {has_maps} else ""
print(text, "_ge" in maps or "libGE" in maps)
'''
"""


def test_a_subinterpreter_is_refused_before_anything_is_loaded() -> None:
    program = SUBINTERPRETER.replace("{has_maps}", str(sys.platform == "linux"))
    done = python(program + "run(interpreters.create(), code)")
    assert done.returncode == 0, done.stderr
    assert "'ge' works in the main interpreter of a process, and this is a subinterpreter" in (
        done.stdout
    )
    assert done.stdout.rstrip().endswith("False")


def test_the_main_interpreter_works_beside_subinterpreters() -> None:
    program = SUBINTERPRETER.replace("{has_maps}", "False")
    program += """
run(interpreters.create(), code)
import ge.ir
node = ge.ir.Graph("g").add_node("onnx.Abs")
run(interpreters.create(), code)
print(node.op)
"""
    done = python(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "onnx.Abs"
    assert done.stdout.count("this is a subinterpreter") == 2


def test_private_modules_refuse_a_subinterpreter_too() -> None:
    """Imports that bypass the loader, after the main interpreter has loaded the library."""
    done = python("""
import sys
import ge.ir, ge.ops, ge.passes
package = sys.modules["ge._mlir_like._ge"].__path__[0]
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
for name in ("ir", "ops", "passes", "_init"):
    run(interpreters.create(), f'''
import sys
sys.path.insert(0, {package!r})
try:
    import {name}
except ImportError as error:
    print(error)
''')
print(ge.ir.Graph("g").add_node("onnx.Abs").op)
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("subinterpreter") == 4, done.stdout
    assert done.stdout.splitlines()[-1] == "onnx.Abs"


def test_a_second_import_after_the_package_left_sys_modules() -> None:
    """The Python modules are loaded again, the native ones are kept: existing objects keep their classes."""
    done = python("""
import gc, sys, warnings
warnings.simplefilter("error")
import ge.ir as ir, ge.ops, ge.passes, ge.es
old = ir.Graph("old").add_node("onnx.Abs", attributes={"w": 1})
for _ in range(2):
    for name in [m for m in sys.modules if m == "ge" or m.startswith("ge.")]:
        del sys.modules[name]
    del ge
    gc.collect()
    import ge.ir, ge.ops, ge.passes, ge.es
    assert ge.ir is not ir and ge.ir.Node is type(old) is ir.Node
    from ge.es import onnx as op
    from ge.passes import PassManager, PatternFusionPass, PassSkip, pattern
    class Pairs(PatternFusionPass):
        @pattern
        def twice(self, x):
            return op.Neg(op.Neg(x))
        def replacement(self, x):
            return x
    graph = ge.ir.Graph.parse('''
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}''')
    result = PassManager.parse("dce,infer-types,constant-fold").add(Pairs).run(graph)
    assert result.matches["Pairs"] == 1 and not graph.find_all("onnx.Neg")
    def skips(graph, context):
        raise PassSkip("not now")
    assert PassManager().add(skips).run(graph).failures == []
    try:
        PassManager().add(lambda graph: 1 / 0).run(graph)
    except ir.PassError as error:
        assert isinstance(error.__cause__, ZeroDivisionError)
assert old.op == "onnx.Abs" and ge.ir.Graph("new").add_node("onnx.Abs").op
print("done")
""")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


SLOW_INIT = """
import importlib.machinery as machinery, sys, threading, time

class Slow(machinery.ExtensionFileLoader):
    def exec_module(self, module):
        time.sleep(0.3)  # the module is in sys.modules, and empty
        super().exec_module(module)

class Finder:
    def find_spec(self, name, path=None, target=None):
        spec = machinery.PathFinder.find_spec(name, path) if name.endswith("._init") else None
        if spec is not None:
            spec.loader = Slow(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder())
from ge._mlir_like._cext_loader import load
found = []
threads = [threading.Thread(target=lambda: found.append(load("_init").version())) for _ in range(3)]
for thread in threads:
    thread.start()
    time.sleep(0.05)
for thread in threads:
    thread.join()
print(len(found))
"""


def test_threads_that_load_first_wait_for_each_other() -> None:
    """No thread sees a module that another thread is still initializing."""
    done = subprocess.run(
        [sys.executable, "-c", SLOW_INIT], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout == "3\n", done.stderr
