"""CANN's error class for sessions and compilation; it belongs to the family of ``ge.ir.GEError``."""

from typing import Any, NoReturn

from ._mlir_like import _cext_loader
from .ir import GEError

__all__ = ["GeError", "get_ge_error_msg", "raise_ge_error"]


class GeError(GEError):
    """A call failed.

    Parameters
    ----------
    error_message : str
    api_name : str, optional
        The call.
    context : mapping, optional
        What the call was given.

    Attributes
    ----------
    error_message : str
    api_name : str
    context : dict
    """

    def __init__(
        self, error_message: str = "", api_name: str = "", context: "dict[str, Any] | None" = None
    ) -> None:
        self.error_message = error_message
        self.api_name = api_name
        self.context = dict(context or {})
        text = error_message or "unknown error"
        if api_name:
            text = f"{api_name} failed: {text}"
        if self.context:
            text += " (" + ", ".join(f"{k}={v!r}" for k, v in self.context.items()) + ")"
        super().__init__(text)

    def __reduce__(self) -> "tuple[type[GeError], tuple[object, ...]]":
        return type(self), (self.error_message, self.api_name, self.context)


def get_ge_error_msg() -> str:
    """Return the text of the last failure on this thread; empty before the first one."""
    text: str = _cext_loader.load("ir")._last_error_message()
    return text


def raise_ge_error(api_name: str, status: "int | None" = None, **context: object) -> NoReturn:
    """Raise a `GeError` with the text of the last failure.

    Parameters
    ----------
    api_name : str
        The call that failed.
    status : int, optional
        What it gave back.
    **context
        What it was given.
    """
    if status is not None:
        context = {"status": status, **context}
    raise GeError(get_ge_error_msg(), api_name, context)
