"""``ge info`` and ``ge convert``: the report agrees with the file, and a conversion loses nothing."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_run import affine, ge, write_model

onnx = pytest.importorskip("onnx")
from onnx import helper, numpy_helper  # noqa: E402


def test_info_in_json(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    facts = ge("info", path, "--json").json
    assert facts["bytes"] == path.stat().st_size
    assert facts["opsets"] == {"onnx": 17}
    assert facts["ir_version"] == 8
    assert facts["operators"] == {"onnx.Add": 1, "onnx.Mul": 1}
    assert facts["inputs"] == [{"name": "x", "type": 'tensor<?x3xf32, {dims = ["N", ""]}>'}]
    assert facts["free_dimensions"] == {"N": ["x"]}
    assert facts["weights"] == {"tensors": 2, "parameters": 2, "bytes": 8, "types": {"f32": 2}}
    assert facts["warnings"] == ["1 values have no known type; 'ge optimize' infers types"]


def test_info_of_several_models(tmp_path: Path) -> None:
    a, b = affine(tmp_path / "a.onnx"), affine(tmp_path / "b.onnx")
    facts = ge("info", a, b, "--json").json
    assert [m["file"] for m in facts["models"]] == [str(a), str(b)]


def test_info_counts_what_is_inside_control_flow(tmp_path: Path) -> None:
    def branch(op: str) -> onnx.GraphProto:
        out = helper.make_tensor_value_info("b" + op, 1, [2])
        return helper.make_graph([helper.make_node(op, ["x"], ["b" + op])], op, [], [out])

    node = helper.make_node(
        "If", ["c"], ["y"], then_branch=branch("Abs"), else_branch=branch("Neg")
    )
    path = write_model(
        tmp_path / "m.onnx", [node], {"c": ("BOOL", []), "x": ("FLOAT", [2])}, {"y": ("FLOAT", [2])}
    )
    facts = ge("info", path, "--json").json
    assert facts["operators"] == {"onnx.Abs": 1, "onnx.If": 1, "onnx.Neg": 1}
    assert facts["subgraphs"] == 2
    assert "3 nodes have no name" in facts["warnings"]


@pytest.mark.parametrize(
    ("node", "opset", "warning"),
    [
        (
            helper.make_node("Nosuch", ["x"], ["y"], "n"),
            17,
            "1 nodes of onnx.Nosuch, an unregistered operator",
        ),
        (
            helper.make_node("RandomNormalLike", ["x"], ["y"], "n"),
            17,
            "1 nodes give random numbers: outputs cannot be compared",
        ),
        (helper.make_node("Relu", ["x"], ["y"], "n"), 6, "opset 6 is older than 7"),
    ],
)
def test_info_warns(tmp_path: Path, node: onnx.NodeProto, opset: int, warning: str) -> None:
    path = write_model(
        tmp_path / "m.onnx", [node], {"x": ("FLOAT", [2])}, {"y": ("FLOAT", [2])}, opset=opset
    )
    out = ge("info", path).out
    assert f"warning: {warning}" in out


def test_info_shows_external_data(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    model = onnx.load(path)
    big = np.arange(4096, dtype=np.float32)
    model.graph.initializer.append(numpy_helper.from_array(big, "big"))
    onnx.save(model, path, save_as_external_data=True, location="weights", size_threshold=100)
    facts = ge("info", path, "--json").json
    assert facts["external_data"] == {"weights": (tmp_path / "weights").stat().st_size}
    assert "weights: 16.0 KiB" in ge("info", path).out


def test_convert_there_and_back_is_the_same_bytes(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    assert ge("convert", path).status == 0
    text = tmp_path / "m.mlir"
    assert "onnx.Mul" in text.read_text()
    done = ge("convert", text, "-o", tmp_path / "again.onnx", "--json")
    assert done.json["bytes"] == path.stat().st_size
    assert (tmp_path / "again.onnx").read_bytes() == path.read_bytes()


def test_convert_says_how_many_layouts_onnx_does_not_hold(tmp_path: Path) -> None:
    plain, other = "tensor<2x2xf32>", 'tensor<2x2xf32, {format = "NCHW"}>'
    text = """func.func @main(%x: {0}) -> {1} {{
        %a = "onnx.Abs"(%x) : ({0}) -> {1}
        %b = "onnx.Neg"(%a) : ({1}) -> {1}
        return %b : {1}
    }}"""
    (tmp_path / "m.mlir").write_text(text.format(plain, other))
    done = ge("convert", tmp_path / "m.mlir", "-o", tmp_path / "m.onnx")
    assert done.status == 0
    said = "ONNX has no layouts: 2 values have one in their types, which are not written"
    assert done.err.count("remark") == 1 and f"ge: remark: {said}\n" in done.err
    (tmp_path / "m.mlir").write_text(text.format(plain, plain))
    assert "remark" not in ge("convert", tmp_path / "m.mlir", "-o", tmp_path / "m.onnx").err


def test_convert_to_standard_output(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    assert ge("convert", path, "-o", "-").out.count("onnx.Mul") == 1
    assert "_elided_" in ge("convert", path, "-o", "-", "--elide", "0").out


def test_convert_with_external_data(tmp_path: Path) -> None:
    weights = {"w": np.arange(2048, dtype=np.float32)}
    node = helper.make_node("Add", ["x", "w"], ["y"])
    path = write_model(
        tmp_path / "m.onnx", [node], {"x": ("FLOAT", [1])}, {"y": ("FLOAT", [2048])}, weights
    )
    assert ge("convert", path, "-o", tmp_path / "e.onnx", "--external-data", "d").status == 0
    assert (tmp_path / "d").stat().st_size == 8192
    assert ge("convert", path, "-o", tmp_path / "t.mlir", "--external-data").status == 2


def test_a_text_that_is_wrong_says_where(tmp_path: Path) -> None:
    path = tmp_path / "m.mlir"
    path.write_text("func.func @main( {")
    status, _, err = ge("convert", path)
    assert status == 1
    assert "m.mlir:1:" in err
    path.write_bytes(b"\xff\xfe\x00")
    assert "no text" in ge("convert", path).err


def test_a_text_goes_where_a_link_points_and_keeps_the_mode(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    real, link = tmp_path / "real.mlir", tmp_path / "link.mlir"
    real.write_text("")
    real.chmod(0o600)
    link.symlink_to("real.mlir")
    assert ge("convert", path, "-o", link).status == 0
    assert link.is_symlink()
    assert "func.func" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_text_on_a_full_device_is_an_error_with_its_name(tmp_path: Path) -> None:
    path, link = affine(tmp_path / "m.onnx"), tmp_path / "full.mlir"
    link.symlink_to("/dev/full")
    done = ge("convert", path, "-o", link, "--allow-pipe")
    assert (done.status, done.err) == (1, f"ge: error: {link}: No space left on device\n")
    assert link.is_symlink()
    done = ge("optimize", path, "-o", tmp_path / "r.onnx", "--trace", "/dev/full")
    assert done.status == 1
    assert "/dev/full: it is a pipe or a device" in done.err
    assert not (tmp_path / "r.onnx").exists()


@pytest.mark.parametrize("command", ["convert", "optimize"])
@pytest.mark.parametrize("name", ["../w", "a/b", "r.onnx", ""])
def test_a_name_that_external_data_cannot_have_is_wrong_use(
    tmp_path: Path, command: str, name: str
) -> None:
    path = affine(tmp_path / "m.onnx")
    done = ge(command, path, "-o", tmp_path / "r.onnx", "--external-data", name)
    assert done.status == 2
    assert "--external-data: " in done.err and "external data" in done.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx"]


def test_a_text_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = affine(tmp_path / "m.onnx")
    (tmp_path / "out.mlir").mkdir()
    status, _, err = ge("convert", path, "-o", tmp_path / "out.mlir")
    assert status == 1
    assert "out.mlir" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx", "out.mlir"]


@pytest.mark.parametrize("command", ["info", "info --json", "optimize -o out.onnx", "why"])
def test_names_of_a_model_do_not_control_the_terminal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control characters in names are escaped, in warnings of passes, too."""
    monkeypatch.chdir(tmp_path)
    evil = "x\x1b[2J\x9b31m\u202e\x07"
    nodes = [
        helper.make_node("Add", ["x", "w"], ["y" + evil], name=evil),
        helper.make_node("Neg", ["y" + evil], ["z"], name="n" + evil),
    ]
    infos = [helper.make_tensor_value_info(name, 1, [2]) for name in "xz"]
    weight = numpy_helper.from_array(np.ones(3, np.float32), "w")
    graph = helper.make_graph(nodes, evil, infos[:1], infos[1:], [weight])
    imports = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=imports, producer_name=evil)
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    (tmp_path / "p.py").write_text(
        "from ge.passes import FusionBasePass, register_fusion_pass\n"
        "@register_fusion_pass(name='Empty', stage='AfterInferShape')\n"
        "class Empty(FusionBasePass):\n"
        "    def run(self, graph, context):\n"
        "        return None\n"
    )
    word, *rest = command.split()
    before = ["p.py"] if word == "why" else []
    if word == "optimize":  # pytest would capture the log that the command prints
        ended = subprocess.run(
            [sys.executable, "-m", "ge.cli", word, "m.onnx", *rest], capture_output=True, text=True
        )
        assert "\\x1b[2J" in ended.stderr and "infer-types" in ended.stderr
        shown = ended.stdout + ended.stderr
    else:
        done = ge(word, *before, "m.onnx", *rest)
        shown = done.out + done.err
    assert not {"\x1b", "\x9b", "\u202e", "\x07"} & set(shown), shown
