"""Run as a child process: calls each member of each public class of `ge.ir` with odd arguments.

Arguments: a seed, a number of rounds (0: one argument of each kind for each member), and a file for the last call.
"""

from __future__ import annotations

import contextlib
import contextvars
import faulthandler
import inspect
import os
import random
import re
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from attack_world import World, evil
from needs import LONG

# Members of `object` that test nothing of GE, or whose purpose would end the attack.
SKIPPED = {
    "__class__",
    "__init_subclass__",
    "__subclasshook__",
    "__dir__",
    "__getattribute__",
    "__doc__",
    "__weakref__",
}


# These exceptions have no message by design.
WORDLESS = (StopIteration, StopAsyncIteration, MemoryError)


LIMIT = 6 << 30


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
        """Call the function and record results and exceptions that must not occur."""
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
        # The result must have a valid repr, too.
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
        """Return the public classes, and the classes of all objects that public members return."""
        found = {c for c in vars(self.ir).values() if isinstance(c, type)}
        found |= {type(o) for o in [*self.world.alive, *self.world.dead]}
        ours = [c for c in found if c.__module__.partition(".")[0] == "ge"]
        return sorted(ours, key=lambda c: (c.__name__, c.__module__))

    def members(self, cls: type) -> list[str]:
        """Return the names of all members, except those of Python's built-in classes."""
        found = []
        for name in dir(cls):
            # The defining class: members of built-in classes, such as powers of integers, can take for ever.
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
        # A damaged graph must print, too.
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
        """Call each member with one argument of each kind, with none, and with a wrong object for `self`."""
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
                # All arguments in the long run, else a random fifth for each member.
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
        """Call the most used functions with arguments of which one or two are wrong."""
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
    # Scopes that are entered and never exited are dropped with the copy of the context.
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
