# CANN's members and the text form: what they leave in it, and what dumps show.
# RUN: %PYTHON %s | FileCheck %s
from ge import ir
from ge.graph import DataType, DumpFormat, Format, Graph, Tensor, TensorDesc

graph = Graph("main")
x = graph.add_input("x", ir.TensorType(("N", 3), ir.f32))
relu = graph.add_node("ge.Relu", [x], name="relu", result_types=x.type)
add = graph.add_node("ge.Add", [relu.result], name="add", result_types=x.type)
graph.outputs = [add.result]

# CHECK-LABEL: edges
# CHECK: "ge.Add"(%[[RELU:.*]], %[[RELU]])
print("edges")
graph.add_data_edge(relu, 0, add, 1)
print(graph.dump_to_stream())

# CHECK-LABEL: attributes
# CHECK: "ge.Add"
# CHECK-SAME: dt = #ge.dtype<bf16>
# CHECK-SAME: list = array<i64: 1, 2>
# CHECK-SAME: ratio = 0.1 : f32
print("attributes")
add.set_attr("dt", DataType.DT_BF16)
add.set_attr("list", [1, 2])
add.set_attr("ratio", 0.1)
print(graph.dump_to_stream(DumpFormat.kTxt))

# CHECK-LABEL: descriptions
# CHECK: "ge.Relu"
# CHECK-SAME: -> tensor<?x3xf16, {dims = ["N", ""], format = "NCHW"}>
# CHECK: "ge.Add"
# CHECK-SAME: ge.input_desc.0
# CHECK-SAME: tensor<5xi8>
# CHECK-SAME: ge.output_desc.0.note
print("descriptions")
relu.update_output_desc(0, TensorDesc([-1, 3], Format.FORMAT_NCHW, DataType.DT_FLOAT16))
add.update_input_desc(0, TensorDesc([5], data_type=DataType.DT_INT8))
add.set_output_attr("note", 0, "text")
print(graph.dump_to_stream())

# CHECK-LABEL: subgraphs
# CHECK: "ge.Subgraphs"
# CHECK: "ge.Inner"
# CHECK: "ge.control_sink"
print("subgraphs")
sub = Graph("sub")
sub.add_node("ge.Inner", name="inner", result_types=[])
graph.add_subgraph(sub)
print(graph.dump_to_stream())

# CHECK-LABEL: removed
# CHECK-NOT: ge.Subgraphs
# CHECK: "ge.Add"(%{{.*}}, %{{.*}})
# CHECK-NOT: ge.Relu
print("removed")
graph.remove_subgraph("sub")
graph.remove_node(relu)
print(graph.dump_to_stream())

# CHECK-LABEL: tensors
# CHECK: Tensor(dense<[1.0, 2.0]> : tensor<2xf32, {format = "NHWC"}>)
# CHECK: TensorDesc(shape=[2], format=FORMAT_NHWC, data_type=DT_FLOAT)
print("tensors")
tensor = Tensor([1.0, 2.0], data_type=DataType.DT_FLOAT, format=Format.FORMAT_NHWC)
print(repr(tensor))
print(tensor.get_tensor_desc())

# CHECK-LABEL: errors
# CHECK: Failed to get attribute 'k' from Node: node 'add' (ge.Add) has none of that name
# CHECK: node 'relu' (ge.Relu) was erased
print("errors")
for call in (lambda: add.get_attr("k"), lambda: relu.get_inputs_size()):
    try:
        call()
    except RuntimeError as error:
        print(error)
