"""The built-in passes preserve the writes that the alias sets of an operator's schema declare.

An operator with `Tensor(a!)` is never pure, so its nodes are not erased, merged or folded; nor are constants and
computations of the storage that it writes. Each test also runs the same graph without the write, which does change. Not
covered here: writes in the interpreter.
"""

from collections.abc import Iterator

import pytest

from ge import ir, ops
from ge.passes import PassManager

SCHEMAS = {
    "scale_": "(Tensor(a!) x, *, float factor=2.0) -> Tensor(a!)",
    "scale": "(Tensor x, *, float factor=2.0) -> Tensor",
    "fill_": "(Tensor(a!) x) -> ()",
    "fill": "(Tensor x) -> ()",
    "noise_": "(Tensor(a!) x) -> Tensor",
    "noise": "(Tensor x) -> Tensor",
    "view": "(Tensor(a) x) -> Tensor(a)",
    "many_": "(Tensor(a!)[] x) -> Tensor",
}
PURE = {
    "scale": ["pure"],
    "view": ["pure"],
    "noise": ["nondeterministic"],
    "noise_": ["nondeterministic"],
}


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    with ops.Library("writes") as library:
        for name, schema in SCHEMAS.items():
            library.define(name + schema, traits=PURE.get(name, ()))
        yield


def run(pipeline: str, text: str) -> list[str]:
    """Run a pipeline; return the remaining operators, sorted."""
    graph = ir.Graph.parse(text)
    PassManager.parse(pipeline).run(graph)
    graph.verify()
    return sorted(node.op for node in graph.nodes)


def graph(*lines: str, results: str = "", inputs: str = "%x: tensor<2xf32>") -> str:
    types = ", ".join("tensor<2xf32>" for _ in results.split())
    arrow = f" -> ({types})" if types else ""
    end = f"return {', '.join(results.split())} : {types}" if types else "return"
    return f"func.func @g({inputs}){arrow} {{\n" + "\n".join(lines) + f"\n{end}\n}}\n"


def unary(result: str, op: str, operand: str) -> str:
    return f'{result} = "{op}"({operand}) : (tensor<2xf32>) -> tensor<2xf32>'


CONST = '= "ge.Const"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>'
FILL = '"writes.fill_"({}) : (tensor<2xf32>) -> ()'


@pytest.mark.parametrize(
    "schema",
    [
        "(Tensor(a!) x) -> Tensor(a!)",
        "(Tensor y, Tensor(a!)? x=None) -> Tensor",
        "(Tensor(a!)[] x) -> Tensor",
        "((Tensor(a!), Tensor) x) -> Tensor",
    ],
)
def test_an_operator_that_writes_is_not_pure(schema: str) -> None:
    with ops.Library("writes", kind="FRAGMENT") as library:
        with pytest.raises(
            ops.OpSchemaError, match=r"writes::f\(\): trait 'pure' contradicts operand 'x'"
        ):
            library.define("f" + schema, traits=["pure"])
        library.define("f" + schema)
        assert "pure" in library.define("g" + schema.replace("!", ""), traits=["pure"]).traits


def test_a_result_that_is_written_is_not_pure() -> None:
    with ops.Library("writes", kind="FRAGMENT") as library:
        with pytest.raises(ops.OpSchemaError, match="trait 'pure' contradicts result 1, an alias"):
            library.define("r(Tensor x) -> (Tensor, Tensor(a!))", traits=["pure"])


def test_a_function_that_writes_is_not_pure() -> None:
    with pytest.raises(ops.OpSchemaError, match="contradicts"):

        @ops.op("writes::h", schema="(Tensor(a!) x) -> Tensor(a!)", traits=["pure"])
        def h(x: ir.Value) -> ir.Value:
            return x


@pytest.mark.parametrize(("op", "left"), [("scale_", 1), ("scale", 0), ("noise_", 1), ("noise", 0)])
def test_dce_keeps_what_writes(op: str, left: int) -> None:
    assert len(run("dce", graph(unary("%0", f"writes.{op}", "%x")))) == left


@pytest.mark.parametrize(("op", "left"), [("scale_", 1), ("scale", 0)])
def test_dce_keeps_what_writes_in_a_body(op: str, left: int) -> None:
    text = f"""func.func @g(%c: tensor<i1>, %x: tensor<2xf32>) {{
      %0 = "onnx.If"(%c) ({{
        {unary("%1", f"writes.{op}", "%x")}
        "ge.yield"(%x) : (tensor<2xf32>) -> ()
      }}, {{
        "ge.yield"(%x) : (tensor<2xf32>) -> ()
      }}) {{ge.subgraphs = [{{slot = "then_branch"}}, {{slot = "else_branch"}}]}} : (tensor<i1>) -> tensor<2xf32>
      return
    }}"""
    assert len(run("dce", text)) == left


