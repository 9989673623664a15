"""What a model names is data, never a path to write; nothing but the output and its own data files changes.

Each test is an attack that once overwrote a file, or the rule that stops it. Not tested here: crashes
(test_onnx_crash.py), other outputs than models (test_outputs.py).
"""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

A = np.arange(1024, dtype=np.float32)
B = np.arange(2048, dtype=np.float32) * 3
PRECIOUS = b"precious"


def model_at(path: Path, *parts: tuple[str, Any]) -> None:
    """Write a model whose weights w0, w1, ... are the (location, array) given, and their files, one array each."""
    tensors = []
    for number, (location, array) in enumerate(parts):
        tensor = numpy_helper.from_array(array, f"w{number}")
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
        tensors.append(tensor)
        place = path.parent / location
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(array.tobytes())
    nodes = [
        helper.make_node("Neg", [t.name], [f"y{i}"], name=f"n{i}") for i, t in enumerate(tensors)
    ]
    outputs = [
        helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, a.shape)
        for i, (_, a) in enumerate(parts)
    ]
    graph = helper.make_graph(nodes, "g", [], outputs, tensors)
    path.write_bytes(helper.make_model(graph).SerializeToString())


def weights(path: Path) -> list[Any]:
    """Return the weights of a file as the package onnx reads them."""
    return [numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer]


def equal(path: Path, *arrays: Any) -> bool:
    """Whether ours and onnx both read these weights."""
    ours = [
        n.attributes["value"].numpy()
        for n in ge_onnx.load(path).graphs[0].nodes
        if n.op == "ge.Const"
    ]
    return all(
        len(found) == len(arrays) and all(map(np.array_equal, found, arrays))
        for found in (ours, weights(path))
    )


def locations(path: Path) -> set[str]:
    """Return the data files that a model names."""
    return {
        e.value
        for t in onnx.load(path, load_external_data=False).graph.initializer
        for e in t.external_data
        if e.key == "location"
    }


def save(source: Path, target: Path) -> None:
    ge_onnx.save(ge_onnx.load(source), target)


def optimize(source: Path, target: Path) -> None:
    done = ge("optimize", source, "-o", target, "--passes", "sort")
    assert done.status == 0, done.err


def convert(source: Path, target: Path) -> None:
    done = ge("convert", source, "-o", target)
    assert done.status == 0, done.err


def many(source: Path, target: Path) -> None:
    (result,) = ge_onnx.optimize_many([source], output_dir=target.parent, jobs=1, passes="sort")
    assert result.status == "done", result
    os.rename(target.parent / source.name, target)


WRITERS = [save, optimize, convert]


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """Directories of the input and of the output."""
    for name in ("dl", "home"):
        (tmp_path / name).mkdir()
    return tmp_path / "dl", tmp_path / "home"


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("location", [".bashrc", "sub/dir/w", "o.onnx", "o.onnx.data", "./.bashrc"])
def test_a_location_is_no_path_to_write(
    places: tuple[Path, Path], write: Any, location: str
) -> None:
    dl, home = places
    model_at(dl / "m.onnx", (location, A))
    if location not in ("o.onnx", "sub/dir/w"):
        (home / location).write_bytes(PRECIOUS)
    write(dl / "m.onnx", home / "o.onnx")
    name = "o.onnx.data.1" if location == "o.onnx.data" else "o.onnx.data"
    kept = {".bashrc"} if "bashrc" in location else set()
    kept |= {"o.onnx.data"} if location == "o.onnx.data" else set()
    assert set(os.listdir(home)) == {"o.onnx", name} | kept
    assert all((home / one).read_bytes() == PRECIOUS for one in kept)
    assert locations(home / "o.onnx") == {name}
    assert equal(home / "o.onnx", A)


def test_optimize_many_writes_to_the_series(places: tuple[Path, Path]) -> None:
    dl, home = places
    model_at(dl / "m.onnx", (".bashrc", A))
    (home / ".bashrc").write_bytes(PRECIOUS)
    many(dl / "m.onnx", home / "m.onnx")
    assert (home / ".bashrc").read_bytes() == PRECIOUS
    assert equal(home / "m.onnx", A)


