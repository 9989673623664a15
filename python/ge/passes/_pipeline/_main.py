"""``ge.passes.main()``: a pass file that runs by itself."""

import argparse
import sys
from collections.abc import Sequence

from ... import ir
from ..._support.files import read_file, write_file
from ..._support.formats import need_writable
from .._pattern._public import publish
from ._manager import PassManager
from ._registry import get_registered_passes
from ._stages import ordered

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the passes of the calling file on a model.

    ::

        if __name__ == "__main__":
            raise SystemExit(ge.passes.main())

    ``python my_pass.py model.onnx -o out.onnx`` then runs what ``my_pass.py`` registered, in the order of stages. A file
    that ends in ``.onnx`` is a model, others are the text form.

    Parameters
    ----------
    argv : sequence of str, optional
        Default: the command line.

    Returns
    -------
    int
        0: done, 1: failed, 2: wrong usage.
    """
    parser = argparse.ArgumentParser(description="Run the passes of this file on a model.")
    parser.add_argument("input", help="a model.onnx, or a graph in text form")
    parser.add_argument("-o", "--output", help="output file; default: print the text form")
    parser.add_argument(
        "--passes", help="a pipeline, instead of the passes of this file in the order of stages"
    )
    parser.add_argument(
        "--check-rewrites", action="store_true", help="compare each rewrite with what it replaces"
    )
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    if arguments.output is not None:
        try:
            need_writable(arguments.output)
        except ValueError as error:
            print(f"{parser.prog}: error: {error}", file=sys.stderr)
            return 2
    try:
        module = _read(arguments.input)
        manager = PassManager(check="rewrite" if arguments.check_rewrites else None)
        explained: list[str] = []
        if arguments.passes is not None:
            manager.add(arguments.passes)
        else:
            own = [d for d in get_registered_passes() if d.module_name == "__main__"]
            for descriptor in ordered(own or get_registered_passes()):
                manager.add(descriptor.cls)
                explained.append(descriptor.pass_name)
        result = manager.run(module, explain=explained)
        _write(module, arguments.output)
    except (ir.GEError, OSError, ValueError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return 1
    for each in result.passes:
        counts = ", ".join(f"{n} {what}" for what, n in each.statistics.items())
        print(f"{each.name}: {each.outcome}{': ' + counts if counts else ''}", file=sys.stderr)
    if not any(result.matches.get(name) for name in explained):
        for one in result.unmatched:
            print(one.message, file=sys.stderr)
    if result.rewrite_check is not None:
        doubts = [*result.rewrite_check.unevaluated, *result.rewrite_check.contextual]
        for line in (*doubts, result.rewrite_check):
            print(line, file=sys.stderr)
    return 0


def _read(path: str) -> ir.Module:
    if path.endswith(".onnx"):
        from ... import onnx

        module: ir.Module = onnx.load(path)
        # Conditions need shapes, which models seldom declare for all values.
        PassManager.parse("infer-types").run(module)
        return module
    return ir.Module.parse(read_file(path).decode(), path)


def _write(module: ir.Module, path: str | None) -> None:
    if path is None:
        print(module.to_text())
    elif path.endswith(".onnx"):
        from ... import onnx

        onnx.save(module, path)
    else:
        write_file(path, module.to_text())


publish(globals())
