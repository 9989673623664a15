"""Look-ups, libraries and operators from functions: definitions exist until their library closes."""

import gc
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import ge.es
import ge.ir as ir
import ge.ops as ops
from ge.passes import PassManager


def test_look_up_by_opset() -> None:
    assert ops.get("onnx::Conv", opset=10).since == 1
    assert ops.get("onnx::Conv", opset=11).since == 11
    assert ops.get("onnx.Conv").since == ops.versions("onnx::Conv")[-1].since
    assert ops.find("onnx", "Nothing") is None
    assert "onnx::Conv" in ops.list_ops("onnx")
    assert ops.list_ops("onnx") == sorted(set(ops.list_ops("onnx")))


def test_a_wrong_name_gets_suggestions() -> None:
    with pytest.raises(KeyError, match="did you mean onnx::Conv"):
        ops.get("onnx::Convv")
    with pytest.raises(AttributeError, match="did you mean 'Conv'"):
        ge.es.onnx.Convv
    with pytest.raises(AttributeError, match="it came with 10"):
        ge.es.onnx.at(9).Mod
    with pytest.raises(AttributeError, match="registered are"):
        ge.es.nowhere


def test_closing_takes_out_what_was_added() -> None:
    with ops.Library("acme") as library:
        record = library.define(
            "twice(Tensor x, *, int k=2) -> Tensor", doc="k times.", docs={"k": "How often."}
        )
        assert ops.get("acme::twice") == record
        assert record.params[1].doc == "How often."
        assert record.source[0] == __file__
        twice = ge.es.acme.twice
        assert "How often." in twice.__doc__
        with pytest.raises(ops.OpSchemaError):
            library.define("twice(Tensor x) -> Tensor")
        with pytest.raises(ops.OpSchemaError, match="acme"):
            ops.Library("acme")
    assert library.closed
    with pytest.raises(KeyError):
        ops.get("acme::twice")
    with pytest.raises(AttributeError):
        ge.es.acme.twice
    assert record.name == "twice"  # held records stay valid


def test_a_library_without_references_is_closed() -> None:
    library = ops.Library("acme_gone", kind="FRAGMENT")
    library.define("f(Tensor x) -> Tensor")
    del library
    gc.collect()
    assert ops.find("acme_gone", "f") is None


def test_operator_from_a_function() -> None:
    @ops.op("acme::scale", traits=["pure"])
    def scale(
        x: ir.Value, axes: list[int], *, factor: float = 2.0, mode: str | None = None
    ) -> ir.Value:
        """Scale by a factor.

        Parameters
        ----------
        factor : float
            By how much.
        """
        raise NotImplementedError

    with pytest.raises(
        TypeError, match=r"acme::scale says types and has no kernel.* call\s+ge\.es\.acme\.scale"
    ):
        scale(1, [1])
    with pytest.raises(NotImplementedError):
        scale.__wrapped__(1, [1])
    assert (scale.__name__, scale.__doc__.partition("\n")[0]) == ("scale", "Scale by a factor.")
    with scale.library:
        assert str(scale.op) == (
            "acme::scale(Tensor x, int[] axes, *, float factor=2.0, str? mode=None) -> Tensor"
        )
        assert scale.op.doc == "Scale by a factor."
        assert scale.op.params[2].doc == "By how much."
        assert scale.op.traits == {"pure"}
        graph = ir.Graph("g")
        x = graph.add_input("x", ir.TensorType((2,), ir.f32))
        # Attributes are keyword-only in builders, whatever the schema says.
        with pytest.raises(ops.BindError, match="too many positional|passed as positional"):
            ge.es.acme.scale(x, [1])
        value = ge.es.acme.scale(x, axes=[1], factor=3)
        assert value.node.op == "acme.scale"
        assert dict(value.node.attributes) == {"axes": (1,), "factor": 3.0}
    with pytest.raises(ops.OpSchemaError, match="no type hint"):
        ops.op("acme::g")(lambda x: x)


