"""Native plugins: shared libraries of passes that do not link against GE, loaded by ge-opt and by Python.

The error for a plugin that cannot be loaded names it; nothing of it stays registered, and other plugins still load.
"""

import gc
import os
import re
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from native_plugins import INCLUDE, compile_library
from needs import CC
from places import SUPPORT

import ge.ir as ir
import ge.passes as passes
from ge.ir import PassError

pytestmark = CC

GRAPH = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %n = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %n : tensor<2xf32>
}
"""
FIVE = ["five-count", "five-erase-dead", "five-options", "five-rename", "five-throws"]


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = (SUPPORT / "plugin_five.cpp", SUPPORT / "plugin_five_more.cpp")
    return compile_library(tmp_path_factory.mktemp("five") / "five.so", *sources)


Plain = Callable[..., Path]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    made: dict[str, Path] = {}

    def make(variant: str = "") -> Path:
        """Return a copy of the plugin in C, compiled with -D<variant>."""
        if variant not in made:
            out = tmp_path_factory.mktemp("plain") / f"plain{variant}.so"
            flags = (f"-D{variant}",) if variant else ()
            made[variant] = compile_library(
                out, SUPPORT / "plugin_plain.c", flags=flags, link=False
            )
        return made[variant]

    return make


def opt(*words: object, env: "dict[str, str] | None" = None) -> "subprocess.CompletedProcess[str]":
    tool = Path(os.environ["GE_BUILD_DIR"]) / "bin" / "ge-opt"
    command = [str(tool), *map(str, words)]
    clean = {k: v for k, v in os.environ.items() if k not in ("GE_PASS_PLUGINS", "ASCEND_OPP_PATH")}
    return subprocess.run(
        command,
        input=GRAPH,
        capture_output=True,
        text=True,
        env={**clean, **(env or {})},
        timeout=60,
    )


@pytest.mark.slow
def test_a_plugin_needs_no_symbol_of_ge(five: Path, plain: Plain) -> None:
    if shutil.which("nm") is None:
        pytest.skip("needs package binutils")
    for path in (five, plain()):
        text = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
        symbols = [line.split()[-2:] for line in text.splitlines()]
        assert [name for kind, name in symbols if kind in "Uw" and name.startswith("ge")] == []
        assert [n for k, n in symbols if k not in "Uw" and n.startswith("ge")] == ["gePluginInit"]
        assert not [name for kind, name in symbols if kind == "u"]  # never unmapped


def test_five_passes_of_one_plugin_run(five: Path) -> None:
    done = opt("--load-pass-plugin", five, "--list-passes")
    listed = [line for line in done.stdout.splitlines() if line.startswith("five-")]
    assert listed == FIVE, done.stderr
    done = opt("--load-pass-plugin", five, "--stage=AfterInferShape", "--statistics")
    assert done.returncode == 0, done.stderr
    # Passes run by priority: the rename runs first, so the node that is erased later has the new name.
    assert "onnx.Abs" not in done.stdout and "onnx.Neg" in done.stdout
    assert "erased" in done.stderr
    done = opt(
        f"--load-pass-plugin={five}", "--pass-pipeline=five-count,five-rename", "--statistics"
    )
    assert 'ge.name = "renamed"' in done.stdout and "nodes" in done.stderr


def test_what_a_pass_throws_fails_it_and_is_undone(five: Path) -> None:
    done = opt(f"--load-pass-plugin={five}", "--pass-pipeline=five-throws")
    assert done.returncode == 1 and done.stdout == ""
    assert "boo from C++" in done.stderr and "five-throws" in done.stderr
    done = opt(f"--load-pass-plugin={five}", "--pass-pipeline=five-throws", "--keep-going")
    assert done.returncode == 1 and "renamed" not in done.stdout


def test_the_command_in_a_reproducer_loads_the_plugin(five: Path, tmp_path: Path) -> None:
    reproducer = tmp_path / "again.mlir"
    done = opt(
        f"--load-pass-plugin={five}",
        "--pass-pipeline=five-throws",
        f"--crash-reproducer={reproducer}",
    )
    assert done.returncode == 1
    line = reproducer.read_text().splitlines()[1]
    again = opt(*shlex.split(line.removeprefix("// Run: ge-opt")))
    assert again.returncode == 1 and "boo from C++" in again.stderr


def test_passes_read_options_of_the_run(five: Path) -> None:
    done = opt(f"--load-pass-plugin={five}", "--stage=BeforeInferShape", "--option=answer=42")
    assert done.returncode == 0 and "remark: 42" in done.stderr, done.stderr


def test_the_plugin_of_the_guide(tmp_path: Path) -> None:
    page = (SUPPORT.parents[2] / "docs/guide-native-pass.md").read_text()
    (text,) = re.findall(r"^```cpp\n(.*?)^```$", page, re.M | re.S)
    (tmp_path / "mine.cpp").write_text(text)
    path = compile_library(tmp_path / "mine.so", tmp_path / "mine.cpp")
    done = opt("--load-pass-plugin", path, "--stage=AfterInferShape", "--statistics")
    assert done.returncode == 0 and "1 erased" in done.stderr, done.stderr


def test_a_plugin_in_c_uses_the_table_alone(plain: Plain) -> None:
    done = opt("--load-pass-plugin", plain(), "--pass-pipeline=plain-erase-dead")
    assert done.returncode == 0 and "onnx.Abs" not in done.stdout, done.stderr


def test_places_of_the_environment_in_lexical_order(
    five: Path, plain: Plain, tmp_path: Path
) -> None:
    vendor = tmp_path / "vendors" / "acme" / "custom_fusion_passes"
    vendor.mkdir(parents=True)
    shutil.copy(plain(), vendor / "b.so")
    shutil.copy(compile_other(tmp_path), vendor / "a.so")  # a library of CANN, without gePluginInit
    (tmp_path / "more").mkdir()
    shutil.copy(five, tmp_path / "more" / "five.so")
    (tmp_path / "more" / "readme.txt").write_text("no plugin")
    env = {
        "ASCEND_OPP_PATH": str(tmp_path),
        "GE_PASS_PLUGINS": f"{tmp_path / 'more'}:{tmp_path / 'none'}",
    }
    done = opt("--list-passes", "-v", env=env)
    assert done.returncode == 0 and done.stderr == ""
    plugins = [line for line in done.stdout.splitlines() if line.startswith("plugin ")]
    assert plugins == [
        f"plugin {vendor}/a.so: not loaded, it has no gePluginInit (CANN's C++ interface?)",
        f"plugin {vendor}/b.so: plain-erase-dead",
        f"plugin {tmp_path}/more/five.so: five-erase-dead five-rename five-throws five-count five-options",
    ]
    assert opt("--pass-pipeline=plain-erase-dead,five-count", env=env).returncode == 0


def compile_other(directory: Path) -> Path:
    source = directory / "other.c"
    source.write_text(
        "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }"
    )
    return compile_library(directory / "other.so", source, link=False)


THROWS = """
#include "ge-c/Api.h"
#include <stdexcept>
GE_PLUGIN_EXPORT GeStatus gePluginInit(const GeApi *, GePluginRegistrar *) {
  throw std::runtime_error("boo");
}
"""


def bad(kind: str, plain: Plain, tmp_path: Path) -> Path:
    """Return a plugin that cannot be loaded."""
    path = tmp_path / "bad.so"
    if kind == "no ELF":
        path.write_text("#!/bin/sh\n")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        path.write_bytes(plain().read_bytes()[:2000])
    elif kind == "other machine":
        data = bytearray(plain().read_bytes())
        data[18:20] = (40).to_bytes(2, "little")  # EM_ARM
        path.write_bytes(data)
    elif kind == "throws":
        (tmp_path / "throws.cpp").write_text(THROWS)
        compile_library(path, tmp_path / "throws.cpp", link=False)
    elif kind == "missing symbol":
        (tmp_path / "missing.c").write_text(
            '#include "ge-c/Api.h"\nvoid nowhere(void);\nGE_PLUGIN_EXPORT GeStatus gePluginInit(const GeApi *a, '
            "GePluginRegistrar *r) { (void)a; (void)r; nowhere(); return GE_OK; }\n"
        )
        compile_library(path, tmp_path / "missing.c", link=False)
    elif kind == "other ABI":
        include = tmp_path / "include"
        shutil.copytree(INCLUDE, include)
        support = include / "ge-c/Support.h"
        text = support.read_text()
        support.write_text(text.replace("GE_C_ABI_VERSION 1", "GE_C_ABI_VERSION 999"))
        source = SUPPORT.parents[2] / "lib/Host/Stubs.c"
        (tmp_path / "stubs").mkdir()
        for file in (source, source.with_name("Stubs.inc")):
            shutil.copy(file, tmp_path / "stubs")
        stubs = compile_object(tmp_path / "stubs" / "Stubs.c", include)
        compile_library(
            path, SUPPORT / "plugin_five.cpp", flags=(str(stubs),), include=include, link=False
        )
    else:
        shutil.copy(plain(kind if kind.isupper() else ""), path)
        path.chmod(0o775 if kind == "group-writable" else 0o755)
        if kind == "group-writable":
            os.chown(path, os.getuid(), 54321)
    return path


def compile_object(source: Path, include: Path) -> Path:
    out = source.with_suffix(".o")
    subprocess.run(
        ["cc", "-std=c17", "-fPIC", "-c", f"-I{include}", "-o", str(out), str(source)], check=True
    )
    return out


BAD = {
    "no ELF": "it is not an ELF file",
    "empty": "it is not an ELF file",
    "cut": "it is a damaged ELF file",
    "other machine": "it is an ELF file for another machine",
    "throws": "gePluginInit threw: boo",
    "missing symbol": "nowhere",
    "other ABI": "it was built for C ABI 999 and this GE has C ABI 1; rebuild it",
    "FAILS": "no licence",
    "FAILS_SILENTLY": "gePluginInit failed without a message",
    "TWICE": "plain-erase-dead",
    "NO_SIZE": "the size of a GePassTable is not set; set it to sizeof(GePassTable)",
    "NESTED": "from inside a gePluginInit",
    "group-writable": "chmod g-w",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_plugin_names_itself_and_disables_no_other(
    kind: str, five: Path, plain: Plain, tmp_path: Path
) -> None:
    if kind == "group-writable" and os.getuid() != 0:
        pytest.skip("only root can give a file to another group")
    path = bad(kind, plain, tmp_path)
    done = opt("--load-pass-plugin", path, "--list-passes")
    assert done.returncode == 2 and f"cannot load plugin '{path}': " in done.stderr
    assert BAD[kind] in done.stderr
    # The same for a plugin named by the environment; the other plugin still loads.
    done = opt("--list-passes", env={"GE_PASS_PLUGINS": f"{path}:{five}"})
    assert done.returncode == 1 and f"{path}: error: cannot be loaded: " in done.stderr
    assert BAD[kind] in done.stderr
    listed = [line for line in done.stdout.splitlines() if line.startswith(("five-", "plain-"))]
    assert listed == FIVE


# --- From Python


@pytest.fixture
def unloaded(clean_passes: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Unload native plugins before and after the test."""
    for name in ("GE_PASS_PLUGINS", "ASCEND_OPP_PATH"):
        monkeypatch.delenv(name, raising=False)
    passes.unload_pass_plugins()
    yield
    passes.unload_pass_plugins()


