"""Contexts, insertion points and locations as `with` blocks, in threads, tasks and generators."""

import asyncio
import contextlib
import threading

import pytest

import ge.ir as ir


def test_a_default_context_always_exists() -> None:
    assert ir.Context.current is ir.Context.default
    assert ir.Graph("g").context is ir.Context.default


def test_with_context() -> None:
    with ir.Context() as c:
        assert ir.Context.current is c
        assert ir.Graph("g").context is c
        with ir.Context() as d:
            assert ir.Context.current is d
        assert ir.Context.current is c
    assert ir.Context.current is ir.Context.default


def test_one_context_twice() -> None:
    c = ir.Context()
    with c, c:
        assert ir.Context.current is c
    assert ir.Context.current is ir.Context.default


def test_locations_come_from_the_enclosing_with() -> None:
    g = ir.Graph("g")
    here = ir.Location.file("a.py", 7)
    with here:
        assert ir.Location.current == here
        assert g.add_node("onnx.Abs").location == here
        with ir.InsertionPoint(g):
            assert ir.Node.create("onnx.Abs").location == here
    assert g.add_node("onnx.Abs").location.kind == "unknown"


def test_a_location_of_another_context_says_nothing() -> None:
    g = ir.Graph("g")
    with ir.Context(), ir.Location.file("a.py", 7):
        assert g.add_node("onnx.Abs").location.kind == "unknown"


def test_current_insertion_point() -> None:
    with pytest.raises(ValueError, match="InsertionPoint"):
        ir.InsertionPoint.current
    point = ir.InsertionPoint(ir.Graph("g"))
    with point:
        assert ir.InsertionPoint.current is point
        with ir.Context(), pytest.raises(ValueError):
            ir.InsertionPoint.current


def test_leaving_the_wrong_one_is_an_error_that_ends_there() -> None:
    a, b = ir.Context(), ir.Context()
    a.__enter__()
    b.__enter__()
    with pytest.raises(ir.GEError, match="innermost"):
        a.__exit__(None, None, None)
    assert ir.Context.current is b
    b.__exit__(None, None, None)
    assert ir.Context.current is ir.Context.default
    with pytest.raises(ir.GEError, match="not entered"):
        b.__exit__(None, None, None)


def test_a_scope_across_a_yield_is_refused_at_exit() -> None:
    def generate():
        with ir.Context():
            yield 1

    with pytest.raises(ir.GEError, match="generator"):
        list(generate())
    assert ir.Context.current is ir.Context.default


def test_a_suspended_generator_does_not_take_the_scope_along() -> None:
    def generate():
        with ir.Context():
            yield 1

    generator = generate()
    next(generator)
    with ir.Context() as mine, pytest.raises(ir.GEError):
        generator.close()
        assert ir.Context.current is mine
    assert ir.Context.current is ir.Context.default


def test_contextmanager_functions_may_enter_scopes() -> None:
    @contextlib.contextmanager
    def located(line: int):
        with ir.Location.file("a.py", line):
            yield

    g = ir.Graph("g")
    with located(3):
        assert g.add_node("onnx.Abs").location.line == 3


@pytest.fixture
def context():
    with ir.Context() as c:
        yield c


def test_fixtures_may_enter_scopes(context) -> None:
    assert ir.Context.current is context


def test_threads_have_their_own() -> None:
    seen = []
    with ir.Context() as c:
        thread = threading.Thread(target=lambda: seen.append(ir.Context.current))
        thread.start()
        thread.join()
        assert ir.Context.current is c
    assert seen == [ir.Context.default]


def test_tasks_have_their_own() -> None:
    async def work(name: str) -> None:
        with ir.Context() as c:
            for _ in range(3):
                await asyncio.sleep(0)
                assert ir.Context.current is c

    async def main() -> None:
        await asyncio.gather(*(work(str(i)) for i in range(4)))

    asyncio.run(main())
    assert ir.Context.current is ir.Context.default


def test_a_scope_is_left_when_the_block_raises() -> None:
    with pytest.raises(ZeroDivisionError), ir.Context():
        raise ZeroDivisionError
    assert ir.Context.current is ir.Context.default