def test_overloads_choose_the_first_that_binds() -> None:
    with ops.Library("acme") as library:
        library.define("add.Tensor(Tensor x, Tensor y) -> Tensor")
        library.define("add.Twice(Tensor x, *, int by) -> Tensor")
        graph = ir.Graph("g")
        x = graph.add_input("x", ir.TensorType((2,), ir.f32))
        assert ge.es.acme.add(x, x).node.overload == "Tensor"
        assert ge.es.acme.add(x, by=2).node.overload == "Twice"
        assert ge.es.acme.add.Tensor(x, x).node.overload == "Tensor"
        with pytest.raises(ops.BindError) as caught:
            ge.es.acme.add(x, z=1)
        assert "add.Tensor" in str(caught.value)
        assert "add.Twice" in str(caught.value)


def test_strict_mode() -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, 2), ir.f32))
    ge.es.onnx.Gemm(x, x, transA=True)
    with ops.strict():
        assert ops.is_strict()
        with pytest.raises(ops.BindError, match="expects int, got bool True"):
            ge.es.onnx.Gemm(x, x, transA=True)
    assert not ops.is_strict()


def test_libraries_come_and_go_while_others_look() -> None:
    faults: list[Exception] = []
    done = threading.Event()

    def define(ns: str) -> None:
        for i in range(100):
            with ops.Library(ns, kind="FRAGMENT") as library:
                library.define(f"f(Tensor x, *, int k={i}) -> Tensor")
                assert ops.get(f"{ns}::f").attributes[0].default == i
                assert getattr(getattr(ge.es, ns), "f").op.ns == ns

    def look() -> None:
        while not done.is_set():
            for ns in ops.namespaces():
                ops.list_ops(ns)
            ops.suggest("onnx::Conw")
            record = ops.find("thread0", "f")
            assert record is None or str(record).startswith("thread0::f(Tensor x")

    def guarded(work: Any, *args: Any) -> None:
        try:
            work(*args)
        except Exception as fault:
            faults.append(fault)

    makers = [threading.Thread(target=guarded, args=(define, f"thread{i}")) for i in range(2)]
    lookers = [threading.Thread(target=guarded, args=(look,)) for _ in range(2)]
    for thread in makers + lookers:
        thread.start()
    for thread in makers:
        thread.join()
    done.set()
    for thread in lookers:
        thread.join()
    assert faults == []


def test_operators_that_onnx_defines_by_a_body() -> None:
    assert "function" in ops.get("onnx::LayerNormalization").traits
    assert "function" in ops.get("onnx::Softmax").traits
    assert "function" not in ops.get("onnx::Conv").traits
    assert "Traits: function, pure." in ge.es.onnx.LayerNormalization.__doc__


def test_what_words_may_be() -> None:
    modes = {
        r.since: p.choices
        for r in ops.versions("onnx::Resize")
        for p in r.params
        if p.name == "mode"
    }
    assert modes[10] == ()  # "linear (including bilinear, trilinear, etc)"
    assert modes[11] == modes[19] == ("nearest", "linear", "cubic")
    assert "One of 'nearest', 'linear', 'cubic'." in ge.es.onnx.Resize.__doc__


