"""Classes in Python whose keys are types of schemas: fields, constructors, methods, statics, pickles, identity.

Seed 003: a class is registered under a key, its constructor and its methods are functions of a registry, objects
keep their identity through calls, and ``init_api`` puts the functions of a namespace into a module.
"""

import copy
import gc
import pickle
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops

X = np.arange(6, dtype="f4").reshape(2, 3)


class Plan(ops.Object):
    """A class with fields, defaults, methods and a static method."""

    n: int
    factor: float = 2.0
    name: "str | None" = None
    seen: ClassVar[list[str]] = []

    def step(self, x: ir.Tensor) -> ir.Tensor:
        """Scale once."""
        return x.numpy() * np.float32(self.factor)

    def grown(self, by: int = 1) -> "Plan":
        return Plan(self.n + by, self.factor)

    def twice(self) -> int:
        return self.n * 2

    @staticmethod
    def parse(text: str) -> "Plan":
        return Plan(int(text))

    def plain(self):  # type: ignore[no-untyped-def]
        return self


def fresh(base: type = Plan, **members: Any) -> Any:
    """Return a new copy of a class of this file: a class can be registered only once."""
    space = {
        k: v for k, v in vars(base).items() if k not in ("__slots__", "__dict__", "__weakref__")
    }
    for field in getattr(base, "_ge_fields", ()):
        space.pop(field, None)
    space |= getattr(base, "_ge_defaults", {}) | members
    space.pop("_ge_class", None)
    made = type(ops.Object)(base.__name__, (ops.Object,), space)
    made.__module__ = __name__
    return made


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("ko") as library:
        yield library


@pytest.fixture
def plan(lib: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = lib.cls("Plan")(fresh())
    monkeypatch.setitem(globals(), "Plan", made)
    return made


def test_fields_are_set_by_the_constructor_and_checked(plan: Any) -> None:
    made = plan(3)
    assert (made.n, made.factor, made.name) == (3, 2.0, None)
    assert repr(made) == "ko.Plan(n=3, factor=2.0, name=None)"
    other = plan(4, factor=1, name="b")
    assert type(other.factor) is float
    other.n = 5
    assert other.n == 5
    for name, value in (("n", "5"), ("n", 2**70), ("name", 1), ("factor", None)):
        with pytest.raises(TypeError, match=f"argument '{name}'"):
            setattr(other, name, value)
    with pytest.raises(AttributeError):
        other.other = 1
    assert other.n == 5


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((), {}, "missing required argument 'n'"),
        (("3",), {}, "argument 'n' (position 1) expects int, got str '3'"),
        ((3,), {"k": 1}, "'k'"),
        ((2**70,), {}, "argument 'n'"),
        ((1, 2.0, "c", 4), {}, "4"),
    ],
)
def test_the_binder_resolves_constructors(
    plan: Any, args: tuple[Any, ...], kwargs: dict[str, Any], text: str
) -> None:
    with pytest.raises(ops.BindError) as caught:
        plan(*args, **kwargs)
    assert text in str(caught.value)
    assert "ko.Plan::init(" in str(caught.value)


def test_methods_and_statics_are_records(plan: Any) -> None:
    made = plan(3)
    assert (made.step(X) == X * 2).all()
    assert type(made.step(ir.Tensor(X))) is ir.Tensor
    assert type(made.grown(by=2)) is plan
    assert made.grown().n == 4
    assert made.twice() == 6
    assert plan.parse("7").n == made.parse("7").n == 7
    assert made.plain() is made
    assert str(ops.get("ko.Plan::step")) == "ko.Plan::step(ko.Plan self, Tensor x) -> Tensor"
    assert str(ops.get("ko.Plan::grown")) == "ko.Plan::grown(ko.Plan self, int by=1) -> ko.Plan"
    assert ops.get("ko.Plan::step").doc == "Scale once."
    assert (ops.call.ko.Plan.step(made, X) == X * 2).all()
    assert (plan.step(made, X) == X * 2).all()
    assert ops.functions("ko.Plan") == [
        f"ko.Plan::{name}" for name in ("grown", "init", "parse", "twice")
    ]
    assert ops.function("ko.Plan::init")(5).n == 5
    for wrong in (lambda: made.grown("1"), lambda: made.step(), lambda: plan.twice(3)):
        with pytest.raises(ops.BindError):
            wrong()


