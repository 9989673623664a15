"""Pass files are executed only if no other user can change them or any directory on their path."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from cli_run import ge

import ge.passes as passes
from ge.passes import bootstrap

PASS = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class {name}(FusionBasePass):
    def run(self, graph, context):
        pass
"""
OTHER = 54321  # an unassigned user id


@pytest.fixture(autouse=True)
def clean(clean_passes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(bootstrap.ENV_PY_PASS_PATH, raising=False)
    monkeypatch.delenv("GE_ALLOW_UNSAFE_PLUGINS", raising=False)


def write(path: Path, name: str = "A") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PASS.format(name=name))
    return path


def names() -> list[str]:
    return [d.pass_name for d in passes.get_registered_passes()]


def load(monkeypatch: pytest.MonkeyPatch, *paths: object) -> dict[str, str]:
    """Load pass files and return the errors of refused ones."""
    monkeypatch.setenv(bootstrap.ENV_PY_PASS_PATH, os.pathsep.join(map(str, paths)))
    bootstrap.load_pass_plugins()
    return bootstrap.load_errors()


def loads_when_allowed(monkeypatch: pytest.MonkeyPatch) -> bool:
    assert names() == []
    monkeypatch.setenv("GE_ALLOW_UNSAFE_PLUGINS", "1")
    bootstrap.load_pass_plugins()
    return names() == ["A"] and not bootstrap.load_errors()


@pytest.mark.parametrize(
    ("mode", "what", "says"),
    [
        (0o777, "file", "is writable by everybody (mode 0777)"),
        (0o777, "directory", "is writable by everybody (mode 0777)"),
        (0o777, "parent", "is writable by everybody (mode 0777)"),
        (0o602, "file", "chmod o-w"),
        (0o775, "file", "is writable by group 54321 (mode 0775)"),
        (0o770, "directory", "chmod g-w"),
        (0o770, "parent", "GE_ALLOW_UNSAFE_PLUGINS=1"),
    ],
)
def test_what_others_may_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, what: str, says: str
) -> None:
    file = write(tmp_path / "parent" / "d" / "a.py")
    target = {"file": file, "directory": file.parent, "parent": file.parent.parent}[what]
    if mode & 0o020 and not mode & 0o002:
        if os.geteuid() != 0:
            pytest.skip("only root may give a file to a group that it is not in")
        os.chown(target, -1, OTHER)
    target.chmod(mode)
    for errors in (load(monkeypatch, file), load(monkeypatch, file.parent)):
        assert names() == []
        assert errors and all(str(target) in text and says in text for text in errors.values())
    assert loads_when_allowed(monkeypatch)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")
