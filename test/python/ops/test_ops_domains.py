"""Operators of installed packages are defined when a graph has an operator of their domain.

Each test runs in its own process, because a domain is looked up once in a process, with a directory of distributions
as pip installs them. Promised: nothing is loaded earlier, a package that fails does not affect others,
GE_NO_PLUGINS=1 turns it off. Not covered here: the contents of `ge.es.<plugin>` (test_cann_plugins.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import ge.ir

# Prints a line when it is loaded.
PLUGIN = """
    import ge.es, ge.ops

    print("loaded {0}")
    library = ge.ops.Library("{0}")
    library.define("Scale(Tensor x, *, float factor=2.0) -> Tensor y", doc="Scales.")

    def get_module():
        return ge.es.namespace("{0}")

    def same(call):
        if call.op == "{0}.Scale":
            return [call.operand_types[0]]

    ge.ops.add_inferrer(same)
"""
TEXT = '''
    TEXT = """func.func @g(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = "acme.Scale"(%x) {factor = 2.0 : f32} : (tensor<2x3xf32>) -> !ge.unknown
      %z = "onnx.Relu"(%y) : (!ge.unknown) -> tensor<2x3xf32>
      return %z : tensor<2x3xf32>
    }"""
'''
BUILT = """
    from ge import ir
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, 3), ir.f32))
    node = graph.add_node("acme.Scale", [x], {"factor": 2.0})
