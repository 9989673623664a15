"""A pipeline prints the same bytes for all values of PYTHONHASHSEED.

Covers passes and rules in Python, native ones, and the passes of examples/onnx_fusion, on graphs with many ties. Each
run is a separate process, so that the addresses of objects differ, too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SEEDS = ("0", "1", "4294967295", "random")

SCRIPT = """
import hashlib, sys
import ge.onnx
from ge import ir
from ge.es import onnx as op
from ge.passes import *
from ge.passes import p
sys.path.insert(0, sys.argv[1])
import make_models

examples = ["gelu", "layer_norm", "attention", "skip_layer_norm", "conv_activation"]
files = [f"{sys.argv[1]}/{name}/{name}_pass.py" for name in examples]
load_pass_plugins(":".join(files))
names = [d.pass_name for d in get_registered_passes()]

commuted = rewrite_rule(lambda a, b: op.Add(op.Mul(a, 1.0), b), lambda a, b: op.Add(a, b), name="one")
several = rewrite_rule(
    lambda a: (op.Relu(a), op.Neg(a)), lambda a: p.op("com.example.Two")(a, results=2), name="two"
)
digest = hashlib.sha256()
for example in examples:
    known = make_models.variants(example)
    for name, (build, opset, *_) in known.VARIANTS.items():
        module = make_models.make_model(known.INPUTS, build, opset)
        pipeline = ["infer-types", *names, "optimize", *names, "cse", "dce"]
        result = PassManager.parse(",".join(pipeline)).add(commuted).run(module)
        for part in (ge.onnx.to_bytes(module), module.to_text().encode(), result.statistics().encode()):
            digest.update(part)
graph = ir.Graph("wide")
values = [graph.add_input(f"x{i}", ir.TensorType((2,), ir.f32)) for i in range(20)]
made = [
    graph.add_node(f"onnx.{name}", [v], result_types=[v.type]).result
    for v in values
    for name in ("Neg", "Relu", "Neg")
]
graph.outputs = made
print(rewrite(graph, several, fixpoint=True).rewrites)
digest.update(str(graph).encode())
for match in graph.find(lambda a: p.op("onnx.Neg")(p.any_of(op.Relu(a), a))):
    digest.update(f"{match['a'].name} {[n.name for n in match.nodes]}".encode())
digest.update(repr(names).encode())
print(digest.hexdigest())
"""


@pytest.mark.slow
@pytest.mark.nosan  # the child process would need the sanitizer's runtime
def test_the_same_bytes_whatever_the_seed() -> None:
    printed = set()
    for seed in SEEDS:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(ROOT / "examples" / "onnx_fusion")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        count, digest = done.stdout.split()
        assert count == "20"
        assert len(digest) == 64
        printed.add(digest)
    assert len(printed) == 1
