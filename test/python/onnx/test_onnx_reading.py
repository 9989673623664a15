"""Only regular files of the model's directory are read, and files that the caller names or allows.

Missing and forbidden files raise the exception that `open` would raise. Opening never waits for a writer and never
reads more than it needs. Not tested here: sockets and block devices. Changes of a file after it was opened are tested
in test_onnx_changed_files.py.
"""

import errno
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import Ran
from cli_run import ge as run_ge

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

A = np.arange(64, dtype=np.float32)


def model_of(*weights: Any) -> Any:
    """Return a model in which `weights` are summed."""
    tensors = [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)]
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, weights[0].shape)
    node = helper.make_node("Sum", [t.name for t in tensors], ["y"], name="sum")
    return helper.make_model(helper.make_graph([node], "g", [], [output], tensors))


def with_locations(*locations: str, count: int = 4) -> Any:
    """Return a model with one external tensor of `count` floats at each location."""
    model = model_of(*(np.zeros(1, np.float32) for _ in locations))
    for tensor, location in zip(model.graph.initializer, locations, strict=True):
        tensor.ClearField("raw_data")
        tensor.dims[:] = [count]
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
    return model


def weights(module: ir.Module) -> list[Any]:
    return [n.attributes["value"].numpy() for n in module.graphs[0].nodes if n.op == "ge.Const"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.onnx"
    path.write_bytes(model_of(A).SerializeToString())
    return path


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "p.onnx"
    os.mkfifo(path)
    return path


def feed(pipe: Path, data: bytes) -> threading.Thread:
    """Write to a pipe in two parts, as soon as there is a reader."""

    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            file.write(data[:10])
            time.sleep(0.05)
            file.write(data[10:])

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def ge(*arguments: object, status: int = 0) -> Ran:
    """Run a command; assert its exit status, and that it prints no traceback."""
    done = run_ge(*arguments)
    assert done.status == status, done.err
    assert "Traceback" not in done.err
    return done


# --- Errors of the system


def test_a_missing_file_is_file_not_found(tmp_path: Path) -> None:
    path = str(tmp_path / "none.onnx")
    with pytest.raises(FileNotFoundError) as caught:
        ge_onnx.load(path)
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == path
    assert caught.value.strerror == "No such file or directory"
    with pytest.raises(FileNotFoundError) as caught:
        ir.Tensor.from_file(path, ir.f32, (1,))
    assert caught.value.filename == path


def test_a_forbidden_file_is_a_permission_error(model: Path) -> None:
    """Root may read every file, so the child first drops its privileges."""
    model.chmod(0)
    script = f"""
import os
if os.geteuid() == 0:
    import ge.onnx, ge.ir
    ge.ir.Module()
    os.setegid(65534)
    os.seteuid(65534)
import ge.onnx
try:
    ge.onnx.load({str(model)!r})
except PermissionError as error:
    assert error.errno == {errno.EACCES}, error.errno
    assert error.filename == {str(model)!r}, error.filename
    print("refused")
"""
    for directory in (model.parent, *model.parents):
        if directory.owner() == "root" and directory.stat().st_mode & 0o001:
            continue
        if directory != Path("/"):
            directory.chmod(directory.stat().st_mode | 0o011)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_other_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError) as caught:
        ge_onnx.load(tmp_path)
    assert caught.value.filename == str(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        ge_onnx.load(tmp_path / "file" / "m.onnx")
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError) as other:
        ge_onnx.load(tmp_path / "a")
    assert other.value.errno == errno.ELOOP


def test_missing_external_data_is_file_not_found(tmp_path: Path) -> None:
    model = with_locations("gone").SerializeToString()
    with pytest.raises(FileNotFoundError) as caught:
        ge_onnx.load(model, directory=tmp_path)
    assert caught.value.filename == str(tmp_path / "gone")


