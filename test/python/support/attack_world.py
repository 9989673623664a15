"""Objects of all kinds for an attack on `ge.ir`, and odd arguments: out of range, recursive, raising, mutating."""

from __future__ import annotations

import contextlib
import decimal
import gc
import random
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

# --- objects of the attacked process ----------------------------------------------------------------


class Mischief(Exception):
    """Raised by the odd arguments themselves."""


class World:
    """Objects of all kinds: alive, stale, detached, and of other graphs and contexts."""

    def __init__(self, ir: Any, chance: random.Random) -> None:
        self.ir, self.chance = ir, chance
        self.lists: list[list[Any]] = []
        self.build()

    def build(self) -> None:
        ir = self.ir
        kind = self.kind = ir.TensorType((2, "N", None), ir.f32)
        self.module = ir.Module("m")
        graph = self.graph = ir.Graph("main")
        x = self.x = graph.add_input("x", kind)
        a = self.a = graph.add_node(
            "t.A", [x, None, x], {"k": [1, 2], "s": "s", "f": 0.5}, name="a", result_types=[kind]
        )
        b = self.b = graph.add_node(
            "t.B", [a.result], name="b", result_types=[kind, kind], control_inputs=[a]
        )
        c = self.c = graph.add_node(
            "t.If", [b.results[0]], subgraphs={"then": None}, result_types=[kind]
        )
        inner = c.subgraphs[0]
        d = inner.add_node("t.C", [x], result_types=[kind])
        inner.outputs = [d.result]
        graph.outputs = [c.result, b.results[1]]
        detached = a.clone()
        dead = graph.add_node("t.Dead", [x], {"k": 1}, result_types=[kind])
        self.dead = [
            dead,
            dead.result,
            dead.operands,
            dead.results,
            dead.attributes,
            dead.result.uses,
            iter(dead.operands),
        ]
        self.dead += [dead.control_inputs, dead.subgraphs, ir.InsertionPoint.before(dead)]
        dead.erase()
        other = ir.Graph("other")
        o = other.add_node("t.O", [other.add_input("x", kind)], result_types=[kind])
        with ir.Context() as context:
            text = str(graph)
            foreign = ir.Module.parse(text)
            place = foreign.graphs["main"]
            tensor = ir.Tensor(np.arange(4, dtype=np.float32))
            location = ir.Location.file("f", 1, 2)
            alien = [
                context,
                foreign,
                place,
                place.nodes[0],
                place.inputs[0],
                tensor,
                location,
                place.nodes[0].results[0].type,
            ]
        transaction = graph.transaction()
        self.alive: list[Any] = [
            *(
                graph,
                inner,
                a,
                b,
                c,
                d,
                detached,
                x,
                a.result,
                d.result,
                detached.result,
                kind,
                self.module,
            ),
            *(
                graph.nodes,
                graph.inputs,
                graph.outputs,
                graph.output_names,
                graph.attributes,
                a.operands,
                a.results,
            ),
            *(
                a.attributes,
                a.attributes.items(),
                iter(a.attributes),
                a.result.uses,
                a.result.uses[0],
                a.control_inputs,
            ),
            *(
                a.control_outputs,
                c.subgraphs,
                iter(graph.nodes),
                reversed(graph.nodes),
                graph.walk(),
                iter(a.operands),
            ),
            *(
                iter(x.uses),
                self.module.graphs,
                self.module.attributes,
                ir.InsertionPoint(graph),
                ir.InsertionPoint.before(a),
            ),
            *(
                transaction,
                ir.Tensor(np.zeros((2, 2), np.int8)),
                ir.Location.name("l"),
                ir.f32,
                ir.i1,
                ir.Context.current,
            ),
            *(
                ir.SequenceType(kind),
                ir.OptionalType(kind),
                ir.MapType(ir.i64, kind),
                ir.OpaqueType("o"),
                ir.UnknownType(),
            ),
            *(a.result.users, a.origins, ir.Location.file("f", 1, 2)),
        ]
        with contextlib.suppress(Exception):
            self.alive.append(ir.Context.current.attach_diagnostic_handler(lambda d: False))
            self.alive[-1].detach()
        try:
            ir.Graph.parse("x")
        except Exception as error:  # a diagnostic handler attached before may replace the error
            self.alive += [error, *getattr(error, "diagnostics", [])]
        self.elsewhere: list[Any] = [*alien, other, o, o.result]

    def mischief(self) -> None:
        """Edit the graph while views of it are in use, and drop references."""
        for values in self.lists:
            values.clear()
        steps: list[Callable[[], Any]] = [
            lambda: self.b.erase(force=True),
            lambda: self.graph.add_node("t.M"),
            lambda: self.graph.sort(),
            lambda: setattr(self.a, "operands", []),
            lambda: self.a.attributes.clear(),
            lambda: self.graph.erase_dead_nodes(),
            lambda: self.c.erase(force=True),
            lambda: self.a.erase(force=True),
            lambda: setattr(self.graph, "outputs", []),
            lambda: setattr(self, "elsewhere", []),
            lambda: gc.collect(),
            lambda: self.a.result.replace_all_uses_with(self.x),
        ]
        for step in self.chance.sample(steps, 3):
            with contextlib.suppress(Exception):
                step()

    def fresh_list(self, values: list[Any]) -> list[Any]:
        """Return a list that mischief clears, and that holds the only references to its elements."""
        self.lists.append(values)
        return values

    # --- arguments ---

    def argument(self) -> Any:
        pick = self.chance.random()
        if pick < 0.45:
            return self.chance.choice(self.alive)
        if pick < 0.55:
            return self.chance.choice(self.dead)
        if pick < 0.63 and self.elsewhere:
            return self.chance.choice(self.elsewhere)
        return self.chance.choice(ODD)(self)

    def all_arguments(self) -> list[Any]:
        """Return one argument of each kind, with new instances of the odd ones."""
        return [*self.alive, *self.dead, *self.elsewhere, *(make(self) for make in ODD)]


