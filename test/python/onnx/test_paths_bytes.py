"""Paths are bytes: every command accepts names that are not UTF-8, in every locale.

Printing never raises; JSON is valid UTF-8, and ``os.fsencode`` restores the bytes of a name from it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_run import affine

pytest.importorskip("onnx")

pytestmark = [
    pytest.mark.nosan,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names"),
]

LOCALES = {
    "UTF-8": {"LC_ALL": "C.UTF-8"},
    "POSIX": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
PASS = b"""
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass

@register_fusion_pass(name="TwoSteps", stage=PassStage.BEFORE_INFER_SHAPE)
class TwoSteps(PatternFusionPass):
    @pattern
    def steps(self, x, f, y):
        return op.Add(op.Mul(x, f), y)

    def replacement(self, x, f, y):
        return op.Sub(op.Mul(x, f), op.Neg(y))
"""
# Runs each command in this process with the locale's streams; prints its status and its output.
PROGRAM = """
import io, json, os, sys, traceback
from ge.cli import main
from ge.passes import unload_pass_plugins

results = []
for command in json.loads(sys.stdin.read()):
    streams = [io.TextIOWrapper(io.BytesIO(), sys.stdout.encoding, sys.stdout.errors) for _ in range(2)]
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = streams
    try:
        status = main([os.fsdecode(bytes.fromhex(word)) for word in command])
    except BaseException:
        status = traceback.format_exc()
    finally:
        sys.stdout, sys.stderr = kept
    for stream in streams:
        stream.flush()
    results.append([status, *(stream.buffer.getvalue().hex() for stream in streams)])
    unload_pass_plugins()
