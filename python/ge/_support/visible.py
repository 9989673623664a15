r"""Display of names: control, bidirectional and invisible characters are escaped."""

from __future__ import annotations

import re

__all__ = ["visible", "visible_key"]

# The same characters as in lib/Support/Visible.cpp, which errors use without Python; a test compares them.
# Controls of ASCII and Latin-1, Unicode's Default_Ignorable_Code_Point (what directs or joins text, selects variants, fills
# or has no width), controls of hieroglyphs, separators of lines and paragraphs, the blank braille pattern and the null
# notehead, lone surrogates, and what is not a character.
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str, keep: str = "") -> str:
    r"""Return a text with escapes, such as ``\u202e``, in place of characters that are not visible.

    Parameters
    ----------
    text : str
        Also one with bytes of a path that are not text.
    keep : str
        Characters that stay as they are.
    """

    def escaped(match: re.Match[str]) -> str:
        character = match.group()
        return character if character in keep else character.encode("unicode_escape").decode()

    return _HIDDEN.sub(escaped, text)


def visible_key(text: str) -> str:
    """Return `visible` of a text, different for different texts."""
    return visible(text.replace("\\", "\\\\"))
