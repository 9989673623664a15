"""CANN's reference kernels implement the definitions of the operators.

Each kernel is compared with another formula or with ONNX's operator; it agrees with the operator's schema in operands,
attributes and defaults, and with type inference in the shapes and types of results.
"""

import inspect
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from cann_case import computed, record
from cann_cases import Case, cases

import ge.ir as ir
import ge.ops as ops
from ge.ops import _cann_kernels as kernels

KERNELS = kernels.kernels()
RANDOM = {"RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"}


@pytest.fixture(scope="module")
def by_op() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    for case in cases():
        found[case.op].append(case)
    return found


def compare(case: Case, made: list[Any]) -> None:
    expected = [np.asarray(e) for e in case.expected()]
    assert len(made) >= len(expected)
    for i, (array, other) in enumerate(zip(made, expected, strict=False)):
        where = f"{case.op} {case.attributes} {[getattr(o, 'shape', o) for o in case.operands]}, result {i}"
        assert array.shape == other.shape, where
        if other.dtype.kind == "f" or other.dtype.name == "bfloat16":
            np.testing.assert_allclose(
                array.astype(np.float64),
                other.astype(np.float64),
                case.tolerance,
                case.tolerance,
                err_msg=where,
            )
        else:
            np.testing.assert_array_equal(array.astype(other.dtype), other, err_msg=where)


@pytest.mark.parametrize("op", sorted(set(KERNELS) - RANDOM))
def test_kernel_computes_what_another_formula_says(op: str, by_op: dict[str, list[Case]]) -> None:
    assert by_op[op], "every kernel has a case"
    for case in by_op[op]:
        before = [None if o is None else np.array(o) for o in case.operands]
        made = computed(op, case.operands, case.attributes, case.formats)
        compare(case, made)
        for operand, copy in zip(case.operands, before, strict=True):
            if operand is not None:
                np.testing.assert_array_equal(operand, copy, err_msg="an operand was written")


@pytest.mark.parametrize("op", sorted(set(KERNELS) - RANDOM))
def test_a_call_gives_the_same(op: str, by_op: dict[str, list[Case]]) -> None:
    schema = record(op)
    for case in by_op[op]:
        if any(case.formats) or schema.has_operand_choice:
            continue  # arrays have no layouts
        operands = [None if o is None else np.array(o) for o in case.operands]
        made = ops.invoke(schema, operands, case.attributes)
        flat = [r for one in made for r in (one if isinstance(one, list) else [one])]
        compare(case, flat)
        for result in flat:
            is_written = any(p.alias is not None for p in schema.operands)
            assert is_written or not any(
                np.may_share_memory(result, o) for o in operands if o is not None
            )


def inferred(case: Case, count: int) -> list[ir.Type]:
    graph = ir.Module("m").add_graph("g")
    operands = []
    for i, array in enumerate(case.operands):
        if array is None:
            operands.append(None)
            continue
        layout = case.formats[i] if i < len(case.formats) else None
        tensor = ir.Tensor(np.ascontiguousarray(array).reshape(array.shape))
        type_ = (
            tensor.type
            if layout is None
            else ir.TensorType(tensor.type.shape, tensor.type.dtype, format=layout)
        )
        node = graph.add_node("ge.Const", attributes={"value": tensor}, result_types=[type_])
        operands.append(node.result)
    node = graph.add_node(
        f"ge.{case.op}", operands, case.attributes, result_types=[ir.UnknownType()] * count
    )
    graph.infer_types()
    return [r.type for r in node.results]


@pytest.mark.parametrize("op", sorted(set(KERNELS) - RANDOM))
def test_results_have_the_inferred_types(op: str, by_op: dict[str, list[Case]]) -> None:
    for case in by_op[op]:
        if not case.inferred:
            continue
        made = computed(op, case.operands, case.attributes, case.formats)
        where = f"{op} {case.attributes} {[getattr(o, 'shape', o) for o in case.operands]}"
        for array, type_ in zip(made, inferred(case, len(made)), strict=True):
            if (
                not isinstance(type_, ir.TensorType)
                or array.size == 0
                and op in ("BatchNorm", "AddLayerNorm")
            ):
                continue
            assert ir.Tensor(np.ascontiguousarray(array)).type.dtype == type_.dtype, where
            if type_.shape is not None:
                fits = len(type_.shape) == array.ndim and all(
                    not isinstance(d, int) or d == n
                    for d, n in zip(type_.shape, array.shape, strict=True)
                )
                assert fits, f"{where}: {array.shape}, inferred {type_}"


@pytest.mark.parametrize("op", sorted(set(KERNELS)))
def test_parameters_are_those_of_the_schema_which_has_the_defaults(op: str) -> None:
    kernel, schema = ops.kernel(record(op), "reference"), record(op)
    assert kernel is not None
    assert kernel.function is KERNELS[op]
    assert kernel.fault(schema) is None
    parameters = list(inspect.signature(KERNELS[op]).parameters.values())
    count = len(schema.operands)
    assert all(p.default is p.empty for p in parameters)
    assert all(p.kind is not p.KEYWORD_ONLY for p in parameters[:count])
    assert {p.name for p in parameters[count:]} == {p.name for p in schema.attributes}


def test_there_are_enough() -> None:
    moving = [op for op in set(KERNELS) if "elementwise" not in record(op).traits]
    assert len(KERNELS) >= 150
    assert len(moving) >= 60