@pytest.mark.parametrize("location", ["../x", "a/../../x", "/etc/hostname"])
def test_a_location_outside_is_refused(places: tuple[Path, Path], location: str) -> None:
    dl, home = places
    model_at(dl / "m.onnx", ("w", A))
    proto = onnx.load(dl / "m.onnx", load_external_data=False)
    proto.graph.initializer[0].external_data[0].value = location
    (dl / "m.onnx").write_bytes(proto.SerializeToString())
    before = sorted(p for p in dl.parent.rglob("*"))
    for command in ("optimize", "convert"):
        assert ge(command, dl / "m.onnx", "-o", home / "o.onnx").status == 1
    assert sorted(p for p in dl.parent.rglob("*")) == before


def test_data_under_the_name_of_a_temporary_file_is_not_read(tmp_path: Path) -> None:
    """A save of o.onnx would remove it as a leftover of a killed one: the model would lose its weights."""
    for location in ("o.onnx.ge-0.tmp", "sub/.ge-12.tmp"):
        model_at(tmp_path / "m.onnx", (location, A))
        for command in ("optimize", "convert"):
            ended = ge(command, tmp_path / "m.onnx", "-o", tmp_path / "o.onnx")
            assert ended.status == 1 and "name of a temporary file" in ended.err, ended
        assert (tmp_path / location).read_bytes() == A.tobytes()
    model_at(tmp_path / "m.onnx", ("o.onnx.ge-x.tmp", A))
    save(tmp_path / "m.onnx", tmp_path / "o.onnx")
    assert equal(tmp_path / "o.onnx", A) and equal(tmp_path / "m.onnx", A)


@pytest.mark.parametrize("write", WRITERS)
def test_links_at_names_of_ours_are_not_followed(places: tuple[Path, Path], write: Any) -> None:
    dl, home = places
    model_at(dl / "m.onnx", ("w", A))
    victim = dl / "victim"
    victim.write_bytes(PRECIOUS)
    missing = dl / "missing"
    (home / "w").symlink_to(victim)
    (home / "o.onnx.data").symlink_to(victim)
    (home / "o.onnx.data.1").symlink_to(missing)
    (home / "o.onnx.ge-0.tmp").symlink_to(victim)
    (home / "o.onnx.data.ge-0.tmp").symlink_to(missing)
    write(dl / "m.onnx", home / "o.onnx")
    assert victim.read_bytes() == PRECIOUS
    assert not missing.exists()
    assert locations(home / "o.onnx") == {"o.onnx.data.2"}
    assert equal(home / "o.onnx", A)
    assert len(os.listdir(home)) == 7  # the five links, the model, its data


@pytest.mark.parametrize("write", WRITERS)
def test_a_location_that_is_the_output_in_its_directory(tmp_path: Path, write: Any) -> None:
    """The weights lie in the file that the output replaces: they move, and stay right."""
    model_at(tmp_path / "m.onnx", ("o.onnx", A))
    write(tmp_path / "m.onnx", tmp_path / "o.onnx")
    assert equal(tmp_path / "o.onnx", A)
    assert locations(tmp_path / "o.onnx") == {"o.onnx.data"}


def test_a_location_behind_the_link_that_is_written(tmp_path: Path) -> None:
    model_at(tmp_path / "m.onnx", ("weights", A))
    (tmp_path / "o.onnx").symlink_to("weights")
    save(tmp_path / "m.onnx", tmp_path / "o.onnx")
    assert (tmp_path / "o.onnx").is_symlink()
    assert equal(tmp_path / "o.onnx", A)


def test_a_model_that_is_its_own_data(tmp_path: Path) -> None:
    """The location is the model itself."""
    path = tmp_path / "m.onnx"
    model_at(path, ("w", A[:4]))
    proto = onnx.load(path, load_external_data=False)
    proto.graph.initializer[0].external_data[0].value = "m.onnx"
    path.write_bytes(proto.SerializeToString())
    first = np.frombuffer(path.read_bytes()[:16], np.float32)
    save(path, path)
    assert equal(path, first)


@pytest.mark.parametrize("name", ["a.onnx.data", "notes.txt"])
def test_external_data_names_a_new_file(tmp_path: Path, name: str) -> None:
    for stem, array in (("a", A), ("b", B)):
        model_at(tmp_path / f"{stem}.onnx", (f"{stem}.onnx.data", array))
    (tmp_path / "notes.txt").write_bytes(PRECIOUS)
    before = (tmp_path / name).read_bytes()
    module = ge_onnx.load(tmp_path / "b.onnx")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        ge_onnx.save(module, tmp_path / "b.onnx", external_data=name)
    done = ge("convert", tmp_path / "b.onnx", "-o", tmp_path / "c.onnx", "--external-data", name)
    assert done.status == 1 and "--force" in done.err
    assert (tmp_path / name).read_bytes() == before
    assert equal(tmp_path / "a.onnx", A)
    assert equal(tmp_path / "b.onnx", B)
    assert len(os.listdir(tmp_path)) == 5
    ge_onnx.save(module, tmp_path / "b.onnx", external_data=name, overwrite=True)
    assert equal(tmp_path / "b.onnx", B)
    assert locations(tmp_path / "b.onnx") == {name}
    assert not (tmp_path / "b.onnx.data").exists()


