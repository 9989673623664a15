"""Reading allocates by the bytes of a file, never by the sizes that it declares: sizes without bytes are errors.

Models are loaded in a process whose address space is limited: an allocation of a declared size fails there.
"""

import subprocess
import sys

import pytest

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402

pytestmark = pytest.mark.nosan  # sanitizers reserve more than the limit

SCRIPT = """
import resource, sys
import ge.ir as ir
import ge.onnx
resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
for line in sys.stdin:
    try:
        ge.onnx.load(bytes.fromhex(line))
        print("loaded")
    except ir.GEError as error:
        print(type(error).__name__)
"""


def load(*models: bytes) -> list[str]:
    child = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(data.hex() for data in models),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    return child.stdout.splitlines()


def model(tensor: TensorProto) -> bytes:
    value = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    node = helper.make_node("Identity", ["w"], ["y"])
    graph = helper.make_graph([node], "g", [], [value], [tensor])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString()


def tensor_of(field: str, dims: list[int]) -> TensorProto:
    types = {"int32_data": TensorProto.INT32, "string_data": TensorProto.STRING}
    tensor = TensorProto(name="w", dims=dims, data_type=types.get(field, TensorProto.FLOAT))
    if field == "raw_data":
        tensor.raw_data = b"\0" * 16
    elif field == "string_data":
        tensor.string_data.append(b"a")
    elif field != "none":
        getattr(tensor, field).append(1)
    return tensor


def test_dimensions_without_bytes_are_an_error() -> None:
    fields = ["raw_data", "float_data", "int32_data", "string_data", "none"]
    sizes = [[1 << 40], [1 << 31, 1 << 31, 4]]
    models = [model(tensor_of(field, dims)) for field in fields for dims in sizes]
    assert load(*models) == ["ModelError"] * len(models)


def test_sizes_that_a_type_states_are_not_allocated() -> None:
    """The size of an input and a shape in a constant are read as they are."""
    huge = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1 << 40, 1 << 20])
    shape = helper.make_tensor("s", TensorProto.INT64, [2], [1 << 40, 1 << 20])
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["c"]),
        helper.make_node("Add", ["x", "c"], ["y"]),
    ]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", [huge], [output], [shape])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    assert load(made.SerializeToString()) == ["loaded"]
