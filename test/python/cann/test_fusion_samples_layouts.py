"""CANN's samples of passes in examples/fusion_pass: layouts of convolutions, and layouts that a file specifies.

test/Passes/Samples checks the text of the graphs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fusion_samples import builder_of, graph_of, left_alone, run, same_values

import ge.ir as ir
from ge.graph import DataType, Tensor
from ge.utils import GeUtils

pytestmark = pytest.mark.usefixtures("clean_passes")


# --- Layouts


NCHW_TO_NHWC = (0, 2, 3, 1)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("int64", [False, True])
@pytest.mark.parametrize("convolutions", [1, 2])
@pytest.mark.parametrize("strides", [(1, 1), (1, 2)])
def test_modify_conv(
    version: int, int64: bool, convolutions: int, strides: tuple[int, int]
) -> None:
    """The pass changes the layout of the first input and of the output from NCHW to NHWC."""
    graph = graph_of(
        "modify_conv_data_format",
        version=version,
        int64=int64,
        convolutions=convolutions,
        strides=strides,
    )
    same_values(
        "modify_conv_data_format",
        graph,
        seeds=(0,),
        sizes=({"x_0": 2, "x_1": 2, "x_2": 7, "x_3": 9},),
        same_types=False,
        inputs_after=lambda inputs: [inputs[0].transpose(NCHW_TO_NHWC), *inputs[1:]],
        outputs_after=lambda outputs: [outputs[0].transpose(NCHW_TO_NHWC)],
    )
    assert "Transpose" not in [node.type for node in graph.nodes]
    assert "Const" not in [node.type for node in graph.nodes]


def test_modify_conv_without_the_way_back() -> None:
    to_nhwc = builder_of("modify_conv_data_format").TO_NHWC
    graph = graph_of("modify_conv_data_format", perms=(to_nhwc, None))
    same_values(
        "modify_conv_data_format",
        graph,
        seeds=(0,),
        sizes=({"x_0": 1, "x_1": 2, "x_2": 5, "x_3": 4},),
        same_types=False,
        inputs_after=lambda inputs: [inputs[0].transpose(NCHW_TO_NHWC), *inputs[1:]],
    )


@pytest.mark.parametrize("variant", [{"perms": ([0, 1, 2, 3], [0, 3, 1, 2])}, {"constant": False}])
def test_modify_conv_leaves_other_transposes(variant: dict[str, Any]) -> None:
    graph = graph_of("modify_conv_data_format", **variant)
    assert run("modify_conv_data_format", graph).count("PythonConvTransFormatPass", "matched") == 0
    assert [node.type for node in graph.nodes].count("Transpose") == 2
    assert graph.find_node_by_name("conv0").get_attr("data_format") == "NHWC"


def test_modify_conv_keeps_a_permutation_that_others_use() -> None:
    graph = graph_of("modify_conv_data_format")
    transposes = [node for node in graph.nodes if node.type == "Transpose"]
    graph.outputs = [*graph.outputs, transposes[0].operands[1]]
    run("modify_conv_data_format", graph)
    assert [node.type for node in graph.nodes] == ["Conv2D", "Const", "Relu"]


def test_modify_conv_leaves_nhwc_alone() -> None:
    left_alone("modify_conv_data_format", graph_of("modify_conv_data_format", data_format="NHWC"))


# --- Layouts from a file


@pytest.fixture
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that writes the file that specifies layouts."""

    def write(text: str) -> None:
        (tmp_path / "formats.cfg").write_text(text)
        monkeypatch.setenv("ASCEND_CUSTOM_FORMATS_CFG", str(tmp_path / "formats.cfg"))

    return write


CONV = "[conv]\ninput.0=FORMAT_NHWC\noutput.0=FORMAT_NHWC\n"
RELU = CONV.replace("conv", "relu")
PASS = "GraphNodeSettedFormatPass"


def refused(graph: ir.Graph, reason: str) -> None:
    """Check that the pass changes nothing and gives the reason in a warning."""
    before = graph.to_text(locations=True)
    result = run("transpose_fusion", graph)
    assert not result.changed and graph.to_text(locations=True) == before
    [remark] = result.passes[0].remarks
    assert reason in remark.message and remark.severity == "warning"


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ({}, CONV),
        ({"shape": (2, 5, 5, 5)}, CONV),
        ({"node": "relu"}, RELU),
        ({"node": "relu", "shape": (2, 3, 4, 5, 6)}, RELU),
        ({"node": "relu", "shape": (2, 3, 4, 5, 6)}, RELU.replace("NHWC", "NDHWC")),
    ],
)
def test_transpose_fusion(
    formats: Callable[[str], None], variant: dict[str, Any], text: str
) -> None:
    formats(text)
    graph = graph_of("transpose_fusion", **variant)
    same_values("transpose_fusion", graph)
    [node] = graph.nodes
    assert node.get_input_desc(0) == graph.inputs[0].node.get_output_desc(0)
    assert not [name for name in node.attributes if name.startswith("ge.input_desc")]


