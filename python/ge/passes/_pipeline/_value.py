"""Pipelines as immutable values."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

from ..._mlir_like._cext_loader import load
from ..._support.lazy import publish
from .._pattern._trace import near

__all__ = ["Pipeline", "PipelineElement"]

_native = load("passes")


class PipelineElement(NamedTuple):
    """One element of a pipeline: a pass with its options, or a group."""

    name: str
    """Of a pass or an alias; of a group ``fixpoint`` or an operator such as ``onnx.If``."""
    options: dict[str, str]
    """Values by name; empty where the option is given without one."""
    group: Pipeline | None
    """The pipeline in the parentheses of a group; None for a pass."""


class Pipeline(Sequence[PipelineElement]):
    """The tree of a pipeline's text. It does not change; methods return others.

    Names and options of passes are not looked up: `PassManager.parse` does that.

    Parameters
    ----------
    text : str or Pipeline
        ``"infer-types,fixpoint{max=5}(cse,dce),onnx.If(cse)"``.

    Raises
    ------
    ParseError
        If the text is not a pipeline, with a caret under what is wrong.

    Examples
    --------
    >>> pipeline = Pipeline("infer-types,fixpoint(cse,dce)")
    >>> [element.name for element in pipeline]
    ['infer-types', 'fixpoint']
    >>> print(pipeline.without("cse") + Pipeline("sort"))
    infer-types,fixpoint(dce),sort
    """

    __slots__ = ("_tree",)

    def __init__(self, text: str | Pipeline = "") -> None:
        if not isinstance(text, (str, Pipeline)):
            raise TypeError(f"text must be str or Pipeline, not {type(text).__name__}")
        self._tree: Any = text._tree if isinstance(text, Pipeline) else _native._Pipeline(text)

    @classmethod
    def of(cls, *names: str) -> Pipeline:
        """Return the pipeline of passes with these names, whatever characters they have.

        Parameters
        ----------
        *names : str
        """
        quoted = (name.replace("\\", "\\\\").replace('"', '\\"') for name in names)
        return cls(",".join(f'"{name}"' for name in quoted))

    @classmethod
    def _of(cls, tree: Any) -> Pipeline:
        made = cls.__new__(cls)
        made._tree = tree
        return made

    def __len__(self) -> int:
        return len(self._tree)

    @overload
    def __getitem__(self, index: int) -> PipelineElement: ...
    @overload
    def __getitem__(self, index: slice) -> Pipeline: ...
    def __getitem__(self, index: int | slice) -> PipelineElement | Pipeline:
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step != 1:
                raise ValueError("a slice of a pipeline has no step")
            return self._of(self._tree.slice(begin, max(0, end - begin)))
        at = operator.index(index)
        at += len(self) if at < 0 else 0
        if not 0 <= at < len(self):
            raise IndexError(f"no element {index} in a pipeline of {len(self)}")
        name, options, group = self._tree.element(at)
        return PipelineElement(name, options, None if group is None else self._of(group))

    def __iter__(self) -> Iterator[PipelineElement]:
        return (self[i] for i in range(len(self)))

    def __add__(self, other: Pipeline) -> Pipeline:
        if not isinstance(other, Pipeline):
            return NotImplemented
        return self._of(self._tree.joined(other._tree))

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Pipeline) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return str(self._tree)

    def __repr__(self) -> str:
        return f"Pipeline({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Pipeline, (str(self),)

    def passes(self) -> Iterator[PipelineElement]:
        """Yield the passes and aliases in their order, those inside groups too; groups are none."""
        for element in self:
            if element.group is None:
                yield element
            else:
                yield from element.group.passes()

    def without(self, *names: str) -> Pipeline:
        """Return the pipeline without some passes, and without groups that are empty then.

        Parameters
        ----------
        *names : str
            An alias is one name: see `expanded`.

        Raises
        ------
        ValueError
            If there is no such pass.
        """
        tree = self._tree
        for name in names:
            tree, count = tree.without(name)
            if not count:
                known = sorted({element.name for element in self.passes()})
                raise ValueError(f"no pass '{name}' in the pipeline {self}{near(name, known)}")
        return self._of(tree)

    def with_option(self, name: str, option: str, value: str) -> Pipeline:
        """Return the pipeline with an option set for each pass of a name that does not set it.

        Parameters
        ----------
        name, option, value : str

        Raises
        ------
        ValueError
            If there is no such pass, or it is given another value.
        """
        tree, count = self._tree.with_option(name, option, value)
        if not count:
            raise ValueError(f"no pass '{name}' in the pipeline {self}")
        made = self._of(tree)
        for element in made.passes():
            if element.name == name and element.options[option] != value:
                given = f"{option}={element.options[option]}"
                raise ValueError(f"{name}{{{given}}} contradicts {option}={value}")
        return made

    def expanded(self) -> Pipeline:
        """Return the pipeline with aliases replaced by their passes.

        Raises
        ------
        ParseError
            If an alias is given an option that it does not take.
        """
        return self._of(self._tree.expanded())


publish("passes", Pipeline, PipelineElement)
