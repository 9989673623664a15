"""Data files of models: which are found, shared, moved or kept. Runs over many models replace only their own results.

The attacks on a single output are in test_onnx_ownership.py.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from cli_run import ge
from external_models import (
    PRECIOUS,
    A,
    B,
    equal,
    locations,
    model_at,
    places,  # noqa: F401 - a fixture
    save,
    written,
)
from onnx import TensorProto, helper, numpy_helper

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")


def test_two_models_share_data(tmp_path: Path) -> None:
    """The data stays while one of them refers to it."""
    big, small = tmp_path / "big.onnx", tmp_path / "small.onnx"
    model_at(big, ("big.onnx.data", A))
    before = written(tmp_path / "big.onnx.data")
    save(big, small)
    save(big, big)
    assert written(tmp_path / "big.onnx.data") == before  # neither written nor renamed
    assert locations(small) == locations(big) == {"big.onnx.data"}
    module = ge_onnx.load(big)
    module.graphs[0].find("w0").attributes["value"] = A + 1
    ge_onnx.save(module, big, external_data=True)
    assert equal(big, A + 1)
    assert equal(small, A)
    ge_onnx.save(ge_onnx.load(small), small, external_data=False)
    ge_onnx.save(module, big, external_data=True)
    assert equal(small, A)
    # The big model does not refer to it any more either, so no model owns it.
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
    # Without that reference, the save removes it.
    model_at(tmp_path / "m.onnx", ("m.onnx.data", A))
    place.unlink()
    module = ge_onnx.load(path)
    ge_onnx.save(module, path, external_data=False)
    assert not (tmp_path / "m.onnx.data").exists()


@pytest.mark.parametrize("above", [1, 2])
def test_a_model_of_a_directory_above_keeps_the_data(tmp_path: Path, above: int) -> None:
    """It names the file with the directory; the model beside the data no longer needs it."""
    inner = tmp_path / "part" / "layer"
    inner.mkdir(parents=True)
    path = inner / "m.onnx"
    model_at(path, ("m.onnx.data", A))
    other = inner.parents[above - 1] / "whole.onnx"
    proto = onnx.load(path, load_external_data=False)
    location = proto.graph.initializer[0].external_data[0]
    location.value = str((inner / "m.onnx.data").relative_to(other.parent))
    other.write_bytes(proto.SerializeToString())
    module = ge_onnx.load(path)
    module.graphs[0].find("w0").attributes["value"] = A + 1
    ge_onnx.save(module, path, external_data=True)
    assert equal(path, A + 1)
    assert equal(other, A)
    other.unlink()
    ge_onnx.save(module, path, external_data=False)
    assert sorted(p.name for p in inner.iterdir()) == [
        "m.onnx",
        "m.onnx.data",
    ]  # it was theirs alone


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
    # A module that was loaded before the save still has its data.
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
    """Copies of a thousand views of one file would take a thousand times its size."""
    dl, home = places
    count = 1000
    model_at(dl / "m.onnx", *[("w", np.zeros(4096 + i, np.float32)) for i in range(count)])
    (dl / "w").write_bytes(bytes(4 * (4096 + count)))
    with pytest.raises(ir.ModelError, match=r"overlap in the file '.*w'"):
        save(dl / "m.onnx", home / "o.onnx")
    assert os.listdir(home) == []
    save(dl / "m.onnx", dl / "o.onnx")  # next to the data nothing is copied
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


@pytest.mark.slow
def test_many_replace_only_their_results(tmp_path: Path) -> None:
    paths = [plain(tmp_path / "a.onnx"), plain(tmp_path / "b.onnx")]
    out = tmp_path / "out"
    out.mkdir()
    (out / "b.onnx").write_bytes(PRECIOUS)
    done = ge("optimize", *paths, "--output-dir", out)
    assert done.status == 1 and "b.onnx: the file exists" in done.err and "--force" in done.err
    assert os.listdir(out) == ["b.onnx"]
    assert ge("optimize", *paths, "--output-dir", out, "--force").status == 0
    # Results of earlier runs are replaced,
    assert ge("optimize", *paths, "--output-dir", out, "--again").status == 0
    # but not a file that was put in the place of a result that failed.
    (out / "a.onnx").unlink()
    good = paths[0].read_bytes()
    paths[0].write_bytes(b"no model")
    assert ge("optimize", *paths, "--output-dir", out).status == 1
    assert not (out / "a.onnx").exists()
    paths[0].write_bytes(good)
    (out / "a.onnx").write_bytes(PRECIOUS)
    assert ge("optimize", *paths, "--output-dir", out).status == 1
    assert (out / "a.onnx").read_bytes() == PRECIOUS


@pytest.mark.slow
def test_a_half_of_a_result_is_replaced(tmp_path: Path) -> None:
    """As a full disk or a copy that was stopped leaves it; test_onnx_many_files.py has what is no result."""
    path, out = plain(tmp_path / "a.onnx"), tmp_path / "out"
    for planned in (False, True):
        (result,) = ge_onnx.optimize_many([path], output_dir=out, jobs=1)
        whole = (out / "a.onnx").read_bytes()
        (out / "a.onnx").write_bytes(whole[: len(whole) // 2])
        if planned:
            (out / "ge-optimize.jsonl").write_text('{"planned": "a.onnx"}\n{"options": "1-')
        (result,) = ge_onnx.optimize_many([path], output_dir=out, jobs=1)
        assert result.status == "done" and (out / "a.onnx").read_bytes() == whole


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
    """Whatever the lines contain, files are written only below the directory that the caller named."""
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
