"""The text form is MLIR's generic form: MLIR parses all text that GE prints, and GE parses MLIR's output.

Each file of test/Text/corpus is one row of the tables of docs/text-format.md. MLIR runs in its own process,
because some inputs crash it; a crash fails the case, and the next one gets a new process. Not preserved: what MLIR
drops (SSA names, the order of attributes); with names="attr" the names survive.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ge import ir

pytest.importorskip("iree.compiler", reason="iree-base-compiler has MLIR's parser")

CORPUS = Path(__file__).parents[2] / "Text" / "corpus"
ROWS = sorted(CORPUS.glob("*.mlir"))

WORKER = """
import json, sys
from iree.compiler import ir
for line in sys.stdin:
    request = json.loads(line)
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        try:
            module = ir.Module.parse(request["text"])
            answer = {"text": module.operation.get_asm(
                print_generic_op_form=request["generic"], enable_debug_info=request["locations"])}
        except Exception as error:
            answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
"""


class MLIR:
    """MLIR's parser and printer, in another process."""

    def __init__(self):
        self.process = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def trip(self, text: str, *, generic: bool = False, locations: bool = False) -> str:
        """Return the text as MLIR parses and prints it."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        request = {"text": text, "generic": generic, "locations": locations}
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            pytest.fail(f"MLIR died of this text:\n{text}")
        answer = json.loads(line)
        if "error" in answer:
            pytest.fail(f"MLIR refuses this text: {answer['error']}\n{text}")
        return answer["text"]

    def stop(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()


@pytest.fixture(scope="module")
def mlir() -> Iterator[MLIR]:
    mlir = MLIR()
    yield mlir
    mlir.stop()


@pytest.fixture(params=ROWS, ids=lambda path: path.stem)
def module(request: pytest.FixtureRequest) -> ir.Module:
    return ir.Module.parse(request.param.read_text(), str(request.param))


def all_nodes(graph: ir.Graph) -> Iterator[ir.Node]:
    for value in graph.inputs:
        yield value.node
    for node in graph.nodes:
        yield node
        for inner in node.subgraphs:
            yield from all_nodes(inner)


def names(module: ir.Module) -> list:
    """Return names of graphs, nodes, values and outputs; None if there is no name.

    Their order has no meaning: a graph may be printed in another order than that of its list.
    """

    def name_of(named: ir.Node | ir.Value) -> str | None:
        return named.name if named.has_name else None

    return [
        (
            graph.name,
            list(graph.output_names),
            sorted(
                ((name_of(node), [name_of(v) for v in node.results]) for node in all_nodes(graph)),
                key=repr,
            ),
        )
        for graph in module.graphs.values()
    ]


def test_the_corpus_is_there():
    assert len(ROWS) > 30


@pytest.mark.parametrize("locations", [False, True], ids=["", "locations"])
@pytest.mark.parametrize("style", ["ssa", "attr"])
def test_we_read_what_we_print(module: ir.Module, style: str, locations: bool):
    text = module.to_text(names=style, locations=locations)
    again = ir.Module.parse(text)
    assert again.is_structurally_equal(module)
    assert again.to_text(names=style, locations=locations) == text
    assert names(again) == names(module)


@pytest.mark.parametrize("locations", [False, True], ids=["", "locations"])
@pytest.mark.parametrize("style", ["ssa", "attr"])
def test_mlir_reads_what_we_print(module: ir.Module, mlir: MLIR, style: str, locations: bool):
    mlir.trip(module.to_text(names=style, locations=locations))


@pytest.mark.parametrize("locations", [False, True], ids=["", "locations"])
@pytest.mark.parametrize("form", ["pretty", "generic"])
@pytest.mark.parametrize("style", ["ssa", "attr"])
def test_we_read_what_mlir_prints(
    module: ir.Module, mlir: MLIR, style: str, form: str, locations: bool
):
    text = module.to_text(names=style, locations=locations)
    printed = mlir.trip(text, generic=form == "generic", locations=locations)
    again = ir.Module.parse(printed)
    assert again.is_structurally_equal(module), printed
    if style == "attr":
        assert names(again) == names(module), printed


@pytest.mark.parametrize("form", ["pretty", "generic"])
def test_locations_survive_mlir(mlir: MLIR, form: str):
    module = ir.Module.parse((CORPUS / "locations.mlir").read_text())
    text = module.to_text(locations=True)
    again = ir.Module.parse(mlir.trip(text, generic=form == "generic", locations=True))
    graph, other = module.graphs["main"], again.graphs["main"]
    pairs = list(zip(all_nodes(graph), all_nodes(other), strict=True))
    assert len(pairs) == 3
    for node, copy in pairs:
        assert str(copy.location) == str(node.location)
    (node,) = graph.nodes
    (copy,) = other.nodes
    assert [str(o) for o in copy.origins] == [str(o) for o in node.origins]


def test_an_elided_tensor_is_read_by_mlir_and_refused_by_us(mlir: MLIR):
    module = ir.Module.parse((CORPUS / "tensors-resource.mlir").read_text())
    text = module.to_text(elide_elements_larger_than=4)
    assert "__elided__" in text
    mlir.trip(text)
    with pytest.raises(ir.ParseError, match="left out"):
        ir.Module.parse(text)
