"""How hooks are called, and what they read: parameters, attributes of ``self``, global names."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from dis import get_instructions
from functools import lru_cache, wraps
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..._mlir_like._cext_loader import load
from .._pattern import _predicates
from .._pattern._pattern import PatternFunction
from .._pattern._trace import near, positional
from ._cann._inputs import PatternInputs, replacement_of_inputs

__all__ = [
    "UNCHECKED",
    "Names",
    "RecordedSelf",
    "Style",
    "builders_of",
    "check_pattern",
    "condition_style",
    "is_pattern_method",
    "keeps_self",
    "names_of_patterns",
    "no_value",
    "reads_of",
    "refuse_misspelt",
    "refuse_run",
    "replacement_style",
    "still_holds",
    "style_in_base",
    "takes_expression",
    "takes_inputs",
    "takes_type_of_self",
    "unwrapped",
    "wrap_hook",
    "wrap_hooks",
]

_ir = load("ir")
_ops = load("ops")
_INPUTS = "inputs"
_CONTEXT = "context"
_MATCH = ("match", "match_result")


@dataclass(frozen=True)
class Style:
    """How a hook is called.

    Attributes
    ----------
    kind : {"inputs", "named", "match"}
        With a `PatternInputs`, with values under the pattern's names, or with the match alone.
    arguments : tuple of str
        What it gets, in order: "inputs", "match", "context", or names of the pattern.
    """

    kind: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """Names of the values, which all patterns have in common.

    Attributes
    ----------
    by_pattern : dict of str to tuple of str
    common : tuple of str
        Those that every pattern has.
    """

    by_pattern: dict[str, tuple[str, ...]]
    common: tuple[str, ...]


#: Style of hooks without named values whose parameters are not checked: those of a base class.
UNCHECKED = Style("match", ("match",))


def is_pattern_method(value: object) -> bool:
    """Whether a class attribute is what ``@pattern`` made of a method."""
    return isinstance(value, PatternFunction)


def _named(names: list[str]) -> tuple[str, ...]:
    return tuple("match" if n in _MATCH else "context" if n == _CONTEXT else f"={n}" for n in names)


def _check_names(hook: str, names: list[str], required: int, known: Names) -> None:
    """Raise for a parameter without a default that is not a value of each pattern, nor the match or the context."""
    for name in names[:required]:
        if name in (*known.common, *_MATCH, _CONTEXT):
            continue
        if lacking := [each for each, has in known.by_pattern.items() if name not in has]:
            some = len(lacking) < len(known.by_pattern)
            which = f"pattern '{lacking[0]}'" if some or len(lacking) == 1 else "no pattern"
            has = "has" if which == "no pattern" else "does not have"
            own = (
                f"; write @{lacking[0]}.replacement for that pattern, or name its value '{name}'"
                if some and hook == "replacement"
                else ""
            )
            raise TypeError(
                f"{hook} has a parameter '{name}', which {which} {has}; their names are "
                f"{', '.join(known.common) or 'none'}, beside 'match' and 'context'"
                f"{near(name, known.common)}{own}"
            )


def _by_name(names: list[str], required: int, known: Names) -> Style | None:
    """Return the style of a hook of a class whose patterns all name their values; None: it is called by position."""
    extra = (*_MATCH, _CONTEXT)
    used = 0
    while used < len(names) and (used < required or names[used] in (*known.common, *extra)):
        used += 1
    if not used:
        return None
    takes_values = any(n in known.common for n in names[:used])
    arguments = _named(names[:used])
    return Style("named" if takes_values else "match", arguments)


def no_value(hook: str, value: str) -> str:
    """Return the error for a hook that does not take one value and optionally the context."""
    return f"{hook} only supports {hook}(self, {value}) or {hook}(self, {value}, context)"


def condition_style(function: Callable[..., Any], known: Names | None) -> Style:
    """Return how ``meet_requirements`` is called.

    Parameters
    ----------
    function : callable
    known : Names, optional
        Of the patterns of its class, if all of them name their values; else it is called by position.

    Raises
    ------
    TypeError
        For a parameter without a default that is none of these, or a signature that is none of the three.
    """
    wrong = no_value("meet_requirements", "match_result")
    names, required, more = positional(function, wrong)
    if known is not None:
        _check_names("meet_requirements", names, required, known)
        if style := _by_name(names, required, known):
            return style
    if required > 2 or (not names and not more):
        raise TypeError(wrong)
    return Style("match", ("match", "context") if len(names) > 1 or more else ("match",))


def takes_expression(names: Sequence[str]) -> bool:
    """Return whether a replacement with these parameters after ``self`` is in CANN's expression style."""
    return bool(names) and names[0] == _INPUTS


