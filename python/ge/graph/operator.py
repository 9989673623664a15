"""`Operator`, what ``parse_node`` of an ONNX plugin gets."""

__all__ = ["Operator"]


class Operator:
    """The argument of ``parse_node`` of an ONNX plugin. Only for annotations, because ONNX plugins are not supported.

    Raises
    ------
    RuntimeError
        Always.
    """

    def __init__(self) -> None:
        raise RuntimeError("Operator is only valid inside parse_node")
