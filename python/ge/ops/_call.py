"""Calls of operators: ``ge.ops.call.acme.scale(x, factor=2.0)``.

Arguments are bound by the record's own order, the kernel is chosen by where the arrays are, and what it gives is
checked against inference.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._foreign import OpCall
from .._mlir_like._cext_loader import load
from .._support.domains import load as load_domain
from .._support.failures import is_interrupt, text_of
from .._support.program import PACKAGE
from ._arrays import numpy_
from ._convert import list_items, node_operands, renewed
from ._errors import BindError, KernelError
from ._kernels import ALIASES, closed_at, evaluator_of
from ._lookup import SetAsideError, check_backend, look_up
from ._overload import Overload

__all__ = ["NodeCall", "Operator", "call", "function", "functions", "init_api", "invoke"]

_native: Any = load("ops")
_ir: Any = load("ir")


# # result of a call, and what the native fast path can learn from it or None
_Answer = tuple[Any, "tuple[Any, ...] | None"]


class Prepared:
    """An operator with its prepared overloads: the Python path of `Operator` for calls that it has not cached."""

    __slots__ = ("_state", "names")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        # Generation, records, prepared overloads, whether `out=` is ours. Replaced as a whole: other threads call.
        self._state: tuple[int, tuple[Any, ...], list[Overload], bool] = (-1, (), [], True)

    def refresh(self) -> tuple[int, tuple[Any, ...], list[Overload], bool]:
        generation = (
            _native.generation()
        )  # before the look-up: a change between the two is seen next time
        state = self._state
        if generation == state[0]:
            return state
        records: tuple[Any, ...] = ()
        for name in self.names:
            records = _native.overloads(name)
            if records:
                break
        if records == state[1]:
            state = (generation, *state[1:])
        else:
            takes_out = not any(p.name == "out" for r in records for p in r.params)
            state = (generation, records, [Overload(r) for r in records], takes_out)
        self._state = state
        return state

    @property
    def op(self) -> Any:
        """The record of its first overload."""
        return self.live()[1][0]

    # What the native object shows as __name__, __doc__ and __signature__; of several overloads the first's.

    @property
    def name(self) -> str:
        return self.names[0].rpartition("::")[2]

    @property
    def doc(self) -> str:
        from ._describe import docstring

        _, records, _, takes_out = self.live()
        return docstring(records[0], takes_out)

    @property
    def signature(self) -> Any:
        from ._describe import signature

        _, records, _, takes_out = self.live()
        if len(records) > 1:
            raise AttributeError("__signature__")  # none describes all overloads
        return signature(records[0], takes_out)

    def live(self) -> tuple[int, tuple[Any, ...], list[Overload], bool]:
        state = self.refresh()
        if not state[1]:
            space = self.names[0].partition("::")[0]
            raise KeyError(
                f"{self.names[0]} is not registered any more: its library was closed{closed_at(space)}"
            )
        return state

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Answer:
        state = self._state
        if state[0] != _native.generation() or not state[1]:
            state = self.live()
        out = kwargs.pop("out", None) if kwargs and state[3] else None
        index, values, codes = _native._bind_call(state[1], args, kwargs)
        overload = state[2][index]
        overload.complete(values, codes)
        results, lesson = overload.run_once(values, out)
        if len(state[1]) != 1 or lesson is None:
            lesson = None
        else:
            lesson = overload.lesson(*lesson, takes_out=state[3])
        if len(results) == 1 and not overload.record.varret:
            return results[0], lesson
        return (tuple(results) if results or overload.record.varret else None), lesson

    def __repr__(self) -> str:
        return f"<operator {self.names[0]}>"


if TYPE_CHECKING:
    from . import Operator
else:
    Operator = _native.Operator
_native._set_prepare(Prepared)


class Namespace:
    """The operators of a namespace, to be called: ``ge.ops.call.acme``."""

    def __init__(self, ns: str) -> None:
        self._ns = ns
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._made.get(name)
        if found is not None and found._prepared.refresh()[1]:
            return found
        made: Any = Operator(tuple(f"{ns}::{name}" for ns in ALIASES.get(self._ns, (self._ns,))))
        if made._prepared.refresh()[1]:
            self._made[name] = made
            return made
        inner = f"{self._ns}.{name}"
        if any(n == inner or n.startswith(inner + ".") for n in _native.namespaces()):
            return Namespace(inner)
        near = _native.suggest(f"{self._ns}::{name}")
        hint = f"; did you mean {' or '.join(near[:3])}?" if near else ""
        if place := closed_at(self._ns):
            hint += f"; a library of '{self._ns}' was closed{place}"
        raise AttributeError(
            f"there is no operator '{self._ns}::{name}'{hint}", name=name, obj=None
        )

    def __dir__(self) -> list[str]:
        return sorted(
            {
                n.partition("::")[2].partition(".")[0]
                for ns in ALIASES.get(self._ns, (self._ns,))
                for n in _native.list_ops(ns)
            }
        )

    def __repr__(self) -> str:
        return f"<operators of '{self._ns}' to be called>"


class _Calls:
    """Operators that compute: ``ge.ops.call.acme.scale(x)``."""

    def __getattr__(self, name: str) -> Namespace:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in ALIASES and not _is_namespace(name):
            load_domain(name)  # a package may define its operators
        if name not in ALIASES and not _is_namespace(name):
            shown = ", ".join(_native.namespaces())
            place = closed_at(name)
            closed = f"; a library of '{name}' was closed{place}" if place else ""
            raise AttributeError(
                f"there is no namespace '{name}'; registered are {shown}{closed}",
                name=name,
                obj=None,
            )
        found = Namespace(name)
        self.__dict__[name] = found
        return found

    def __dir__(self) -> list[str]:
        return sorted({n.partition(".")[0] for n in _native.namespaces()} | set(ALIASES))

    def __repr__(self) -> str:
        return f"<{PACKAGE}.ops.call>"


def _is_namespace(name: str) -> bool:
    return any(n == name or n.startswith(name + ".") for n in _native.namespaces())


call = _Calls()

_prepared: dict[Any, Overload] = {}


def invoke(
    op: Any,
    operands: Sequence[Any],
    attributes: "Mapping[str, Any] | None" = None,
    *,
    backend: "str | None" = None,
    segments: "Sequence[int] | None" = None,
) -> list[Any]:
    """Run an operator with the operands of a node by position and its attributes by name.

    Parameters
    ----------
    op : OpDef or str
    operands : sequence
        Arrays, None where one is absent; those of a list of tensors one after another.
    attributes : mapping, optional
        Those that are not there have their defaults.
    backend : str, optional
        None: where the arrays are.
    segments : sequence of int, optional
        The number of operands of each operand parameter, where the record does not imply it.

    Returns
    -------
    list
        All results.

    Raises
    ------
    BindError
        If operands or attributes do not fit the record.
    ValueError
        If there is no such backend.
    """
    if backend is not None:
        check_backend(backend)
    record = _native.get(op) if isinstance(op, str) else op
    prepared = _overload_of(record)
    given, rest = _by_parameter(prepared, operands, segments)
    operator = _operator_for(prepared, given.values(), backend)
    if operator is None:
        return prepared.run(_bound(prepared, given, attributes) + rest, None, backend)
    # The operator binds the arguments by the same record and with the same messages.
    arguments = {prepared.params[i].name: value for i, value in given.items()}
    _add_attributes(prepared, arguments, attributes)
    if "out" in arguments and not any(p.name == "out" for p in prepared.params):
        return prepared.run(_bound(prepared, given, attributes), None, backend)  # which refuses it
    return _listed(prepared, operator(**arguments))


class NodeCall:
    """What `invoke` does, for an operator that is run again and again: bound once.

    Parameters
    ----------
    op : OpDef
    operands : sequence
        As `invoke` takes them; later calls have absent operands in the same places.
    attributes : mapping
    backend : str, optional
    segments : sequence of int, optional
        As `invoke` takes them.

    Raises
    ------
    BindError
        If operands or attributes do not fit the record.
    """

    def __init__(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: "Mapping[str, Any]",
        backend: "str | None" = None,
        segments: "Sequence[int] | None" = None,
    ) -> None:
        self._prepared = _overload_of(op)
        self._backend = backend
        self._segments = segments
        given, _ = _by_parameter(self._prepared, operands, segments)
        self._values = _bound(self._prepared, given, attributes)
        for i in given:
            self._values[i] = None  # nothing of this call stays
        self._has_lists = any(isinstance(v, (list, tuple, dict)) for v in self._values)
        self._absent = [o is None for o in operands]

    def fits(self, operands: Sequence[Any]) -> bool:
        """Return whether the same operands are absent as in the first call."""
        return [o is None for o in operands] == self._absent

    @property
    def attributes(self) -> dict[str, Any]:
        """All attributes by name."""
        return {name: self._values[i] for i, name in self._prepared.attributes}

    def by_parameter(self, operands: Sequence[Any]) -> list[Any]:
        """Return a value for each operand parameter, and varargs."""
        prepared = self._prepared
        if len(operands) == len(prepared.operands) and not (prepared.has_lists or prepared.parts):
            return list(operands)
        given, rest = _by_parameter(prepared, operands, self._segments)
        return [*(given.get(i) for i in prepared.operands), *rest]

    def __call__(self, operands: Sequence[Any]) -> list[Any]:
        """Return all results."""
        prepared = self._prepared
        values = renewed(self._values) if self._has_lists else list(self._values)
        given, rest = _by_parameter(prepared, operands, self._segments)
        for i, value in given.items():
            values[i] = value
        operator = _operator_for(prepared, given.values(), self._backend)
        if operator is None or prepared.has_lists:
            return prepared.run(values + rest, None, self._backend)
        keywords = {name: values[i] for i, name in prepared.keywords}
        return _listed(prepared, operator(*values[: prepared.num_positional], **keywords))


def _listed(prepared: Overload, found: Any) -> list[Any]:
    count = len(prepared.results)
    return [found] if count == 1 else list(found) if count else []


def _operator_for(prepared: Overload, arrays: Any, backend: "str | None") -> Any:
    """Return what calls an operator natively on some arrays and lists of them, or None."""
    if backend is not None and backend != "cpu":
        return None
    operator = _callable(prepared)
    if operator is None or backend is None:
        return operator
    for array in arrays:
        for one in array if type(array) is list else (array,):
            if one is not None and not _is_on_cpu(one):
                return None
    return operator


_callables: dict[int, tuple[Overload, Any]] = {}


def _callable(prepared: Overload) -> Any:
    """Return the operator of a record, whose calls are native from the third of a kind on; None: calls would differ."""
    record = prepared.record
    kept = _callables.get(id(prepared))
    if kept is None or kept[0] is not prepared:
        if len(_callables) >= 4096:
            _callables.clear()
        usable = prepared.form(True) is not None and not prepared.is_function and not record.varret
        usable = usable and bool(prepared.operands)
        made = Operator((f"{record.ns}::{record.name}",)) if usable else None
        kept = _callables[id(prepared)] = (prepared, made)
    operator: Any = kept[1]
    # Only if the operator has this record alone, and it is still registered.
    if operator is None or operator._prepared.refresh()[1] != (record,):
        return None
    return operator


def _is_on_cpu(array: Any) -> bool:
    return type(array) is _ir.Tensor or type(array).__module__ == "numpy"


def arranged(
    record: Any,
    operands: Sequence[Any],
    attributes: "Mapping[str, Any] | None",
    segments: "Sequence[int] | None" = None,
) -> tuple[Overload, list[Any]]:
    """Return a record prepared for calls, and the complete arguments of an operator with a node's operands and attributes.

    Raises
    ------
    BindError
    """
    prepared = _overload_of(record)
    given, rest = _by_parameter(prepared, operands, segments)
    return prepared, _bound(prepared, given, attributes) + rest


def _overload_of(record: Any) -> Overload:
    key = (record.qualified_name, record.since)
    prepared = _prepared.get(key)
    if prepared is None or prepared.record != record:
        if len(_prepared) >= 4096:
            _prepared.clear()
        prepared = _prepared[key] = Overload(record)
    return prepared


def _by_parameter(
    prepared: Overload, operands: Sequence[Any], segments: "Sequence[int] | None" = None
) -> tuple[dict[int, Any], list[Any]]:
    """Return the operands by number of their parameter, those of a list of tensors as a list, and varargs.

    Parameters
    ----------
    segments : sequence of int, optional
        The number of operands of each operand parameter. Operands at the end may be missing.

    Raises
    ------
    BindError
        If the record needs `segments`, or does not take as many operands.
    """
    given: dict[int, Any] = {}
    count = len(operands)
    places = prepared.operands
    if count == len(places) and not prepared.has_lists and not prepared.parts:
        return {
            i: value
            for i, value in zip(places, operands, strict=True)
            if value is not None or prepared.takes_none[i]
        }, []
    if segments is None and count and prepared.record.has_operand_choice:
        names = "', '".join(prepared.params[i].name for i in places)
        raise BindError(
            f"{prepared.name}: {count} operands do not say how many '{names}' take; the node needs operand_segments"
        )
    rest = list(operands)
    after = sum(prepared.widths)
    for place, i in enumerate(places):
        param = prepared.params[i]
        is_optional = param.type.kind == "optional"
        length = -1
        if segments is not None:
            length = segments[place] if place < len(segments) else 0
        after -= prepared.widths[place]
        type_ = param.type.elements[0] if is_optional else param.type
        if type_.kind == "tuple":
            if length and (rest or param.required):
                given[i] = node_operands(param.type, rest)
            continue
        if param.is_variadic:
            size = max(len(rest) - after, 0) if length < 0 else length
            is_absent = is_optional and size == 1 and rest[:1] and rest[0] is None
            items = None if is_absent else list_items(type_.elements[0], rest[:size])
            given[i], rest = items, rest[size:]
            continue
        value = rest.pop(0) if rest and length else None
        if value is not None or prepared.takes_none[i]:
            given[i] = value
    if rest and not prepared.vararg:
        raise BindError(f"{prepared.name} takes {len(places)} operands, not {count}")
    return given, rest


def _add_attributes(
    prepared: Overload, arguments: dict[str, Any], attributes: "Mapping[str, Any] | None"
) -> None:
    if not attributes:
        return
    types = {name: prepared.params[i].type for i, name in prepared.attributes}
    for name, value in attributes.items():
        if name in arguments:
            raise BindError(f"{prepared.name}: '{name}' is an operand, not an attribute")
        arguments[name] = _as_parameter(value, types[name]) if name in types else value


def _bound(
    prepared: Overload, given: dict[int, Any], attributes: "Mapping[str, Any] | None"
) -> list[Any]:
    """Return the complete arguments for operands by parameter and attributes by name."""
    arguments = {prepared.params[i].name: _as_array(value) for i, value in given.items()}
    _add_attributes(prepared, arguments, attributes)
    _, values, codes = _native._bind_call((prepared.record,), (), arguments)
    prepared.complete(values, codes)
    for i, value in given.items():
        values[i] = value
    return list(values)


def _as_array(operand: Any) -> Any:
    """Return the binder's placeholder for a value of a graph (an operand of a decomposition); other values unchanged."""
    if isinstance(operand, (list, tuple)):
        return type(operand)(_as_array(one) for one in operand)
    return numpy_().empty(0) if isinstance(operand, _ir.Value) else operand


