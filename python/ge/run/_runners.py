"""What runs a model: onnxruntime without its optimisations, ONNX's reference evaluator, and operator by operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._foreign import (
    EvaluatorDiedError,
    EvaluatorError,
    NoKernelError,
    OpCall,
    chosen_packages,
    evaluate_call,
    functions,
)
from .._mlir_like._providers import provider
from .._support.failures import is_interrupt, text_of
from ._budget import Budget, LimitError, byte_count
from ._faults import first_fault
from ._model import bytes_and_weights, repeated_bytes

if TYPE_CHECKING:
    from ..ir import Module

__all__ = [
    "ByOperator",
    "Interpreted",
    "Model",
    "NotRunError",
    "Onnxruntime",
    "Reference",
    "RunError",
    "Runner",
    "available",
    "why_none",
]


class RunError(Exception):
    """A model could not be loaded or run; the text says by what, and why.

    Attributes
    ----------
    lacks : bool
        Whether the reason is an operator that the runner does not have, or what ONNX cannot say; or nothing that is known
        of the model, because the runner died.
    died : bool
        Whether it died, or was ended for exceeding a limit.
    loading : bool
        Whether the model was being loaded.
    """

    def __init__(
        self, text: str, lacks: bool = False, died: bool = False, loading: bool = False
    ) -> None:
        super().__init__(text)
        self.lacks, self.died, self.loading = lacks, died, loading


class NotRunError(RuntimeError):
    """Nothing runs the first model.

    Attributes
    ----------
    outcome : str
        ``"not-loaded"`` or ``"not-evaluated"``, as `CheckReport.outcome`.
    """

    def __init__(self, text: str, outcome: str) -> None:
        super().__init__(text)
        self.outcome = outcome


class Model:
    """A model to run: the module, and the bytes that it is.

    Parameters
    ----------
    module : Module
    data : bytes, optional
        Of a model without external data. Default: serialized on first use.
    """

    def __init__(self, module: Module, data: bytes | None = None) -> None:
        self.module = module
        self._data: tuple[bytes, dict[str, Any]] | None = None if data is None else (data, {})
        self._fault: str | None = None
        self._is_checked = False
        self._operators: list[tuple[str, str, int]] | None = None

    @property
    def fault(self) -> str | None:
        """What is wrong with a node by the definition of its operator, so that no runner may see it."""
        if not self._is_checked:
            self._fault = first_fault(self.module.clone())
            self._is_checked = True
        return self._fault

    @property
    def operators(self) -> list[tuple[str, str, int]]:
        """Domain, name and version (0: not said) of the operators that a runtime must have; functions are the model's own."""
        if self._operators is None:
            self._operators = _operators(self.module)
        return self._operators

    @property
    def data(self) -> tuple[bytes, dict[str, Any]]:
        """The model without external data, and what is an input of it because it is too large: constants.

        Raises
        ------
        RunError
            If ONNX cannot say what the module says.
        """
        if self._data is None:
            from ..ir import ModelError

            try:
                # Constants of one repeated element take memory only when they are written.
                Budget(provider("evaluators").limits_of_models()).need(repeated_bytes(self.module))
                self._data = bytes_and_weights(self.module)
            except LimitError as error:
                raise RunError(f"its constants: {error}", lacks=True, died=True) from error
            except ModelError as error:
                text = f"it is not an ONNX model: {_first_line(error)}"
                raise RunError(text, lacks=True, loading=True) from error
        return self._data


def _operators(module: Module) -> list[tuple[str, str, int]]:
    from ._inputs import functions_of, main_graphs
    from ._plan import is_constant

    functions = functions_of(module)
    found: dict[tuple[str, str, int], None] = {}
    waiting = main_graphs(module)
    listed = set(waiting)
    for graph in waiting:
        opsets = graph.opsets
        for node in graph.walk():
            if node.is_input or node.is_output or is_constant(node):
                continue
            function = functions.get((node.domain, node.type, node.overload))
            if function is not None:
                if function not in listed:
                    listed.add(function)
                    waiting.append(function)
            else:
                domain, version = node.domain, opsets.get(node.domain, 0)
                if domain == "onnx" or domain.startswith("onnx."):
                    domain = "" if domain == "onnx" else f"ai.{domain}"
                found[domain, node.type, version] = None
    return list(found)


def available() -> list[type[Runner]]:
    """Return the runners that can be had, the one to ask first at the front.

    `ge.ops.use_evaluator` chooses: a user's evaluator comes first, and is called operator by operator.
    """
    engines = set(provider("evaluators").installed()) & set(chosen_packages())
    installed = [r for r in (Onnxruntime, Reference) if r.engine in engines]
    if functions():
        return [ByOperator, *installed, Interpreted]
    return [*installed, Interpreted] if installed else []


