"""Configuration of the documentation; `make docs` runs Sphinx over the pages that scripts/build_docs.py collects."""

import os

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

project = "GE"
copyright = "the GE authors"
release = os.environ.get("GE_DOCS_VERSION", "")
extensions = ["myst_parser"]
root_doc = "docs/index"
html_theme = "furo"
html_title = f"GE {release}".strip()
html_copy_source = False
# Headings that pages link to: [text](page.md#heading).
myst_heading_anchors = 4
# READMEs of examples stand in no table of contents: pages link to them.
suppress_warnings = ["toc.not_included"]


def setup(app: Sphinx) -> None:
    """Pygments knows no MLIR; its blocks are shown as plain text."""
    app.add_lexer("mlir", TextLexer)
