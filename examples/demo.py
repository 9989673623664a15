"""Reads a model's text, edits it with the IR's primitives, and prints what changed.

Run by ``make demo``; needs nothing but the installed package.
"""

import difflib
import sys
from pathlib import Path

import ge.ir as ir


def drop_identities(graph: ir.Graph) -> int:
    """Let users of each onnx.Identity use its operand; return how many went."""
    count = 0
    # Erasing the current node while iterating is defined: the walk goes on with the next one.
    for node in graph.find_all("onnx.Identity"):
        node.result.replace_all_uses_with(node.operands[0])
        node.erase()
        count += 1
    return count


def merge_equal_nodes(graph: ir.Graph) -> int:
    """Keep one of several nodes with equal operator, operands and attributes; return how many went."""
    seen: dict[object, ir.Node] = {}
    count = 0
    for node in graph.nodes:
        key = (node.op, tuple(node.operands), tuple(sorted(node.attributes.items())))
        kept = seen.setdefault(key, node)
        if kept is not node:
            node.result.replace_all_uses_with(kept.result)
            node.erase()
            count += 1
    return count


def main() -> None:
    path = Path(__file__).with_name("block.mlir")
    module = ir.Module.parse(path.read_text())
    before = str(module)
    graph = module.graphs["main"]
    stale = next(iter(graph.find_all("onnx.Identity")))

    with graph.transaction() as attempt:
        dropped = drop_identities(graph)
        attempt.rollback()
    assert str(module) == before
    print(f"{dropped} identities dropped, and put back by a rollback: the text is byte-equal\n")

    dropped, merged = drop_identities(graph), merge_equal_nodes(graph)
    module.verify()
    diff = difflib.unified_diff(
        before.splitlines(keepends=True), str(module).splitlines(keepends=True), "before", "after"
    )
    sys.stdout.writelines(diff)
    print(f"\n{dropped} identities dropped, {merged} equal nodes merged")

    try:
        print(stale.operands[0])
    except ir.StaleHandleError as error:
        print(f"a handle to an erased node answers with StaleHandleError: {error}")


if __name__ == "__main__":
    main()
