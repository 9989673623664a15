"""The parts of ge.ops that are written in Python."""

from ._define import op
from ._errors import BindError, OpSchemaError
from ._reg_op import import_reg_op
from ._strict import strict
from ._views import (
    AttributeProto,
    OpDesc,
    OpProto,
    ResultDesc,
    SlotProto,
    SubgraphDesc,
    from_desc,
    proto,
    proto_from_dict,
    to_desc,
)

__all__ = [
    "AttributeProto",
    "BindError",
    "OpDesc",
    "OpProto",
    "OpSchemaError",
    "ResultDesc",
    "SlotProto",
    "SubgraphDesc",
    "from_desc",
    "import_reg_op",
    "op",
    "proto",
    "proto_from_dict",
    "strict",
    "to_desc",
]
