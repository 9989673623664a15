"""Instances of a class that has only fields are created natively, unless __init__ or __new__ is set, even later.

The native path needs values of exactly the fields' types; all other calls go through the binder, which reports errors.
"""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import ge.ops as ops


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("koc") as library:
        yield library


def point(lib: Any, name: str = "Point") -> Any:
    class Point(ops.Object):
        n: int
        factor: float

    return lib.cls(name)(Point)


def test_values_of_the_exact_types_are_the_fields(lib: Any) -> None:
    made = point(lib)(3, 0.5)
    assert (made.n, made.factor) == (3, 0.5)
    assert gc.is_tracked(made)
    assert weakref.ref(made)() is made


def test_other_values_are_converted_or_refused_by_the_binder(lib: Any) -> None:
    cls = point(lib)
    made = cls(3, 2)
    assert type(made.factor) is float
    assert cls(n=1, factor=2.0).n == 1
    for wrong in ((1,), (1, 2.0, 3), ("1", 2.0), (2**63, 2.0), (-(2**63) - 1, 2.0)):
        with pytest.raises((TypeError, OverflowError)):
            cls(*wrong)
    assert cls(2**63 - 1, 1.0).n == 2**63 - 1


def test_a_subclass_has_its_own_constructor(lib: Any) -> None:
    cls = point(lib)
    with pytest.raises(TypeError, match="Unregistered is not registered"):
        type("Unregistered", (cls,), {})(1, 2.0)

    class Derived(cls):  # type: ignore[misc]
        def __init__(self, n: int) -> None:
            self.n, self.factor = n, 1.5

    made = lib.cls("Derived")(Derived)(4)
    assert type(made) is Derived
    assert (made.n, made.factor) == (4, 1.5)
    assert type(cls(4, 1.5)) is cls


def test_an_init_that_comes_later_is_called(lib: Any) -> None:
    cls = point(lib)
    cls(1, 2.0)
    seen: list[tuple[Any, ...]] = []
    cls.__init__ = lambda self, *args: seen.append(args)
    cls(1, 2.0)
    assert seen == [(1, 2.0)]


def test_a_new_that_comes_later_in_a_base_is_called(lib: Any) -> None:
    base = point(lib)

    class More(base):  # type: ignore[misc]
        extra: int

    cls = lib.cls("More")(More)
    assert cls(1, 2.0, 3).extra == 3
    made: list[Any] = []

    def new(owner: Any, *args: Any) -> Any:
        made.append(owner)
        return object.__new__(owner)

    base.__new__ = new
    cls(1, 2.0, 3)
    base(1, 2.0)
    assert made == [cls, base]


def test_a_class_attribute_changes_nothing(lib: Any) -> None:
    cls, other = point(lib), point(lib, "Other")
    cls.note = "x"
    assert (cls(1, 2.0).n, other(2, 2.0).n) == (1, 2)


def test_an_assigned_new_field_value_is_checked_as_before(lib: Any) -> None:
    made = point(lib)(1, 2.0)
    with pytest.raises(TypeError):
        made.n = "one"
    made.n = 5
    assert made.n == 5


def test_no_object_is_made_after_its_library_closed() -> None:
    with ops.Library("koc") as library:
        cls = point(library)
        kept = cls(1, 2.0)
    with pytest.raises(Exception, match=r"koc.Point cannot be made any more"):
        cls(1, 2.0)
    assert kept.n == 1


def test_a_class_goes_with_its_library() -> None:
    with ops.Library("koc") as library:
        cls = point(library)
        cls(1, 2.0)
        seen = weakref.ref(cls)
    del cls, library
    gc.collect()
    assert seen() is None


def test_a_frozen_class_is_made_and_stays_as_it_is(lib: Any) -> None:
    class Fixed(ops.Object):
        n: int

    cls = lib.cls(frozen=True)(Fixed)
    made = cls(1)
    assert made == cls(1)
    assert hash(made) == hash(cls(1))
    with pytest.raises(AttributeError):
        made.n = 2
