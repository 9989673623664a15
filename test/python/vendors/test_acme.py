"""A vendor's own build with its own operators, passes and native code: examples/vendors/acme.

Promised: the loader imports the vendor's native module, which accepts and returns the vendor's nodes and rejects those
of `ge`; entry points of the vendor's name are loaded; pass files that import from `ge` run under the vendor's package.
Object files of the core come from this build tree, as in test_minimal.py; `make test-long` compiles them, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from vendor_wheels import EXAMPLES, run, shared_site

pytestmark = [
    pytest.mark.nosan,  # runs interpreters without the sanitizer's runtime
    pytest.mark.timeout(3000),
]

PASS_FILE = """
import ge.ir
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass
from beside import NAME

@register_fusion_pass(name="NegNeg", stage=PassStage.BEFORE_INFER_SHAPE)
class NegNeg(PatternFusionPass):
    @pattern
    def twice(self, x):
        return op.Neg(op.Neg(x))

    def replacement(self, x):
        from ge.passes import p
        assert p.__name__ == NAME == "acme.ge.passes.p"
        return op.Identity(x)
"""
BESIDE = "from ge.passes import p\nNAME = p.__name__\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the installed wheel, which does not need `ge` at run time."""
    return shared_site(tmp_path_factory, "acme")


@pytest.fixture(scope="module")
def beside(site: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return that directory and one with `ge` and `thin-ge`."""
    return [shared_site(tmp_path_factory), site]


def script(path: list[Path], source: str, *arguments: str, **environment: str) -> str:
    command = ["-c", textwrap.dedent(source), *arguments]
    joined = os.pathsep.join(map(str, path))
    return run("", arguments=command, **environment, PYTHONPATH=joined)


def test_native_code_of_the_vendor(beside: list[Path]) -> None:
    source = """
        import sys
        from acme.ge import ir
        native = sys.modules["acme.ge._mlir_like._ge.acme"]
        graph = ir.Graph("g")
        x = graph.add_input("x", ir.TensorType((2,), ir.f32))
        first = graph.add_node("acme.Scale", [x], result_types=[x.type])
        second = graph.add_node("acme.Scale", [first.result], result_types=[x.type])
        assert native.graph_of(first) is graph
        assert native.graph_of(graph) is graph, "another overload"
        assert native.erase_if_unused(first) is False and first.is_alive
        assert native.erase_if_unused(second) is True and not second.is_alive
        assert native.erase_if_unused(first) is True
        for use in (native.graph_of, native.erase_if_unused):
            try:
                use(first)
            except ir.StaleHandleError as error:
                assert "acme.Scale" in str(error)
            else:
                raise AssertionError("a dead node was taken")
            try:
                use(3)
            except TypeError as error:
                assert "acme.ge.ir.Node" in str(error), error
            else:
                raise AssertionError("3 was taken")
        import ge.ir
        other = ge.ir.Graph("g").add_node("acme.Scale", [], result_types=[])
        try:
            native.graph_of(other)
        except TypeError as error:
            assert "belongs to 'ge'" in str(error) and "'acme.ge'" in str(error), error
        else:
            raise AssertionError("a node of ge was taken")
    """
    script(beside, source)


def test_operators_and_passes_by_entry_points(site: Path) -> None:
    source = '''
        import numpy as np
        from acme.ge import ir, passes
        text = """func.func @main(%x: tensor<3xf32>) -> !ge.unknown {
          %m = "acme.Scale"(%x) {factor = 2.0 : f32} : (tensor<3xf32>) -> !ge.unknown
          return %m : !ge.unknown
        }"""
        graph = ir.Graph.parse(text)
        graph.infer_types()
        assert str(graph.outputs[0].type) == "tensor<3xf32>"
        (node,) = graph.nodes
        assert type(node.view).__module__ == "acme.ge.operators" and not node.view.is_identity
        assert passes.load_pass_plugins() == ["acme.ge.fusions"], passes.bootstrap.load_errors()
        passes.PassManager.parse("AcmeTwice,dce").run(graph)
        assert [n.op for n in graph.nodes] == ["acme.Twice"]
    '''
    script([site], source)


def test_a_pass_file_that_says_ge(beside: list[Path], tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for name, text in (("neg.py", PASS_FILE), ("beside.py", BESIDE)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644)
    source = '''
        import sys
        from acme.ge import ir, passes
        if sys.argv[2]:
            import ge.passes
        passes.load_pass_plugins(sys.argv[1])
        assert not passes.bootstrap.load_errors(), passes.bootstrap.load_errors()
        text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %a = "onnx.Neg"(%x) : (tensor<3xf32>) -> tensor<3xf32>
          %b = "onnx.Neg"(%a) : (tensor<3xf32>) -> tensor<3xf32>
          return %b : tensor<3xf32>
        }"""
        graph = ir.Graph.parse(text)
        passes.PassManager.parse("NegNeg").run(graph)
        assert [n.op for n in graph.nodes] == ["onnx.Identity"]
        if sys.argv[2]:
            assert "NegNeg" not in [d.pass_name for d in ge.passes.get_registered_passes()]
        else:
            assert "ge" not in sys.modules and "ge.passes" not in sys.modules
    '''
    for with_ge, path in (("", beside[1:]), ("with ge", beside)):
        script(path, source, str(tmp_path / "neg.py"), with_ge)


def test_lit_tests_of_the_vendor(beside: list[Path], tmp_path: Path) -> None:
    lit = Path(sys.executable).parent / "lit"
    command = [lit, "-v", "--param", f"output={tmp_path}", EXAMPLES / "acme" / "test"]
    environment = {**os.environ, "PYTHONPATH": str(beside[1])}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed: 2" in done.stdout


def test_its_command_has_its_name(site: Path) -> None:
    def command(*words: str) -> str:
        return run("", arguments=["-m", "acme.ge.cli", *words], PYTHONPATH=str(site))

    assert command("--version") == "acme 3.2\n"
    usage = command("--help")
    assert "usage: acme COMMAND ..." in usage
    # The build omits the group View.
    assert "  optimize" in usage and "  view" not in usage
    for words, text in (
        (["view", "m.onnx"], "acme: error: 'acme.ge' was built without the group of 'acme view'"),
        (["nothing"], "acme: error: no command 'nothing'; 'acme --help' lists them"),
    ):
        arguments = ["-m", "acme.ge.cli", *words]
        assert run("", arguments=arguments, status=2, PYTHONPATH=str(site)).rstrip() == text
    out = run("", arguments=["-m", "acme.ge.config", "--version"], PYTHONPATH=str(site))
    assert out == "acme-ge 3.2\n"


def test_its_loggers_have_its_name(site: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise ValueError('of a pass file')\n")
    source = """
        import logging, sys
        records = []
        handler = logging.Handler()
        handler.emit = records.append
        logging.getLogger().addHandler(handler)
        from acme.ge import passes
        from acme.ge._support.quiet import quiet
        passes.load_pass_plugins(sys.argv[1])
        assert {r.name for r in records} == {"acme.ge.passes"}, records
        assert any("of a pass file" in r.getMessage() for r in records), records
        records.clear()
        passes.unload_pass_plugins()
        with quiet():
            passes.load_pass_plugins(sys.argv[1])
        assert passes.bootstrap.load_errors() and not records, records
    """
    tmp_path.chmod(0o755)
    (tmp_path / "bad.py").chmod(0o644)
    script([site], source, str(tmp_path / "bad.py"))


def test_packages_in_one_process(
    beside: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = Path(__file__).parents[2] / "smoke" / "vendors.py"
    path = os.pathsep.join(map(str, [*beside, shared_site(tmp_path_factory, "minimal")]))
    out = run("", arguments=[str(program)], PYTHONPATH=path)
    assert out == "24 orders of ge, thin.ge, minimal.ge, acme.ge\n"


def test_plain_ge_loads_the_plugin(beside: list[Path]) -> None:
    source = """
        import sys
        from ge import ir, passes
        passes.load_plugin(sys.argv[1])
        text = '''func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %a = "acme.Scale"(%x) : (tensor<3xf32>) -> tensor<3xf32>
          return %a : tensor<3xf32>
        }'''
        graph = ir.Graph.parse(text)
        passes.PassManager.parse("acme-drop-unit-scale").run(graph)
        assert not len(graph.nodes) and graph.outputs[0] is graph.inputs[0]
    """
    script(beside, source, str(beside[1] / "acme" / "ge" / "plugins" / "libacme_plugin.so"))
