"""Types and attributes of a vendor's dialect are preserved byte for byte in all representations of a graph.

Parsing, printing and MLIR's own round trip of the same text: test/Text/corpus/foreign.mlir.
"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from ge import ir

TYPE = "!acme.handle<3,  [a] -> {b}>"
ATTRIBUTE = "#acme.quant<1,  2>"
TEXT = f"""module {{
  func.func @main(%x: {TYPE}) -> {TYPE} {{
    %y = "acme.Quantize"(%x) {{q = {ATTRIBUTE}, t = {TYPE}}} : ({TYPE}) -> {TYPE}
    return %y : {TYPE}
  }}
}}
"""


def test_values_in_python() -> None:
    type_ = ir.OpaqueType(TYPE)
    assert str(type_) == type_.payload == TYPE
    assert type_ is ir.Type.parse(TYPE) is ir.Type.parse('!ge.opaque<"' + TYPE + '">')
    assert str(ir.OpaqueType("any <text")) == '!ge.opaque<"any <text">'
    assert str(ir.OpaqueType("!ge.tensor<x>")) == '!ge.opaque<"!ge.tensor<x>">'
    graph = ir.Graph("g")
    node = graph.add_node("acme.X", [], {"q": ir.OpaqueType(ATTRIBUTE)}, result_types=[])
    assert node.attributes["q"].payload == ATTRIBUTE
    assert f"q = {ATTRIBUTE}" in str(graph)
    node.attributes["again"] = node.attributes["q"]
    assert pickle.loads(pickle.dumps(node.attributes["q"])) is node.attributes["q"]
    # Printed verbatim only as an attribute: as the type of a value it would not parse.
    assert str(ir.OpaqueType(ATTRIBUTE)) == f'!ge.opaque<"{ATTRIBUTE}">'
    assert str(ir.Type.parse(str(ir.OpaqueType(ATTRIBUTE)))) == f'!ge.opaque<"{ATTRIBUTE}">'


def test_text_pickle_and_copies_keep_every_byte() -> None:
    module = ir.Module.parse(TEXT)
    assert str(module) == TEXT
    assert str(pickle.loads(pickle.dumps(module))) == TEXT
    assert str(copy.deepcopy(module)) == TEXT
    with ir.Context():
        assert str(ir.Module.parse(TEXT)) == TEXT


@pytest.mark.parametrize("type_", [TYPE, "!acme.ptr", "!acme<1.5>"])
def test_onnx_keeps_every_byte(tmp_path: Path, type_: str) -> None:
    from ge import onnx

    text = TEXT.replace(TYPE, type_)
    for trip in range(2):
        onnx.save(ir.Module.parse(text), tmp_path / "m.onnx")
        module = onnx.load(tmp_path / "m.onnx")
        (node,) = (n for n in module.graphs[0].nodes if n.op == "acme.Quantize")
        assert (str(node.result.type), str(node.operands[0].type)) == (type_, type_)
        assert node.attributes["q"].payload == ATTRIBUTE
        assert str(node.attributes["t"]) == type_
        text = str(module)
        assert trip or ATTRIBUTE in text


def test_many_brackets_are_read_in_linear_time() -> None:
    deep = "!acme.t<" + "(" * 200_000 + ")" * 200_000 + ">"
    assert str(ir.Type.parse(deep)) == deep
    with pytest.raises(ir.ParseError, match="has no end"):
        ir.Type.parse("!acme.t<" + "(" * 200_000)
