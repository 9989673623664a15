"""``--overwrite-input-shape``: a symbol has to hold through the model, and a branch that is not taken may not fit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge, write_model

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

F = np.float32


def optimize(path: Path, *arguments: str) -> Any:
    return ge(
        "optimize", path, "-o", path.with_name("o.onnx"), "--overwrite-input-shape", *arguments
    )


def single(
    path: Path, op: str, shape: list[int], weights: dict[str, Any], **attributes: Any
) -> Path:
    node = helper.make_node(op, ["x", *weights], ["y"], name="fixed", **attributes)
    return write_model(path, [node], {"x": ("FLOAT", shape)}, {"y": ("FLOAT", None)}, weights)


@pytest.mark.parametrize(
    ("op", "shape", "weights", "words"),
    [
        ("Reshape", [2, 6], {"s": np.array([2, 2, 3])}, "x:batch,6"),
        ("Mul", [5, 6], {"w": np.ones((5, 6), F)}, "x:batch,6"),
        ("MatMul", [5, 6], {"w": np.ones((6, 2), F)}, "x:5,width"),
        ("MatMul", [5, 6], {"w": np.ones((6, 2), F)}, "x:5,-1"),
        ("Conv", [1, 6, 9], {"w": np.ones((2, 6, 3), F)}, "x:1,channels,9"),
    ],
)
def test_a_symbol_for_a_fixed_size_is_an_error(
    tmp_path: Path, op: str, shape: list[int], weights: dict[str, Any], words: str
) -> None:
    done = optimize(single(tmp_path / "m.onnx", op, shape, weights), words)
    assert done.status == 1
    assert "node 'fixed'" in done.err
    assert not (tmp_path / "o.onnx").exists()


@pytest.mark.parametrize(
    ("op", "shape", "weights", "words"),
    [
        ("Reshape", [2, 6], {"s": np.array([-1, 2, 3])}, "x:batch,6"),
        ("Mul", [5, 6], {"w": np.ones((1, 6), F)}, "x:batch,6"),
        ("Conv", [1, 6, 64], {"w": np.ones((2, 6, 31), F)}, "x:N,6,length"),
    ],
)
def test_a_symbol_that_holds_is_checked_with_several_sizes(
    tmp_path: Path, op: str, shape: list[int], weights: dict[str, Any], words: str
) -> None:
    done = optimize(single(tmp_path / "m.onnx", op, shape, weights), words, "--check", "1")
    assert done.status == 0, done.err
    assert "also with " in done.out


def test_force_accepts_the_symbol(tmp_path: Path) -> None:
    path = single(tmp_path / "m.onnx", "Reshape", [2, 6], {"s": np.array([2, 2, 3])})
    assert optimize(path, "x:batch,6", "--force").status == 0


def branches(path: Path) -> Path:
    """A flattened tensor if it has three columns, else its transpose, which a MatMul multiplies by two rows."""
    info = helper.make_tensor_value_info
    one = [
        helper.make_node("MatMul", ["x", "three"], ["t"], name="three_columns"),
    ]
    two = [
        helper.make_node("MatMul", ["x", "two"], ["e"], name="two_columns"),
    ]
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "last"], ["c"]),
        helper.make_node("Equal", ["c", "number"], ["q"]),
        helper.make_node(
            "If",
            ["q"],
            ["z"],
            then_branch=helper.make_graph(one, "then", [], [info("t", TensorProto.FLOAT, None)]),
            else_branch=helper.make_graph(two, "else", [], [info("e", TensorProto.FLOAT, None)]),
        ),
        helper.make_node("Relu", ["z"], ["y"]),
    ]
    weights = {
        "last": np.array(1),
        "number": np.array(3),
        "three": np.ones((3, 4), F),
        "two": np.ones((2, 4), F),
    }
    return write_model(path, nodes, {"x": ("FLOAT", ["n", "c"])}, {"y": ("FLOAT", None)}, weights)


@pytest.mark.parametrize("columns", [2, 3])
def test_only_the_branch_that_is_taken_is_judged(tmp_path: Path, columns: int) -> None:
    done = optimize(branches(tmp_path / "m.onnx"), f"x:n,{columns}", "--check", "1")
    assert done.status == 0, done.err
    assert "If" not in {node.op_type for node in onnx.load(tmp_path / "o.onnx").graph.node}


def test_a_contradiction_in_the_branch_that_is_taken_is_an_error(tmp_path: Path) -> None:
    done = optimize(branches(tmp_path / "m.onnx"), "x:n,5")
    assert done.status == 1
    assert "two_columns" in done.err
    assert "three_columns" not in done.err
