"""Operators that run their bodies, of ONNX and of CANN."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any

import numpy as np

from .. import ir, ops
from ._budget import Budget, byte_count

__all__ = ["run_bodies"]

Running = Generator[Any, list[Any], list[Any]]

# Of a small array, beside its elements.
_OBJECT_BYTES = 112


def run_bodies(
    node: ir.Node,
    operands: list[Any],
    attributes: Mapping[str, Any],
    call: Any,
    budget: Budget | None = None,
) -> Running:
    """Run a node by what it wants to be run: a generator that yields calls and gets their results.

    Parameters
    ----------
    node : Node
    operands : list
    attributes : mapping
    call : callable
        Makes a call of a graph and inputs.
    budget : Budget, optional
        Charged for what a Loop or Scan collects.
    """
    kind = node.type if node.domain != "onnx" else f"onnx.{node.type}"
    try:
        run = _RUN[kind]
    except KeyError:
        raise ops.KernelError(
            f"node '{node.name}' ({node.op}) has bodies, which cannot be run"
        ) from None
    if kind in _COLLECTING:
        return (yield from run(node, operands, attributes, call, budget))
    return (yield from run(node, operands, attributes, call))


class _Collected:
    """What the turns of a Loop or Scan give for one output."""

    def __init__(self, budget: Budget | None) -> None:
        self.parts: list[Any] = []
        self._budget, self._size = budget, 0

    def add(self, part: Any) -> None:
        """Keep the output of a turn."""
        if self._budget is not None:
            size = byte_count(part) + _OBJECT_BYTES
            self._budget.take(size)
            self._size += size
        self.parts.append(part)

    def stacked(self, node: ir.Node, index: int, value: ir.Value | None, axis: int, back: bool = False) -> Any:  # fmt: skip
        """Return the output of the node, and let go of its parts."""
        if self._budget is not None:
            self._budget.need(self._size)
            self._budget.give(self._size)
        parts, self.parts = self.parts, []
        return _stacked(node, index, parts[::-1] if back else parts, value, axis)


def _body(node: ir.Node, slot: str, number: int) -> ir.Graph:
    bodies = list(node.subgraphs)
    for body in bodies:
        if body.slot == slot:
            return body
    if number >= len(bodies):
        raise ops.KernelError(f"node '{node.name}' ({node.op}) has no body '{slot}'")
    return bodies[number]


def _truth(node: ir.Node, value: Any) -> bool:
    array = np.asarray(value)
    if array.size != 1:
        raise ops.KernelError(
            f"node '{node.name}' ({node.op}): the condition has {array.size} elements"
        )
    return bool(array.reshape(())[()])


def _cann_truth(value: Any) -> bool:
    """Return whether a condition holds: one number that is not zero, or more elements than none."""
    array = np.asarray(value)
    return bool(array.reshape(())[()]) if array.size == 1 else array.size > 0


# --- ONNX ---


def _onnx_if(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    taken = _truth(node, operands[0])
    body = _body(node, "then_branch", 0) if taken else _body(node, "else_branch", 1)
    return (yield call(body, []))


def _onnx_loop(
    node: ir.Node, operands: list[Any], attributes: Any, call: Any, budget: Budget | None
) -> Running:
    body = _body(node, "body", 0)
    most = None if operands[0] is None else int(np.asarray(operands[0]).reshape(())[()])
    goes_on = True if len(operands) < 2 or operands[1] is None else _truth(node, operands[1])
    carried = list(operands[2:])
    scans = [_Collected(budget) for _ in range(len(body.outputs) - 1 - len(carried))]
    turn = 0
    while goes_on and (most is None or turn < most):
        made = yield call(body, [np.array(turn, np.int64), np.array(goes_on), *carried])
        goes_on = _truth(node, made[0])
        carried = made[1 : 1 + len(carried)]
        for scan, each in zip(scans, made[1 + len(carried) :], strict=True):
            scan.add(each)
        turn += 1
    values = body.outputs[1 + len(carried) :]
    stacked = [
        scan.stacked(node, i, value, 0)
        for i, (scan, value) in enumerate(zip(scans, values, strict=True))
    ]
    return [*carried, *stacked]


def _stacked(node: ir.Node, index: int, parts: list[Any], value: ir.Value | None, axis: int) -> Any:
    what = f"node '{node.name}' ({node.op}): its body"
    if value is None or any(part is None for part in parts):
        raise ops.KernelError(f"{what} gives nothing for scan output {index}")
    if parts:
        types = [f"{part.dtype}{list(part.shape)}" for part in map(np.asarray, parts)]
        other = next((t for t in types if t != types[0]), None)
        if other is not None:
            raise ops.KernelError(f"{what} gave {types[0]} and {other} for scan output {index}")
        return np.stack(parts, axis)
    type_ = value.type
    if not isinstance(type_, ir.TensorType) or type_.shape is None:
        type_ = _inferred(value) or type_
    if isinstance(type_, ir.TensorType) and type_.dtype.numpy is not None:
        sizes = [d if isinstance(d, int) else 0 for d in type_.shape or ()]
        sizes.insert(axis if axis >= 0 else len(sizes) + 1 + axis, 0)
        return np.zeros(sizes, np.object_ if type_.dtype.name == "string" else type_.dtype.numpy)
    return np.zeros(0, np.float32)


def _inferred(value: ir.Value) -> ir.Type | None:
    """Return the type that inference gives a value of a body; the graph, which others may run, stays as it is."""
    root = value.node.root
    copy = root.clone()
    copy.infer_types(root.opsets.get("onnx"))
    for mine, other in zip(root.walk(), copy.walk(), strict=True):
        if mine == value.node:
            return other.results[value.index].type
    return None


def _onnx_scan(
    node: ir.Node, operands: list[Any], attributes: Any, call: Any, budget: Budget | None
) -> Running:
    if node.root.opsets.get("onnx", 9) < 9:
        raise ops.KernelError(
            f"node '{node.name}' ({node.op}): Scan of opset 8, which has batches, cannot be run here"
        )
    body = _body(node, "body", 0)
    count = int(attributes["num_scan_inputs"])
    states, inputs = list(operands[: len(operands) - count]), operands[len(operands) - count :]
    numbers = len(body.outputs) - len(states)
    axes = [int(a) for a in attributes.get("scan_input_axes", ())] or [0] * count
    back = [int(a) for a in attributes.get("scan_input_directions", ())] or [0] * count
    out_axes = [int(a) for a in attributes.get("scan_output_axes", ())] or [0] * numbers
    out_back = [int(a) for a in attributes.get("scan_output_directions", ())] or [0] * numbers
    lengths = {np.asarray(x).shape[axis] for x, axis in zip(inputs, axes, strict=True)}
    if len(lengths) != 1:
        raise ops.KernelError(
            f"node '{node.name}' ({node.op}): scan inputs have the lengths {sorted(lengths)}"
        )
    length = lengths.pop()
    scans = [_Collected(budget) for _ in range(numbers)]
    for turn in range(length):
        slices = [
            # Of one axis it gives NumPy's numbers, and kernels take arrays.
            np.asarray(np.take(x, length - 1 - turn if is_back else turn, axis))
            for x, axis, is_back in zip(inputs, axes, back, strict=True)
        ]
        made = yield call(body, [*states, *slices])
        states = made[: len(states)]
        for scan, each in zip(scans, made[len(states) :], strict=True):
            scan.add(each)
    values = body.outputs[len(states) :]
    results = [
        s.stacked(node, i, v, axis, bool(is_back))
        for i, (s, v, axis, is_back) in enumerate(
            zip(scans, values, out_axes, out_back, strict=True)
        )
    ]
    return [*states, *results]


def _onnx_sequence_map(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    body = _body(node, "body", 0)
    lengths = {len(o) for o in operands if isinstance(o, list)}
    if len(lengths) != 1:
        raise ops.KernelError(
            f"node '{node.name}' ({node.op}): its sequences have the lengths {sorted(lengths)}"
        )
    results: list[list[Any]] = [[] for _ in body.outputs]
    for turn in range(lengths.pop()):
        made = yield call(body, [o[turn] if isinstance(o, list) else o for o in operands])
        for result, each in zip(results, made, strict=True):
            result.append(each)
    return results


# --- CANN ---


def _if(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    taken = _cann_truth(operands[0])
    body = _body(node, "then_branch", 0) if taken else _body(node, "else_branch", 1)
    return (yield call(body, operands[1:]))


def _case(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    bodies = list(node.subgraphs)
    at = int(np.asarray(operands[0]).reshape(())[()])
    # Out of range is the last one.
    body = bodies[at if 0 <= at < len(bodies) else -1]
    return (yield call(body, operands[1:]))


def _while(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    condition, body = _body(node, "cond", 0), _body(node, "body", 1)
    values = list(operands)
    while True:
        found = yield call(condition, values)
        if not _cann_truth(found[0]):
            return values
        values = yield call(body, values)


def _for(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    start, limit, delta = (int(np.asarray(o).reshape(())[()]) for o in operands[:3])
    if delta == 0:
        raise ops.KernelError(f"node '{node.name}' ({node.op}): delta is 0")
    values = list(operands[3:])
    body = _body(node, "body", 0)
    for number in range(start, limit, delta):
        values = yield call(body, [np.array(number, np.asarray(operands[0]).dtype), *values])
    return values


def _partitioned_call(node: ir.Node, operands: list[Any], attributes: Any, call: Any) -> Running:
    return (yield call(_body(node, "f", 0), operands))


_COLLECTING = ("onnx.Loop", "onnx.Scan")
_RUN: dict[str, Callable[..., Running]] = {
    "onnx.If": _onnx_if,
    "onnx.Loop": _onnx_loop,
    "onnx.Scan": _onnx_scan,
    "onnx.SequenceMap": _onnx_sequence_map,
    "If": _if,
    "StatelessIf": _if,
    "Case": _case,
    "While": _while,
    "StatelessWhile": _while,
    "For": _for,
    "PartitionedCall": _partitioned_call,
    "StatefulPartitionedCall": _partitioned_call,
}
