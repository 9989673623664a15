"""`Operator`, what ``parse_node`` of an ONNX plugin gets."""

__all__ = ["Operator"]


class Operator:
    """What ``parse_node`` of an ONNX plugin gets. Only annotations can use it: there are no plugins yet.

    Raises
    ------
    RuntimeError
        Always.
    """

    def __init__(self) -> None:
        raise RuntimeError("Operator is only valid inside parse_node")
