"""Inference and evaluation of operators by external packages and by functions that users install.

The native core asks when it does not know an operator itself (`infer`), and when a pass wants the results of an
operator on constants (`evaluate`). Both functions are looked up here, by name, when they are first needed; neither
``onnx`` nor ``onnxruntime`` is imported before.
"""

from ._call import (
    EvaluatorBusyError,
    EvaluatorDiedError,
    EvaluatorError,
    KernelError,
    NoKernelError,
    OpCall,
    TypesAlone,
)
from ._evaluators import (
    InstalledEvaluator,
    add_evaluator,
    chosen_packages,
    evaluate,
    evaluate_call,
    evaluate_operator,
    evaluator,
    functions,
    kernels_came,
    use_evaluator,
)
from ._inferrers import (
    InstalledInferrer,
    add_inferrer,
    inferrer_uses,
    inferrers_changed,
    inferrers_version,
)

__all__ = [
    "EvaluatorBusyError",
    "EvaluatorDiedError",
    "EvaluatorError",
    "InstalledEvaluator",
    "InstalledInferrer",
    "KernelError",
    "NoKernelError",
    "OpCall",
    "TypesAlone",
    "add_evaluator",
    "add_inferrer",
    "chosen_packages",
    "engines_of",
    "evaluate",
    "evaluate_call",
    "evaluate_operator",
    "evaluator",
    "functions",
    "inferrer_uses",
    "inferrers_changed",
    "inferrers_version",
    "kernels_came",
    "use_evaluator",
]