def why_none() -> str:
    """Return why there is no runner, and what to do."""
    if provider("evaluators").mode() == "none":
        return "nothing runs models: GE_EVALUATORS=none"
    return "neither onnxruntime nor onnx is installed: pip install onnxruntime onnx"


class _ByEngine:
    """A model in an engine that runs it as it is written, in the child process.

    Parameters
    ----------
    model : Model
    providers : list of str
        Execution providers, of onnxruntime.

    Raises
    ------
    RunError
        If it cannot be loaded.
    RuntimeError
        For a provider that onnxruntime does not have.
    """

    engine = ""
    title = ""
    is_slow = False

    def __init__(self, model: Model, providers: list[str] | None = None):
        if missing := self.missing(model):
            raise RunError(f"{self.title} has no {', '.join(missing)}", lacks=True, loading=True)
        data, weights = model.data
        try:
            self._loaded = provider("evaluators").load(self.engine, data, providers, weights)
        except EvaluatorDiedError as error:
            raise RunError(str(error), lacks=True, died=True, loading=True) from error
        except Exception as error:
            if is_interrupt(error):
                raise
            if getattr(error, "is_usage", False):
                # This runtime was requested: no other one is tried.
                raise RuntimeError(str(error)) from None
            text = f"{self.title} could not load it: {_first_line(error)}"
            raise RunError(text, lacks=getattr(error, "lacks", False), loading=True) from error
        self.outputs: list[str] = self._loaded.outputs

    @classmethod
    def missing(cls, model: Model) -> list[str]:
        """Return the operators of a model that the engine says it does not have.

        Raises
        ------
        RunError
            If it died of the question.
        """
        operators = model.operators
        try:
            lacking = provider("evaluators").lacking(cls.engine, operators)
        except EvaluatorDiedError as error:
            raise RunError(str(error), lacks=True, died=True, loading=True) from error
        except Exception as error:
            if is_interrupt(error):
                raise
            text = f"{cls.title}: {_first_line(error)}"
            raise RunError(text, lacks=True, loading=True) from error
        return [
            f"{domain or 'ai.onnx'}.{name}"
            for (domain, name, _), is_missing in zip(operators, lacking, strict=True)
            if is_missing
        ]

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the model's order.

        Parameters
        ----------
        inputs : dict of str to array
            Names that the model lacks are left out.
        """
        names = set(self._loaded.inputs)
        try:
            found: list[Any] = self._loaded.run({n: v for n, v in inputs.items() if n in names})
        except EvaluatorDiedError as error:
            raise RunError(str(error), lacks=True, died=True) from error
        except Exception as error:
            if is_interrupt(error):
                raise
            text = f"{self.title} cannot run it: {_first_line(error)}"
            raise RunError(text, lacks=getattr(error, "lacks", False)) from error
        return found


class Onnxruntime(_ByEngine):
    """A session of onnxruntime, without its optimisations."""

    engine = "onnxruntime"
    title = "onnxruntime"


class Reference(_ByEngine):
    """ONNX's reference evaluator: slow, in Python, and a different implementation."""

    engine = "reference"
    title = "the reference evaluator"
    is_slow = True


