"""`ge` and the vendors' packages that are installed beside it, in one process, in every order of imports.

A vendor's own operators and passes work; objects of another package are rejected with an error that names both packages;
graphs are exchanged as text files. Without arguments, runs a process for each order. The examples are `thin` (`thin.ge` is
`ge`), `minimal` (graphs only) and `acme` (operators, passes and native code).
"""

import importlib
import importlib.util
import itertools
import os
import subprocess
import sys
import tempfile

PACKAGES = ["ge", "thin.ge", "minimal.ge", "acme.ge"]
UNKNOWN = "!ge.unknown"


def installed():
    """Return the importable packages of PACKAGES."""
    return [p for p in PACKAGES if importlib.util.find_spec(p.partition(".")[0]) is not None]


def built(ir):
    """Return a graph of one node."""
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2,), ir.f32))
    graph.outputs = [graph.add_node("onnx.Relu", [x], result_types=[x.type]).result]
    return graph


def has(package, name):
    """Return whether a package contains the submodule `name`."""
    return importlib.util.find_spec(f"{package}.{name}") is not None


def refused_classes(own, foreign, ir, other, graph):
    """Return calls with classes of the other package, which must raise TypeError."""
    uses = {
        "class of a type": lambda: graph.add_input("y", other.TensorType),
        "class of a type of a new node": lambda: graph.add_node(
            "onnx.X", [], result_types=[other.TensorType]
        ),
        "class as a graph": lambda: ir.Module("m").add_graph(other.Graph),
        "class as an operand": lambda: graph.add_node("onnx.X", [other.Value]),
        "class as an attribute": lambda: graph.add_node("onnx.X", [], {"t": other.TensorType}),
    }
    if has(own, "ops"):
        ops = importlib.import_module(own + ".ops")
        uses["class of types for a caster"] = lambda: ops.register_value_caster(other.TensorType)
        if has(foreign, "ops"):
            view = importlib.import_module(foreign + ".ops").OpView
            derived = type("View", (view,), {"OPERATION_NAME": "acme.View"})
            uses["class of a view"] = lambda: ops.register_view(derived)
    if has(own, "passes") and has(foreign, "passes"):
        passes = importlib.import_module(own + ".passes")
        theirs = importlib.import_module(foreign + ".passes")
        derived = type("Theirs", (theirs.FusionBasePass,), {"run": lambda self, g, c: None})
        stage = passes.PassStage.BEFORE_INFER_SHAPE
        uses["class of a pass"] = lambda: passes.PassManager().add(derived)
        uses["registered class"] = lambda: passes.register_pass("theirs")(derived)
        uses["class for a stage"] = lambda: passes.register_fusion_pass(name="Theirs", stage=stage)(
            derived
        )
        uses["decomposition"] = lambda: passes.register_decompose_pass(
            name="Theirs", stage=stage, op_types=["X"]
        )(derived)
    return uses


def refused_by_functions(own, foreign, graph):
    """Return calls with a graph or module of the other package, which must raise TypeError."""
    module = importlib.import_module(foreign + ".ir").Module("m")
    module.add_graph(graph)
    uses = {}
    if has(own, "onnx"):
        onnx = importlib.import_module(own + ".onnx")
        uses["module to save"] = lambda: onnx.save(module, os.devnull)
        uses["graph to save"] = lambda: onnx.save(graph, os.devnull)
        uses["module as bytes"] = lambda: onnx.to_bytes(module)
    if has(own, "passes"):
        passes = importlib.import_module(own + ".passes")
        uses["graph for a pass manager"] = lambda: passes.PassManager.parse("dce").run(graph)
        uses["module for a pass manager"] = lambda: passes.PassManager.parse("dce").run(module)
        uses["pattern"] = lambda: passes.rewrite_rule(graph, lambda x: x)
        uses["graph to rewrite"] = lambda: passes.rewrite(graph, [])
    return uses