def is_mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def registered() -> list[str]:
    names = [str(p["name"]) for p in passes.list_passes()]
    return [name for name in names if name.startswith(("five-", "plain-"))]


def test_python_loads_a_plugin_and_unloads_it(five: Path, unloaded: None) -> None:
    names = passes.load_plugin(five)
    assert sorted(names) == FIVE == sorted(registered())
    assert passes.load_plugin(str(five)) == names  # loading it again has no effect
    graph = ir.Graph.parse(GRAPH)
    result = passes.PassManager.parse("five-erase-dead").run(graph)
    assert result.changed and len(graph.nodes) == 1
    with pytest.raises(PassError, match="boo from C\\+\\+"):
        passes.PassManager.parse("five-throws").run(graph)
    assert is_mapped(five)
    del result
    gc.collect()
    passes.unload_pass_plugins()
    assert registered() == [] and not is_mapped(five)
    assert passes.load_plugin(five) == names  # it can be loaded again


def test_a_manager_keeps_the_file_of_its_pass(five: Path, unloaded: None) -> None:
    passes.load_plugin(five)
    manager = passes.PassManager.parse("five-erase-dead")
    passes.unload_pass_plugins()
    assert registered() == [] and is_mapped(five)
    graph = ir.Graph.parse(GRAPH)
    assert manager.run(graph).changed
    del manager
    gc.collect()
    assert not is_mapped(five)


