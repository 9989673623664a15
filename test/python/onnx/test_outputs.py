"""All outputs: owner, mode, attributes and links of a replaced file stay; special files need permission; at names that
GE chooses, links are not followed, and only files of GE are replaced.

Models and their data are in test_onnx_ownership.py, crashes in test_onnx_crash.py.
"""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge

import ge.ir as ir
import ge.onnx as ge_onnx
from ge._support.files import write_file

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

PRECIOUS = b"precious"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model of one weight."""
    tensor = numpy_helper.from_array(np.arange(1024, dtype=np.float32), "w")
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1024])
    graph = helper.make_graph([helper.make_node("Neg", ["w"], ["y"])], "g", [], [output], [tensor])
    path = tmp_path / "model.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def save(model: Path, target: Path, *flags: str) -> None:
    assert not flags
    ge_onnx.save(ge_onnx.load(model), target)


def convert(model: Path, target: Path, *flags: str) -> None:
    done = ge("convert", model, "-o", target, *flags)
    assert done.status == 0, done.err


def optimize(model: Path, target: Path, *flags: str) -> None:
    done = ge("optimize", model, "-o", target, "--passes", "sort", *flags)
    assert done.status == 0, done.err


def text(model: Path, target: Path, *flags: str) -> None:
    """``ge convert`` to text, whatever the target is called."""
    done = ge("convert", model, "-o", "-")
    assert done.status == 0, done.err
    write_file(target, done.out)


WRITERS: list[Any] = [save, convert, optimize, text]


def writer_id(function: Any) -> str:
    return str(function.__name__)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o444])
@pytest.mark.parametrize("write", WRITERS, ids=writer_id)
def test_the_mode_stays(tmp_path: Path, model: Path, write: Any, mode: int) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"")
    target.chmod(mode)
    write(model, target)
    assert target.stat().st_mode & 0o7777 == mode
    assert target.stat().st_size > 0


def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path, model: Path) -> None:
    old = os.umask(0o027)
    try:
        for write in WRITERS:
            write(model, tmp_path / write.__name__)
            assert (tmp_path / write.__name__).stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(old)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("write", WRITERS, ids=writer_id)
def test_the_owner_stays(tmp_path: Path, model: Path, write: Any) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"")
    os.chown(target, 12345, 23456)
    target.chmod(0o6750)
    write(model, target)
    status = target.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 23456, 0o6750)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_rights_of_an_owner_that_cannot_be_kept_are_not_given_to_others(
    tmp_path: Path, model: Path
) -> None:
    """A user who may write the directory, but not chown, replaces a file with set-id bits and group rights."""
    home = tmp_path / "home"
    home.mkdir()
    target = home / "out.onnx"
    target.write_bytes(b"")
    os.chown(target, 12345, 23456)
    target.chmod(0o6770)
    home.chmod(0o777)
    module = ge_onnx.load(model)
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(34567)
            os.setuid(34567)
            os.chdir(home)
        except OSError:
            os._exit(2)
        try:
            ge_onnx.save(module, "out.onnx")
        except BaseException:
            os._exit(1)
        os._exit(0)
    # Another user may have no access to a parent of tmp_path; the child then exits with 2.
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) == 2:
        pytest.skip("the directory cannot be entered by another user")
    assert os.waitstatus_to_exitcode(status) == 0
    found = target.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (34567, 34567, 0o700)


@pytest.mark.parametrize("write", WRITERS, ids=writer_id)
def test_extended_attributes_stay(tmp_path: Path, model: Path, write: Any) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"")
    try:
        os.setxattr(target, "user.note", b"a\x00b")
        os.setxattr(target, "user.empty", b"")
    except OSError as error:
        pytest.skip(f"the file system has no extended attributes: {error}")
    write(model, target)
    assert os.getxattr(target, "user.note") == b"a\x00b"
    assert os.getxattr(target, "user.empty") == b""


@pytest.mark.parametrize("write", WRITERS, ids=writer_id)
def test_a_link_stays_and_no_inode_is_written_twice(
    tmp_path: Path, model: Path, write: Any
) -> None:
    (tmp_path / "d").mkdir()
    target, link, hard = tmp_path / "d" / "real", tmp_path / "link", tmp_path / "hard"
    target.write_bytes(PRECIOUS)
    os.link(target, hard)
    link.symlink_to("d/real")
    write(model, link)
    assert link.is_symlink() and os.readlink(link) == "d/real"
    assert target.stat().st_size > 100
    assert hard.read_bytes() == PRECIOUS


@pytest.mark.parametrize("write", WRITERS, ids=writer_id)
def test_a_planted_temporary_file_is_not_followed(tmp_path: Path, model: Path, write: Any) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(PRECIOUS)
    (tmp_path / "out.ge-0.tmp").symlink_to(victim)
    (tmp_path / "out.ge-1.tmp").mkdir()
    os.mkfifo(tmp_path / "out.ge-2.tmp")
    write(model, tmp_path / "out")
    assert victim.read_bytes() == PRECIOUS
    assert (tmp_path / "out").stat().st_size > 100
    assert len(list(tmp_path.glob("out.ge-*.tmp"))) == 3


@pytest.mark.parametrize("write", WRITERS, ids=writer_id)
def test_a_leftover_of_a_killed_process_is_removed(tmp_path: Path, model: Path, write: Any) -> None:
    (tmp_path / "out.ge-0.tmp").write_bytes(b"half")
    write(model, tmp_path / "out")
    assert sorted(os.listdir(tmp_path)) == ["model.onnx", "out"]


@pytest.mark.parametrize("command", ["convert", "optimize", "view"])
@pytest.mark.parametrize("kind", ["fifo", "link to a fifo", "device"])
def test_a_special_output_needs_permission(
    tmp_path: Path, model: Path, command: str, kind: str
) -> None:
    target = tmp_path / "out.svg" if command == "view" else tmp_path / "out.mlir"
    if kind == "device":
        target.symlink_to("/dev/full")
    else:
        real = tmp_path / "real" if "link" in kind else target
        os.mkfifo(real)
        if real != target:
            target.symlink_to("real")
    before = sorted(os.listdir(tmp_path))
    done = ge(command, model, "-o", target)  # does not open it, so does not block
    assert done.status == 1
    assert "--allow-pipe" in done.err and str(target) in done.err
    assert sorted(os.listdir(tmp_path)) == before
    if kind == "device":
        done = ge(command, model, "-o", target, "--allow-pipe")
        assert (done.status, done.err) == (1, f"ge: error: {target}: No space left on device\n")


@pytest.mark.parametrize("name", ["out.mlir", "out.onnx"])
def test_a_pipe_is_written(tmp_path: Path, model: Path, name: str) -> None:
    pipe = tmp_path / name
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    convert(model, pipe, "--allow-pipe")
    reader.join()
    if name.endswith("onnx"):
        assert found == [model.read_bytes()]
    else:
        assert b"func.func" in found[0]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_standard_output_is_never_replaced(tmp_path: Path, model: Path) -> None:
    """It may be redirected to a file, which has other text already."""
    out = tmp_path / "redirected"
    with open(out, "wb") as file:
        file.write(b"before\n")
        file.flush()
        inode = os.fstat(file.fileno()).st_ino
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys, ge.onnx; ge.onnx.save(ge.onnx.load(sys.argv[1]), '/dev/stdout')",
                model,
            ],
            stdout=file,
            check=True,
        )
    assert out.stat().st_ino == inode
    assert out.read_bytes() == b"before\n" + model.read_bytes()
    ge_onnx.save(ge_onnx.load(model), "/dev/null")
    write_file("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_external_data_needs_a_regular_file(tmp_path: Path, model: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    module = ge_onnx.load(model)
    for target in ("/dev/null", tmp_path / "pipe"):
        with pytest.raises(ValueError, match="needs a model in a regular file"):
            ge_onnx.save(module, target, external_data=True, allow_pipe=True)
    assert sorted(os.listdir(tmp_path)) == ["model.onnx", "pipe"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_forbidden_directory_is_a_permission_error(tmp_path: Path, model: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    for write in WRITERS[:1]:
        with pytest.raises(PermissionError, match="closed"):
            write(model, tmp_path / "closed" / "out")


def test_names_that_a_command_makes_are_new(tmp_path: Path, model: Path) -> None:
    """Without -o, ``ge convert`` and ``ge view`` replace no file except a page of ``ge view``."""
    for command, name in (("convert", "model.mlir"), ("view", "model.html")):
        (tmp_path / name).write_bytes(PRECIOUS)
        done = ge(command, model)
        assert done.status == 1
        assert f"ge {command} {model} -o {tmp_path / name}" in done.err
        assert (tmp_path / name).read_bytes() == PRECIOUS
        (tmp_path / name).unlink()
        assert ge(command, model).status == 0
    # A page of `ge view` is recognized and may be replaced; a link to one may not.
    assert ge("view", model).status == 0
    os.rename(tmp_path / "model.html", tmp_path / "page.html")
    (tmp_path / "model.html").symlink_to("page.html")
    assert ge("view", model).status == 1
    # Converting a text does not replace the model that it may come from.
    before = model.read_bytes()
    assert ge("convert", tmp_path / "model.mlir").status == 1
    assert model.read_bytes() == before


def test_a_lock_is_written_whole_and_the_default_one_through_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    from ge.cli._contract import LOCK, write_lock

    monkeypatch.chdir(tmp_path)
    default: Any = SimpleNamespace(lock_file=None, allow_pipe=False)
    named: Any = SimpleNamespace(lock_file=LOCK, allow_pipe=False)
    assert write_lock(default, "one") == LOCK
    os.chmod(LOCK, 0o600)
    os.link(LOCK, "hard")
    write_lock(default, "two")
    assert os.stat(LOCK).st_mode & 0o777 == 0o600
    assert (Path(LOCK).read_text(), Path("hard").read_text()) == ("two", "one")
    os.rename(LOCK, "real")
    os.symlink("real", LOCK)
    with pytest.raises(OSError, match="symbolic links"):
        write_lock(default, "three")
    assert Path("real").read_text() == "two"
    write_lock(named, "four")
    assert os.path.islink(LOCK) and Path("real").read_text() == "four"


def test_dumps_and_trees_are_not_written_through_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    victim = tmp_path / "victim"
    victim.write_bytes(PRECIOUS)
    from ge.passes import PassManager

    graph = ir.Module().add_graph("g")
    manager = PassManager.parse("cse")
    manager.enable_ir_printing(tree_dir="tree")
    manager.run(graph)
    names = os.listdir("tree")
    assert names
    for name in names:
        os.unlink(Path("tree") / name)
        (Path("tree") / name).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        manager.run(graph)
    assert victim.read_bytes() == PRECIOUS


def test_a_reproducer_that_was_not_written_is_not_removed(tmp_path: Path) -> None:
    """A run without passes writes no reproducer, and a device cannot be removed."""
    from ge.passes import PassManager

    graph = ir.Module().add_graph("g")
    path = tmp_path / "notes"
    path.write_bytes(PRECIOUS)
    empty = PassManager()
    empty.enable_crash_reproducer(path)
    empty.run(graph)
    assert path.read_bytes() == PRECIOUS
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    for place in ("/dev/null", tmp_path / "again"):
        manager = PassManager.parse("cse")
        manager.enable_crash_reproducer(place)
        manager.run(graph)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert not (tmp_path / "again").exists()


def test_reproducers_replace_only_reproducers(tmp_path: Path) -> None:
    from ge.passes._diagnose._reproducer import _free

    path = tmp_path / "ge-rewrite-A-1"
    assert _free(path) == path
    (tmp_path / "ge-rewrite-A-1.mlir").write_bytes(PRECIOUS)
    (tmp_path / "ge-rewrite-A-1.1.mlir").symlink_to("none")
    other = _free(path)
    assert other == tmp_path / "ge-rewrite-A-1.2"
    other.with_name(other.name + ".mlir").write_text("// wrong\n// Again: ge check x\n")
    assert _free(path) == other


def test_a_trace_is_whole_or_not_there(tmp_path: Path, model: Path) -> None:
    trace = tmp_path / "trace.json"
    hard = tmp_path / "hard"
    trace.write_bytes(PRECIOUS)
    os.link(trace, hard)
    optimize(model, tmp_path / "out.onnx", "--trace", str(trace))
    assert trace.read_text().startswith(("{", "["))
    assert hard.read_bytes() == PRECIOUS
