"""Mutated models, loaded, optimised with the installed evaluators and saved: no process may die.

Each model has a few nodes of random operators from onnx's schemas, whose operands are constants, so that
constant folding evaluates them. Attributes, operand counts, element types, names and sizes are made hostile.
Then bytes are changed, in some. A child works through many of them; the model at which it dies, hangs
or raises what is not an error of ours is kept beside the logs.
"""

import random
import sys
import tempfile
from pathlib import Path

from _children import Attack, run

BATCH = 100
HERE = Path(__file__).resolve()
EXTREMES = [0, 1, -1, 2, -2, 3, 7, 127, 255, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63)]
TEXTS = [
    "",
    "NOTSET",
    "SAME_UPPER",
    "linear",
    "constant",
    "mean",
    "none",
    "TF",
    "\ud83d",
    "x" * 300,
]


def make(generator: random.Random) -> bytes:
    """Return a model as bytes."""
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    schemas = [
        s for s in onnx.defs.get_all_schemas_with_history() if s.domain in ("", "ai.onnx.ml")
    ]
    dtypes = ["float32", "float64", "int64", "int32", "uint8", "bool", "float16", "int8", "object"]

    def array() -> object:
        shape = [generator.choice([0, 1, 1, 2, 3, 4]) for _ in range(generator.randrange(5))]
        dtype = generator.choice(dtypes)
        size = int(np.prod(shape))
        if dtype == "object":
            return np.array(
                [generator.choice(["", "a", "b c"]) for _ in range(size)], object
            ).reshape(shape)
        small = generator.random() < 0.7
        values = [
            generator.randrange(-2, 4) if small else generator.choice(EXTREMES) for _ in range(size)
        ]
        with np.errstate(all="ignore"):
            return np.array(values, np.int64).reshape(shape).astype(dtype)

    def attribute(kind: str) -> object:
        small = generator.random() < 0.6
        number = generator.randrange(-1, 4) if small else generator.choice(EXTREMES)
        text = generator.choice(TEXTS).encode("utf-8", "surrogatepass")
        length = generator.randrange(5)
        values = {
            "INT": number,
            "FLOAT": float(number),
            "STRING": text,
            "INTS": [generator.choice([number, 1, 2, 0]) for _ in range(length)],
            "FLOATS": [float(number)] * length,
            "STRINGS": [text] * length,
        }
        if kind == "TENSOR":
            return numpy_helper.from_array(array())
        return values.get(kind)

    nodes, weights, outputs, known = [], [], [], []
    opset = generator.choice([7, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
    for index in range(generator.randrange(1, 4)):
        schema = generator.choice(schemas)
        operands = []
        most = min(schema.max_input, 5)
        for _ in range(generator.randrange(min(schema.min_input, most), most + 1)):
            pick = generator.random()
            if pick < 0.08:
                operands.append("")
            elif pick < 0.3 and known:
                operands.append(generator.choice(known))
            else:
                name = f"w{len(weights)}"
                weights.append(numpy_helper.from_array(array(), name))
                operands.append(name)
        results = [f"n{index}_{k}" for k in range(max(1, min(schema.min_output, 3)))]
        node = helper.make_node(
            schema.name, operands, results, f"node{index}", domain=schema.domain
        )
        for name, declared in schema.attributes.items():
            if not declared.required and generator.random() < 0.5:
                continue
            kind = declared.type.name
            if generator.random() < 0.05:
                kind = generator.choice(["INT", "STRING", "FLOATS"])
            value = attribute(kind)
            if value is not None:
                one = onnx.AttributeProto(name=name, type=getattr(onnx.AttributeProto, kind))
                field = {"INT": "i", "FLOAT": "f", "STRING": "s", "TENSOR": "t"}.get(kind)
                if field == "t":
                    one.t.CopyFrom(value)
                elif field:
                    setattr(one, field, value)
                else:
                    getattr(one, kind.lower()).extend(value)
                node.attribute.append(one)
        nodes.append(node)
        known += results
        outputs.append(results[0])
    infos = [onnx.ValueInfoProto(name=name) for name in outputs]
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 2])
    graph = helper.make_graph(nodes, "g", [x], infos, weights)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 3)]
    data = bytearray(helper.make_model(graph, opset_imports=imports).SerializeToString())
    if generator.random() < 0.2:
        for _ in range(generator.randrange(1, 4)):
            data[generator.randrange(len(data))] = generator.choice([0, 1, 0x7F, 0x80, 0xFF])
    return bytes(data)


def work(seed: int, count: int, marker: str) -> None:
    """Try `count` models; `marker` holds the one at work, so that a dead process leaves it."""
    import ge.onnx
    from ge.ir import GEError

    for index in range(count):
        data = make(random.Random(seed * 1_000_003 + index))
        Path(marker).write_bytes(data)
        try:
            module = ge.onnx.load(data)
            ge.onnx.optimize(module)
            ge.onnx.to_bytes(module)
        except (GEError, MemoryError):
            pass
        print(index, flush=True)


def main() -> None:
    attack = Attack(__doc__.splitlines()[0])
    with tempfile.TemporaryDirectory() as directory:
        marker = Path(directory, "model.onnx")
        for _ in attack.rounds():
            seed = attack.random.getrandbits(32)
            count = BATCH if attack.count else 10
            # A node may take the evaluators' whole time limit; a batch has several at most.
            ended = run(
                [sys.executable, HERE, "work", seed, count, marker],
                limit=600,
                variables={"GE_EVALUATORS_SECONDS": "2"},
            )
            attack.tried += len(ended.out.split())
            if ended.status != 0:
                kept = (attack.keep / f"attack-model-{seed}.onnx").resolve()
                kept.write_bytes(marker.read_bytes())
                attack.found(f"the process {ended} (model: {kept})")
    attack.end()


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main()
