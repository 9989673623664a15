"""A native program runs passes of Python: it gets status and text, and the exception ends there.

The C API is driven by ctypes here: to the bindings that is a native program which has never heard of them. The
second half calls it on threads without any Python code, as a compiler does.
"""

import ctypes
import gc
import shutil
import subprocess
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ge.ir as ir
import ge.passes as passes
from ge import ops
from ge._mlir_like._cext_loader import load
from ge.passes import FusionBasePass, PassStage, PatternFusionPass, pattern

TEXT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
PASS_FAILED = 6  # GE_ERROR_PASS


class Ref(ctypes.Structure):
    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))

    @classmethod
    def of(cls, text: str) -> "Ref":
        return cls(text.encode(), len(text.encode()))


@pytest.fixture(autouse=True)
def clean(clean_passes: None) -> None:
    pass


class Host:
    """What a program in C does."""

    def __init__(self, text: str = TEXT) -> None:
        self.c = ctypes.CDLL(load("_init").library_path())
        self.c.geErrorMessage.restype = Ref
        for name in ("geContextRelease", "geGraphRelease", "gePassManagerDestroy"):
            getattr(self.c, name).argtypes = (ctypes.c_void_p,)
            getattr(self.c, name).restype = None
        self.context, self.graph = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.c.geContextCreate(ctypes.byref(self.context)) == 0
        made = self.c.geGraphParse(
            self.context, Ref.of(text), Ref.of("host"), ctypes.byref(self.graph)
        )
        assert made == 0, self.message()

    def message(self) -> str:
        text = self.c.geErrorMessage()
        return ctypes.string_at(text.data, text.length).decode()

    def run(self, pipeline: str) -> int:
        manager = ctypes.c_void_p()
        assert self.c.gePassManagerParse(Ref.of(pipeline), ctypes.byref(manager)) == 0
        status: int = self.c.gePassManagerRunGraph(manager, self.graph, None, None)
        self.c.gePassManagerDestroy(manager)
        return status

    def close(self) -> None:
        self.c.geGraphRelease(self.graph)
        self.c.geContextRelease(self.context)


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    yield made
    made.close()


class Mine(Exception):
    pass


def fails(*_: Any) -> Any:
    raise Mine("secret")


class InRun(FusionBasePass):
    def run(self, graph: ir.Graph, context: Any) -> None:
        fails()


class Pairs(PatternFusionPass):
    @pattern
    def twice(self, x: Any) -> Any:
        from ge.es import onnx as op

        return op.Neg(op.Neg(x))

    def replacement(self, x: Any) -> Any:
        return x


class InReplacement(Pairs):
    def replacement(self, x: Any) -> Any:
        fails()


class InCondition(Pairs):
    def meet_requirements(self, match: Any) -> bool:
        fails()
        return True


class InInit(Pairs):
    def __init__(self) -> None:
        fails()


def nothing_is_left() -> None:
    """No call that succeeds raises, and one that fails raises what is its own."""
    graph = ir.Graph.parse(TEXT)
    assert graph.verify()
    graph.infer_types()
    with pytest.raises(ir.ParseError):
        ir.Graph.parse("nonsense")
    with pytest.raises(ir.VerifyError):
        graph.outputs = [None]
        graph.verify()
    assert passes.PassManager.parse("dce").run(ir.Graph.parse(TEXT)) is not None


@pytest.mark.parametrize("cls", [InRun, InReplacement, InCondition, InInit])
def test_a_failing_pass_is_status_and_text_and_nothing_more(host: Host, cls: Any) -> None:
    passes.register_fusion_pass(name=cls.__name__, stage=PassStage.BEFORE_INFER_SHAPE)(cls)
    assert host.run(cls.__name__) == PASS_FAILED
    message = host.message()
    assert cls.__name__ in message and "Mine: secret" in message and __file__ in message
    nothing_is_left()


@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt(), GeneratorExit()])
def test_exits_and_interrupts_of_a_pass_are_its_failure(host: Host, error: BaseException) -> None:
    class Ends(FusionBasePass):
        def run(self, graph: ir.Graph, context: Any) -> None:
            raise error

    passes.register_fusion_pass(name="Ends", stage=PassStage.BEFORE_INFER_SHAPE)(Ends)
    assert host.run("Ends") == PASS_FAILED
    assert type(error).__name__ in host.message()
    nothing_is_left()


def test_the_exception_is_freed(host: Host) -> None:
    kept: list[Any] = []

    class Held(FusionBasePass):
        def run(self, graph: ir.Graph, context: Any) -> None:
            error = Mine("secret")
            kept.append(weakref.ref(error))
            raise error

    passes.register_fusion_pass(name="Held", stage=PassStage.BEFORE_INFER_SHAPE)(Held)
    assert host.run("Held") == PASS_FAILED
    gc.collect()
    assert kept[0]() is None


def test_a_pass_that_runs_a_native_program_does_not_fail_with_it(host: Host) -> None:
    passes.register_fusion_pass(name="InRun", stage=PassStage.BEFORE_INFER_SHAPE)(InRun)
    status = []

    def outer(graph: ir.Graph, context: Any) -> None:
        status.append(host.run("InRun"))

    result = passes.PassManager(on_error="skip").add(outer).add("dce").run(ir.Graph.parse(TEXT))
    assert status == [PASS_FAILED]
    assert [(p.outcome, p.error) for p in result.passes] == [("unchanged", None)] * 2


PROGRAM = r"""
#include <pthread.h>
#include <stdint.h>
#include <string.h>
typedef struct { const char *data; size_t length; } Ref;
struct call {
  int (*inferTypes)(void *, uint32_t, void *, void *);
  Ref (*message)(void);
  void *graph;
  int status;
  char text[1000];
};
static void *work(void *argument) {
  struct call *call = argument;
  char counts[256];
  call->status = call->inferTypes(call->graph, 0, 0, counts);
  Ref text = call->message();
  memcpy(call->text, text.data, text.length < 999 ? text.length : 999);
  return 0;
}
int onAThread(struct call *call) {
  pthread_t thread;
  return pthread_create(&thread, 0, work, call) || pthread_join(thread, 0);
}
"""


class Call(ctypes.Structure):
    _fields_ = (
        ("infer_types", ctypes.c_void_p),
        ("message", ctypes.c_void_p),
        ("graph", ctypes.c_void_p),
        ("status", ctypes.c_int),
        ("text", ctypes.c_char * 1000),
    )


@pytest.mark.nosan
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler: cc")
def test_a_callback_on_a_thread_without_python(tmp_path: Path) -> None:
    """The exception has no caller that could take it, so it is status and text, too."""
    (tmp_path / "thread.c").write_text(PROGRAM)
    command = ["cc", "-shared", "-fPIC", "-pthread", "-o", "thread.so", "thread.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    program = ctypes.CDLL(str(tmp_path / "thread.so"))
    kept: list[Any] = []

    def infer(call: Any) -> Any:
        error = Mine("secret")
        kept.append(weakref.ref(error))
        raise error

    host = Host(TEXT.replace("onnx.Neg", "acme.Unknown"))
    address = {
        name: ctypes.cast(getattr(host.c, name), ctypes.c_void_p)
        for name in ("geGraphInferTypes", "geErrorMessage")
    }
    call = Call(*address.values(), host.graph)
    with ops.add_inferrer(infer):
        assert program.onAThread(ctypes.byref(call)) == 0
    host.close()
    assert call.status != 0 and b"raised an exception: Mine: secret" in call.text
    gc.collect()
    assert kept and all(one() is None for one in kept)
    nothing_is_left()
