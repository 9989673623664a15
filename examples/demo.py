"""The main job on a transformer: optimise it with a fusion in Python, check the result, compare and draw it.

``make demo`` runs it; results go to build/demo.
"""

import sys
from pathlib import Path

from ge.cli import main as ge_command

HERE = Path(__file__).resolve().parent
MODEL = HERE.parent / "test" / "models" / "bert_script.onnx"  # exported by PyTorch
OUTPUT = Path("build/demo")


def command(*words: object, expected: int = 0) -> None:
    """Run the command `ge` in this process, as a shell would; stop at another exit status."""
    print("\n$ ge", *words, flush=True)
    if ge_command([str(word) for word in words]) != expected:
        sys.exit(1)


if __name__ == "__main__":
    OUTPUT.mkdir(parents=True, exist_ok=True)
    result, page = OUTPUT / "bert.onnx", OUTPUT / "bert.html"
    # The fusion, then the built-in passes; both models are run on two random inputs and compared.
    fusion = HERE / "demo_pass.py"
    command("optimize", MODEL, "-o", result, "--passes", fusion, "-O", "--check", 2)
    # Which nodes became which; like diff, exit status 1 says that the models differ.
    command("diff", MODEL, result, "--limit", 5, expected=1)
    # Both models beside each other, with what changed in colour.
    command("view", MODEL, result, "-o", page)
    print(f"\nOpen {page} in a browser.")
