"""Numbers of NumPy are numbers in lists of attributes: the same attribute as with Python's, alone and mixed with those."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ge.ir as ir


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (list(np.argsort([2, 0, 1])), [1, 2, 0]),
        ((np.int64(1), 0, np.uint8(3)), (1, 0, 3)),
        ([np.float32(0.5), 1.0, np.float64(2)], [0.5, 1.0, 2.0]),
        ([np.float16(0.5), 2, np.int32(3)], [0.5, 2, 3]),
        ([np.bool_(True), False], [True, False]),
        ([ml_dtypes.bfloat16(0.5), 1.5], [0.5, 1.5]),
        ([[np.int64(1)], [2]], [[1], [2]]),
        ({"a": [np.int64(3), 4]}, {"a": [3, 4]}),
        ([np.str_("a"), "b"], ["a", "b"]),
    ],
)
def test_a_list_with_numbers_of_numpy_is_the_list_of_python(given: Any, plain: Any) -> None:
    graph = ir.Graph("g")
    nodes = [graph.add_node("acme.X", [], {"a": value}) for value in (given, plain)]
    assert nodes[0].attributes["a"] == nodes[1].attributes["a"]
    first, second = (str(n).partition("{")[2] for n in nodes)
    assert first == second


def test_a_list_that_is_no_list_of_numbers_stays_refused() -> None:
    graph = ir.Graph("g")
    for value in ([np.int64(1), "a"], [np.datetime64(1, "s"), 1], [np.bool_(True), 1]):
        with pytest.raises(TypeError):
            graph.add_node("acme.X", [], {"a": value})
