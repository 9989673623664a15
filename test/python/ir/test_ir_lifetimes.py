"""Objects may be released in any order; the others keep working, and at the end nothing is leaked.

A value keeps its graph alive, a graph its module, and every object its context. Each order of deletion is tried, with
garbage collection between the steps; after each step all remaining objects are used. The same is done with handles to
erased objects, which must keep raising StaleHandleError. Interpreters end with all kinds of objects alive.

Not covered here: threads of native code, and memory errors, which the runs of this file under ASan detect.
"""

import gc
import itertools
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from needs import LONG

import ge.ir as ir

TEXT = """
module @m attributes {ge.attrs = {producer = "p"}} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %w = "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = "onnx.Add"(%x, %w) {k = [1, 2], s = "s"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %z = "onnx.If"(%y) ({
      %t = "onnx.Relu"(%y) : (tensor<2xf32>) -> tensor<2xf32>
      "ge.yield"(%t) : (tensor<2xf32>) -> ()
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %z : tensor<2xf32>
  }
}
"""


@pytest.fixture(autouse=True)
def cheap_collections() -> Iterator[None]:
    """Exclude existing objects from garbage collection, because the tests collect thousands of times."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


Held = dict[str, tuple[Any, Callable[[Any], Any]]]


def few() -> Held:
    """Return one object of each main kind in a new context, each with a function that uses it."""
    context = ir.Context()
    with context:
        module = ir.Module.parse(TEXT)
    graph = module.graphs["main"]
    node = graph.nodes[1]
    return {
        "context": (context, lambda o: o.live_graph_count()),
        "module": (module, str),
        "graph": (graph, lambda o: [n.name for n in o.find_all("onnx.Add")]),
        "node": (node, lambda o: (o.op, dict(o.attributes), list(o.operands))),
        "value": (node.result, lambda o: (o.type, o.node, list(o.uses))),
        "container": (node.operands, lambda o: [v and v.node.op for v in o]),
        "iterator": (iter(graph.nodes), lambda o: next(o, None)),
    }


def many() -> Held:
    """Return the objects of `few` and one of each further kind."""
    held = few()
    graph, node = held["graph"][0], held["node"][0]
    subgraph = graph.nodes[2].subgraphs[0]
    with held["context"][0]:
        detached = node.clone()
        tensor = graph.nodes[0].attributes["value"]
        location = ir.Location.file("f.py", 1, 2)
    transaction = graph.transaction()
    more: Held = {
        "nodes": (graph.nodes, lambda o: [n.op for n in o]),
        "backward": (reversed(graph.nodes), lambda o: next(o, None)),
        "walk": (iter(graph.walk()), lambda o: next(o, None)),
        "inputs": (graph.inputs, lambda o: o[0].name),
        "outputs": (graph.outputs, lambda o: [v and v.name for v in o]),
        "output names": (graph.output_names, list),
        "graphs": (held["module"][0].graphs, lambda o: [str(g) for g in o.values()]),
        "graph attributes": (graph.attributes, dict),
        "attributes": (node.attributes, lambda o: (dict(o), o.update(k=(3,)))),
        "attribute iterator": (iter(node.attributes), lambda o: next(o, None)),
        "operand iterator": (iter(node.operands), lambda o: next(o, None)),
        "results": (node.results, lambda o: o[0].type),
        "uses": (node.result.uses, lambda o: [u.node.op for u in o]),
        "use": (node.result.uses[0], lambda o: (o.node.op, o.index)),
        "use iterator": (iter(node.result.uses), lambda o: next(o, None)),
        "controls": (node.control_inputs, list),
        "subgraphs": (graph.nodes[2].subgraphs, lambda o: [n.op for g in o for n in g.nodes]),
        "subgraph": (subgraph, lambda o: o.parent_node.op),
        "inner": (subgraph.nodes[0], lambda o: [v and v.node.op for v in o.operands]),
        "detached": (detached, lambda o: (o.op, o.graph, list(o.operands))),
        "point": (ir.InsertionPoint.before(node), repr),
        "transaction": (transaction, repr),
        "tensor": (tensor, lambda o: o.tolist()),
        "type": (node.result.type, str),
        "location": (location, str),
    }
    return held | more


def counts() -> tuple[int, int]:
    gc.collect()
    context = ir.Context.current
    return context.live_handle_count(), context.live_graph_count()


def test_every_order_of_deletion() -> None:
    names = tuple(few())
    # All 5040 orders take half a minute; a random eighth of them keeps `make test` short.
    orders = list(itertools.permutations(names))
    if not LONG:
        orders = random.sample(orders, len(orders) // 8)
    for order in orders:
        held = few()
        thing = use = None
        try:
            for name in order:
                del held[name]
                gc.collect(0)
                for thing, use in held.values():
                    use(thing)
                thing = use = None
        except BaseException:
            print(order)
            raise


@pytest.mark.slow
def test_many_kinds_in_random_orders() -> None:
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}")
    chance = random.Random(seed)
    for _ in range(2000 if LONG else 100):
        held = many()
        order = list(held)
        chance.shuffle(order)
        for name in order:
            del held[name]
            gc.collect(0)
            for thing, use in held.values():
                use(thing)
            thing = use = None


@pytest.mark.slow
def test_one_alone_keeps_all_it_needs() -> None:
    """All objects but one are released, then that one is used."""
    for name in many():
        thing, use = many()[name]
        gc.collect()
        use(thing)
        use(thing)
        del thing, use
        gc.collect()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["graph", "node", "rollback", "parent"])
def test_stale_objects_in_random_orders(how: str) -> None:
    """After an erasure or rollback the dependent objects stay stale, in whatever order others are released."""
    chance = random.Random(how)
    for _ in range(500 if LONG else 40):
        held = many()
        module, graph, node = (held[k][0] for k in ("module", "graph", "node"))
        attempt = held.pop("transaction")[0]
        if how == "graph":
            del module.graphs["main"]
        elif how == "node":
            node.erase(force=True)
        elif how == "rollback":
            with graph.transaction() as attempt:
                new = graph.add_node("t.New", [None], {"k": 1}, result_types=[node.result.type])
                for name in list(held):
                    if name not in ("context", "module", "graph"):
                        del held[name]
                held["node"] = new, lambda o: o.op
                held["value"] = new.result, lambda o: o.type
                held["operands"] = new.operands, len
                held["iterator"] = iter(new.results), next
                held["attributes"] = new.attributes, lambda o: o["k"]
                held["uses"] = new.result.uses, len
                attempt.rollback()
            del new
        else:
            graph.nodes[2].erase(force=True)
        del module, graph, node, attempt
        alive = {}
        for name, (thing, use) in held.items():
            try:
                use(thing)
                alive[name] = True
            except ir.StaleHandleError as error:
                assert "was erased" in str(error) or "was rolled back" in str(error), (name, error)
                alive[name] = False
        thing = use = None
        assert set(alive.values()) == {True, False}
        order = list(held)
        chance.shuffle(order)
        for name in order:
            del held[name]
            gc.collect(0)
            for other, (thing, use) in held.items():
                if alive[other]:
                    use(thing)
                    continue
                with pytest.raises(ir.StaleHandleError):
                    use(thing)
            thing = use = None


def test_counters_come_back() -> None:
    """All handles and graphs of the current context are released, also those in reference cycles."""
    before = counts()
    for _ in range(3):
        graph = ir.Graph("main")
        x = graph.add_input("x", ir.TensorType((2,), ir.f32))
        node = graph.add_node("t.A", [x], subgraphs={"then": None})
        loop: list[Any] = [
            graph,
            x,
            node,
            node.operands,
            iter(graph.nodes),
            node.subgraphs[0],
            node.attributes,
        ]
        loop.append(loop)
        loop.append({"self": loop, "use": x.uses[0]})
        del loop, graph, x, node
    assert counts() == before


def test_an_exception_keeps_no_graph() -> None:
    before = counts()

    def fails() -> None:
        graph = ir.Graph("main")
        node = graph.add_node("t.A")
        node.erase()
        node.name  # noqa: B018

    for _ in range(3):
        with pytest.raises(ir.StaleHandleError):
            fails()
    assert counts() == before


def test_the_last_reference_goes_in_another_thread() -> None:
    before = counts()
    for name in many():
        box = [many()[name]]
        thread = threading.Thread(target=box.clear)
        thread.start()
        thread.join()
        assert not box
    assert counts() == before


def test_iterators_outlive_what_they_go_over() -> None:
    graph = ir.Graph("main")
    for _ in range(3):
        graph.add_node("t.A", [None], subgraphs={"then": None})
    inner = graph.nodes[1].subgraphs[0]
    inner.add_node("t.B")
    iterators = [
        iter(inner.nodes),
        iter(inner.walk()),
        iter(graph.nodes[1].operands),
        iter(graph.walk()),
    ]
    next(iterators[0]), next(iterators[1]), next(iterators[3])
    graph.nodes[1].erase(force=True)
    for iterator in iterators[:3]:
        with pytest.raises((StopIteration, ir.StaleHandleError)):
            next(iterator)
            next(iterator)
    assert [n.op for n in iterators[3]].count("t.A") <= 2
    del graph, inner
    gc.collect()
    for iterator in iterators:
        try:
            next(iterator)
        except (StopIteration, ir.StaleHandleError):
            pass


PRELUDE = """
import atexit, gc, sys, threading
import ge.ir as ir
graph = ir.Graph("main")
x = graph.add_input("x", ir.TensorType((2,), ir.f32))
node = graph.add_node("t.A", [x], {"k": [1, 2]}, name="n", result_types=x.type)
class Last:
    def __init__(self, *things): self.things = things
    def __del__(self):
        try:
            for thing in self.things:
                str(thing), repr(thing)
            node.op, list(graph.nodes), ir.Graph("late")
        except Exception:
            pass