@pytest.mark.parametrize("what", ["file", "directory", "parent"])
def test_what_belongs_to_others_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    file = write(tmp_path / "parent" / "d" / "a.py")
    target = {"file": file, "directory": file.parent, "parent": file.parent.parent}[what]
    os.chown(target, OTHER, -1)
    (text,) = load(monkeypatch, file).values()
    assert f"'{target}' belongs to user {OTHER}" in text and "chown" in text
    # Files of the interpreter's owner are trusted like the user's.
    monkeypatch.setattr(sys, "prefix", str(target))
    assert load(monkeypatch, file) == {} and names() == ["A"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")
def test_the_sticky_bit_keeps_what_is_mine_and_protects_nothing_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    mine = write(shared / "mine.py", "Mine")
    theirs = write(shared / "theirs.py", "Theirs")
    link = shared / "link.py"
    link.symlink_to(write(tmp_path / "elsewhere.py", "Elsewhere"))
    os.chown(theirs, OTHER, OTHER)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    shared.chmod(0o1777)
    errors = load(monkeypatch, shared)
    assert names() == ["Mine"]
    assert {Path(origin).name for origin in errors} == {"theirs.py", "link.py"}
    assert str(mine) not in errors


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")
def test_what_a_pass_file_imports_from_its_directory_is_held_to_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a directory for temporary files everybody can create a file with the name of any module."""
    shared = tmp_path / "shared"
    file = write(shared / "a.py")
    file.write_text("import _trust_neighbour\n" + file.read_text())
    neighbour = shared / "_trust_neighbour.py"
    neighbour.write_text("raise RuntimeError('code of another user ran')\n")
    os.chown(neighbour, OTHER, OTHER)
    shared.chmod(0o1777)
    (text,) = load(monkeypatch, file).values()
    assert "_trust_neighbour.py' belongs to user" in text and names() == []
    os.chown(neighbour, 0, 0)
    neighbour.write_text("")
    assert load(monkeypatch, file) == {} and names() == ["A"]
    sys.modules.pop("_trust_neighbour")


def test_a_link_leads_through_what_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "open" / "a.py")
    link = tmp_path / "links" / "a.py"
    link.parent.mkdir()
    link.symlink_to(Path("..") / "open" / "a.py")
    file.parent.chmod(0o777)
    (text,) = load(monkeypatch, link).values()
    assert f"'{file.parent}' is writable by everybody" in text
    file.parent.chmod(0o755)
    link.parent.chmod(0o777)  # others could replace the link
    (text,) = load(monkeypatch, link).values()
    assert f"'{link.parent}' is writable by everybody" in text
    link.parent.chmod(0o755)
    assert load(monkeypatch, link) == {} and names() == ["A"]


def test_a_loop_of_links_and_a_missing_step_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.symlink_to(b)
    b.symlink_to(a)
    errors = load(monkeypatch, a, tmp_path / "none" / "c.py")
    assert len(errors) == 2 and names() == []
    assert "does not exist" in errors[str(tmp_path / "none" / "c.py")]


@pytest.mark.parametrize("where", ["__init__.py", "part.py", "sub/more.py"])
def test_every_file_of_a_package_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    package = tmp_path / "d" / "package"
    write(package / "__init__.py")
    for name in ("part.py", "sub/__init__.py", "sub/more.py", "notes.txt"):
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text("")
    (package / "notes.txt").chmod(0o666)  # not code
    (package / where).chmod(0o666)
    (text,) = load(monkeypatch, tmp_path / "d").values()
    assert f"{where}' is writable by everybody" in text
    assert loads_when_allowed(monkeypatch)


def test_a_fifo_is_refused_without_opening_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "d"
    write(directory / "a.py")
    fifo, other = directory / "fifo.py", tmp_path / "other.py"
    package = directory / "package"
    package.mkdir()
    for path in (fifo, other, package / "__init__.py"):
        os.mkfifo(path)
    link = directory / "device.py"
    link.symlink_to("/dev/zero")
    for allowed in ("0", "1"):
        monkeypatch.setenv("GE_ALLOW_UNSAFE_PLUGINS", allowed)
        errors = load(monkeypatch, directory, other)
        assert names() == ["A"]
        assert "is a FIFO; only regular files are loaded" in errors[str(fifo)]
        assert "is a FIFO" in errors[str(other)]
        assert "is a device" in errors[str(link)]


@pytest.mark.nosan
def test_commands_say_why_and_how_to_trust_a_file(tmp_path: Path) -> None:
    file = write(tmp_path / "a.py")
    file.chmod(0o666)
    done = ge("plugins", file)
    assert done.status == 1
    assert f"{file}: PermissionError: '{file}' is writable by everybody (mode 0666)" in done.err
    assert "chmod o-w" in done.err and "GE_ALLOW_UNSAFE_PLUGINS=1" in done.err
    model = tmp_path / "m.mlir"
    model.write_text(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"
    )
    done = ge("optimize", model, "-o", tmp_path / "o.mlir", "--passes", file)
    assert done.status == 1 and "chmod o-w" in done.err
    assert not (tmp_path / "o.mlir").exists()


@pytest.mark.nosan
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_a_user_trusts_its_own_files_and_its_private_group() -> None:
    """Run as the user `nobody`: a file that a group may write is trusted only if the group has the user's own name."""
    import grp
    import pwd

    nobody = pwd.getpwnam("nobody")
    private = grp.getgrgid(nobody.pw_gid).gr_name == nobody.pw_name
    program = (
        "import json, os, sys; from ge._mlir_like._cext_loader import load; distrust = load('passes')._distrust;"
        f"os.setgid({nobody.pw_gid}); os.setuid({nobody.pw_uid});"
        "print(json.dumps([distrust(os.fsencode(p), b'') or '' for p in sys.argv[1:]]))"
    )
    place = Path(tempfile.mkdtemp(prefix="ge-trust-"))  # tmp_path is accessible to root only
    place.chmod(0o755)
    try:
        own, group, roots = place / "own.py", place / "group.py", place / "roots.py"
        for path in (own, group, roots):
            path.write_text("")
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
        for path in (own, group):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        group.chmod(0o664)
        done = subprocess.run(
            [sys.executable, "-c", program, own, group, roots],
            capture_output=True,
            text=True,
            check=True,
        )
        first, second, third = json.loads(done.stdout)
        assert first == third == ""
        assert (second == "") == private, second
    finally:
        for path in place.iterdir():
            path.unlink()
        place.rmdir()
