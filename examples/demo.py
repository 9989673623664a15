"""The main job: a real model is optimised, by the built-in passes and by one in Python, checked and drawn.

Run by ``make demo``. The model is the ResNet-50 that ships in the ``onnx`` package; results go to build/demo.
"""

import os
import sys
from pathlib import Path

import onnx

import ge.ir as ir
import ge.onnx
from ge.cli import main as ge_command
from ge.passes import PassManager

MODEL = Path(onnx.__file__).parent / "backend/test/data/light/light_resnet50.onnx"
OUTPUT = Path("build/demo")


def sum_to_add(graph: ir.Graph) -> bool:
    """Make an Add of each Sum of two; the old exporter of this model knew no residual Add."""
    found = [node for node in graph.find_all("onnx.Sum") if len(node.operands) == 2]
    for node in found:
        add = graph.add_node(
            "onnx.Add",
            node.operands,
            result_types=[node.result.type],
            ip=ir.InsertionPoint.before(node),
        )
        node.replace_with(add)  # uses, name and origins move
    return bool(found)


def command(*words: object) -> int:
    """Run the command `ge` in this process, as a shell would."""
    print("\n$ ge", *words, flush=True)
    return ge_command([str(word) for word in words])


def main() -> int:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    before = Path(os.path.relpath(MODEL)) if MODEL.is_relative_to(Path.cwd()) else MODEL
    builtin, after = OUTPUT / "builtin.onnx", OUTPUT / "resnet50.onnx"
    status = command("optimize", before, builtin, "--check", 1)

    print("\na pass in Python, on the result:")
    module = ge.onnx.load(builtin)
    result = PassManager().add(sum_to_add).run(module)
    ge.onnx.save(module, after)
    for one in result.passes:
        print(f"  {one.name}: {one.outcome} in {one.seconds * 1000:.2f} ms")

    status |= command("check", before, after, "--runs", 1)
    command("diff", before, after, "--limit", 5)
    status |= command("view", before, after, "-o", OUTPUT / "resnet50.html")

    graph = module.graphs.values()[0]
    node = graph.find_all("onnx.Add")[0]
    with graph.transaction() as attempt:
        node.erase(force=True)
        try:
            print(node.name)
        except ir.StaleHandleError as error:
            print(f"\na handle to an erased node answers: {error}")
        attempt.rollback()
    print(f"and after a rollback it lives again: {node.name}")
    return status


if __name__ == "__main__":
    sys.exit(main())
