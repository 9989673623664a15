"""Limits of the text form: depth, number of errors, size. Parsing is linear in the size of any text.

Times are compared with those of a smaller text of the same kind, with a margin for a busy machine that still
detects quadratic costs.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ge import ir

PAGE = Path(__file__).parents[3] / "docs" / "text-format.md"


def node(attributes: str) -> str:
    return f'func.func @main() {{\n  "x.f"() {attributes} : () -> ()\n  return\n}}\n'


def graph(argument: str) -> str:
    return f"func.func @main(%x: {argument}) {{\n  return\n}}\n"


def regions(depth: int) -> str:
    """Return a graph of nested graphs with `depth` levels, including itself."""
    opening = '"x.f"() ({\n' * (depth - 1)
    closing = '"ge.yield"() : () -> ()\n}) : () -> ()\n' * (depth - 1)
    return f"func.func @main() {{\n{opening}{closing}return\n}}\n"


NESTED: dict[str, Callable[[int], str]] = {
    "lists": lambda n: node("{a = " + "[" * (n - 1) + "true" + "]" * (n - 1) + "}"),
    "dictionaries": lambda n: node("{a = " + "{k = " * (n - 1) + "true" + "}" * (n - 1) + "}"),
    "types": lambda n: graph("!ge.seq<" * (n - 1) + "tensor<f32>" + ">" * (n - 1)),
    "regions": regions,
    "locations": lambda n: (
        'func.func @main() {\n  "x.f"() : () -> () loc('
        + "".join(f'"n{i}"(' for i in range(n - 1))
        + '"leaf"'
        + ")" * (n - 1)
        + ")\n  return\n}\n"
    ),
}


@pytest.mark.parametrize("kind", NESTED)
def test_256_levels_are_read_and_printed(kind: str):
    module = ir.Module.parse(NESTED[kind](256))
    text = module.to_text(locations=True)
    again = ir.Module.parse(text)
    assert again.is_structurally_equal(module)
    assert again.to_text(locations=True) == text


@pytest.mark.parametrize("levels", [257, 300, 20_000])
@pytest.mark.parametrize("kind", NESTED)
def test_more_are_an_error(kind: str, levels: int):
    with pytest.raises(ir.ParseError, match="256"):
        ir.Module.parse(NESTED[kind](levels))


@pytest.mark.parametrize("bracket", ["(", "[", "{", "<", '"', "dense<", "tensor<", "loc(", "%a = "])
def test_many_open_brackets_are_an_error(bracket: str):
    for text in (bracket * 100_000, node("{a = " + bracket * 100_000 + "}")):
        with pytest.raises(ir.ParseError):
            ir.Module.parse(text)


def test_a_tensor_of_any_rank_is_read():
    rank = 2000
    text = node("{a = dense<" + "[" * rank + "7" + "]" * rank + f"> : tensor<{'1x' * rank}i8>}}")
    module = ir.Module.parse(text)
    assert ir.Module.parse(module.to_text()).is_structurally_equal(module)


def test_at_most_20_errors_are_reported():
    body = "".join(f'  "x.f"(%u{i}) : (tensor<2xf32>) -> ()\n' for i in range(100))
    for text in (
        f"func.func @main() {{\n{body}  return\n}}\n",
        f'"ge.graph"() ({{\n{body}  "ge.output"() : () -> ()\n}}) {{sym_name = "main"}} : () -> ()\n',
    ):
        with pytest.raises(ir.ParseError) as error:
            ir.Module.parse(text)
        assert len(error.value.diagnostics) == 20


def test_nothing_is_left_of_a_text_with_errors():
    context = ir.Context()
    with pytest.raises(ir.ParseError):
        ir.Module.parse(
            'func.func @a() { return }\nfunc.func @b() { "x.f"(%u) : () -> () }', context=context
        )
    assert context.live_graph_count() == 0
    assert context.live_handle_count() == 0


def test_aliases_do_not_stand_for_exponentially_much():
    for line in ("#a{1} = [#a{0}, #a{0}]\n", "#a{1} = {{x = #a{0}, y = #a{0}}}\n"):
        lines = "#a0 = 1\n" + "".join(line.format(i, i + 1) for i in range(60))
        with pytest.raises(ir.ParseError, match="aliases stand for more"):
            ir.Module.parse(lines)
    lines = '#a0 = loc("a")\n' + "".join(
        f'#a{i + 1} = loc(fused["x{i}"(#a{i}), "y{i}"(#a{i})])\n' for i in range(60)
    )
    with pytest.raises(ir.ParseError, match="aliases stand for more"):
        ir.Module.parse(lines)


def many_nodes(count: int) -> str:
    body = "".join(f'  %v{i} = "x.f"() : () -> tensor<2xf32>\n' for i in range(count))
    return f"func.func @main() {{\n{body}  return\n}}\n"


def many_operands(count: int) -> str:
    names = ", ".join(["%x"] * count)
    types = ", ".join(["tensor<2xf32>"] * count)
    return (
        f'func.func @main(%x: tensor<2xf32>) {{\n  "x.f"({names}) : ({types}) -> ()\n  return\n}}\n'
    )


def many_results(count: int) -> str:
    types = ", ".join(["tensor<2xf32>"] * count)
    return f'func.func @main() {{\n  %a:{count} = "x.f"() : () -> ({types})\n  return\n}}\n'


def many_attributes(count: int) -> str:
    return node("{" + ", ".join(f"a{i} = {i}" for i in range(count)) + "}")


def many_forward_uses(count: int) -> str:
    body = "".join(
        f'  %v{i} = "x.f"(%v{i + 1}) : (tensor<2xf32>) -> tensor<2xf32>\n' for i in range(count)
    )
    last = f'  %v{count} = "x.f"() : () -> tensor<2xf32>\n  "ge.output"() : () -> ()\n'
    return f'"ge.graph"() ({{\n{body}{last}}}) {{sym_name = "main"}} : () -> ()\n'


def many_types(count: int) -> str:
    body = "".join(f'  "x.f"() : () -> tensor<{i}xf32> // "<\n' for i in range(count))
    return f"func.func @main() {{\n{body}  return\n}}\n"


def many_nested_regions(count: int) -> str:
    inner = "".join('"x.g"() ({ "ge.yield"() : () -> () }) : () -> ()\n' for _ in range(count))
    deep = inner
    for _ in range(50):
        deep = f'"x.f"() ({{\n{deep}"ge.yield"() : () -> ()\n}}) : () -> ()\n'
    return f"func.func @main() {{\n{deep}return\n}}\n"


def many_aliases(count: int) -> str:
    aliases = "".join(f'#l{i} = loc("f.py":{i}:1)\n' for i in range(count))
    body = "".join(f'  "x.f"() : () -> () loc(#l{i})\n' for i in range(count))
    return f"func.func @main() {{\n{body}  return\n}}\n{aliases}"


def many_inputs(count: int) -> str:
    names = ", ".join(f"%a{i}: tensor<2xf32> {{ge.attrs = {{k = {i}}}}}" for i in range(count))
    return f"func.func @main({names}) {{\n  return\n}}\n"


def many_outputs(count: int) -> str:
    results = ", ".join(f'tensor<2xf32> {{ge.name = "o{i}"}}' for i in range(count))
    values = ", ".join(["%x"] * count)
    types = ", ".join(["tensor<2xf32>"] * count)
    return (
        f"func.func @main(%x: tensor<2xf32>) -> ({results}) {{\n  return {values} : {types}\n}}\n"
    )


def many_repeated_names(count: int) -> str:
    body = "".join(
        f'  %{i} = "x.f"() {{ge.name = "n", ge.result_names = ["n"]}} : () -> tensor<2xf32>\n'
        for i in range(count)
    )
    return f"func.func @main() {{\n{body}  return\n}}\n"


def many_resources(count: int) -> str:
    body = "".join(
        f'  "x.f"() {{v = dense_resource<k{i}> : tensor<20xi8>}} : () -> ()\n' for i in range(count)
    )
    blobs = ",\n".join(f'k{i}: "0x01000000{"00" * 20}"' for i in range(count))
    return (
        f"func.func @main() {{\n{body}  return\n}}\n"
        f"{{-# dialect_resources: {{ builtin: {{ {blobs} }} }} #-}}\n"
    )


def many_control_edges(count: int) -> str:
    body = "".join(f'  %c{i} = "x.f"() : () -> !ge.control\n' for i in range(count))
    names = ", ".join(f"%c{i}" for i in range(count))
    types = ", ".join(["!ge.control"] * count)
    return f'func.func @main() {{\n{body}  "x.g"({names}) : ({types}) -> ()\n  return\n}}\n'


def many_errors_in_strings(count: int) -> str:
    return "func.func @main() {\n" + '  "x.f"() {a = "open} : () -> ()\n' * count + "  return\n}\n"


LARGE = [
    many_nodes,
    many_operands,
    many_results,
    many_attributes,
    many_forward_uses,
    many_types,
    many_nested_regions,
    many_aliases,
    many_inputs,
    many_outputs,
    many_repeated_names,
    many_resources,
    many_control_edges,
    many_errors_in_strings,
]


def seconds(text: str) -> float:
    """Return the time for parsing and printing, the best of three runs."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        try:
            ir.Module.parse(text).to_text()
        except ir.ParseError:
            pass
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.nosan  # the sanitizer's quarantine dominates the growth
@pytest.mark.parametrize("make", LARGE, ids=lambda make: make.__name__)
def test_reading_and_printing_are_linear(make: Callable[[int], str]):
    small, large = make(1500), make(24_000)
    # 16 times the text; a quadratic cost would take 256 times as long.
    assert seconds(large) < 64 * max(seconds(small), 0.0005)


def test_the_page_reads_as_it_says():
    (example,) = re.findall(r"```mlir\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert ir.Module.parse(example).to_text() == example
