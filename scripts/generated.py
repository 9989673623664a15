"""Shared by the ``gen_*.py`` scripts: write generated files, or check that they are up to date."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["parser", "write_or_check"]


def parser(doc: str | None) -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument("--check", action="store_true", help="only say what is out of date")
    return result


def write_or_check(texts: Mapping[Path, str], check: bool) -> int:
    """Write the files, or with `check` print the names of those that are out of date; return the exit status."""
    status = 0
    for path, text in texts.items():
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} is out of date: run scripts/{Path(sys.argv[0]).name}")
            status = 1
    return status
