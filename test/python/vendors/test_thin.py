"""A thin vendor, examples/vendors/thin: GE's modules under its own name, over an installed `ge`, as a wheel.

Promised: `thin.ge.X` is the module object `ge.X`, unless the vendor defines it, in any order of imports; entry points
provide its operators and passes, and a plugin that does not link against GE provides passes in C++.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from vendor_wheels import run, shared_site

pytestmark = pytest.mark.nosan  # runs interpreters without the sanitizer's runtime

TEXT = '''
TEXT = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = "ge.Const"() {value = dense<2.5> : tensor<f32>} : () -> tensor<f32>
  %r = "onnx.Relu"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %m = "onnx.Mul"(%r, %c) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %m : tensor<3xf32>
}"""
'''


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the installed wheel and `ge`."""
    return shared_site(tmp_path_factory)


MODULES = (
    "ir ops graph config error es es.onnx es.graph_builder onnx passes passes.bootstrap passes.pattern "
    "passes._pipeline._registry run view cli _mlir_like._cext_loader _mlir_like._ge.ir"
)


@pytest.mark.parametrize("first", ["thin.ge", "ge"])
def test_every_module_is_the_same_object(site: Path, first: str) -> None:
    source = """
        import importlib, sys
        names, first, second = sys.argv[1].split(), sys.argv[2], sys.argv[3]
        for name in names:
            one = importlib.import_module(f"{first}.{name}")
            assert one is importlib.import_module(f"{second}.{name}"), name
            assert one.__name__ == one.__spec__.name == "ge." + name, one.__name__
        for name, module in list(sys.modules.items()):
            if name.startswith("thin.ge."):
                assert module is sys.modules["ge" + name[len("thin.ge"):]], name
        import ge.passes
        from thin.ge import ir, passes
        from thin.ge.ir import Node
        import ge.ir
        assert Node is ge.ir.Node and passes is ge.passes
        assert callable(ge.passes.pattern), "the function, not the module of its name"
    """
    import textwrap

    second = "ge" if first == "thin.ge" else "thin.ge"
    run("", site, arguments=["-c", textwrap.dedent(source), MODULES, first, second])


def test_a_submodule_of_the_vendor_is_the_vendors(site: Path, tmp_path: Path) -> None:
    package = tmp_path / "acme" / "ge"
    (package / "kernels").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "from ge._mlir_like import _reexport\n_reexport(__name__)\n_reexport(__name__)\n"
    )
    (package / "config.py").write_text("MINE = True\n")
    (package / "kernels" / "__init__.py").write_text("from ..config import MINE\n")
    run(
        "import acme.ge.kernels, acme.ge.config, acme.ge.ir, ge.config, ge.ir, thin.ge.ir\n"
        "assert acme.ge.kernels.MINE and not hasattr(ge.config, 'MINE')\n"
        "assert acme.ge.ir is ge.ir is thin.ge.ir",
        site,
        tmp_path,
    )


@pytest.mark.parametrize("name", ["nothing", "passes.nothing", "ir.nothing"])
def test_a_module_that_is_not_there_is_named(site: Path, name: str) -> None:
    text = run(f"import thin.ge.{name}", site, status=1)
    assert f"ModuleNotFoundError: No module named 'thin.ge.{name}'" in text


def test_what_cannot_be_reexported_is_an_error() -> None:
    from ge._mlir_like import _reexport

    with pytest.raises(ImportError, match="'ge.es' lies in 'ge'"):
        _reexport("ge.es")
    with pytest.raises(ImportError, match="'nothing' is no package that is being imported"):
        _reexport("nothing")


def test_commands_run_under_the_vendors_name(site: Path) -> None:
    out = run("", site, arguments=["-m", "thin.ge.config", "--includes"])
    assert out.startswith("-I")
    assert "python -m thin.ge.config" in run("", site, arguments=["-m", "thin.ge.config", "--help"])
    run("", site, arguments=["-m", "thin.ge.cli", "--help"])


def test_operators_are_loaded_when_a_graph_first_has_one(site: Path) -> None:
    source = '''
        import sys
        from ge import ir, ops
        assert "thin" not in sys.modules
        text = """func.func @main(%x: tensor<3xf32>) -> !ge.unknown {
          %m = "thin.ScaledRelu"(%x) {scale = 2.0 : f32} : (tensor<3xf32>) -> !ge.unknown
          return %m : !ge.unknown
        }"""
        graph = ir.Graph.parse(text)
        if len(sys.argv) > 1:
            assert "thin" not in sys.modules
        else:
            graph.infer_types()
            assert str(graph.outputs[0].type) == "tensor<3xf32>", graph
            import numpy as np
            (y,) = graph.run([np.array([-1, 2, 3], "f4")])
            assert list(np.asarray(y)) == [0, 4, 6]
    '''
    import textwrap

    run("", site, arguments=["-c", textwrap.dedent(source)])
    run("", site, arguments=["-c", textwrap.dedent(source), "none"], GE_NO_PLUGINS="1")


def test_its_pass_is_found_and_rewrites(site: Path) -> None:
    source = TEXT + (
        "from ge import ir, passes\n"
        "assert passes.load_pass_plugins() == ['thin.passes'], passes.bootstrap.load_errors()\n"
        "graph = ir.Graph.parse(TEXT)\n"
        "passes.PassManager.parse('ThinFuseScaledRelu,dce').run(graph)\n"
        "(node,) = graph.nodes\n"
        "assert (node.op, node.attributes['scale']) == ('thin.ScaledRelu', 2.5)\n"
        "d = passes.get_registered_passes()[0]\n"
        "assert d.module_name == 'thin.passes', d\n"
    )
    run(source, site)


def test_its_plugin_links_nothing_and_serves_every_host(site: Path, tmp_path: Path) -> None:
    plugin = site / "thin" / "plugins" / "libthin_passes.so"
    needed = subprocess.run(
        ["readelf", "-d", plugin], capture_output=True, text=True, check=True
    ).stdout
    libraries = [line for line in needed.splitlines() if "(NEEDED)" in line]
    assert libraries and not [line for line in libraries if "GE" in line or "ython" in line]
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %r = "onnx.Relu"(%x) : (tensor<3xf32>) -> tensor<3xf32>
      %m = "thin.ScaledRelu"(%r) {scale = 2.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
      return %m : tensor<3xf32>
    }"""
    (tmp_path / "model.mlir").write_text(text)
    ge_opt = site / "ge" / "_sdk" / "bin" / "ge-opt"
    command = [ge_opt, "--load-pass-plugin", plugin, "--pass-pipeline=thin-skip-relu,dce"]
    done = subprocess.run(
        [*command, tmp_path / "model.mlir"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    skipped = '"thin.ScaledRelu"(%x) {scale = 2.0'
    assert skipped in done.stdout and "onnx.Relu" not in done.stdout
    source = (
        "import sys\n"
        "from thin.ge import ir, passes\n"
        "assert passes.load_pass_plugins() == ['thin.passes'], passes.bootstrap.load_errors()\n"
        "graph = ir.Graph.parse(sys.argv[1])\n"
        "passes.PassManager.parse('thin-skip-relu,dce').run(graph)\n"
        "print(graph)\n"
    )
    assert skipped in run("", site, arguments=["-c", source, text])
