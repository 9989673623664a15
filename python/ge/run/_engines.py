"""onnxruntime and the ``onnx`` package, as they are used in the child process and, where asked for, in this one.

Engines are called by name: ``"onnxruntime"`` and ``"reference"``, the reference evaluator of ``onnx``. Nothing here
knows GE.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

__all__ = [
    "ENGINES",
    "EngineError",
    "Loaded",
    "evaluate",
    "infer",
    "is_installed",
    "lacking",
    "load",
]

ENGINES = {"onnxruntime": "onnxruntime", "reference": "onnx"}
"""The package that each engine comes with."""

# Sessions are kept for models up to this size: the same operator on the same types comes again and again.
_KEPT_BYTES = 1 << 16

# ONNX's numbers of the element types that NumPy lacks.
_FOREIGN = {
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
    "uint4": 21,
    "int4": 22,
    "float4_e2m1fn": 23,
    "float8_e8m0fnu": 24,
    "uint2": 25,
    "int2": 26,
}

# The same types as onnxruntime writes them in the type of an output.
_NARROW = re.compile(r"\((bfloat16|float[48]|u?int[24]\b)")


class EngineError(Exception):
    """An engine refused a model or failed; the text is the first line of what it said.

    Attributes
    ----------
    is_usage : bool
        Whether the caller asked for something that the engine does not have, whatever the model.
    lacks : bool
        Whether the engine has no implementation of an operator, for these element types.
    """

    def __init__(self, text: str, is_usage: bool = False, lacks: bool = False) -> None:
        super().__init__(text)
        self.is_usage = is_usage
        self.lacks = lacks


def is_installed(engine: str) -> bool:
    """Return whether the package of an engine can be imported, without importing it."""
    try:
        return importlib.util.find_spec(ENGINES[engine]) is not None
    except ValueError:  # a module without a specification, as tests and freezers make them
        return True


def evaluate(engine: str, model: bytes, feeds: Mapping[str, Any]) -> list[Any] | None:
    """Return the outputs of a small model, most often of one node; None: the engine cannot evaluate it.

    Raises
    ------
    ImportError
        If the package is not installed.
    Exception
        What the engine raised.
    """
    return _EVALUATE[engine](model, feeds)


def infer(model: bytes) -> tuple[bytes | None, str]:
    """Return the model with inferred types, or what ONNX's inference says against it.

    Raises
    ------
    ImportError
        If ``onnx`` is not installed.
    """
    from onnx import shape_inference

    try:
        return shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).SerializeToString(), ""  # fmt: skip
    except shape_inference.InferenceError as error:
        return None, str(error)


def lacking(engine: str, operators: Sequence[Sequence[Any]]) -> list[bool]:
    """Return of each operator whether an engine does not have it.

    Parameters
    ----------
    engine : str
    operators : sequence of (str, str, int)
        Domain, empty for ONNX's own, name, and the version of the operator set; 0: the newest.

    Raises
    ------
    ImportError
        If the package is not installed.
    """
    has = _has_in_session() if engine == "onnxruntime" else _has_in_reference
    return [not has(domain, name, version) for domain, name, version in operators]


@cache
def _has_in_session() -> Callable[[str, str, int], bool]:
    import onnxruntime  # type: ignore[import-untyped, unused-ignore]

    # Its submodules are loaded after the package.
    state = onnxruntime.capi.onnxruntime_pybind11_state

    schemas = getattr(state, "get_all_operator_schema", None)
    if schemas is None:  # a build that cannot say it
        return lambda domain, name, version: True
    first: dict[tuple[str, str], int] = {}
    for schema in schemas():
        key = schema.domain, schema.name
        first[key] = min(first.get(key, schema.since_version), schema.since_version)

    def has(domain: str, name: str, version: int) -> bool:
        since = first.get((domain, name))
        return since is not None and (not version or since <= version or domain != "")

    return has


def _has_in_reference(domain: str, name: str, version: int) -> bool:
    import importlib

    places = {
        "": "onnx.reference.ops",
        "ai.onnx.ml": "onnx.reference.ops.aionnxml",
        "ai.onnx.preview": "onnx.reference.ops.aionnx_preview",
        "ai.onnx.preview.training": "onnx.reference.ops.aionnx_preview_training",
    }
    place = places.get(domain)
    if place is None:
        return False
    from onnx.reference.op_run import RuntimeContextError

    try:
        importlib.import_module(place).load_op(domain, name, version or None)
    except RuntimeContextError:
        return True  # which one is decided by the types
    except Exception:  # several kinds, of which none has a promise
        return False
    return True


class Loaded:
    """A model in an engine.

    Parameters
    ----------
    run : callable
        Gets arrays by input, returns the outputs; raises `EngineError`.
    inputs, outputs : sequence of str
    """

    def __init__(
        self,
        run: Callable[[Mapping[str, Any]], list[Any]],
        inputs: Sequence[str],
        outputs: Sequence[str],
    ) -> None:
        self.run = run
        self.inputs = list(inputs)
        self.outputs = list(outputs)

    def close(self) -> None:
        """Free it."""
        del self.run


def load(
    engine: str,
    model: bytes,
    providers: Sequence[str] | None = None,
    weights: Mapping[str, Any] | None = None,
) -> Loaded:
    """Load a whole model.

    Parameters
    ----------
    engine : str
    model : bytes
        Without external data.
    providers : sequence of str, optional
        Execution providers of onnxruntime.
    weights : mapping of str to array, optional
        Inputs that are the same in each run.

    Raises
    ------
    EngineError
    """
    if engine == "onnxruntime":
        loaded = _load_session(model, list(providers or ["CPUExecutionProvider"]))
    else:
        loaded = _load_reference(model)
    if not weights:
        return loaded
    run = loaded.run
    inputs = [name for name in loaded.inputs if name not in weights]
    return Loaded(lambda feeds: run({**feeds, **weights}), inputs, loaded.outputs)


@cache
def _session() -> Callable[[bytes], Any]:
    import onnxruntime  # type: ignore[import-untyped, unused-ignore]

    def session(model: bytes) -> Any:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    kept = lru_cache(maxsize=64)(session)
    return lambda model: (kept if len(model) <= _KEPT_BYTES else session)(model)


def _evaluate_session(model: bytes, feeds: Mapping[str, Any]) -> list[Any] | None:
    session = _session()
    if any(array.dtype.kind == "V" for array in feeds.values()):
        return None  # bf16 and smaller: NumPy does not know them, and onnxruntime goes by NumPy
    loaded = session(model)
    if any(_NARROW.search(output.type) for output in loaded.get_outputs()):
        return None  # it gives the bits as integers, or nothing
    found: list[Any] = loaded.run(None, dict(feeds))
    return found


def _evaluate_reference(model: bytes, feeds: Mapping[str, Any]) -> list[Any]:
    from onnx.reference import ReferenceEvaluator

    found: Any = ReferenceEvaluator(model).run(None, dict(feeds))
    return list(found)


_EVALUATE: dict[str, Callable[[bytes, Mapping[str, Any]], list[Any] | None]] = {
    "onnxruntime": _evaluate_session,
    "reference": _evaluate_reference,
}


def _load_session(model: bytes, providers: list[str]) -> Loaded:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4  # what goes wrong arrives as an exception
    missing = sorted(set(providers) - set(onnxruntime.get_available_providers()))
    if missing:
        have = ", ".join(onnxruntime.get_available_providers())
        raise EngineError(f"onnxruntime has no {', '.join(missing)}; it has {have}", is_usage=True)
    try:
        session = onnxruntime.InferenceSession(model, options, providers=providers)
    except Exception as error:  # its exceptions have no common base
        raise _refusal(error) from error

    def run(feeds: Mapping[str, Any]) -> list[Any]:
        try:
            foreign = {n: _foreign(v) for n, v in feeds.items()}
            if not any(foreign.values()):
                outputs: list[Any] = session.run(None, dict(feeds))
                return outputs
            wrap = onnxruntime.OrtValue.ortvalue_from_numpy
            wrap_as = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
            values = {
                n: wrap_as(v, foreign[n]) if foreign[n] else wrap(v) for n, v in feeds.items()
            }
            return [value.numpy() for value in session.run_with_ort_values(None, values)]
        except Exception as error:
            raise _refusal(error) from error

    return Loaded(
        run, [i.name for i in session.get_inputs()], [o.name for o in session.get_outputs()]
    )


def _foreign(value: Any) -> int | None:
    """Return ONNX's number of an element type that NumPy lacks, else None."""
    dtype = getattr(value, "dtype", None)
    return _FOREIGN.get(dtype.name) if dtype is not None and dtype.kind in "Vf" else None


def _load_reference(model: bytes) -> Loaded:
    import numpy as np
    import onnx
    from onnx.reference import ReferenceEvaluator

    try:
        proto = onnx.load_from_string(model)
        evaluator = ReferenceEvaluator(proto)
    except Exception as error:
        raise _refusal(error) from error

    def run(feeds: Mapping[str, Any]) -> list[Any]:
        try:
            with np.errstate(all="ignore"):
                found: Any = evaluator.run(None, dict(feeds))
        except Exception as error:
            raise _refusal(error) from error
        return list(found)

    return Loaded(run, evaluator.input_names, evaluator.output_names)


def _refusal(error: Exception) -> EngineError:
    # Of onnxruntime's classes, each of which stands for a code, this one has a name of its own.
    lacks = isinstance(error, NotImplementedError) or type(error).__name__ == "NotImplemented"
    return EngineError(_first_line(error), lacks=lacks)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
