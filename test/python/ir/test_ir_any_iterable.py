"""Every API that takes a sequence or a mapping accepts any kind of it.

Objects that an iterator creates live until the call ends. Elements that edit the container while it is read do not
affect the call, or cause a Python exception. Not promised: which exception.
"""

import collections
import itertools

import numpy as np
import pytest

import ge.ir as ir

F32 = ir.TensorType([2], ir.f32)


class Fresh:
    """A sequence with `__len__` and `__getitem__` only."""

    def __init__(self, items):
        self._items = list(items)

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        return self._items[index]


class Iterated:
    def __init__(self, items):
        self._items = list(items)

    def __iter__(self):
        return iter(list(self._items))


class ListKind(list):
    pass


SEQUENCES = {
    "tuple": tuple,
    "generator": lambda items: (item for item in list(items)),
    "chain": lambda items: itertools.chain(items),
    "old protocol": Fresh,
    "iterable": Iterated,
    "subclass of list": ListKind,
    "deque": collections.deque,
    "values of a dict": lambda items: dict(enumerate(items)).values(),
}


def graph():
    g = ir.Graph("g")
    x = g.add_input("x", F32)
    first = g.add_node("t.Split", [x], result_types=[F32, F32], name="first")
    second = g.add_node("t.Two", list(first.results), result_types=[F32, F32], name="second")
    g.outputs = list(second.results)
    return g


def set_operands(g, of):
    g.find("second").operands = of([g.inputs[0], g.find("first").results[1]])


def set_slice(g, of):
    g.find("second").operands[0:1] = of([g.inputs[0], g.inputs[0]])


def extend_operands(g, of):
    g.find("second").operands.extend(of([g.inputs[0]]))


def add_operands(g, of):
    g.find("second").operands += of([g.inputs[0]])


def set_outputs(g, of):
    g.outputs = of([g.find("first").results[1], g.inputs[0]])


def extend_outputs(g, of):
    g.outputs.extend(of([g.find("first").results[0], g.inputs[0]]))


def set_output_names(g, of):
    g.output_names = of(["".join(("left", "er")), "".join(("right", "er"))])


def replace(g, of):
    g.find("second").replace_with(of(list(g.find("first").results)))


def replace_all_uses(g, of):
    g.find("first").results[0].replace_all_uses_with(g.inputs[0], except_=of([g.find("second")]))


def add_node(g, of):
    node = g.add_node(
        "t.Three",
        of([g.inputs[0], None, g.find("first").results[1]]),
        {"pads": [1, 2]},
        result_types=of([ir.TensorType([3], ir.f32), None]),
        control_inputs=of([g.find("second")]),
        subgraphs=of([None, None]),
    )
    assert len(node.control_inputs) == 1


def create_node(g, of):
    ir.Node.create("t.Four", of([g.inputs[0]]), ip=ir.InsertionPoint(g))


def create_detached(g, of):
    ir.Node.create("t.Five", of([g.find("first").results[1]]), ip=False).insert(g)


SEQUENCE_APIS = [
    set_operands,
    set_slice,
    extend_operands,
    add_operands,
    set_outputs,
    extend_outputs,
    set_output_names,
    replace,
    replace_all_uses,
    add_node,
    create_node,
    create_detached,
]


@pytest.mark.parametrize("api", SEQUENCE_APIS, ids=lambda api: api.__name__)
def test_any_sequence_gives_what_a_list_gives(api):
    expected = graph()
    api(expected, list)
    for kind, of in SEQUENCES.items():
        g = graph()
        api(g, of)
        assert str(g) == str(expected), kind


@pytest.mark.parametrize("api", SEQUENCE_APIS, ids=lambda api: api.__name__)
@pytest.mark.parametrize(
    "wrong", ["text", 7, [object()], {"a": 1}, b"ab"], ids=lambda wrong: type(wrong).__name__
)
def test_anything_else_is_an_error_and_changes_nothing(api, wrong):
    g = graph()
    before = str(g)
    with pytest.raises((TypeError, ValueError)):
        api(g, lambda items: wrong)
    assert str(g) == before


@pytest.mark.parametrize("view", ["results", "operands"])
def test_views_of_the_library_are_sequences(view):
    g = graph()
    g.outputs = getattr(g.find("second"), view)
    assert list(g.outputs) == list(getattr(g.find("second"), view))
    node = g.add_node("t.Six", getattr(g.find("second"), view))
    assert list(node.operands) == list(getattr(g.find("second"), view))
    node.operands = g.inputs
    assert list(node.operands) == list(g.inputs)
    late = g.add_node("t.Seven", control_inputs=g.nodes)
    assert len(late.control_inputs) == len(g.nodes) - 1


