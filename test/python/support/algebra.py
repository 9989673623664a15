"""Expressions over wrapping integers, and their algebraic laws, from which tests derive rules that are always valid.

An expression is a variable (a str), a number, or ``(operator, *operands)``. Not a test by itself.
"""

import numpy as np

UNARY = ("Neg", "Relu", "Abs")
BINARY = ("Add", "Sub", "Mul")
KERNELS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Relu": lambda x: np.maximum(x, 0),
    "Abs": np.abs,
    "Identity": lambda x: x,
}


def is_made(expression):
    """Return whether the expression is the result of an operator."""
    return isinstance(expression, tuple)


def variables(expression):
    """Return its variables in order of occurrence."""
    if isinstance(expression, str):
        return [expression]
    if not is_made(expression):
        return []
    found = [v for operand in expression[1:] for v in variables(operand)]
    return list(dict.fromkeys(found))


def weight(expression, weights):
    """Return the sum of the weights of its operators."""
    if not is_made(expression):
        return 0
    return weights[expression[0]] + sum(weight(e, weights) for e in expression[1:])


def random_expression(rng, names, size):
    """Return a random expression of about `size` operators."""
    if size == 0:
        return rng.choice(names) if rng.random() < 0.9 else rng.randint(-2, 3)
    if rng.random() < 0.3:
        inner = random_expression(rng, names, size - 1)
        return (rng.choice(UNARY), inner if size > 1 else rng.choice(names))
    left = rng.randint(0, size - 1)
    operands = [rng.choice(names), random_expression(rng, names, size - 1)]
    if 0 < left < size - 1:
        operands = [random_expression(rng, names, n) for n in (left, size - 1 - left)]
    rng.shuffle(operands)
    return (rng.choice(BINARY), *operands)


def laws(e):
    """Return expressions that equal `e` by one law applied at its root; none introduces variables."""
    equal = [("Neg", ("Neg", e)), ("Add", e, 0), ("Mul", 1, e)]
    if not is_made(e):
        return equal
    op, a, b = (*e, None)[:3]
    if op in ("Add", "Mul"):
        equal.append((op, b, a))
        if is_made(a) and a[0] == op:
            equal.append((op, a[1], (op, a[2], b)))
    if op == "Add" and a == b:
        equal.append(("Mul", a, 2))
    if op == "Add" and is_made(b) and b[0] == "Neg":
        equal.append(("Sub", a, b[1]))
    if op == "Add" and is_made(a) and is_made(b) and a[0] == b[0] == "Mul" and a[1] == b[1]:
        equal.append(("Mul", a[1], ("Add", a[2], b[2])))
    if op == "Sub":
        equal.append(("Add", a, ("Neg", b)))
        equal.append(("Neg", ("Sub", b, a)))
    if op == "Mul" and is_made(b) and b[0] == "Add":
        equal.append(("Add", ("Mul", a, b[1]), ("Mul", a, b[2])))
    if op == "Mul" and is_made(a) and a[0] == "Neg":
        equal.append(("Neg", ("Mul", a[1], b)))
    if op == "Neg" and is_made(a) and a[0] == "Neg":
        equal.append(a[1])
    if op == "Neg" and is_made(a) and a[0] == "Add":
        equal.append(("Sub", ("Neg", a[1]), a[2]))
    if op in ("Relu", "Abs") and is_made(a) and a[0] == op:
        equal.append(a)
    if op == "Abs" and is_made(a) and a[0] == "Neg":
        equal.append(("Abs", a[1]))
    if b == 0 and op in ("Add", "Sub") or b == 1 and op == "Mul":
        equal.append(a)
    return equal


def rewritten(rng, e, steps):
    """Return an expression that equals `e`, after `steps` applications of laws anywhere in it."""
    for _ in range(steps):
        e = _rewritten_once(rng, e)
    return e


def _rewritten_once(rng, e):
    if is_made(e) and rng.random() < 0.6:
        at = rng.randrange(1, len(e))
        return (*e[:at], _rewritten_once(rng, e[at]), *e[at + 1 :])
    if not is_made(e):
        return e if rng.random() < 0.7 else rng.choice(laws(e))
    return rng.choice(laws(e))


def compute(e, values):
    """Return its value for the given `values` of its variables."""
    if isinstance(e, str):
        return values[e]
    if not is_made(e):
        return np.int64(e)
    return KERNELS[e[0]](*(compute(operand, values) for operand in e[1:]))