def test_transpose_fusion_of_an_input(formats: Callable[[str], None]) -> None:
    formats("[x]\noutput.0=FORMAT_NHWC\n" + CONV)
    graph = graph_of("transpose_fusion", first=False)
    same_values(
        "transpose_fusion",
        graph,
        inputs_after=lambda inputs: [inputs[0].transpose(NCHW_TO_NHWC), *inputs[1:]],
    )
    assert [node.type for node in graph.nodes] == ["Conv2D"]
    assert graph.inputs[0].type == ir.TensorType((1, 6, 5, 2), ir.f32, format="NHWC")


def test_transpose_fusion_keeps_a_permutation_that_others_use(
    formats: Callable[[str], None],
) -> None:
    formats(CONV)
    graph = graph_of("transpose_fusion", shared=True)
    assert run("transpose_fusion", graph).changed
    assert sorted(node.type for node in graph.nodes) == ["Const", "Conv2D"]


def test_transpose_fusion_keeps_what_others_use_after_it(formats: Callable[[str], None]) -> None:
    formats(CONV)
    graph = graph_of("transpose_fusion", used="after")
    same_values("transpose_fusion", graph)
    assert [node.type for node in graph.nodes] == ["Conv2D", "Relu"]


@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        ({"used": "before"}, "before gives FORMAT_NCHW"),
        ({"used": "node"}, "conv gives FORMAT_NHWC"),
        ({"first": False}, "x gives FORMAT_NCHW"),
        ({"shape": (1, 5, 5, 5), "perm": [0, 3, 2, 1]}, "before gives FORMAT_NCHW"),
    ],
)
def test_transpose_fusion_is_undone_where_edges_do_not_fit(
    formats: Callable[[str], None], variant: dict[str, Any], reason: str
) -> None:
    formats(CONV)
    refused(graph_of("transpose_fusion", **variant), reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CONV + "[nobody]\noutput.0=FORMAT_NHWC\n", "nobody"),
        (CONV + "input.9=FORMAT_NHWC\n", "has not that many inputs"),
        (CONV + "output.1=FORMAT_NHWC\n", "has not that many inputs and outputs"),
        ("[conv]\ninput.0=FORMAT_ND\noutput.0=FORMAT_NHWC\n", "takes FORMAT_ND [1, 2, 6, 5]"),
        (CONV + "input.1=FORMAT_NDHWC\n", "input 1 of conv takes FORMAT_NDHWC"),
    ],
)
def test_transpose_fusion_is_undone_where_layouts_do_not_fit(
    formats: Callable[[str], None], text: str, reason: str
) -> None:
    formats(text)
    refused(graph_of("transpose_fusion"), reason)


@pytest.mark.parametrize("how", ["an input", "of another type"])
def test_transpose_fusion_knows_constant_permutations(
    formats: Callable[[str], None], how: str
) -> None:
    formats(CONV)
    graph = graph_of("transpose_fusion")
    transpose = graph.find_node_by_name("before")
    if how == "an input":
        perm = graph.add_input("perm", ir.TensorType((4,), ir.i64))
        transpose.operands = [transpose.operands[0], perm]
    else:
        node = transpose.get_in_data_nodes_and_port_indexes(1)[0]
        tensor = Tensor([0, 3, 1, 2], data_type=DataType.DT_INT16)
        node.set_attr("value", tensor)
        node.result.type = tensor.type
    refused(graph, "before gives FORMAT_NCHW")


def test_transpose_fusion_on_one_side(formats: Callable[[str], None]) -> None:
    """The file may set the layout of an input only; the pass applies it without regard to its benefit."""
    formats("[relu]\ninput.0=FORMAT_NHWC\n")
    graph = graph_of("transpose_fusion", node="relu")
    assert run("transpose_fusion", graph).changed
    assert [node.type for node in graph.nodes] == ["Relu", "Const", "Transpose"]


def test_transpose_fusion_asks_the_engine(
    formats: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def check(node: ir.Node) -> tuple[bool, str]:
        asked.append((node.name, node.get_input_desc(0).format.name))
        return (node.name != "relu", "no such kernel")

    monkeypatch.setattr(GeUtils, "check_node_support_on_aicore", staticmethod(check))
    formats("[x]\noutput.0=FORMAT_NHWC\n" + CONV)
    assert run("transpose_fusion", graph_of("transpose_fusion")).changed
    assert asked == [("conv", "FORMAT_NHWC")]
    formats("[x]\noutput.0=FORMAT_NHWC\n" + RELU)
    refused(
        graph_of("transpose_fusion", node="relu"), "relu does not run in these layouts: no such"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[conv]\ninput.0=FORMAT_CHWN\n", "is no layout"),
        ("[conv]\ninput=FORMAT_NHWC\n", "is no layout"),
        ("input.0=FORMAT_NHWC\n", "no section headers"),
        ("[conv]\nnonsense\n", "parsing errors"),
    ],
)
def test_transpose_fusion_refuses_a_bad_file(
    formats: Callable[[str], None], text: str, reason: str
) -> None:
    formats(text)
    with pytest.raises(ir.PassError, match=f"(?s)ASCEND_CUSTOM_FORMATS_CFG: .*{reason}"):
        run("transpose_fusion", graph_of("transpose_fusion"))


def test_transpose_fusion_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_CUSTOM_FORMATS_CFG", raising=False)
    left_alone("transpose_fusion", graph_of("transpose_fusion"))