class ByOperator:
    """Operator after operator, each by a registered evaluator or kernel, else by a runtime.

    What `ge.ops.use_evaluator` chose for folding does not matter here.

    Slow, and the only one that runs operators which ONNX does not know.

    Parameters
    ----------
    model : Model
    providers : list of str
        Not used.
    """

    title = "the evaluator, operator by operator"
    is_slow = True

    @classmethod
    def missing(cls, model: Model) -> list[str]:
        """Return nothing: what it lacks is known when it is asked for it."""
        return []

    def __init__(self, model: Model, providers: list[str] | None = None):
        from ._inputs import main_graph

        self._module = model.module.clone()  # not the caller's is sorted
        self._graph = main_graph(self._module)
        self._graph.sort()
        self.outputs = list(self._graph.output_names)

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the model's order.

        Parameters
        ----------
        inputs : dict of str to array
        """
        import numpy as np

        values: dict[Any, Any] = {}
        budget = Budget(provider("evaluators").limits_of_models())
        try:
            for value in self._graph.inputs:
                default = value.node.attributes.get("value")
                if value.name in inputs:
                    values[value] = inputs[value.name]
                elif default is not None:
                    budget.need_tensor(default)
                    values[value] = default.numpy()
            with np.errstate(all="ignore"):
                for node in self._graph.nodes:
                    budget.look()
                    if node.op == "ge.Const":
                        tensor = node.attributes["value"]
                        budget.need_tensor(tensor)
                        values[node.result] = tensor.numpy()
                    elif not node.is_input and not node.is_output:
                        found = _evaluated(
                            node, [None if v is None else values[v] for v in node.operands]
                        )
                        budget.take(byte_count(found))
                        values.update(
                            (r, f)
                            for r, f in zip(node.results, found, strict=True)
                            if r is not None
                        )
        except LimitError as error:
            raise RunError(f"{self.title}: {error}", lacks=True, died=True) from error
        return [None if v is None else values[v] for v in self._graph.outputs]


def _evaluated(node: Any, operands: list[Any]) -> list[Any]:
    from ..ir import Tensor

    context = node.context
    what = f"node '{node.name}' ({node.op})"
    if len(node.subgraphs):
        raise RunError(f"{what} has bodies, which only a runtime evaluates", lacks=True)
    tensors = [None if a is None else Tensor(a, context=context) for a in operands]
    opset, since = _versions(node)
    call = OpCall(
        node.op,
        context,
        opset,
        since,
        tuple(
            None if v is None else _type_of(v, t)
            for v, t in zip(node.operands, tensors, strict=True)
        ),
        tuple(tensors),
        {k: v for k, v in node.attributes.items() if not k.startswith("onnx.")},
        {},
        len(node.results),
        node.name,
        tuple(_known(r) for r in node.results),
        node.operand_segments,
        node.result_segments,
    )
    try:
        found = evaluate_call(call, in_child=True)
    except EvaluatorDiedError as error:
        raise RunError(str(error), lacks=True, died=True) from error
    except EvaluatorError as error:
        raised = error.__cause__
        said = str(error) if raised is None else f"the evaluator raised {_shown(raised)}"
        raise RunError(f"{what}: {said}", lacks=True) from raised or error
    except BaseException as error:  # what a runtime raises
        if is_interrupt(error):
            raise
        raise RunError(f"{what}: the evaluator raised {_shown(error)}", lacks=True) from error
    if found is None:
        raise RunError(f"nothing evaluates {what}", lacks=True)
    return [tensor.numpy() for tensor in found]


def _shown(error: BaseException) -> str:
    return f"{type(error).__name__}: {_first_line(error)}"


def _known(result: Any) -> Any:
    """Return the type that an evaluator's answer has to fit; None: any."""
    from ..ir import TensorType

    # Under other inputs symbols and unknown sizes are what they are.
    return result.type if result is not None and isinstance(result.type, TensorType) else None


def _type_of(value: Any, tensor: Any) -> Any:
    """Return a tensor's type, with the layout that the graph says the value has."""
    from ..ir import TensorType

    layout = getattr(value.type, "format", None)
    if layout is None:
        return tensor.type
    shape, dtype = tensor.type.shape, tensor.type.dtype
    return TensorType(shape, dtype, format=layout, context=tensor.type.context)


def _versions(node: Any) -> tuple[int, int | None]:
    """Return the operator set of a node's domain (0: not said), and the one that brought its definition."""
    from .. import ops

    opset = node.root.opsets.get(node.domain, 0)
    try:
        record = ops.get(f"{node.domain}::{node.type}", opset=opset or None)
    except (KeyError, ValueError):
        return opset, None
    return opset, record.since


class Interpreted:
    """The interpreter: also for operators that ONNX lacks, by registered kernels and CANN's reference kernels.

    Parameters
    ----------
    model : Model
    providers : list of str
        Not used.
    """

    title = "the interpreter"
    is_slow = True

    @classmethod
    def missing(cls, model: Model) -> list[str]:
        """Return nothing: what it lacks is known when it runs."""
        return []

    def __init__(self, model: Model, providers: list[str] | None = None):
        from ._inputs import main_graph

        self._module = model.module
        self._graph = main_graph(self._module)
        self.outputs = list(self._graph.output_names)

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the model's order.

        Parameters
        ----------
        inputs : dict of str to array
            Names that the model lacks are left out.
        """
        from ..ops import KernelError

        names = {value.name for value in self._graph.inputs}
        given = {name: value for name, value in inputs.items() if name in names}
        budget = Budget(provider("evaluators").limits_of_models())
        try:
            found: list[Any] = provider("interpreter")(self._graph, given, budget=budget)
        except KernelError as error:
            died = isinstance(error, LimitError) or isinstance(error.__cause__, EvaluatorDiedError)
            lacks = died or isinstance(error, NoKernelError)
            text = f"{self.title}: {_first_line(error)}"
            raise RunError(text, lacks=lacks, died=died) from error
        except ValueError as error:
            raise RunError(f"{self.title}: {_first_line(error)}") from error
        return found


Runner = Onnxruntime | Reference | ByOperator | Interpreted


def _first_line(error: BaseException) -> str:
    lines = text_of(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
