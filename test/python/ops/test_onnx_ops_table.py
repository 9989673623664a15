"""lib/Ops/Registry/onnx_ops.table is the output of scripts/gen_onnx_ops.py for the installed onnx package.

Not promised: anything about another version of onnx; the table names the version that it was generated from.
"""

from __future__ import annotations

import re

import pytest

onnx = pytest.importorskip("onnx")

import gen_onnx_ops  # noqa: E402


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return gen_onnx_ops.TABLE.read_text(encoding="utf-8").split("\n")


def test_table_is_current(lines: list[str]) -> None:
    if f"from onnx {onnx.__version__} by" not in lines[0]:
        pytest.skip(f"the table is of another onnx than {onnx.__version__}")
    assert "\n".join(lines) == gen_onnx_ops.table()


def test_every_operator_of_every_version_has_a_record(lines: list[str]) -> None:
    namespace, found = "", set()
    for line in lines[lines.index("@ops") :]:
        if line.startswith(". "):
            namespace = line[2:]
        elif line.startswith("+ "):
            _, name, since, _, _ = line.split(" ")
            found.add((namespace, name, int(since)))
    schemas = onnx.defs.get_all_schemas_with_history()
    namespaces = {"": "onnx"}
    expected = {
        (namespaces.get(s.domain) or s.domain.removeprefix("ai."), s.name, s.since_version)
        for s in schemas
    }
    assert found == expected
    assert len(found) == len(schemas)


def test_lines_have_the_documented_form(lines: list[str]) -> None:
    fields = {".": 2, "+": 5, "=": 1, "i": 5, "o": 5, "t": 4}
    for line in lines[lines.index("@ops") + 1 : -1]:
        if line.startswith(("a ", "c ")):
            assert line.count(" ") >= 2, line
        else:
            assert len(line.split(" ")) == fields[line[0]], line


# Words that later texts leave out, exporters still write and onnxruntime computes.
COMPUTED = {("Resize", "coordinate_transformation_mode"): {"tf_half_pixel_for_nn"}}


@pytest.mark.parametrize("key", gen_onnx_ops.CHOICES, ids="-".join)
def test_words_that_an_attribute_may_be_are_those_of_its_text(key: tuple[str, str]) -> None:
    name, attribute = key
    found = 0
    for schema in onnx.defs.get_all_schemas_with_history():
        if (schema.domain, schema.name) != ("", name) or attribute not in schema.attributes:
            continue
        for line in gen_onnx_ops.choice_lines(schema, schema.attributes[attribute]):
            words = line.removeprefix("c ").split(" ")
            text = schema.attributes[attribute].description
            if name == "CastLike":  # its text refers to Cast
                continue
            found += 1
            others = [w for w in words if not re.search(rf"\b{w}\b", text)]
            assert set(others) <= COMPUTED.get(key, set()), (schema.since_version, words)
            default = schema.attributes[attribute].default_value
            assert not default.s or default.s.decode() in words
    assert found or name == "CastLike"
