"""Operators on values, as operators of ONNX."""

from typing import Any

from .._mlir_like._cext_loader import load

__all__ = ["apply"]

_ir = load("ir")

_BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "truediv": "Div",
    "pow": "Pow",
    "matmul": "MatMul",
    "lt": "Less",
    "le": "LessOrEqual",
    "gt": "Greater",
    "ge": "GreaterOrEqual",
}
_UNARY = {"neg": "Neg", "abs": "Abs"}
_LOGIC = {"and": ("And", "BitwiseAnd"), "or": ("Or", "BitwiseOr"), "xor": ("Xor", "BitwiseXor")}
_SHIFT = {"lshift": "LEFT", "rshift": "RIGHT"}
_END = 2**63 - 1


def apply(op: Any, name: str, a: Any, b: Any) -> Any:
    """Return the value of ``a <name> b``; NotImplemented where there is no operator for it."""
    if name == "getitem":
        return _index(op, a, b)
    if name == "bool":
        return _truth(a)
    try:
        if name in _UNARY:
            return getattr(op, _UNARY[name])(a)
        if name in _BINARY:
            return getattr(op, _BINARY[name])(a, b)
        kind = _kind(a, b)
        if name in _LOGIC:
            return getattr(op, _LOGIC[name][kind != "bool"])(a, b)
        if name == "invert":
            return op.Not(a) if kind == "bool" else op.BitwiseNot(a)
        if name in _SHIFT:
            return op.BitShift(a, b, direction=_SHIFT[name])
        if name == "mod":
            return op.Mod(a, b, fmod=1) if kind == "float" else op.Mod(a, b)
        if name == "floordiv":
            if kind == "float":
                return op.Floor(op.Div(a, b))
            # Div rounds integers towards 0, Mod has the sign of b.
            return op.Div(op.Sub(a, op.Mod(a, b)), b)
    except _ir.BindError as error:
        if (isinstance(a, _ir.Value) and isinstance(b, _ir.Value)) or error.argument is None:
            raise
        other = b if isinstance(a, _ir.Value) else a
        if isinstance(other, (bool, int, float, complex, list, tuple)):
            raise
        return NotImplemented
    return NotImplemented


def _truth(x: Any) -> Any:
    """Refuse the truth of a condition, which is unknown while building; other values are true."""
    if isinstance(x.type, _ir.TensorType) and str(x.type.dtype) == "bool":
        raise TypeError(
            f"whether {x.name!r} is true is known when the graph runs, not while it is built: "
            "use If, Loop or Where, '&' and '|' instead of 'and' and 'or', 'is not None' for what may be absent"
        )
    return NotImplemented


def _kind(a: Any, b: Any) -> str:
    for value in (a, b):
        if isinstance(value, _ir.Value) and isinstance(value.type, _ir.TensorType):
            dtype = str(value.type.dtype)
            if dtype == "bool":
                return "bool"
            return "float" if dtype.startswith(("f", "bf")) else "int"
    raise TypeError("the operator depends on the element type, which is not known; call it by name")


def _index(op: Any, x: Any, key: Any) -> Any:
    """Return ``x[key]``: ints, slices, ``...``, None, and a value or list of indices."""
    keys = list(key) if isinstance(key, tuple) else [key]
    used = sum(k is not None and k is not Ellipsis for k in keys)
    shape = x.type.shape if isinstance(x.type, _ir.TensorType) else None
    if shape is not None and used > len(shape):
        raise IndexError(f"{used} indices for {x.type}")
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        if any(k is Ellipsis for k in keys[at + 1 :]):
            raise IndexError("an index has one '...' at most")
        rest = any(k is not None for k in keys[at + 1 :])
        if shape is None and rest:
            raise TypeError(f"'...' before other indices needs a known rank, not {x.type}")
        fill = len(shape) - used if shape is not None else 0
        keys[at : at + 1] = [slice(None)] * fill
    axis = out = 0
    slices: list[tuple[int, slice]] = []
    picks: list[tuple[int, Any]] = []
    news: list[int] = []
    for k in keys:
        if k is None:
            news.append(out)
            out += 1
            continue
        if isinstance(k, slice):
            if k != slice(None):
                slices.append((axis, k))
            out += 1
        elif isinstance(k, int) and not isinstance(k, bool):
            size = None if shape is None else shape[axis]
            if isinstance(size, int) and not -size <= k < size:
                raise IndexError(f"index {k} is out of range: axis {axis} of {x.type} has {size}")
            picks.append((axis, k))
        elif isinstance(k, (_ir.Value, list)):
            picks.append((axis, k))
            rank = _rank(k)
            out += rank
        else:
            raise TypeError(f"a value cannot be indexed by {type(k).__name__}")
        axis += 1
    if slices:
        x = _slice(op, x, slices)
    for place, index in reversed(picks):
        x = op.Gather(x, index, axis=place)
    if news:
        x = op.Unsqueeze(x, news) if op.Unsqueeze.op.since >= 13 else op.Unsqueeze(x, axes=news)
    return x


def _rank(index: Any) -> int:
    if isinstance(index, list):
        return 1 + (_rank(index[0]) if index and isinstance(index[0], list) else 0)
    shape = index.type.shape if isinstance(index.type, _ir.TensorType) else None
    if shape is None:
        raise TypeError("an index that is a value needs a known rank")
    return len(shape)


def _slice(op: Any, x: Any, slices: "list[tuple[int, slice]]") -> Any:
    starts: list[Any] = []
    ends: list[Any] = []
    steps: list[int] = []
    for _, part in slices:
        step = 1 if part.step is None else part.step
        if not isinstance(step, int) or step == 0:
            raise ValueError("the step of a slice is an int other than 0")
        starts.append((0 if step > 0 else _END) if part.start is None else part.start)
        ends.append((_END if step > 0 else -_END) if part.stop is None else part.stop)
        steps.append(step)
    axes = [axis for axis, _ in slices]
    if op.Slice.op.since >= 10:
        return op.Slice(x, _bounds(op, starts), _bounds(op, ends), axes, steps)
    if any(s != 1 for s in steps):
        raise TypeError("Slice has steps from opset 10 on")
    return op.Slice(x, starts=starts, ends=ends, axes=axes)


def _bounds(op: Any, bounds: "list[Any]") -> Any:
    """Return a list of ints as it is; values among them make a tensor."""
    if not any(isinstance(b, _ir.Value) for b in bounds):
        return bounds
    parts = [op.Reshape(b, [1]) if isinstance(b, _ir.Value) else [b] for b in bounds]
    return op.Concat(parts, axis=0) if len(parts) > 1 else parts[0]