def test_init_api_puts_the_functions_of_a_class_into_a_module(plan: Any) -> None:
    module = types.ModuleType("ko_api")
    sys.modules["ko_api"] = module
    try:
        assert ops.init_api("ko.Plan", "ko_api") == ["grown", "init", "parse", "twice"]
        assert module.twice(module.init(4)) == 8
    finally:
        del sys.modules["ko_api"]


def test_objects_go_through_functions_and_kernels_as_themselves(lib: Any, plan: Any) -> None:
    lib.function("ko::same(ko.Plan p) -> ko.Plan", lambda p: p)
    lib.define("run(Tensor x, ko.Plan p, ko.Plan? q=None) -> Tensor")
    lib.impl("run", "cpu", lambda x, p, q: x * np.float32(p.factor), as_="numpy")
    made = plan(1, 3.0)
    for _ in range(4):
        assert ops.call.ko.same(made) is made
        assert (ops.call.ko.run(X, made) == X * 3).all()
    made.factor = 4.0
    assert (ops.call.ko.run(X, made, made) == X * 4).all()
    for wrong in (3, object(), "x", None, plan):
        with pytest.raises(ops.BindError, match="expects ko.Plan"):
            ops.call.ko.same(wrong)


def test_a_result_must_be_of_its_class(lib: Any, plan: Any) -> None:
    lib.function("ko::lie(int n) -> ko.Plan", lambda n: n)
    for _ in range(4):
        with pytest.raises(ops.KernelError, match="gave a int for result 0, which is ko.Plan"):
            ops.call.ko.lie(1)


def test_subclasses_are_instances_and_have_the_fields_of_their_bases(lib: Any, plan: Any) -> None:
    class Longer(plan):
        tail: list[int] = [1, 2]  # noqa: RUF012 - a default of a field

        def step(self, x: ir.Tensor) -> ir.Tensor:
            return super().step(x).numpy() + 1

    with pytest.raises(TypeError, match="Longer is not registered"):
        Longer(1)
    lib.cls()(Longer)
    made = Longer(1, 2.0, "n", [3])
    assert repr(made) == "ko.Longer(n=1, factor=2.0, name='n', tail=[3])"
    assert Longer(1).tail == [1, 2]
    assert Longer(1).tail is not Longer(2).tail
    assert made.twice() == 2
    assert (made.step(X) == X * 2 + 1).all()
    assert (plan.step(made, X) == X * 2).all()


def test_identity_and_frozen_equality(lib: Any, plan: Any) -> None:
    assert plan(1) != plan(1)
    assert len({plan(1), plan(1)}) == 2
    point = lib.cls("Point", frozen=True)(fresh(Point))
    assert point(1, [2]) == point(1, [2])
    assert point(1, [2]) != point(1, [3])
    assert hash(point(1, [2])) == hash(point(1, [2]))
    with pytest.raises(AttributeError, match=r"ko\.Point is frozen"):
        point(1, []).x = 2


class Point(ops.Object):
    x: int
    rest: list[int]


class Linked(ops.Object):
    value: int
    next: "Linked | None" = None
    data: "ir.Tensor | None" = None


def test_an_object_may_hold_its_own_class_tensors_and_cycles(lib: Any) -> None:
    linked = fresh(Linked)
    lib.cls("Linked")(linked)
    end = linked(1)
    start = linked(2, end, X)
    assert start.next is end
    assert type(start.data) is ir.Tensor
    with pytest.raises(TypeError):
        start.next = 5
    end.next = start
    assert repr(start).count("ko.Linked") == 2  # the cycle is printed as "..."
    again = pickle.loads(pickle.dumps(start))
    assert again.next.next is again
    assert (again.data.numpy() == X).all()
    assert copy.copy(start).next is end
    assert copy.deepcopy(start).next.value == 1
    gone = weakref.ref(end)
    del start, end, again
    gc.collect()
    assert gone() is None


