"""The end of the interpreter prints nothing, whatever libraries, plugins and objects are alive then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

OPERATORS = """
import ge.ops as ops
lib = ops.Library("noisy")
lib.define("Swish(Tensor x) -> Tensor", traits=["pure"])
lib.infer("Swish")(lambda call: [call.operand_types[0]])

@lib.impl("Swish", "cpu", as_="numpy")
def swish(x): return x + 0

fragment = ops.Library("noisy", kind="FRAGMENT")
fragment.define("Twice(int v) -> int")
fragment.impl("Twice", "any")(lambda v: 2 * v)
"""
PASSES = """
from ge.es import onnx as op
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass
import noisy.operators

@register_fusion_pass(name="Noisy", stage=PassStage.BEFORE_INFER_SHAPE)
class Noisy(PatternFusionPass):
    @pattern
    def twice(self, x): return op.Neg(op.Neg(x))
    def replacement(self, x): return x
"""
USES = {
    "builders": "import ge.es, ge.ir as ir\ng = ir.Graph('g')\n"
    "y = ge.es.noisy.Swish(g.add_input('x', ir.TensorType((2,), ir.f32)))",
    "calls": "import ge.ops as ops, numpy as np\nf = ops.call.noisy.Swish; y = f(np.ones(2, np.float32))\n"
    "assert ops.call.noisy.Twice(3) == 6",
    "passes": "import ge.passes as p; p.load_pass_plugins()\n"
    "assert 'Noisy' in [d.pass_name for d in p.get_registered_passes()]",
    "all of it": "import ge.es, ge.ops, ge.passes as p, ge.onnx, ge.ir as ir; p.load_pass_plugins()\n"
    "import noisy.operators as o\nkept = [o.lib, ir.Context(), p.PassManager.parse('cse'), o]\n"
    "class Cycle: pass\nc = Cycle(); c.self = c; c.lib = o.lib; c.module = ir.Module()",
    "a cycle of a library": "import ge.ops as ops\nlib = ops.Library('mine'); lib.define('F(int v) -> int')\n"
    "lib.impl('F', 'any')(lambda v: (lib, v)[1]); ops.call.mine.F(1)",
}
ENDS = {
    "end": ("", 0),
    "error": ("raise RuntimeError('mine')", 1),
    "exit": ("import sys; sys.exit(3)", 3),
    "thread": ("import threading; threading.Thread(target=lambda: None).start()", 0),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with an installed package of operators and passes."""
    root = tmp_path_factory.mktemp("site")
    (root / "noisy").mkdir()
    for name, text in (("__init__", ""), ("operators", OPERATORS), ("passes", PASSES)):
        (root / "noisy" / f"{name}.py").write_text(text)
    about = root / "noisy-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[ge.ops.plugins]\nnoisy = noisy.operators\n[ge.passes.plugins]\nnoisy = noisy.passes\n"
    )
    return root


@pytest.mark.parametrize("use", USES)
def test_nothing_is_printed(site: Path, use: str) -> None:
    for text, status in ENDS.values() if use == "all of it" else [ENDS["end"]]:
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        done = subprocess.run(
            [sys.executable, "-c", f"{USES[use]}\n{text}"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )
        lines = done.stderr.splitlines()
        assert done.returncode == status, done.stderr
        assert (lines[-1:] == ["RuntimeError: mine"]) == (status == 1)
        assert not [line for line in lines if "gnored" in line or "NoneType" in line], done.stderr
        assert status == 1 or not lines
