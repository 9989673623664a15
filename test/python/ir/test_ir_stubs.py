"""The stub of ge.ir has all public names, and a type checker accepts correct programs and rejects wrong ones."""

import ast
import inspect
import pydoc
import types
from pathlib import Path

import pytest
from type_checker import check_types

import ge.ir as ir

STUB = Path(ir.__file__).with_suffix(".pyi")
DOCS = Path(__file__).resolve().parents[3] / "docs"

pytestmark = pytest.mark.skipif(
    not STUB.exists(), reason="built without stubs (GE_PYTHON_STUBS=OFF, as sanitized builds are)"
)


def tree() -> dict[str, ast.stmt]:
    body = ast.parse(STUB.read_text()).body
    named: dict[str, ast.stmt] = {}
    for statement in body:
        if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
            named[statement.name] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            named[statement.target.id] = statement
    return named


def names_in(cls: ast.ClassDef) -> set[str]:
    found = {s.name for s in cls.body if isinstance(s, ast.FunctionDef)}
    found |= {
        s.target.id
        for s in cls.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }
    return {name for name in found if not name.startswith("_")}


def test_the_stub_has_every_public_name() -> None:
    assert {name for name in tree() if not name.startswith("_")} == set(ir.__all__)


@pytest.mark.parametrize(
    "cls", [v for v in vars(ir).values() if isinstance(v, type)], ids=lambda c: c.__name__
)
def test_the_stub_has_every_public_member(cls: type) -> None:
    stub = tree()[cls.__name__]
    assert isinstance(stub, ast.ClassDef)
    assert names_in(stub) == {name for name in vars(cls) if not name.startswith("_")}


SLOTS = (types.MethodDescriptorType, types.ClassMethodDescriptorType, types.BuiltinFunctionType)


@pytest.mark.parametrize(
    "cls",
    [ir.Graph, ir.Node, ir.Value, ir.AttributeMap, ir.InsertionPoint],
    ids=lambda c: c.__name__,
)
def test_signature_help_and_stub_of_a_slot_function_are_one(cls: type) -> None:
    """Covers every method that nanobind does not dispatch: see lib/Bindings/Python/IR/Members.h."""
    stub = tree()[cls.__name__]
    assert isinstance(stub, ast.ClassDef)
    seen = []
    for member in stub.body:
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("__"):
            continue
        if not isinstance(inspect.getattr_static(cls, member.name), (*SLOTS, staticmethod)):
            continue
        function = getattr(cls, member.name)
        if not isinstance(function, SLOTS):
            continue
        args = member.args
        names = [a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.kwarg] if a]
        if any(isinstance(d, ast.Name) and d.id == "classmethod" for d in member.decorator_list):
            names = names[1:]
        assert list(inspect.signature(function).parameters) == names
        assert ast.get_docstring(member) == inspect.getdoc(function)
        assert ast.get_docstring(member)
        assert all(a.annotation for a in args.kwonlyargs)
        seen.append(member.name)
    assert seen


def test_help_of_add_node_has_the_signature_of_the_stub() -> None:
    text = pydoc.plain(pydoc.render_doc(ir.Graph.add_node))
    assert (
        "add_node(self, /, op, operands=(), attributes=None, *, name=None, result_types=None, "
        "control_inputs=(), subgraphs=(), loc=None, ip=None)"
    ) in text
    assert "op : str" in text
    operands = "Iterable[Value | Node | Sequence[Value | Node | None] | None]"
    assert f"def add_node(self, op: str, operands: {operands} = ()," in STUB.read_text()


@pytest.mark.slow
def test_right_programs_pass_and_wrong_ones_do_not(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""\
import ge.ir as ir

def fuse(graph: ir.Graph) -> int:
    count = 0
    with graph.transaction(), ir.Location.file("f", 1):
        for node in graph.nodes:
            value: ir.Value | None = node.operands[0]
            if node.op == "onnx.Relu" and value is not None:
                node.replace_with(value)
                count += 1
            for use in node.result.uses:
                user: ir.Node = use.node
                user.attributes["k"] = [1, 2]
        new = graph.add_node("onnx.Abs", [graph.inputs[0], None], {"k": 1}, name="n",
                             result_types=[ir.TensorType(("N", 2), ir.f32)])
        new.name = new.result.name
        graph.outputs = [new.result]
        names: list[str] = [n.name for n in graph.find_all("onnx.Relu")]
        print(names, graph.to_text(names="attr"))
    return count
""")
    assert check_types(tmp_path, program.name) == ""
    program.write_text("""\
import ge.ir as ir
g = ir.Graph(3)
g.nodes[0].op = "x"
n: ir.Graph = g.add_node("onnx.Abs")
g.to_text(names="other")
""")
    complaints = check_types(tmp_path, program.name)
    assert [f"program.py:{line}: error" in complaints for line in (2, 3, 4, 5)] == [True] * 4, (
        complaints
    )


def test_the_stub_of_the_native_classes_of_passes_has_them() -> None:
    body = ast.parse((STUB.parents[1] / "passes" / "_native.pyi").read_text()).body
    classes = {s.name: s for s in body if isinstance(s, ast.ClassDef)}
    assert set(classes) == {"GraphPattern", "GraphRule", "MatchResult"}
    assert all(names_in(cls) for cls in classes.values())
