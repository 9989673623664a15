"""The command line as a whole: exit statuses, helpful messages, no traceback for a user's mistake."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_run import affine
from cli_run import ge as ge_run

pytest.importorskip("onnx")

import ge.cli  # noqa: E402

pytestmark = pytest.mark.nosan  # child processes would need the sanitizer's runtime


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ge", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )


def test_help_lists_every_command_and_each_has_its_own() -> None:
    status, out, _ = ge_run("--help")
    assert status == 0
    for name, text in ge.cli.COMMANDS.items():
        assert f"  {name}" in out
        assert text in out
        assert ge_run(name, "--help")[0] == 0
        assert ge_run("help", name).out == ge_run(name, "--help").out


def test_no_command_is_wrong_usage() -> None:
    assert ge_run().status == 2
    assert "usage: ge COMMAND" in ge_run().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chek"], "did you mean 'check'?"),
        (["model.onnx"], "'ge info model.onnx'"),
        (["--json"], "the command comes first"),
        (["check", "a.onnx"], "required: B"),
        (["info"], "required: MODEL"),
        (["info", "a.onnx", "--nosuch"], "unrecognized arguments: --nosuch"),
        (["check", "a", "b", "--runs", "many"], "invalid int value: 'many'"),
        (["convert", "-"], "give -o OUT"),
    ],
)
def test_wrong_usage_is_status_2_and_says_what_is_right(arguments: list[str], says: str) -> None:
    status, out, err = ge_run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("ge: error: ")
    assert says in err


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "No such file"), (b"", "empty"), (b"no model at all", "byte"), (b"\x0a", "byte")],
)
@pytest.mark.parametrize("command", ["info", "convert"])
def test_a_file_that_is_no_model_is_one_clear_error(
    tmp_path: Path, command: str, content: bytes | None, says: str
) -> None:
    path = tmp_path / "m.onnx"
    if content is not None:
        path.write_bytes(content)
    status, out, err = ge_run(command, path)
    assert (status, out) == (1, "")
    assert err.startswith("ge: error: ")
    assert "m.onnx" in err
    assert says in err
    assert err.count("\n") == 1


def test_a_directory_is_no_model(tmp_path: Path) -> None:
    status, _, err = ge_run("info", tmp_path)
    assert status == 1
    assert str(tmp_path) in err


def test_the_module_runs_as_a_program(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    done = run("info", path)
    assert done.returncode == 0, done.stderr
    assert "onnx.Mul" in done.stdout
    assert run("info", tmp_path / "none.onnx").returncode == 1
    assert run("nosuch").returncode == 2
    assert "Traceback" not in run("info", tmp_path / "none.onnx").stderr


def test_a_reader_that_stops_reading_is_no_traceback(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    process = subprocess.Popen(
        [sys.executable, "-m", "ge.cli", "info", *[str(path)] * 500],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err == b""


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_traceback(tmp_path: Path, closed: str) -> None:
    affine(tmp_path / "m.onnx")

    def shell(words: str) -> subprocess.CompletedProcess[str]:
        command = f'"{sys.executable}" -m ge.cli {words} {closed}'
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    done = shell("optimize m.onnx -o result.onnx")
    assert (done.returncode, done.stderr) == (0, "")
    # No output went to a file that had been opened with the descriptor of the closed stream.
    assert run("info", tmp_path / "result.onnx").returncode == 0
    done = shell("info nosuch.onnx")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_rich_is_loaded_for_a_terminal_only(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    code = "import sys; from ge.cli import main; main(['info', sys.argv[1]]); print('rich' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_a_terminal_gets_tables_of_rich(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    code = (
        "import os, pty, sys; status = pty.spawn(sys.argv[1:]); "
        "sys.exit(os.waitstatus_to_exitcode(status))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-m", "ge.cli", "info", path],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
        check=True,
    )
    assert "onnx.Mul" in done.stdout
    assert "─" in done.stdout


def test_a_defect_of_ours_shows_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    import ge.cli._info as command

    monkeypatch.setattr(command, "read", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ge_run("info", "m.onnx")


def test_the_version() -> None:
    assert ge_run("--version").out.startswith("ge ")
