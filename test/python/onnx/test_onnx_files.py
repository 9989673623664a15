"""Files: external data is inside of the model's directory, saves are atomic, errors of broken files name the place.

Not tested here: killed saves (test_onnx_crash.py); a crash of the machine.
"""

import os
import random
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from external_models import written

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


def model_of(*weights: Any) -> Any:
    """Return a model in which `weights` (arrays, named w0, w1, ...) are summed."""
    tensors = [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, weights[0].shape)
    node = helper.make_node("Sum", [t.name for t in tensors], ["y"], name="sum")
    return helper.make_model(helper.make_graph([node], "g", [], [output], tensors))


def with_location(location: str, **entries: str) -> bytes:
    model = model_of(np.zeros(4, np.float32))
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    data: bytes = model.SerializeToString()
    return data


def weights(module: ir.Module) -> list[Any]:
    graph = module.graphs[0]
    return [n.attributes["value"].numpy() for n in graph.nodes if n.op == "ge.Const"]


A = np.arange(1024, dtype=np.float32)
B = np.arange(5000, dtype=np.float32)


def test_weights_are_views_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(model_of(A).SerializeToString())
    (const,) = (n for n in ge_onnx.load(path).graphs[0].nodes if n.op == "ge.Const")
    file, offset = const.attributes["value"].file
    assert file == str(path)
    assert path.read_bytes()[offset : offset + A.nbytes] == A.tobytes()


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    module = ge_onnx.from_onnx(model_of(A, B))
    ge_onnx.save(module, path)
    assert path.read_bytes() == ge_onnx.to_bytes(module)
    assert os.listdir(tmp_path) == ["m.onnx"]
    ge_onnx.save(ge_onnx.load(path), path)  # in place
    assert all(
        np.array_equal(a, b) for a, b in zip(weights(ge_onnx.load(path)), [A, B], strict=True)
    )


@pytest.mark.parametrize("external", [True, "data.bin"])
def test_external_data(tmp_path: Path, external: bool | str) -> None:
    path = tmp_path / "m.onnx"
    module = ge_onnx.from_onnx(model_of(A, B, np.float32([1])))
    ge_onnx.save(module, path, external_data=external)
    name = external if isinstance(external, str) else "m.onnx.data"
    assert sorted(os.listdir(tmp_path)) == sorted(["m.onnx", name])
    onnx.checker.check_model(str(path))
    theirs = onnx.load(path)
    assert np.array_equal(numpy_helper.to_array(theirs.graph.initializer[1]), B)
    assert not theirs.graph.initializer[2].HasField("data_location")  # below the threshold
    again = ge_onnx.load(path)
    assert np.array_equal(weights(again)[0], A)
    assert ge_onnx.to_bytes(again) == path.read_bytes()

    # A save next to the data file leaves that file alone.
    before = written(tmp_path / name)
    next(n for n in again.graphs[0].nodes if n.op == "onnx.Sum").name = "renamed"
    ge_onnx.save(again, path)
    assert written(tmp_path / name) == before
    # A save elsewhere copies the weights to a data file of the output.
    (tmp_path / "other").mkdir()
    ge_onnx.save(again, tmp_path / "other" / "n.onnx")
    assert sorted(os.listdir(tmp_path / "other")) == ["n.onnx", "n.onnx.data"]
    assert np.array_equal(weights(ge_onnx.load(tmp_path / "other" / "n.onnx"))[1], B)
    # With external_data=False they become part of the model.
    ge_onnx.save(again, tmp_path / "inline.onnx", external_data=False)
    assert np.array_equal(
        numpy_helper.to_array(onnx.load(tmp_path / "inline.onnx").graph.initializer[0]), A
    )


def test_a_replaced_weight_leaves_the_old_data_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    ge_onnx.save(ge_onnx.from_onnx(model_of(A, B)), path, external_data=True)
    old = (tmp_path / "m.onnx.data").read_bytes()
    module = ge_onnx.load(path)
    module.graphs[0].find("w0").attributes["value"] = A + 1
    ge_onnx.save(module, path)
    assert (tmp_path / "m.onnx.data").read_bytes() == old
    again = weights(ge_onnx.load(path))
    assert np.array_equal(again[0], A + 1)
    assert np.array_equal(again[1], B)


def test_external_data_replaces_the_file_it_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    ge_onnx.save(ge_onnx.from_onnx(model_of(A, B)), path, external_data="d")
    module = ge_onnx.load(path)
    module.graphs[0].find("w0").attributes["value"] = B[:1024] * 2
    with pytest.raises(FileExistsError):
        ge_onnx.save(module, path, external_data="d")
    ge_onnx.save(module, path, external_data="d", overwrite=True)
    assert np.array_equal(weights(ge_onnx.load(path))[0], B[:1024] * 2)
    assert np.array_equal(weights(ge_onnx.load(path))[1], B)


