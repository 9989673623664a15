"""A native program runs Python passes: it gets a status and a message, and the exception does not propagate.

The tests call the C API through ctypes; for the bindings this is a native program that does not use them. One test
calls it on a thread without Python code, as a compiler does.
"""

import ctypes
import gc
import os
import subprocess
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import CC

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
    """A host program that uses the C API only."""

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
    """Check that no exception is left pending: a later call raises its own error, and only if it fails."""
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
  size_t counts[32] = {sizeof counts}; /* a GeInferCounts of a newer caller */
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
@CC
def test_a_callback_on_a_thread_without_python(tmp_path: Path) -> None:
    """The exception cannot propagate to a Python caller, so it becomes a status and a message, too."""
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


# --- Stages, and options of a run


class Option(ctypes.Structure):
    _fields_ = (("size", ctypes.c_size_t), ("name", Ref), ("value", Ref), ("doc", Ref))


class Info(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        *((name, Ref) for name in ("name", "doc", "kind", "stage", "origin", "version")),
        ("pipeline", Ref),
        ("numOptions", ctypes.c_size_t),
        ("options", ctypes.c_void_p),
        ("exactness", Ref),
        ("numRewrites", ctypes.c_size_t),
        ("rewrites", ctypes.c_void_p),
        ("priority", ctypes.c_int64),
        ("numBefore", ctypes.c_size_t),
        ("before", ctypes.c_void_p),
        ("numAfter", ctypes.c_size_t),
        ("after", ctypes.c_void_p),
    )