def evil(base: type, world: World) -> Any:
    """Return an instance of a subclass of `base` whose special methods do mischief, and may then raise."""

    def act(self: Any, *args: Any, **kwargs: Any) -> Any:
        world.mischief()
        if world.chance.random() < 0.5:
            raise Mischief("on purpose")
        return world.chance.choice([0, 1, -1, None, "x", b"", 2**70, [], world.x, world.kind])

    names = [
        "__index__",
        "__int__",
        "__float__",
        "__iter__",
        "__next__",
        "__hash__",
        "__eq__",
        "__len__",
        "__bool__",
    ]
    names += [
        "__getitem__",
        "__contains__",
        "__str__",
        "__fspath__",
        "__array__",
        "__buffer__",
        "__call__",
    ]
    names += [
        "__dlpack__",
        "__dlpack_device__",
        "__enter__",
        "__exit__",
        "items",
        "keys",
        "update",
        "__lt__",
        "__complex__",
    ]
    members: dict[str, Any] = {
        name: act for name in names if base is object or world.chance.random() < 0.5
    }
    members["__repr__"] = lambda self: "evil"
    members.setdefault("__hash__", base.__hash__)
    members["dtype"] = members["__array_interface__"] = members["name"] = property(act)
    kind = type("Evil", (base,), members)
    if base in (list, tuple):
        return kind([world.a.result, None] if world.a.is_alive else [1])
    if base is dict:
        return kind({"k": 1})
    return (
        kind(b"3")
        if base is bytes
        else kind("3")
        if base is str
        else kind(3)
        if base is not object
        else kind()
    )


def mutating(world: World) -> Iterator[Any]:
    for value in (world.a, world.x, None, "k", 1):
        yield value
        world.mischief()


def recursive_list(_: World) -> Any:
    values: list[Any] = []
    values.append(values)
    return values


def recursive_dict(_: World) -> Any:
    values: dict[str, Any] = {}
    values["k"] = [values]
    return values


def deep_list(_: World) -> Any:
    values: list[Any] = [1]
    for _i in range(3000):
        values = [values]
    return values


def odd_key(world: World) -> Any:
    with contextlib.suppress(Exception):
        return {evil(str, world): 1}
    return {1: 2}


def const(value: Any) -> Callable[[World], Any]:
    return lambda world: value


CONSTANTS: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        2**31,
        2**32,
        2**63 - 1,
        2**63,
        -(2**63) - 1,
        2**64,
        10**400,
        -(10**400),
    ),
    *(0.0, -0.0, 0.5, 1e39, 1e308, float("nan"), float("inf"), 1j, decimal.Decimal("1.5")),
    *(
        "",
        "x",
        "k",
        "a",
        "onnx.Add",
        "t.",
        ".A",
        "::",
        "index",
        "main",
        "then",
        "f32",
        "x" * 5000,
        "\0",
        "\ud800",
        "é",
        "ssa",
        "attr",
    ),
    *(
        "tensor<2xf32>",
        "func.func @f() { return }",
        "module {",
        b"",
        b"\xff",
        bytearray(b"x"),
        memoryview(b"xy"),
    ),
    *(
        [],
        (),
        {},
        set(),
        frozenset({1}),
        [None],
        [1, "a"],
        [[1], [2.0]],
        [[]],
        {"k": 1},
        {1: 2},
        {"": ""},
        {"k": None},
        [1, 2**63],
    ),
    *(
        slice(None),
        slice(None, None, -1),
        slice(-(10**30), 10**30, 3),
        slice(None, None, 0),
        slice("a"),
        range(3),
        range(10**6),
    ),
    *(
        Ellipsis,
        NotImplemented,
        object(),
        type,
        int,
        print,
        sys,
        types.SimpleNamespace(a=1),
        ValueError,
        ValueError("v"),
    ),
    *(
        np.float32(1.5),
        np.int64(3),
        np.bool_(True),
        np.array(1),
        np.zeros((0, 3)),
        np.array([1, 2]),
        np.array(["a", "b"]),
    ),
    *(
        np.array([None, 1], object),
        np.zeros(3, "i4,f8"),
        np.array("2020", "M8"),
        np.arange(6).reshape(2, 3).T[::-1],
    ),
    *(
        np.broadcast_to(np.float32(1), (1 << 8, 1 << 4)),
        np.dtype("f4"),
        np.dtype(object),
        np.float16,
        np.arange(3, dtype=">i4"),
    ),
]


ODD: list[Callable[[World], Any]] = [
    *map(const, CONSTANTS),
    *(recursive_list, recursive_dict, deep_list, mutating),
    lambda w: iter([w.a]),
    lambda w: [w.a, w.x, None],
    lambda w: [w.x, w.dead[1]],
    lambda w: [w.kind],
    lambda w: {"k": w.a},
    lambda w: {"then": w.graph, "else": None},
    lambda w: w.fresh_list([w.graph.inputs[0], evil(int, w)] if w.graph.inputs else [None]),
    lambda w: w.fresh_list([evil(float, w), evil(int, w), 1.5]),
    lambda w: {"k": w.fresh_list([evil(int, w)]), "l": evil(object, w)},
    odd_key,
    lambda w: lambda *a, **k: w.mischief(),
    *(lambda w, b=base: evil(b, w) for base in (object, int, float, str, bytes, list, tuple, dict)),
    *(lambda w, b=base: evil(b, w) for base in (object, int, list, dict)),
]