"""


class Site:
    """A directory with installed distributions."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, module: str, source: str, group: str = "ge.es.plugins", **entries: str) -> None:
        (self.path / f"{module}.py").write_text(textwrap.dedent(source), encoding="utf-8")
        info = self.path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {module}\nVersion: 1.0\n", encoding="utf-8")
        lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
        (info / "entry_points.txt").write_text(f"[{group}]\n{lines}", encoding="utf-8")

    def run(self, *sources: str, warned: str = "", **environment: str) -> list[str]:
        """Return the lines that a script prints; assert that stderr contains `warned`, or is empty without it."""
        native = os.path.dirname(os.path.dirname(os.path.dirname(ge.ir.__file__)))
        done = subprocess.run(
            [sys.executable, "-W", "always", "-c", "\n".join(map(textwrap.dedent, sources))],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([native, str(self.path)]),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert warned in done.stderr if warned else done.stderr == ""
        return done.stdout.splitlines()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made.add("es_acme", PLUGIN.format("acme"), acme="es_acme:get_module")
    made.add("es_other", PLUGIN.format("other"), other="es_other:get_module")
    return made


def test_infer_types_defines_what_it_meets(site: Site) -> None:
    out = site.run(
        BUILT,
        """
        print("before")
        print(graph.infer_types().unknown_operators, node.results[0].type)
        graph.infer_types()
        """,
    )
    assert out == ["before", "loaded acme", "{} tensor<2x3xf32>"]


def test_the_pass_defines_what_it_meets(site: Site) -> None:
    out = site.run(
        BUILT,
        """
        from ge.passes import PassManager
        print("before")
        PassManager.parse("infer-types").run(graph)
        print(node.results[0].type)
        """,
    )
    assert out == ["before", "loaded acme", "tensor<2x3xf32>"]


def test_verify_checks_against_what_it_meets(site: Site) -> None:
    out = site.run(
        BUILT,
        """
        node.attributes["wrong"] = 1
        try:
            graph.verify(definitions=False)
            print("structure")
            graph.verify()
        except ir.VerifyError as error:
            print(error)
        """,
    )
    assert out[:2] == ["structure", "loaded acme"]
    assert "the operator has no attribute 'wrong'; it has factor" in out[2]


def test_large_graphs_are_met_before_access_is_taken(site: Site) -> None:
    """infer_types loads the package, which may edit the graph, before it takes access to a large graph for the call."""
    site.add(
        "es_busy",
        """
        import __main__, ge.ops
        library = ge.ops.Library("busy")
        library.define("Op(Tensor x) -> Tensor")
        __main__.graph.add_node("onnx.Relu", [__main__.x])
        print("edited")
        """,
        busy="es_busy",
    )
    out = site.run(
        BUILT.replace("acme.Scale", "busy.Op").replace('{"factor": 2.0}', "{}"),
        """
        for _ in range(3000):
            graph.add_node("onnx.Relu", [x])
        print(graph.infer_types().unknown_operators)
        """,
    )
    assert out == ["edited", "{'busy.Op': 1}"]


@pytest.mark.parametrize("what", ["text", "onnx"])
def test_readers_define_what_they_meet(site: Site, tmp_path: Path, what: str) -> None:
    if what == "text":
        read = "module = ir.Graph.parse(TEXT)"
    else:
        from onnx import TensorProto, helper, save

        nodes = [helper.make_node("Scale", ["x"], ["y"], domain="acme", factor=2.0)]
        values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
        model = helper.make_model(
            helper.make_graph(nodes, "g", values[:1], values[1:]), opset_imports=opsets
        )
        save(model, tmp_path / "m.onnx")
        read = f"import ge.onnx; module = ge.onnx.load({str(tmp_path / 'm.onnx')!r})"
    out = site.run(
        TEXT,
        f"""
        from ge import ir
        print("before")
        {read}
        import ge.ops
        print(ge.ops.find("acme", "Scale") is not None, ge.ops.find("other", "Scale"))
        """,
    )
    assert out == ["before", "loaded acme", "True None"]


def test_a_builder_defines_what_it_meets(site: Site) -> None:
    out = site.run("""
        import ge.es
        from ge import ir
        with ge.es.builder("g") as b:
            print(ge.es.acme.Scale(b.input("x", [2], ir.f32)).type)
    """)
    assert out == ["loaded acme", "tensor<2xf32>"]


def test_a_description_defines_what_it_meets(site: Site) -> None:
    out = site.run(
        BUILT.replace('node = graph.add_node("acme.Scale", [x], {"factor": 2.0})', ""),
        """
        from ge import ops
        print("before")
        node = ops.from_desc(ops.OpDesc("acme.Scale", inputs=("x",)), graph)
        print(node.result.type)
        try:
            ops.from_desc(ops.OpDesc("acme.Scale", inputs=("x",), attributes={"k": 1}), graph)
        except ir.VerifyError as error:
            print("has no attribute 'k'" in str(error), len(graph.nodes))
        graph.add_node("acme.Other", [x])
        graph.infer_types()  # a domain is asked for once
        """,
    )
    assert out == ["before", "loaded acme", "tensor<2x3xf32>", "True 1"]


def test_the_group_of_operators_goes_before_and_needs_no_builders(site: Site) -> None:
    site.add(
        "acme_ops",
        """
        import ge.ops

        def register():
            print("registered")
            global library
            library = ge.ops.Library("thing")
            library.define("Scale(Tensor x, *, float factor=2.0) -> Tensor y")
        """,
        group="ge.ops.plugins",
        thing="acme_ops:register",
    )
    out = site.run(BUILT.replace("acme.Scale", "thing.ml.Scale"), "print(graph.verify())")
    assert out == ["registered", "True"]


def test_a_package_that_fails_harms_no_other(site: Site) -> None:
    site.add("es_bad", "raise ImportError('no library')", bad="es_bad:get_module")
    site.add("es_exit", "raise SystemExit(0)", leaves="es_exit:get_module")
    site.add("ops_bad", "def f(): 1 / 0", group="ge.ops.plugins", worse="ops_bad:f")
    out = site.run(
        BUILT,
        """
        import warnings
        warnings.simplefilter("always")
        for domain in ("bad", "leaves", "worse", "nobody"):
            graph.add_node(f"{domain}.Op", [x])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            graph.infer_types()
            graph.infer_types()
        for text in sorted(str(w.message) for w in caught):
            print(text)
        """,
    )
    assert out == [
        "loaded acme",
        "plugin 'bad' (es_bad:get_module) of es_bad of group ge.es.plugins is left out: ImportError: no library",
        "plugin 'leaves' (es_exit:get_module) of es_exit of group ge.es.plugins is left out: SystemExit: 0",
        "plugin 'worse' (ops_bad:f) of ops_bad of group ge.ops.plugins is left out: ZeroDivisionError: division by zero",
    ]


def test_warnings_as_errors_do_not_reach_the_graph(site: Site) -> None:
    site.add("es_bad", "raise ImportError('no library')", bad="es_bad:get_module")
    out = site.run(
        BUILT.replace("acme.Scale", "bad.Op"),
        """
        import warnings
        warnings.simplefilter("error")
        print(graph.infer_types().unknown_operators)
        """,
        warned="no library",
    )
    assert out == ["{'bad.Op': 1}"]


def test_plugins_are_turned_off(site: Site) -> None:
    out = site.run(
        BUILT,
        """
        import ge.es
        print(graph.infer_types().unknown_operators, graph.verify(), hasattr(ge.es, "acme"))
        """,
        GE_NO_PLUGINS="1",
    )
    assert out == ["{'acme.Scale': 1} True False"]


def test_known_domains_read_no_entry_points(site: Site) -> None:
    out = site.run("""
        import sys
        from ge import ir
        graph = ir.Graph("g")
        x = graph.add_input("x", ir.TensorType((2, 3), ir.f32))
        graph.add_node("onnx.Relu", [x])
        graph.infer_types(), graph.verify()
        print("importlib.metadata" in sys.modules)
    """)
    assert out == ["False"]


@pytest.mark.slow
def test_a_second_thread_that_meets_the_domain_waits_until_it_is_loaded(site: Site) -> None:
    slow = textwrap.dedent(PLUGIN.format("slow")).replace(
        "library = ", "import time; time.sleep(0.5)\nlibrary = "
    )
    site.add("es_slow", slow, slow="es_slow:get_module")
    lines = site.run(
        TEXT.replace("acme", "slow"),
        """
        import threading
        from ge import ir

        types = []

        def work():
            graph = ir.Graph.parse(TEXT)
            graph.infer_types()
            types.append(str(graph.nodes[0].result.type))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(sorted(set(types)), len(types))
        """,
    )
    assert lines == ["loaded slow", "['tensor<2x3xf32>'] 4"]


def test_an_interrupted_load_is_repeated_and_no_thread_waits_for_it(site: Site) -> None:
    """The interrupted thread and other threads can load it again, whichever line was interrupted."""
    site.add("es_halt", PLUGIN.format("halt"), halt="es_halt:get_module")
    lines = site.run(
        TEXT.replace("acme", "halt"),
        """
        import signal, sys, threading
        from ge import ir
        from ge._support import domains

        # A shell starts what runs in its background with the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        file, lines = domains.__file__, []

        def interrupt(frame, event, _):
            if frame.f_code.co_filename != file:
                return None
            if event == "line" and frame.f_lineno not in lines:
                lines.append(frame.f_lineno)
                raise KeyboardInterrupt
            return interrupt

        def types():
            graph = ir.Graph.parse(TEXT)
            graph.infer_types()
            found.append(str(graph.nodes[0].result.type))

        def rounds():
            while True:
                seen = len(lines)
                sys.settrace(interrupt)  # what it raises turns it off
                try:
                    types()
                    if len(lines) == seen:
                        break
                except KeyboardInterrupt:
                    pass
            sys.settrace(None)

        found = []
        rounds()
        thread = threading.Thread(target=types, daemon=True)
        thread.start()
        thread.join(30)
        print(found[-2:], len(lines) > 5 or lines)
        """,
    )
    assert lines == ["loaded halt", "['tensor<2x3xf32>', 'tensor<2x3xf32>'] True"]
