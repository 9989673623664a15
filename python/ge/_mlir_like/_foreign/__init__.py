"""Inference and evaluation of operators by packages that do it better than GE.

The native core asks when it does not know an operator itself (`infer`), and when a pass wants the results of an
operator on constants (`evaluate`). Both functions are looked up here, by name, when they are first needed; neither
``onnx`` nor ``onnxruntime`` is imported before.
"""

from ._call import EvaluatorDiedError, OpCall
from ._evaluators import evaluate, evaluate_call, evaluate_operator, evaluator, use_evaluator
from ._inferrers import InstalledInferrer, add_inferrer, infer, inferrer_uses

__all__ = [
    "EvaluatorDiedError",
    "InstalledInferrer",
    "OpCall",
    "add_inferrer",
    "evaluate",
    "evaluate_call",
    "evaluate_operator",
    "evaluator",
    "infer",
    "inferrer_uses",
    "use_evaluator",
]
