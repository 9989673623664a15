"""From the native pass manager to the hooks: one adapter for each kind.

The manager asks a factory for an instance before each execution of a pass and calls it with the graph. An adapter makes
the user's object then, so that each execution has its own, and names pass, hook and node in what a hook raises.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import ir
from ._context import PassContext
from ._errors import PassSkip, failure
from ._kinds import FusionBasePass
from ._status import why_failed

__all__ = ["Adapter", "ClassAdapter", "factory_of", "graphs_inside", "register_kind"]


def graphs_inside(graph: ir.Graph) -> Iterator[ir.Graph]:
    """Yield a graph and those inside it, the outer before the inner, as they are when each is reached."""
    waiting = [graph]
    while waiting:
        current = waiting.pop()
        if not current.is_alive:
            continue
        yield current
        if not current.is_alive:
            continue
        inner = [body for node in current.nodes for body in node.subgraphs]
        waiting.extend(reversed(inner))


class Adapter:
    """One execution of a pass."""

    def __init__(self, name: str, options: Mapping[str, str]) -> None:
        self.name = name
        self.options = options

    @contextmanager
    def hook(self, hook: str, node: Any = None) -> Iterator[None]:
        """What is raised inside comes from that hook."""
        try:
            yield
        except PassSkip:
            raise
        except BaseException as error:
            raised = failure(error, self.name, hook, node)
            if raised is error:
                raise
            raise raised from error

    def __call__(self, graph: ir.Graph, run: Any) -> None:
        context = PassContext(run, self.options)
        self.run(graph, context)

    def run(self, graph: ir.Graph, context: PassContext) -> None:
        raise NotImplementedError

    def check(self, result: object, hook: str, context: PassContext) -> None:
        """Raise when the result of a hook means failure."""
        why = why_failed(result, f"{hook}()")
        if why is not None:
            said = context.get_error_message()
            with self.hook(hook):
                raise ir.PassError(f"{said} ({why})" if said else why)


class _FunctionAdapter(Adapter):
    """A function ``(graph, context)``, or ``(graph)``."""

    def __init__(
        self, name: str, options: Mapping[str, str], function: Callable[..., Any], hook: str
    ) -> None:
        super().__init__(name, options)
        self.function = function
        self.hook_name = hook

    def run(self, graph: ir.Graph, context: PassContext) -> None:
        result: Any = None
        arguments = (graph, context) if _takes_two(self.function) else (graph,)
        try:
            with self.hook(self.hook_name):
                result = self.function(*arguments)
        except PassSkip as skipped:
            context.remark(f"skipped: {skipped}")
        self.check(result, self.hook_name, context)


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True


class ClassAdapter(Adapter):
    """An instance of the user's class."""

    def __init__(self, name: str, options: Mapping[str, str], cls: type[FusionBasePass]) -> None:
        super().__init__(name, options)
        with self.hook("__init__"):
            self.object: Any = cls()


class _BaseAdapter(ClassAdapter):
    def run(self, graph: ir.Graph, context: PassContext) -> None:
        for each in graphs_inside(graph):
            result = None
            try:
                with self.hook("run"):
                    result = self.object.run(each, context)
            except PassSkip as skipped:
                context.remark(f"skipped {each.name}: {skipped}")
            self.check(result, "run", context)


# By the class of the user's class, the most derived first.
_kinds: list[tuple[type[FusionBasePass], Callable[..., Adapter]]] = [
    (FusionBasePass, lambda name, options, cls, op_types: _BaseAdapter(name, options, cls))
]


def register_kind(base: type[FusionBasePass], make: Callable[..., Adapter]) -> None:
    """Let classes derived from `base` be run by ``make(name, options, cls, op_types)``."""
    _kinds.insert(0, (base, make))


def factory_of(
    what: Any,
    name: str,
    op_types: tuple[str, ...] = (),
    defaults: Mapping[str, str] | None = None,
) -> Callable[[dict[str, str]], Adapter]:
    """Return what the native manager calls before each execution of a class or function."""

    def create(options: dict[str, str]) -> Adapter:
        given = {**(defaults or {}), **options}
        if isinstance(what, type):
            make = next(make for base, make in _kinds if issubclass(what, base))
            return make(name, given, what, op_types)
        return _FunctionAdapter(name, given, what, getattr(what, "__name__", "function"))

    return create