def _as_parameter(value: Any, type_: Any) -> Any:
    """Return an attribute of a node in the binder's form: files write bools as numbers, and one number for a list."""
    if type_.kind == "optional":
        type_ = type_.elements[0]
    if type_.kind == "list":
        if hasattr(value, "tolist"):
            value = list(value)
        item = type_.elements[0]
        if isinstance(value, (list, tuple)):
            return [_as_parameter(one, item) for one in value]
        is_one = type(value) is int and not type_.size
        return [_as_parameter(value, item)] if is_one else _as_parameter(value, item)
    if type_.name in ("bool", "SymBool") and type(value) is int and value in (0, 1):
        return bool(value)
    return value


def evaluate_call(asked: OpCall) -> "Sequence[Any] | None":
    """Return the results of an operator on constants by its library's evaluator, kernel or decomposition.

    Returns
    -------
    sequence of arrays, or None
        None: it has none of these, or the node is not as the record says. Evaluators of users come before the reference
        kernels that ship with GE.

    Raises
    ------
    KernelError
    """
    own = evaluator_of(asked)
    if own is not None:
        try:
            found: Sequence[Any] | None = own(asked)
        except BaseException as error:
            if is_interrupt(error):
                raise
            raise KernelError(
                f"{asked.op}: evaluate raised {type(error).__name__}: {text_of(error)[:500]}"
            ) from error
        if found is not None:
            return found
    else:
        _ir._remove_evaluated(asked.op)  # its library was closed: kernels in C run natively
    domain, _, name = asked.op.rpartition(".")
    for ns in ALIASES.get(domain, (domain,)):
        record = _native.find(ns, name)
        if record is None:
            continue
        try:
            implementation = look_up(record)
            if implementation is None or implementation.is_shipped:
                continue
            return invoke(
                record,
                asked.operands,
                asked.attributes,
                backend="cpu",
                segments=asked.operand_segments,
            )
        except SetAsideError as error:
            raise KernelError(str(error)) from None
        except (BindError, NotImplementedError, _ir.VerifyError):
            return None  # it is not a node of that record
    return None


