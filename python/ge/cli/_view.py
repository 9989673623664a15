"""``ge view``: a model as a picture or a page."""

from __future__ import annotations

import contextlib
import os
import tempfile
import webbrowser

from .._support.program import PROGRAM
from ._models import add_reading, need_new, read, write_text
from ._output import CommandError, Options, Output, Parser, UsageError

__all__ = ["add_arguments", "run"]

HELP = (
    "Draw a model: .svg is one picture, .html a page to search, zoom and open folded parts in, which needs\n"
    "no network, .json a graph for Model Explorer. With two models the page shows both, and what changed in\n"
    "colours."
)


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("model", metavar="MODEL")
    add_reading(parser)
    parser.add_argument("after", metavar="AFTER", nargs="?", help="the optimised model, to compare")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="default: MODEL.html, new or a page of this command"
    )
    parser.add_argument(
        "--around", metavar="NAME", help="only the neighbourhood of this node or value"
    )
    parser.add_argument(
        "--depth", type=int, metavar="N", help="size of the neighbourhood (default: 2 edges)"
    )
    parser.add_argument(
        "--largest",
        type=int,
        metavar="N",
        help="boxes in one picture (default: 120); more are folded",
    )
    parser.add_argument("--open", action="store_true", help="show it in the web browser")
    parser.add_argument(
        "--explorer",
        action="store_true",
        help="show it in Model Explorer (package ai-edge-model-explorer), until that is stopped",
    )


def run(options: Options, output: Output) -> int:
    """Draw; return the exit status."""
    if options.explorer:
        for name in ("output", "around", "depth", "largest", "open"):
            if getattr(options, name):
                raise UsageError(
                    f"--{name} is not for --explorer, which writes nothing and shows all"
                )
        return _explorer([path for path in (options.model, options.after) if path], options)
    from ..run import main_graph
    from ..view import LARGEST, explorer_json, html, svg

    if options.output is None and options.model == "-":
        raise UsageError(
            "the name of the output cannot be derived from standard input: give -o OUT"
        )
    target: str = options.output or os.path.splitext(options.model)[0] + ".html"
    suffix = os.path.splitext(target)[1].lower()
    if suffix not in (".svg", ".html", ".htm", ".json"):
        raise UsageError(
            f"'{target}': a picture ends in .svg, a page in .html, a graph for Model Explorer in .json"
        )
    if options.after and suffix in (".svg", ".json"):
        raise UsageError("two models are shown on a page: give -o with a name that ends in .html")
    for name in ("around", "largest"):
        if getattr(options, name) is not None and suffix == ".json":
            raise UsageError(f"--{name} is for pictures and pages; Model Explorer shows all")
    if options.output is None and not _is_page(target):
        need_new(target, f"{PROGRAM} view {options.model}")
    if options.depth is not None and options.around is None:
        raise UsageError("--depth needs --around NAME")
    depth = 2 if options.depth is None else options.depth
    largest = LARGEST if options.largest is None else options.largest
    if depth < 0 or largest < 4:
        raise UsageError("--depth is 0 or more, --largest 4 or more")
    # The module holds its graph.
    modules = [read(path, options) for path in (options.model, options.after) if path]
    graphs = [main_graph(module) for module in modules]
    try:
        if suffix == ".svg":
            text = svg(graphs[0], around=options.around, depth=depth, largest=largest)
        elif suffix == ".json":
            text = explorer_json(graphs[0], os.path.basename(options.model))
        else:
            after = graphs[1] if options.after else None
            title = " → ".join(os.path.basename(p) for p in (options.model, options.after) if p)
            text = html(
                graphs[0], after, around=options.around, depth=depth, largest=largest, title=title
            )
    except KeyError:
        raise CommandError(f"no node or value is called '{options.around}'") from None
    write_text(text, target, allow_pipe=options.allow_pipe, no_links=options.output is None)
    output.line(f"{target} ({len(text.encode())} bytes)")
    output.result({"output": target, "bytes": len(text.encode())})
    if options.open:
        webbrowser.open("file://" + os.path.abspath(target))
    return 0


# In the head of each page, so that a page is known as one.
_GENERATOR = b'<meta name="generator" content="ge view">'


def _is_page(path: str) -> bool:
    """Whether a file is a page that this command has written, and may write again."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return _GENERATOR in file.read(256)


def _explorer(paths: list[str], options: Options) -> int:
    """Show models in Model Explorer until it is interrupted."""
    try:
        import model_explorer
    except ImportError:
        raise CommandError(
            "Model Explorer is not installed: pip install ai-edge-model-explorer"
        ) from None
    from ..run import main_graph
    from ..view import explorer_json

    with tempfile.TemporaryDirectory() as directory:
        files = []
        for number, path in enumerate(paths):
            module = read(path, options)
            name = os.path.basename(path)
            # Both may have one name.
            files.append(os.path.join(directory, f"{number}-{name}.json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                file.write(explorer_json(main_graph(module), name))
        with contextlib.suppress(KeyboardInterrupt):
            model_explorer.visualize(model_paths=files)
    return 0