def test_force_replaces_the_named_data(tmp_path: Path) -> None:
    model_at(tmp_path / "a.onnx", ("w", A))
    (tmp_path / "d").write_bytes(PRECIOUS)
    arguments = ("convert", tmp_path / "a.onnx", "-o", tmp_path / "b.onnx", "--external-data", "d")
    assert ge(*arguments).status == 1
    assert ge(*arguments, "--force").status == 0
    assert equal(tmp_path / "b.onnx", A)


def test_the_name_of_own_data_may_be_given(tmp_path: Path) -> None:
    """Replaced without overwrite: the series' name, of the model at the path, and of no other."""
    path = tmp_path / "m.onnx"
    model_at(path, ("m.onnx.data", A))
    module = ge_onnx.load(path)
    module.graphs[0].find("w0").attributes["value"] = A + 1
    ge_onnx.save(module, path, external_data="m.onnx.data")
    assert equal(path, A + 1)
    assert sorted(os.listdir(tmp_path)) == ["m.onnx", "m.onnx.data"]
    shutil.copy(path, tmp_path / "copy.onnx")
    with pytest.raises(FileExistsError):
        ge_onnx.save(module, path, external_data="m.onnx.data")
    assert equal(tmp_path / "copy.onnx", A + 1)


@pytest.mark.parametrize("name", ["m.onnx", "link.onnx", ".", "..", "a/b", ""])
def test_names_that_external_data_cannot_have(tmp_path: Path, name: str) -> None:
    model_at(tmp_path / "m.onnx", ("w", A))
    (tmp_path / "link.onnx").symlink_to("m.onnx")
    module = ge_onnx.load(tmp_path / "m.onnx")
    for target in ("m.onnx", "link.onnx"):
        with pytest.raises(ValueError, match="file of external data"):
            ge_onnx.save(module, tmp_path / target, external_data=name, overwrite=True)
    assert equal(tmp_path / "m.onnx", A)


def test_a_directory_or_a_link_is_never_replaced(tmp_path: Path) -> None:
    model_at(tmp_path / "m.onnx", ("w", A))
    (tmp_path / "d").mkdir()
    module = ge_onnx.load(tmp_path / "m.onnx")
    (tmp_path / "victim").write_bytes(PRECIOUS)
    (tmp_path / "link").symlink_to("victim")
    with pytest.raises(IsADirectoryError):
        ge_onnx.save(module, tmp_path / "m.onnx", external_data="d", overwrite=True)
    with pytest.raises(OSError, match="symbolic links"):
        ge_onnx.save(module, tmp_path / "m.onnx", external_data="link", overwrite=True)
    assert (tmp_path / "victim").read_bytes() == PRECIOUS
    assert equal(tmp_path / "m.onnx", A)


def test_the_series(tmp_path: Path) -> None:
    """Each save takes a free name, and the data that it replaces goes."""
    path = tmp_path / "m.onnx"
    module = ir.Module()
    model_at(path, ("w", A))
    module = ge_onnx.load(path)
    seen = []
    for number in range(5):
        module.graphs[0].find("w0").attributes["value"] = A + number
        ge_onnx.save(module, path, external_data=True)
        assert equal(path, A + number)
        seen += locations(path)
        assert sorted(os.listdir(tmp_path)) == sorted(["m.onnx", "w", seen[-1]])
    assert seen == ["m.onnx.data", "m.onnx.data.1"] * 2 + ["m.onnx.data"]
    ge_onnx.save(module, path, external_data=False)
    assert sorted(os.listdir(tmp_path)) == ["m.onnx", "w"]


