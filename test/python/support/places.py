"""Path of the directory with the tests' support files."""

from pathlib import Path

__all__ = ["SUPPORT"]

SUPPORT = Path(__file__).resolve().parent
