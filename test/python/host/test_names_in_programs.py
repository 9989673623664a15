"""ge-opt and ge-atc print names of a file as `ge` does: nothing in them controls a terminal, directs text or is invisible.

Files that they write keep the names as they are.
"""

import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest
from native_hosts import BUILD

from ge import ir
from ge._support.visible import visible

onnx = pytest.importorskip("onnx")
helper = onnx.helper

GE_ATC, GE_OPT = BUILD / "bin/ge-atc", BUILD / "bin/ge-opt"
EVIL = "\x1b]0;t\x07\x1b[2J\u202e\u3164\ufe0f\u2800\u200b"


def run(*command: object, status: int | None = None) -> bytes:
    """Run a program without passes of the environment; return all that it printed."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        timeout=120,
        check=False,
        env={**os.environ, "GE_NO_PLUGINS": "1"},
    )
    assert status is None or done.returncode == status, done.stderr
    return done.stdout + done.stderr


def is_clean(printed: bytes) -> bool:
    text = printed.decode()  # UTF-8, whatever the input was
    return visible(text, keep="\n\t") == text


def model(path: Path, shape: list[Any], operator: str = "Add", width: int = 2) -> Path:
    info = helper.make_tensor_value_info
    node = helper.make_node(operator, ["x" + EVIL, "w" + EVIL], ["y" + EVIL], name="n" + EVIL)
    graph = helper.make_graph(
        [node],
        "g" + EVIL,
        [info("x" + EVIL, 1, shape), info("w" + EVIL, 1, [width])],
        [info("y" + EVIL, 1, None)],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(proto.SerializeToString())
    return path


@pytest.mark.parametrize("log", ["--log=debug", "--log=info", "--log=error"])
@pytest.mark.parametrize(
    "words", [[], ["--input_shape=z:1"], ["--input_shape=x\x1b[2J:1"], ["--zz\x1b[2J=1"]]
)
@pytest.mark.parametrize("width", [2, 3], ids=["right", "contradiction"])
def test_ge_atc(tmp_path: Path, log: str, words: list[str], width: int) -> None:
    path = model(tmp_path / "m.onnx", ["N" + EVIL, 2], width=width)
    assert is_clean(run(GE_ATC, path, f"--output={tmp_path / 'o'}", log, *words))


def test_ge_atc_with_an_unknown_operator(tmp_path: Path) -> None:
    path = model(tmp_path / "m.onnx", [2], operator="Zzz" + EVIL)
    assert is_clean(run(GE_ATC, path, f"--output={tmp_path / 'o'}", "--log=debug"))


TEXTS = {
    "syntax": 'func.func @f(%x: tensor<2xf32>) { "a' + EVIL + 'b" }',
    "unknown value": f'func.func @f() {{ "onnx.Abs"(%a{EVIL}) : () -> () }}',
    "bytes": b'func.func @f() { "a\x9b2J\xff" }',
    "comment": f"// {EVIL}\nfunc.func @f(",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_ge_opt_with_wrong_text(tmp_path: Path, text: str | bytes) -> None:
    path = tmp_path / "t.mlir"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert is_clean(run(GE_OPT, path, "-o", tmp_path / "o.mlir", status=1))


def graph() -> ir.Graph:
    made = ir.Graph("g")
    value = made.add_input("x" + EVIL, ir.TensorType((2, 3), ir.f32))
    node = made.add_node(
        "onnx.Add",
        [value, value],
        {"text" + EVIL: EVIL},
        name="n" + EVIL,
        result_types=[ir.TensorType((4,), ir.f32)],
    )
    made.outputs = [node.result]
    return made


@pytest.mark.parametrize(
    "words",
    [
        ["--verify"],
        ["--pass-pipeline=infer-types", "--print-after", "--print-locations"],
        ["--pass-pipeline=infer-types", "--timing", "--statistics"],
        [f"--pass-pipeline=cse{EVIL}"],
        [f"--stage={EVIL}"],
        [f"--{EVIL}"],
        [f"--option={EVIL}"],
    ],
)
def test_ge_opt_with_names(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "t.mlir"
    path.write_text(graph().to_text())
    assert is_clean(run(GE_OPT, path, "-o", tmp_path / "o.mlir", *words))


def test_paths_are_names_too(tmp_path: Path) -> None:
    assert is_clean(run(GE_OPT, tmp_path / f"none{EVIL}.mlir", status=1))
    assert is_clean(run(GE_ATC, tmp_path / f"none{EVIL}.onnx", "-o", "o.onnx", status=1))


def test_a_terminal_gets_no_control_and_a_file_gets_the_names(tmp_path: Path) -> None:
    text = f'func.func @f(%x: !acme.t<"{EVIL}">) {{ return }}\n'
    path = tmp_path / "t.mlir"
    path.write_text(text)
    run(GE_OPT, path, "-o", tmp_path / "o.mlir", status=0)
    assert EVIL in (tmp_path / "o.mlir").read_text()
    assert EVIL in run(GE_OPT, path, status=0).decode()
    ours, theirs = pty.openpty()
    process = subprocess.Popen([GE_OPT, path], stdout=theirs, stderr=theirs)
    os.close(theirs)
    printed = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        printed += piece
    os.close(ours)
    assert process.wait() == 0
    assert is_clean(printed.replace(b"\r\n", b"\n")) and b"acme" in printed