def style_in_base(cls: type) -> Style:
    """Return how a class without patterns has its replacement called directly.

    Raises
    ------
    TypeError
        For a hook of its own body that no subclass could be called with.
    """
    for hook in ("meet_requirements", "replacement"):
        if hook not in vars(cls):
            continue
        wrong = no_value(hook, "match_result")
        names, _, more = positional(getattr(cls, hook), wrong)
        if not names and not more:
            raise TypeError(wrong)
        if hook == "replacement" and takes_expression(names):
            return replacement_style(getattr(cls, hook), None)
    return UNCHECKED


def replacement_style(function: Callable[..., Any], known: Names | None) -> Style:
    """Return how ``replacement``, or the replacement of one pattern, is called; see `condition_style`."""
    wrong = (
        f"{no_value('replacement', 'match_result')}, "
        "or in expression style replacement(self, inputs[, match_result][, context])"
    )
    names, required, more = positional(function, wrong)
    if takes_expression(names):
        rest = names[1:required] if required > 1 else names[1:3]
        if required > 3:
            raise TypeError(
                "Expression-style replacement only supports replacement(self, inputs), "
                "replacement(self, inputs, match_result), replacement(self, inputs, context), or "
                "replacement(self, inputs, match_result, context)"
            )
        if len(rest) == 2 and (rest[1] != _CONTEXT or rest[0] == _CONTEXT):
            raise TypeError(
                "Expression-style replacement with four arguments must use "
                "replacement(self, inputs, match_result, context)"
            )
        if not rest:
            return Style("inputs", ("inputs",))
        if rest[0] == _CONTEXT:
            return Style("inputs", ("inputs", "context"))
        return Style("inputs", ("inputs", "match", *(["context"] if len(rest) > 1 else [])))
    if known is not None:
        _check_names("replacement", names, required, known)
        if style := _by_name(names, required, known):
            return style
    if required > 2 or (not names and not more):
        raise TypeError(wrong)
    return Style("match", ("match", "context") if len(names) > 1 or more else ("match",))


_WRONG_PATTERN = (
    "@pattern methods only support method(self, inputs) or method(self, <named values>)"
)


def check_pattern(name: str, function: Callable[..., Any]) -> None:
    """Raise TypeError when the signature of a ``@pattern`` method is neither of the two."""
    names, required, more = positional(function, _WRONG_PATTERN)
    # What is absent in each match has the default None.
    required += sum(default is None for default in function.__defaults__ or ())
    if not names or more or required != len(names) or (_INPUTS in names and len(names) > 1):
        raise TypeError(f"{_WRONG_PATTERN}; '{name}' does not")


def takes_inputs(function: Callable[..., Any]) -> tuple[bool, list[str]]:
    """Return whether a ``@pattern`` method takes ``inputs``, and the names of its parameters."""
    names, _, _ = positional(function, _WRONG_PATTERN)
    return names == [_INPUTS], names


def names_of_patterns(methods: Iterable[tuple[str, Callable[..., Any]]]) -> Names | None:
    """Return the names of values of patterns; None where one of them takes ``inputs``, or there is no pattern."""
    by_pattern: dict[str, tuple[str, ...]] = {}
    common: list[str] = []
    for name, function in methods:
        is_positional, names = takes_inputs(function)
        if is_positional:
            return None
        common = [n for n in names if not by_pattern or n in common]
        by_pattern[name] = tuple(names)
    return Names(by_pattern, tuple(common)) if by_pattern else None


