"""Where the tests' own files are."""

from pathlib import Path

__all__ = ["SUPPORT"]

SUPPORT = Path(__file__).resolve().parent
