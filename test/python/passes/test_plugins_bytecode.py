"""What lies beside a pass file is compiled from the source that was checked; bytecode is neither read nor written.

In a directory for temporary files everybody can make ``__pycache__``, also after the check.
"""

import importlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ge.passes as passes
from ge.passes import bootstrap

PASS = """
from ge.passes import FusionBasePass, PassStage, register_fusion_pass
import {module}

@register_fusion_pass(name="A", stage=PassStage.BEFORE_INFER_SHAPE)
class A(FusionBasePass):
    VALUE = {module}.VALUE
    def run(self, graph, context):
        {inside}
"""
OTHER = 54321  # an unassigned user id


@pytest.fixture(autouse=True)
def clean(clean_passes: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("GE_ALLOW_UNSAFE_PLUGINS", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("_near"):
            del sys.modules[name]


def plant(source: Path, value: str = "'bytecode'") -> Path:
    """Make bytecode for a module that counts as current whatever its source is: a hash that is not checked."""
    cache = source.parent / "__pycache__"
    cache.mkdir(exist_ok=True)
    file = cache / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
    code = compile(f"VALUE = {value}", str(source), "exec")
    header = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
    file.write_bytes(header + marshal.dumps(code))
    return file


def load(monkeypatch: pytest.MonkeyPatch, path: Path) -> dict[str, str]:
    monkeypatch.setenv(bootstrap.ENV_PY_PASS_PATH, str(path))
    bootstrap.load_pass_plugins()
    return bootstrap.load_errors()


def value() -> str:
    (descriptor,) = passes.get_registered_passes()
    module = sys.modules[descriptor.module_name]
    return str(module.A.VALUE)


def make(directory: Path, module: str, inside: str = "pass") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "a.py"
    file.write_text(PASS.format(module=module, inside=inside))
    return file


def test_a_module_beside_a_pass_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, near = make(tmp_path, "_near_one"), tmp_path / "_near_one.py"
    near.write_text("VALUE = 'source'\n")
    plant(near)
    assert load(monkeypatch, file) == {} and value() == "source"


def test_a_module_of_a_package_beside_a_pass_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, package = make(tmp_path, "_near_two.inner.deep"), tmp_path / "_near_two"
    (package / "inner").mkdir(parents=True)
    for source in ("__init__.py", "inner/__init__.py", "inner/deep.py"):
        (package / source).write_text("VALUE = 'source'\n")
        plant(package / source, "'bytecode'")
    assert load(monkeypatch, file) == {} and value() == "source"


def test_a_module_of_a_package_of_passes_that_is_imported_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook imports it when the check of the package is over."""
    package = tmp_path / "mine"
    make(package, "os").rename(package / "__init__.py")
    source = (package / "__init__.py").read_text()
    late = "VALUE = 1\n    def late(self):\n        from . import deep\n        return deep.VALUE"
    (package / "__init__.py").write_text(source.replace("VALUE = os.VALUE", late))
    (package / "deep.py").write_text("VALUE = 'source'\n")
    assert load(monkeypatch, package / "__init__.py") == {}
    plant(package / "deep.py")
    (descriptor,) = passes.get_registered_passes()
    hook = sys.modules[descriptor.module_name].A
    assert hook.late(None) == "source"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files to other users")
def test_a_module_that_another_user_made_after_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mine"
    make(package, "os").rename(package / "__init__.py")
    source = (package / "__init__.py").read_text()
    late = "VALUE = 1\n    def late(self):\n        from . import optional\n        return optional.VALUE"
    (package / "__init__.py").write_text(source.replace("VALUE = os.VALUE", late))
    package.chmod(0o1777)
    assert load(monkeypatch, package / "__init__.py") == {}
    for name in ("optional.py", "optional.pyc"):
        (package / name).write_bytes(b"VALUE = 'of another user'\n")
        os.chown(package / name, OTHER, OTHER)
        (descriptor,) = passes.get_registered_passes()
        hook = sys.modules[descriptor.module_name].A
        importlib.invalidate_caches()
        with pytest.raises(PermissionError, match="belongs to user"):
            hook.late(None)
        (package / name).unlink()


def test_no_bytecode_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make(tmp_path, "_near_three.inner")
    (tmp_path / "_near_three").mkdir()
    for source in ("__init__.py", "inner.py"):
        (tmp_path / "_near_three" / source).write_text("VALUE = 'source'\n")
    assert load(monkeypatch, file) == {} and value() == "source"
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_directory_beside_a_pass_file_hides_no_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of models, say, that is called as an installed package."""
    site = tmp_path / "site"
    (site / "_near_four").mkdir(parents=True)
    (site / "_near_four" / "__init__.py").write_text("VALUE = 'installed'\n")
    monkeypatch.syspath_prepend(str(site))
    file = make(tmp_path / "passes", "_near_four")
    (tmp_path / "passes" / "_near_four").mkdir()
    assert load(monkeypatch, file) == {} and value() == "installed"


def test_the_finder_goes_with_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(sys.meta_path)
    package = tmp_path / "mine"
    make(package, "os").rename(package / "__init__.py")
    (package / "__init__.py").write_text(
        (package / "__init__.py").read_text().replace("os.VALUE", "1")
    )
    assert load(monkeypatch, package / "__init__.py") == {}
    passes.unload_pass_plugins()
    assert sys.meta_path == before
