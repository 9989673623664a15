"""Rewrites keep the promise of their exactness class, on random models (random_models.py) under onnxruntime.

With ``--exact`` results are bit for bit those of the model before, in onnxruntime with its optimisations off; NaN counts as
NaN. With the default pipeline they are within the default tolerance of ``ge check``, on numbers of moderate size.
"""

import io
from contextlib import redirect_stderr

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from bitwise import difference, session, values  # noqa: E402
from random_models import Case, make  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

SHORT, LONG = 150, 10_000
# onnxruntime must run at least this fraction of the random models; the others test nothing.
LEAST_VALID = 0.8


def outcome(seed: int, tame: bool) -> tuple[str, str]:
    """Return the outcome for one model, ``invalid``, ``same`` or ``differs``, and the reason."""
    case: Case = make(seed, tame)
    data = case.model.SerializeToString()
    names = [output.name for output in case.model.graph.output]
    try:
        running = session(data)
        before = [values(running, names, feed) for feed in case.feeds]
    except Exception as error:
        return "invalid", str(error)
    module = ge_onnx.load(data)
    ge_onnx.optimize(module, exact=not tame)
    try:
        running = session(ge_onnx.to_bytes(module))
        after = [values(running, names, feed) for feed in case.feeds]
    except Exception as error:
        return "differs", f"it does not run any more: {error}"
    for old, new in zip(before, after, strict=True):
        for name, a, b in zip(names, old, new, strict=True):
            if message := difference(a, b, tame):
                return "differs", f"{name}: {message}"
    return "same", ""


def campaign(first: int, count: int, tame: bool) -> None:
    with redirect_stderr(io.StringIO()):
        found = {seed: outcome(seed, tame) for seed in range(first, first + count)}
    wrong = {seed: why for seed, (what, why) in found.items() if what == "differs"}
    assert not wrong
    valid = sum(what == "same" for what, _ in found.values())
    assert valid >= LEAST_VALID * count


@pytest.mark.slow
@pytest.mark.parametrize("tame", [False, True], ids=["exact", "default"])
def test_random_models_keep_their_results(tame: bool) -> None:
    campaign(0, SHORT, tame)


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("tame", [False, True], ids=["exact", "default"])
def test_many_random_models_keep_their_results(tame: bool, part: int) -> None:
    campaign(part * LONG // 4, LONG // 4, tame)