def test_reg_op_prototypes(tmp_path: Path) -> None:
    header = tmp_path / "ops.h"
    header.write_text("""
REG_OP(Scale3)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(bias, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .REQUIRED_ATTR(axis, Int)
    .ATTR(eps, Float, 0.5)
    .OP_END_FACTORY_REG(Scale3)
REG_OP(Broken)
    .INPUT(
""")
    with (
        pytest.warns(
            UserWarning, match="skipped 1 parts of the text, 1 operators .*: Broken: expected"
        ),
        ops.import_reg_op(header, namespace="regop") as imported,
    ):
        assert repr(imported) == "<1 operators 'regop'>"
        assert [(d.severity, d.line) for d in imported.diagnostics] == [("error", 11)]
        record = ops.get("regop::Scale3")
        assert [p.name for p in record.params] == ["x", "bias", "axis", "eps"]
        graph = ir.Graph("g")
        x = graph.add_input("x", ir.TensorType((2,), ir.f32))
        assert ge.es.regop.Scale3(x, axis=1).node.attributes["axis"] == 1
    assert ops.find("regop", "Scale3") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "/* the end is missing\nREG_OP(A)\n.OP_END_FACTORY_REG(A)\n",
            "1:1: .*the comment is not terminated.*1 times",
        ),
        (
            'const char *s = "x; REG_OP(A).OP_END_FACTORY_REG(A)\n',
            "1:17: .*the string is not terminated.*1 times",
        ),
        ("REG_OP(A)\n.INPUT(x, DT_FLOAT)\n", "A: expected '.' before a clause"),
        ("REG_OP A", "expected '\\(' after REG_OP"),
        ("int x;\n", "there is no REG_OP prototype in .*ops.h"),
        (
            "\n#if 0\nREG_OP(A)\n.OP_END_FACTORY_REG(A)\n#endif\n",
            "2:1: .*no compiler reads this branch.*1 times",
        ),
    ],
    ids=["comment", "string", "prototype", "bracket", "nothing", "branch"],
)
def test_import_says_what_it_skipped(tmp_path: Path, text: str, words: str) -> None:
    header = tmp_path / "ops.h"
    header.write_text(text)
    with (
        pytest.warns(UserWarning, match=words),
        ops.import_reg_op(header, namespace="regop") as imported,
    ):
        assert imported.defined == 0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#if 0\nA\n#else\nB\n#endif\nC", "BC"),
        ("#if (false) // not yet\nA\n#if X\nA\n#else\nA\n#endif\nA\n#endif\nB", "B"),
        ("# if 1\nA\n#elif X\nB\n#else\nB\n# endif\nC", "AC"),
        ("#if X\nA\n#elif 0\nB\n#else\nC\n#endif", "AC"),
        ("#ifdef X\nA\n#else\nB\n#endif\n#if 0x\nC\n#endif\n#if 0 || X\nD\n#endif", "ABCD"),
        ("#if 0\nit's /*\n#endif\n*/ A\n#endif\nB", "B"),
        ("#endif\n#else\nA\n#if 0\nB", "A"),
        ("#if \\\n 0\nA\n#endif\nB", "B"),
    ],
)
def test_import_leaves_out_what_no_compiler_reads(tmp_path: Path, text: str, names: str) -> None:
    """A literal condition selects a branch; for other conditions all branches are read."""
    header = tmp_path / "ops.h"
    lines = []
    for line in text.split("\n"):
        name = line[-1:]
        if not line.startswith("#") and name in "ABCD" and name:
            line = f"{line[:-1]}REG_OP({name}) .OP_END_FACTORY_REG({name})"
        lines.append(line)
    header.write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imported = ops.import_reg_op(header, namespace="regop")
    with imported:
        assert [name for name in "ABCD" if ops.find("regop", name)] == list(names)
        assert {d.severity for d in imported.diagnostics} <= {"remark"}


def test_import_of_a_directory_without_headers_says_so(tmp_path: Path) -> None:
    with (
        pytest.warns(UserWarning, match=r"no file named \*\.h"),
        ops.import_reg_op(tmp_path, namespace="regop"),
    ):
        pass


def test_how_several_lists_share_the_operands_is_not_guessed(tmp_path: Path) -> None:
    header = tmp_path / "ops.h"
    header.write_text("""
REG_OP(Stitch)
    .INPUT(depth, TensorType({DT_INT64}))
    .DYNAMIC_INPUT(indices, TensorType({DT_INT32}))
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Stitch)
""")
    text = """func.func @main(%n: tensor<NNN>, %i: tensor<2xi32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = "regop.Stitch"(%n, %i, %i, %x, %x) {operandSegmentSizes = array<i32: 1, 2, 2>}
    : (tensor<NNN>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}"""
    with ops.import_reg_op(header, namespace="regop"):
        PassManager.parse("verify").run(ir.Graph.parse(text.replace("NNN", "i64")))
        with pytest.raises(ir.GEError, match=r"operand 0 'depth' is tensor\(int32\)"):
            PassManager.parse("verify").run(ir.Graph.parse(text.replace("NNN", "i32")))


@pytest.mark.nosan  # the child would need the sanitizer's run time
def test_import_prints_nothing_and_is_lazy() -> None:
    code = "import ge.es, ge.ops, sys; assert 'numpy' not in sys.modules; from ge.es.math import Add; import ge.es.nn"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_function_in_the_place_of_the_backend_is_refused() -> None:
    """Otherwise it would be dropped silently: ``impl`` without a function returns a decorator."""
    lib = ops.Library("swapped")
    lib.define("swapped(Tensor x) -> Tensor")
    with pytest.raises(TypeError, match="backend must be a name such as 'cpu', not function"):
        lib.impl("swapped", lambda x: x)
    with pytest.raises(TypeError, match="the function comes after it"):
        lib.impl("swapped", lambda x: x, "cpu")
    lib.close()
