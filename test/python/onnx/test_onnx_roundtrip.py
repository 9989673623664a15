"""Every available model is proto-equal after reading and writing.

"Proto-equal" is equality after deterministic reserialisation by protobuf, unknown fields included. Not
promised: that the bytes are those of the file, or that nodes that precede their operands keep that place.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
loader = pytest.importorskip("onnx.backend.test.loader")

KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator"]


def canonical(data: bytes) -> bytes:
    return onnx.ModelProto.FromString(data).SerializeToString(deterministic=True)


def difference(data: bytes) -> str:
    """Return "" if the model comes back proto-equal, else the first line that differs."""
    back = ge_onnx.to_bytes(ge_onnx.load(data, context=ir.Context()))
    if canonical(data) == canonical(back):
        return ""
    before = str(onnx.ModelProto.FromString(data)).splitlines()
    after = str(onnx.ModelProto.FromString(back)).splitlines()
    pairs = zip([*before, "<end>"], [*after, "<end>"], strict=False)
    return next((f"{a!r} became {b!r}" for a, b in pairs if a != b), "unknown fields")


def models(kind: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each model of one kind of ONNX's backend tests."""
    for case in loader.load_model_tests(kind=kind):
        if case.model is not None:
            yield case.name, case.model.SerializeToString()
        elif case.model_dir:
            yield case.name, (Path(case.model_dir) / "model.onnx").read_bytes()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_backend_models() -> None:
    """All models of the backend tests, which cover every operator and element type."""
    ran = 0
    wrong = {}
    for kind in KINDS:
        for name, data in models(kind):
            ran += 1
            try:
                what = difference(data)
            except ir.GEError as error:
                what = str(error)
            if what:
                wrong[name] = what
    assert not wrong
    assert ran >= 1800


def test_light_networks() -> None:
    """The networks that the package ships without their weights."""
    light = Path(loader.__file__).parent.parent / "data" / "light"
    paths = sorted(light.glob("*.onnx"))
    assert len(paths) == 9
    assert not {path.name: what for path in paths if (what := difference(path.read_bytes()))}


def test_exported_models() -> None:
    """Models of GE_TEST_MODELS, a directory that is no part of the repository."""
    directory = os.environ.get("GE_TEST_MODELS")
    if not directory:
        pytest.skip("GE_TEST_MODELS names no directory")
    paths = sorted(Path(directory).glob("*.onnx"))
    assert paths
    for path in paths:
        module = ge_onnx.load(path, context=ir.Context())
        back = ge_onnx.to_bytes(module)
        assert canonical(path.read_bytes()) == canonical(back), path.name


def test_text_and_weights_of_many_blocks() -> None:
    """The model exceeds a block of the writer, with tensors in between that are written by reference."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    nodes, weights, value = [], [], "x"
    for i in range(1500):
        name = f"{i}" + "n" * (i * 7 % 3000)
        if i % 50 == 0:
            count = 5000 + i
            data = bytes((i + k) % 251 for k in range(4 * count))
            weights.append(helper.make_tensor(f"w{i}", kind, [count], data, raw=True))
        nodes.append(helper.make_node("Add", [value, f"w{i - i % 50}"], [name], "node" + name))
        value = name
    ends = [helper.make_tensor_value_info(n, kind, None) for n in ("x", value)]
    model = helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:], weights))
    data = model.SerializeToString()
    assert len(data) > 4 << 20
    assert difference(data) == ""