def refuse_run(cls: type, kind: str, hooks: str) -> None:
    """Raise TypeError when a class overrides ``run``, which its kind does not call."""
    if "run" in cls.__dict__:
        raise TypeError(
            f"{cls.__name__} overrides run(), which is never invoked by the {kind} execution path. "
            f"Implement {hooks} instead."
        )


# --- Attributes and names that hooks read

_MISSING = object()
#: Types whose equal values are interchangeable for a pattern.
_PLAIN = (bool, int, float, str, bytes, type(None))
#: Types whose objects are immutable and compared by identity.
_FIXED = (FunctionType, staticmethod, property, ModuleType, _ir.DType, _ops.Function)


class RecordedSelf:
    """``self`` of a ``@pattern`` method during tracing: records which attributes the method reads.

    The pattern may serve later executions, on other instances, as long as these attributes are the same (`still_holds`).
    Methods and properties of the class are called with the recorder, so that what they read is recorded, too.
    """

    __slots__ = ("_cls", "_is_kept", "_object", "_reads")

    def __init__(self, instance: Any) -> None:
        fields: dict[str, Any] = {
            "_object": instance,
            "_cls": type(instance),
            "_reads": {},
            "_is_kept": True,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __getattribute__(self, name: str) -> Any:
        own = object.__getattribute__
        instance, cls = own(self, "_object"), own(self, "_cls")
        if name == "__class__":
            return cls
        found = _lookup(instance, name)
        own(self, "_reads")[name] = found
        if name not in getattr(instance, "__dict__", ()):
            if isinstance(found, FunctionType):
                return MethodType(found, self)
            if isinstance(found, property) and found.fget is not None:
                return found.fget(self)
        if not _is_constant(found):
            object.__setattr__(self, "_is_kept", False)
        return getattr(instance, name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, "_is_kept", False)
        setattr(object.__getattribute__(self, "_object"), name, value)

    def __delattr__(self, name: str) -> None:
        object.__setattr__(self, "_is_kept", False)
        delattr(object.__getattribute__(self, "_object"), name)


def reads_of(recorded: RecordedSelf) -> dict[str, Any] | None:
    """Return the value that was read by name; None if later changes of it cannot be detected."""
    own = object.__getattribute__
    reads: dict[str, Any] = own(recorded, "_reads")
    return reads if own(recorded, "_is_kept") else None


def still_holds(reads: dict[str, Any], instance: Any) -> bool:
    """Return whether an instance has the attributes that `reads_of` gave for another one."""
    return all(_is_same(_lookup(instance, name), value) for name, value in reads.items())


def takes_type_of_self(method: Callable[..., Any]) -> bool:
    """Return whether a method calls ``type``, which would return the class of the recorder."""
    code = getattr(method, "__code__", None)
    return code is None or "type" in code.co_names


def keeps_self(method: Callable[..., Any]) -> bool:
    """Return whether a function inside a method refers to the method's ``self``."""
    code: CodeType = method.__code__
    return code.co_varnames[0] in code.co_cellvars


def _lookup(instance: Any, name: str) -> Any:
    """Return an attribute as it is stored, in the instance or else in its class: methods and properties unbound."""
    own = getattr(instance, "__dict__", {})
    if name in own:
        return own[name]
    for cls in type(instance).__mro__:
        if name in vars(cls):
            return vars(cls)[name]
    return _MISSING


def _is_constant(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return type(value) in _PLAIN or isinstance(value, _FIXED)


def _is_same(now: Any, before: Any) -> bool:
    return now is before or (
        type(now) is type(before) and type(now) in (*_PLAIN, tuple) and repr(now) == repr(before)
    )


# Instructions that the code of a template replacement may consist of: a sequence of calls.
_STRAIGHT = frozenset((
    "BUILD_LIST", "BUILD_TUPLE", "CACHE", "CALL", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_KW",
    "CALL_METHOD", "COPY", "COPY_FREE_VARS", "DUP_TOP", "EXTENDED_ARG", "KW_NAMES", "LIST_EXTEND",
    "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_FAST_CHECK",
    "LOAD_FAST_LOAD_FAST", "LOAD_SMALL_INT", "NOP", "POP_TOP", "PRECALL", "PUSH_NULL", "RESUME",
    "RETURN_VALUE", "ROT_THREE", "ROT_TWO", "STORE_FAST", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST",
    "SWAP", "UNPACK_SEQUENCE",
))  # fmt: skip
_NAMES = ("LOAD_GLOBAL", "LOAD_DEREF")
_MEMBERS = ("LOAD_ATTR", "LOAD_METHOD")
_BETWEEN = ("CACHE", "EXTENDED_ARG", "PUSH_NULL")


def builders_of(function: Any, names: Sequence[str]) -> tuple[Any, ...] | None:
    """Return the builders that a replacement calls, if what it builds depends on nothing else; else None.

    That is a method whose code is a sequence of calls of builders of operators (``op.Gemm``) with its parameters, other
    results and constants: no branch, loop, ``self``, attribute of a value, nor call of anything else.

    Parameters
    ----------
    function : callable
    names : sequence of str
        The parameters after ``self``.
    """
    if type(function) is not FunctionType:
        return None
    reads = _reads_of_calls(function.__code__, tuple(names))
    if reads is None:
        return None
    found = tuple(_value_of(function, read) for read in reads)
    return found if all(map(_is_builder, found)) else None


def _is_builder(value: Any) -> bool:
    """Return whether the result of calling `value` depends on its arguments only; element types are arguments."""
    return isinstance(value, (_ops.Function, _ir.DType)) or value is _predicates.op


class _Read(NamedTuple):
    """What code reads by name, such as ``es.onnx.Add``.

    Attributes
    ----------
    operation : {"LOAD_GLOBAL", "LOAD_DEREF"}
    name : str
    members : tuple of str
        Of what the name means, one of the other.
    """

    operation: str
    name: str
    members: tuple[str, ...]


# Reading instructions costs more than a run over a small graph.
@lru_cache(maxsize=1024)
def _reads_of_calls(code: CodeType, names: tuple[str, ...]) -> tuple[_Read, ...] | None:
    """Return the names that the code of a replacement reads, if it is a sequence of calls; else None."""
    takes_more = code.co_flags & 0x0C or code.co_kwonlyargcount  # *args, **kwargs
    parameters = code.co_varnames[: code.co_argcount]
    if takes_more or parameters[1:] != names or code.co_cellvars:
        return None
    if getattr(code, "co_exceptiontable", b""):
        return None
    found: list[_Read] = []
    is_open = False  # the last instruction was a read, which a member may follow
    for each in get_instructions(code):
        if each.opname in _BETWEEN:
            continue
        read = each.argval if isinstance(each.argval, tuple) else (each.argval,)
        if each.opname != "LOAD_CONST" and parameters[0] in read:
            return None
        if each.opname in _MEMBERS:
            if not is_open:
                return None  # an attribute of a value is not known here
            found[-1] = found[-1]._replace(members=(*found[-1].members, each.argval))
        elif each.opname in _NAMES:
            found.append(_Read(each.opname, each.argval, ()))
            is_open = True
        elif each.opname in _STRAIGHT:
            is_open = False
        else:
            return None
    return tuple(found)


def _value_of(function: FunctionType, read: _Read) -> Any:
    """Return the current value of a name; _MISSING if it is unknown, or an attribute of an object that is not a module."""
    if read.operation == "LOAD_GLOBAL":
        value = function.__globals__.get(read.name, _MISSING)
    else:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
        try:
            value = cells[read.name].cell_contents
        except (KeyError, ValueError):
            return _MISSING
    for member in read.members:
        value = getattr(value, member, _MISSING) if isinstance(value, ModuleType) else _MISSING
    return value


# --- Direct calls of hooks by subclasses and unit tests, with or without context, without a match
#
# A class stores each hook in CANN's style in a wrapper. Code that runs a pass calls the user's
# function directly.

_WRAPPERS: set[CodeType] = set()


def unwrapped(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Return a hook as the user wrote it, bound if it is given so."""
    function: Any = getattr(hook, "__func__", hook)
    if getattr(function, "__code__", None) not in _WRAPPERS:
        return hook
    written: Callable[..., Any] = function.__wrapped__
    return MethodType(written, hook.__self__) if isinstance(hook, MethodType) else written


def wrap_hooks(cls: type, condition: Style, replacement: Style) -> None:
    """Wrap the hooks in the body of a class of patterns; `condition` and `replacement` say how they are called.

    Those that take values of the pattern by name stay as they are.
    """
    if _takes_match(condition):
        wrap_hook(cls, "meet_requirements")
    if replacement.kind == "inputs":
        _wrap_expression(cls, "replacement", replacement)
    elif _takes_match(replacement):
        wrap_hook(cls, "replacement")


def _takes_match(style: Style) -> bool:
    return style.kind == "match" and style.arguments[0] == "match"


def wrap_hook(cls: type, name: str) -> None:
    """Let a hook of a class's body be called with and without the context, whether it takes it or not."""
    function = vars(cls).get(name)
    if type(function) is not FunctionType:
        return
    names, required, more = positional(function, "")
    if more or not names or required > 2:
        return

    @wraps(function)
    def hook(self: Any, *given: Any, **named: Any) -> Any:
        if len(given) == 1 and "context" in named and names[-1] != "context":
            given = (*given, named.pop("context"))
        if len(given) == 2 and len(names) == 1:
            given = given[:1]
        elif len(given) == 1 and required == 2 and not named:
            given = (*given, None)
        return function(self, *given, **named)

    _keep(cls, name, hook)


def _wrap_expression(cls: type, name: str, style: Style) -> None:
    """Let a replacement that takes ``inputs`` be called with a match, or None, and give a graph."""
    function = vars(cls).get(name)
    if type(function) is not FunctionType:
        return

    @wraps(function)
    def hook(self: Any, match_result: Any, *given: Any, **named: Any) -> Any:
        if isinstance(match_result, PatternInputs):
            return function(self, match_result, *given, **named)  # a subclass passes them on
        context = given[0] if given else named.pop("context", None)
        if named or len(given) > 1:
            raise TypeError(f"{name} takes a match and a context, not {named or given[1:]!r}")
        values = match_result.inputs if isinstance(match_result, load("passes").MatchResult) else ()
        arguments = {"match": match_result, "context": context}
        bound = MethodType(function, self)
        return replacement_of_inputs(self, style.arguments, bound, values, arguments)

    _keep(cls, name, hook)


def _keep(cls: type, name: str, hook: Any) -> None:
    _WRAPPERS.add(hook.__code__)
    setattr(cls, name, hook)


# --- Misspelt hooks

# Other names that users give to hooks, besides those with similar spelling.
_OTHER_WORDS = {
    "patterns": ("pattern",),
    "meet_requirements": ("condition", "when"),
    "replacement": ("replace", "rewrite"),
}
# Required similarity of two names: accepts 'meets_requirements', rejects 'check_requirements'.
_ALIKE = 0.85


def refuse_misspelt(cls: type, base: type, hooks: Iterable[str]) -> None:
    """Raise TypeError when a class has a method that looks like a hook which it does not have.

    Parameters
    ----------
    cls : type
    base : type
        The class of this package that defines the hooks.
    hooks : iterable of str
    """
    from difflib import SequenceMatcher

    missing = [hook for hook in hooks if getattr(cls, hook) is getattr(base, hook)]
    for name, value in vars(cls).items():
        if name.startswith("_") or not callable(value) or isinstance(value, type):
            continue
        if hasattr(base, name):
            continue
        for hook in missing:
            is_alike = SequenceMatcher(None, name.lower(), hook).ratio() >= _ALIKE
            if is_alike or name in _OTHER_WORDS[hook]:
                raise TypeError(
                    f"{cls.__name__} has a method '{name}', which is never called; did you mean the hook "
                    f"'{hook}'? (a method of another purpose may begin with '_')"
                )
