"""The public API: documented, with `ge.ir` as its module, listed in __all__."""

import inspect
import types

import pytest

import ge.ir as ir

PUBLIC = [name for name in dir(ir) if not name.startswith("_")]
CLASSES = [v for v in vars(ir).values() if isinstance(v, type)]
# Members of every Python object.
INHERITED = set(dir(object)) | {"__dict__", "__module__", "__weakref__", "__slots__"}


def test_all_lists_exactly_the_public_names() -> None:
    assert sorted(ir.__all__) == sorted(PUBLIC)
    assert len(ir.__all__) == len(set(ir.__all__))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_a_docstring_and_their_home(name) -> None:
    thing = getattr(ir, name)
    assert not isinstance(thing, types.ModuleType)
    if isinstance(thing, type) or callable(thing):
        assert thing.__module__ == "ge.ir"
        assert thing.__name__ == name
    assert inspect.getdoc(thing)


def members() -> list[tuple[type, str]]:
    return [
        (cls, name)
        for cls in CLASSES
        for name in vars(cls)
        if not name.startswith("_")
        and cls.__module__ == "ge.ir"
        and not issubclass(cls, BaseException)
    ]


@pytest.mark.parametrize(
    ("cls", "name"), members(), ids=lambda x: x if isinstance(x, str) else x.__name__
)
def test_public_members_have_a_docstring(cls, name) -> None:
    assert inspect.getdoc(inspect.getattr_static(cls, name)), f"{cls.__name__}.{name}"


def test_docstrings_of_hot_methods_carry_a_signature() -> None:
    for method in (
        ir.Graph.add_node,
        ir.Graph.add_input,
        ir.Node.erase,
        ir.Value.replace_all_uses_with,
    ):
        assert inspect.signature(method).parameters


def test_help_works() -> None:
    import pydoc

    for cls in CLASSES:
        assert pydoc.render_doc(cls)


def test_classes_cannot_be_changed_into_something_else() -> None:
    with pytest.raises(TypeError):
        ir.Graph("g").__class__ = ir.Node
    with pytest.raises(AttributeError):
        ir.Graph("g").unknown = 1
