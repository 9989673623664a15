"""What `add_inferrer` and `add_evaluator` return."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["Installed"]

_Self = TypeVar("_Self", bound="Installed")


class Installed:
    """A function that was installed, until `remove` or the end of its ``with``."""

    _kind: str

    def __init__(self, name: str, token: int) -> None:
        self._name = name
        self._token: int | None = token

    @property
    def name(self) -> str:
        """Its name in remarks and in `inferrer_uses`."""
        return self._name

    def remove(self) -> None:
        """Remove it. Calling this again does nothing."""
        token, self._token = self._token, None
        if token is not None:
            self._take_out(token)

    def _take_out(self, token: int) -> None:
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<{self._kind} {self._name!r}{'' if self._token is not None else ', removed'}>"
