"""Programs that evaluate in a separate process, and models that crash a runtime."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from evaluator_child import F, model_of

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper  # noqa: E402

HANGS = {
    "GatherElements": model_of(
        helper.make_node("GatherElements", ["a", "i"], ["y"], name="m"),
        {"a": F, "i": np.full((2, 3), 2**31, np.int64)},
        13,
    ),
    "TfIdfVectorizer": model_of(
        helper.make_node(
            "TfIdfVectorizer",
            ["t"],
            ["y"],
            name="m",
            mode="TF",
            min_gram_length=1,
            max_gram_length=2,
            max_skip_count=0,
            ngram_counts=[0, 4, 10**18],
            ngram_indexes=[0, 1, 2, 3, 4, 5],
            pool_int64s=[1, 2, 3, 4, 5, 6, 7, 8],
        ),
        {"t": np.array([1, 2, 3], np.int32)},
        13,
        (6,),
    ),
}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a separate process, which has its own evaluators' child."""
    prelude = "import os, sys, signal, threading, time\nimport numpy as np\nfrom ge import ops\n"
    prelude += "from ge.run import _service\n"
    prelude += (
        "def exp():\n    return ops.evaluate_operator('onnx.Exp', [np.ones(3, np.float32)])\n"
    )
    return subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )


def exp_model() -> bytes:
    graph = helper.make_graph(
        [helper.make_node("Exp", ["x0"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x0", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()
