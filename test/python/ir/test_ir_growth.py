"""Loading and dropping different models does not grow the process.

The context keeps operators, names of attributes, and objects that Python refers to. Names, docs, metadata, symbols of
dimensions, shapes and attribute values of a model are freed with its last graph. The resident size is measured in a
process of its own, after the allocator has returned unused memory to the system.
"""

import json
import subprocess
import sys

import pytest

PROGRAM = r"""
import ctypes, gc, json, os, sys

import onnx
from onnx import TensorProto, helper

import ge.onnx
from ge import ir

READ, USE, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
VARIED = sys.argv[4].split(",")


def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def model(number, varied):
    # What `varied` names has the number in it; "content" is everything but operators.
    def of(what):
        return number if varied in (what, "all") or (varied == "content" and what != "functions") else 0

    name, doc, symbol, value = of("names"), of("docs"), of("symbols"), of("attributes")
    size, key = 2 + of("shapes"), of("metadata")
    function = of("functions")
    x = helper.make_tensor_value_info(f"x{name}", TensorProto.FLOAT, [f"batch{symbol}", f"length{symbol}", size])
    y = helper.make_tensor_value_info(f"y{name}", TensorProto.FLOAT, None)
    padded = helper.make_tensor_value_info(f"p{name}", TensorProto.FLOAT, [f"batch{symbol}", size + 1])
    weight = helper.make_tensor(f"w{name}", TensorProto.FLOAT, [2], [1.0, float(size)])
    nodes = [
        helper.make_node("Pad", [f"x{name}"], [f"p{name}"], f"pad{name}", f"doc of a node {doc}", pads=[value, 1]),
        helper.make_node("Cast", [f"p{name}"], [f"c{name}"], f"cast{name}", to=1, mode=f"mode{value}"),
        helper.make_node(f"Function{function}", [f"c{name}"], [f"y{name}"], f"call{name}", domain="local"),
    ]
    body = [helper.make_node("Relu", ["a"], ["b"], f"relu{name}")]
    opset, local = helper.make_opsetid("", 18), helper.make_opsetid("local", 1)
    function = helper.make_function("local", f"Function{function}", ["a"], ["b"], body, [opset])
    graph = helper.make_graph(nodes, f"graph{name}", [x], [y], [weight], f"doc of a graph {doc}", [padded])
    made = helper.make_model(graph, opset_imports=[opset, local], functions=[function])
    made.doc_string = f"doc of a model {doc}"
    made.producer_version = f"version {key}"
    helper.set_model_props(made, {f"key{key}": f"metadata {key}", "author": f"author {key}"})
    return made.SerializeToString()


def load(data):
    context = ir.Context() if USE == "context" else None
    module = ge.onnx.load(data, context=context)
    if READ == "text":
        module = ir.Module.parse(module.to_text(locations=True), context=context)
    if USE == "clone":
        graph = module.clone().graphs[0].clone()
        del module
        assert graph.clone(context=ir.Context()).to_text() == graph.to_text()
    if USE == "context":
        graph = module.graphs[0]
        dict(module.attributes), dict(graph.attributes), str(module)
        for node in graph.walk():
            dict(node.attributes), node.location, node.op, [value.type for value in node.results]
        [value.type.shape for value in graph.inputs]


def run(start, count, varied):
    for number in range(start, start + count):
        load(model(number, varied))


start = 10**6
run(start, 1500, "all")  # until the pools of the allocators have their size
found = {}
for varied in VARIED:
    start += 10**6
    before = resident()
    run(start, COUNT, varied)
    found[varied] = (resident() - before) / COUNT
print(json.dumps(found))
"""


def growth(read: str, use: str, count: int, varied: str) -> dict[str, float]:
    """Return by how many bytes the process grew for each model."""
    command = [sys.executable, "-c", PROGRAM, read, use, str(count), varied]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc and calls glibc"),
    pytest.mark.nosan,  # a sanitizer keeps freed memory for a while
]


@pytest.mark.slow
@pytest.mark.parametrize("read", ["onnx", "text"])
def test_dropped_models_leave_operator_names_only(read: str) -> None:
    # 2,000 models of 100 bytes are 200 kB, more than the allocator's noise.
    found = growth(read, "drop", 2000, "content,all")
    assert found["content"] < 100, found
    assert found["all"] < 500, found


@pytest.mark.slow
@pytest.mark.parametrize("read", ["onnx", "text"])
def test_copies_leave_nothing(read: str) -> None:
    assert growth(read, "clone", 1000, "content")["content"] < 200


@pytest.mark.slow
def test_context_per_model_gives_everything_back() -> None:
    """The context also frees operator names, and the objects that Python has read."""
    assert growth("onnx", "context", 1000, "all")["all"] < 200


@pytest.mark.long
@pytest.mark.parametrize("read", ["onnx", "text"])
def test_each_kind_of_content_goes(read: str) -> None:
    found = growth(read, "drop", 2000, "names,docs,metadata,symbols,shapes,attributes")
    assert all(size < 100 for size in found.values()), found


@pytest.mark.long
def test_hundred_thousand_models_grow_by_less_than_50_mb() -> None:
    assert growth("onnx", "drop", 100_000, "all")["all"] * 100_000 < 50e6
