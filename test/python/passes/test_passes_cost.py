"""Every built-in pass is linear: twice the graph takes at most 3.5 times as long.

Measures CPU seconds of the thread, the best of several runs, if the larger graph takes long enough to be measured.
The graphs have structures for which passes tend to be quadratic: chains that a pass rewrites, values with many uses,
nodes with many operands, many constants, sequential and nested bodies, calls of functions. Not covered: the cost of
evaluators.
"""

import struct
import time
from collections.abc import Callable, Iterator

import pytest

import ge.ir as ir
from ge import ops
from ge.passes import PassManager, list_passes

SIZE = 4000
LONG = 0.05  # seconds; below it caches and the allocator dominate the ratio
RATIO = 3.5

T = "tensor<4x4xf32>"
BINARY = f"({T}, {T}) -> {T}"
HEAD = "module attributes {ge.attrs = {opset = {onnx = 18 : i64}}} {\n"


def function(body: str, result: str, *, inputs: str = f"%x: {T}, %c: tensor<i1>") -> str:
    return f"{HEAD}func.func @g({inputs}) -> {T} {{\n{body}return %{result} : {T}\n}}\n}}"


def constants(count: int, value: Callable[[int], float] = float) -> str:
    return "".join(
        f'%w{i} = "ge.Const"() {{value = dense<[{value(i)}, 1.0, 2.0, 3.0]> : tensor<4xf32>}} : () -> tensor<4xf32>\n'
        for i in range(count)
    )


def ints(name: str, *values: int) -> str:
    length = f"tensor<{len(values)}xi64>"
    return f'%{name} = "ge.Const"() {{value = dense<{list(values)}> : {length}}} : () -> {length}\n'


def chain(step: str, count: int, head: str = "") -> str:
    """Return a function that repeats ``step`` count times from %x on; {a} is its operand, {b} its result."""
    names = ["x", *(f"y{i}" for i in range(count))]
    body = "".join(step.format(a=names[i], b=names[i + 1], i=i) for i in range(count))
    return function(head + body, names[-1])


def unary(op: str, attributes: str = "") -> Callable[[int], str]:
    return lambda n: chain(f'%{{b}} = "onnx.{op}"(%{{a}}) {attributes} : ({T}) -> {T}\n', n)


def with_ints(op: str, *values: int, result: str = T) -> Callable[[int], str]:
    step = f'%{{b}} = "onnx.{op}"(%{{a}}, %s) : ({T}, tensor<{len(values)}xi64>) -> {result}\n'
    return lambda n: chain(step, n, ints("s", *values))


def with_number(op: str) -> Callable[[int], str]:
    step = f'%{{b}} = "onnx.{op}"(%{{a}}, %k) : ({T}, tensor<f32>) -> {T}\n'
    head = '%k = "ge.Const"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>\n'
    return lambda n: chain(step, n, head)


