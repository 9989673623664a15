"""Write docs/onnxsim.md, the flags of onnxsim in GE, from the table that `ge optimize` reads: ``gen_onnxsim_docs.py [--check]``.

Run with the built package on the path; a test checks that the page is up to date.
"""

import sys
from pathlib import Path

from ge.cli._onnxsim import FLAGS, PASSES, WITHOUT_COUNTERPART
from generated import parser, write_or_check

__all__ = ["generate"]

OUTPUT = Path(__file__).resolve().parent.parent / "docs" / "onnxsim.md"

HEAD = """\
# From onnxsim to `ge optimize`

Written by `scripts/gen_onnxsim_docs.py` from the table that the command reads; not to be edited.

```sh
ge optimize model.onnx optimized.onnx      # like onnxsim model.onnx optimized.onnx, but the output must be a new file
ge optimize model.onnx -o optimized.onnx   # replaces an existing output
ge optimize model.onnx checked.onnx 3      # and compares outputs on three random inputs, and on edge values
ge optimize model.onnx static.onnx --overwrite-input-shape x:1,3 --skip-optimization eliminate_identity
```

To migrate, replace the command's name. Differences without any flag:

- With a check, a result that differs is not written, and the exit status is 1.
- Constant folding creates no tensor larger than 1 MiB; a large tensor with equal elements stays small in the file.
- Bodies of control flow and functions are optimised, too. Names of outputs and of the remaining nodes are kept.
- Each node records the nodes that it replaced: `ge diff model.onnx optimized.onnx` shows them.

Each flag of onnxsim 0.8 is the same, renamed (onnxsim's name works, too), implied (accepted without effect, because the
behaviour is always on), or refused with a message and exit status 2.

| onnxsim | here | |
|---|---|---|
"""


def generate() -> str:
    """Return the page."""
    lines = [
        f"| {', '.join(f'`{name}`' for name in flag.names)} | {flag.state} | {flag.text} |"
        for flag in FLAGS
    ]
    passes = [f"| `{theirs}` | `{ours}` |" for theirs, ours in sorted(PASSES.items())]
    others = ", ".join(f"`{name}`" for name in sorted(WITHOUT_COUNTERPART))
    return (
        HEAD
        + "\n".join(lines)
        + "\n\n## Names of passes\n\n`--skip-optimization` accepts onnxsim's names and skips the pass of GE that includes the "
        "optimisation (and\npossibly others); without names, it skips all of these except folding and inference.\n\n"
        "| onnxsim | here |\n|---|---|\n"
        + "\n".join(passes)
        + f"\n\nAccepted without effect, because GE has no such pass: {others}.\n"
        "\nGE does not apply the following, because results differ for overflow, underflow and NaN: fusing Log and Softmax to\n"
        "LogSoftmax; removing Exp, Log and Sqrt before ArgMax, and Softmax before it in half precision.\n"
    )


def main() -> int:
    return write_or_check({OUTPUT: generate()}, parser(__doc__).parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
