"""Write docs/onnxsim.md, the flags of onnxsim in GE, from the table that `ge optimize` reads: ``gen_onnxsim_docs.py [--check]``.

Run with the built package on the path; a test checks that the page is current.
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
ge optimize model.onnx optimized.onnx      # as: onnxsim model.onnx optimized.onnx, where that is a new file
ge optimize model.onnx -o optimized.onnx   # replaces it
ge optimize model.onnx checked.onnx 3      # and compares outputs on three random inputs, and on edge values
ge optimize model.onnx static.onnx --overwrite-input-shape x:1,3 --skip-optimization eliminate_identity
```

Replace the command's name. What is different without any flag:

- With a check, a result that computes something else is not written, and the exit status is 1.
- No tensor that folding makes is larger than 1 MiB, and a large one of equal elements stays small in the file.
- Bodies of control flow and functions are optimised, too. Names of outputs, and of what is left, stay.
- Each node knows what it was made of: `ge diff model.onnx optimized.onnx`.

Every flag of onnxsim 0.8 is the same here, renamed (onnxsim's name works, too), implied (it is taken, and has no effect
because it is always so), or refused with a message and exit status 2.

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
        + "\n\n## Names of passes\n\n`--skip-optimization` takes onnxsim's names, and leaves out the pass here that does that (and "
        "perhaps more);\nwithout names, all of these but folding and inference.\n\n| onnxsim | here |\n|---|---|\n"
        + "\n".join(passes)
        + f"\n\nTaken, and nothing to leave out: {others}.\n"
        "\nNot done here, because results differ where numbers overflow, vanish or are none: Log of Softmax as LogSoftmax; Exp,\n"
        "Log and Sqrt before ArgMax, and Softmax before it in half precision.\n"
    )


def main() -> int:
    return write_or_check({OUTPUT: generate()}, parser(__doc__).parse_args().check)


if __name__ == "__main__":
    sys.exit(main())