def test_a_file_of_the_series_that_is_not_ours_stays(tmp_path: Path) -> None:
    """No model refers to it, so it was not this writer's."""
    path = tmp_path / "m.onnx"
    model_at(path, ("w", A))
    for name in ("m.onnx.data", "m.onnx.data.2", "m.onnx.data.x", "m.onnx.data.01"):
        (tmp_path / name).write_bytes(PRECIOUS)
    module = ge_onnx.load(path)
    for _ in range(3):
        ge_onnx.save(module, path, external_data=True)
    ge_onnx.save(module, path, external_data=False)
    for name in ("m.onnx.data", "m.onnx.data.2", "m.onnx.data.x", "m.onnx.data.01"):
        assert (tmp_path / name).read_bytes() == PRECIOUS
    assert len(os.listdir(tmp_path)) == 6


def test_two_models_share_data(tmp_path: Path) -> None:
    """The data stays while one of them refers to it."""
    big, small = tmp_path / "big.onnx", tmp_path / "small.onnx"
    model_at(big, ("big.onnx.data", A))
    before = (tmp_path / "big.onnx.data").stat()
    save(big, small)
    save(big, big)
    assert (tmp_path / "big.onnx.data").stat() == before  # neither written nor renamed
    assert locations(small) == locations(big) == {"big.onnx.data"}
    module = ge_onnx.load(big)
    module.graphs[0].find("w0").attributes["value"] = A + 1
    ge_onnx.save(module, big, external_data=True)
    assert equal(big, A + 1)
    assert equal(small, A)
    ge_onnx.save(ge_onnx.load(small), small, external_data=False)
    ge_onnx.save(module, big, external_data=True)
    assert equal(small, A)
    # It is no longer the big model's either, so no model owns it.
    assert (tmp_path / "big.onnx.data").exists()


@pytest.mark.parametrize(
    "name", ["hidden/.copy", "copy.onnx.bak", "training.onnx", "function.onnx"]
)
def test_references_are_found_wherever_a_model_has_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / "m.onnx"
    model_at(path, ("m.onnx.data", A))
    proto = onnx.load(path, load_external_data=False)
    tensor = proto.graph.initializer[0]
    other = onnx.ModelProto()
    other.ir_version = 10
    if name.startswith("training"):
        other.training_info.add().algorithm.initializer.add().CopyFrom(tensor)
    elif name.startswith("function"):
        inner = helper.make_node("Constant", [], ["c"], value=tensor)
        body = helper.make_graph([inner], "b", [], [])
        node = helper.make_node("If", ["x"], ["y"], then_branch=body)
        other.functions.add().node.add().CopyFrom(node)
    else:
        other.CopyFrom(proto)
    place = tmp_path / name.removeprefix("hidden/")
    place.write_bytes(other.SerializeToString())
    module = ge_onnx.load(path)
    ge_onnx.save(module, path, external_data=False)
    assert (tmp_path / "m.onnx.data").exists()
    # Alone, it goes.
    model_at(tmp_path / "m.onnx", ("m.onnx.data", A))
    place.unlink()
    module = ge_onnx.load(path)
    ge_onnx.save(module, path, external_data=False)
    assert not (tmp_path / "m.onnx.data").exists()


def test_several_files_become_one(places: tuple[Path, Path]) -> None:
    dl, home = places
    model_at(dl / "m.onnx", ("x/w", A), ("y/w", B), ("x/v", A + 1))
    save(dl / "m.onnx", home / "o.onnx")
    assert locations(home / "o.onnx") == {"o.onnx.data"}
    assert equal(home / "o.onnx", A, B, A + 1)
    assert sorted(os.listdir(home)) == ["o.onnx", "o.onnx.data"]


def test_what_is_kept_and_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    model_at(path, ("a", A), ("m.onnx.data", B))
    module = ge_onnx.load(path)
    module.graphs[0].find("w0").attributes["value"] = A + 1
    other = ge_onnx.load(path)
    ge_onnx.save(module, path)
    assert locations(path) == {"m.onnx.data", "m.onnx.data.1"}
    assert equal(path, A + 1, B)
    assert (tmp_path / "a").read_bytes() == A.tobytes()
    # A module that was read before still has its data.
    ge_onnx.save(other, path)
    assert equal(path, A, B)
    assert locations(path) == {"a", "m.onnx.data"}
    assert sorted(os.listdir(tmp_path)) == ["a", "m.onnx", "m.onnx.data"]


def test_shared_bytes_stay_shared(places: tuple[Path, Path]) -> None:
    dl, home = places
    model_at(dl / "m.onnx", ("w", A), ("w", A), ("w", A))
    save(dl / "m.onnx", home / "o.onnx")
    assert (home / "o.onnx.data").stat().st_size == A.nbytes
    assert equal(home / "o.onnx", A, A, A)