print(json.dumps(results))
"""
MODEL = os.fsencode("mod\u00e8le-") + b"\xff\xfe.onnx"
OTHER = b"b\xe9.onnx"
DIRECTORY = b"d\xff"
FILE = b"p\xe9ss.py"
OUT = b"out\xff"


def run(where: bytes, locale: str, *commands: list[bytes]) -> list[tuple[Any, bytes, bytes]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([[word.hex() for word in command] for command in commands]),
        cwd=where,
        env={**os.environ, **LOCALES[locale]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [(s, bytes.fromhex(out), bytes.fromhex(err)) for s, out, err in json.loads(done.stdout)]


@pytest.fixture
def where(tmp_path: Path) -> bytes:
    """Return a directory with models and a pass file; none of their names is UTF-8."""
    place = os.path.join(os.fsencode(tmp_path), DIRECTORY)
    os.mkdir(place)
    data = affine(tmp_path / "m.onnx", shape=(2, 3)).read_bytes()
    for name, content in ((MODEL, data), (OTHER, data), (FILE, PASS)):
        with open(os.path.join(place, name), "wb") as file:
            file.write(content)
    return place


FAST: list[list[bytes]] = [
    [b"info", MODEL, b"--json"],
    [b"info", MODEL],
    [b"optimize", MODEL, b"-o", OUT + b".onnx", b"--passes", FILE],
    [b"optimize", MODEL, b"-o", OUT + b".onnx", b"--json"],
    [b"convert", MODEL, b"-o", OUT + b".mlir"],
    [b"info", OUT + b".mlir"],
    [b"plugins", FILE, b"--json"],
]
SLOW: list[list[bytes]] = [
    *FAST,
    [b"convert", MODEL, b"-o", b"-"],
    [b"convert", OUT + b".mlir", b"-o", OUT + b"2.onnx"],
    [b"diff", MODEL, OTHER],
    [b"diff", MODEL, OTHER, b"--json"],
    [b"view", MODEL, b"-o", OUT + b".svg"],
    [b"view", MODEL, OTHER, b"-o", OUT + b".html"],
    [b"why", FILE, MODEL],
    [b"why", FILE, MODEL, b"--json"],
    [b"plugins", FILE],
    [b"plugins", b"."],
    [b"check", MODEL, OTHER],
    [b"check", MODEL, OTHER, b"--json"],
    [b"bisect", MODEL, b"--passes", FILE, b"--reproducer-dir", OUT + b"-r"],
    [b"optimize", MODEL, b"-o", OUT + b"3.onnx", b"--check", b"1", b"--trace", OUT + b".json"],
    [b"optimize", MODEL, b"-o", OUT + b"4.onnx", b"--external-data", OUT + b".weights"],
    [b"optimize", MODEL, b"-o", OUT + b"5.onnx", b"--check-rewrites", b"--passes", FILE],
    [b"optimize", MODEL, b"-o", OUT + b"6.onnx", b"--lock", b"--lock-file", OUT + b".lock"]
    + [b"--passes", FILE],
    [b"optimize", b"--jobs", b"2", b"--output-dir", OUT + b"-d", b"--passes", FILE, MODEL, OTHER],
    [b"optimize", b"--jobs", b"1", b"--output-dir", OUT + b"-d", b"--passes", FILE, MODEL, OTHER],
    [b"doctor"],
]


def succeed(where: bytes, locale: str, commands: list[list[bytes]]) -> None:
    for command, (status, out, err) in zip(commands, run(where, locale, *commands), strict=True):
        assert status == 0, (command, status, out, err)
        assert b"Unicode" not in err and b"Traceback" not in err, (command, err)
        if b"--json" in command:
            said = json.loads(out.decode("utf-8"))
            if command[0] == b"optimize":
                # The name as the process decodes it: other locales map the bytes to other characters.
                assert said["output"].encode("utf-8", "surrogateescape") == command[3]


@pytest.mark.parametrize("locale", LOCALES)
def test_commands(where: bytes, locale: str) -> None:
    succeed(where, locale, FAST)
    assert os.path.getsize(os.path.join(where, OUT + b".onnx")) > 0


@pytest.mark.long
@pytest.mark.parametrize("locale", LOCALES)
def test_all_commands(where: bytes, locale: str) -> None:
    pytest.importorskip("onnxruntime")
    succeed(where, locale, SLOW)


@pytest.mark.parametrize("locale", LOCALES)
def test_errors_show_the_name(where: bytes, locale: str) -> None:
    with open(os.path.join(where, b"bad\xff.onnx"), "wb") as file:
        file.write(b"\xff\xff\xff")
    with open(os.path.join(where, b"bad\xff.mlir"), "wb") as file:
        file.write(b"nonsense")
    with open(os.path.join(where, b"bad\xff.py"), "wb") as file:
        file.write(b"import sys; sys.exit(0)")
    commands = [
        [b"info", b"none\xff.onnx"],
        [b"info", b"bad\xff.onnx"],
        [b"info", b"bad\xff.mlir"],
        [b"optimize", MODEL, b"-o", b"o.onnx", b"--passes", b"bad\xff.py"],
        [b"why", b"bad\xff.py", MODEL, b"--json"],
    ]
    for command, (status, out, err) in zip(commands, run(where, locale, *commands), strict=True):
        assert status == 1 and err.startswith(b"ge: error: "), (command, status, err)
        assert b"none" in err or b"bad" in err, (command, err)
        assert b"Traceback" not in err and b"Unicode" not in err, (command, err)
        json.loads(out or b"0")


def test_names_in_this_process(where: bytes) -> None:
    import ge.ir as ir
    import ge.onnx

    here = os.fsdecode(where)
    path = os.path.join(where, MODEL)
    for given in (os.fsdecode(path), Path(os.fsdecode(path))):
        module = ge.onnx.load(given)
    ge.onnx.save(module, os.path.join(here, "s\udcff.onnx"), external_data=True)
    assert os.path.exists(os.path.join(where, b"s\xff.onnx"))
    with pytest.raises(FileNotFoundError) as missing:
        ge.onnx.load(os.path.join(here, "none\udcff"))
    assert os.fsencode(missing.value.filename).endswith(b"none\xff")
    with pytest.raises(ir.ParseError) as caught:
        ir.Module.parse("nonsense", os.path.join(here, "t\udcff.mlir"))
    assert caught.value.diagnostics[0].file == os.path.join(here, "t\udcff.mlir")
    assert "nonsense" in str(caught.value.diagnostics[0])
    with pytest.raises(ValueError, match="null byte"):
        ge.onnx.load("a\0b")
