"""Packages that provide namespaces through the entry-point group ``ge.es.plugins``.

Each test runs in its own process, with a directory of distributions laid out as pip installs them. Guarantees: a plugin
is loaded on first use only, nothing is printed, and a plugin that fails to load does not affect the others.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PLUGIN = """
    import ge.es, ge.ops

    library = ge.ops.Library("acme")
    library.define("Scale(Tensor x, *, float factor=2.0) -> Tensor y", doc="Scales.")

    def get_module():
        return ge.es.namespace("acme")
"""


class Site:
    """A directory with installed distributions."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, distribution: str, module: str, source: str, **entries: str) -> None:
        """Install a distribution with one module and these entry points."""
        (self.path / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        info = self.path / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {distribution}\nVersion: 1.0\n", encoding="utf-8")
        lines = [f"{name} = {value}\n" for name, value in entries.items()]
        text = "[ge.es.plugins]\n" + "".join(lines)
        (info / "entry_points.txt").write_text(text, encoding="utf-8")

    def run(self, source: str) -> str:
        """Return what a script prints; it must print nothing to stderr."""
        import ge.ir

        native = os.path.dirname(os.path.dirname(os.path.dirname(ge.ir.__file__)))
        path = os.pathsep.join([native, str(self.path)])
        done = subprocess.run(
            [sys.executable, "-W", "always", "-c", textwrap.dedent(source)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_plugin_is_a_namespace(site: Site) -> None:
    site.add("es-acme", "es_acme", PLUGIN, acme="es_acme:get_module")
    out = site.run("""
        from ge.es import GraphBuilder
        from ge.es.acme import Scale
        import ge.es

        y = Scale(GraphBuilder("g").create_input(0))
        print(y.name, y.value.node.get_attr("factor"), Scale.__module__)
        print(ge.es.acme.Scale is Scale, ge.es.get_plugin("acme") is ge.es.acme)
        print(ge.es.list_plugins())
    """)
    assert out.splitlines() == [
        "Scale_0 2.0 ge.es.acme",
        "True True",
        "['acme', 'all', 'math', 'nn']",
    ]


def test_nothing_is_loaded_or_printed_at_import(site: Site) -> None:
    site.add("es-acme", "es_acme", "print('loaded')", acme="es_acme:get_module")
    out = site.run("""
        import sys
        import ge.es, ge.es.graph_builder, ge.es.all, ge.es.math
        assert "es_acme" not in sys.modules
        assert "importlib.metadata" not in sys.modules
    """)
    assert out == ""


@pytest.mark.parametrize(
    "value",
    ["es_forms:module", "es_forms:path", "es_forms:get_module", "es_forms:get_path", "es_forms"],
)
def test_an_entry_is_a_module_its_path_or_a_callable(site: Site, value: str) -> None:
    site.add(
        "es-forms",
        "es_forms",
        """
        import sys

        marker = "es_forms"
        module = sys.modules[__name__]
        path = __name__
        get_module = lambda: module
        get_path = lambda: path
        """,
        forms=value,
    )
    out = site.run("""
        import ge.es.forms, sys, es_forms
        print(ge.es.forms.marker, ge.es.forms is es_forms, sys.modules["ge.es.forms"] is es_forms)
        print(es_forms.__name__, es_forms.__spec__.name)
    """)
    assert out.splitlines() == ["es_forms True True", "es_forms es_forms"]


def test_a_broken_plugin_is_a_warning(site: Site) -> None:
    site.add("es-acme", "es_acme", PLUGIN, acme="es_acme:get_module")
    site.add("es-bad", "es_bad", "1 / 0", bad="es_bad:get_module")
    site.add("es-worse", "es_worse", "thing = 3", worse="es_worse:thing")
    out = site.run("""
        import warnings
        import ge.es

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(ge.es.list_plugins())
        for w in caught:
            m = w.message
            assert type(m) is ge.es.PluginWarning
            print(m.name, m.value, m.distribution, type(m.error).__name__)
            print(m)
        with warnings.catch_warnings(record=True) as again:
            warnings.simplefilter("always")
            ge.es.list_plugins()
        print(len(again), ge.es.get_plugin("bad"), ge.es.get_plugin("acme").__name__)
    """)
    assert out.splitlines() == [
        "['acme', 'all', 'math', 'nn']",
        "bad es_bad:get_module es-bad ZeroDivisionError",
        "plugin 'bad' (es_bad:get_module) of es-bad of group ge.es.plugins is left out: "
        "ZeroDivisionError: division by zero",
        "worse es_worse:thing es-worse TypeError",
        "plugin 'worse' (es_worse:thing) of es-worse of group ge.es.plugins is left out: "
        "TypeError: the entry is no module, path of one or callable that returns one, but of "
        "type int",
        "0 None ge.es.acme",
    ]


def test_importing_a_broken_plugin_says_why(site: Site) -> None:
    site.add("es-bad", "es_bad", "1 / 0", bad="es_bad:get_module")
    out = site.run("""
        import warnings
        warnings.simplefilter("ignore")
        try:
            from ge.es.bad import Scale
        except ImportError as error:
            print(error)
            print(repr(error.__cause__))
        import ge.es
        try:
            ge.es.bad
        except AttributeError as error:
            print("plugin 'bad'" in str(error))
        print(ge.es.math.Add.__name__)
    """)
    assert out.splitlines() == [
        "plugin 'bad' (es_bad:get_module) of es-bad of group ge.es.plugins is left out: "
        "ZeroDivisionError: division by zero",
        "ZeroDivisionError('division by zero')",
        "True",
        "Add",
    ]


def test_names_are_taken_once(site: Site) -> None:
    site.add("es-a", "es_a", "who = 'a'\ndef get(): return __name__", acme="es_a:get")
    site.add("es-b", "es_b", "who = 'b'\ndef get(): return __name__", acme="es_b:get")
    site.add("es-c", "es_c", "def get(): return __name__", onnx="es_c:get")
    out = site.run("""
        import warnings
        import ge.es
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            names = ge.es.list_plugins()
        print(names)
        for w in caught:
            print(w.message.name, w.message.error)
        print(ge.es.acme.who, ge.es.onnx.Relu.__name__, ge.es.get_plugin("onnx") is ge.es.onnx)
    """)
    assert out.splitlines() == [
        "['acme', 'all', 'math', 'nn']",
        "acme the name is taken by es_a:get",
        "onnx a namespace of this name is registered already",
        "a Relu True",
    ]


def test_a_plugin_may_be_imported_before(site: Site) -> None:
    site.add("es-acme", "es_acme", PLUGIN, acme="es_acme:get_module")
    out = site.run("""
        import es_acme, ge.es
        print(ge.es.list_plugins(), ge.es.get_plugin("acme").Scale.op.name)
    """)
    assert out == "['acme', 'all', 'math', 'nn'] Scale\n"


def test_get_plugin_of_what_is_not_there(site: Site) -> None:
    out = site.run("""
        import ge.es
        print(ge.es.get_plugin("nothing"), ge.es.get_plugin("a b"), ge.es.get_plugin("_eager"))
        print(ge.es.get_plugin("math") is ge.es.math, ge.es.get_plugin("all") is ge.es.all)
        try:
            ge.es.get_plugin(1)
        except TypeError as error:
            print(error)
    """)
    assert out.splitlines() == ["None None None", "True True", "name must be a string, not int"]
