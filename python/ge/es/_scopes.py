"""Scopes that add attributes and control inputs to new nodes.

Scopes are of a thread and of an asyncio task; inner ones add to outer ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .tensor_holder import TensorHolder

__all__ = ["apply", "attr_scope", "control_dependency_scope"]

_attributes: "ContextVar[Mapping[str, Any]]" = ContextVar(
    "ge.es.attributes", default=MappingProxyType({})
)
_dependencies: "ContextVar[tuple[TensorHolder, ...]]" = ContextVar("ge.es.dependencies", default=())


@contextmanager
def attr_scope(attr_maps: Mapping[str, Any]) -> Iterator[None]:
    """Set these attributes on nodes created inside the block.

    Parameters
    ----------
    attr_maps : mapping
        What `Node.set_attr` takes. An inner scope's value of a name is in the place of the outer one's.

    Raises
    ------
    ValueError
        When the first node is made, if a value is not an attribute.
    """
    token = _attributes.set({**_attributes.get(), **attr_maps})
    try:
        yield
    finally:
        _attributes.reset(token)


@contextmanager
def control_dependency_scope(tensors: "Sequence[TensorHolder]") -> Iterator[None]:
    """Add control edges from the nodes of these tensors to nodes created inside the block.

    Parameters
    ----------
    tensors : sequence of TensorHolder
        Those of outer scopes come before them. Inputs made inside depend on nothing.
    """
    from .tensor_holder import TensorHolder

    if isinstance(tensors, TensorHolder) or not all(isinstance(t, TensorHolder) for t in tensors):
        raise TypeError("Control dependencies must be a list of TensorHolder objects")
    token = _dependencies.set((*_dependencies.get(), *tensors))
    try:
        yield
    finally:
        _dependencies.reset(token)


def apply(node: Any, *, is_input: bool = False) -> None:
    """Apply the active scopes to a new node."""
    for name, value in _attributes.get().items():
        _set_attr(node, name, value)
    if is_input:
        return
    for tensor in _dependencies.get():
        depend(node, tensor, "add control dependency")


def _set_attr(node: Any, name: str, value: Any) -> None:
    try:
        node.set_attr(name, value)
    except ValueError as error:
        raise ValueError(
            f"Unsupported attribute type: {type(value)} for value: {value}, attribute '{name}' of "
            f"attr_scope: {error}"
        ) from error


def different(builder: Any, other: Any) -> str:
    """Say that tensors of two builders were given to one call."""
    return f"tensors from different GraphBuilders ('{builder.name}' vs '{other.name}')"


def depend(node: Any, tensor: "TensorHolder", operation: str) -> None:
    """Let a node run after a tensor's node."""
    source = tensor.value.node
    if source.root is not node.root:
        raise ValueError(f"Cannot {operation}: tensors from different GraphBuilders")
    node.graph.add_control_edge(source, node)
