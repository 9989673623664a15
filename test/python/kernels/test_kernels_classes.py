"""Classes that a library in C++ or C defines: fields, methods, constructors, pickles, and wrapper classes in Python.

Each side that holds an instance has one reference to it, and instances keep their identity across the boundary.
"""

import copy
import ctypes
import gc
import pickle
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import compile_library
from needs import CC

import ge.ops as ops
from ge._mlir_like._cext_loader import load

pytestmark = CC

SOURCE = r"""
#include "ge/library.h"
#include <atomic>
#include <mutex>

static std::atomic<int64_t> alive = 0;

struct Plan {
  explicit Plan(int64_t n) : n(n) { ++alive; }
  Plan(int64_t n, std::string name) : n(n), name(std::move(name)) {
    if (n < 0) throw std::invalid_argument("n is negative");
    ++alive;
  }
  Plan(const Plan &o) : n(o.n), name(o.name), sizes(o.sizes) { ++alive; }
  ~Plan() { --alive; }
  int64_t step(int64_t by) { return n += by; }
  ge::Tensor times(ge::TensorView x) const {
    ge::Tensor out = ge::Tensor::emptyLike(x);
    for (int64_t i = 0; i < x.numel(); ++i) out.data<float>()[i] = x.data<float>()[i] * float(n);
    return out;
  }
  int64_t n;
  std::string name = "plan";
  std::vector<int64_t> sizes = {1, 2};
  double fixed = 0.5;
};

struct Chain {
  std::optional<ge::Ref<Plan>> plan;
  Chain() = default;
};

GE_LIBRARY(cls, m) {
  m.class_<Plan>("Plan")
      .def(ge::init<int64_t>())
      .def(ge::init<int64_t, std::string>())
      .def("step", &Plan::step, "Add to n.")
      .def("times", &Plan::times)
      .def("itself", [](ge::Ref<Plan> self) { return self; })
      .def_static("parse", [](std::string_view text) { return Plan(std::stoll(std::string(text))); })
      .def_readwrite("n", &Plan::n, "How many.")
      .def_readwrite("name", &Plan::name)
      .def_readwrite("sizes", &Plan::sizes)
      .def_readonly("fixed", &Plan::fixed)
      .def_pickle([](const Plan &p) { return std::to_string(p.n) + " " + p.name; },
                  [](std::string state) {
                    return Plan(std::stoll(state), state.substr(state.find(' ') + 1));
                  });
  m.class_<Chain>("Chain").def(ge::init<>()).def_readwrite("plan", &Chain::plan);
  m.def("alive", [] { return int64_t(alive); });
  m.def("add(cls.Plan a, cls.Plan b) -> cls.Plan", [](const Plan &a, const Plan &b) { return Plan(a.n + b.n); });
  m.def("bump(cls.Plan plan) -> ()", [](Plan &plan) { ++plan.n; });
  m.def("first(cls.Plan[] plans) -> cls.Plan?", [](std::vector<ge::Ref<Plan>> plans) {
    return plans.empty() ? std::optional<ge::Ref<Plan>>() : plans[0];
  });
  m.def("scaled(Tensor x, *, cls.Plan plan) -> Tensor", [](ge::TensorView x, const Plan &plan) {
    return plan.times(x);
  });
  m.infer("scaled", ge::sameAs(0));
}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    source = folder / "cls.cpp"
    source.write_text(SOURCE)
    return compile_library(folder / "libcls.so", source, link=False)


@pytest.fixture
def lib(file: Path) -> Iterator[Any]:
    with ops.load_library(file) as library:
        yield library
    gc.collect()


def alive() -> int:
    gc.collect()
    return int(ops.call.cls.alive())


@pytest.mark.slow
def test_fields_methods_statics_and_constructors(lib: Any) -> None:
    Plan = ops.classes.cls.Plan
    plan = Plan(3)
    assert isinstance(plan, ops.Object)
    assert (plan.n, plan.name, plan.sizes, plan.fixed) == (3, "plan", [1, 2], 0.5)
    plan.n, plan.sizes = 5, [7]
    assert plan.step(2) == 7
    assert plan.step(_0=1) == 8
    assert (plan.n, plan.sizes) == (8, [7])
    assert Plan(4, "other").name == "other"
    assert Plan.parse("12").n == 12
    assert repr(Plan(4)) == "cls.Plan(n=4, name='plan', sizes=[1, 2], fixed=0.5)"
    x = np.ones((2,), "f4")
    assert plan.times(x).tolist() == [8, 8]
    assert str(ops.get("cls.Plan::step")) == "cls.Plan::step(cls.Plan self, int _0) -> int"
    assert Plan.n.__doc__ == "How many."


def test_instances_are_arguments_and_results(lib: Any) -> None:
    Plan = ops.classes.cls.Plan
    one, two = Plan(1), Plan(2)
    assert ops.call.cls.add(one, two).n == 3
    ops.call.cls.bump(one)
    assert one.n == 2
    assert ops.call.cls.first([two, one]) is two
    assert ops.call.cls.first([]) is None
    for _ in range(3):  # the first call and the learned calls after it
        assert ops.call.cls.scaled(np.ones(2, "f4"), plan=two).tolist() == [2, 2]
    lib2 = ops.Library("cls", kind="FRAGMENT")
    lib2.define("python(cls.Plan plan) -> cls.Plan")
    lib2.impl("python", "any", lambda plan: plan)
    assert ops.call.cls.python(one) is one
    lib2.close()


def test_an_instance_is_the_same_object_wherever_it_comes_back(lib: Any) -> None:
    plan = ops.classes.cls.Plan(1)
    assert plan.itself() is plan
    assert plan == plan and plan != ops.classes.cls.Plan(1)
    assert len({plan, plan.itself()}) == 1
    chain = ops.classes.cls.Chain()
    assert chain.plan is None
    chain.plan = plan
    assert chain.plan is plan
    chain.plan = None
    assert chain.plan is None


def test_instances_are_released_with_their_last_holder(lib: Any) -> None:
    before = alive()
    plan = ops.classes.cls.Plan(1)
    chain = ops.classes.cls.Chain()
    chain.plan = plan
    del plan
    assert alive() == before + 1
    assert chain.plan.n == 1
    del chain
    assert alive() == before


def test_a_pickle_holds_key_and_state(lib: Any) -> None:
    plan = ops.classes.cls.Plan(3, "three")
    with pytest.raises(TypeError, match=r"cls\.Chain cannot be pickled: it has no def_pickle"):
        pickle.dumps(ops.classes.cls.Chain())
    for other in (pickle.loads(pickle.dumps(plan)), copy.copy(plan)):
        assert other is not plan
        assert (other.n, other.name) == (3, "three")
    data = pickle.dumps(plan)
    lib.close()
    with pytest.raises(KeyError, match=r"there is no class 'cls\.Plan'"):
        pickle.loads(data)


def test_a_face_in_python(lib: Any) -> None:
    @ops.register_object("cls.Plan")
    class Plan(ops.Object):
        def __init__(self, n: int) -> None:
            super().__init__(n, "face")

        def double(self) -> Any:
            return Plan(2 * self.n)  # type: ignore[attr-defined]

    assert ops.classes.cls.Plan is Plan
    plan: Any = Plan(4)
    assert plan.name == "face"
    assert type(plan.double()) is Plan
    assert plan.double().n == 8
    assert type(ops.call.cls.add(plan, plan)) is Plan
    assert plan.itself() is plan
    assert Plan.parse("3").n == 3  # type: ignore[attr-defined]

    with pytest.raises(ops.OpSchemaError, match=r"cls\.Plan has the face .*Plan already"):
        ops.register_object("cls.Plan")(type("Other", (ops.Object,), {}))
    with pytest.raises(KeyError, match=r"there is no class 'cls\.Pla'; did you mean cls\.Plan"):
        ops.register_object("cls.Pla")(type("Other", (ops.Object,), {}))
    with pytest.raises(TypeError, match="is a subclass of Object"):
        ops.register_object("cls.Chain")(int)

    @ops.register_object("cls.Chain")
    class Chain(ops.Object):
        def __init__(self) -> None:
            pass

    with pytest.raises(
        TypeError, match=r"Chain has no instance in C\+\+: .*its __init__ did not call"
    ):
        _ = Chain().plan  # type: ignore[attr-defined]


def test_a_face_has_attributes_of_its_own(lib: Any) -> None:
    @ops.register_object("cls.Plan")
    class Plan(ops.Object):
        def __init__(self, n: int) -> None:
            self.before = [n]  # the C++ object is not there yet
            super().__init__(n, "face")
            self.after = self.n + 1  # type: ignore[attr-defined]

    plan: Any = Plan(4)
    assert (plan.n, plan.before, plan.after) == (4, [4], 5)
    plan.n = 6  # a field stays a field of the C++ object
    assert ops.call.cls.add(plan, plan).n == 12
    copied = copy.copy(plan)
    assert (copied.n, copied.before, copied.after) == (6, [4], 5)
    made = ops.call.cls.add(plan, plan)
    assert not hasattr(made, "before")
    with pytest.raises(ops.BindError, match="expects int"):
        plan.n = "x"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda P: P("x"), ops.BindError, r"cls\.Plan::init"),
        (lambda P: P(), ops.BindError, "missing required argument"),
        (lambda P: P(-1, "x"), ops.KernelError, "failed: n is negative"),
        (lambda P: P(1).step("x"), ops.BindError, "argument '_0' .* expects int, got str 'x'"),
        (
            lambda P: setattr(P(1), "n", "x"),
            ops.BindError,
            "argument 'n' .* expects int, got str 'x'",
        ),
        (lambda P: setattr(P(1), "fixed", 1.0), AttributeError, ""),
        (lambda P: setattr(P(1), "other", 1.0), AttributeError, "other"),
        (lambda P: delattr(P(1), "n"), AttributeError, "cannot be deleted"),
        (lambda P: P.parse("x"), ops.KernelError, "failed: stoll"),
        (lambda P: ops.call.cls.add(P(1), 2), ops.BindError, r"expects cls\.Plan, got int 2"),
        (lambda P: ops.call.cls.add(P(1), ops.classes.cls.Chain()), ops.BindError, "expects cls"),
        (lambda P: ops.classes.cls.Pla, AttributeError, r"did you mean cls\.Plan"),
    ],
)
def test_what_is_wrong_is_said(lib: Any, call: Any, error: Any, words: str) -> None:
    before = alive()
    with pytest.raises(error, match=words or "^"):
        call(ops.classes.cls.Plan)
    assert alive() == before


def test_instances_outlive_their_library(file: Path) -> None:
    library = ops.load_library(file)
    Plan = ops.classes.cls.Plan
    plan = Plan(3)
    library.close()
    plan.n += 1
    assert plan.n == 4
    assert repr(plan).startswith("cls.Plan(n=4")
    with pytest.raises(KeyError, match="library was closed"):
        Plan(1)
    with pytest.raises(KeyError, match="library was closed"):
        plan.step(1)
    with pytest.raises(AttributeError):
        _ = ops.classes.cls
        _ = ops.classes.cls.Plan
    with ops.load_library(file):
        assert ops.classes.cls.Plan(5).n == 5
        with pytest.raises(ops.OpSchemaError, match="there is a class 'cls.Plan' already"):
            fragment = ops.Library("cls", kind="FRAGMENT")
            fragment.cls("Plan")(type("Plan", (ops.Object,), {}))


def test_objects_of_python_are_refused_by_kernels_of_c(lib: Any) -> None:
    with ops.Library("cls2") as other:

        @other.cls("Box")
        class Box(ops.Object):
            n: int

        bump = ops.kernel("cls::bump", "any")
        assert bump is not None
        with pytest.raises(TypeError, match=r"'plan' .* expects cls.Plan, got Box"):
            bump.function(Box(1))
        # An instance of the class without a C++ object: the schema accepts it.
        made = object.__new__(ops.classes.cls.Plan)
        with pytest.raises(TypeError, match=r"Plan has no instance in C\+\+: it is a class of Py"):
            bump.function(made)


def test_threads_make_and_release_instances(lib: Any) -> None:
    Plan = ops.classes.cls.Plan
    before = alive()
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            for i in range(200):
                plan = Plan(i)
                assert plan.itself() is plan
                assert plan.n == i
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert alive() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("block", "words"),
    [
        ('m.def("f", [](const A &) { return 1; });', r"m\.class_<T>\(name\) comes before it"),
        (
            'm.class_<A>("A"); m.class_<A>("B");',
            r"a class is registered once: bad\.A is bad\.B, too",
        ),
        (
            'm.class_<A>("A").def("f", [](const A &) { return 1; }).def("f", [](const A &) { return 1; });',
            "already",
        ),
        ('m.class_<A>("A"); m.def("g(int x) -> int", [](const A &) { return 1; });', r"\(bad\.A\)"),
    ],
)
def test_a_wrong_registration_says_why(tmp_path: Path, block: str, words: str) -> None:
    source = tmp_path / "bad.cpp"
    source.write_text(
        f'#include "ge/library.h"\nstruct A {{ int n = 1; }};\nGE_LIBRARY(bad, m) {{ {block} }}\n'
    )
    path = compile_library(tmp_path / "libbad.so", source, link=False)
    with pytest.raises(ops.OpSchemaError, match=words):
        ops.load_library(path)
    assert "bad" not in dir(ops.classes)


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return the class that docs/kernels.md defines in C."""
    page = Path(__file__).resolve().parents[3] / "docs/kernels.md"
    blocks = re.findall(r"^```c\n(.*?)^```$", page.read_text(), re.M | re.S)
    [text] = [block for block in blocks if "ge_library_init" in block]
    folder = tmp_path_factory.mktemp("counter")
    (folder / "counter.c").write_text(text)
    file = compile_library(folder / "libcounter.so", folder / "counter.c", link=False)
    with ops.load_library(file):
        yield ops.classes.acme.Counter