"""
ENDINGS = {
    "globals": "",
    "in sys": "sys.keep = [graph, node, x, iter(graph.nodes), node.operands, graph.transaction()]",
    "in builtins": "import builtins; builtins.keep = node, x; del graph, node, x",
    "cycle": "a = [node]; a.append(a); del graph, node, x",
    "finalizer": "keep = Last(graph, node, x)",
    "finalizer in a cycle": "keep = Last(graph, node, x); keep.me = keep; sys.keep = keep",
    "atexit": "atexit.register(lambda: (str(graph), node.erase(force=True), graph.add_node('t.B')))",
    "atexit drops": "atexit.register(globals().clear)",
    "entered context": "c = ir.Context(); c.__enter__(); g = ir.Graph('g'); g.add_node('t.A')",
    "entered points": "ir.InsertionPoint(graph).__enter__(); ir.Location.name('l').__enter__()",
    "open transactions": "t = graph.transaction(); t.__enter__(); u = graph.transaction(); u.__enter__(); node.erase()",
    "open iterators": "a, b = iter(graph.nodes), iter(graph.walk()); next(a); next(b)",
    "stale": "v = node.result; o = node.operands; node.erase(); keep = Last(v, o)",
    "thread local": "l = threading.local(); l.keep = node, x, graph",
    "running thread": "import time; threading.Thread(target=lambda: (time.sleep(0.05), str(node), node.erase()), daemon=True).start()",
    "daemon loop": """
