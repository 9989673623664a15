"""The schema language from Python: a printed record parses to an equal one, and errors have a position."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ge.ir as ir
import ge.ops as ops

NAMES = st.sampled_from(["x", "y", "self", "alpha", "dim_0", "k"])
ATOMS = st.sampled_from(["Tensor", "int", "float", "bool", "str", "Scalar", "ScalarType", "Any"])
TYPES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        # No optional tuple: as a result, it would parse as two results.
        inner.filter(lambda t: t[-1] not in "?)").map(lambda t: t + "?"),
        inner.filter(lambda t: t[-1] != ")").map(lambda t: t + "[]"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}, {t[1]})"),
    ),
    max_leaves=4,
)
DEFAULTS = {
    "int": st.integers(-(2**63), 2**63 - 1).map(str),
    "float": st.floats(allow_nan=False, allow_infinity=False).map(repr),
    "bool": st.sampled_from(["True", "False"]),
    "str": st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=8).map(
        lambda s: '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'
    ),
    "int[]": st.lists(st.integers(-9, 9), max_size=3).map(str),
}


ALIASES = st.sampled_from(["", "", "(a)", "(a!)", "(b)", "(a|b)", "(a -> *)", "(a! -> a|b)", "(*)"])
MORE = {
    "int[2]": st.sampled_from(["1", "[1, 2]", "[-3,4]"]),
    "float[]": st.sampled_from(["[]", "[1.5, 2.]", "[1e-5]"]),
    "bool[3]": st.sampled_from(["True", "[True, False, True]"]),
    "str[]": st.sampled_from(["[]", "['a', \"b'\"]"]),
    "int?": st.sampled_from(["None", "7"]),
    "Tensor?": st.just("None"),
    "str?": st.sampled_from(["None", "'x'"]),
    "ScalarType?": st.sampled_from(["None", "float"]),
    "MemoryFormat": st.just("contiguous_format"),
    "Dict(str, Tensor)?": st.just("None"),
    "complex": st.just("2.5"),
}


@st.composite
def parameter(draw: st.DrawFn, name: str) -> str:
    kind = draw(st.sampled_from(["plain", "tensor", "list", "default"]))
    if kind == "tensor":
        return f"Tensor{draw(ALIASES)} {name}"
    if kind == "list":
        return f"Tensor{draw(ALIASES)}[{draw(st.sampled_from(['', '2', '7']))}] {name}"
    return f"{draw(TYPES)} {name}"


@st.composite
def schemas(draw: st.DrawFn) -> str:
    names = draw(st.lists(NAMES, unique=True, max_size=5))
    parts = [draw(parameter(n)) for n in names]
    known = DEFAULTS | MORE
    extra = draw(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.sampled_from(sorted(known))))
    written = [f"{t} {n}={draw(known[t])}" for n, t in extra.items()]
    # Parameters with a default may also be positional; `...` accepts further arguments.
    if draw(st.booleans()) and written:
        parts.append("*")
        parts += written
    elif draw(st.booleans()):
        parts += written
    else:
        parts.append("...")
    results = [draw(TYPES) for _ in range(draw(st.integers(0, 3)))]
    if draw(st.booleans()):
        results = [f"{t} r{i}" for i, t in enumerate(results)]
    if draw(st.integers(0, 9)) == 0:
        returns = f"({', '.join([*results, '...'])})"
    else:
        # A single tuple needs parentheses around it: otherwise it parses as a list of results.
        alone = len(results) == 1 and not results[0].startswith("(")
        returns = results[0] if alone else f"({', '.join(results)})"
    overload = draw(st.sampled_from(["", ".Tensor", ".default_1"]))
    space = draw(st.sampled_from(["", " "]))
    return f"{draw(st.sampled_from(['acme', 'a.b']))}::op{overload}({', '.join(parts)}){space}->{space}{returns}"


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(schemas())
def test_printing_is_a_fixpoint(text: str) -> None:
    record = ops.parse_schema(text)
    printed = str(record)
    again = ops.parse_schema(printed)
    assert str(again) == printed
    assert again == record
    assert hash(again) == hash(record)
    # PyTorch has no defaults of str[], and prints equal ints as one, which it parses only for lists of fixed length.
    if "str[]" not in text and not re.search(r"int\[\]\??\w* \w+=\[(-?\w+)(, \1)+\]", text):
        torch = ops.parse_schema(record.to_string(style="torch"))
        assert torch.to_string(style="torch") == record.to_string(style="torch")


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from(list("acme::op(Tensor x, int[2]? k=1) -> *\"'|!{}#\n\\0")), max_size=80)
)
def test_nothing_but_a_schema_error(text: str) -> None:
    try:
        ops.parse_schema(text)
    except ops.OpSchemaError as error:
        assert str(error)


def test_every_shipped_record_prints_what_parses() -> None:
    for name in ops.list_ops():
        for record in ops.versions(name):
            assert str(ops.parse_schema(str(record))) == str(record)


def test_errors_have_a_caret() -> None:
    with pytest.raises(ops.OpSchemaError) as caught:
        ops.parse_schema("acme::f(Tensor x, Tensr y) -> Tensor", file="f.py", line=7)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("f.py:7:19:")
    assert lines[2].index("^") == lines[1].index("Tensr")


PAGE = Path(__file__).resolve().parents[3] / "docs" / "schema.md"


def documented_differences() -> "dict[str, bool]":
    """Return each schema of the table of differences, and whether it is refused."""
    section = PAGE.read_text().partition("## What differs from PyTorch")[2].partition("\n## ")[0]
    found = {}
    for line in section.splitlines():
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        for text in re.findall(r"`(f\([^`]*\))`", cells[0] if len(cells) == 4 else ""):
            found[text] = "error" in cells[2]
    return found


@pytest.mark.parametrize(
    ("text", "is_refused"), documented_differences().items(), ids=documented_differences().keys()
)
def test_differences_from_pytorch_are_as_documented(text: str, is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(ops.OpSchemaError, match=r"<schema>:1:\d+: error: "):
            ops.parse_schema(f"{text} -> ()")
    else:
        ops.parse_schema(f"{text} -> ()")


def test_the_table_of_differences_is_read() -> None:
    assert len(documented_differences()) > 40


def test_strings_inside_are_not_quoted_in_pytorchs_style() -> None:
    # As torch 2.13 prints torch._C.FunctionSchema of such defaults.
    text = 'f(str[] x=["a", "b c"], (str, int) y=("a", 2), str z="a") -> ()'
    record = ops.parse_schema(text)
    assert str(record) == text
    assert (
        record.to_string(style="torch")
        == 'f(str[] x=[a, b c], (str, int) y=(a, 2), str z="a") -> ()'
    )


def test_a_name_is_no_schema() -> None:
    assert ops.parse_schema_or_name("aten::add.Tensor") == ("aten", "add", "Tensor")
    record = ops.parse_schema_or_name("aten::relu(Tensor x) -> Tensor")
    assert isinstance(record, ops.OpDef)


def test_record_views() -> None:
    record = ops.parse_schema(
        "a::f.o(Tensor(a!) x, int[2] k=[1,2], *, bool b=False) -> (Tensor(a!), int n)"
    )
    assert (record.ns, record.name, record.overload) == ("a", "f", "o")
    assert record.qualified_name == "a::f.o"
    x, k, b = record.params
    assert [p.name for p in record.operands] == ["x"]
    assert [p.name for p in record.attributes] == ["k", "b"]
    assert (x.is_operand, x.required, x.default) == (True, True, None)
    assert x.alias == {"before": ("a",), "after": ("a",), "is_write": True, "contained": ()}
    assert (k.type.is_list, k.type.size, k.default) == (True, 2, [1, 2])
    assert (b.kw_only, b.default) == (True, False)
    assert [r.name for r in record.results] == ["", "n"]
    assert record.to_string(style="torch").startswith("a::f.o(Tensor(a!) x, int[2] k=[1, 2]")
    assert repr(record) == f"<OpDef {record}>"
    with pytest.raises(AttributeError):
        record.name = "g"
    with pytest.raises(ValueError, match="style"):
        record.to_string(style="mlir")


def test_types_are_interned() -> None:
    assert ops.Type("int[2]?") == ops.Type("int [ 2 ] ?")
    assert {ops.Type("Tensor"), ops.Type("Tensor")} == {ops.Type("Tensor")}
    assert str(ops.Type("Dict(str, Tensor)").elements[1]) == "Tensor"
    assert ops.Type("int") != "int"
    with pytest.raises(ops.OpSchemaError):
        ops.Type("int[")


def test_errors_are_of_one_family() -> None:
    assert ops.OpSchemaError is ir.OpSchemaError
    assert issubclass(ops.BindError, ir.GEError)
    assert issubclass(ops.BindError, TypeError)