def test_overlapping_tensors_do_not_multiply(places: tuple[Path, Path]) -> None:
    """A thousand views of one file would be a thousand times its size."""
    dl, home = places
    count = 1000
    model_at(dl / "m.onnx", *[("w", np.zeros(4096 + i, np.float32)) for i in range(count)])
    (dl / "w").write_bytes(bytes(4 * (4096 + count)))
    with pytest.raises(ir.ModelError, match=r"overlap in the file '.*w'"):
        save(dl / "m.onnx", home / "o.onnx")
    assert os.listdir(home) == []
    save(dl / "m.onnx", dl / "o.onnx")  # in place nothing is copied
    assert locations(dl / "o.onnx") == {"w"}


def test_data_of_an_attribute_moves_too(places: tuple[Path, Path]) -> None:
    dl, home = places
    model_at(dl / "m.onnx", (".bashrc", A))
    proto = onnx.load(dl / "m.onnx", load_external_data=False)
    tensor = proto.graph.initializer.pop()
    proto.graph.node.insert(0, helper.make_node("Constant", [], ["w0"], value=tensor))
    (dl / "m.onnx").write_bytes(proto.SerializeToString())
    (home / ".bashrc").write_bytes(PRECIOUS)
    save(dl / "m.onnx", home / "o.onnx")
    assert (home / ".bashrc").read_bytes() == PRECIOUS
    again = ge_onnx.load(home / "o.onnx")
    (node,) = (n for n in again.graphs[0].nodes if "value" in n.attributes)
    assert np.array_equal(node.attributes["value"].numpy(), A)


def test_a_failed_save_leaves_no_data_file(tmp_path: Path) -> None:
    model_at(tmp_path / "m.onnx", ("w", A))
    module = ge_onnx.load(tmp_path / "m.onnx")
    (tmp_path / "dir").mkdir()
    with pytest.raises(IsADirectoryError):
        ge_onnx.save(module, tmp_path / "dir", external_data=False)
    with pytest.raises(FileNotFoundError):
        ge_onnx.save(module, tmp_path / "none" / "m.onnx", external_data=True)
    module.graphs[0].find("n0").attributes["bad"] = {"a": 1}
    with pytest.raises(ir.ModelError):
        ge_onnx.save(module, tmp_path / "o.onnx", external_data=True)
    assert sorted(os.listdir(tmp_path)) == ["dir", "m.onnx", "w"]


def test_data_is_as_private_as_the_model(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    model_at(path, ("w", A))
    path.chmod(0o600)
    module = ge_onnx.load(path)
    ge_onnx.save(module, path, external_data=True)
    assert (tmp_path / "m.onnx.data").stat().st_mode & 0o777 == 0o600


def plain(path: Path, value: float = 1.0) -> Path:
    """Write a model without external data."""
    tensor = numpy_helper.from_array(np.full(4, value, np.float32), "w")
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])
    graph = helper.make_graph([helper.make_node("Neg", ["w"], ["y"])], "g", [], [output], [tensor])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def test_two_models_of_a_glob_are_not_in_and_out(tmp_path: Path) -> None:
    bert, vit = plain(tmp_path / "bert.onnx"), plain(tmp_path / "vit.onnx", 2.0)
    before = vit.read_bytes()
    for rest in ([], ["3"]):
        done = ge("optimize", bert, vit, *rest)
        assert done.status == 2
        assert f"ge optimize {bert} -o {vit}" in done.err and "--output-dir" in done.err
    (tmp_path / "dangling.onnx").symlink_to("none")
    assert ge("optimize", bert, tmp_path / "dangling.onnx").status == 2
    assert vit.read_bytes() == before
    assert ge("optimize", bert, tmp_path / "new.onnx").status == 0
    assert ge("optimize", bert, "-o", vit).status == 0
    assert vit.read_bytes() != before


@pytest.mark.parametrize("how", ["link", "hard link", "link to the file"])
def test_many_never_replace_their_inputs(tmp_path: Path, how: str) -> None:
    source = tmp_path / "in"
    source.mkdir()
    paths = [plain(source / f"{n}.onnx") for n in "ab"]
    out = tmp_path / "out"
    if how == "link":
        out.symlink_to("in")
    else:
        out.mkdir()
        (os.link if how == "hard link" else os.symlink)(paths[1], out / "b.onnx")
    before = [p.read_bytes() for p in paths]
    for options in ({}, {"overwrite": True}):
        with pytest.raises(ValueError, match="would replace the model"):
            ge_onnx.optimize_many(paths, output_dir=out, jobs=1, **options)
    assert ge("optimize", *paths, "--output-dir", out, "--force").status == 2
    assert [p.read_bytes() for p in paths] == before
    assert sorted(os.listdir(source)) == ["a.onnx", "b.onnx"]


