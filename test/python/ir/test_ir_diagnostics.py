"""Diagnostic handlers, and exceptions in them."""

import gc
import weakref

import pytest

import ge.ir as ir


def test_handlers_get_what_is_emitted() -> None:
    seen = []
    with (
        ir.Context() as c,
        c.attach_diagnostic_handler(lambda d: seen.append(d) or True) as handler,
    ):
        assert handler.attached
        assert c.emit("hello", severity="warning", loc=ir.Location.file("f.py", 3, 4))
    (d,) = seen
    assert (d.severity, d.message, d.file, d.line, d.column, d.notes) == (
        "warning",
        "hello",
        "f.py",
        3,
        4,
        (),
    )
    assert str(d) == "f.py:3:4: warning: hello"
    assert not handler.attached and not c.emit("again")
    handler.detach()


def test_the_newest_handler_is_called_first_until_one_handles_it() -> None:
    c = ir.Context()
    order = []
    first = c.attach_diagnostic_handler(lambda d: order.append(1) or True)
    second = c.attach_diagnostic_handler(lambda d: order.append(2) or False)
    assert c.emit("x") and order == [2, 1]
    second.detach()
    assert c.emit("x") and order == [2, 1, 1]
    first.detach()
    assert not c.emit("x")


def test_an_exception_in_a_handler_comes_out_as_itself() -> None:
    c = ir.Context()
    error = ZeroDivisionError("mine")

    def handler(d: ir.Diagnostic) -> bool:
        raise error

    with c.attach_diagnostic_handler(handler), pytest.raises(ZeroDivisionError) as caught:
        c.emit("x")
    assert caught.value is error
    assert any(entry.name == "handler" for entry in caught.traceback)
    c.emit("fine again")


def test_an_exception_in_a_handler_replaces_the_error_that_it_handles() -> None:
    with ir.Context() as c:
        g = ir.Graph("g")
        g.outputs = [None]

        def handler(d: ir.Diagnostic) -> bool:
            raise KeyError("mine")

        with c.attach_diagnostic_handler(handler), pytest.raises((KeyError, ir.VerifyError)):
            g.verify()
        with pytest.raises(ir.VerifyError):
            g.verify()


def test_wrong_arguments() -> None:
    c = ir.Context()
    with pytest.raises(ValueError, match="severity"):
        c.emit("x", severity="loud")
    with pytest.raises(TypeError):
        c.emit(3)
    with pytest.raises(TypeError):
        c.attach_diagnostic_handler(3)
    with pytest.raises(TypeError):
        c.emit("x", loc="here")


def test_a_handler_may_detach_itself() -> None:
    c = ir.Context()
    box = []
    box.append(c.attach_diagnostic_handler(lambda d: box[0].detach() or True))
    assert c.emit("x") and not c.emit("x")


def test_a_detached_callback_is_let_go() -> None:
    class Callback:
        def __call__(self, d: ir.Diagnostic) -> bool:
            return True

    callback = Callback()
    alive = weakref.ref(callback)
    handler = ir.Context.default.attach_diagnostic_handler(callback)
    del callback
    gc.collect()
    assert alive() is not None
    handler.detach()
    gc.collect()
    assert alive() is None


def test_the_error_family() -> None:
    for name in (
        "Parse",
        "Verify",
        "StaleHandle",
        "GraphBusy",
        "Pass",
        "OpSchema",
        "Model",
        "Bind",
    ):
        error = getattr(ir, name + "Error")
        assert issubclass(error, ir.GEError) and issubclass(error, RuntimeError)
        assert error.__module__ == "ge.ir" and error("x").diagnostics == ()
    assert issubclass(ir.BindError, TypeError)
