"""Pass files with imports from ``ge`` run under a vendor's package.

Tests the mapping of imports with a vendor package that re-exports `ge`; test_minimal.py tests a vendor's own build.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ge import ir
from ge._support.imports import mapped_builtins

SOURCE = """
import ge.ir
import ge.ir as same
from ge import config, ir as third
from ge.config import main
import os.path, json.decoder
from ge.marker import NAME

def deferred():
    import ge.marker as m
    from ge import marker
    assert m is marker
    return marker.NAME

class Later:
    @staticmethod
    def name():
        from ge.marker import NAME
        return NAME
"""


@pytest.fixture
def namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    package = tmp_path / "mapped_vendor" / "ge"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "from ge._mlir_like import _reexport\n_reexport(__name__)\n"
    )
    (package / "marker.py").write_text("NAME = __name__\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    before, finders = dict(sys.modules), list(sys.meta_path)
    builtins = mapped_builtins("mapped_vendor.ge")
    assert builtins is not None
    yield {"__name__": "pass_file", "__builtins__": builtins}
    sys.meta_path[:] = finders
    for name in set(sys.modules) - set(before):
        if name.startswith("mapped_vendor"):
            del sys.modules[name]


def test_absolute_imports_lead_to_the_vendor(namespace: dict[str, Any]) -> None:
    ours = sys.modules["ge"]
    exec(SOURCE, namespace)
    assert namespace["ge"].__name__ == "mapped_vendor.ge"
    assert namespace["same"] is namespace["third"] is ir
    assert namespace["NAME"] == "mapped_vendor.ge.marker"
    assert namespace["os"] is sys.modules["os"] and namespace["json"] is sys.modules["json"]
    assert namespace["deferred"]() == namespace["Later"].name() == "mapped_vendor.ge.marker"
    assert sys.modules["ge"] is ours and "ge.marker" not in sys.modules


def test_others_see_no_difference(namespace: dict[str, Any]) -> None:
    exec(SOURCE, namespace)
    with pytest.raises(ModuleNotFoundError, match="No module named 'ge.marker'"):
        import ge.marker  # noqa: F401
    assert mapped_builtins("ge") is None
    assert mapped_builtins() is None


def test_names_that_only_begin_so_are_not_mapped(namespace: dict[str, Any]) -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'genuine'"):
        exec("import genuine", namespace)
    with pytest.raises(ModuleNotFoundError, match="No module named 'mapped_vendor.ge.nothing'"):
        exec("from ge.nothing import x", namespace)
