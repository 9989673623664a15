"""The operator registry: records, the schema language, libraries, look-ups.

``ge.ops.get("onnx::Conv")`` is the record of an operator, `OpDef`, from which everything else is derived:
the graph-building functions of ``ge.es``, binding, inference, docs and stubs. `Library` and `op` add operators.
"""

from .._foreign import (
    InstalledEvaluator,
    InstalledInferrer,
    OpCall,
    add_evaluator,
    add_inferrer,
    evaluate_operator,
    evaluator,
    inferrer_uses,
    use_evaluator,
)
from .._mlir_like import _cext_loader
from ._call import Operator, call, function, functions, init_api, invoke
from ._constants import constant_tensor
from ._decompose import decomposition, is_decomposed
from ._define import op
from ._errors import BindError, KernelError, OpSchemaError
from ._export import TorchExport, export_torch, to_tvm_ffi
from ._faces import register_object
from ._kernels import Kernel, decomposed_operators, kernel, kernels
from ._load import load_library
from ._objects import Object, classes
from ._op_view import OpView, register_view
from ._opcheck import OpCheckError, opcheck
from ._range import Range
from ._reg_op import ImportedOps, import_reg_op
from ._run import run
from ._strict import strict
from ._value_casters import ValueView, cast_value, register_value_caster
from ._views import (
    AttributeProto,
    KernelProto,
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
    "InstalledEvaluator",
    "InstalledInferrer",
    "Kernel",
    "KernelError",
    "KernelProto",
    "Object",
    "OpCall",
    "OpCheckError",
    "OpDesc",
    "OpProto",
    "OpSchemaError",
    "OpView",
    "Operator",
    "Range",
    "ResultDesc",
    "SlotProto",
    "SubgraphDesc",
    "TorchExport",
    "ValueView",
    "add_evaluator",
    "add_inferrer",
    "call",
    "cast_value",
    "classes",
    "constant_tensor",
    "decomposed_operators",
    "decomposition",
    "evaluate_operator",
    "evaluator",
    "export_torch",
    "from_desc",
    "function",
    "functions",
    "import_reg_op",
    "inferrer_uses",
    "init_api",
    "invoke",
    "is_decomposed",
    "kernel",
    "kernels",
    "load_library",
    "op",
    "opcheck",
    "proto",
    "proto_from_dict",
    "register_object",
    "register_value_caster",
    "register_view",
    "run",
    "strict",
    "to_desc",
    "to_tvm_ffi",
    "use_evaluator",
]

_native = _cext_loader.load("ops")
_public = {n: v for n, v in vars(_native).items() if n[0] != "_" and n not in globals()}
globals().update(_public)
__all__ += list(_public)
__all__.sort()
