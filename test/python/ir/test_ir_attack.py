"""No argument of any member of any public class ends the process; each is taken or refused with a message.

Members are found by introspection: methods, properties (read, set, deleted), special methods, constructors,
functions of the module, also called on objects of the wrong class. Arguments are numbers past every limit, texts
without UTF-8, containers that hold themselves, objects whose special methods raise or edit the graph meanwhile,
and IR objects that are stale, detached, of another root or of another context. The attack runs in a process of its
own: a crash is a failure that names the last call and the seed.

Not covered here: what a call should do (the other files), threads, code that reaches past the public surface.
"""

from __future__ import annotations

import contextlib
import contextvars
import decimal
import faulthandler
import gc
import inspect
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

LONG = bool(os.environ.get("GE_TEST_LONG") or os.environ.get("GE_LONG_TESTS"))
# Python's own, which say nothing about us or would end the attack by what they are for.
SKIPPED = {
    "__class__",
    "__init_subclass__",
    "__subclasshook__",
    "__dir__",
    "__getattribute__",
    "__doc__",
    "__weakref__",
}
# These carry no message by nature.
WORDLESS = (StopIteration, StopAsyncIteration, MemoryError)
LIMIT = 6 << 30


def attack(seed: int, rounds: int, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run this file as a script; the last call that it noted is part of the output."""
    with tempfile.TemporaryDirectory() as directory:
        note = Path(directory) / "note"
        result = subprocess.run(
            [
                sys.executable,
                "-X",
                "faulthandler",
                __file__,
                str(seed),
                str(rounds),
                str(note),
                *flags,
            ],
            cwd=directory,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        last = note.read_bytes().rstrip(b"\0").decode(errors="replace") if note.exists() else ""
        result.stdout += f"\nseed {seed}, last call: {last}\n"
    return result


def test_one_odd_argument_to_every_member() -> None:
    result = attack(1, 0)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]


def test_several_odd_arguments_at_random() -> None:
    seed = int.from_bytes(os.urandom(4), "big")
    result = attack(seed, 2000 if LONG else 40)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]


def test_the_attack_notices_a_crash() -> None:
    """The report of a process that died names what it did last."""
    result = attack(7, 0, "--die")
    assert result.returncode != 0
    assert "last call: the end" in result.stdout and "Fatal Python error" in result.stderr


# --- the process that is attacked -------------------------------------------------------------------


class Mischief(Exception):
    """What our own objects raise."""


class World:
    """Objects of all kinds: alive, stale, detached, elsewhere."""

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
        except (
            Exception
        ) as error:  # a handler that was attached before may have turned it into its own
            self.alive += [error, *getattr(error, "diagnostics", [])]
        self.elsewhere: list[Any] = [*alien, other, o, o.result]

    def mischief(self) -> None:
        """Change the graph while views of it are read, and drop objects."""
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
        """Return a list that mischief empties, and that alone holds what is in it."""
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
        """Return one of each; those that are made anew are made now."""
        return [*self.alive, *self.dead, *self.elsewhere, *(make(self) for make in ODD)]


def evil(base: type, world: World) -> Any:
    """Return an instance of a subclass of `base` whose special methods do mischief, and then raise or not."""

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


class Attack:
    def __init__(self, seed: int, note: Path) -> None:
        import ge.ir as ir

        self.ir = ir
        self.chance = random.Random(seed)
        self.note = os.open(note, os.O_CREAT | os.O_RDWR)
        self.failures: list[str] = []
        self.calls = 0
        self.world = World(ir, self.chance)

    def say(self, text: str) -> None:
        os.pwrite(self.note, text[:480].encode(errors="replace").ljust(480, b"\0"), 0)

    def call(self, what: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call; note what comes out that must not."""
        self.calls += 1
        text = (
            what
            + "("
            + ", ".join([brief(a) for a in args] + [f"{k}={brief(v)}" for k, v in kwargs.items()])
            + ")"
        )
        self.say(text)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            if isinstance(error, SystemError):
                self.failures.append(f"{text}: SystemError: {error}")
            elif not isinstance(error, WORDLESS) and not str(error):
                self.failures.append(f"{text}: {type(error).__name__} without a message")
            return None
        except BaseException as error:
            self.failures.append(f"{text}: {type(error).__name__} is no Exception")
            return None
        # A result is an object like any other.
        self.look("result of " + text, result)
        return result

    def look(self, what: str, result: Any) -> None:
        try:
            repr(result) if not isinstance(result, (str, bytes, np.ndarray)) else None
        except Exception as error:
            if isinstance(error, (SystemError,)) or (
                not isinstance(error, WORDLESS) and not str(error)
            ):
                self.failures.append(f"repr of {what}: {type(error).__name__}: {error}")

    def classes(self) -> list[type]:
        """Return public classes, and those of all objects that the public ones give."""
        found = {c for c in vars(self.ir).values() if isinstance(c, type)}
        found |= {type(o) for o in [*self.world.alive, *self.world.dead]}
        ours = [c for c in found if c.__module__.partition(".")[0] == "ge"]
        return sorted(ours, key=lambda c: (c.__name__, c.__module__))

    def members(self, cls: type) -> list[str]:
        """Return names of all members but those that Python gives to every class."""
        found = []
        for name in dir(cls):
            # Of whom it is: powers and products of numbers, say, are Python's, and take for ever.
            home = next((c for c in cls.__mro__ if name in vars(c)), object)
            if name not in SKIPPED and home.__module__ != "builtins":
                found.append(name)
        return found

    def targets(self, cls: type) -> list[Any]:
        pool = [*self.world.alive, *self.world.dead, *self.world.elsewhere]
        found = [o for o in pool if type(o) is cls]
        with contextlib.suppress(Exception):
            found.append(cls.__new__(cls))  # never initialised
        return found

    def keywords(self, member: Any) -> list[str]:
        text = getattr(member, "__doc__", None) or ""
        with contextlib.suppress(Exception):
            text += str(inspect.signature(member))
        text += str(getattr(member, "__nb_signature__", ""))
        return sorted(set(re.findall(r"[(, *](\w+)(?=[:=])", text))) or ["name"]

    def use(
        self, cls: type, target: Any, name: str, args: list[Any], kwargs: dict[str, Any]
    ) -> None:
        what = f"{cls.__name__}.{name}"
        raw = inspect.getattr_static(cls, name, None)
        if isinstance(raw, property) or inspect.isdatadescriptor(raw):
            self.call("get " + what, getattr, target, name)
            if args:
                self.call("set " + what, setattr, target, name, args[0])
            else:
                self.call("del " + what, delattr, target, name)
            return
        try:
            member = getattr(target, name)
        except Exception:
            return
        if callable(member):
            self.call(what, member, *args, **kwargs)

    def each_member(self) -> Iterator[tuple[type, str]]:
        for cls in self.classes():
            for name in self.members(cls):
                yield cls, name

    def renew(self) -> None:
        # The text of a broken graph is a text too.
        self.call("str", str, self.world.graph)
        self.call(
            "walk",
            lambda: [
                (n.op, list(n.operands), [list(v.uses) for v in n.results])
                for n in self.world.graph.walk()
            ],
        )
        self.call("sort", self.world.graph.sort)
        self.world = World(self.ir, self.chance)

    def sweep(self) -> None:
        """One argument of each kind to each member, and none, and the wrong object for `self`."""
        arguments: list[Any] = []
        for cls, name in self.each_member():
            faulthandler.dump_traceback_later(300, exit=True)
            for target in self.targets(cls)[:2] + self.targets(cls)[-1:]:
                self.use(cls, target, name, [], {})
            for i in range(10**6):
                if i % 50 == 0:
                    self.renew()
                    arguments = self.world.all_arguments()
                if i >= len(arguments):
                    break
                # All of them in the long run, else a fifth, another one for each member.
                if LONG or self.chance.random() < 0.2:
                    for target in self.targets(cls)[:1]:
                        self.use(cls, target, name, [arguments[i]], {})
            raw = inspect.getattr_static(cls, name, None)
            raw = getattr(raw, "__func__", raw)
            get = getattr(inspect.getattr_static(cls, name, None), "__get__", None)
            for wrong in arguments[:: 1 if LONG else 12]:
                if callable(raw):
                    self.call(f"{cls.__name__}.{name} of another", raw, wrong)
                    self.call(f"{cls.__name__}.{name} of another", raw, wrong, wrong)
                if get is not None:
                    self.call(f"{cls.__name__}.{name}.__get__", get, wrong)
        for cls in self.classes():
            for argument in self.world.all_arguments():
                self.call(cls.__name__, cls, argument)
                self.call(cls.__name__, cls, argument, argument)
            self.call(f"subclass of {cls.__name__}", lambda cls=cls: type("Sub", (cls,), {})())
            self.call(f"subclass of {cls.__name__}", lambda cls=cls: type("Sub", (cls,), {})("x"))

    def at_random(self) -> None:
        members = list(self.each_member())
        functions = [
            (name, f)
            for name, f in vars(self.ir).items()
            if callable(f) and not isinstance(f, type)
        ]
        for _ in range(300):
            if functions and self.chance.random() < 0.02:
                name, function = self.chance.choice(functions)
                self.call(
                    name,
                    function,
                    *[self.world.argument() for _ in range(self.chance.randrange(4))],
                )
                continue
            cls, name = self.chance.choice(members)
            targets = self.targets(cls)
            arguments = [
                self.world.argument() for _ in range(self.chance.choice([0, 1, 1, 2, 2, 3, 4]))
            ]
            keywords = self.keywords(inspect.getattr_static(cls, name, None))
            named = self.chance.sample(
                keywords, min(len(keywords), self.chance.choice([0, 0, 1, 2, 3]))
            )
            if not targets or self.chance.random() < 0.1:
                self.call(
                    cls.__name__, cls, *arguments, **{k: self.world.argument() for k in named}
                )
            else:
                target = self.chance.choice(targets)
                self.use(cls, target, name, arguments, {k: self.world.argument() for k in named})

    def creation(self) -> None:
        """The busiest functions, with arguments that are right but for one or two."""
        w = self.world
        for _ in range(60):
            right: dict[str, Any] = {
                "operands": [w.x, None],
                "attributes": {"k": [1, 2]},
                "name": "n",
                "result_types": [w.kind],
                "control_inputs": [],
                "subgraphs": {"then": None},
                "loc": None,
                "ip": None,
            }
            for key in self.chance.sample(sorted(right), self.chance.choice([1, 1, 2])):
                right[key] = w.argument()
            if self.chance.random() < 0.3:
                right["operands"] = w.fresh_list([w.graph.add_input("t", w.kind), *[None] * 20])
                right["attributes"] = {"k": w.fresh_list([evil(int, w)]), "l": evil(object, w)}
            graph = w.graph if self.chance.random() < 0.9 else w.argument()
            if isinstance(graph, self.ir.Graph):
                self.call("Graph.add_node", graph.add_node, "t.N", **right)
            if isinstance(self.chance, random.Random) and self.chance.random() < 0.3:
                self.call("Node.create", self.ir.Node.create, "t.N", **right)

    def round(self) -> None:
        faulthandler.dump_traceback_later(300, exit=True)
        self.creation()
        self.at_random()
        self.renew()


def brief(value: Any) -> str:
    if (
        isinstance(value, (bool, int, float, str, bytes, type(None)))
        and type(value).__module__ == "builtins"
    ):
        text = repr(value) if not isinstance(value, int) or abs(value) < 2**70 else "huge int"
        return text[:40]
    return type(value).__name__


def main() -> int:
    seed, rounds, note = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    faulthandler.enable()
    if "asan" not in os.environ.get("LD_PRELOAD", "") and "tsan" not in os.environ.get(
        "LD_PRELOAD", ""
    ):
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    own = Attack(seed, note)
    if "--die" in sys.argv:
        own.say("the end")
        faulthandler._sigabrt()  # type: ignore[attr-defined]
    # Scopes that are entered and never left go with the copy of the context.
    if rounds == 0:
        contextvars.copy_context().run(own.sweep)
    for _ in range(rounds):
        contextvars.copy_context().run(own.round)
        own.world = World(own.ir, own.chance)
    own.say("exit")
    print(f"{own.calls} calls, {len(own.failures)} failures")
    print("\n".join(own.failures[:40]))
    return 1 if own.failures else 0


if __name__ == "__main__":
    sys.exit(main())
