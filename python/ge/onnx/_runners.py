"""What runs a model: onnxruntime without its optimisations, and ONNX's reference evaluator."""

from __future__ import annotations

import importlib.util
from typing import Any

__all__ = ["Model", "Onnxruntime", "Reference", "RunError", "available"]

# A path, or the bytes of a model without external data.
Model = str | bytes


class RunError(Exception):
    """A model could not be loaded or run; the text says by what, and why."""


def available() -> list[type[Onnxruntime] | type[Reference]]:
    """Return the runners whose packages are installed, the one to ask first at the front."""
    return [r for r in (Onnxruntime, Reference) if importlib.util.find_spec(r.package) is not None]


class Onnxruntime:
    """A session of onnxruntime that runs the model as it is written.

    Parameters
    ----------
    model : str or bytes
    providers : list of str
        Execution providers.

    Raises
    ------
    RunError
        If it cannot be loaded.
    """

    package = "onnxruntime"
    title = "onnxruntime"

    def __init__(self, model: Model, providers: list[str] | None = None):
        import onnxruntime  # type: ignore[import-untyped, unused-ignore]

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 4  # what goes wrong arrives as an exception
        chosen = providers or ["CPUExecutionProvider"]
        missing = sorted(set(chosen) - set(onnxruntime.get_available_providers()))
        if missing:
            have = ", ".join(onnxruntime.get_available_providers())
            raise RunError(f"onnxruntime has no {', '.join(missing)}; it has {have}")
        try:
            self._session = onnxruntime.InferenceSession(model, options, providers=chosen)
        except Exception as error:  # its exceptions have no common base
            raise RunError(f"onnxruntime cannot load it: {_first_line(error)}") from error
        self.outputs = [output.name for output in self._session.get_outputs()]
        self._types = {i.name: i.type for i in self._session.get_inputs()}

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the model's order.

        Parameters
        ----------
        inputs : dict of str to array
            Names that the model lacks are left out.
        """
        import onnxruntime

        feeds = {n: v for n, v in inputs.items() if n in self._types}
        try:
            foreign = {n: self._foreign(v) for n, v in feeds.items()}
            if not any(foreign.values()):
                outputs: list[Any] = self._session.run(None, feeds)
                return outputs
            wrap = onnxruntime.OrtValue.ortvalue_from_numpy
            wrap_as = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
            values = {
                n: wrap_as(v, foreign[n]) if foreign[n] else wrap(v) for n, v in feeds.items()
            }
            return [value.numpy() for value in self._session.run_with_ort_values(None, values)]
        except Exception as error:
            raise RunError(f"onnxruntime cannot run it: {_first_line(error)}") from error

    @staticmethod
    def _foreign(value: Any) -> int | None:
        """Return ONNX's number of an element type that NumPy lacks, else None."""
        from ..ir import DType

        dtype = getattr(value, "dtype", None)
        return DType(dtype).onnx if dtype is not None and dtype.kind == "V" else None


class Reference:
    """ONNX's reference evaluator: slow, in Python, and a different implementation.

    Parameters
    ----------
    model : str or bytes
    providers : list of str
        Not used.

    Raises
    ------
    RunError
        If it cannot be loaded.
    """

    package = "onnx"
    title = "the reference evaluator"

    def __init__(self, model: Model, providers: list[str] | None = None):
        import onnx
        from onnx.reference import ReferenceEvaluator

        try:
            proto = onnx.load(model) if isinstance(model, str) else onnx.load_from_string(model)
            self._evaluator = ReferenceEvaluator(proto)
        except Exception as error:
            raise RunError(
                f"the reference evaluator cannot load it: {_first_line(error)}"
            ) from error
        self.outputs = list(self._evaluator.output_names)
        self._inputs = set(self._evaluator.input_names)

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the model's order.

        Parameters
        ----------
        inputs : dict of str to array
            Names that the model lacks are left out.
        """
        import numpy as np

        feeds = {n: v for n, v in inputs.items() if n in self._inputs}
        try:
            with np.errstate(all="ignore"):
                outputs = self._evaluator.run(None, feeds)
        except Exception as error:
            raise RunError(
                f"the reference evaluator cannot run it: {_first_line(error)}"
            ) from error
        return list(outputs)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
