"""An output path that is a link is followed once: model and data go to the directory that it leads to.

A link that another user put into a directory with the sticky bit is not followed: it would choose what is replaced.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge

import ge.onnx as ge_onnx
from ge._support.files import write_file

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

PRECIOUS = b"precious"
OTHER = 54321  # an unassigned user id
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")


def model(path: Path, value: float = 1, beside: bool = True) -> Path:
    """Write a model of one weight, which is beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    weight = numpy_helper.from_array(np.full(1000, value, np.float32), "w")
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [info("x", TensorProto.FLOAT, [1000])],
        [info("y", TensorProto.FLOAT, [1000])],
        [weight],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if beside:
        location = f"{path.name}.weights"
        onnx.save(proto, path, save_as_external_data=True, location=location, size_threshold=0)
    else:
        path.write_bytes(proto.SerializeToString())
    return path


def weight(path: Path) -> float:
    """Return the weight of a model as another reader finds it."""
    (tensor,) = onnx.load(path).graph.initializer
    return float(numpy_helper.to_array(tensor)[0])


def save_always(source: Path, target: Path) -> None:
    ge_onnx.save(ge_onnx.load(source), target, external_data=True)


def save_named(source: Path, target: Path) -> None:
    ge_onnx.save(ge_onnx.load(source), target, external_data="new.bin", overwrite=True)


def save_kept(source: Path, target: Path) -> None:
    ge_onnx.save(ge_onnx.load(source), target)


def optimize(source: Path, target: Path) -> None:
    assert ge("optimize", source, "-o", target, "--external-data", "--force").status == 0


SAVES: list[Any] = [save_always, save_named, save_kept, optimize]


@pytest.mark.parametrize("save", SAVES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("chain", [1, 3])
@pytest.mark.parametrize("target", ["new", "itself", "other"])
def test_model_and_data_go_to_one_directory(
    tmp_path: Path, save: Any, chain: int, target: str
) -> None:
    source = model(tmp_path / "d" / "m.onnx")
    end = {"new": "n.onnx", "itself": "m.onnx", "other": "o.onnx"}[target]
    if target == "other":
        model(tmp_path / "d" / end, 7)
    (tmp_path / "e").mkdir()
    link = tmp_path / "e" / "l.onnx"
    for i in range(chain - 1):
        (tmp_path / "e" / f"{i}").symlink_to(f"{i + 1}" if i < chain - 2 else f"../d/{end}")
    link.symlink_to("0" if chain > 1 else f"../d/{end}")
    save(source, link)
    assert link.is_symlink()
    assert weight(tmp_path / "d" / end) == weight(source) == 1
    assert all(file.is_symlink() for file in (tmp_path / "e").iterdir())


def test_a_directory_that_is_exchanged_while_the_model_is_written(tmp_path: Path) -> None:
    """What is serialized for one directory is not written to another one."""
    source = model(tmp_path / "d" / "m.onnx")
    (tmp_path / "out").mkdir()
    module = ge_onnx.load(source)
    (tmp_path / "link").symlink_to("out")
    ge_onnx.save(module, tmp_path / "link" / "m.onnx", external_data=True)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("d")
    assert sorted(os.listdir(tmp_path / "out")) == ["m.onnx", "m.onnx.data"]
    assert weight(tmp_path / "out" / "m.onnx") == 1


def test_the_data_may_not_be_the_model(tmp_path: Path) -> None:
    source = model(tmp_path / "d" / "m.onnx")
    (tmp_path / "d" / "l.onnx").symlink_to("m.onnx")
    for link in (tmp_path / "d" / "l.onnx", source):
        for name in ("m.onnx", "l.onnx"):
            with pytest.raises(ValueError, match="the model's own file"):
                ge_onnx.save(ge_onnx.load(source), link, external_data=name, overwrite=True)
    assert weight(source) == 1


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("loop", OSError),
        ("d/", IsADirectoryError),
        ("d/.", IsADirectoryError),
        ("d/..", IsADirectoryError),
        ("none/m", FileNotFoundError),
        ("file/m", NotADirectoryError),
        ("", FileNotFoundError),
    ],
)
def test_paths_that_lead_to_no_file(tmp_path: Path, path: str, error: type[Exception]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "d").mkdir()
    (tmp_path / "file").write_bytes(PRECIOUS)
    with pytest.raises(error):
        write_file(os.path.join(tmp_path, path) if path else path, "text")
    assert (tmp_path / "file").read_bytes() == PRECIOUS


@pytest.mark.parametrize("path", ["a/../d/m", "d//m", "./d/./m", "s/m", "s/../d/m", "abs"])
def test_paths_that_lead_to_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a").mkdir()
    Path("d").mkdir()
    Path("s").symlink_to("a/../d")
    Path("abs").symlink_to(tmp_path / "d" / "m")
    write_file(path, "text")
    assert Path("d/m").read_text() == "text"
    assert sorted(os.listdir()) == ["a", "abs", "d", "s"]


def planted(tmp_path: Path, how: str) -> tuple[Path, Path]:
    """Make links of another user in a directory like /tmp; return the victim and the output path."""
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    victim = own / "victim.onnx"
    victim.write_bytes(PRECIOUS)
    link = shared / "out.onnx"
    output = link
    if how == "directory":
        link, output = shared / "d", shared / "d" / "victim.onnx"
        link.symlink_to(own)
    else:
        link.symlink_to(victim)
    if how == "through mine":
        output = own / "mine.onnx"
        output.symlink_to(link)
    elif how == "through a directory of mine":
        (own / "d").symlink_to(shared)
        output = own / "d" / "out.onnx"
    elif how == "dangling":
        victim.unlink()
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    shared.chmod(0o1777)
    return victim, output


@needs_root
@pytest.mark.parametrize(
    "how", ["file", "directory", "through mine", "through a directory of mine", "dangling"]
)
def test_links_of_others_are_refused(tmp_path: Path, how: str) -> None:
    victim, output = planted(tmp_path, how)
    before = victim.read_bytes() if victim.exists() else None
    source = model(tmp_path / "m.onnx")
    for write in (
        lambda: write_file(output, "text"),
        lambda: ge_onnx.save(ge_onnx.load(source), output),
        lambda: ge_onnx.save(ge_onnx.load(source), output, external_data=True),
    ):
        with pytest.raises(PermissionError, match=f"link of user {OTHER}"):
            write()
    done = ge("optimize", source, "-o", output, "--force")
    assert done.status == 1 and "sticky bit" in done.err
    assert (victim.read_bytes() if victim.exists() else None) == before


@needs_root
@pytest.mark.parametrize("owner", ["this user", "the directory's"])
def test_links_that_the_kernel_would_follow_are_followed(tmp_path: Path, owner: str) -> None:
    victim, output = planted(tmp_path, "file")
    if owner == "this user":
        os.chown(output, os.geteuid(), -1, follow_symlinks=False)
    else:
        os.chown(output.parent, OTHER, OTHER)
    write_file(output, "text")
    assert victim.read_text() == "text" and output.is_symlink()


@needs_root
def test_a_pipe_behind_a_link_of_others(tmp_path: Path) -> None:
    victim, output = planted(tmp_path, "file")
    victim.unlink()
    os.mkfifo(victim)
    with pytest.raises(PermissionError, match="sticky bit"):
        write_file(output, "text", allow_pipe=True)
