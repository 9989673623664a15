"""Discovery of pass files from the environment: which files load, once, under which names, and errors of bad ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ge.ir as ir
import ge.passes as passes
from ge.passes import bootstrap

PASS = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class {name}(FusionBasePass):
    def run(self, graph, context):
        context.count("ran")
"""
GRAPH = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"


@pytest.fixture(autouse=True)
def clean(clean_passes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(bootstrap.ENV_PY_PASS_PATH, raising=False)
    monkeypatch.delenv("GE_ALLOW_UNSAFE_PLUGINS", raising=False)


def write(path: Path, name: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PASS.format(name=name))
    return path


def names() -> list[str]:
    return [d.pass_name for d in passes.get_registered_passes()]


def load(monkeypatch: pytest.MonkeyPatch, *paths: object) -> list[str]:
    monkeypatch.setenv(bootstrap.ENV_PY_PASS_PATH, os.pathsep.join(map(str, paths)))
    return passes.load_pass_plugins()


def test_files_and_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "d" / "b.py", "B")
    write(tmp_path / "d" / "a.py", "A")
    write(tmp_path / "d" / "_hidden.py", "Hidden")
    write(tmp_path / "d" / "package" / "__init__.py", "Package")
    (tmp_path / "d" / "no_package").mkdir()
    (tmp_path / "d" / "notes.txt").write_text("no python")
    single = write(tmp_path / "single.py", "Single")
    assert len(load(monkeypatch, f" {tmp_path / 'd'} ", "", single)) == 4
    assert names() == ["A", "B", "Package", "Single"]
    graph = ir.Graph.parse(GRAPH)
    result = passes.PassManager.parse("Single,A").run(graph)
    assert result.count("A", "ran") == 1
    assert passes.load_pass_plugins() == []


def test_one_file_by_several_names_is_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "a.py", "A")
    link = tmp_path / "link.py"
    link.symlink_to(file)
    load(monkeypatch, file, link, tmp_path / "." / "a.py")
    assert names() == ["A"] and not bootstrap.load_errors()


def test_the_environment_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, write(tmp_path / "a.py", "A"))
    load(monkeypatch, write(tmp_path / "b.py", "B"))
    assert names() == ["A", "B"]


def test_bad_files_do_not_concern_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = write(tmp_path / "z_good.py", "Good")
    half = write(tmp_path / "half.py", "Half")
    half.write_text(half.read_text() + "\nraise ImportError('half way')\n")
    twice = write(tmp_path / "twice.py", "Good2")
    twice.write_text(twice.read_text() + twice.read_text())
    syntax = tmp_path / "syntax.py"
    syntax.write_text("def")
    text = tmp_path / "text.txt"
    text.write_text("")
    load(monkeypatch, half, twice, syntax, text, tmp_path / "missing.py", good)
    assert names() == ["Good"]
    errors = bootstrap.load_errors()
    assert "ImportError: half way" in errors[str(half)]
    assert "already exists" in errors[str(twice)]
    assert "SyntaxError" in errors[str(syntax)]
    assert "must be a .py file" in errors[str(text)]
    assert "does not exist" in errors[str(tmp_path / "missing.py")]
    listed = [each for each in passes.list_passes() if each["error"]]
    assert {each["origin"] for each in listed} == set(errors)
    # Once repaired, the file is loaded the next time.
    write(half, "Half")
    passes.load_pass_plugins()
    assert names() == ["Good", "Half"] and str(half) not in bootstrap.load_errors()


def test_unload_and_load_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "package" / "__init__.py", "InPackage")
    write(tmp_path / "a.py", "A")
    first = load(monkeypatch, tmp_path / "a.py", tmp_path)
    keys = [d.descriptor_key for d in passes.get_registered_passes()]
    bootstrap.unload_pass_plugins()
    assert names() == [] and not any(name in sys.modules for name in first)
    assert passes.load_pass_plugins() == first
    assert [d.descriptor_key for d in passes.get_registered_passes()] == keys


