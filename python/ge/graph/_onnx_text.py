"""CANN's dump of a graph as the text of an ONNX model: ``DumpFormat.kOnnx``."""

from .._mlir_like._providers import provider
from ..ir import Graph, Module

__all__ = ["onnx_text"]


def onnx_text(graph: Graph) -> str:
    """Return a model with the graph, which goes into its module, in protobuf's text format.

    Raises
    ------
    ImportError
        If the package ``onnx`` is not there.
    ModelError
        If ONNX cannot express something.
    """
    try:
        from google.protobuf import text_format
        from onnx import ModelProto
    except ImportError as error:
        raise ImportError(
            "DumpFormat.kOnnx needs the package onnx; kTxt and kReadable do not"
        ) from error
    module = Module(context=graph.context)
    module.add_graph(graph)
    model: ModelProto = provider("onnx proto")(module)
    text: str = text_format.MessageToString(model)
    return text