def refuses(ir, other):
    """Check that a package rejects objects of another one."""
    own, foreign = ir.__name__[: -len(".ir")], other.__name__[: -len(".ir")]
    graph, node = built(ir), built(other).nodes[0]
    uses = {
        "operand": lambda: graph.add_node("onnx.Relu", [node.result], result_types=[]),
        "type": lambda: graph.add_input("y", node.result.type),
        "attribute": lambda: graph.nodes[0].attributes.update(t=node.result.type),
        "attribute of a new node": lambda: graph.add_node("onnx.X", [], {"t": other.f32}),
        "capsule": lambda: ir.Node._from_capi(node._capi),
        "place": lambda: graph.add_node("onnx.X", [], ip=other.InsertionPoint(node)),
    }
    if importlib.util.find_spec(own + ".es"):
        builder = importlib.import_module(own + ".es").builder
        op = importlib.import_module(own + ".es.onnx")
        with builder("b") as b:
            x = b.input("x", ir.TensorType((2,), ir.f32))
            uses["operand of a builder"] = lambda: op.Add(x, node.result)
    uses |= refused_classes(own, foreign, ir, other, graph)
    uses |= refused_by_functions(own, foreign, built(other))
    for what, use in uses.items():
        try:
            use()
        except TypeError as error:
            assert foreign in str(error) and own in str(error), (what, str(error))
        else:
            raise AssertionError(f"{own} took a {what} of {foreign}")
    try:
        ir.Graph.parse("nothing")
    except other.ParseError:
        raise AssertionError("one exception class for two packages") from None
    except ir.ParseError:
        pass


def exchange(ir, other, directory):
    """Write a file with one package and read it with the other: unregistered types and operators are preserved."""
    text = (
        "module {\n"
        "  func.func @main(%x: tensor<2xf32>) -> !acme.packed<4> {\n"
        '    %a = "thin.ScaledRelu"(%x) {scale = 2.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n'
        '    %b = "acme.Pack"(%a) {scheme = #acme.scheme<4,  1.5>} : (tensor<2xf32>) -> !acme.packed<4>\n'
        "    return %b : !acme.packed<4>\n  }\n}\n"
    )
    path = os.path.join(directory, f"{ir.__name__}-{other.__name__}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(ir.Module.parse(text)))
    with open(path, encoding="utf-8") as file:
        module = other.Module.parse(file.read(), path)
    assert str(module) == str(ir.Module.parse(text))
    assert str(ir.Graph.parse(str(built(other)))) == str(built(ir))


def vendors_of(package, op, pass_name):
    """Infer an operator of the vendor and run the vendor's pass, which is found by entry points."""
    ir = importlib.import_module(package + ".ir")
    passes = importlib.import_module(package + ".passes")
    graph = ir.Graph.parse(
        f'func.func @main(%x: tensor<2xf32>) -> {UNKNOWN} {{\n  %y = "{op}"(%x) : (tensor<2xf32>) -> {UNKNOWN}\n'
        f"  return %y : {UNKNOWN}\n}}"
    )
    graph.infer_types()
    assert str(graph.outputs[0].type) == "tensor<2xf32>", graph
    passes.load_pass_plugins("")
    assert not passes.bootstrap.load_errors(), passes.bootstrap.load_errors()
    names = [each["name"] for each in passes.list_passes()]
    assert pass_name in names, names
    passes.PassManager.parse(pass_name).run(graph)


def check(order):
    """Import the packages in an order, and check that they work side by side."""
    unraisable = []
    sys.unraisablehook = unraisable.append
    modules = {package: importlib.import_module(package + ".ir") for package in order}
    if "thin.ge" in modules:
        assert modules["thin.ge"] is modules["ge"]
    distinct = [modules[package] for package in order if package != "thin.ge"]
    for ir in distinct:
        assert ir.Node.__module__ == ir.__name__
    with tempfile.TemporaryDirectory() as directory:
        for ir, other in itertools.permutations(distinct, 2):
            refuses(ir, other)
            exchange(ir, other, directory)
    if "thin.ge" in modules:
        vendors_of("thin.ge", "thin.ScaledRelu", "thin-skip-relu")
        vendors_of("ge", "thin.ScaledRelu", "ThinFuseScaledRelu")
    if "acme.ge" in modules:
        vendors_of("acme.ge", "acme.Scale", "acme-merge-scales")
        passes = importlib.import_module("ge.passes")
        assert "acme-merge-scales" not in [each["name"] for each in passes.list_passes()]
    assert not unraisable, unraisable


def main():
    """Run a process for each order."""
    packages = installed()
    assert len(packages) > 2, packages
    count = 0
    for order in itertools.permutations(packages):
        subprocess.run([sys.executable, __file__, *order], check=True)
        count += 1
    print(f"{count} orders of {', '.join(packages)}")


if __name__ == "__main__":
    if sys.argv[1:]:
        check(sys.argv[1:])
    else:
        main()
