"""Layouts are set by a file, and transposes whose sides then agree are taken out.

``ASCEND_CUSTOM_FORMATS_CFG=formats.cfg python transpose_fusion_pass.py graph.mlir`` runs it by itself.
"""

import configparser
import os
import re
from dataclasses import dataclass, field

import ge.passes
from ge.graph import DataType, Format, Graph, Node, TensorDesc
from ge.passes import (
    FAILED,
    NOT_CHANGED,
    SUCCESS,
    FusionBasePass,
    PassContext,
    PassStage,
    can_fuse,
    register_fusion_pass,
    report_fuse,
)
from ge.utils import GeUtils

ENVIRONMENT = "ASCEND_CUSTOM_FORMATS_CFG"
FORMATS = {
    name: Format[name]
    for name in ("FORMAT_ND", "FORMAT_NCHW", "FORMAT_NHWC", "FORMAT_NCDHW", "FORMAT_NDHWC")
}
# Of a tensor of five dimensions, NCHW and NHWC mean these.
OF_FIVE = {Format.FORMAT_NCHW: Format.FORMAT_NCDHW, Format.FORMAT_NHWC: Format.FORMAT_NDHWC}
PERMUTATIONS = {
    (Format.FORMAT_NCHW, Format.FORMAT_NHWC): [0, 2, 3, 1],
    (Format.FORMAT_NHWC, Format.FORMAT_NCHW): [0, 3, 1, 2],
    (Format.FORMAT_NCDHW, Format.FORMAT_NDHWC): [0, 2, 3, 4, 1],
    (Format.FORMAT_NDHWC, Format.FORMAT_NCDHW): [0, 4, 1, 2, 3],
}


class LayoutError(Exception):
    """The layouts cannot be had: the graph is to be as it was."""


@dataclass
class Wanted:
    """Layouts of one node, by input and output."""

    node: str
    inputs: dict[int, Format] = field(default_factory=dict)
    outputs: dict[int, Format] = field(default_factory=dict)


def read(path: str) -> list[Wanted]:
    """Read the file; ValueError and OSError say what is wrong with it."""
    parser = configparser.RawConfigParser(delimiters=("=",), default_section="")
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except configparser.Error as error:
        raise ValueError(str(error)) from error
    made = []
    for name in parser.sections():
        wanted = Wanted(name)
        for key, text in parser.items(name):
            place = re.fullmatch(r"(input|output)\.(\d+)", key)
            if place is None or text not in FORMATS:
                raise ValueError(f"[{name}] {key}={text} is no layout of an input or output")
            places = wanted.inputs if place[1] == "input" else wanted.outputs
            places[int(place[2])] = FORMATS[text]
        made.append(wanted)
    return made


def layout_of(desc: TensorDesc, layout: Format | None = None) -> Format:
    """Return a description's layout, or another one for its rank."""
    layout = desc.format if layout is None else layout
    return OF_FIVE.get(layout, layout) if len(desc.shape) == 5 else layout


def laid_out(desc: TensorDesc, wanted: Format) -> TensorDesc:
    """Return a description in another layout, with the sizes in its order."""
    wanted = layout_of(desc, wanted)
    perm = PERMUTATIONS.get((layout_of(desc), wanted))
    if perm is not None:
        if len(desc.shape) != len(perm):
            raise LayoutError(f"a shape of {len(desc.shape)} dimensions cannot be {wanted.name}")
        desc.set_shape([desc.shape[i] for i in perm])
    return desc.set_format(wanted)


def consumers(node: Node, output: int) -> list[tuple[Node, int]]:
    """Return the inputs that take an output."""
    return list(node.get_out_data_nodes_and_port_indexes(output))


def set_output(node: Node, output: int, wanted: Format) -> None:
    """Set the layout of an output; NetOutput follows, other nodes take what they took."""
    before = [
        (user, port, user.get_input_desc(port))
        for user, port in consumers(node, output)
        if user.type != "NetOutput"
    ]
    node.update_output_desc(output, laid_out(node.get_output_desc(output), wanted))
    for user, port, desc in before:
        user.update_input_desc(port, desc)


def set_layouts(graph: Graph, wanted: Wanted) -> Node:
    """Set the layouts of a node, and ask whether it can have them."""
    try:
        node = graph.find_node_by_name(wanted.node)
    except RuntimeError as error:
        raise LayoutError(str(error)) from error
    if max(wanted.inputs, default=-1) >= node.get_inputs_size() or (
        max(wanted.outputs, default=-1) >= node.get_outputs_size()
    ):
        raise LayoutError(f"node {node.name} has not that many inputs and outputs")
    for i, layout in wanted.inputs.items():
        node.update_input_desc(i, laid_out(node.get_input_desc(i), layout))
    for i, layout in wanted.outputs.items():
        set_output(node, i, layout)
    if node.type != "Data":
        check_support(node)
    return node


def check_support(node: Node) -> None:
    """Ask the engine, where there is one."""
    try:
        supported, reason = GeUtils.check_node_support_on_aicore(node)
    except NotImplementedError:
        return
    if not supported:
        raise LayoutError(f"node {node.name} does not run in these layouts: {reason}")


