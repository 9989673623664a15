"""``ge why``: why a pass does not match in a model."""

from __future__ import annotations

from typing import Any

from ._models import add_reading, read
from ._output import CommandError, Options, Output, Parser, UsageError
from ._pipeline import prepared_by
from ._plugins import load_files

__all__ = ["add_arguments", "run"]

HELP = (
    "Show where a pass matches in a model, by its patterns or its operators, and where the best other attempts\n"
    "stopped: the node, what was expected, and what was found. The condition of the pass is evaluated, too."
)
STATUS = "Exit status: 0 it matches, 1 it does not, 2 wrong usage."


# Kinds of passes that can be explained, because they have patterns or operators to match.
_KINDS = ("pattern_fusion", "decompose")


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "passes", metavar="PASS", help="a pass file, or the name of a pass of the environment"
    )
    parser.add_argument("model", metavar="MODEL")
    add_reading(parser)
    parser.add_argument(
        "--after",
        action="append",
        default=[],
        metavar="PIPELINE",
        help="run these passes first, as --passes of optimize: the pass looks at what they leave",
    )
    parser.add_argument("--node", metavar="NAME", help="only attempts that include this node")
    parser.add_argument(
        "--most", type=int, default=5, metavar="N", help="attempts shown (default: 5)"
    )


def run(options: Options, output: Output) -> int:
    """Explain; return the exit status."""
    from .._support.quiet import quiet
    from ..optimize import optimize
    from ..passes import PassManager, explain_pass, get_registered_passes, load_pass_plugins

    if options.most < 1:
        raise UsageError(f"--most is {options.most}: at least 1 is needed")
    try:
        if options.passes.endswith(".py"):
            names = load_files([options.passes])
        else:
            with quiet():
                load_pass_plugins()
            names = [options.passes]
    except CommandError as error:
        return _refused(options, options.passes, "never-loaded", str(error), output)
    known = {d.pass_name: d for d in get_registered_passes()}
    if len(names) > 1:  # of a file, those that can be explained
        names = [n for n in names if known[n].kind in _KINDS] or names
    for name in names:
        if name not in known or known[name].kind not in _KINDS:
            reason, message = _unexplained(name)
            return _refused(options, name, reason, f"pass '{name}': {message}", output)
    after = prepared_by(options)
    module = read(options.model, options)
    if after:
        optimize(module, after, force=True)
    PassManager.parse("infer-types").run(module)  # as before a pass file's passes run
    found: list[dict[str, Any]] = []
    for name in names:
        for graph in module.graphs.values():
            try:
                explanations = explain_pass(
                    graph, known[name].cls, options.node, most=options.most, name=name
                )
            except KeyError:
                continue  # the node is in another graph
            for explanation in explanations:
                output.line(str(explanation))
                found.append({"pass": name, "graph": graph.name, **explanation.to_dict()})
    if not found and options.node is None:
        message = f"pass '{name}' has no patterns: its patterns() gives none"
        return _refused(options, name, "no-patterns", message, output)
    if not found:
        raise CommandError(f"{options.model} has no node '{options.node}'")
    output.result({"model": options.model, "after": after, "explanations": found})
    return 0 if any(one["matches"] for one in found) else 1


def _refused(options: Options, name: str, reason: str, message: str, output: Output) -> int:
    """Say why there is nothing to explain; return the exit status."""
    output.error(message)
    said = {"pass": name, "matches": 0, "reason": reason, "message": message}
    output.result({"model": options.model, "explanations": [said]})
    return 1


def _unexplained(name: str) -> tuple[str, str]:
    """Return class and text of why there is nothing to explain about a pass."""
    from ..passes import list_passes, never_loaded

    if any(p["name"] == name for p in list_passes()):
        return "no-patterns", "it edits by itself, and has no patterns or operators to explain"
    return "never-loaded", never_loaded(name)
