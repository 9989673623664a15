"""What constant-fold asks of an evaluator. What it folds and what not: test/Passes, test_passes_builtin.py."""

from collections.abc import Iterator
from typing import Any

import pytest

import ge.onnx
from ge import ops
from ge.passes import PassManager

onnx = pytest.importorskip("onnx")
from onnx.parser import parse_model  # noqa: E402

# Rounds go on because of the nodes behind the two Exps.
MODEL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) <float[2] w = {0, 1}, float[2] v = {2, 3}>
{ e = Exp(w)  f = Exp(v)  a = Add(x, e)  b = Add(a, f)  c = Identity(b)  y = Abs(c) }"""


@pytest.fixture(autouse=True)
def chosen_evaluator() -> Iterator[None]:
    before = ops.evaluator()
    yield
    ops.use_evaluator(before)


def test_an_evaluator_that_cannot_is_asked_once_in_all_rounds() -> None:
    asked: list[str] = []

    def refuse(call: Any) -> Any:
        asked.append(call.op)
        raise RuntimeError("not today")

    ops.use_evaluator(refuse)
    module = ge.onnx.from_onnx(parse_model(MODEL))
    result = PassManager.parse("optimize").run(module)
    rounds = sum(r.name == "constant-fold" for r in result.passes)
    assert (rounds > 1, asked) == (True, ["onnx.Exp"] * 2)
    PassManager.parse("optimize").run(module)
    assert len(asked) == 4  # another run asks again: the evaluator may be another
