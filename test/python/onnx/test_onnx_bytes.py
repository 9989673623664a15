"""Bytes that are not UTF-8 in a model, a manifest or a lock file are kept as data, or are an error with their place."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_run import affine
from cli_run import ge as run

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402

import ge.ir as ir  # noqa: E402
import ge.onnx  # noqa: E402
from ge.optimize._many import MANIFEST  # noqa: E402

pytestmark = pytest.mark.nosan

# Words that occur once in the model: those of DATA may be other bytes than UTF-8, those of NAMES not.
DATA = ("ATTR", "ATTA", "N0DEDOC", "GRPHDOC", "M0DELDOC", "PR0DUCER", "KEYA", "VALA")
NAMES = ("N0DE", "GRPHNAME", "acme", "INPUTNAME", "Cust0m", "OPTION")


def model(tmp_path: Path, *words: str) -> Path:
    """Write a model in which the last byte of each word is 0xff."""
    value = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("INPUTNAME", "z")
    ]
    nodes = [
        helper.make_node("Relu", ["INPUTNAME"], ["y"], name="n1", doc_string="N0DEDOC"),
        helper.make_node(
            "Cust0m", ["y"], ["z"], name="N0DE", domain="acme", OPTION="ATTR", list=["ATTA", "b"]
        ),
    ]
    graph = helper.make_graph(nodes, "GRPHNAME", value[:1], value[1:], doc_string="GRPHDOC")
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    made = helper.make_model(graph, opset_imports=imports, ir_version=8)
    made.producer_name, made.doc_string = "PR0DUCER", "M0DELDOC"
    helper.set_model_props(made, {"KEYA": "VALA"})
    data = made.SerializeToString()
    for word in words:
        old = word.encode()
        data = data.replace(old, old[:-1] + b"\xff") if word != "N0DE" else data
        if word == "N0DE":
            data = data.replace(b"\x04N0DE", b"\x04N0D\xff")
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("word", [*DATA, None])
def test_data_survives_every_way_of_reading_and_writing(tmp_path: Path, word: str | None) -> None:
    path = model(tmp_path, *(DATA if word is None else [word]))
    module = ge.onnx.load(path)
    data = ge.onnx.to_bytes(module)
    assert sorted(data) == sorted(path.read_bytes())  # fields that are not UTF-8 come first
    assert ge.onnx.to_bytes(ge.onnx.load(data)) == data
    text = module.to_text()
    again = ir.Module.parse(text)
    assert again.to_text() == text
    assert ge.onnx.to_bytes(again) == data
    for graph in module.graphs.values():
        for node in graph.nodes:
            assert dict(node.attributes.items()) is not None and repr(node) and str(node)
    assert dict(module.attributes.items()) and repr(module)


def test_an_attribute_is_bytes(tmp_path: Path) -> None:
    module = ge.onnx.load(model(tmp_path, "ATTR", "ATTA"))
    (node,) = [n for n in next(iter(module.graphs.values())).nodes if n.type == "Cust0m"]
    assert node.attributes["OPTION"] == b"ATT\xff"
    assert list(node.attributes["list"])[0] == b"ATT\xff"


@pytest.mark.parametrize("word", NAMES)
def test_a_name_is_an_error_with_its_place(tmp_path: Path, word: str) -> None:
    path = model(tmp_path, word)
    with pytest.raises(ir.ModelError, match="not UTF-8") as caught:
        ge.onnx.load(path)
    assert caught.value.offset is not None and caught.value.field
    assert caught.value.diagnostics[0].message and str(caught.value.diagnostics[0])
    done = run("info", path)
    assert done.status == 1 and "not UTF-8" in done.err


COMMANDS: list[list[Any]] = [
    ["info", "M"],
    ["info", "M", "--json"],
    ["optimize", "M", "-o", "o.onnx"],
    ["optimize", "M", "-o", "o.onnx", "--json"],
    ["optimize", "M", "-o", "o.mlir"],
    ["convert", "M", "-o", "o.mlir"],
    ["convert", "M", "-o", "-"],
    ["diff", "M", "M"],
    ["diff", "M", "M", "--json"],
    ["view", "M", "-o", "o.svg"],
    ["view", "M", "-o", "o.html"],
    ["optimize", "--jobs", "1", "--output-dir", "many", "M"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    path = model(tmp_path, *DATA)
    done = run(*(path if word == "M" else word for word in command))
    assert (done.status, "Unicode" in done.err) == (0, False), done
    if "--json" in command:
        json.loads(done.out)


def test_a_manifest_and_a_lock_file_with_other_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = affine(tmp_path / "m.onnx")
    command = ["optimize", "--jobs", 1, "--output-dir", "out", source]
    assert run(*command).status == 0
    (manifest,) = [p for p in (tmp_path / "out").iterdir() if p.suffix != ".onnx"]
    manifest.write_bytes(b'{"path": "\xff"}\n\xff\xfe\n' + manifest.read_bytes())
    done = run(*command)
    assert done.status == 0 and "1 done before" in done.out, done
    (tmp_path / "lock.json").write_bytes(b"\xff\xfe")
    done = run("optimize", source, "-o", "o.onnx", "--lock-file", "lock.json")
    assert done.status == 2 and "lock.json is no lock file" in done.err, done
    (tmp_path / "lock.json").unlink()
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    done = run("optimize", source, "-o", "o.onnx", "--passes", "dce")
    assert done.status == 2 and "pyproject.toml" in done.err, done


def test_a_text_with_other_bytes_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_bytes(b'func.func @main() { "a.b"() {k = "\xff"} : () -> () }')
    done = run("info", path)
    assert done.status == 1 and "Traceback" not in done.err and "m.mlir" in done.err, done


@pytest.mark.slow
@pytest.mark.parametrize(
    "field",
    [
        "[" * 100_000,
        '{"planned": ' + "[" * 100_000,
        {"nodes": [[], {}]},
        {"nodes": 3},
        {"bytes": ["1", None]},
        {"notes": [1]},
        {"notes": "text"},
        {"seconds": "x"},
        {"matches": [1]},
        {"matches": {"P": 1}},
        {"error": 1},
        {"path": []},
        {"output": 7},
    ],
    ids=lambda field: str(field)[:20],
)
def test_a_line_of_the_manifest_that_others_wrote_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: object
) -> None:
    monkeypatch.chdir(tmp_path)
    source = affine(tmp_path / "m.onnx")
    command = ["optimize", "--jobs", 1, "--output-dir", "out", source]
    assert run(*command).status == 0
    manifest = tmp_path / "out" / MANIFEST
    if isinstance(field, dict):
        lines = manifest.read_text().splitlines()
        manifest.write_text(f"{lines[0]}\n{json.dumps(json.loads(lines[1]) | field)}\n")
        again = "1 done, 0 done before"
    else:
        manifest.write_text(f"{field}\n{manifest.read_text()}")
        again = "0 done, 1 done before"
    done = run(*command)
    assert done.status == 0 and again in done.out, done


def test_configuration_that_no_parser_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = affine(tmp_path / "m.onnx")
    deep = "[" * 100_000
    (tmp_path / "lock.json").write_text('{"version": 1, "models": ' + deep)
    done = run("optimize", source, "-o", "o.onnx", "--lock-file", "lock.json")
    assert done.status == 2 and "lock.json is no lock file" in done.err, done
    (tmp_path / "lock.json").unlink()
    for text in ("a = " + deep, "a = " + "1" * 10_000, "tool = 3"):
        (tmp_path / "pyproject.toml").write_text(text)
        done = run("optimize", source, "-o", "o.onnx", "--passes", "dce")
        assert done.status == 2 and "pyproject.toml" in done.err, done
