"""FusionBasePass, and the adapters that lead from the native pass manager to the hooks of each kind of pass.

The manager asks a factory for an instance before each execution of a pass and calls it with the graph. An adapter makes
the user's object then, so that each execution has its own, and names pass, hook and node in what a hook raises.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ... import ir
from ..._support.failures import is_own, text_of
from ..._support.log import is_debug_wanted
from .._pattern._public import publish
from .._pattern._trace import Place, place_of
from ._context import PassContext, current_run
from ._errors import LimitReached, PassSkip, failure, name_place
from ._graphs import graphs_inside
from ._log import log_of
from ._status import why_failed

if TYPE_CHECKING:
    from ._observer import Tried

__all__ = ["FusionBasePass"]


class _Hook:
    __slots__ = ("_adapter", "_hook", "_name", "_node")

    def __init__(self, name: str, hook: str, node: Any, adapter: "Adapter | None" = None) -> None:
        self._name = name
        self._hook = hook
        self._node = node
        self._adapter = adapter

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        if error is None or isinstance(error, PassSkip):
            return
        place = None if self._adapter is None else self._adapter.place_of_hook(self._hook)
        raised = failure(error, self._name, self._hook, self._node, place)
        try:
            if raised is not error:
                raise raised from error
        finally:
            del raised, error  # else this frame and its own traceback would hold each other


def place_in_class(cls: type, hook: str) -> Place | None:
    """Return file and line of a hook; if the class lacks it, of the first method that the user wrote."""
    place = place_of(getattr(cls, hook, None))
    if place is not None and not is_own(place[0]):
        return place
    for each in cls.__mro__:
        written = (getattr(value, "function", value) for value in vars(each).values())
        places = [place_of(value) for value in written if callable(value)]
        if own := [place for place in places if place is not None and not is_own(place[0])]:
            return min(own)
        if each.__module__ == "builtins" or (file := _file_of(each)) is None or is_own(file):
            continue
        return file, 1
    return None


def _file_of(cls: type) -> str | None:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    return file if isinstance(file, str) else None


def hook_of(name: str, hook: str, node: Any = None) -> _Hook:
    """Return a context manager that attributes exceptions to that hook of a pass."""
    return _Hook(name, hook, node)


class Adapter:
    """One execution of a pass.

    Attributes
    ----------
    place : tuple of str and int, or None
        File and line of what the user wrote.
    source : type or callable, optional
        What the user wrote.
    rewrites_only : bool
        Whether all its edits are rewrites that observers receive, so that it can be explained why there are not more.
    """

    rewrites_only = False

    def __init__(self, name: str, options: Mapping[str, str]) -> None:
        self.name = name
        self.options = options
        self.place: Place | None = None
        self.source: Any = None

    def hook(self, hook: str, node: Any = None) -> "_Hook":
        """Return a context manager that attributes exceptions to that hook."""
        return _Hook(self.name, hook, node, self)

    def place_of_hook(self, hook: str) -> Place | None:
        """Return file and line of the user's hook; if it is missing, of the user's class."""
        if isinstance(self.source, type) and hasattr(self.source, hook):
            return place_in_class(self.source, hook)
        return self.place

    def __call__(self, graph: ir.Graph, run: Any) -> None:
        context = PassContext(run, self.options)
        running = current_run()
        contract = None
        if running is not None:
            running.enter(run, self.place, self.rewrites_only)
            contract = running.contract if self.rewrites_only else None
        found = None if contract is None else contract.keep(self.name, graph)
        log = None
        if run.is_traced or is_debug_wanted("ge.passes"):
            log = log_of(self.source, self.name, graph, run)
        try:
            tried = self._run_in_context(graph, context)
        except PassSkip as skipped:
            context.remark(f"skipped: {text_of(skipped)}")
            return
        except BaseException as error:
            name_place(error, self.place)
            if log is not None:
                log.fail(error)
            raise
        if log is not None:
            log.end()
        if contract is not None and found is not None and tried is not None:
            with context.detached():
                contract.explain(self.name, tried, found)

    def _run_in_context(self, graph: ir.Graph, context: PassContext) -> "Tried | None":
        """Run with the graph's context as the current one: a native host's is not the default."""
        own = graph.context
        if own is ir.Context.current:
            return self.run(graph, context)
        with own:
            return self.run(graph, context)

    def run(self, graph: ir.Graph, context: PassContext) -> "Tried | None":
        """Run; return the attempted patterns or operators, from which missing matches are explained."""
        raise NotImplementedError

    def check(self, result: object, hook: str, context: PassContext) -> None:
        """Raise when the result of a hook means failure."""
        why = why_failed(result, f"{hook}()")
        if why is not None:
            said = context.get_error_message()
            with self.hook(hook):
                raise ir.PassError(f"{said} ({why})" if said else why)


@contextmanager
def undone_by_skip(graph: ir.Graph) -> Iterator[None]:
    """Undo the edits of the block if it raises `PassSkip`; after other exceptions the manager undoes the whole pass.

    Raises
    ------
    ValueError
        If the block leaves a transaction open.
    """
    edits = graph.transaction()
    edits.__enter__()
    try:
        yield
    except BaseException as error:
        if isinstance(error, PassSkip) and not isinstance(error, LimitReached):
            edits.__exit__(type(error), error, error.__traceback__)
            raise
        # What a failed pass did is printed before the manager undoes it.
        with suppress(ValueError):
            edits.__exit__(None, None, None)
        raise
    edits.__exit__(None, None, None)


class _FunctionAdapter(Adapter):
    """A function ``(graph, context)``, or ``(graph)``."""

    def __init__(
        self, name: str, options: Mapping[str, str], function: Callable[..., Any], hook: str
    ) -> None:
        super().__init__(name, options)
        self.source = self.function = function
        self.hook_name = hook
        self.place = place_of(function)

    def run(self, graph: ir.Graph, context: PassContext) -> None:
        with self.hook(self.hook_name), undone_by_skip(graph):
            arguments = (graph, context) if _takes_two(self.function) else (graph,)
            result = self.function(*arguments)
        self.check(result, self.hook_name, context)


def _takes_two(function: Callable[..., Any]) -> bool:
    """Whether a function takes the context: it has a second parameter that is required or named so."""
    from inspect import signature

    try:
        parameters = list(signature(function).parameters.values())
    except ValueError:  # a builtin without a signature
        return True
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return True
    return len(places) > 1 and (places[1].default is places[1].empty or places[1].name == "context")


class FusionBasePass:
    """A pass that does its own work: ``run(graph, context)``.

    It is called for the root graph and then for each graph inside it, on one instance. An instance is made, without
    arguments, for each execution of the pass: ``self`` is scratch space.

    None and True mean success; False, another status than `StatusCode.SUCCESS` and `StatusCode.NOT_CHANGED`, and an
    exception undo the pass. `PassSkip` undoes what ``run`` did on that graph and is no failure.
    """

    _ge_kind: ClassVar[str] = "fusion_base"

    @classmethod
    def _ge_adapter(
        cls, name: str, options: Mapping[str, str], op_types: tuple[str, ...]
    ) -> "Adapter":
        """Return what runs one execution of a pass of this class. Rules have the same method."""
        return _BaseAdapter(name, options, cls)

    @classmethod
    def _ge_replacement(cls) -> str:
        """Return how matches are replaced, as ``ge plugins`` shows it; empty for a pass without patterns."""
        return ""

    @classmethod
    def _ge_check(cls) -> None:
        """Raise TypeError when the class is not complete: it is registered, or about to run."""

    @classmethod
    def _ge_check_registered(cls) -> None:
        """Raise TypeError when a class that is registered lacks what would make its execution fail."""
        cls._ge_check()

    def run(self, graph: ir.Graph, context: PassContext) -> bool | int | None:
        """Work on one graph."""
        cls = type(self)
        names = [name for name, value in vars(cls).items() if name[0] != "_" and callable(value)]
        raise NotImplementedError(
            f"FusionBasePass.run must be implemented: {cls.__name__} has no run(self, graph, context)"
            + (f"; its methods are {', '.join(names)}" if names else "")
        )


class ClassAdapter(Adapter):
    """An instance of the user's class."""

    def __init__(self, name: str, options: Mapping[str, str], cls: type[FusionBasePass]) -> None:
        super().__init__(name, options)
        self.source = cls
        self._object: Any = None
        self._failed: BaseException | None = None
        try:
            with self.hook("__init__"):
                self._object = cls()
        except BaseException as error:
            self._failed = error

    @property
    def object(self) -> Any:
        """The instance. What its ``__init__`` raised is raised here, once.

        When the pass runs, that is: the manager knows then what ends a run that goes on after failures.
        """
        failed, self._failed = self._failed, None
        try:
            if failed is not None:
                raise failed
        finally:
            del failed  # else this frame and the error's traceback would hold each other
        return self._object


