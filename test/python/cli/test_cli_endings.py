"""Which files the commands write is decided by the ending of the name, and other endings are wrong usage."""

from pathlib import Path

import pytest
from cli_run import ge

pytest.importorskip("onnx")
from cli_models import chain  # noqa: E402

REFUSED = [
    "r.tflite", "r.pb", "r.h5", "r.json", "r.pt", "r.ort", "r.mlmodel", "r.onnx.xml", "R.TFLITE", "r.npz", "r.onxn",
]  # fmt: skip
ACCEPTED = {
    "r.onnx": b"\x08", "R.ONNX": b"\x08", "r": b"\x08", "resnet-v1.5": b"\x08", "r.mlir": b"module", "r.ge": b"module",
    "r.txt": b"module",
}  # fmt: skip


@pytest.mark.parametrize("command", ["convert", "optimize"])
@pytest.mark.parametrize("name", REFUSED)
def test_other_endings_are_wrong_usage(tmp_path: Path, command: str, name: str) -> None:
    model = chain(tmp_path / "in.onnx")
    done = ge(command, model, "-o", tmp_path / name)
    assert done.status == 2 and ".onnx is ONNX" in done.err and ".mlir" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.onnx"]


@pytest.mark.parametrize("command", ["convert", "optimize"])
@pytest.mark.parametrize("name", ACCEPTED)
def test_the_ending_decides(tmp_path: Path, command: str, name: str) -> None:
    done = ge(command, chain(tmp_path / "in.onnx"), "-o", tmp_path / name)
    assert done.status == 0, done.err
    assert (tmp_path / name).read_bytes().startswith(ACCEPTED[name])


def test_the_form_of_onnxsim_is_checked_too(tmp_path: Path) -> None:
    assert ge("optimize", chain(tmp_path / "in.onnx"), tmp_path / "out.tflite").status == 2


def test_what_is_read_may_have_any_name(tmp_path: Path) -> None:
    model = chain(tmp_path / "in.model")
    assert ge("optimize", model, "-o", tmp_path / "out.onnx").status == 0


def test_a_pass_file_that_runs_by_itself_refuses_other_endings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from ge.passes import main

    model = chain(tmp_path / "in.onnx")
    target = tmp_path / "out.tflite"
    assert main([str(model), "-o", str(target), "--passes", "cse"]) == 2
    assert ".tflite" in capsys.readouterr().err and not target.exists()
    assert main([str(model), "-o", str(tmp_path / "out.onnx"), "--passes", "cse"]) == 0
