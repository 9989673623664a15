"""Kernel libraries in C++ (ge/library.h): operators, kernels, inference and classes, and invalid libraries.

A library does not link GE. If one of its registrations fails, all of them are undone.
"""

import gc
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import INCLUDE, compile_library, plain_environment
from needs import CC
from places import SUPPORT

import ge.ir as ir
import ge.ops as ops

pytestmark = CC

ROOT = SUPPORT.parents[2]
X = np.array([[-1.0, 0.5, 3.0]], "f4")
NAMESPACE = '-DGE_OP_NAMESPACE="acme"'


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [ROOT / "examples/kernels" / name for name in ("kernels.cpp", "cosine.cpp")]
    out = tmp_path_factory.mktemp("cpp") / "libacme_kernels.so"
    return compile_library(out, *sources, flags=(NAMESPACE,), link=False)


@pytest.fixture
def acme(example: Path) -> Iterator[Any]:
    with ops.load_library(example) as library:
        yield library


def compiled(tmp_path: Path, text: str, name: str = "lib") -> Path:
    source = tmp_path / f"{name}.cpp"
    source.write_text('#include "ge/library.h"\n' + text)
    return compile_library(tmp_path / f"{name}.so", source, link=False)


@pytest.mark.slow
def test_a_library_needs_no_symbol_of_ge(example: Path) -> None:
    if shutil.which("nm") is None:
        pytest.skip("needs package binutils")
    text = subprocess.run(["nm", "-D", example], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in text.splitlines()]
    assert not [name for kind, name in symbols if kind in "Uw" and name.startswith("ge")]
    assert [n for k, n in symbols if k not in "Uw" and n.startswith("ge")] == ["ge_library_init"]


@pytest.mark.slow
def test_the_library_of_the_guide(tmp_path: Path) -> None:
    page = (ROOT / "docs/kernels.md").read_text()
    text = "".join(re.findall(r"^```cpp\n(.*?)^```$", page, re.M | re.S))
    (tmp_path / "acme.cpp").write_text(text)
    library = compile_library(tmp_path / "libacme.so", tmp_path / "acme.cpp", link=False)
    with ops.load_library(library):
        assert (ops.call.acme.scale(X, factor=2.0) == X * 2).all()
        assert ops.function("acme::add1")(2) == 3
        assert np.allclose(ops.call.acme.cos(X, scale=2.0), 2 * np.cos(X))


