"""Saves that are killed at any time, or run out of space: the path holds the old or the new model.

A child repeatedly saves one of two models over the other, with weights inside the model or in a file
beside it; it is killed, or the size of its files is limited. Then the model is read with its weights.
"""

import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _children import Attack, python

SAVER = """
import sys, itertools
import numpy as np
import ge.ir as ir, ge.onnx
path, how = sys.argv[1], sys.argv[2]
size = 50_000
def model(number):
    module = ir.Module()
    graph = module.add_graph("g")
    type_ = ir.TensorType((size,), ir.f32)
    array = np.full(size, number, np.float32)
    array[-1] += 0.5
    values = [
        graph.add_node("ge.Const", attributes={"value": array}, name=f"w{i}", result_types=[type_])
        for i in range(20)
    ]
    graph.outputs = [graph.add_node("onnx.Sum", values, name="sum", result_types=[type_])]
    return module
options = {"inside": {}, "beside": {"external_data": True}}[how]
one, two = model(1.0), model(2.0)
ge.onnx.save(one, path, **options)
print("ready", flush=True)
for number in itertools.count():
    ge.onnx.save((two, one)[number % 2], path, **options)
"""

READER = """
import sys
import numpy as np, onnx
from onnx import numpy_helper
proto = onnx.load(sys.argv[1])
onnx.checker.check_model(proto)
held = [numpy_helper.to_array(w) for w in proto.graph.initializer]
assert len(held) == 20, len(held)
first = held[0][0]
assert first in (1.0, 2.0), first
for array in held:
    assert (array[:-1] == first).all() and array[-1] == first + 0.5, array
import ge.onnx
again = ge.onnx.load(sys.argv[1])
ge.onnx.save(again, sys.argv[1] + ".again.onnx")
"""


def main() -> None:
    attack = Attack(__doc__.splitlines()[0])
    for number in attack.rounds():
        how = ("inside", "beside")[number % 2]
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "m.onnx")

            def few_bytes() -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            limit = attack.random.randrange(4_000_000, 4_100_000)
            short = number % 5 == 4
            process = subprocess.Popen(
                [sys.executable, "-c", SAVER, path, how],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                preexec_fn=few_bytes if short else None,
            )
            assert process.stdout is not None
            line = process.stdout.readline()
            time.sleep(attack.random.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            attack.tried += 1
            if line != b"ready\n":
                if not short:
                    attack.found("the first save failed")
                elif path.exists():
                    attack.found(f"a first save ({how}) without space left a model")
                continue
            ended = python(READER, path)
            if ended.status != 0:
                attack.found(f"after a killed save ({how}): reading {ended}")
    attack.end()


if __name__ == "__main__":
    main()