# --- Global functions


def function(name: str) -> Operator:
    """Return a global function: an operator without tensors that has a kernel.

    Parameters
    ----------
    name : str
        ``"relax::add1"``.

    Raises
    ------
    KeyError
        With names that are near.
    """
    try:
        record = _native.get(name)
    except KeyError as error:
        namespace = name.partition("::")[0]
        if place := closed_at(namespace):
            raise KeyError(
                f"{error.args[0]}; a library of '{namespace}' was closed{place}"
            ) from None
        raise
    prepared = Prepared((f"{record.ns}::{record.name}",))
    prepared.live()
    return Operator(prepared.names)


def functions(namespace: str) -> list[str]:
    """Return the qualified names of the functions of a namespace, sorted.

    Parameters
    ----------
    namespace : str
    """
    names = []
    for name in _native.list_ops(namespace):
        record = _native.get(name)
        slots = [*record.params, *record.results]
        if not any(s.type.contains_tensor for s in slots) and _native._list_kernels(name):
            names.append(name)
    return names


def init_api(namespace: str, module: "str | None" = None) -> list[str]:
    """Add the functions of a namespace to a module, as attributes.

    Parameters
    ----------
    namespace : str
    module : str, optional
        Its name, ``__name__``; None: the namespace is one.

    Returns
    -------
    list of str
        Names of the attributes.
    """
    import importlib

    target = sys.modules.get(module or namespace) or importlib.import_module(module or namespace)
    names = []
    for name in functions(namespace):
        short = name.partition("::")[2].partition(".")[0]
        setattr(target, short, function(f"{namespace}::{short}"))
        names.append(short)
    return names
