"""``ge check``: whether two models compute the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._inputs import input_data
from ._models import add_reading, as_read, is_text, read, shapes, sizes
from ._output import (
    UNDECIDED,
    CommandError,
    Options,
    Output,
    Parser,
    UndecidedError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..ir import Module
    from ..onnx import CheckReport

__all__ = ["add_arguments", "add_inputs", "arguments", "report_json", "run", "show", "status"]


def add_inputs(parser: Parser) -> None:
    """Add the options for inputs and tolerances.

    Parameters
    ----------
    parser : Parser
    """
    parser.add_argument(
        "--dim", action="append", default=[], metavar="N=3", help="size of a free dimension"
    )
    parser.add_argument(
        "--shape", action="append", default=[], metavar="X=1,3,8,8", help="shape of an input"
    )
    parser.add_argument(
        "--input-data",
        action="append",
        default=[],
        metavar="X=FILE",
        help="data of an input: .npy, .pb (TensorProto) or raw bytes; or an .npz or a directory for all",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs (default: 0)")
    parser.add_argument(
        "--rtol", type=float, help="relative tolerance of floats (default: by type)"
    )
    parser.add_argument(
        "--atol", type=float, help="absolute tolerance of floats (default: by type)"
    )
    parser.add_argument(
        "--provider", action="append", metavar="NAME", help="onnxruntime's execution provider"
    )


def arguments(options: Options, model: Any) -> dict[str, Any]:
    """Return what the options are as arguments of `ge.onnx.check`.

    Parameters
    ----------
    options : Options
    model : Module
        Whose inputs they are.
    """
    for name in ("rtol", "atol"):
        value = getattr(options, name)
        if value is not None and not value >= 0:
            raise UsageError(f"--{name} is {value}: a tolerance is 0 or more")
    return {
        "seed": options.seed,
        "dims": sizes(options.dim),
        "shapes": shapes(options.shape),
        "inputs": input_data(options.input_data, model),
        "rtol": options.rtol,
        "atol": options.atol,
        "providers": options.provider,
    }


HELP = (
    "Run two models on the same inputs (random ones, then zeros, ones and extremes) and compare each\n"
    "output. onnxruntime runs them with its optimisations off; if it finds a difference, ONNX's\n"
    "reference evaluator is asked too. With one file: the functions @matched and @replacement that a wrong\n"
    "rewrite has left in it, on the inputs beside them."
)
STATUS = (
    "Exit status: 0 they agree, 1 they differ, 2 wrong usage, 3 not decided: a model could not be loaded, or something could\n"
    "not be evaluated."
)


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("a", metavar="A", help="the reference model")
    parser.add_argument("b", metavar="B", nargs="?", help="the model to check")
    parser.add_argument(
        "--runs", type=int, default=3, metavar="N", help="random inputs (default: 3)"
    )
    parser.add_argument(
        "--first-difference",
        action="store_true",
        help="where they differ, run both node by node and name the first value that differs",
    )
    add_reading(parser)
    add_inputs(parser)


def run(options: Options, output: Output) -> int:
    """Compare; return the exit status."""
    from ..run import NotRunError, compare

    if options.runs < 1:
        raise UsageError(f"--runs is {options.runs}: at least 1 is needed")
    if options.b is None:
        if not is_text(options.a):
            raise UsageError("the following arguments are required: B")
        a, b, kept = _split(options.a, options)
        given = arguments(options, a)
        given["inputs"] = {**kept, **given["inputs"]}
    else:
        a, b = read(options.a, options), read(options.b, options)
        given = arguments(options, a)
    try:
        sides: list[Any] = [a, b]
        if options.b is not None:
            sides = [as_read(options.a, a, options), as_read(options.b, b, options)]
        report, inputs = compare(*sides, runs=options.runs, **given)
    except ValueError as error:
        raise UsageError(str(error)) from error
    except NotRunError as error:
        raise UndecidedError(str(error), error.outcome) from error
    except RuntimeError as error:
        raise CommandError(str(error)) from error
    show(report, output)
    more = {}
    if options.first_difference and report.outcome == "different":
        more["first_difference"] = _first_difference(a, b, inputs, options, output)
    output.result({"a": options.a, "b": options.b, **report_json(report), **more})
    return status(report)


def status(report: CheckReport) -> int:
    """Return the exit status for what a check found."""
    return {"equal": 0, "different": 1}.get(report.outcome, UNDECIDED)


def _first_difference(
    a: Module, b: Module, inputs: dict[str, Any], options: Options, output: Output
) -> dict[str, Any] | None:
    """Print the first value that differs; return it as JSON data."""
    from ..ops import KernelError
    from ..run import first_difference

    try:
        found, count = first_difference(a, b, inputs, options.rtol, options.atol)
    except (KernelError, ValueError) as error:
        output.line(f"no first difference: {error}")
        return None
    if found is None:
        output.line(f"no first difference: {count} values of the same name agree")
        return None
    output.line(
        f"first difference: value '{found.name}' of {found.node}: {found.message}"
        f" ({count - 1} values before it agree)"
    )
    return found._asdict()


def _split(path: str, options: Options) -> tuple[Module, Module, dict[str, Any]]:
    """Read the reproducer of a wrong rewrite: both functions as models, and the inputs."""
    from ..passes import read_reproducer

    try:
        return read_reproducer(read(path, options))
    except ValueError as error:
        raise UsageError(f"{path}: {error}; to compare two models, name both") from error


def report_json(report: CheckReport) -> dict[str, Any]:
    """Return a report as JSON data.

    Parameters
    ----------
    report : CheckReport
    """
    outputs = [
        {
            **o._asdict(),
            "shape": list(o.shape),
            "where": None if o.where is None else list(o.where),
        }
        for o in report.outputs
    ]
    return {**report._asdict(), "outputs": outputs, "notes": list(report.notes)}


_WORDS = {
    "equal": "equal",
    "different": "NOT equal",
    "not-loaded": "could not be loaded",
    "not-evaluated": "not evaluated",
}


def show(report: CheckReport, output: Output) -> None:
    """Print a report.

    Parameters
    ----------
    report : CheckReport
    output : Output
    """
    rows = [
        (
            o.name,
            f"{o.dtype}{list(o.shape)}",
            o.verdict,
            f"{o.max_abs:.3g}",
            f"{o.max_rel:.3g}",
            o.inputs,
        )
        for o in report.outputs
    ]
    output.table(("output", "type", "verdict", "max abs", "max rel", "inputs"), rows)
    for one in report.outputs:
        if one.message:
            output.line(f"output '{one.name}' ({one.inputs or 'no inputs'}): {one.message}")
    for note in report.notes:
        output.line(f"note: {note}")
    free = ", ".join(f"{name}={size}" for name, size in report.sizes.items())
    is_random = bool(report.outputs) and all(o.verdict == "random" for o in report.outputs)
    word = "nothing compared" if is_random else _WORDS[report.outcome]
    output.line(f"{word}: {report.runs} runs by {report.by}{f', with {free}' if free else ''}")
    if others := [_changed(report.sizes, one) for one in report.other_sizes]:
        output.line(f"also with {'; '.join(others)}")


def _changed(sizes: Mapping[str, int], others: Mapping[str, int]) -> str:
    """Return the sizes that are others."""
    return ", ".join(f"{name}={size}" for name, size in others.items() if sizes.get(name) != size)