@pytest.mark.parametrize(
    "command",
    [
        ["info"],
        ["check", "m.onnx"],
        ["diff", "m.onnx"],
        ["convert", "-o", "o.mlir"],
        ["optimize", "-o", "o.onnx"],
        ["view", "-o", "o.svg"],
        ["bisect", "--passes", "cse"],
    ],
)
@pytest.mark.parametrize("name", ["none.onnx", "none.mlir"])
def test_commands_name_the_missing_file(
    monkeypatch: pytest.MonkeyPatch, model: Path, command: list[str], name: str
) -> None:
    monkeypatch.chdir(model.parent)
    done = ge(command[0], name, *command[1:], status=1)
    assert "No such file or directory" in done.err and name in done.err


# --- Special files


def test_a_pipe_is_refused_at_once(pipe: Path) -> None:
    with pytest.raises(OSError, match="allow_pipe=True") as caught:
        ge_onnx.load(pipe)
    assert caught.value.filename == str(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        ir.Tensor.from_file(pipe, ir.f32, (1,))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/tty", "/proc/self/environ", "/proc/self/mem"])
def test_devices_and_files_of_the_kernel_are_refused(path: str) -> None:
    if not os.path.exists(path):
        pytest.skip(f"this system has no {path}")
    with pytest.raises(OSError):
        ge_onnx.load(path)


def test_a_pipe_that_is_allowed_is_read(pipe: Path) -> None:
    thread = feed(pipe, model_of(A).SerializeToString())
    (found,) = weights(ge_onnx.load(pipe, allow_pipe=True))
    assert np.array_equal(found, A)
    thread.join()


@pytest.mark.slow
@pytest.mark.nosan  # its limit of address space is below what a sanitizer maps
def test_a_device_without_end_is_bounded() -> None:
    """At most 2 GiB are read; the limit of memory here is lower and makes the read fail first, with an error."""
    script = """
import resource
import ge.onnx
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
try:
    ge.onnx.load("/dev/zero", allow_pipe=True)
except (MemoryError, OSError) as error:
    print("bounded")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "bounded\n", done.stderr


def test_standard_input_by_its_name(model: Path) -> None:
    script = "import ge.onnx; print(len(ge.onnx.load('/dev/stdin').graphs))"
    data = model.read_bytes()
    done = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True)
    assert done.stdout == b"1\n", done.stderr
    with model.open("rb") as file:
        done = subprocess.run([sys.executable, "-c", script], stdin=file, capture_output=True)
    assert done.stdout == b"1\n", done.stderr
    with pytest.raises(ir.ModelError, match="the file is empty"):
        ge_onnx.load("/dev/null")


@pytest.mark.parametrize("name", ["data", "link"])
def test_external_data_is_never_a_pipe(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "data")
    (tmp_path / "link").symlink_to("data")
    model = with_locations(name).SerializeToString()
    with pytest.raises(ir.ModelError, match="not a regular file"):
        ge_onnx.load(model, directory=tmp_path)
    (tmp_path / "m.onnx").write_bytes(model)
    with pytest.raises(ir.ModelError, match="not a regular file"):
        ge_onnx.load(tmp_path / "m.onnx", allow_pipe=True)


@pytest.mark.parametrize("suffix", [".onnx", ".mlir"])
def test_commands_refuse_a_pipe_unless_an_option_allows_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: Path, suffix: str
) -> None:
    monkeypatch.chdir(tmp_path)
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    text = ge_onnx.load(model).to_text().encode()
    done = ge("info", str(pipe), status=1)
    assert "--allow-pipe" in done.err
    thread = feed(pipe, text if suffix == ".mlir" else model.read_bytes())
    done = ge("info", "--allow-pipe", str(pipe))
    assert "onnx.Sum" in done.out
    thread.join()
    for command in (["check", str(model)], ["diff", str(model)], ["convert", "-o", "o.mlir"]):
        done = ge(command[0], str(pipe), *command[1:], status=1)
        assert "--allow-pipe" in done.err
    done = ge("optimize", str(pipe), "-o", "o.onnx", status=1)
    assert "--allow-pipe" in done.err


def test_a_piped_model_is_optimized_and_checked(tmp_path: Path, model: Path) -> None:
    """The model is read once, although the result is compared with it."""
    pytest.importorskip("onnxruntime")
    pipe = tmp_path / "pipe.onnx"
    os.mkfifo(pipe)
    thread = feed(pipe, model.read_bytes())
    out = tmp_path / "o.onnx"
    ge("optimize", "--allow-pipe", "--check", "1", str(pipe), "-o", str(out))
    thread.join()
    assert out.is_file()


# --- Links


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """Return a model as in a download cache: its data is a link to another directory."""
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "1f").write_bytes(A[:4].tobytes())
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / "data").symlink_to("../blobs/1f")
    path = tmp_path / "snapshot" / "m.onnx"
    path.write_bytes(with_locations("data").SerializeToString())
    return path


def test_links_that_lead_out_are_refused_with_the_remedy(linked: Path) -> None:
    blobs = linked.parent.parent / "blobs"
    with pytest.raises(ir.ModelError, match="outside of the model's directory") as caught:
        ge_onnx.load(linked)
    assert f"data_roots=['{blobs}/']" in str(caught.value)
    assert f"--data-root {blobs}/" in str(caught.value)


def test_data_roots_allow_them(linked: Path) -> None:
    blobs = linked.parent.parent / "blobs"
    for roots in ([blobs], [linked.parent, str(blobs)], (blobs.parent,)):
        (found,) = weights(ge_onnx.load(linked, data_roots=roots))
        assert np.array_equal(found, A[:4])
    data = linked.read_bytes()
    assert weights(ge_onnx.load(data, directory=linked.parent, data_roots=[blobs]))
    other = linked.parent.parent / "blob"  # a prefix of the name is another directory
    other.mkdir()
    with pytest.raises(ir.ModelError, match="outside"):
        ge_onnx.load(linked, data_roots=[other])
    with pytest.raises(FileNotFoundError):
        ge_onnx.load(linked, data_roots=[linked.parent / "none", blobs])
    with pytest.raises(TypeError, match="sequence of directories"):
        ge_onnx.load(linked, data_roots=str(blobs))


def test_data_roots_allow_no_other_locations(linked: Path) -> None:
    """They apply to links only; a location must still be relative and without dots."""
    blobs = linked.parent.parent / "blobs"
    for location in (f"{blobs}/1f", "../blobs/1f"):
        model = with_locations(location).SerializeToString()
        with pytest.raises(ir.ModelError, match="location"):
            ge_onnx.load(model, directory=linked.parent, data_roots=[blobs])


def test_commands_take_a_data_root(linked: Path) -> None:
    blobs = str(linked.parent.parent / "blobs")
    done = ge("info", str(linked), status=1)
    assert "--data-root" in done.err
    ge("info", "--data-root", blobs, str(linked))
    ge("diff", "--data-root", blobs, str(linked), str(linked))
    text = linked.parent / "t.mlir"
    ge("convert", str(linked), "--data-root", blobs, "-o", str(text))
    assert text.is_file()


@pytest.mark.slow
def test_many_models_take_data_roots(linked: Path, tmp_path: Path) -> None:
    blobs = tmp_path / "blobs"
    (result,) = ge_onnx.optimize_many([linked], output_dir=tmp_path / "out", jobs=1)
    assert result.status == "failed" and "data_roots" in result.error
    (result,) = ge_onnx.optimize_many(
        [linked], output_dir=tmp_path / "out", jobs=1, data_roots=[blobs]
    )
    assert result.status == "done", result.error


# --- Cost


@pytest.mark.slow
def test_thousands_of_data_files_need_no_descriptor_each(tmp_path: Path) -> None:
    count = 5000
    names = [f"w{i}" for i in range(count)]
    for i, name in enumerate(names):
        (tmp_path / name).write_bytes(np.full(4, i, np.float32).tobytes())
    path = tmp_path / "m.onnx"
    path.write_bytes(with_locations(*names).SerializeToString())
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
        module = ge_onnx.load(path)
        found = [float(w[0]) for w in weights(module)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert sorted(found) == list(range(count))


def test_opening_reads_no_weights(tmp_path: Path) -> None:
    """Opening a model with 1 GiB of external weights hardly increases the resident memory: it reads no weights."""
    size = 1 << 30
    small = model_of(np.zeros(1024, np.float32)).SerializeToString()
    model = onnx.ModelProto.FromString(small)
    tensor = model.graph.initializer[0]
    tensor.dims[:] = [size // 4]
    tensor.ClearField("raw_data")
    (tmp_path / "w").touch()
    os.truncate(tmp_path / "w", size)
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w")
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    script = f"""
import resource, time
import ge.onnx
ge.onnx.load({str(tmp_path / "small.onnx")!r})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
times = []
for _ in range(20):
    start = time.perf_counter()
    module = ge.onnx.load({str(tmp_path / "m.onnx")!r})
    times.append(time.perf_counter() - start)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, min(times))