def test_the_example_runs(example: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/kernels/run.py"), str(example)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "scale [-2.  1.  6.]" in done.stdout and "join a, b" in done.stdout
    assert "expects float above 0.0" in done.stdout


def test_kernels_return_tensors_or_fill_them(acme: Any) -> None:
    assert (ops.call.acme.scale(X, factor=2.0) == X * 2).all()
    assert (ops.call.acme.scale(X) == X).all()
    assert isinstance(ops.call.acme.scale(ir.Tensor(X), factor=3), ir.Tensor)
    assert (ops.call.acme.clamp(X) == np.maximum(X, 0)).all()
    assert (ops.call.acme.clamp(X, high=1.0) == np.clip(X, 0, 1)).all()
    out = np.empty_like(X)
    assert ops.call.acme.clamp(X, low=-9.0, out=out) is out and (out == X).all()
    empty = np.zeros((0, 3), "f4")
    assert ops.call.acme.scale(empty, factor=2.0).shape == (0, 3)


def test_writes_tuples_strings_and_errors(acme: Any) -> None:
    y = X.copy()
    ops.call.acme.add_(y, 2)
    assert (y == X + 2).all()
    result, total = ops.call.acme.normalise(X)
    assert total == 2.5 and (result == X / np.float32(2.5)).all()
    with pytest.raises(ops.KernelError, match="the sum of x is 0"):
        ops.call.acme.normalise(np.zeros(2, "f4"))
    with pytest.raises(ops.KernelError, match="expected a tensor of float32, got int64"):
        ops.call.acme.scale(np.arange(3))
    join = ops.function("acme::join")
    assert join(["a", "bcd"], None) == "a, bcd" and join(["a", "b"], "-") == "a-b"
    assert str(ops.get("acme::join")) == "acme::join(str[] _0, str? _1) -> str"


def test_an_operator_from_a_class(acme: Any) -> None:
    assert np.allclose(ops.call.acme.cos(X, scale=2.0), 2 * np.cos(X))
    proto = ops.get("acme::cos").proto()
    assert proto.comment == "This is cos op"
    assert [(i.name, i.comment) for i in proto.inputs] == [("input", "input of cosine op")]
    assert [(o.name, o.comment) for o in proto.outputs] == [("output", "output of cosine op")]
    (attribute,) = proto.attributes
    assert (attribute.name, attribute.comment) == ("scale", "scale of cosine op")
    with pytest.raises(ops.BindError, match=r"expects float above 0.0, got float 0"):
        ops.call.acme.cos(X, scale=0.0)


def test_kernels_serve_graphs_and_folding(acme: Any) -> None:
    from ge.passes import PassManager

    graph = ir.Graph.parse(
        """func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %c = "onnx.Constant"() {value = dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>} : () -> tensor<1x3xf32>
  %s = "acme.scale"(%c) {factor = 2.0 : f32} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %y = "onnx.Add"(%x, %s) : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}
"""
    )
    (y,) = graph.run([X])
    assert (y == X + [[2, 4, 6]]).all()
    PassManager.parse("constant-fold,dce").run(graph)
    assert "acme.scale" not in str(graph)


def test_loading_twice_gives_the_same_library_and_closing_takes_all_out(example: Path) -> None:
    library = ops.load_library(example)
    assert ops.load_library(str(example)) is library
    operator = ops.call.acme.scale
    library.close()
    assert ops.find("acme", "scale") is None and ops.kernel("acme::scale") is None
    with pytest.raises((ops.KernelError, AttributeError, KeyError, NotImplementedError)):
        operator(X)
    again = ops.load_library(example)
    assert again is not library
    assert (ops.call.acme.scale(X, factor=2.0) == X * 2).all()
    again.close()


def test_results_outlive_their_library(example: Path) -> None:
    library = ops.load_library(example)
    y = ops.call.acme.scale(X, factor=2.0)
    library.close()
    del library
    gc.collect()
    assert (y == X * 2).all()


def test_eight_threads(acme: Any) -> None:
    wrong = []

    def work(k: int) -> None:
        x = np.full((64,), k, "f4")
        for _ in range(200):
            if not (ops.call.acme.scale(x, factor=2.0) == 2 * k).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


KINDS = """
GE_LIBRARY(kinds, m) {
  m.def("all(int a, float b, bool c, str d, ScalarType e, int[] f, float[2] g, Tensor[] h, Tensor? i) -> str",
        [](int32_t a, float b, bool c, std::string_view d, DLDataType e, std::vector<int64_t> f,
           std::vector<double> g, std::vector<ge::TensorView> h, std::optional<ge::TensorView> i) {
          return std::to_string(a) + " " + std::to_string(int(b * 2)) + " " + (c ? "t" : "f") + " " +
                 std::string(d) + " " + std::to_string(e.code) + " " + std::to_string(f.size()) + " " +
                 std::to_string(int(g.at(1))) + " " + std::to_string(h.size()) + " " + (i ? "some" : "none");
        });
  m.def("many(Tensor x) -> Tensor[]", [](ge::TensorView x) {
    std::vector<ge::Tensor> all;
    all.push_back(ge::Tensor::emptyLike(x));
    all.push_back(ge::Tensor::empty<int64_t>({2}));
    for (ge::Tensor &t : all)
      std::memset(t.bytes(), 0, size_t(t.numel()) * (t.view().dtype().bits / 8));
    return all;
  });
  m.def("none(int x) -> ()", [](int64_t) {});
  m.def("odd(int x) -> int", [](int64_t x) -> int64_t {
    if (x % 2 == 0)
      throw 42;
    return x;
  });
}
"""


@pytest.mark.slow
def test_types_of_arguments_and_results(tmp_path: Path) -> None:
    with ops.load_library(compiled(tmp_path, KINDS, "kinds")):
        call = ops.call.kinds
        text = call.all(7, 0.5, True, "text", ir.f32, [1, 2, 3], 4.0, [X, X], None)
        assert text == "7 1 t text 2 3 4 2 none"
        assert call.all(7, 0.5, True, "", ir.bf16, [], 4.0, [X], X).endswith("4 0 4 1 some")
        with pytest.raises(ops.KernelError, match="does not fit the kernel's integer type"):
            call.all(2**40, 0.5, True, "", ir.f32, [], 4.0, [X], X)
        first, second = call.many(X)
        assert (first == 0).all() and second.dtype == np.int64
        assert call.none(1) is None
        assert call.odd(3) == 3
        with pytest.raises(
            ops.KernelError, match=r"threw an exception that is not a std::exception"
        ):
            call.odd(2)


WRITES = """
GE_LIBRARY(writes, m) {
  m.def("two_", [](ge::MutableTensorView x, int64_t k, ge::MutableTensorView y) {
    x.data<float>()[0] = y.data<float>()[0] = float(k);
  });
  m.def("all_(Tensor(a!)[] xs) -> ()", [](std::vector<ge::MutableTensorView> xs) {
    for (const ge::MutableTensorView &x : xs)
      x.data<float>()[0] = 7;
  });
  m.def("maybe_(Tensor(a!)? x) -> ()", [](std::optional<ge::MutableTensorView> x) {
    if (x)
      x->data<float>()[0] = 7;
  });
  m.def("reads(Tensor(a!) x) -> ()", [](ge::TensorView) {});
}
"""


@pytest.mark.slow
def test_an_operand_that_the_function_writes_is_written_in_the_schema(tmp_path: Path) -> None:
    with ops.load_library(compiled(tmp_path, WRITES, "writes")):
        assert str(ops.get("writes::two_")) == (
            "writes::two_(Tensor(a!) _0, int _1, Tensor(b!) _2) -> ()"
        )
        x, y = X.copy(), X.copy()
        ops.call.writes.two_(x, 5, y)
        assert x[0, 0] == 5 and y[0, 0] == 5
        ops.call.writes.all_([x, y])
        assert x[0, 0] == 7 and y[0, 0] == 7
        x.flags.writeable = False
        with pytest.raises(ValueError, match="operand '_0' is written, and is read-only"):
            ops.call.writes.two_(x, 5, y)


@pytest.mark.slow
def test_results_come_after_all_parameters(tmp_path: Path) -> None:
    text = 'GE_LIBRARY(o, m) { m.impl("f", ge::cpu, [](ge::Out, ge::TensorView) {}); }'
    source = tmp_path / "o.cpp"
    source.write_text('#include "ge/library.h"\n' + text)
    command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, env=plain_environment())
    assert done.returncode != 0
    assert "ge::Out stands last" in done.stderr


