"""PassManager: pipelines from Python."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from ... import ir
from ..._mlir_like._cext_loader import load
from ..._mlir_like._providers import provider
from ..._support.elsewhere import from_elsewhere
from ..._support.failures import is_interrupt, traceback_of
from ..._support.files import write_file
from ..._support.initialize import initialize
from ..._support.log import logger
from .._pattern._pattern import PatternFunction
from .._pattern._public import publish
from .._pattern._trace import current_point, leave_to
from ._base import FusionBasePass, factory_of, native_rules_of
from ._context import Running, runs
from ._errors import failure
from ._result import PassResult, PipelineResult, complete
from ._value import Pipeline

if TYPE_CHECKING:
    from ._findings import Expected
    from ._observer import MatchObserver, ReportingObserver, RewriteObserver

__all__ = ["PassManager", "list_passes"]

_native = load("passes")
_log = logger("ge.passes")
_MOST_WARNINGS = 20  # that the log shows of one pass and run; the result has all
# Messages that results contain, too: commands that print results silence this logger.
_checks = logger("ge.passes.check")

_Hook = Callable[..., object]


class PassManager:
    """A pipeline of passes, native ones and those of Python.

    ::

        pm = PassManager.parse("infer-types,fixpoint(cse,dce),onnx.If(cse)")
        pm.add("constant-fold{limit=1024}")
        pm.add(my_function)         # (graph, context)
        result = pm.run(module)

    Each execution of a pass is a transaction: one that fails is undone. Meanwhile other threads get `GraphBusyError` for
    these graphs. The GIL is held in hooks only. ``str(pm)`` is the text again.

    Parameters
    ----------
    options : Mapping of str to str, optional
        What passes read: ``context.get_option_value(key)``, in C ``gePassRunGetOption``.
    on_error : {"raise", "skip"}
        Whether a pass that fails ends the run, or the next one goes on.
    check : {"rewrite"}, optional
        Compare each rewrite with what it replaces, on the same inputs, and passes that do not rewrite by rules as a whole;
        what computes something else is a `WrongRewriteError`. ``result.rewrite_check`` says what was compared.
    check_dir : path-like
        Where a wrong rewrite leaves its reproducer. Default: the current directory.
    """

    def __init__(
        self,
        *,
        options: Mapping[str, str] | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        check: Literal["rewrite"] | None = None,
        check_dir: str | os.PathLike[str] = ".",
    ) -> None:
        initialize()
        _check_on_error(on_error)
        if check not in (None, "rewrite"):
            raise ValueError(f"check must be 'rewrite' or None, not {check!r}")
        self.check: Literal["rewrite"] | None = check
        self.check_dir: str | os.PathLike[str] = check_dir
        self._native = _native._PassManager("")
        self.options: dict[str, str] = dict(options or {})
        self.on_error: Literal["raise", "skip"] = on_error
        self._settings: dict[str, Any] = {}
        self._configure(verify=True, elide=1024)
        self._print_to: Callable[[str], object] | None = None
        self._timing = self._statistics = False
        self._before: list[_Hook] = []
        self._after: list[_Hook] = []
        self._accept: list[_Hook] = []

    @classmethod
    def parse(
        cls,
        pipeline: str | Pipeline,
        *,
        options: Mapping[str, str] | None = None,
        on_error: Literal["raise", "skip"] = "raise",
        check: Literal["rewrite"] | None = None,
        check_dir: str | os.PathLike[str] = ".",
    ) -> PassManager:
        """Return a manager for a text.

        Parameters
        ----------
        pipeline : str or Pipeline
            Passes with their options, ``fixpoint(...)``, and ``onnx.If(...)`` for the bodies of an operator:
            ``"infer-types,constant-fold{limit=1024},fixpoint{max=5}(cse,dce),onnx.If(cse)"``.
        options, on_error, check, check_dir
            As for the class.

        Raises
        ------
        ParseError
            With a caret under what is wrong, and near names.
        """
        made = cls(options=options, on_error=on_error, check=check, check_dir=check_dir)
        made.add(pipeline)
        return made

    def add(self, what: str | Pipeline | Callable[..., Any] | type[FusionBasePass]) -> PassManager:
        """Add passes at the end; returns the manager.

        Parameters
        ----------
        what : str, Pipeline, callable or class
            A pipeline or its text; a function ``(graph, context)`` or ``(graph)``, called with each root graph; or a class of
            a pass, registered or not.

        Raises
        ------
        TypeError
            If it is something else.
        ParseError
            For a text.
        """
        if isinstance(what, (str, Pipeline)):
            self._native.add(str(what))
            return self
        descriptor = getattr(what, "__ge_pass_descriptor__", None)
        if isinstance(what, type) and not issubclass(what, FusionBasePass):
            raise TypeError(
                f"class {what.__name__} is no pass: derive it from FusionBasePass, PatternFusionPass or "
                f"DecomposePass{from_elsewhere(what)}"
            )
        if isinstance(what, PatternFunction):
            raise TypeError(
                "a pattern is no pass: rewrite_rule(pattern, replacement) makes one of it"
            )
        if not callable(what):
            raise TypeError(
                f"a pass is a text, a function (graph, context) or a class, not {type(what).__name__}"
                + from_elsewhere(what)
            )
        if descriptor is not None and descriptor.cls is what:
            name, op_types = descriptor.pass_name, descriptor.op_types
            defaults = descriptor.options
        else:
            name = getattr(what, "__name__", type(what).__name__)
            op_types, defaults = (), {}
        self._native.add_pass(
            {"name": name, "kind": "function"},
            factory_of(what, name, op_types, defaults),
            native_rules_of(what, name),
        )
        return self

    def set_option(self, option: str, value: str) -> PassManager:
        """Set an option of each pass that has it and does not set it, in groups and aliases too.

        Parameters
        ----------
        option, value : str

        Raises
        ------
        ValueError
            If a pass refuses the value; nothing is changed then.
        """
        self._native.set_option(option, value)
        return self

    # --- What happens beside the passes

    def enable_timing(self, enable: bool = True) -> PassManager:
        """Log a table of time after each run, at level INFO; ``result.timing()`` gives it in any case."""
        self._timing = enable
        return self

    def enable_statistics(self, enable: bool = True) -> PassManager:
        """Log what the passes counted after each run, at level INFO."""
        self._statistics = enable
        return self

    def enable_verifier(
        self, enable: bool = True, *, full: bool = False, types: bool = True
    ) -> PassManager:
        """Check what each pass edited, and the whole graph at the end of a run. On at first.

        Parameters
        ----------
        enable : bool
        full : bool
            Check the whole graph after each pass that changed something.
        types : bool
            Also refuse types that contradict each other where a pass edited: a call whose operands do not fit, and a
            declared type that inference contradicts.

        Notes
        -----
        What a pass left wrong fails it. What is wrong at the end of a run was so before, and is in ``result.remarks``.
        """
        return self._configure(verify=enable, verify_whole=full, accept_contradictions=not types)

    def enable_ir_printing(
        self,
        *,
        before: bool = False,
        after: bool = False,
        changed: bool = True,
        failure: bool = False,
        tree_dir: str | os.PathLike[str] | None = None,
        to: Callable[[str], object] | None = None,
        elide_elements_larger_than: int | None = 1024,
    ) -> PassManager:
        """Show graphs around passes.

        Parameters
        ----------
        before, after, changed, failure : bool
            Before each pass, after each, after those that changed something, after those that failed (not undone yet).
        tree_dir : path, optional
            Write files there: ``000_input.mlir``, ``001_dce.mlir``, ...
        to : callable, optional
            Gets each text. Default: the log, at level DEBUG.
        elide_elements_larger_than : int, optional
            Of constants. None: write all.
        """
        self._configure(
            print_before=before,
            print_after=after,
            print_changed=changed,
            print_failed=failure,
            elide=-1 if elide_elements_larger_than is None else elide_elements_larger_than,
        )
        if tree_dir is not None:
            self._configure(tree_directory=os.fspath(tree_dir))
        self._print_to = to if to is not None else _log.debug
        return self

    def enable_crash_reproducer(self, path: str | os.PathLike[str]) -> PassManager:
        """Write a text to `path` that reproduces a failure or crash; ``ge-opt --run-reproducer`` runs it.

        It is written before each pass, O(size), and removed after a run without failure. Its second line is the whole
        command: it loads the pass files and plugins of the failing passes, and sets the options of the run.
        """
        return self._configure(reproducer=os.fspath(path))

    def set_bisect_limit(self, limit: int | None) -> PassManager:
        """Run the first `limit` executions of passes and skip the others, to find the one that is wrong."""
        return self._set_limit("bisect_limit", "a bisect limit", "passes", limit)

    def set_rewrite_limit(self, limit: int | None) -> PassManager:
        """Apply the first `limit` rewrites of a run and skip the others, to find the one that is wrong.

        It counts what rules replace, also in functions, `DecomposePass`, `SubgraphRewriter`, and built-in passes; other edits
        are not stopped.
        """
        return self._set_limit("rewrite_limit", "a rewrite limit", "rewrites", limit)

    def _set_limit(self, key: str, what: str, of: str, limit: int | None) -> PassManager:
        wrong = isinstance(limit, bool) or not isinstance(limit, int) or limit < 0
        if limit is not None and wrong:
            raise ValueError(f"{what} is None or a number of {of}, not {limit!r}")
        return self._configure(**{key: limit})

    def _configure(self, **settings: Any) -> PassManager:
        """Change settings of later runs; None restores the default."""
        self._settings.update(settings)
        self._native.configure({k: v for k, v in self._settings.items() if v is not None})
        return self

    def add_hook(
        self,
        *,
        before: _Hook | None = None,
        after: _Hook | None = None,
        accept: _Hook | None = None,
    ) -> PassManager:
        """Call functions around each execution of a pass.

        ``before(name, where)`` may return False to skip the pass; ``after(name, where, outcome, seconds)`` is called also
        when it failed. An exception of these ends the run. ``accept(name, where)`` is called when a pass has changed
        something: an exception undoes the pass, which has failed then.
        """
        if before is not None:
            self._before.append(before)
        if after is not None:
            self._after.append(after)
        if accept is not None:
            self._accept.append(accept)
        return self

    # --- Running

    def run(
        self,
        target: ir.Module | ir.Graph,
        *,
        on_error: Literal["raise", "skip"] | None = None,
        trace: str | os.PathLike[str] | None = None,
        expect: Mapping[str, int | Expected] | None = None,
        explain: Iterable[str] = (),
    ) -> PipelineResult:
        """Run the passes.

        Parameters
        ----------
        target : Module or Graph
            All graphs of a module, or one graph with what is inside it.
        on_error : {"raise", "skip"}, optional
            For this run.
        trace : path, optional
            Write Chrome's trace events there.
        expect : Mapping of str to int or Expected, optional
            How often passes are to match, over all of their executions: ``{"FuseAttention": 24}``. More is a warning.
        explain : iterable of str, optional
            Passes for which ``result.unmatched`` explains why they match nowhere; the run does not fail.

        Returns
        -------
        PipelineResult

        Raises
        ------
        PassError
            If a pass failed; its ``__cause__`` is the exception of the hook, and what the pass had done is undone.
        WrongRewriteError
            With ``check="rewrite"``: of a pass that computes something else; what it had done is undone.
        LostMatchesError
            If a pass matched less often than expected, with what it looked at and what stopped it. Only this is found after
            the run, so that the graph is as the passes left it.
        GraphBusyError
            If a graph is being edited elsewhere.
        """
        check: ReportingObserver | None = None
        if self.check:
            check = provider("rewrite check")(self.check_dir)
        hints = tuple(explain)
        contract: MatchObserver | None = None
        if expect is not None or hints:
            contract = provider("match contract")(expect or {}, hints)
        is_debug = _log.isEnabledFor(logging.DEBUG)
        result = self._execute(target, on_error, trace, check, contract, not is_debug)
        if check is not None:
            result.rewrite_check = check.report
        if contract is not None:
            result.matched_nodes = contract.matched
        if is_debug or result._report.has_findings:
            self._log_passes(result, is_debug)
        if check is not None or self._timing or self._statistics:
            self._log_tables(result)
        if contract is not None:
            result.unmatched = contract.unmatched(result)
            result.surplus = contract.verify(result)
            for each in result.surplus:
                _checks.warning("%s", each)
        return result

    def _execute(
        self,
        target: ir.Module | ir.Graph,
        on_error: str | None = None,
        trace: str | os.PathLike[str] | None = None,
        watch: RewriteObserver | None = None,
        contract: MatchObserver | None = None,
        is_quiet: bool = False,
    ) -> PipelineResult:
        if on_error is None:
            on_error = self.on_error
        _check_on_error(on_error)
        running = Running(self.options, target, watch, contract)
        # Without them no Python is called around a pass: that would cost as much as a small pass.
        before = after = accept = rewriting = None
        is_observed = watch is not None or contract is not None
        if is_observed or self._before or self._after:
            before, after = self._around(running)
        if watch is not None or self._accept:
            accept = self._accepting(running, watch)
        if is_observed:
            rewriting = running.rewriting
        is_plain = is_quiet and not is_observed and trace is None
        outer, point = runs(), current_point()
        depth = len(outer)
        try:
            outer.append(running)  # in the block: an interrupt may come before each instruction
            report, error, failures = self._native.run(
                target,
                self.options,
                on_error == "skip",
                trace is not None,
                is_plain,
                self._print_to,
                before,
                after,
                accept,
                rewriting,
            )
        finally:
            del outer[depth:]
            if current_point() is not point:
                leave_to(point)
        if trace is not None:
            write_file(trace, report.text("trace"))
        if error is not None:
            try:
                raise _completed(error, report)
            finally:
                del error  # else this frame and its own traceback would hold each other
        return PipelineResult(report, failures)

    def _around(self, running: Running) -> tuple[_Hook, _Hook]:
        """Return the functions to call before and after each pass."""

        def before(name: str, where: str) -> bool:
            running.begin()
            return self._call_before(name, where)

        def after(name: str, where: str, outcome: str, seconds: float) -> None:
            running.end(name, outcome)
            self._call_after(name, where, outcome, seconds)

        return before, after

    def _accepting(self, running: Running, watch: RewriteObserver | None) -> _Hook:
        """Return the function to call when a pass has changed something."""
        accepting = [*([running.accept] if watch is not None else []), *self._accept]

        def accept(name: str, where: str) -> None:
            for hook in accepting:
                hook(name, where)

        return accept

    def _call_before(self, name: str, where: str) -> bool:
        # All hooks are called, also after one returned False.
        with _ends_the_run_only(name, "before"):
            answers = [hook(name, where) for hook in self._before]
            return all(answer is None or bool(answer) for answer in answers)

    def _call_after(self, name: str, where: str, outcome: str, seconds: float) -> None:
        with _ends_the_run_only(name, "after"):
            for hook in self._after:
                hook(name, where, outcome, seconds)

    def _log_tables(self, result: PipelineResult) -> None:
        if result.rewrite_check is not None:
            for doubt in result.rewrite_check.unevaluated:
                _checks.warning("not evaluated: %s", doubt)
            for doubt in result.rewrite_check.contextual:
                _checks.warning("equal only in context: %s", doubt)
            _checks.info("%s", result.rewrite_check)
        if self._timing:
            _log.info("%s", result.timing())
        if self._statistics:
            _log.info("%s", result.statistics())

    @staticmethod
    def _log_passes(result: PipelineResult, is_debug: bool) -> None:
        for remark in result.remarks:
            level = logging.WARNING if remark.severity == "warning" else logging.INFO
            _log.log(level, "%s", remark.message)
        warned: dict[str, set[str]] = {}  # by pass: later rounds repeat those of the first
        for each in result.passes:
            if each.remarks:
                _log_remarks(each, warned.setdefault(each.name, set()))
            if each.error is not None:
                # As text: a log record that is kept must not keep the graphs of the traceback.
                _log.error("%s", traceback_of(each.error))
            if is_debug:
                _log.debug("pass '%s': %s, %.6f s", _label(each), each.outcome, each.seconds)
        for name, known in warned.items():
            if len(known) > _MOST_WARNINGS:
                count = f"{len(known) - _MOST_WARNINGS:,}"
                _log.warning("pass '%s': %s more warnings are not shown", name, count)

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return f"<PassManager {str(self)!r}>"


def _log_remarks(result: PassResult, known: set[str]) -> None:
    for remark in result.remarks:
        if remark.severity != "warning":
            _log.info("pass '%s': %s", result.name, remark.message)
        elif remark.message not in known:
            known.add(remark.message)
            if len(known) <= _MOST_WARNINGS:
                _log.warning("pass '%s': %s", result.name, remark.message)


def _label(result: PassResult) -> str:
    return f"{result.name} ({result.where})" if result.where else result.name


def _check_on_error(on_error: object) -> None:
    if on_error not in ("raise", "skip"):
        raise ValueError(f"on_error must be 'raise' or 'skip', not {on_error!r}")


@contextmanager
def _ends_the_run_only(name: str, hook: str) -> Iterator[None]:
    """Return a block for a hook around a pass: what would end the program is a `PassError` instead."""
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise failure(error, name, hook) from error


def _completed(error: BaseException, report: Any) -> BaseException:
    if not isinstance(error, Exception) and not is_interrupt(error):
        last = report.record(len(report) - 1)[0] if len(report) else ""
        return failure(error, last, "callback")
    if isinstance(error, ir.PassError) and error.pass_name is None and len(report):
        name, *_, diagnostic, kind = report.record(len(report) - 1)
        if diagnostic is not None:
            complete(error, name, diagnostic, kind)
    return error


def list_passes() -> list[dict[str, Any]]:
    """Return all passes that a pipeline may name, sorted by name.

    Returns
    -------
    list of dict
        ``name``, ``doc``, ``kind`` (``"native"``, ``"pattern_fusion"``, ...), ``stage``, ``origin`` (file or package;
        empty: GE's own), ``version``, ``pipeline`` (of an alias), ``options`` (name to default and doc), ``exactness``
        (``"exact"``, ``"reassociating"``, ``"approximate"``; empty: the pass does not say), ``rewrites`` (those of another
        class than the pass as such, to their class), and ``error`` (why a plugin could not be loaded; else empty).
    """
    from ._plugins import load_errors

    initialize()
    found = [{**each, "error": ""} for each in _native._list_native()]
    for origin, error in load_errors().items():
        found.append(
            {
                "name": "",
                "doc": "",
                "kind": "plugin",
                "stage": "",
                "origin": origin,
                "version": "",
                "pipeline": "",
                "options": {},
                "exactness": "",
                "rewrites": {},
                "error": error,
            }
        )
    return found


publish(globals())
