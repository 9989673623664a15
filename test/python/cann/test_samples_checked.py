"""CANN's samples of passes under ``check="rewrite"``, with a user-defined evaluator for CANN's operators."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cann_numpy import kernel_of
from fusion_samples import SAMPLES, builder_of, names

from ge import ops, passes

FILES = [path for name in names() for path in sorted((SAMPLES / name).glob("*_pass.py"))]
# The pass changes the layout of an input, so the graphs cannot be compared.
OTHER_INPUTS = {"modify_conv_data_format_pass"}
UNCHANGED = {"transpose_fusion_pass"}


def evaluate(call: Any) -> Sequence[Any] | None:
    kernel = kernel_of(call.op)
    if kernel is None:
        return None
    attributes = {name: value for name, value in call.attributes.items() if "." not in name}
    attributes["formats"] = [getattr(t, "format", None) for t in call.operand_types]
    made = kernel(attributes, *(None if t is None else t.numpy() for t in call.operands))
    # The kernels compute in float64; the results are converted to the types that the call expects.
    types = [t and t.dtype.numpy for t in call.result_types]
    return [
        np.asarray(m, dtype=t)
        for m, t in zip(made if isinstance(made, list) else [made], types, strict=True)
    ]


@pytest.fixture(autouse=True)
def evaluator(clean_passes: None) -> Iterator[None]:
    before = ops.use_evaluator(evaluate)
    yield
    ops.use_evaluator(before)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_each_sample_computes_the_same(file: Path, tmp_path: Path) -> None:
    passes.clear_registered_passes()
    passes.load_pass_plugins(str(file))
    manager = passes.PassManager(check="rewrite", check_dir=tmp_path)
    for descriptor in passes.get_registered_passes():
        manager.add(descriptor.cls)
    result = manager.run(builder_of(file.parent.name).make_graph())
    check = result.rewrite_check
    assert check is not None
    assert bool(check.unevaluated) == (file.stem in OTHER_INPUTS)
    assert check.contextual == []
    assert result.changed == (file.stem not in UNCHANGED)
    assert bool(check.rewrites + check.passes) == (file.stem not in OTHER_INPUTS | UNCHANGED)