def test_operators_of_a_file_go_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "a.py", "A")
    good = file.read_text() + "\nfrom ge import ops\nlibrary = ops.Library('discovered')\n"
    file.write_text(good + "raise ImportError('half way')\n")
    load(monkeypatch, file)
    assert "half way" in bootstrap.load_errors()[str(file)]
    file.write_text(good)
    assert len(passes.load_pass_plugins()) == 1
    bootstrap.unload_pass_plugins()
    assert len(passes.load_pass_plugins()) == 1 and not bootstrap.load_errors()


def test_names_are_the_same_in_every_process(tmp_path: Path) -> None:
    write(tmp_path / "a.py", "A")
    program = (
        "import ge.passes as p; p.load_pass_plugins();"
        "print(p.get_registered_passes()[0].descriptor_key)"
    )
    seen = set()
    for seed in ("0", "1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            bootstrap.ENV_PY_PASS_PATH: str(tmp_path),
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1


def test_a_file_may_import_its_neighbours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_mgr_neighbour.py").write_text("NAME = 'FromNeighbour'\n")
    file = tmp_path / "a.py"
    file.write_text("import _mgr_neighbour\n" + PASS.format(name="A"))
    path = list(sys.path)
    load(monkeypatch, file)
    assert names() == ["A"] and sys.path == path
    sys.modules.pop("_mgr_neighbour")


def test_entry_points(tmp_path: Path) -> None:
    write(tmp_path / "plugin_module.py", "FromModule")
    (tmp_path / "plugin_call.py").write_text(
        "def load():\n"
        + "".join(f"    {line}\n" for line in PASS.format(name="FromCall").split("\n"))
    )
    (tmp_path / "plugin_bad.py").write_text("raise RuntimeError('bad plugin')\n")
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[ge.passes.plugins]\nbad = plugin_bad\ncall = plugin_call:load\nmodule = plugin_module\n"
    )
    program = (
        "import ge.passes as p; p.load_pass_plugins();"
        "print([d.pass_name for d in p.get_registered_passes()], p.bootstrap.load_errors());"
        "p.unload_pass_plugins(); p.load_pass_plugins();"
        "print([d.pass_name for d in p.get_registered_passes()],"
        "[e['version'] for e in p.list_passes() if e['name'].startswith('From')])"
    )
    environment = {**os.environ}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.splitlines()
    assert first.startswith("['FromCall', 'FromModule']") and "bad plugin" in first
    assert second == "['FromCall', 'FromModule'] ['1.0', '1.0']"


def test_a_file_runs_by_itself(tmp_path: Path) -> None:
    file = write(tmp_path / "my_pass.py", "Mine")
    file.write_text(
        file.read_text()
        + "\nif __name__ == '__main__':\n    import ge.passes\n    raise SystemExit(ge.passes.main())\n"
    )
    (tmp_path / "in.mlir").write_text(GRAPH)

    def start(*arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, file, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = start(tmp_path / "in.mlir", "-o", tmp_path / "out.mlir")
    assert (done.returncode, done.stderr) == (0, "Mine: unchanged: 1 ran\n")
    assert "func.func @main" in (tmp_path / "out.mlir").read_text()
    assert "func.func @main" in start(tmp_path / "in.mlir", "--passes", "sort").stdout
    failed = start(tmp_path / "missing.mlir")
    assert failed.returncode == 1 and "error:" in failed.stderr and "Traceback" not in failed.stderr
    wrong = start()
    assert wrong.returncode == 2 and "usage:" in wrong.stderr


def test_an_edit_within_the_same_second_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for name in ("A", "B"):
        file = write(tmp_path / "a.py", name)
        os.utime(file, (1_700_000_000, 1_700_000_000))
        load(monkeypatch, file)
        assert names() == [name]
        bootstrap.unload_pass_plugins()


def test_a_second_pass_of_a_name_names_both_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = write(tmp_path / "one.py", "A"), write(tmp_path / "two.py", "A")
    second.write_text("\n\n" + second.read_text())
    monkeypatch.setenv(bootstrap.ENV_PY_PASS_PATH, f"{first}:{second}")
    bootstrap.load_pass_plugins()
    (text,) = bootstrap.load_errors().values()
    assert f"registered at {first}:" in text and f"now at {second}:" in text