"""
    (tmp_path / "small.onnx").write_bytes(small)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    kibibytes, seconds = done.stdout.split()
    assert int(kibibytes) < 16384 and float(seconds) < 0.1, done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "run 'git lfs pull'"),
        (b"\n<!DOCTYPE html>\n<html>", "an HTML page"),
        (b"<html><body>", "an HTML page"),
        (b"PK\x03\x04\0\0\x08\x08", "torch.onnx.export"),
        (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "torch.onnx.export"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gunzip"),
        (b"ir_version: 8\ngraph {\n}\n", "protobuf's text form"),
        (b"func.func @main() {\n}\n", "ends in .mlir"),
    ],
)
def test_files_that_are_something_else(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    with pytest.raises(ir.ModelError, match="this is not an ONNX model: ") as raised:
        ge_onnx.load(path)
    assert says in str(raised.value) and str(path) in str(raised.value)
    done: Ran = run_ge("info", path)
    assert done.status == 1 and says in done.err and str(path) in done.err


def test_a_model_that_begins_like_something_else(tmp_path: Path) -> None:
    """It is a valid model: the tag and value of its first field, which is unknown, look like the start of a text."""
    content = b"ir_versio" + model_of(A).SerializeToString()
    assert ge_onnx.load(content).graphs


def test_a_model_and_its_data_come_from_one_directory(tmp_path: Path) -> None:
    """The directory is replaced by a link while the model is read.

    The model is a pipe: the directory is replaced after the pipe was opened, and before the model names its data.
    """
    mine, other = tmp_path / "mine", tmp_path / "other"
    for directory in (mine, other):
        directory.mkdir()
        (directory / "w").write_bytes((A if directory == mine else A + 100).tobytes())
    pipe = mine / "m.onnx"
    os.mkfifo(pipe)

    def replace_and_write() -> None:
        with open(pipe, "wb") as file:  # waits for the reader
            mine.rename(tmp_path / "moved")
            mine.symlink_to(other)
            file.write(with_locations("w", count=64).SerializeToString())

    writer = threading.Thread(target=replace_and_write)
    writer.start()
    module = ge_onnx.load(pipe, allow_pipe=True)
    writer.join()
    assert np.array_equal(weights(module)[0], A)


# Replaces a file or a directory by a link and back, in a loop.
EXCHANGE = """
import os, sys
changing, kept, target = sys.argv[1:]
print(flush=True)
while True:
    os.rename(changing, kept)
    os.symlink(target, changing)
    os.unlink(changing)
    os.rename(kept, changing)
"""


@pytest.mark.parametrize("part", ["file", "directory"])
def test_data_replaced_by_a_link_while_it_is_opened(tmp_path: Path, part: str) -> None:
    """Check and open are atomic: whenever another process replaces the path, nothing outside is read."""
    home, other = tmp_path / "home", tmp_path / "other"
    for directory in (home / "d", other):
        directory.mkdir(parents=True)
        (directory / "w").write_bytes((A if directory != other else A + 100).tobytes())
    changing = home / "d" if part == "directory" else home / "d" / "w"
    target = other if part == "directory" else other / "w"
    words = [sys.executable, "-c", EXCHANGE, changing, home / "kept", target]
    data = with_locations("d/w", count=64).SerializeToString()
    read = 0
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            for _ in range(3000):
                try:
                    module = ge_onnx.load(data, directory=home)
                except (ir.ModelError, FileNotFoundError):
                    continue
                assert np.array_equal(weights(module)[0], A)
                read += 1
        finally:
            process.kill()
    assert read
