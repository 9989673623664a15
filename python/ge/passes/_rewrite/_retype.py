"""Types in a replacement graph that its builder could not know.

CANN's builder makes inputs of unknown shape and DT_FLOAT, and what follows from them is a guess of the same kind until the
values are known that they stand for.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ... import ir

__all__ = ["infer_anew", "keep_types", "refuse_other_types", "retype", "retype_guesses"]


def is_guess(type: ir.Type) -> bool:
    """Whether a type is what CANN's builder gives an input without a declared type."""
    return (
        isinstance(type, ir.TensorType)
        and type.shape is None
        and type.dtype is ir.f32
        and type.format is None
    )


def keep_types(old: Iterable[ir.Value | None], new: Iterable[ir.Value | None]) -> None:
    """Give values without an inferred type (user-defined operators) the types of the values that they replace.

    Their number may differ from that of the old ones; the caller refuses that.
    """
    for before, value in zip(old, new, strict=False):
        if before is None or value is None or value.node.is_input:
            continue
        if isinstance(value.type, ir.UnknownType) or is_guess(value.type):
            value.type = before.type


def refuse_other_types(old: Iterable[ir.Value | None], new: Iterable[ir.Value | None]) -> None:
    """Raise when a value is of another element type than what it replaces.

    Raises
    ------
    RuntimeError
    """
    for before, value in zip(old, new, strict=True):
        if before is None or value is None or before.type is value.type:
            continue
        if before.has_uses and _contradict(before.type, value.type):
            raise RuntimeError(
                f"the replacement gives {value.type} of node '{value.node.name}' ({value.node.op}) for "
                f"{before.type} of node '{before.node.name}' ({before.node.op}), whose users take that type; "
                "give a value of that type (a Cast), or leave such nodes out"
            )


def _contradict(old: ir.Type, new: ir.Type) -> bool:
    """Whether users of a value cannot take another one. Shapes that a file declares may be wrong: they are not compared."""
    if isinstance(old, ir.TensorType) and isinstance(new, ir.TensorType):
        return (
            not is_guess(old)
            and old.dtype is not new.dtype
            and ir.undefined not in (old.dtype, new.dtype)
        )
    kinds = (ir.TensorType, ir.SequenceType, ir.OptionalType, ir.MapType)
    return isinstance(old, kinds) and isinstance(new, kinds) and type(old) is not type(new)


def retype_guesses(replacement: ir.Graph, values: Sequence[ir.Value | None]) -> None:
    """Do as `retype` if the input types are guesses and the values have more precise ones; else nothing."""
    for own, value in zip(replacement.inputs, values, strict=False):
        if value is not None and is_guess(own.type) and value.type is not own.type:
            retype(replacement, values)
            return


def retype(replacement: ir.Graph, values: Sequence[ir.Value | None]) -> tuple[ir.Diagnostic, ...]:
    """Set the types of a replacement's inputs to those of the values, and infer the others as `infer_anew` does.

    Constants among the values are seen as such. What contradicts is returned.
    """
    for own, value in zip(replacement.inputs, values, strict=False):
        if value is not None:
            own.type = value.type
    with _constants_in_place(replacement, values):
        return infer_anew(replacement)


def infer_anew(graph: ir.Graph) -> tuple[ir.Diagnostic, ...]:
    """Infer all types from those of the inputs, whatever they were before.

    Types that nothing implies stay; so do layouts that were set.

    Returns
    -------
    tuple of Diagnostic
        What contradicts.
    """
    unknown = ir.UnknownType(context=graph.context)
    said = {
        result: result.type
        for node in graph.walk()
        if len(node.operands)
        for result in node.results
    }
    for result in said:
        result.type = unknown
    diagnostics = graph.infer_types().diagnostics
    open_ = [result for result in said if isinstance(result.type, ir.UnknownType)]
    for result in open_:
        if not is_guess(said[result]):
            result.type = said[result]
    if open_:
        diagnostics = graph.infer_types().diagnostics
    for result, before in said.items():
        result.type = _with_layout(result.type, before)
    for node in graph.walk():
        _describe_inputs(node)
    return diagnostics


def _describe_inputs(node: ir.Node) -> None:
    """Refine the types by the inputs' own descriptions, if they have any; layouts are kept."""
    for i, value in enumerate(node.operands):
        said = node.attributes.get(f"ge.input_desc.{i}")
        if said is not None and value is not None and isinstance(value.type, ir.TensorType):
            node.attributes[f"ge.input_desc.{i}"] = _with_layout(value.type, said)


def _with_layout(type: ir.Type, before: ir.Type) -> ir.Type:
    if not isinstance(type, ir.TensorType) or not isinstance(before, ir.TensorType):
        return type
    if type.format is not None or (before.format is None and before.origin_format is None):
        return type
    return ir.TensorType(
        type.shape,
        type.dtype,
        format=before.format,
        origin_shape=type.origin_shape,
        origin_format=type.origin_format or before.origin_format,
        context=type.context,
    )


@contextmanager
def _constants_in_place(replacement: ir.Graph, values: Sequence[ir.Value | None]) -> Iterator[None]:
    """Temporarily replace inputs that stand for constants by constants, because types may depend on them."""
    constants: list[tuple[Any, ir.Node]] = []
    for own, value in zip(replacement.inputs, values, strict=False):
        if value is None or value.node.type != "Const" or not own.has_uses:
            continue
        tensor = value.node.attributes.get("value")
        if isinstance(tensor, ir.Tensor) and len(replacement.nodes):
            node = replacement.add_node(
                "ge.Const",
                (),
                {"value": tensor},
                result_types=[tensor.type],
                ip=ir.InsertionPoint.before(replacement.nodes[0]),
            )
            own.replace_all_uses_with(node.result)
            constants.append((own, node))
    try:
        yield
    finally:
        for own, node in constants:
            node.result.replace_all_uses_with(own)
            node.erase()
