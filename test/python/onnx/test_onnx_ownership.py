"""The locations in a model are never written to; only the output and its own data files change.

Each test is an attack that tries to overwrite a file, or the rule that prevents it. Not tested here: crashes
(test_onnx_crash.py), other outputs than models (test_outputs.py).
"""

import os
import shutil
from pathlib import Path
from typing import Any

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
    optimize,
    places,  # noqa: F401 - a fixture
    save,
)

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")


def convert(source: Path, target: Path) -> None:
    done = ge("convert", source, "-o", target)
    assert done.status == 0, done.err


def many(source: Path, target: Path) -> None:
    (result,) = ge_onnx.optimize_many([source], output_dir=target.parent, jobs=1, passes="sort")
    assert result.status == "done", result
    os.rename(target.parent / source.name, target)


WRITERS = [save, optimize, convert]


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
    """A save of o.onnx would remove it as the leftover of a killed save, and the model would lose its weights."""
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
    """The weights are in the file that the output replaces: they are moved and stay correct."""
    model_at(tmp_path / "m.onnx", ("o.onnx", A))
    write(tmp_path / "m.onnx", tmp_path / "o.onnx")
    assert equal(tmp_path / "o.onnx", A)
    assert locations(tmp_path / "o.onnx") == {"o.onnx.data"}


def test_a_location_that_is_the_target_of_the_written_link(tmp_path: Path) -> None:
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
    """Without overwrite, data is replaced if the name is in the model's series and no other model refers to it."""
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
        with pytest.raises(
            ValueError, match="external data (is written|cannot be written|has no name)"
        ):
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
    """Each save uses a free name and removes the data that it replaces."""
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
    """No model refers to it, so this writer did not create it."""
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