@pytest.mark.parametrize("edit", ["outputs", "operands"])
def test_an_iterator_that_edits_the_list_it_extends_loses_nothing(edit):
    def views():
        g = graph()
        return g, (g.outputs if edit == "outputs" else g.find("second").operands)

    def editing(g, view):
        view.append(g.inputs[0])
        yield g.find("first").results[1]

    g, view = views()
    view.extend(editing(g, view))
    assert len(view) == 4
    g, view = views()
    view += editing(g, view)
    assert len(view) == 4
    g, view = views()
    view[0:0] = editing(g, view)
    assert len(view) == 4


class Emptying(list):
    """A list that empties `given` when its attribute `dtype` is read."""

    def __init__(self, items, given):
        super().__init__(items)
        self._given = given

    @property
    def dtype(self):
        self._given.clear()
        for _ in range(64):
            bytearray(100)
        raise AttributeError("dtype")


def test_attributes_that_empty_their_dict_while_they_are_read_lose_nothing():
    g, given = graph(), {}
    expected = {"a": (1, 2), "b": 2, "c": "text"}

    def fill():
        given.clear()
        given.update(a=Emptying([1, 2], given), b=2, c="te" + "xt")
        return given

    assert dict(g.add_node("t.A", [], fill()).attributes) == expected
    node = g.add_node("t.B")
    node.attributes.update(fill())
    assert dict(node.attributes) == expected
    node.attributes["d"] = fill()
    assert node.attributes["d"] == expected


def test_attributes_that_empty_the_operands_while_they_are_read_lose_nothing():
    g = graph()
    operands = [g.inputs[0], g.find("first").results[1]]
    expected = list(operands)
    node = g.add_node("t.A", operands, {"a": Emptying([1, 2], operands)})
    assert not operands
    assert list(node.operands) == expected


def test_iterators_that_empty_the_operands_lose_nothing():
    g = graph()

    def emptying(operands, *items):
        operands.clear()
        yield from items

    for keyword, item in (
        ("result_types", F32),
        ("control_inputs", g.find("first")),
        ("subgraphs", None),
    ):
        operands = [g.inputs[0], g.find("first").results[1]]
        node = g.add_node("t.A", operands, **{keyword: emptying(operands, item)})
        assert len(node.operands) == 2, keyword


def test_any_mapping_gives_what_a_dict_gives():
    class Mapping:
        def keys(self):
            return iter(["a", "b"])

        def __getitem__(self, key):
            return [1, 2] if key == "a" else "".join(("te", "xt"))

    expected = {"a": (1, 2), "b": "text"}
    g = graph()
    source = g.add_node("t.A", [], Mapping())
    assert dict(source.attributes) == expected
    for mapping in (
        Mapping(),
        collections.OrderedDict(expected),
        collections.ChainMap(expected),
        source.attributes,
    ):
        assert dict(g.add_node("t.B", [], mapping).attributes) == expected
        node = g.add_node("t.C")
        node.attributes.update(mapping)
        assert dict(node.attributes) == expected
    node = g.add_node("t.D")
    node.attributes.update(source.attributes.items())
    assert dict(node.attributes) == expected


def test_types_and_shapes_take_any_sequence():
    class Size:
        def __init__(self, sizes, value):
            self.sizes, self.value = sizes, value

        def __index__(self):
            self.sizes.clear()
            return self.value

    for kind, of in SEQUENCES.items():
        assert ir.TensorType(of([2, "n", None]), ir.f32) == ir.TensorType([2, "n", None], ir.f32), (
            kind
        )
    sizes = []
    sizes[:] = [Size(sizes, 2), Size(sizes, 3)]
    try:
        assert ir.TensorType(sizes, ir.f32) == ir.TensorType([2, 3], ir.f32)
    except TypeError:
        pass


def test_data_of_a_buffer_stays_while_a_tensor_has_it():
    data = bytearray(np.arange(4, dtype=np.float32).tobytes())
    tensor = ir.Tensor(memoryview(data).cast("f"))
    with pytest.raises(BufferError):
        data.extend(b"more")
    assert tensor.tolist() == [0, 1, 2, 3]
    view = memoryview(bytearray(8)).cast("f")
    view.release()
    with pytest.raises((TypeError, ValueError)):
        ir.Tensor(view)


def test_text_may_be_a_subclass_of_str():
    class Text(str):
        pass

    g = graph()
    node = g.add_node(Text("t.A"), [], {Text("key"): Text("value")}, name=Text("name"))
    assert (node.op, node.name, dict(node.attributes)) == ("t.A", "name", {"key": "value"})
    node.name = Text("other")
    g.output_names = [Text("l"), Text("r")]
    assert (node.name, list(g.output_names)) == ("other", ["l", "r"])
    assert g.find(Text("other")) is node