def test_stages_mix_plugins_and_python_in_one_order(five: Path, unloaded: None) -> None:
    passes.load_plugin(five)

    @passes.register_fusion_pass(name="five-nothing", stage=passes.PassStage.AFTER_INFER_SHAPE)
    class Nothing(passes.FusionBasePass):
        def run(self, graph: ir.Graph, context: object) -> None:
            assert graph.nodes[0].name == "renamed"

    stage = passes.PassStage.AFTER_INFER_SHAPE
    listed = [d.pass_name for d in passes.passes_of_stage(stage) if d.pass_name.startswith("five")]
    assert listed == ["five-rename", "five-erase-dead", "five-nothing"]
    origin = next(d for d in passes.passes_of_stage(stage) if d.pass_name == "five-rename")
    assert origin.module_name == str(five)


def test_the_environment_names_plugins(
    five: Path, plain: Plain, tmp_path: Path, unloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bad("FAILS", plain, tmp_path)
    monkeypatch.setenv("GE_PASS_PLUGINS", f"{path}:{five}")
    passes.load_pass_plugins()
    assert sorted(registered()) == FIVE
    errors = passes.bootstrap.load_errors()
    assert list(errors) == [str(path)] and "no licence" in errors[str(path)]


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_plugin_is_an_exception(
    kind: str, five: Path, plain: Plain, tmp_path: Path, unloaded: None
) -> None:
    if kind == "group-writable" and os.getuid() != 0:
        pytest.skip("only root can give a file to another group")
    passes.load_plugin(five)
    path = bad(kind, plain, tmp_path)
    for _ in range(2):
        with pytest.raises((OSError, ValueError, RuntimeError)) as caught:
            passes.load_plugin(path)
        assert BAD[kind] in str(caught.value) and str(path) in str(caught.value)
    assert sorted(registered()) == FIVE


def test_eight_threads_load_one_plugin(five: Path, unloaded: None) -> None:
    loaded: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: loaded.append(passes.load_plugin(five))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loaded) == 8 and all(sorted(names) == FIVE for names in loaded)