def beside(node: Node) -> list[Node]:
    """Return the transposes at the inputs and outputs of a node."""
    above = [
        node.get_in_data_nodes_and_port_indexes(i)[0]
        for i, value in enumerate(node.operands)
        if value is not None
    ]
    below = [user for i in range(node.get_outputs_size()) for user, _ in consumers(node, i)]
    return [each for each in dict.fromkeys([*above, *below]) if each.type == "Transpose"]


def permutation(transpose: Node) -> list[int]:
    """Return the constant permutation; empty where it is not known."""
    tensor = transpose.get_input_const_tensor(1)
    if tensor is None or tensor.data_type not in (DataType.DT_INT32, DataType.DT_INT64):
        return []
    return list(tensor.get_data())


def agree(a: TensorDesc, b: TensorDesc) -> bool:
    """Whether what one description says is what another takes."""
    return a.format == b.format and list(a.shape) == list(b.shape)


def is_needless(transpose: Node) -> bool:
    """Whether a Transpose changes the layout, and all that take what it gives want it as it was before."""
    before, after = transpose.get_input_desc(0), transpose.get_output_desc(0)
    perm = PERMUTATIONS.get((layout_of(before), layout_of(after)))
    source, output = transpose.get_in_data_nodes_and_port_indexes(0)
    gives = source.get_output_desc(output)
    users = consumers(transpose, 0)
    return (
        bool(users)
        and permutation(transpose) == perm
        and can_fuse([transpose]).ok
        and all(agree(user.get_input_desc(port), gives) for user, port in users)
    )


def take_out(graph: Graph, transpose: Node, context: PassContext) -> None:
    """Remove a Transpose, and its permutation when that has no other uses."""
    report_fuse([transpose], [], context)
    source, output = transpose.get_in_data_nodes_and_port_indexes(0)
    perm, _ = transpose.get_in_data_nodes_and_port_indexes(1)
    for user, port in consumers(transpose, 0):
        desc = user.get_input_desc(port)
        graph.remove_edge(transpose, 0, user, port)
        graph.add_data_edge(source, output, user, port)
        if user.type != "NetOutput":
            user.update_input_desc(port, desc)
    graph.remove_node(transpose)
    if not consumers(perm, 0):
        graph.remove_node(perm)


def check_continuity(node: Node, going: list[Node]) -> None:
    """Check that at every edge of a node both ends say the same, but for transposes that go."""
    edges = [
        (*node.get_in_data_nodes_and_port_indexes(i), node, i)
        for i, value in enumerate(node.operands)
        if value is not None
    ]
    for output in range(node.get_outputs_size()):
        edges += [(node, output, user, port) for user, port in consumers(node, output)]
    for source, output, user, port in edges:
        if source in going or user in going:
            continue
        gives, takes = source.get_output_desc(output), user.get_input_desc(port)
        if not agree(gives, takes):
            raise LayoutError(
                f"{source.name} gives {gives.format.name} {list(gives.shape)}, and input {port} of "
                f"{user.name} takes {takes.format.name} {list(takes.shape)}"
            )


def change_attributes(node: Node, wanted: Wanted) -> None:
    """Let attributes that speak of the layout follow it."""
    layout = wanted.inputs.get(0)
    if layout is None or not node.has_attr("data_format"):
        return
    text = layout.name.removeprefix("FORMAT_")
    have = node.get_attr("data_format")
    perm = PERMUTATIONS.get((FORMATS.get(f"FORMAT_{have}", Format.FORMAT_ND), layout))
    if perm is None:
        return
    node.set_attr("data_format", text)
    for name in ("strides", "dilations"):
        if node.has_attr(name) and len(node.get_attr(name)) == len(perm):
            numbers = node.get_attr(name)
            node.set_attr(name, [numbers[i] for i in perm])


@register_fusion_pass(name="GraphNodeSettedFormatPass", stage=PassStage.AFTER_ORIGIN_GRAPH_OPTIMIZE)
class TransposeFusionPass(FusionBasePass):
    """Sets the layouts that a file asks for, and takes out the transposes that they make needless."""

    def run(self, graph: Graph, context: PassContext) -> int:
        """Do all that the file says, or nothing."""
        path = os.environ.get(ENVIRONMENT)
        if not path:
            return NOT_CHANGED
        try:
            wanted = read(path)
        except (OSError, ValueError) as error:
            context.set_error_message(f"{ENVIRONMENT}: {error}")
            return FAILED
        try:
            with graph.transaction():  # what is raised undoes everything inside
                self.apply(graph, wanted, context)
        except LayoutError as reason:
            context.remark(f"layouts are left as they were: {reason}", warning=True)
            return NOT_CHANGED
        return SUCCESS

    def apply(self, graph: Graph, wanted: list[Wanted], context: PassContext) -> None:
        """Set layouts, check that they fit together, take out transposes."""
        nodes = []
        for each in wanted:
            node = set_layouts(graph, each)
            change_attributes(node, each)
            nodes.append(node)
        around = dict.fromkeys(transpose for node in nodes for transpose in beside(node))
        going = [transpose for transpose in around if is_needless(transpose)]
        for node in nodes:
            check_continuity(node, going)
        for transpose in going:
            take_out(graph, transpose, context)


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
