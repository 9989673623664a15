"""CANN's explicit subgraph replacement: boundaries, `SubgraphRewriter`, checks of fusions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .... import ir
from ...._mlir_like._cext_loader import load
from ...._support.program import PACKAGE
from ..._pattern._public import publish
from ..._pipeline._context import PassContext, current_run
from ..._pipeline._errors import LimitReached
from ..._pipeline._status import StatusCode
from .._retype import retype, retype_guesses
from .._stamp import put_in_place, sizes_differ

__all__ = [
    "FuseCheckResult",
    "SubgraphBoundary",
    "SubgraphInput",
    "SubgraphOutput",
    "SubgraphRewriter",
    "can_fuse",
    "infer_shape",
    "report_fuse",
]

_native = load("passes")
_ir = load("ir")

# Attributes that all nodes of a fusion must agree on.
_AGREEING = (
    "_user_stream_label",
    "_super_kernel_scope",
    "_super_kernel_options",
    "_op_aicore_num",
    "_op_vectorcore_num",
    "_deterministic",
    "_deterministic_level",
)


class SubgraphInput:
    """One input value of a part of a graph: the operands of its nodes that use the value.

    Parameters
    ----------
    items : iterable of (Node, int), optional
        Nodes of the part, and which operand.

    Raises
    ------
    RuntimeError
        If an item is not a pair.
    """

    def __init__(self, items: Iterable[tuple[ir.Node, int]] = ()) -> None:
        self._uses: list[tuple[ir.Node, int]] = []
        for item in items:
            if not isinstance(item, tuple) or len(item) != 2:
                raise RuntimeError(
                    f"SubgraphInput expects iterable of (node, index), not of {item!r:.60}"
                )
            self._uses.append(item)

    def add_input(self, node: ir.Node, out_index: int) -> int:
        """Add operand `out_index` of `node`; returns a status.

        It must be the value of the others, else the status is `FAILED`. (CANN calls the parameter so; it is the number of
        an operand.)
        """
        if not 0 <= out_index < len(node.operands) or node.operands[out_index] is None:
            return _failed(
                f"SubgraphInput.add_input: node '{node.name}' has no operand {out_index}"
            )
        if self._uses and node.operands[out_index] is not self.value:
            return _failed(
                f"SubgraphInput.add_input: operand {out_index} of node '{node.name}' is another value than "
                f"'{self.value.name}', that of the operands before"
            )
        self._uses.append((node, out_index))
        return StatusCode.SUCCESS

    @property
    def value(self) -> ir.Value:
        """The value; RuntimeError when there is none, or the operands are not one value."""
        values = {
            node.operands[index] if 0 <= index < len(node.operands) else None
            for node, index in self._uses
        }
        value: ir.Value | None = values.pop() if len(values) == 1 else None
        if value is None:
            raise RuntimeError("a SubgraphInput needs operands that are all the same value")
        return value

    @property
    def uses(self) -> list[tuple[ir.Node, int]]:
        """Nodes and operand numbers."""
        return list(self._uses)


class SubgraphOutput:
    """One output value of a part of a graph: a result of one of its nodes."""

    def __init__(self, node: ir.Node | None = None, out_index: int = 0) -> None:
        self._place = None if node is None else (node, out_index)

    def set_output(self, node: ir.Node, out_index: int) -> int:
        """Say which result it is; returns a status, `FAILED` the second time."""
        if self._place is not None:
            return _failed("SubgraphOutput.set_output: the output is set already")
        if not 0 <= out_index < len(node.results):
            return _failed(
                f"SubgraphOutput.set_output: node '{node.name}' has no result {out_index}"
            )
        self._place = (node, out_index)
        return StatusCode.SUCCESS

    @property
    def value(self) -> ir.Value:
        """The value; RuntimeError when none was set."""
        if self._place is None or not 0 <= self._place[1] < len(self._place[0].results):
            raise RuntimeError("a SubgraphOutput needs a result of a node")
        return self._place[0].results[self._place[1]]


class SubgraphBoundary:
    """The inputs and outputs of a part of a graph."""

    def __init__(self) -> None:
        self._inputs: dict[int, SubgraphInput] = {}
        self._outputs: dict[int, SubgraphOutput] = {}

    def add_input(self, index: int, input: SubgraphInput) -> int:
        """Add an input; returns a status, `FAILED` when the index is taken."""
        return _put(self._inputs, index, input, "input")

    def add_output(self, index: int, output: SubgraphOutput) -> int:
        """Add an output; returns a status, `FAILED` when the index is taken."""
        return _put(self._outputs, index, output, "output")

    @property
    def inputs(self) -> list[ir.Value]:
        """Values, in the order of the indices."""
        return [self._inputs[i].value for i in sorted(self._inputs)]

    @property
    def outputs(self) -> list[ir.Value]:
        """Values, in the order of the indices."""
        return [self._outputs[i].value for i in sorted(self._outputs)]

    def nodes(self) -> list[ir.Node]:
        """Return the nodes of the part: what the outputs need, up to the inputs. O(nodes).

        Raises
        ------
        RuntimeError
            If the way back from the outputs reaches an input of the graph that is not an input of the boundary: one was
            forgotten, and all that it goes through would be taken for inside.
        """
        stops = {use for each in self._inputs.values() for use in each.uses}
        given = set(self.inputs)
        found: dict[ir.Node, None] = {}
        waiting = [value.node for value in self.outputs]
        while waiting:
            node = waiting.pop()
            if node in found or node.is_input:
                continue
            found[node] = None
            for index, value in enumerate(node.operands):
                if value is None or (node, index) in stops:
                    continue
                if value.node.is_input and value not in given:
                    raise RuntimeError(
                        f"Boundary is not self contained: operand {index} of node '{node.name}' is '{value.name}', an "
                        "input of the graph that is not an input of the boundary; add the operand at which it enters the "
                        "part as SubgraphInput([(node, in_index)])"
                    )
                waiting.append(value.node)
        return list(found)


def _failed(text: str) -> int:
    """Return `FAILED`, with the text for ``ge.error.get_ge_error_msg()``."""
    _ir._set_last_error_message(text)
    return StatusCode.FAILED


def _put(places: dict[int, Any], index: int, what: Any, kind: str) -> int:
    if index in places:
        return _failed(f"SubgraphBoundary.add_{kind}: {kind} {index} is added already")
    places[index] = what
    return StatusCode.SUCCESS


@dataclass(frozen=True)
class FuseCheckResult:
    """Whether nodes may be fused, and why not."""

    ok: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.ok


def can_fuse(nodes: Iterable[ir.Node]) -> FuseCheckResult:
    """Return whether nodes may become one.

    They must be of one graph, agree on the attributes that say where they run, and no path may lead from one out of
    them and back in. O(nodes after them).

    Raises
    ------
    TypeError
        If something else is among them.
    """
    given = list(nodes)
    if not all(isinstance(node, ir.Node) for node in given):
        raise TypeError(f"nodes must contain only {PACKAGE}.graph.Node objects")
    if not given:
        return FuseCheckResult(False, "nodes_before_fuse is empty")
    if len({node.graph for node in given}) != 1:
        return FuseCheckResult(False, "nodes_before_fuse belong to different graphs")
    for name in _AGREEING:
        values = {str(node.attributes[name]) for node in given if name in node.attributes}
        if len(values) > 1:
            shown = ", ".join(sorted(values))
            return FuseCheckResult(False, f"the nodes have different values of {name}: {shown}")
    inside = set(given)
    seen: set[ir.Node] = set()
    waiting = [after for node in given for after in _followers(node) if after not in inside]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for after in _followers(node):
            if after in inside:
                return FuseCheckResult(
                    False, f"it will create cycle after fuse: by node '{node.name}'"
                )
            waiting.append(after)
    return FuseCheckResult(True)


def _followers(node: ir.Node) -> list[ir.Node]:
    return [*node.users, *node.control_outputs]


def report_fuse(
    nodes_before: Iterable[ir.Node], nodes_after: Iterable[ir.Node], context: PassContext
) -> None:
    """Record that new nodes replace old ones: in the origins of the new nodes and in the statistics of the pass.

    Call it before the old nodes are removed.

    Raises
    ------
    RuntimeError
        If there are no old nodes, or they are not all of one graph. The context gets the text as its error.
    """
    before, after = list(nodes_before), list(nodes_after)
    reason = ""
    if not before:
        reason = "nodes_before_fuse is empty"
    elif len({node.root for node in (*before, *after)}) != 1:
        reason = "nodes before and after belong to different graphs"
    elif not context.get_pass_name():
        reason = "the context has no pass name"
    if reason:
        context.set_error_message(f"report_fuse failed: {reason}")
        raise RuntimeError(f"report_fuse failed: {reason}")
    for node in after:
        for old in before:
            node.add_origin(old.name, op=old.op, pass_name=context.get_pass_name())
    context.count("matched")


class SubgraphRewriter:
    """Replaces a part of a graph by a copy of another graph."""

    @staticmethod
    def replace(
        boundary: SubgraphBoundary, replacement: ir.Graph, *, context: PassContext | None = None
    ) -> int | None:
        """Replace the nodes inside a boundary.

        Input i of the replacement corresponds to input i of the boundary, output i to output i. The replacement is copied.
        On failure nothing has changed. In a run with a limit of rewrites (`PassManager.set_rewrite_limit`, ``ge bisect``)
        the first one beyond it ends the pass.

        Parameters
        ----------
        boundary : SubgraphBoundary
        replacement : Graph
        context : PassContext, optional
            With it, `can_fuse` and `report_fuse` are called, and failure is an exception.

        Returns
        -------
        int or None
            Without `context` a status: `SUCCESS` or `FAILED`, and why (``ge.error.get_ge_error_msg()``).

        Raises
        ------
        RuntimeError
            With `context`: why it cannot be; the context gets the text as its error.
        """
        if not isinstance(boundary, SubgraphBoundary):
            raise TypeError(f"boundary must be a SubgraphBoundary, not {type(boundary).__name__}")
        if not isinstance(replacement, ir.Graph):
            raise TypeError(
                f"replacement must be a {PACKAGE}.graph.Graph, not {type(replacement).__name__}"
            )
        try:
            _replace(boundary, replacement, context)
        except ir.PassError:  # of a run that compares each rewrite
            raise
        except (RuntimeError, ValueError) as error:
            if context is None:
                return _failed(f"SubgraphRewriter.replace: {error}")
            context.set_error_message(str(error))
            raise RuntimeError(str(error)) from error
        return StatusCode.SUCCESS if context is None else None


def _replace(boundary: SubgraphBoundary, replacement: ir.Graph, context: Any) -> None:
    inputs, outputs = boundary.inputs, boundary.outputs
    if not outputs:
        raise RuntimeError("the boundary has no outputs")
    sizes_differ(replacement, len(inputs), len(outputs))
    nodes = boundary.nodes()
    if not nodes:
        raise RuntimeError("there are no nodes inside the boundary")
    check = can_fuse(nodes)
    if not check:
        raise RuntimeError(check.reason)
    inside, given = set(nodes), set(outputs)
    for node in nodes:
        for result in node.results:
            if result not in given and any(use.node not in inside for use in result.uses):
                if node.type in ("Const", "Constant"):
                    continue  # it stays for the others
                raise RuntimeError(
                    f"Boundary is not self contained: node '{node.name}' is used outside"
                )
    running = current_run()
    at = outputs[0].node
    if running is not None and not running.take_rewrite(at.name):
        raise LimitReached(f"the rewrite limit is reached at node '{at.name}'")
    with at.root.transaction():
        copy = replacement.clone()
        retype_guesses(copy, inputs)
        listener = None if running is None else running.listener("", nodes, outputs)
        after = put_in_place(nodes, inputs, outputs, copy, listener)
        if context is not None:
            report_fuse(nodes, after, context)
        _erase_unused(nodes)


def _erase_unused(nodes: list[ir.Node]) -> None:
    """Erase the nodes without uses, users before what they use."""
    waiting = dict.fromkeys(nodes)
    free = [node for node in nodes if not _is_used(node)]
    while free:
        node = free.pop()
        del waiting[node]
        makers = dict.fromkeys(v.node for v in node.operands if v is not None)
        node.erase()
        free += [maker for maker in makers if maker in waiting and not _is_used(maker)]


def _is_used(node: ir.Node) -> bool:
    return any(result.has_uses for result in node.results)


def infer_shape(replacement: ir.Graph, source: Any) -> None:
    """Infer the types in a replacement from the nodes that it replaces.

    Parameters
    ----------
    replacement : Graph
        Its inputs get the types of the source's, and constants are seen as such. Types that were set before are
        inferred anew where an operator's definition says them; layouts stay.
    source : MatchResult, Node or SubgraphBoundary

    Raises
    ------
    TypeError
        If an argument is something else.
    RuntimeError
        If there is nothing to infer, an input is missing, or operands do not fit.
    """
    if not isinstance(replacement, ir.Graph):
        raise TypeError(
            f"replacement must be a {PACKAGE}.graph.Graph, not {type(replacement).__name__}"
        )
    values, name = _sources(source)
    if not len(replacement.nodes) and not len(replacement.outputs):
        raise RuntimeError("replacement graph is empty")
    failed = (
        f"infer_shape failed, replacement_graph={replacement.name}, "
        f"source_type={type(source).__name__}" + (f", source_name={name}" if name else "")
    )
    if len(replacement.inputs) > len(values):
        raise RuntimeError(f"{failed}: it has {len(replacement.inputs)} inputs, not {len(values)}")
    contradictions = retype(replacement, values)
    if contradictions:
        raise RuntimeError(f"{failed}: {'; '.join(d.message for d in contradictions)}")


def _sources(source: Any) -> tuple[list[ir.Value], str]:
    if isinstance(source, ir.Node):
        return list(dict.fromkeys(v for v in source.operands if v is not None)), source.name
    if isinstance(source, SubgraphBoundary):
        return source.inputs, ""
    if isinstance(source, _native.MatchResult):
        return list(source.inputs), source.get_pattern_graph_name()
    raise TypeError(
        f"source must be MatchResult, Node, or SubgraphBoundary, not {type(source).__name__}"
    )


publish(globals())
