"""Files and bytes to modules, and modules to files, bytes and protos."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load as _load
from .._support.elsewhere import from_elsewhere
from .._support.files import several_paths
from .._support.program import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir import Context, Module

__all__ = ["from_onnx", "load", "save", "to_bytes", "to_onnx"]

_native: Any = _load("ir")

# GeOnnxExternalData.
_KEEP, _NEVER, _ALWAYS = 0, 1, 2
# Endings by which the package onnx reads a model as text.
_TEXTS = (".textproto", ".prototxt", ".pbtxt", ".json", ".onnxjson", ".onnxtxt", ".onnxtext")


def load(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview,
    *,
    directory: str | os.PathLike[str] | None = None,
    data_roots: Sequence[str | os.PathLike[str]] = (),
    allow_pipe: bool = False,
    context: Context | None = None,
) -> Module:
    """Read a model.

    Parameters
    ----------
    source : path-like or bytes-like
        A file, which stays mapped while one of its tensors lives, or the bytes of one.
    directory : path-like, optional
        Where external data is; by default the file's directory. Bytes have none.
    data_roots : sequence of path-like
        Other directories to which links to external data may lead.
    allow_pipe : bool
        Also read the model from a pipe, a device or a file of ``/proc``, up to 2 GiB, which waits until it ends.
        ``/dev/stdin`` is read without it.
    context : Context, optional

    Returns
    -------
    Module
        The main graph, then a graph for each function.

    Raises
    ------
    ModelError
        If it is not a model, with byte offset and field path; or if external data is outside of the
        directory (an absolute path, ``..``, a link that leads to none of `data_roots`).
    OSError
        If a file cannot be read: `FileNotFoundError`, `PermissionError` and so on, with ``errno`` and ``filename``.
        Also if a file is not a regular one.

    Notes
    -----
    Cost: O(size without weights). The GIL is released.
    """
    around = None if directory is None else os.fsdecode(directory)
    roots = [os.fsdecode(root) for root in several_paths(data_roots)]
    module: Module
    if hasattr(source, "SerializeToString"):
        raise TypeError(
            f"a path or bytes are needed, not {type(source).__name__}: {PACKAGE}.onnx.from_onnx(proto) makes a module"
        )
    if isinstance(source, (bytes, bytearray, memoryview)):
        module = _native._onnx_load_bytes(bytes(source), around, roots, context)
    else:
        module = _native._onnx_load(os.fsdecode(source), around, roots, allow_pipe, context)
    return module


def save(
    module: Module,
    path: str | os.PathLike[str],
    *,
    external_data: bool | str | None = None,
    external_data_threshold: int = 1024,
    overwrite: bool = False,
    allow_pipe: bool = False,
    verify: bool = False,
) -> None:
    """Write a model to a file.

    New external data is written under a name that no file has, then the model is renamed over
    `path`; if anything fails, the old files stay. File names in a model that was loaded are never
    paths to write: its data is referenced where it is, or written to the data files of `path`.

    Parameters
    ----------
    module : Module
    path : path-like
    external_data : bool or str, optional
        True: initializers go to ``<path>.data``, or to ``<path>.data.1`` and so on if that file exists;
        a str is the name of the new file, beside the model. False: all in the model. None: as it was;
        data that was external, did not change and lies in the directory of `path` stays in its file,
        which other models may share; other external data goes to ``<path>.data``.
    external_data_threshold : int
        Smaller initializers (in bytes) stay in the model.
    overwrite : bool
        Replace a file of the name `external_data`. Without it, only this model's own data is replaced:
        a file ``<path>.data`` or ``<path>.data.N`` that the model at `path`, and no other model in the
        directory, refers to.
    allow_pipe : bool
        Write to pipes and devices, too. ``/dev/stdout`` and ``/dev/null`` need no permission.
    verify : bool
        Read the model again, without its weights, before anything is replaced; what cannot be read is a `ModelError`.
        The commands do.

    Raises
    ------
    ValueError
        If `path` ends as models do that are text: ``.pbtxt``, ``.json`` and so on.
    FileExistsError
        If `external_data` is the name of a file that is not this model's own.
    ModelError
        If ONNX cannot express something, or the model is larger than the 2 GiB that protobuf allows
        without external data.
    OSError
        If a file cannot be written; the old one is still there. The subclass says why:
        PermissionError, IsADirectoryError and so on.
    GraphBusyError
        If another thread is changing the module.

    Notes
    -----
    Cost: O(nodes + bytes). The GIL is released; the module may be edited once its messages are made.
    A crash leaves the old model or the new one, whole; temporary and data files that it leaves
    besides are removed by the next save. A link at `path` stays, and its target is replaced. Owner,
    mode and extended attributes of the old file are kept where the system allows.
    """
    if not isinstance(module, _native.Module):
        raise TypeError(f"module is a Module, not {type(module).__name__}{from_elsewhere(module)}")
    if external_data == "":
        raise ValueError("the file of external data has no name")
    ending = os.path.splitext(os.fsdecode(path))[1]
    if ending in _TEXTS:
        raise ValueError(
            f"'{ending}' is for models as text, which are not written here: a name that ends in .onnx is binary, and "
            f"onnx.save({PACKAGE}.onnx.to_onnx(module), path) writes the text"
        )
    location = external_data if isinstance(external_data, str) else None
    external = _KEEP if external_data is None else _ALWAYS if external_data else _NEVER
    _native._onnx_save(
        module,
        os.fsdecode(path),
        external,
        location,
        external_data_threshold,
        overwrite,
        allow_pipe,
        verify,
    )


def to_bytes(module: Module, *, external_data: bool | None = None) -> bytes:
    """Return the model as bytes. External data that did not change is only referred to.

    Parameters
    ----------
    module : Module
    external_data : False, optional
        False: all in the model. None: as it was.

    Raises
    ------
    ModelError
        If ONNX cannot express something, or it takes more than protobuf's 2 GiB.
    """
    if external_data:
        raise ValueError("bytes have no file beside them: external_data is False or None")
    data: bytes = _native._onnx_to_bytes(module, _KEEP if external_data is None else _NEVER)
    return data


def from_onnx(
    model: Any,
    *,
    directory: str | os.PathLike[str] | None = None,
    context: Context | None = None,
) -> Module:
    """Return the module of an ``onnx.ModelProto``; see `load`.

    Parameters
    ----------
    model : onnx.ModelProto
    directory : path-like, optional
        Where external data is.
    context : Context, optional
    """
    return load(model.SerializeToString(), directory=directory, context=context)


def to_onnx(module: Module) -> Any:
    """Return the module as an ``onnx.ModelProto``; see `to_bytes`. Needs the package ``onnx``.

    Parameters
    ----------
    module : Module
    """
    import onnx

    return onnx.ModelProto.FromString(to_bytes(module))
