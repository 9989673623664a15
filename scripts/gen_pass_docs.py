"""Write docs/builtin-passes.md, the passes that ship with GE, from their own descriptions.

``gen_pass_docs.py GE_OPT [--check]``: GE_OPT is the driver that lists them; a test checks that the page is up to date.
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
`ge-opt --pass-pipeline="constant-fold{limit=4096},cse,dce"`. They process a graph with all its subgraphs, and the
functions of a model like its main graph. They are deterministic and idempotent. They do not change nodes if types
or shapes that they need are unknown; equal symbols mean equal sizes. Outputs keep their names, and new nodes record the
origins of the replaced ones. Nodes with control edges, or with attributes that refer to attributes of a function's
call, are not changed.

Constants are `ge.Const`, `onnx.Constant` in any form, and `ConstantOfShape` of a constant shape. An input with a
default value is a constant only before IR version 4, which lists every weight as an input; the passes remove unused
ones from the inputs there. A splat (one number for all elements) stays a splat: if it would take more than 1 KiB in a
file, it is written as `ConstantOfShape`.

Each pass belongs to one of three classes, and so does each of its rewrites that differs from it:

- *exact*: the results are bit for bit those of the original model, for all inputs, in onnxruntime with its
  optimisations off; NaN equals NaN. The exception is f16 and bf16 arithmetic that onnxruntime computes in f32: where
  it rounds depends on the neighbouring nodes, so these results are only close.
- *reassociating*: the same formula with different rounding. Results are within the default tolerance of `ge check` if
  neither model computes infinities, NaN or subnormal numbers as intermediate results. A rewrite whose new weights would
  be infinite, NaN or subnormal is skipped.
- *approximate*: results may differ by more.

`-O` applies the first two classes. `--exact` (`exact=True`) applies only the first, `--fast-math` (`fast_math=True`)
all three; both set the option `exactness` of all passes that have it, unless the pipeline sets it. Passes that are not
built in always run.

## Quantised models

Constants of 8 bits and less (integers and floats, but not bools), and the nodes that dequantise them, are quantised content:

- DequantizeLinear, Casts from these types and other operators whose results are wider than their quantised operands are not evaluated.
  Exceptions: a value from which only sizes are computed; a Cast to at most 16 elements; and wide values from which one quantised
  value is computed again that does not take more bytes: it becomes a constant. QuantizeLinear of a constant becomes a quantised constant.
- No rewrite puts a wider constant in the place of a quantised one.
- Tensors that `quantization_annotation` names as scale or zero point stay while the annotated tensor exists. An annotation of a
  tensor that a rewrite removes is removed with it.

`--fold-quantized` (`fold_quantized=True`, `constant-fold{fold-quantized=true}`) evaluates quantised content like other constants.

Other constants become wider, such as f16 weights behind a Cast to f32 or numbers that BitShift and BitwiseAnd unpack, only
if the constants of the model do not grow by more than a twentieth by all such results together
(`constant-fold{growth=5}`, in percent): all of them are computed, or none.

## List

| pass | class | what it does | options | exceptions |
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
