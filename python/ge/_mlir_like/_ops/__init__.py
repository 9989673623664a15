"""The parts of ge.ops that are written in Python."""

from .._foreign import (
    InstalledInferrer,
    OpCall,
    add_inferrer,
    evaluate_operator,
    evaluator,
    inferrer_uses,
    use_evaluator,
)
from ._constants import constant_tensor
from ._define import op
from ._errors import BindError, OpSchemaError
from ._reg_op import ImportedOps, import_reg_op
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
    "ImportedOps",
    "InstalledInferrer",
    "OpCall",
    "OpDesc",
    "OpProto",
    "OpSchemaError",
    "ResultDesc",
    "SlotProto",
    "SubgraphDesc",
    "add_inferrer",
    "constant_tensor",
    "evaluate_operator",
    "evaluator",
    "from_desc",
    "import_reg_op",
    "inferrer_uses",
    "op",
    "proto",
    "proto_from_dict",
    "strict",
    "to_desc",
    "use_evaluator",
]