def loop():
    while True:
        g = ir.Graph("g"); n = g.add_node("t.A"); str(g); n.erase()
threading.Thread(target=loop, daemon=True).start()
import time; time.sleep(0.05)
""",
    "tensor": "import numpy as np; t = ir.Tensor(np.zeros(3)); sys.keep = t, np.asarray(t); node.attributes['t'] = t",
    "exception": "node.erase()\ntry: node.name\nexcept ir.GEError as e: sys.keep = e",
    "handler": "h = graph.context.attach_diagnostic_handler(lambda d: print(d)) if hasattr(graph, 'context') else None",
    "module gone": "del sys.modules['ge.ir']; del ir; gc.collect(); str(graph)",
    "modules gone": "for n in [n for n in sys.modules if n.startswith('ge')]: del sys.modules[n]\ngc.collect(); str(graph)",
    "exit": "sys.exit(0)",
    "hard exit": "import os; os._exit(0)",
    "types only": "t = x.type; d = ir.f32; del graph, x, node; sys.keep = t, d",
    "generator": """
def inside():
    for n in graph.nodes:
        yield n
g = inside(); next(g); sys.keep = g
""",
}


# These leave objects behind, held by running threads, a handler that refers to its own context, or C code; nanobind
# reports them as leaks at exit.
LEFT_OVER = {"running thread", "daemon loop", "handler", "modules gone"}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_interpreter_ends_quietly(ending: str) -> None:
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PRELUDE + ENDINGS[ending]],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = result.stderr.splitlines()
    if ending in LEFT_OVER:
        lines = [
            line for line in lines if not line.startswith(("nanobind: ", " - ", "See https://nano"))
        ]
    assert (result.returncode, lines) == (0, []), result.stdout
