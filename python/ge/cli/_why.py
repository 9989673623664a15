"""``ge why``: why a pass does not match in a model."""

from __future__ import annotations

from typing import Any

from ._models import read
from ._output import CommandError, Options, Output, Parser, UsageError
from ._plugins import load_files

__all__ = ["add_arguments", "run"]

HELP = (
    "Tell where the patterns of a pass match in a model, and what stopped the best attempts elsewhere: the\n"
    "node, what was expected there, and what was found. The pass's own condition is asked, too."
)
STATUS = "Exit status: 0 it matches, 1 it does not, 2 wrong usage."


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "passes", metavar="PASS", help="a pass file, or the name of a pass of the environment"
    )
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--node", metavar="NAME", help="only attempts that take this node in")
    parser.add_argument(
        "--most", type=int, default=5, metavar="N", help="attempts shown (default: 5)"
    )


def run(options: Options, output: Output) -> int:
    """Explain; return the exit status."""
    from ..passes._explain import explain_pass
    from ..passes._manager import list_passes
    from ..passes._registry import get_registered_passes
    from ..passes.bootstrap import load_pass_plugins

    if options.most < 1:
        raise UsageError(f"--most is {options.most}: at least 1 is needed")
    if options.passes.endswith(".py"):
        names = load_files([options.passes])
    else:
        load_pass_plugins()
        names = [options.passes]
    known = {d.pass_name: d for d in get_registered_passes()}
    if len(names) > 1:  # of a file, those that have patterns
        names = [n for n in names if known[n].kind == "pattern_fusion"] or names
    module = read(options.model)
    for graph in module.graphs.values():
        graph.infer_types()  # as before a pass file's passes run
    found: list[dict[str, Any]] = []
    for name in names:
        descriptor = known.get(name)
        if descriptor is None or descriptor.kind != "pattern_fusion":
            there = name in {p["name"] for p in list_passes()}
            reason = (
                "has no patterns to explain"
                if there
                else "is not registered; 'ge plugins' lists all"
            )
            raise CommandError(f"pass '{name}' {reason}")
        for graph in module.graphs.values():
            try:
                explanations = explain_pass(
                    graph, descriptor.cls, options.node, most=options.most, name=name
                )
            except KeyError:
                continue  # the node is in another graph
            for explanation in explanations:
                output.line(str(explanation))
                found.append({"pass": name, "graph": graph.name, **explanation.to_dict()})
    if not found:
        raise CommandError(f"{options.model} has no node '{options.node}'")
    output.result({"model": options.model, "explanations": found})
    return 0 if any(one["matches"] for one in found) else 1
