"""Write docs/builtin-passes.md, the passes that ship with GE, from what they say of themselves.

``gen_pass_docs.py GE_OPT [--check]``: GE_OPT is the driver that lists them; a test checks that the page is current.
"""

import re
import subprocess
import sys
from pathlib import Path

from generated import parser, write_or_check

__all__ = ["generate"]

OUTPUT = Path(__file__).resolve().parent.parent / "docs" / "builtin-passes.md"

HEAD = """\
# Built-in passes

Written by `scripts/gen_pass_docs.py` from `ge-opt --list-passes`; not to be edited. Pipelines name them:
`ge-opt --pass-pipeline="constant-fold{limit=4096},cse,dce"`. They work on graphs and all graphs inside, on
functions of a model like on its main graph, and are deterministic; a second run finds nothing to do. Where a type
or a shape is not known, they do nothing; equal symbols are equal sizes. Outputs keep their names, and what is
replaced leaves its origin. Nodes with control edges, and with attributes that a function gets from its call, stay.

Constants are `ge.Const`, `onnx.Constant` in any form, and `ConstantOfShape` of a constant shape. An input with a
default is one only before IR version 4, where every weight is listed as an input; unused ones leave the list there.
A number that stands for all elements stays one: where it would take more than 1 KiB in a file it is written as
`ConstantOfShape`.

Each pass, and each rewrite of a pass that differs from it, is of one of three classes:

- *exact*: results are bit for bit those of the model before, in onnxruntime with its optimisations off, whatever the
  inputs are; NaN counts as NaN. Arithmetic in f16 and bf16 that onnxruntime has not itself, it does in f32, and whether
  it rounds in between depends on the nodes around, so that there these results are only near.
- *reassociating*: the same formula, rounded in another way; within the default tolerance of `ge check` wherever
  neither model computes infinities, NaN or numbers too small to be normal on the way. A rewrite whose new weights
  would not be finite, or too small to be normal, is not done.
- *approximate*: results may differ by more.

`-O` does the first two. `--exact` (`exact=True`) leaves out all but the first, `--fast-math` (`fast_math=True`) does
the third, too; both give the option `exactness` to all passes that have it, where a pipeline does not say. Passes that
are not built in run in any case.

| pass | class | what it does | options | when it does not |
|---|---|---|---|---|
"""


def generate(listing: str) -> str:
    """Return the page for the text of ``ge-opt --list-passes``."""
    rows: list[list[str]] = []
    for line in listing.splitlines():
        text = line.strip().replace("|", "\\|")
        if not line.startswith(" "):
            rows.append([text, "", "", "", ""])
        elif text.startswith("["):
            rows[-1][4] = text[1:-1]
        elif text.startswith("{"):
            option, _, doc = text.partition("}")
            rows[-1][2] += f"{'; ' if rows[-1][2] else ''}`{option[1:]}`: {doc.strip()}"
        elif text.startswith("= "):
            rows[-1][1] += f" `{text[2:]}`"
        else:
            what, _, but = text.partition(" Not: ")
            rows[-1][1], rows[-1][3] = what, but[:1].upper() + but[1:]
    return HEAD + "".join(
        f"| `{name}` | {exactness} | {what} | {options} | {but} |\n"
        for name, what, options, but, exactness in rows
    )


def main() -> int:
    options = parser(__doc__)
    options.add_argument("ge_opt", type=Path)
    given = options.parse_args()
    listing = subprocess.run(
        [given.ge_opt, "--list-passes"], capture_output=True, text=True, check=True
    ).stdout
    page = generate(re.sub(r"[ \t]+$", "", listing, flags=re.M))
    return write_or_check({OUTPUT: page}, given.check)


if __name__ == "__main__":
    sys.exit(main())