def test_pickles_hold_key_and_fields(plan: Any) -> None:
    data = pickle.dumps(plan(3, 4.0, "x"))
    assert b"ko.Plan" in data
    assert repr(pickle.loads(data)) == "ko.Plan(n=3, factor=4.0, name='x')"


def test_a_pickle_without_its_class_says_so() -> None:
    with ops.Library("ko") as library:
        library.cls("Plan")(fresh(Point))
        data = pickle.dumps(ops.classes.ko.Plan(3, []))
    with pytest.raises(KeyError, match="there is no class 'ko.Plan'"):
        pickle.loads(data)
    with ops.Library("ko") as library:
        library.cls("Plane")(fresh(Point))
        with pytest.raises(KeyError, match="did you mean ko.Plane"):
            pickle.loads(data)


def test_objects_outlive_their_library_and_no_new_ones_are_made() -> None:
    library = ops.Library("ko")
    made_of = library.cls("Plan")(fresh())
    made = made_of(3)
    library.close()
    assert made.n == 3
    assert repr(made).startswith("ko.Plan(n=3")
    with pytest.raises(ops.OpSchemaError, match=r"ko\.Plan cannot be made any more"):
        made_of(4)
    with pytest.raises(KeyError, match="closed"):
        made.twice()
    with pytest.raises(AttributeError, match="there is no class 'ko"):
        _ = ops.classes.ko.Plan
    gone = weakref.ref(made_of)
    del made, made_of
    gc.collect()
    assert gone() is None


def test_an_own_constructor_is_bound_by_its_hints(lib: Any) -> None:
    def __init__(self: Any, text: str, *, times: int = 1) -> None:  # noqa: N807
        self.x = len(text) * times
        if times:
            self.rest = []

    made_of = lib.cls("Own")(fresh(Point, __init__=__init__))
    assert made_of("abc", times=2).x == 6
    assert str(ops.get("ko.Own::init")) == "ko.Own::init(str text, *, int times=1) -> ko.Own"
    with pytest.raises(ops.BindError, match="'text'"):
        made_of(3)
    with pytest.raises(ops.KernelError, match="did not set field 'rest'"):
        made_of("a", times=0)


def test_classes_that_cannot_be_registered(lib: Any) -> None:
    class NoObject:
        pass

    with pytest.raises(TypeError, match="a subclass of Object"):
        lib.cls()(NoObject)

    class Bad(ops.Object):
        f: object

    with pytest.raises(TypeError, match="field 'f' cannot be"):
        lib.cls()(Bad)
    assert not ops.functions("ko.Bad")

    class Late(ops.Object):
        f: "NotThere"  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ops.OpSchemaError, match="a type hint cannot be read"):
        lib.cls()(Late)

    class Untyped(ops.Object):
        def f(self, x, y: int) -> int:  # type: ignore[no-untyped-def]
            return y

    with pytest.raises(ops.OpSchemaError, match="parameter 'x' has no type hint"):
        lib.cls()(Untyped)
    lib.cls("Point")(fresh(Point))
    with pytest.raises(ops.OpSchemaError, match=r"there is a class 'ko\.Point' already"):
        lib.cls("Point")(fresh(Point))
    assert dir(ops.classes.ko) == ["Point"]


def test_what_went_with_its_library_is_named_with_the_place() -> None:
    library = ops.Library("went")

    @library.cls("Plan")
    class Plan(ops.Object):
        n: int

    library.function("went::make(int n) -> went.Plan", lambda n: Plan(n))
    data = pickle.dumps(Plan(1))
    with pytest.raises(
        AttributeError, match=r"there is no class 'went.Pla'; did you mean went.Plan\?"
    ):
        ops.classes.went.Pla  # noqa: B018
    library.close()
    closed = r"a library of 'went' was closed \(.*test_kernels_objects.py:\d+\)"
    with pytest.raises(AttributeError, match=closed):
        ops.classes.went.Plan  # noqa: B018
    with pytest.raises(KeyError, match=f"there is no class 'went.Plan'; {closed}"):
        pickle.loads(data)
    with pytest.raises(KeyError, match=closed):
        ops.function("went::make")