def test_each_kernel_cites_its_definition() -> None:
    assert all("CANN" in kernel.source for kernel in KERNELS.values())
    assert all(
        kernel.place[0].endswith(".py") and kernel.place[1] > 0 for kernel in KERNELS.values()
    )


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "formats", "words"),
    [
        ("Conv2D", [np.zeros((1, 3, 3, 1))] * 2, {"strides": [1] * 4, "pads": [0] * 4, "offset_x": 3}, (), "Conv2D: offset_x=3 is not supported"),
        ("Conv2D", [np.zeros((1, 3, 3, 1))] * 2, {"strides": [1] * 4, "pads": [0] * 4, "data_format": "NC1HWC0"}, (), "data_format 'NC1HWC0' is not supported"),
        ("Conv2D", [np.zeros((1, 3, 3, 1))] * 2, {"strides": [1] * 4, "pads": [0] * 4}, ("NCHW",), "x has layout NCHW, but data_format is 'NHWC'"),
        ("Conv2D", [np.zeros((1, 3, 3, 1))] * 2, {"strides": [1] * 4, "pads": [0] * 4}, ("NHWC", "FRACTAL_Z"), "filters of layout FRACTAL_Z are not supported"),
        ("MaxPool", [np.zeros((1, 3, 3, 1))], {"ksize": [1, 1, 1, 2], "strides": [1] * 4, "padding": "SAME"}, (), "windows over the batch or channels"),
        ("TransData", [np.zeros((1, 1, 2, 2, 16))], {"src_format": "NC1HWC0", "dst_format": "NCHW"}, (), "from NC1HWC0 to NCHW is not supported"),
        ("Resize", [np.zeros((2, 2)), None, np.ones(2)], {"mode": "area"}, (), "mode 'area' is not nearest, linear or cubic"),
        ("PadV3", [np.zeros(2), np.array([-1, 0])], {}, (), "negative paddings are not supported"),
    ],
)  # fmt: skip
def test_what_is_not_supported_says_so(
    op: str, operands: Any, attributes: Any, formats: Any, words: str
) -> None:
    with pytest.raises(kernels.UnsupportedError) as error:
        computed(op, operands, attributes, formats)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "words"),
    [
        ("Add", [np.zeros(2)], {}, "missing required argument 'x2'"),
        ("Add", [np.zeros(2), None], {}, "missing required argument 'x2'"),
        ("Add", [np.zeros(2)] * 3, {}, "math::Add takes 2 operands, not 3"),
        ("Conv2D", [np.zeros((1, 3, 3, 1))] * 2, {"pads": [0] * 4}, "missing required argument 'strides'"),
        ("MatMul", [np.zeros((2, 2)), np.zeros((2, 2), np.float32)], {}, "different types"),
        ("Gather", [np.zeros(2), np.array([2])], {}, "index 2 is outside [0, 2)"),
        ("Gather", [np.zeros(2), np.array([-1])], {}, "index -1 is outside [0, 2)"),
        ("StridedSlice", [np.zeros(2), *[np.array([v]) for v in (0, 1, 0)]], {}, "stride 0 is 0"),
        ("StridedSlice", [np.zeros(2), *[np.array([v]) for v in (5, 6, 1)]], {"shrink_axis_mask": 1}, "5 is outside dimension 0"),
        ("TopK", [np.zeros(2), np.array(3)], {}, "k is 3"),
        ("SplitV", [np.zeros(4), np.array([1, 2]), np.array(0)], {"num_split": 2}, "no 2 parts of 4 elements"),
        ("CheckNumerics", [np.array([np.nan])], {"message": "after conv"}, "after conv: there is NaN"),
    ],
)  # fmt: skip
def test_what_does_not_fit_says_so(op: str, operands: Any, attributes: Any, words: str) -> None:
    with pytest.raises((ValueError, IndexError, ops.BindError)) as error:
        computed(op, operands, attributes)
    assert words in str(error.value)


def test_random_kernels_have_their_distribution_and_their_seeds() -> None:
    shape = np.array([100, 100])
    uniform = lambda **s: computed("RandomUniform", [shape], {"dtype": 0, **s})[0]  # noqa: E731
    made = uniform(seed=3)
    assert (
        made.dtype == np.float32
        and made.min() >= 0
        and made.max() < 1
        and abs(made.mean() - 0.5) < 0.02
    )
    np.testing.assert_array_equal(made, uniform(seed=3))
    assert (uniform() != uniform()).any()
    normal = computed("RandomStandardNormal", [shape], {"dtype": 0, "seed": 1})[0]
    assert abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05
    cut = computed("TruncatedNormal", [shape], {"seed": 1})[0]
    assert np.abs(cut).max() <= 2
    whole = computed("RandomUniformInt", [shape, np.array(-2), np.array(3)], {"seed": 1})[0]
    assert set(whole.reshape(-1).tolist()) == {-2, -1, 0, 1, 2}


def test_operators_are_found_by_any_of_their_names() -> None:
    found = {n: ops.kernel(n, "reference") for n in ("ge::Conv2D", "nn::Conv2D", "math::Conv2D")}
    assert found["ge::Conv2D"] is found["nn::Conv2D"]
    assert found["nn::Conv2D"].function is KERNELS["Conv2D"]  # type: ignore[union-attr]
    assert ops.kernel("onnx::Add", "reference") is None
    assert ops.kernel("ge::NoSuchOperator", "reference") is None