def test_shared_tensors_share_bytes(tmp_path: Path) -> None:
    module = ge_onnx.from_onnx(model_of(A, A))
    graph = module.graphs[0]
    graph.find("w1").attributes["value"] = graph.find("w0").attributes["value"]
    ge_onnx.save(module, tmp_path / "m.onnx", external_data=True)
    assert (tmp_path / "m.onnx.data").stat().st_size == A.nbytes


@pytest.mark.parametrize(
    "location", ["/etc/passwd", "../secret", "a/../../secret", "", "out", "dir/out", "fifo", "dir"]
)
def test_external_data_outside_is_refused(tmp_path: Path, location: str) -> None:
    (tmp_path / "secret").write_bytes(b"x" * 16)
    home = tmp_path / "home"
    (home / "dir").mkdir(parents=True)
    (home / "out").symlink_to(tmp_path / "secret")
    (home / "dir" / "out").symlink_to("../../secret")
    os.mkfifo(home / "fifo")
    (home / "m.onnx").write_bytes(with_location(location))
    with pytest.raises(ir.ModelError, match=r"initializer\[0\].external_data") as caught:
        ge_onnx.load(home / "m.onnx")
    assert "m.onnx" in str(caught.value)


def test_external_data_inside(tmp_path: Path) -> None:
    """Locations in directories and links that stay inside, an offset without length, model bytes with a directory."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "w").write_bytes(b"12345678" + A.tobytes())
    (tmp_path / "link").symlink_to("d/w")
    for location in ("d/w", "./d/w", "link"):
        data = with_location(location, offset="8", unknown="x")
        module = ge_onnx.load(data, directory=tmp_path)
        assert np.array_equal(weights(module)[0], A[:4])
        assert ge_onnx.to_bytes(module) == data
        with pytest.raises(ir.ModelError, match="directory"):
            ge_onnx.load(data)


@pytest.mark.parametrize(
    "entries",
    [
        {"offset": "8"},
        {"length": "8"},
        {"offset": "-1"},
        {"offset": "x"},
        {"length": "9" * 30},
        {"offset": str(2**64 - 4)},
    ],
)
def test_external_data_out_of_range(tmp_path: Path, entries: dict[str, str]) -> None:
    (tmp_path / "w").write_bytes(b"x" * 16)
    with pytest.raises(ir.ModelError, match="external_data"):
        ge_onnx.load(with_location("w", **entries), directory=tmp_path)


def test_a_link_keeps_pointing_where_it_points(tmp_path: Path) -> None:
    module = ge_onnx.from_onnx(model_of(A))
    (tmp_path / "d").mkdir()
    (tmp_path / "old").write_bytes(b"")
    links = {"one": "old", "two": "d/new", "three": "four", "four": str(tmp_path / "d" / "newest")}
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    for name, real in (("one", "old"), ("two", "d/new"), ("three", "d/newest")):
        ge_onnx.save(module, tmp_path / name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / real).is_file() and not (tmp_path / real).is_symlink()
        assert len(ge_onnx.load(tmp_path / real).graphs) == 1
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        ge_onnx.save(module, tmp_path / "a")


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.onnx"):
        ge_onnx.load(tmp_path / "none.onnx")
    with pytest.raises(OSError, match="No such file"):
        ge_onnx.load(with_location("gone"), directory=tmp_path)


def test_a_large_sparse_file(tmp_path: Path) -> None:
    """A model with 3 GiB of sparse data is loaded, edited and saved without reading the data; inline is refused."""
    size = 3 << 30
    with (tmp_path / "w").open("wb") as file:
        file.truncate(size)
    model = onnx.ModelProto.FromString(with_location("w"))
    model.graph.initializer[0].dims[:] = [size // 4]
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    module = ge_onnx.load(path)
    module.graphs[0].find("sum").name = "renamed"
    ge_onnx.save(module, path)
    assert onnx.load(path, load_external_data=False).graph.node[0].name == "renamed"
    with pytest.raises(
        ir.ModelError, match=r"protobuf allows 2147483647; save it with external data"
    ):
        ge_onnx.save(module, path, external_data=False)
    assert ge_onnx.load(path).graphs[0].find("renamed")


def test_failed_saves_keep_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    module = ge_onnx.from_onnx(model_of(A))
    ge_onnx.save(module, path)
    old = path.read_bytes()
    graph = module.graphs[0]
    graph.find("sum").attributes["bad"] = {"a": 1}
    with pytest.raises(ir.ModelError, match=r"node 'sum' \(onnx.Sum\): attribute 'bad'"):
        ge_onnx.save(module, path)
    del graph.find("sum").attributes["bad"]
    for place, error in (
        (tmp_path / "none" / "m.onnx", FileNotFoundError),
        (tmp_path, IsADirectoryError),
    ):
        with pytest.raises(error, match=re.escape(str(place))):
            ge_onnx.save(module, place)
    with pytest.raises(ValueError, match="without a directory"):
        ge_onnx.save(module, path, external_data="../w")
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_errors_say_byte_and_field(tmp_path: Path) -> None:
    model = model_of(A)
    model.graph.initializer[0].dims[:] = [1023]
    path = tmp_path / "bad.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(
        ir.ModelError, match=r"\(byte \d+, field graph.initializer\[0\].raw_data\)"
    ) as caught:
        ge_onnx.load(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.file == str(path)
    byte = int(re.search(r"byte (\d+)", str(caught.value))[1])
    assert path.read_bytes()[byte : byte + 8] == A[:2].tobytes()


@pytest.mark.parametrize(
    "data", [b"", b"not a model", b"\x00", b"\xff" * 100, b"\x3a\xff\xff\xff\xff\x7f", b"\x08\x01"]
)
def test_what_is_no_model(data: bytes) -> None:
    with pytest.raises(ir.ModelError, match=r"\(byte \d+"):
        ge_onnx.load(data)


def nested(levels: int, head: bytes, field: int) -> bytes:
    """Return a message that is nested in itself."""
    data = b""
    for _ in range(levels):
        data = onnx_field(field, data) if not head else head + onnx_field(field, data)
    return data


def onnx_field(number: int, payload: bytes) -> bytes:
    out = bytearray()
    for value in (number << 3 | 2, len(payload)):
        while value >= 0x80:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out) + payload


def test_depth_bombs() -> None:
    """Types in types, graphs in graphs, groups in groups."""
    kind = b""
    for _ in range(100_000):
        kind = onnx_field(4, onnx_field(1, kind)) if len(kind) < 200_000 else kind
    value = onnx_field(1, b"x") + onnx_field(2, kind)
    with pytest.raises(ir.ModelError, match="256"):
        ge_onnx.load(onnx_field(7, onnx_field(11, value)))
    graph = b""
    for _ in range(400):
        attribute = onnx_field(1, b"g") + b"\xa0\x01\x05" + onnx_field(6, graph)
        graph = onnx_field(1, onnx_field(4, b"If") + onnx_field(5, attribute))
    with pytest.raises(ir.ModelError, match="nest at most 256 deep"):
        ge_onnx.load(onnx_field(7, graph))
    with pytest.raises(ir.ModelError, match="groups nest deeper"):
        ge_onnx.load(b"\x0b" * 1_000_000)


def test_size_bombs() -> None:
    """Dimensions that need more bytes than there are."""
    for dims in ([2**62], [2**32, 2**32], [-1], [2**40, 0, 2**40]):
        model = model_of(A)
        model.graph.initializer[0].dims[:] = dims
        with pytest.raises(ir.ModelError):
            ge_onnx.load(model.SerializeToString())


def test_mutations_and_truncations() -> None:
    """A broken model is loaded or raises ModelError; a loaded one is written or raises an error with the reason."""
    seed = 20240611
    rng = random.Random(seed)
    corpus = Path(__file__).resolve().parents[2] / "fuzz" / "corpus" / "onnx_fuzzer"
    models = [path.read_bytes() for path in sorted(corpus.glob("*.seed"))]
    assert models
    refused = written = 0
    for turn in range(4000):
        data = bytearray(rng.choice(models))
        if turn % 4 == 0:
            del data[rng.randrange(len(data)) :]
        else:
            for _ in range(rng.randrange(1, 5)):
                data[rng.randrange(len(data))] = rng.choice(
                    [0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)]
                )
        try:
            ge_onnx.to_bytes(ge_onnx.load(bytes(data), context=ir.Context()))
            written += 1
        except ir.GEError as error:
            refused += 1
            assert isinstance(error, (ir.ModelError, ir.VerifyError)), (turn, error)
    assert refused > 100
    assert written > 100


@pytest.mark.slow
def test_saving_lets_other_threads_run(tmp_path: Path) -> None:
    """A save releases the GIL, and also the module once its messages are built."""
    module = ge_onnx.from_onnx(model_of(np.zeros(1 << 22, np.float32)))
    stop = threading.Event()
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    for i in range(5):
        ge_onnx.save(module, tmp_path / f"{i}.onnx")
    stop.set()
    thread.join()
    assert ticks > 0
    assert len(os.listdir(tmp_path)) == 5
