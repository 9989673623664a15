"""``ge doctor`` finds the problems of an installation."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_run import ge as ge_run

from ge._mlir_like import _cext_loader

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it


def doctor(**environment: str) -> tuple[int, dict]:
    done = subprocess.run(
        [sys.executable, "-m", "ge.cli", "doctor", "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_all_is_well_here() -> None:
    done = ge_run("doctor", "--json")
    facts = done.json
    assert (done.status, facts["problems"]) == (0, [])
    assert facts["native"]["directory"] == _cext_loader.native_directory()
    loaded = {os.path.basename(f) for f in facts["native"]["loaded"]}
    assert any(name.startswith("libGE") for name in loaded)
    assert any(name.startswith("ir.") for name in loaded)
    assert "all is well" in ge_run("doctor").out


def test_a_wrong_native_directory_is_found(tmp_path: Path) -> None:
    status, facts = doctor(GE_NATIVE_DIR=str(tmp_path / "none"))
    assert status == 1
    assert "$GE_NATIVE_DIR" in facts["problems"][0]
    assert "no such directory" in facts["problems"][0]
    assert facts["environment"]["GE_NATIVE_DIR"].endswith("none")


def test_a_foreign_package_of_our_name_is_found(tmp_path: Path) -> None:
    # It comes after our package on the path; before it, Python would not find this command.
    (tmp_path / "ge").mkdir()
    (tmp_path / "ge" / "__init__.py").write_text("")
    code = f"import sys, ge.cli; sys.path.append({str(tmp_path)!r}); sys.exit(ge.cli.main(['doctor', '--json']))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1, done.stderr
    (problem,) = json.loads(done.stdout)["problems"]
    assert str(tmp_path / "ge" / "__init__.py") in problem


def evaluators(**environment: str) -> tuple[str, dict]:
    """Return the line about evaluators, and the report in JSON."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GE_EVALUATORS")}
    lines = subprocess.run(
        [sys.executable, "-m", "ge.cli", "doctor"],
        capture_output=True,
        text=True,
        timeout=120,
        env={**clean, **environment},
        check=False,
    ).stdout.splitlines()
    (line,) = [line for line in lines if line.startswith("evaluators: ")]
    return line.removeprefix("evaluators: "), doctor(**environment)[1]


@pytest.mark.slow
def test_where_operators_are_evaluated_is_reported(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    line, facts = evaluators()
    assert line == f"child (onnxruntime and reference in a process of {sys.executable})"
    assert facts["evaluators"]["mode"] == "child"
    assert facts["evaluators"]["engines"] == ["onnxruntime", "reference"]

    line, facts = evaluators(GE_EVALUATORS="inprocess")
    assert line.startswith("in process (onnxruntime and reference")
    assert facts["evaluators"]["mode"] == "inprocess"

    line, facts = evaluators(GE_EVALUATORS="none")
    assert (line, facts["warnings"][1:]) == ("none (GE_EVALUATORS=none)", [])

    # An interpreter that does not exist.
    line, facts = evaluators(GE_PYTHON=str(tmp_path / "python3"))
    assert line.startswith("none (GE_PYTHON=")
    assert facts["evaluators"]["mode"] == "none"
    assert any("evaluated natively only" in warning for warning in facts["warnings"])


@pytest.mark.slow
def test_a_wrong_setting_of_the_evaluators_is_a_problem() -> None:
    for setting in ({"GE_EVALUATORS": "chidl"}, {"GE_EVALUATORS_SECONDS": "soon"}):
        ((name, value),) = setting.items()
        status, facts = doctor(**setting)
        assert status == 1
        assert f"{name}={value}" in facts["problems"][0]


@pytest.mark.slow
def test_plugins_are_listed_and_a_broken_one_is_a_problem(tmp_path: Path) -> None:
    for name, text in (("good", ""), ("bad", "raise ImportError('no library')\n")):
        (tmp_path / f"{name}pkg").mkdir()
        (tmp_path / f"{name}pkg" / "__init__.py").write_text(text)
        about = tmp_path / f"{name}pkg-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}pkg\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(
            "".join(
                f"[ge.{group}]\n{name}pkg = {name}pkg\n"
                for group in ("ops.plugins", "passes.plugins", "es.plugins", "site_initialize")
            )
        )
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    status, facts = doctor(PYTHONPATH=path)
    assert status == 1
    assert {(p["group"], p["name"], p["distribution"]) for p in facts["plugins"]} == {
        (f"ge.{group}", f"{name}pkg", f"{name}pkg 1.0")
        for group in ("ops.plugins", "passes.plugins", "es.plugins", "site_initialize")
        for name in ("good", "bad")
    }
    assert len(facts["problems"]) == 4
    assert all("badpkg" in text and "no library" in text for text in facts["problems"])