@pytest.mark.parametrize(("op", "left"), [("scale_", 2), ("scale", 1)])
def test_cse_does_not_merge_writes(op: str, left: int) -> None:
    lines = [unary("%0", f"writes.{op}", "%x"), unary("%1", f"writes.{op}", "%x")]
    text = graph(
        *lines,
        '%2 = "onnx.Add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
        results="%2",
    )
    assert run("cse", text).count(f"writes.{op}") == left


def between(write: str) -> str:
    return graph(
        unary("%0", "onnx.Abs", "%x"),
        write,
        unary("%1", "onnx.Abs", "%x"),
        '%2 = "onnx.Add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
        results="%2",
    )


@pytest.mark.parametrize(
    ("write", "left"),
    [
        (FILL.format("%x"), 2),
        ('"writes.fill"(%x) : (tensor<2xf32>) -> ()', 1),
        (unary("%v", "writes.view", "%x") + "\n" + FILL.format("%v"), 2),
        (unary("%v", "onnx.Neg", "%x") + "\n" + FILL.format("%v"), 1),
        ('%v = "writes.many_"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', 2),
        ('%v = "math.AssignAdd"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', 2),
    ],
    ids=[
        "write",
        "read",
        "write of a view",
        "write of a copy",
        "write of a list",
        "CANN's operator",
    ],
)
def test_cse_does_not_merge_reads_around_a_write(write: str, left: int) -> None:
    assert run("cse", between(write)).count("onnx.Abs") == left


def test_cse_does_not_merge_what_is_written_later() -> None:
    lines = [
        unary("%0", "onnx.Abs", "%x"),
        unary("%1", "onnx.Abs", "%x"),
        FILL.format("%0"),
        '%2 = "onnx.Add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
    ]
    assert run("cse", graph(*lines, results="%2")).count("onnx.Abs") == 2
    lines[2] = '"writes.fill"(%0) : (tensor<2xf32>) -> ()'
    assert run("cse", graph(*lines, results="%2")).count("onnx.Abs") == 1


@pytest.mark.parametrize(
    ("op", "written", "left"),
    [("fill_", "%c", 1), ("fill", "%c", 0), ("fill_", "%0", 1), ("fill", "%0", 0)],
)
def test_folding_leaves_what_is_written(op: str, written: str, left: int) -> None:
    lines = [
        f"%c {CONST}",
        unary("%0", "onnx.Neg", "%c"),
        f'"writes.{op}"({written}) : (tensor<2xf32>) -> ()',
        '%1 = "onnx.Add"(%x, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
    ]
    assert run("constant-fold", graph(*lines, results="%1")).count("onnx.Neg") == left


@pytest.mark.parametrize(("op", "left"), [("fill_", 2), ("fill", 1)])
def test_a_written_constant_is_not_shared(op: str, left: int) -> None:
    lines = [
        f"%a {CONST}",
        f"%b {CONST}",
        f'"writes.{op}"(%b) : (tensor<2xf32>) -> ()',
        '%1 = "onnx.Add"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
    ]
    assert run("share-weights", graph(*lines, results="%1")).count("ge.Const") == left


@pytest.mark.parametrize(("op", "left"), [("fill_", 1), ("fill", 0)])
def test_a_copy_that_is_written_stays(op: str, left: int) -> None:
    lines = [
        unary("%0", "onnx.Identity", "%x"),
        f'"writes.{op}"(%0) : (tensor<2xf32>) -> ()',
        '%1 = "onnx.Add"(%x, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>',
    ]
    assert run("optimize", graph(*lines, results="%1")).count("onnx.Identity") == left


def test_a_write_in_a_body_counts_for_what_the_node_takes() -> None:
    """A body that writes the carried value of a Loop may write the Loop's operand."""

    def text(op: str) -> str:
        return f"""func.func @g(%n: tensor<i64>, %c: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {{
          {unary("%0", "onnx.Abs", "%x")}
          %r = "onnx.Loop"(%n, %c, %x) ({{
          ^bb0(%i: tensor<i64>, %k: tensor<i1>, %y: tensor<2xf32>):
            "writes.{op}"(%y) : (tensor<2xf32>) -> ()
            "ge.yield"(%k, %y) : (tensor<i1>, tensor<2xf32>) -> ()
          }}) {{ge.subgraphs = [{{slot = "body"}}]}} : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
          {unary("%1", "onnx.Abs", "%x")}
          %2 = "onnx.Add"(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
          return %2, %r : tensor<2xf32>, tensor<2xf32>
        }}"""

    assert run("cse", text("fill_")).count("onnx.Abs") == 2
    assert run("cse", text("fill")).count("onnx.Abs") == 1
