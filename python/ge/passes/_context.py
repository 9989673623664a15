"""PassContext: what a hook may ask and tell besides the graph."""

import threading
from collections.abc import Mapping
from typing import Any

from .. import ir

__all__ = ["PassContext", "Running", "current_options"]

_threads = threading.local()


def current_options() -> Mapping[str, str]:
    """Return the options of the run that this thread is in."""
    stack = getattr(_threads, "options", ())
    return stack[-1] if stack else {}


class Running:
    """``with Running(options):`` the options of a run on this thread; they nest."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    def __enter__(self) -> None:
        if not hasattr(_threads, "options"):
            _threads.options = []
        _threads.options.append(self._options)

    def __exit__(self, *_: object) -> None:
        _threads.options.pop()


class PassContext:
    """One execution of one pass, from inside. It expires when the pass ends.

    Made by the pass manager.

    Attributes
    ----------
    options : Mapping of str to str
        Of the run: ``PassManager(options=...)``.
    pass_options : Mapping of str to str
        Those written in the pipeline, ``name{option=value}``, over the pass's defaults.
    """

    def __init__(self, run: Any, pass_options: Mapping[str, str] | None = None) -> None:
        self._run = run
        self._name: str = run.name
        self._error = ""
        self._options: Mapping[str, str] = current_options()
        self._pass_options: Mapping[str, str] = dict(pass_options or {})

    def _check(self) -> None:
        if not self._run.is_alive:
            raise ir.StaleHandleError("PassContext has expired: its pass has ended")

    @property
    def options(self) -> Mapping[str, str]:
        self._check()
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

    def remark(self, message: str, *, warning: bool = False) -> None:
        """Tell a person something that is no failure: it is in the result, and logged."""
        self._run.remark(message, warning)

    # --- GE's methods

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
        """Say why the pass is about to fail: part of the `PassError`."""
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
        self._check()
        if key not in self._options:
            raise RuntimeError(f"Failed to get option value for key: {key}")
        return self._options[key]

    def __repr__(self) -> str:
        state = "" if self._run.is_alive else ", expired"
        return f"<PassContext of pass '{self._name}'{state}>"
