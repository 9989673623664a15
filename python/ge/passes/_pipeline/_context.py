"""PassContext: options, counts and remarks of the pass that a hook belongs to; and the runs of a thread."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ... import ir
from .._pattern._public import publish
from .._pattern._trace import Place

if TYPE_CHECKING:
    from ._observer import MatchObserver, RewriteListener, RewriteObserver

__all__ = ["PassContext"]

_threads = threading.local()


def runs() -> "list[Running]":
    """Return the runs that this thread is in, the innermost last."""
    try:
        found: list[Running] = _threads.runs
    except AttributeError:
        found = _threads.runs = []
    return found


def current_run() -> "Running | None":
    """Return the run that this thread is in."""
    stack = runs()
    return stack[-1] if stack else None


def current_options() -> Mapping[str, str]:
    """Return the options of the run that this thread is in."""
    run = current_run()
    return {} if run is None else run.options


class Running:
    """A run on this thread: on top of `runs` while it lasts.

    Parameters
    ----------
    options : Mapping of str to str
    target : Module or Graph, optional
    check : RewriteObserver, optional
    contract : MatchObserver, optional

    Attributes
    ----------
    place : tuple of str and int, or None
        File and line of the Python pass that runs.
    places : dict
        The same of the rules that it applies, by name.
    checks_rewrites : bool
        Whether all its edits are rewrites, so that it need not be checked as a whole.
    """

    place: "Place | None" = None
    checks_rewrites = False
    _latest = 0, ""
    _execution: Any = None

    def __init__(
        self,
        options: Mapping[str, str],
        target: Any = None,
        check: "RewriteObserver | None" = None,
        contract: "MatchObserver | None" = None,
    ) -> None:
        self.options = options
        self.check = check
        self.contract = contract
        self.places: dict[str, Place | None] = {}
        self._target = target

    def begin(self) -> None:
        """Tell the observers that a pass is about to run."""
        self.place, self.places, self.checks_rewrites = None, {}, False
        self._execution = None
        if self.check is not None:
            self.check.begin(self._target)
        if self.contract is not None:
            self.contract.begin()

    def enter(self, execution: Any, place: Place | None, checks_rewrites: bool) -> None:
        """Record that the pass is written in Python: its execution, its location, and whether it only rewrites."""
        self._execution, self.place, self.checks_rewrites = execution, place, checks_rewrites

    def end(self, name: str, outcome: str) -> None:
        """Tell the observers that the pass has ended."""
        if self.contract is not None:
            self.contract.end(name, outcome, self.place)

    def rewriting(self, seen: dict[str, Any]) -> None:
        """Tell the observers of a rewrite, as the native rewriter describes it."""
        if self.contract is not None:
            self.contract.rewriting(seen["at"])
        if self.check is None:
            return
        from ._observer import SeenRewrite

        rewrite = None
        if seen["graph"] is not None:
            place = self.places.get(seen["rule"], self.place)
            parts = (seen[key] for key in ("matched", "made", "before", "after"))
            rewrite = SeenRewrite(seen["pass_name"], seen["rule"], place, *parts)
        self._latest = seen["number"], seen["at"]
        self.check.rewriting(*self._latest, rewrite)

    def take_rewrite(self, at: str) -> bool:
        """Return whether the Python pass that runs may do one more rewrite, and count it."""
        return self._execution is None or self._execution.take_rewrite(at)

    def listener(
        self, rule: str, nodes: Sequence[ir.Node], outputs: Sequence[ir.Value]
    ) -> "RewriteListener | None":
        """Return the listener for the latest rewrite of a pass that edits the graph directly; None without an observer."""
        check, latest = self.check, self._latest
        if check is None or self._execution is None:
            return None
        from ._observer import SeenRewrite

        name: str = self._execution.name
        return lambda made, values: check.rewriting(
            *latest, SeenRewrite(name, rule, self.place, nodes, made, outputs, values)
        )

    def accept(self, name: str, _where: str) -> None:
        """Notify the observer that the pass has changed something."""
        if self.check is not None and not self.checks_rewrites:
            self.check.accept(name, self.place, self._target)


class DetachedRun:
    """Replaces the native run when hooks are called only to explain: their counts and remarks are dropped."""

    is_alive = True

    def __init__(self, name: str) -> None:
        self.name = name

    is_traced = False

    def count(self, statistic: str, n: int) -> None:
        pass

    def remark(self, message: str, warning: bool) -> None:
        pass

    def take_rewrite(self, at: str) -> bool:
        return False

    def options(self) -> dict[str, str]:
        return dict(current_options())


class PassContext:
    """One execution of one pass, from inside. It expires when the pass ends.

    Made by the pass manager.

    Attributes
    ----------
    options : Mapping of str to str
        Of the run: ``PassManager(options=...)``, or what a native program or ``ge-opt --option`` says.
    pass_options : Mapping of str to str
        Those written in the pipeline, ``name{option=value}``, over the pass's defaults.
    """

    def __init__(self, run: Any, pass_options: Mapping[str, str] | None = None) -> None:
        self._run = run
        self._name: str = run.name
        self._error = ""
        self._options: Mapping[str, str] | None = None  # read at first use
        self._pass_options: Mapping[str, str] = dict(pass_options or {})

    def _check(self) -> None:
        if not self._run.is_alive:
            raise ir.StaleHandleError("PassContext has expired: its pass has ended")

    @property
    def options(self) -> Mapping[str, str]:
        self._check()
        if self._options is None:
            self._options = self._run.options()
        return self._options

    @property
    def pass_options(self) -> Mapping[str, str]:
        self._check()
        return self._pass_options

    @property
    def pass_name(self) -> str:
        """Name of the pass in the pipeline."""
        self._check()
        return self._name

    def count(self, statistic: str, n: int = 1) -> None:
        """Add `n` to a number that the result of the run shows."""
        self._run.count(statistic, n)

    def _count_rewrites(self, rewrites: int, cyclic: int, exhausted: int) -> None:
        """Count what a native rewrite did."""
        for statistic, n in (("matched", rewrites), ("cyclic", cyclic), ("exhausted", exhausted)):
            if n:
                self.count(statistic, n)

    def take_rewrite(self, at: str) -> bool:
        """Return whether one more rewrite may happen, at the node of that name; then it counts.

        For passes that edit by themselves, so that `PassManager.set_rewrite_limit` and ``ge bisect`` can tell their
        edits apart.
        """
        taken: bool = self._run.take_rewrite(at)
        return taken

    def remark(self, message: str, *, warning: bool = False) -> None:
        """Add a remark, which is not a failure: it is in the result, and logged."""
        self._run.remark(message, warning)

    @contextmanager
    def detached(self) -> Iterator[None]:
        """Return a block in which hooks are called again to explain their answers; counts and remarks are dropped."""
        run, self._run = self._run, DetachedRun(self._name)
        try:
            yield
        finally:
            self._run = run

    # --- CANN's methods

    def get_pass_name(self) -> str:
        """Return the name of the pass."""
        return self.pass_name

    def set_pass_name(self, pass_name: str) -> None:
        """Change the name under which `report_fuse` counts."""
        self._check()
        if not isinstance(pass_name, str):
            raise TypeError(f"pass_name must be a str, not {type(pass_name).__name__}")
        self._name = pass_name

    def get_error_message(self) -> str:
        """Return what `set_error_message` set in this pass; empty at first."""
        self._check()
        return self._error

    def set_error_message(self, error_message: str) -> None:
        """Set the reason of a failure, which becomes part of the `PassError`."""
        self._check()
        if not isinstance(error_message, str):
            raise TypeError(f"error_message must be a str, not {type(error_message).__name__}")
        self._error = error_message

    def get_option_value(self, key: str) -> str:
        """Return an option of the run.

        Raises
        ------
        RuntimeError
            If there is none of that name.
        """
        options = self.options
        if key not in options:
            raise RuntimeError(f"Failed to get option value for key: {key}")
        return options[key]

    def __repr__(self) -> str:
        state = "" if self._run.is_alive else ", expired"
        return f"<PassContext of pass '{self._name}'{state}>"


publish(globals())
