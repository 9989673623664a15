"""``ge convert``: ONNX to text, and text to ONNX."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .._support.program import PROGRAM
from ._models import TEXT, add_reading, is_text, need_new, read, target_of, text_of, write_text
from ._output import CommandError, Options, Output, Parser, UsageError

if TYPE_CHECKING:
    from ..ir import Diagnostic, Module

__all__ = ["add_arguments", "run"]

HELP = (
    "Convert a model. A file that ends in .mlir, .ge or .txt is text (MLIR generic assembly); '-' is\n"
    "text on standard input or output; everything else that is read is ONNX, and so is a result whose name\n"
    "ends in .onnx or has no ending."
)


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("input", metavar="IN")
    add_reading(parser)
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="default: a new file, IN with the other suffix"
    )
    parser.add_argument(
        "--elide",
        type=int,
        metavar="N",
        help="write tensors of more than N elements as __elided__; such a text cannot be read again",
    )
    parser.add_argument(
        "--external-data",
        nargs="?",
        const=True,
        metavar="NAME",
        help="write weights to OUT.data, or to the new file NAME beside OUT",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="write a model whose types contradict each other, too; --external-data may replace NAME",
    )


def run(options: Options, output: Output) -> int:
    """Convert; return the exit status."""
    from ..onnx import save

    source: str = options.input
    if options.output is None and source == "-":
        raise UsageError(
            "the name of the output cannot be derived from standard input: give -o OUT"
        )
    stem = os.path.splitext(source)[0]
    target: str = target_of(options.output or stem + (".onnx" if is_text(source) else TEXT[0]))
    if is_text(target) and options.external_data:
        raise UsageError("--external-data is for ONNX; a text holds its weights")
    if not is_text(target) and options.elide is not None:
        raise UsageError("--elide is for text; ONNX holds its weights")
    if options.elide is not None and options.elide < 0:
        raise UsageError(f"--elide is {options.elide}: tensors have 0 elements or more")
    if options.output is None:
        need_new(target, f"{PROGRAM} convert {source}")
    if target in ("-", "/dev/stdout"):
        output.give_stdout()
    module = read(source, options)
    if not is_text(target) and not options.force:
        _need_sound(module, source, target, output)
    if is_text(target):
        text = text_of(module, options.elide)
        write_text(text, target, is_new=options.output is None, allow_pipe=options.allow_pipe)
    else:
        with module.context.attach_diagnostic_handler(lambda d: _say_remark(d, output)):
            try:
                save(
                    module,
                    target,
                    external_data=options.external_data,
                    overwrite=options.force,
                    allow_pipe=options.allow_pipe,
                    verify=True,
                )
            except ValueError as error:
                raise UsageError(f"--external-data: {error}") from error
    if target != "-":
        output.line(f"{source} -> {target} ({os.path.getsize(target)} bytes)")
        output.result({"input": source, "output": target, "bytes": os.path.getsize(target)})
    return 0


def _say_remark(diagnostic: Diagnostic, output: Output) -> bool:
    """Print the writer's remarks on what is lost; errors are raised."""
    if diagnostic.severity != "remark":
        return False
    output.note(f"remark: {diagnostic.message}")
    return True


def _need_sound(module: Module, source: str, target: str, output: Output) -> None:
    """Raise if no runtime could load the result; problems that the file had before are only reported."""
    from ..optimize import contradictions, listed
    from ..run import main_graph

    if not main_graph(module).outputs:
        raise CommandError(f"{source} has no outputs; --force writes it. {target} was not written")
    found = contradictions(module)
    if not found:
        return
    if is_text(source):
        raise CommandError(
            f"{source} contradicts itself: {listed(found)}; --force writes it. {target} was not written"
        )
    output.note(f"{source} contradicts itself: {listed(found)}")
