"""Run as a program: changes files of loaded models and prints the outcome for each reader.

Arguments: the change, and a JSON object from readers to models of `test_onnx_changed_files.write`.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import ge.ir as ir
import ge.onnx as ge_onnx
import ge.passes as passes

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 1 << 16
W = np.arange(COUNT, dtype=np.float32)


def weight(module: ir.Module) -> Any:
    (const,) = (n for n in module.graphs[0].nodes if n.op == "ge.Const")
    return const.attributes["value"]


def same(array: Any) -> None:
    assert np.array_equal(np.asarray(array).reshape(-1), W)


def save_elsewhere(module: ir.Module, path: str, external: bool | None) -> None:
    out = os.path.join(os.path.dirname(path), "out")
    os.mkdir(out)
    ge_onnx.save(module, os.path.join(out, "o.onnx"), external_data=external)
    same(weight(ge_onnx.load(os.path.join(out, "o.onnx"))).numpy())


def save_over(module: ir.Module, path: str) -> None:
    ge_onnx.save(module, path)
    same(weight(ge_onnx.load(path)).numpy())


def fold(module: ir.Module) -> None:
    passes.PassManager.parse("infer-types,constant-fold").run(module)


def print_text(module: ir.Module) -> None:
    again = ir.Module.parse(module.to_text())
    same(weight(again).numpy())


READERS: dict[str, Callable[[ir.Module, str], None]] = {
    "numpy": lambda m, _: same(weight(m).numpy()),
    "numpy view": lambda m, _: same(weight(m).numpy(copy=False)),
    "array": lambda m, _: same(np.asarray(weight(m))),
    "dlpack": lambda m, _: same(np.from_dlpack(weight(m))),
    "tolist": lambda m, _: same(weight(m).tolist()),
    "tobytes": lambda m, _: same(np.frombuffer(weight(m).tobytes(), np.float32)),
    "equals": lambda m, _: same(W if weight(m) == ir.Tensor(W, context=m.context) else []),
    "hash": lambda m, _: same(
        W if hash(weight(m)) == hash(ir.Tensor(W, context=m.context)) else []
    ),
    "pickle": lambda m, _: same(pickle.loads(pickle.dumps(weight(m))).numpy()),
    "text": lambda m, _: print_text(m),
    "to_bytes": lambda m, _: same_bytes(m),
    "save": lambda m, p: save_elsewhere(m, p, None),
    "save external": lambda m, p: save_elsewhere(m, p, True),
    "save inline": lambda m, p: save_elsewhere(m, p, False),
    "save over itself": save_over,
    "optimize": lambda m, _: fold(m),
}


def same_bytes(module: ir.Module) -> None:
    data = ge_onnx.to_bytes(module)
    if weight(module).file[0].endswith(".onnx"):
        same(weight(ge_onnx.load(data)).numpy())


def change_file(change: str, path: str) -> None:
    if change in ("shorten", "empty"):
        os.truncate(path, 4096 if change == "shorten" else 0)
    elif change == "rewrite":
        time.sleep(0.02)  # more than a tick of the file system's clock
        with open(path, "r+b") as file:
            file.seek(os.path.getsize(path) - 8)
            file.write(b"\xff" * 8)
    elif change == "rename over":
        with open(path + ".new", "wb") as file:
            file.write(b"another file")
        os.replace(path + ".new", path)
    elif change == "remove":
        os.unlink(path)
    elif change.startswith("remove and shorten"):
        with open(path, "r+b") as file:
            os.unlink(path)
            file.truncate(4096)
    else:
        raise ValueError(change)


def main() -> None:
    change, files = sys.argv[1], json.loads(sys.argv[2])
    found = {}
    for reader, path in files.items():
        module = ge_onnx.load(path)
        file = weight(module).file[0]
        if change.endswith("without descriptors"):
            os.closerange(3, 256)
        change_file(change, file)
        try:
            READERS[reader](module, path)
            found[reader] = "ok"
        except Exception as error:
            found[reader] = f"{type(error).__name__}: {error}"
    print(json.dumps(found))


if __name__ == "__main__":
    main()