WRONG = {
    "undeclared write": (
        'm.def("f(Tensor x) -> ()"); m.impl("f", ge::cpu, [](ge::MutableTensorView) {});',
        r"is a function \(Tensor\(a!\)\) -> \(\), the schema is bad::f\(Tensor x\) -> \(\)",
    ),
    "undeclared write to a list": (
        'm.def("f(Tensor[] x) -> ()");'
        ' m.impl("f", ge::cpu, [](std::vector<ge::MutableTensorView>) {});',
        r"is a function \(Tensor\(a!\)\[\]\) -> \(\), the schema is bad::f\(Tensor\[\] x\) -> \(\)",
    ),
    "signature": (
        'm.def("f(Tensor x, int k) -> Tensor"); m.impl("f", ge::cpu, [](ge::TensorView, double) {});',
        r"is a function \(Tensor, float\) -> \(\), the schema is bad::f\(Tensor x, int k\) -> Tensor",
    ),
    "schema": ('m.def("f(Tensr x");', "f"),
    "twice": ('m.def("f(int x) -> int"); m.def("f(int x) -> int");', "bad::f"),
    "kernel twice": (
        'm.def("f(int x) -> int", [](int64_t x) { return x; });'
        ' m.impl("f", ge::any, [](int64_t x) { return x; });',
        "is implemented at",
    ),
    "backend": ('m.impl("f", ge::Backend{"gpu9"}, [](int64_t x) { return x; });', "gpu9"),
    "throws": ('throw std::runtime_error("boo");', "boo"),
    "throws an int": ("throw 7;", "no std::exception"),
    "third block": (
        '} GE_LIBRARY_FRAGMENT(bad, m) { m.def("g(int x) -> int", [](int64_t x) { return x; });'
        ' } GE_LIBRARY_IMPL(bad, cpu, m) { m.def("h(int x) -> int");',
        "bad",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_library_leaves_nothing(kind: str, tmp_path: Path) -> None:
    body, message = WRONG[kind]
    good = 'm.def("fine(int x) -> int", [](int64_t x) { return x; });'
    path = compiled(tmp_path, f"GE_LIBRARY(bad, m) {{ {good} {body} }}", "bad")
    for _ in range(2):
        with pytest.raises(Exception, match=message) as caught:
            ops.load_library(path)
        assert f"cannot load library '{path}': " in str(caught.value)
        assert ops.find("bad", "fine") is None and ops.kernel("bad::fine") is None


MAKER = """
struct Op {
  explicit Op(const ge::Attributes &) {}
  ge::Tensor operator()(ge::TensorView x) const { return ge::Tensor::emptyLike(x); }
};
struct Maker : ge::OpProtoMaker {
  explicit Maker(ge::OpProto *proto) : OpProtoMaker(proto) {
    AddInput("x", "x");
    OUTPUT
    AddType("TYPE");
  }
};
REGISTER_OP(Op, Maker, mine)
"""


@pytest.mark.slow
def test_wrong_makers(tmp_path: Path) -> None:
    output = 'AddOutput("y", "y");'
    text = MAKER.replace("OUTPUT", output).replace("TYPE", "other")
    with pytest.raises(ops.OpSchemaError, match=r'the maker says AddType\("other"\)'):
        ops.load_library(compiled(tmp_path, text, "named"))
    text = (
        MAKER.replace("OUTPUT", output * 2)
        .replace("TYPE", "mine")
        .replace('"y", "y"', '"z", ""', 1)
    )
    with pytest.raises(ops.OpSchemaError, match=r"operator\(\) is a function \(Tensor\) -> Tensor"):
        ops.load_library(compiled(tmp_path, text, "results"))
    # Without GE_OP_NAMESPACE the namespace is the argument of load_library, by default the file's stem.
    path = compiled(tmp_path, MAKER.replace("OUTPUT", output).replace("TYPE", "mine"), "libstem")
    with ops.load_library(path) as library:
        assert library.namespace == "stem" and ops.find("stem", "mine") is not None
    with ops.load_library(path, "given"):
        assert ops.find("given", "mine") is not None and ops.find("stem", "mine") is None


def test_no_library_at_all(tmp_path: Path) -> None:
    path = tmp_path / "x.so"
    path.write_text("no ELF")
    with pytest.raises(ValueError, match="ELF"):
        ops.load_library(path)
    with pytest.raises(OSError):
        ops.load_library(tmp_path / "none.so")
    (tmp_path / "empty.c").write_text("int nothing;")
    empty = compile_library(tmp_path / "empty.so", tmp_path / "empty.c", link=False)
    with pytest.raises(ValueError, match="ge_library_init"):
        ops.load_library(empty)


@pytest.mark.slow
def test_another_abi(tmp_path: Path) -> None:
    shutil.copytree(INCLUDE, tmp_path / "include")
    support = tmp_path / "include/ge-c/Support.h"
    support.write_text(support.read_text().replace("GE_C_ABI_VERSION 1", "GE_C_ABI_VERSION 999"))
    source = tmp_path / "abi.cpp"
    source.write_text('#include "ge/library.h"\nGE_LIBRARY(abi, m) { m.def("f(int x) -> int"); }\n')
    path = compile_library(tmp_path / "abi.so", source, include=tmp_path / "include", link=False)
    with pytest.raises(
        ValueError, match="it was built for C ABI 999 and this GE has C ABI 1; rebuild it"
    ):
        ops.load_library(path)


@pytest.mark.slow
def test_two_libraries_of_one_namespace(tmp_path: Path) -> None:
    text = 'GE_LIBRARY(dup, m) { m.def("f(int x) -> int", [](int64_t x) { return x; }); }'
    with ops.load_library(compiled(tmp_path, text, "one")):
        with pytest.raises(ops.OpSchemaError, match="dup"):
            ops.load_library(compiled(tmp_path, text, "two"))
        assert ops.function("dup::f")(3) == 3


def test_a_static_constructor_that_throws_is_found_by_a_probe(tmp_path: Path) -> None:
    text = "static const int boom = [] { throw 7; return 0; }();\nGE_LIBRARY(s, m) { (void)boom; (void)m; }"
    path = compiled(tmp_path, text, "static")
    with pytest.raises(OSError, match="ends the process that opens it"):
        ops.load_library(path, probe=True)
    code = f"import ge.ops as ops; ops.load_library({str(path)!r})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode != 0


@pytest.mark.slow
def test_a_library_may_have_any_file_name(tmp_path: Path) -> None:
    """It says itself what its operators are called; its own namespace is made of the name."""
    text = 'static int64_t twice(int64_t v) { return 2 * v; }\nGE_LIBRARY(filed, m) { m.def("twice(int v) -> int", &twice); }'
    file = compiled(tmp_path, text)
    spaces = {
        "my-ops.so": "my_ops",
        "kernels 2.so": "kernels_2",
        "3ops.so": "_3ops",
        "libacme-x.so.1": "acme_x",
        ".so": "_",
        "ядро.so": "_" * 8,
        "class.so": "class",
    }
    for name, space in spaces.items():
        copy = shutil.copy(file, tmp_path / name)
        with ops.load_library(copy) as library:
            assert ops.call.filed.twice(3) == 6
            assert library.namespace == space == ops._load._namespace_of(str(copy))