RUN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Table(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("userData", ctypes.c_void_p),
        ("create", ctypes.c_void_p),
        ("run", RUN),
        ("runModule", ctypes.c_void_p),
        ("destroy", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
    )


class RunOptions(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("flags", ctypes.c_bool * 6),
        ("hasBisectLimit", ctypes.c_bool),
        ("bisectLimit", ctypes.c_uint64),
        ("hasRewriteLimit", ctypes.c_bool),
        ("rewriteLimit", ctypes.c_uint64),
        ("print", ctypes.c_void_p),
        ("sink", ctypes.c_void_p),
        ("treeDirectory", Ref),
        ("reproducer", Ref),
        ("hooks", ctypes.c_void_p * 6),
        ("userData", ctypes.c_void_p),
        ("numOptions", ctypes.c_size_t),
        ("options", ctypes.POINTER(Option)),
        ("verifyWhole", ctypes.c_bool),
    )


def option(name: str, value: str) -> Option:
    return Option(ctypes.sizeof(Option), Ref.of(name), Ref.of(value), Ref.of(""))


def test_passes_of_c_run_in_a_stage_among_those_of_python(host: Host) -> None:
    order: list[str] = []

    def in_c(instance: int, graph: int, run: int) -> int:
        value = Ref()
        status = host.c.gePassRunGetOption(
            ctypes.c_void_p(run), Ref.of("answer"), ctypes.byref(value)
        )
        order.append("m_in_c")
        if status == 0:
            order.append(ctypes.string_at(value.data, value.length).decode())
        return 0

    table = Table(size=ctypes.sizeof(Table), run=RUN(in_c))
    info = Info(size=ctypes.sizeof(Info), name=Ref.of("m_in_c"), kind=Ref.of("c"))
    info.stage, info.origin = Ref.of("BeforeInferShape"), Ref.of("acme.so")
    assert host.c.gePassRegister(ctypes.byref(info), ctypes.byref(table)) == 0, host.message()
    try:
        for name in ("z_python", "a_python"):

            def run(self: Any, graph: ir.Graph, context: Any, name: str = name) -> None:
                order.append(name)

            passes.register_fusion_pass(name=name, stage=PassStage.BEFORE_INFER_SHAPE)(
                type(name, (FusionBasePass,), {"run": run})
            )

        @passes.register_custom_pass(name="z_function")
        def z_function(graph: ir.Graph, context: Any) -> None:
            order.append("z_function")

        stage = PassStage.BEFORE_INFER_SHAPE
        listed = passes.passes_of_stage(stage)
        names = ["z_function", "a_python", "m_in_c", "z_python"]
        assert [d.pass_name for d in listed] == names
        assert [(d.kind, d.cls, d.module_name) for d in listed if d.pass_name == "m_in_c"] == [
            ("c", None, "acme.so")
        ]
        graph = ir.Graph.parse(TEXT)
        result = passes.run_stage(graph, stage, {"answer": "42", "a_python": "off"})
        assert order == ["z_function", "m_in_c", "42", "z_python"]
        assert [each.name for each in result.passes] == ["z_function", "m_in_c", "z_python"]
        order.clear()
        passes.run_stage(graph, stage, {"m_in_c": "off"})
        assert order == ["z_function", "a_python", "z_python"]
        # The same through the C API.
        order.clear()
        manager = ctypes.c_void_p()
        given = (Option * 1)(option("z_python", "off"))
        assert host.c.gePassManagerParse(Ref.of(""), ctypes.byref(manager)) == 0
        made = host.c.gePassManagerAddStage(manager, Ref.of(stage.value), given, ctypes.c_size_t(1))
        assert made == 0, host.message()
        assert host.c.gePassManagerRunGraph(manager, host.graph, None, None) == 0
        host.c.gePassManagerDestroy(manager)
        assert order == ["z_function", "a_python", "m_in_c"]
    finally:
        host.c.gePassUnregister(Ref.of("m_in_c"))


def test_options_of_a_native_program_reach_passes_of_python(host: Host) -> None:
    seen: list[Any] = []

    @passes.register_pass("reads")
    def reads(graph: ir.Graph, context: Any) -> None:
        seen.append((dict(context.options), context.get_option_value("answer")))
        with pytest.raises(RuntimeError, match="Failed to get option value for key: none"):
            context.get_option_value("none")

    options = RunOptions()
    host.c.gePassRunOptionsInit(ctypes.byref(options), ctypes.c_size_t(ctypes.sizeof(options)))
    given = (Option * 1)(option("answer", "42"))
    options.numOptions, options.options = 1, given
    manager = ctypes.c_void_p()
    assert host.c.gePassManagerParse(Ref.of("reads"), ctypes.byref(manager)) == 0
    status = host.c.gePassManagerRunGraph(manager, host.graph, ctypes.byref(options), None)
    host.c.gePassManagerDestroy(manager)
    assert (status, seen) == (0, [({"answer": "42"}, "42")]), host.message()
    result = passes.PassManager.parse("reads", options={"answer": "7"}).run(ir.Graph("g"))
    assert seen[1:] == [({"answer": "7"}, "7")] and result.remarks == []
    with pytest.raises(TypeError):
        passes.PassManager.parse("reads", options={"answer": 7}).run(ir.Graph("g"))  # type: ignore[dict-item]


PLUGIN = r"""
#include "ge-c/Passes.h"

#include <stdio.h>
#include <string.h>

static GeStringRef text(const char *of) { return (GeStringRef){of, strlen(of)}; }

static GeStatus run(void *instance, GeGraphRef *graph, GePassRun *run) {
  GeStringRef value = {"", 0};
  GeStatus status = gePassRunGetOption(run, text("answer"), &value);
  printf("answer: %d %.*s\n", status, (int)value.length, value.data);
  return GE_OK;
}

__attribute__((constructor)) static void load(void) {
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  info.name = text("reads");
  info.stage = text("AfterInferShape");
  table.run = run;
  if (gePassRegister(&info, &table) != GE_OK)
    puts("not registered");
}
"""


@CC
def test_ge_opt_runs_a_stage_and_hands_on_options(tmp_path: Path) -> None:
    library = Path(load("_init").library_path())
    include = Path(__file__).resolve().parents[3] / "include"
    (tmp_path / "plugin.c").write_text(PLUGIN)
    (tmp_path / "g.mlir").write_text(TEXT)
    command = ["cc", "-shared", "-fPIC", f"-I{include}", "-o", "plugin.so", "plugin.c"]
    command += [str(library), f"-Wl,-rpath,{library.parent}"]
    subprocess.run(command, cwd=tmp_path, check=True)
    tool = Path(os.environ["GE_BUILD_DIR"]) / "bin" / "ge-opt"

    # The runtime of a sanitizer must come first in LD_PRELOAD.
    preload = ":".join([*filter(None, [os.environ.get("LD_PRELOAD")]), str(tmp_path / "plugin.so")])

    def opt(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [tool, "g.mlir", "-o", "out.mlir", *words],
            cwd=tmp_path,
            env={**os.environ, "LD_PRELOAD": preload},
            capture_output=True,
            text=True,
        )

    stage = "--stage=AfterInferShape"
    assert opt(stage, "--option", "answer=42").stdout == "answer: 0 42\n"
    assert opt(stage, "--option=answer=", "--option=reads=on").stdout == "answer: 0 \n"
    assert opt("--pass-pipeline=reads", stage).stdout == "answer: 12 \n" * 2
    assert opt(stage, "--option=reads=off").stdout == ""
    bad = opt(stage, "--option=ge.fusionSwitchFile=none.json")
    assert bad.returncode == 2 and "none.json" in bad.stderr and "No such file" in bad.stderr
    assert opt("--stage=AfterInferShap").returncode == 2
    assert "did you mean 'AfterInferShape'?" in opt("--stage=AfterInferShap").stderr
    assert opt(stage, "--option", "answer").returncode == 2
