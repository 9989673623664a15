"""Replacing a file keeps its access list, set-id bits and attributes, and never widens access.

Modes and owners that can be kept are tested in test_outputs.py. If root runs the tests, another user saves the model.
"""

import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ge.onnx as ge_onnx
from ge import ir
from ge._support.files import write_file

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
OWNER, USER, GROUP, MASK, OTHERS = 1, 2, 4, 16, 32
NO_ID = 0xFFFFFFFF
SAVER, ANOTHER = 34567, 1234

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")


def access_list(owner: int, user: int, group: int, mask: int, others: int = 0) -> bytes:
    """Return an access list in the kernel's format: the rights of a mode and of the user ANOTHER."""
    entries = [
        (OWNER, owner, NO_ID),
        (USER, user, ANOTHER),
        (GROUP, group, NO_ID),
        (MASK, mask, NO_ID),
        (OTHERS, others, NO_ID),
    ]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def set_attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"the file system has no {name}: {error}")


def rights(path: Path) -> tuple[int, bytes | None]:
    """Return mode and access list."""
    found = ACCESS in os.listxattr(path)
    return path.stat().st_mode & 0o7777, os.getxattr(path, ACCESS) if found else None


def weights(size: int = 1024) -> ir.Module:
    """Return a model of one weight."""
    module = ir.Module("m")
    graph = module.add_graph("g")
    data = ir.Tensor(np.arange(size, dtype=np.float32))
    graph.outputs = [graph.add_node("ge.Const", attributes={"value": data}, result_types=[data.type]).result]  # fmt: skip
    return module


def as_user(directory: Path, do: Callable[[], None]) -> None:
    """Call a function in a child process as the user SAVER, with this working directory."""
    child = os.fork()
    if child == 0:
        try:
            os.chdir(directory)
            os.setgroups([])
            os.setgid(SAVER)
            os.setuid(SAVER)
            do()
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a directory, which belongs to SAVER if root runs the tests."""
    made = tmp_path / "home"
    made.mkdir()
    if os.geteuid() == 0:
        os.chown(made, SAVER, SAVER)
    return made


@pytest.fixture
def module() -> ir.Module:
    return weights()


def test_an_access_list_stays(tmp_path: Path, module: ir.Module) -> None:
    target = tmp_path / "out.onnx"
    target.write_bytes(b"")
    set_attribute(target, ACCESS, access_list(6, 4, 0, 4))
    before = rights(target)
    ge_onnx.save(module, target)
    assert rights(target) == before
    write_file(target, "text")
    assert rights(target) == before


def test_the_data_of_a_private_model_is_private(tmp_path: Path) -> None:
    """New data gets the rights of the model, but not its other extended attributes."""
    target = tmp_path / "out.onnx"
    target.write_bytes(b"")
    target.chmod(0o640)
    set_attribute(target, ACCESS, access_list(6, 4, 0, 4))
    os.setxattr(target, "user.note", b"about the model")
    before = rights(target)
    ge_onnx.save(weights(), target, external_data=True)
    data = tmp_path / "out.onnx.data"
    assert rights(target) == rights(data) == before
    assert os.getxattr(target, "user.note") == b"about the model"
    assert os.listxattr(data) == [ACCESS]
    # Data that replaces it keeps the extended attributes of the data.
    os.setxattr(data, "user.note", b"about the data")
    ge_onnx.save(weights(2048), target, external_data=True)
    (data,) = tmp_path.glob("out.onnx.data*")
    assert rights(data) == before
    assert os.getxattr(data, "user.note") == b"about the data"


def test_a_list_that_the_directory_gives_is_not_added(tmp_path: Path, module: ir.Module) -> None:
    target = tmp_path / "out.onnx"
    target.write_bytes(b"")
    target.chmod(0o640)
    set_attribute(tmp_path, DEFAULT, access_list(7, 7, 7, 7))
    ge_onnx.save(module, target)
    assert rights(target) == (0o640, None)
    # A new file gets the default access list of the directory.
    ge_onnx.save(module, tmp_path / "new.onnx")
    assert rights(tmp_path / "new.onnx") == (0o660, access_list(6, 7, 7, 6))


@needs_root
def test_attributes_of_a_read_only_file_stay(home: Path, module: ir.Module) -> None:
    target = home / "out.onnx"
    target.write_bytes(b"")
    set_attribute(target, "user.note", b"it")
    os.chown(target, SAVER, SAVER)
    target.chmod(0o444)
    as_user(home, lambda: ge_onnx.save(module, "out.onnx"))
    assert target.stat().st_size > 0
    assert target.stat().st_mode & 0o7777 == 0o444
    assert os.getxattr(target, "user.note") == b"it"


@needs_root
def test_set_id_bits_of_an_own_file_stay(home: Path, module: ir.Module) -> None:
    """They are restored, because the kernel clears them at each write."""
    target = home / "out.onnx"
    target.write_bytes(b"")
    os.chown(target, SAVER, SAVER)
    target.chmod(0o6755)
    as_user(home, lambda: ge_onnx.save(module, "out.onnx"))
    assert target.stat().st_size > 0
    assert target.stat().st_mode & 0o7777 == 0o6755


@needs_root
def test_a_list_of_another_group_gives_no_rights(home: Path, module: ir.Module) -> None:
    """Its entry for the group would apply to the group of the user who saves."""
    target = home / "out.onnx"
    target.write_bytes(b"")
    set_attribute(target, ACCESS, access_list(6, 6, 6, 6, 4))
    os.chown(target, 1, 2)
    as_user(home, lambda: ge_onnx.save(module, "out.onnx"))
    assert (target.stat().st_uid, target.stat().st_gid) == (SAVER, SAVER)
    assert rights(target) == (0o604, None)


@needs_root
def test_a_list_of_a_file_that_cannot_be_read_stays(home: Path, module: ir.Module) -> None:
    """Without the list, its mask would become the rights of the group."""
    target = home / "out.onnx"
    target.write_bytes(b"")
    set_attribute(target, ACCESS, access_list(2, 6, 0, 6))
    os.chown(target, SAVER, SAVER)
    before = rights(target)
    as_user(home, lambda: ge_onnx.save(module, "out.onnx"))
    assert target.stat().st_size > 0
    assert rights(target) == before
