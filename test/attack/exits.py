"""Interpreters that exit while daemon threads use GE: status 0, nothing on stderr.

Also pass files and hooks that exit, or raise something that is not an Exception: the command fails with a
message, or writes its output.
"""

import tempfile
from pathlib import Path

from _children import Attack, python, run

THREADS = """
import sys, threading, time
import ge.ir as ir, ge.onnx, ge.passes as passes
work, seconds = sys.argv[1], float(sys.argv[2])

def chain(n):
    g = ir.Graph("g")
    x = g.add_input("x", ir.TensorType((2, 3), ir.f32))
    for i in range(n):
        x = g.add_node("onnx.Relu", [x], result_types=[x.type]).result
    g.outputs = [x]
    return g

class Slow(passes.FusionBasePass):
    def run(self, graph, context):
        for node in graph.nodes:
            node.op
        return None

module = ir.Module()
g = module.add_graph("main")
x = g.add_input("x", ir.TensorType((2, 3), ir.f32))
for i in range(3000):
    x = g.add_node("onnx.Relu", [x], result_types=[x.type]).result
g.outputs = [x]
data = ge.onnx.to_bytes(module)
printed = str(module)

def step():
    if work == "load":
        ge.onnx.load(data)
    elif work == "parse":
        ir.Module.parse(printed)
    elif work == "run":
        passes.PassManager.parse("cse,dce,optimize").run(ge.onnx.load(data))
    elif work == "python":
        manager = passes.PassManager()
        manager.add(Slow)
        manager.run(chain(300))
    else:
        graph = chain(300)
        str(graph), graph.verify(), graph.clone(), graph.structural_hash()

def loop():
    while True:
        step()

# What is imported when it is first needed comes now: CPython 3.11 frees its import lock under daemon threads
# that wait for it when it ends.
step()
for _ in range(3):
    threading.Thread(target=loop, daemon=True).start()
time.sleep(seconds)
"""

ENDINGS = [
    "import sys\nsys.exit(0)\n",
    "raise SystemExit\n",
    "raise BaseException('no Exception')\n",
    "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E\n",
    "raise GeneratorExit\n",
    "import os\nraise OSError(b'\\xff')\n",
]
HOOK = """
from ge.passes import FusionBasePass, register_fusion_pass
import sys
@register_fusion_pass(name="Ending", stage="AfterInferShape")
class Ending(FusionBasePass):
    def run(self, graph, context):
{body}
"""
MODEL = """
import sys
from onnx import TensorProto, helper
x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy")
graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
open(sys.argv[1], "wb").write(helper.make_model(graph).SerializeToString())
"""


def main() -> None:
    import sys

    attack = Attack(__doc__.splitlines()[0])
    works = ["load", "parse", "run", "python", "core"]
    with tempfile.TemporaryDirectory() as directory:
        model = Path(directory, "m.onnx")
        made = python(MODEL, model)
        assert made.status == 0, made
        for number in attack.rounds():
            work = works[number % len(works)]
            ended = python(THREADS, work, attack.random.uniform(0.0, 0.3))
            attack.tried += 1
            if ended.status != 0 or ended.err:
                attack.found(f"exit while threads do '{work}': it {ended}")
            ending = ENDINGS[number % len(ENDINGS)]
            file = Path(directory, f"pass{number}.py")
            inside = number % 2
            body = "".join(f"        {line}\n" for line in ending.splitlines())
            file.write_text(HOOK.replace("{body}", body) if inside else ending)
            output = Path(directory, f"out{number}.onnx")
            ended = run(
                [sys.executable, "-m", "ge.cli", "optimize", model, "-o", output, "--passes", file]
            )
            attack.tried += 1
            if ended.status == 0 and not output.exists():
                attack.found(f"status 0 and no output with the pass file {ending!r}: it {ended}")
            # A traceback of the pass file is allowed; one of the command itself is a fault.
            if ended.status is None or ended.status < 0 or "ge/cli/" in ended.err:
                attack.found(f"with the pass file {ending!r} it {ended}")
    attack.end()


if __name__ == "__main__":
    main()