def there_and_back(n: int) -> str:
    step = (
        f'%u{{i}} = "onnx.Unsqueeze"(%{{a}}, %s) : ({T}, tensor<1xi64>) -> tensor<1x4x4xf32>\n'
        f'%t{{i}} = "onnx.Transpose"(%u{{i}}) {{{{perm = array<i64: 0, 2, 1>}}}} : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>\n'
        f'%q{{i}} = "onnx.Squeeze"(%t{{i}}, %s) : (tensor<1x4x4xf32>, tensor<1xi64>) -> {T}\n'
        f'%{{b}} = "onnx.Relu"(%q{{i}}) : ({T}) -> {T}\n'
    )
    return chain(step, n // 4, ints("s", 0))


def shapes(n: int) -> str:
    step = (
        f'%h{{i}} = "onnx.Shape"(%{{a}}) : ({T}) -> tensor<2xi64>\n'
        '%p{i} = "onnx.Slice"(%h{i}, %s, %e) : (tensor<2xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>\n'
        '%q{i} = "onnx.Concat"(%p{i}, %p{i}) {{axis = 0}} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>\n'
        f'%{{b}} = "onnx.Reshape"(%{{a}}, %q{{i}}) : ({T}, tensor<2xi64>) -> {T}\n'
    )
    return chain(step, n // 4, ints("s", 0) + ints("e", 1))


def products(n: int) -> str:
    step = (
        f'%v{{i}} = "ge.Const"() {{{{value = dense<{{i}}.0> : {T}}}}} : () -> {T}\n'
        f'%w{{i}} = "onnx.Add"(%v{{i}}, %m) : {BINARY}\n'
        f'%p{{i}} = "onnx.MatMul"(%{{a}}, %w{{i}}) : {BINARY}\n'
        f'%q{{i}} = "onnx.Mul"(%p{{i}}, %k) : ({T}, tensor<f32>) -> {T}\n'
        f'%{{b}} = "onnx.Add"(%q{{i}}, %b) : ({T}, tensor<4xf32>) -> {T}\n'
    )
    rows = [[i * 4.0 + k for k in range(4)] for i in range(4)]
    head = (
        f'%m = "ge.Const"() {{value = dense<{rows}> : {T}}} : () -> {T}\n'
        '%k = "ge.Const"() {value = dense<1.5> : tensor<f32>} : () -> tensor<f32>\n'
        '%b = "ge.Const"() {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>\n'
    )
    return chain(step, n // 5, head)


def joined(names: list[str], type: str = T) -> str:
    """Return one node that uses all of the values."""
    operands, types = ", ".join(f"%{n}" for n in names), ", ".join([type] * len(names))
    return f'%all = "onnx.Max"({operands}) : ({types}) -> {T}\n'


def wide(op: str) -> Callable[[int], str]:
    def text(n: int) -> str:
        body = "".join(f'%y{i} = "onnx.{op}"(%x) : ({T}) -> {T}\n' for i in range(n))
        return function(body + joined([f"y{i}" for i in range(n)]), "all")

    return text


def one_constant(n: int) -> str:
    body = "".join(
        f'%y{i} = "onnx.Add"(%w0, %x{i}) : (tensor<4xf32>, {T}) -> {T}\n'
        if i % 2
        else f'%y{i} = "onnx.Neg"(%w0) : (tensor<4xf32>) -> tensor<4xf32>\n'
        f'%x{i + 1} = "onnx.Mul"(%x, %y{i}) : ({T}, tensor<4xf32>) -> {T}\n'
        for i in range(n)
    )
    odd = [f"y{i}" for i in range(1, n, 2)]
    return function(constants(1) + body + joined(odd), "all")


def many_constants(value: Callable[[int], float]) -> Callable[[int], str]:
    def text(n: int) -> str:
        body = "".join(
            f'%y{i} = "onnx.Mul"(%x, %w{i}) : ({T}, tensor<4xf32>) -> {T}\n' for i in range(n)
        )
        return function(constants(n, value) + body + joined([f"y{i}" for i in range(n)]), "all")

    return text


def folded_operands(n: int) -> str:
    names = [f"w{i}" for i in range(n)]
    all_of_them = joined(names, "tensor<4xf32>").replace(f"-> {T}", "-> tensor<4xf32>")
    one = f'%sum = "onnx.Add"(%x, %all) : ({T}, tensor<4xf32>) -> {T}\n'
    return function(constants(n) + all_of_them + one, "sum")


def concats(n: int) -> str:
    body = "".join(
        f'%c{i + 1} = "onnx.Concat"(%c{i}, %w0) {{axis = 0}} : (tensor<{i * 4 + 4}xf32>, tensor<4xf32>) '
        f"-> tensor<{i * 4 + 8}xf32>\n"
        for i in range(n)
    )
    one = (
        f'%r = "onnx.ReduceMax"(%c{n}) {{keepdims = 0}} : (tensor<{n * 4 + 4}xf32>) -> tensor<f32>\n'
        f'%y = "onnx.Add"(%x, %r) : ({T}, tensor<f32>) -> {T}\n'
    )
    first = constants(1) + constants(1).replace("%w0", "%c0")
    return function(first + body + one, "y")


def concats_of_inputs(n: int) -> str:
    """Return Concats along the same axis, which become one Concat of n operands."""
    body = "".join(
        f'%c{i + 1} = "onnx.Concat"(%c{i}, %x) {{axis = 0}} : (tensor<{i * 4 + 4}x4xf32>, {T}) '
        f"-> tensor<{i * 4 + 8}x4xf32>\n"
        for i in range(n)
    )
    body = body.replace("(%c0,", "(%x,")
    one = (
        f'%r = "onnx.ReduceMax"(%c{n}) {{keepdims = 0}} : (tensor<{n * 4 + 4}x4xf32>) -> tensor<f32>\n'
        f'%y = "onnx.Add"(%x, %r) : ({T}, tensor<f32>) -> {T}\n'
    )
    return function(body + one, "y")


SLOTS = '{ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]}'


def branch(name: str, condition: str, then: str, value: str, otherwise: str) -> str:
    return (
        f'%{name} = "onnx.If"(%{condition}) ({{\n{then}"ge.yield"(%{value}) : ({T}) -> ()\n}}, {{\n'
        f'"ge.yield"(%{otherwise}) : ({T}) -> ()\n}}) {SLOTS} : (tensor<i1>) -> {T}\n'
    )


def bodies(condition: str) -> Callable[[int], str]:
    """Return a maker of a sequence of Ifs."""
    head = '%k = "ge.Const"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>\n'

    def text(n: int) -> str:
        names, body = ["x", *(f"y{i}" for i in range(n // 4))], head
        for i, (a, b) in enumerate(zip(names, names[1:], strict=False)):
            then = f'%t{i} = "onnx.Neg"(%{a}) : ({T}) -> {T}\n'
            body += branch(b, condition, then, f"t{i}", a)
        return function(body, names[-1])

    return text


def nested(n: int) -> str:
    """Return Ifs nested 50 deep, with a node in each body."""
    deep, body = 50, ""
    for k in range(n // deep // 3):
        then = f'%e{k} = "onnx.Relu"(%x) : ({T}) -> {T}\n'
        name = f"e{k}"
        for i in range(deep):
            inner = f"y{k}_{i}"
            then = f'%t{k}_{i} = "onnx.Neg"(%x) : ({T}) -> {T}\n' + branch(
                inner, "c", then, name, f"t{k}_{i}"
            )
            name = inner
        body += then
    names = [f"y{k}_{deep - 1}" for k in range(n // deep // 3)]
    return function(body + joined(names), "all")


def dead(n: int) -> str:
    text = unary("Neg")(n)
    return text.replace(f"return %y{n - 1}", "return %x")


def products_of_one_operand(n: int) -> str:
    """Return MatMuls of one operand with different weights: merge-matmuls inspects all other uses from each of them."""
    weight, column = "tensor<32x1xf32>", "tensor<4x1xf32>"
    body = "".join(
        f'%w{i} = "ge.Const"() {{value = dense<"0x{struct.pack("<32f", i, *range(31)).hex()}"> : {weight}}} '
        f": () -> {weight}\n"
        f'%v{i} = "onnx.MatMul"(%x, %w{i}) : (tensor<4x32xf32>, {weight}) -> {column}\n'
        for i in range(n)
    )
    operands = ", ".join(f"%v{i}" for i in range(n))
    body += (
        f'%c = "onnx.Concat"({operands}) {{axis = 1}} : ({", ".join([column] * n)}) -> tensor<4x{n}xf32>\n'
        f'%r = "onnx.ReduceMax"(%c) {{keepdims = 0}} : (tensor<4x{n}xf32>) -> tensor<f32>\n'
        f'%y = "onnx.Add"(%z, %r) : ({T}, tensor<f32>) -> {T}\n'
    )
    return function(body, "y", inputs=f"%x: tensor<4x32xf32>, %z: {T}")


def sequences(n: int) -> str:
    sequence = f"!ge.seq<{T}>"
    body = "".join(f'%v{i} = "onnx.Neg"(%x) {{}} : ({T}) -> {T}\n' for i in range(n))
    operands = ", ".join(f"%v{i}" for i in range(n))
    body += f'%s = "onnx.SequenceConstruct"({operands}) : ({", ".join([T] * n)}) -> {sequence}\n'
    body += "".join(
        f'%i{i} = "ge.Const"() {{value = dense<{i}> : tensor<i64>}} : () -> tensor<i64>\n'
        f'%y{i} = "onnx.SequenceAt"(%s, %i{i}) : ({sequence}, tensor<i64>) -> {T}\n'
        for i in range(n)
    )
    return function(body + joined([f"y{i}" for i in range(n)]), "all")


UNKNOWN = "(!ge.unknown) -> !ge.unknown"


def called(callee: Callable[[int], str], count: int, n: int) -> str:
    graphs = "".join(
        f"func.func @local.F{k}(%x: !ge.unknown) -> !ge.unknown attributes {{ge.attrs = "
        f'{{"onnx.function" = {{domain = "local", name = "F{k}"}}}}}} {{\n'
        f'%y = "{callee(k)}"(%x) : {UNKNOWN}\nreturn %y : !ge.unknown\n}}\n'
        for k in range(count)
    )
    step = f'%{{b}} = "local.F0"(%{{a}}) : ({T}) -> {T}\n'
    return chain(step, n)[:-1] + graphs + "}"


def calls(n: int) -> str:
    return called(lambda k: "onnx.Neg", 1, n)


def functions(n: int) -> str:
    return called(lambda k: f"local.F{k + 1}" if k + 1 < n // 4 else "onnx.Neg", n // 4, 1)


def outputs(n: int) -> str:
    """Return a chain in which every value is an output."""
    body = "".join(
        f'%y{i} = "onnx.Identity"(%{"x" if i == 0 else f"y{i - 1}"}) : ({T}) -> {T}\n'
        for i in range(n)
    )
    names, types = ", ".join(f"%y{i}" for i in range(n)), ", ".join([T] * n)
    return f"{HEAD}func.func @g(%x: {T}) -> ({types}) {{\n{body}return {names} : {types}\n}}\n}}"


SHAPES: dict[str, Callable[[int], str]] = {
    "chain of Neg": unary("Neg"),
    "chain of Relu": unary("Relu"),
    "chain of Identity": unary("Identity"),
    "chain of Transpose": unary("Transpose", "{{perm = array<i64: 1, 0>}}"),
    "chain of Cast": unary("Cast", "{{to = 1 : i64}}"),
    "chain of Reshape": with_ints("Reshape", 4, 4),
    "chain of Expand": with_ints("Expand", 4, 4),
    "chain of Pad": with_ints("Pad", 0, 0, 0, 0),
    "chain of Mul": with_number("Mul"),
    "chain of Add": with_number("Add"),
    "chain of Pow": with_number("Pow"),
    "there and back": there_and_back,
    "shapes": shapes,
    "products": products,
    "wide and equal": wide("Neg"),
    "wide Identity": wide("Identity"),
    "one constant": one_constant,
    "equal constants": many_constants(lambda i: 0.5),
    "other constants": many_constants(lambda i: i + 0.5),
    "constants of one node": folded_operands,
    "nested Concats of constants": concats,
    "nested Concats of an input": concats_of_inputs,
    "bodies": bodies("c"),
    "bodies with a constant condition": bodies("k"),
    "nested bodies": nested,
    "dead nodes": dead,
    "products of one operand": products_of_one_operand,
    "sequences": sequences,
    "calls of one function": calls,
    "functions that call the next": functions,
    "outputs": outputs,
}

NATIVE = [p["name"] for p in list_passes() if p["kind"] == "native"]


def seconds(pass_name: str, text: str) -> float:
    module = ir.Module.parse(text)
    manager = PassManager.parse(pass_name)
    start = time.thread_time()
    manager.run(module)
    return time.thread_time() - start


def growth(pass_name: str, shape: Callable[[int], str]) -> float:
    """Return the ratio of times for twice the graph; 0 if the time is too short to measure."""
    found = growth_from(SIZE, pass_name, shape)
    # Caches and the allocator may cause a step at one size; a quadratic cost shows at the next size, too.
    return found if found < RATIO else growth_from(2 * SIZE, pass_name, shape)


def growth_from(size: int, pass_name: str, shape: Callable[[int], str]) -> float:
    small, large = shape(size), shape(2 * size)
    took = seconds(pass_name, large)
    if took < LONG:
        return 0
    for attempt in range(10):  # noise only makes times longer
        time.sleep(0.2 * attempt)  # other load may end in the meantime
        took = min(took, seconds(pass_name, large))
        ratio = took / min(seconds(pass_name, small) for _ in range(2))
        if took < LONG or ratio < RATIO:
            break
    return ratio


@pytest.fixture(autouse=True)
def native_evaluation() -> Iterator[None]:
    """Use native evaluation only: evaluators are not measured."""
    before = ops.use_evaluator(None)
    yield
    ops.use_evaluator(before)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_graph_costs_at_most_3_5_times(shape: str) -> None:
    found = {name: growth(name, SHAPES[shape]) for name in NATIVE}
    assert {name: ratio for name, ratio in found.items() if ratio >= RATIO} == {}


def test_all_passes_are_measured() -> None:
    assert {"constant-fold", "cse", "dce", "inline", "merge-chains", "optimize"} <= set(NATIVE)
