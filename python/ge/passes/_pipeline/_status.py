"""Results of ``run``: CANN's numbers, and what they mean here."""

from enum import IntEnum

from .._pattern._public import publish

__all__ = ["FAILED", "NOT_CHANGED", "SUCCESS", "StatusCode"]


class StatusCode(IntEnum):
    """What ``run`` may return besides None and bool."""

    SUCCESS = 0
    NOT_CHANGED = 0x033200C9
    FAILED = 0xFFFFFFFF


SUCCESS = StatusCode.SUCCESS
NOT_CHANGED = StatusCode.NOT_CHANGED
FAILED = StatusCode.FAILED


def why_failed(result: object, what: str) -> str | None:
    """Return why a result of a hook is a failure, or None.

    None and True are success, False is failure, integers are CANN's status codes. Whether something changed is
    seen in the graph, not in the result.
    """
    if result is None or result is True:
        return None
    if result is False:
        return f"{what} returned False, which means failure; return None when nothing was wrong"
    if isinstance(result, int):
        if result in (StatusCode.SUCCESS, StatusCode.NOT_CHANGED):
            return None
        if not 0 <= result <= 0xFFFFFFFF:
            return f"{what} returned {result}, which is no status code: those have 32 bits"
        return f"{what} returned status {int(result):#x}"
    return f"python pass returned unsupported type: {type(result)}"


publish(globals())