def test_many_replace_only_their_results(tmp_path: Path) -> None:
    paths = [plain(tmp_path / "a.onnx"), plain(tmp_path / "b.onnx")]
    out = tmp_path / "out"
    out.mkdir()
    (out / "b.onnx").write_bytes(PRECIOUS)
    done = ge("optimize", *paths, "--output-dir", out)
    assert done.status == 1 and "b.onnx: the file exists" in done.err and "--force" in done.err
    assert os.listdir(out) == ["b.onnx"]
    assert ge("optimize", *paths, "--output-dir", out, "--force").status == 0
    # Results are replaced as often as one likes,
    assert ge("optimize", *paths, "--output-dir", out, "--again").status == 0
    # but not what came to the place of one that failed.
    (out / "a.onnx").unlink()
    good = paths[0].read_bytes()
    paths[0].write_bytes(b"no model")
    assert ge("optimize", *paths, "--output-dir", out).status == 1
    assert not (out / "a.onnx").exists()
    paths[0].write_bytes(good)
    (out / "a.onnx").write_bytes(PRECIOUS)
    assert ge("optimize", *paths, "--output-dir", out).status == 1
    assert (out / "a.onnx").read_bytes() == PRECIOUS


def test_a_result_of_a_run_that_was_killed_is_ours(tmp_path: Path) -> None:
    """The manifest knows a result before it is written."""
    path, out = plain(tmp_path / "a.onnx"), tmp_path / "out"
    out.mkdir()
    (out / "ge-optimize.jsonl").write_text('{"planned": "a.onnx"}\n{"stamp": "1-')
    (out / "a.onnx").write_bytes(b"of the run that was killed")
    (result,) = ge_onnx.optimize_many([path], output_dir=out, jobs=1)
    assert result.status == "done"


@pytest.mark.parametrize("how", ["link", "hard link", "dangling link", "fifo"])
def test_a_manifest_is_a_file_of_its_own(tmp_path: Path, how: str) -> None:
    path, out, victim = plain(tmp_path / "a.onnx"), tmp_path / "out", tmp_path / "victim"
    out.mkdir()
    manifest = out / "ge-optimize.jsonl"
    if how != "dangling link":
        victim.write_bytes(PRECIOUS)
    if how == "hard link":
        os.link(victim, manifest)
    elif how == "fifo":
        os.mkfifo(manifest)
    else:
        manifest.symlink_to(victim)
    with pytest.raises(FileExistsError, match="the manifest is"):
        ge_onnx.optimize_many([path], output_dir=out, jobs=1)
    assert (victim.read_bytes() if victim.exists() else None) in (None, PRECIOUS)
    assert victim.exists() == (how != "dangling link")


def test_lines_of_a_manifest_are_data(tmp_path: Path) -> None:
    """Whatever it says, nothing is written but below the directory that the caller named."""
    path, out, victim = plain(tmp_path / "a.onnx"), tmp_path / "out", tmp_path / "victim.onnx"
    victim.write_bytes(PRECIOUS)
    out.mkdir()
    lines = [
        '{"planned": "../victim.onnx"}',
        '{"planned": 7}',
        "[]",
        "{}",
        "\x00",
        '{"planned": []}',
    ]
    (out / "ge-optimize.jsonl").write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    (result,) = ge_onnx.optimize_many([path], output_dir=out, jobs=1)
    assert result.status == "done" and result.output == str(out / "a.onnx")
    assert victim.read_bytes() == PRECIOUS


def test_many_do_not_leave_their_directory_by_a_link(tmp_path: Path) -> None:
    source, out, elsewhere = tmp_path / "in", tmp_path / "out", tmp_path / "elsewhere"
    for directory in (source / "sub", out, elsewhere):
        directory.mkdir(parents=True)
    paths = [plain(source / "a.onnx"), plain(source / "sub" / "b.onnx")]
    (out / "sub").symlink_to(elsewhere)
    with pytest.raises(FileExistsError, match="leads out"):
        ge_onnx.optimize_many(paths, output_dir=out, jobs=1)
    assert os.listdir(elsewhere) == []