def test_the_class_in_c_of_the_guide(counter: Any) -> None:
    made = counter(3)
    assert made.step() == 4 and made.step(by=2) == 6
    made.n = 10
    assert made.n == 10 and made.step() == 11
    assert counter().n == 0
    assert ops.function("acme.Counter::step")(made, 4) == 15
    with pytest.raises(TypeError, match="acme.Counter"):
        ops.function("acme.Counter::step")(3)
    with pytest.raises(TypeError):
        made.n = "ten"


def test_a_c_program_makes_and_uses_an_instance(counter: Any) -> None:
    """A C program needs only the registry: geKernelRequire and geKernelCall."""

    class Any16(ctypes.Structure):
        _fields_ = [("tag", ctypes.c_int32), ("small", ctypes.c_uint32), ("bits", ctypes.c_int64)]

    class Text(ctypes.Structure):
        _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    core = ctypes.CDLL(load("_init").library_path())
    core.geRegistryGlobal.restype = ctypes.c_void_p

    def call(member: str, *given: Any16) -> Any16:
        name, kernel, result = f"acme.Counter::{member}".encode(), ctypes.c_void_p(), Any16()
        registry = ctypes.c_void_p(core.geRegistryGlobal())
        text, any_ = Text(name, len(name)), Text(b"any", 3)
        assert core.geKernelRequire(registry, text, any_, ctypes.byref(kernel)) == 0
        count = ctypes.c_size_t(len(given))
        status = core.geKernelCall(kernel, (Any16 * 2)(*given), count, ctypes.byref(result))
        core.geKernelRelease(kernel)
        assert status == 0
        return result

    made = call("init", Any16(1, 0, 5))
    assert made.tag == 127
    assert call("step", made, Any16(1, 0, 2)).bits == 7
    call("__set_n", made, Any16(1, 0, 1))
    assert call("__get_n", made).bits == 1
    free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
    free(ctypes.c_void_p.from_address(made.bits + 16).value)(made.bits, 3)