class _BaseAdapter(ClassAdapter):
    def __init__(self, name: str, options: Mapping[str, str], cls: type[FusionBasePass]) -> None:
        super().__init__(name, options, cls)
        self.place = place_in_class(cls, "run")

    def run(self, graph: ir.Graph, context: PassContext) -> None:
        instance = self.object
        for each in graphs_inside(graph):
            result = None
            try:
                with self.hook("run"), undone_by_skip(each):
                    result = instance.run(each, context)
            except PassSkip as skipped:
                context.remark(f"skipped {each.name}: {text_of(skipped)}")
            self.check(result, "run", context)


def factory_of(
    what: Any,
    name: str,
    op_types: tuple[str, ...] = (),
    defaults: Mapping[str, str] | None = None,
) -> Callable[[dict[str, str]], Adapter]:
    """Return the factory that the native manager calls before each execution of a class or function."""

    def create(options: dict[str, str]) -> Adapter:
        given = {**(defaults or {}), **options}
        make = getattr(what if isinstance(what, type) else type(what), "_ge_adapter", None)
        if make is not None:
            made: Adapter = (
                make(name, given, op_types)
                if isinstance(what, type)
                else make(what, name, given, op_types)
            )
            return made
        return _FunctionAdapter(name, given, what, getattr(what, "__name__", "function"))

    return create


def native_rules_of(what: Any, name: str) -> Any:
    """Return what a manager needs to run a pass without an adapter where nothing in Python observes the run.

    That is a native rule, or a function that returns the rules of the pass, or None while it needs an adapter; None for
    passes that are not made of rules.
    """
    if isinstance(what, type):
        settled = getattr(what, "_ge_native_rules", None)
        return None if settled is None else partial(settled, name)
    return getattr(what, "_ge_native_rule", None)


publish(globals())
