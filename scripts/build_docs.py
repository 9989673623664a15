"""Build the documentation: ``build_docs.py [--package DIR]``, result in build/docs/html. Warnings are errors.

Collects the committed pages, the READMEs of the examples and the generated reference pages under build/docs/source and
runs Sphinx. The sources keep the layout of the repository, so that its relative links between pages stay valid.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["build", "collect"]

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "docs"
# Files of the repository that are pages or that pages link to.
PAGES = ["docs/*.md", "*.md", "examples/**/*.md", "examples/**/*.py", "test/models/README.md"]


def collect(source: Path) -> None:
    """Write the sources of all pages; the package must be importable."""
    from gen_reference import c_pages, python_pages

    shutil.rmtree(source, ignore_errors=True)
    for pattern in PAGES:
        for path in ROOT.glob(pattern):
            target = source / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    shutil.copyfile(ROOT / "docs" / "conf.py", source / "conf.py")
    reference = source / "docs" / "reference"
    reference.mkdir()
    for name, text in {**python_pages(), **c_pages()}.items():
        (reference / name).write_text(text, encoding="utf-8")


def build(output: Path) -> int:
    """Collect and run Sphinx; return its exit status."""
    collect(output / "source")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"$', project, re.M)
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "-q", "-b"]
    command += ["html", str(output / "source"), str(output / "html")]
    environment = {**os.environ, "GE_DOCS_VERSION": version[1] if version else ""}
    return subprocess.run(command, env=environment, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--package", type=Path, help="directory that holds the built package `ge`")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    if options.package:
        sys.path.insert(0, str(options.package.resolve()))
    status = build(options.output.resolve())
    if not status:
        print(options.output / "html" / "docs" / "index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
