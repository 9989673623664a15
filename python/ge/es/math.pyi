# Written by scripts/gen_es_stubs.py from the records; not to be edited.
"""Graph-building functions of the operators of 'math'."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from ..graph import DataType
from ..graph import Graph as _GeGraph
from ..ir import DType, Graph, InsertionPoint, Location, Node, Tensor, Type, Value
from ._namespace import Namespace
from .graph_builder import GraphBuilder
from .tensor_holder import TensorHolder

_V = TypeVar("_V", Value, TensorHolder)
_GeOperand: TypeAlias = TensorHolder | _Operand

class _Array(Protocol):
    @property
    def __array__(self) -> Callable[..., Any]: ...

_Literal: TypeAlias = complex | str | Sequence[Any] | Tensor | _Array
_Operand: TypeAlias = Value | Node | _Literal
_Types: TypeAlias = Type | Sequence[Type | None] | None
_Body: TypeAlias = Graph | _GeGraph | Callable[..., Any]

opset: int | None

def at(version: int) -> Namespace: ...

from .nn import (
    AdaptiveAvgPool2d as AdaptiveAvgPool2d,
    AdaptiveMaxPool2d as AdaptiveMaxPool2d,
    AddLayerNorm as AddLayerNorm,
    AddRmsNorm as AddRmsNorm,
    AscendAntiQuant as AscendAntiQuant,
    AscendDequant as AscendDequant,
    AscendDequantS16 as AscendDequantS16,
    AscendQuant as AscendQuant,
    AscendQuantV2 as AscendQuantV2,
    AscendRequant as AscendRequant,
    AscendRequantS16 as AscendRequantS16,
    AvgPool as AvgPool,
    AvgPool1D as AvgPool1D,
    AvgPool3D as AvgPool3D,
    AvgPoolGrad as AvgPoolGrad,
    AvgPoolV2 as AvgPoolV2,
    BNInfer as BNInfer,
    BNInference as BNInference,
    BNLL as BNLL,
    BatchMatMul as BatchMatMul,
    BatchMatMulV2 as BatchMatMulV2,
    BatchMatMulV3 as BatchMatMulV3,
    BatchNorm as BatchNorm,
    BatchNorm3D as BatchNorm3D,
    BatchNormGrad as BatchNormGrad,
    BiasAdd as BiasAdd,
    BinaryCrossEntropy as BinaryCrossEntropy,
    Celu as Celu,
    CeluV2 as CeluV2,
    Conv2D as Conv2D,
    Conv2DBackpropFilter as Conv2DBackpropFilter,
    Conv2DBackpropInput as Conv2DBackpropInput,
    Conv2DTranspose as Conv2DTranspose,
    Conv2DV2 as Conv2DV2,
    Conv3D as Conv3D,
    Conv3DBackpropInput as Conv3DBackpropInput,
    Conv3DTranspose as Conv3DTranspose,
    Deconvolution as Deconvolution,
    DeformableConv2D as DeformableConv2D,
    DepthwiseConv2D as DepthwiseConv2D,
    Dequantize as Dequantize,
    Dilation2D as Dilation2D,
    DropOutDoMask as DropOutDoMask,
    DynamicQuant as DynamicQuant,
    Elu as Elu,
    EluGrad as EluGrad,
    FakeQuantWithMinMaxVars as FakeQuantWithMinMaxVars,
    FastGelu as FastGelu,
    FastGeluGrad as FastGeluGrad,
    FastGeluV2 as FastGeluV2,
    FullyConnection as FullyConnection,
    Gather as Gather,
    GatherElements as GatherElements,
    GatherNd as GatherNd,
    GatherV2 as GatherV2,
    GatherV2D as GatherV2D,
    Gelu as Gelu,
    GeluGrad as GeluGrad,
    GeluV2 as GeluV2,
    GlobalAveragePool as GlobalAveragePool,
    GroupNorm as GroupNorm,
    GroupNormSilu as GroupNormSilu,
    GroupedMatmulFinalizeRouting as GroupedMatmulFinalizeRouting,
    HardShrink as HardShrink,
    HardSigmoid as HardSigmoid,
    HardSwish as HardSwish,
    HardSwishGrad as HardSwishGrad,
    HcomAllGather as HcomAllGather,
    HcomAllReduce as HcomAllReduce,
    HcomBroadcast as HcomBroadcast,
    HcomReceive as HcomReceive,
    HcomReduce as HcomReduce,
    HcomReduceScatter as HcomReduceScatter,
    HcomSend as HcomSend,
    INInferV2 as INInferV2,
    Index as Index,
    InstanceNorm as InstanceNorm,
    KLDiv as KLDiv,
    L2Normalize as L2Normalize,
    LRN as LRN,
    LayerNorm as LayerNorm,
    LayerNormGrad as LayerNormGrad,
    LayerNormV3 as LayerNormV3,
    LayerNormV4 as LayerNormV4,
    LeakyRelu as LeakyRelu,
    LeakyReluGrad as LeakyReluGrad,
    LogSigmoid as LogSigmoid,
    LogSoftmaxGrad as LogSoftmaxGrad,
    LogSoftmaxV2 as LogSoftmaxV2,
    MVN as MVN,
    MVNV2 as MVNV2,
    MatMulV2 as MatMulV2,
    MatMulV3 as MatMulV3,
    MaxPool as MaxPool,
    MaxPool3D as MaxPool3D,
    MaxPool3DWithArgmax as MaxPool3DWithArgmax,
    MaxPoolGrad as MaxPoolGrad,
    MaxPoolV2 as MaxPoolV2,
    MaxPoolV3 as MaxPoolV3,
    MaxPoolV3Grad as MaxPoolV3Grad,
    MaxPoolWithArgmax as MaxPoolWithArgmax,
    MaxPoolWithArgmaxV2 as MaxPoolWithArgmaxV2,
    Mish as Mish,
    MishGrad as MishGrad,
    MoeGatingTopKSoftmax as MoeGatingTopKSoftmax,
    MseLoss as MseLoss,
    NLLLoss as NLLLoss,
    NonMaxSuppressionV3 as NonMaxSuppressionV3,
    NonMaxSuppressionV6 as NonMaxSuppressionV6,
    Normalize as Normalize,
    PRelu as PRelu,
    PReluGrad as PReluGrad,
    Pooling as Pooling,
    PromptFlashAttention as PromptFlashAttention,
    QuantBatchMatmulV3 as QuantBatchMatmulV3,
    Quantize as Quantize,
    Relu as Relu,
    Relu6 as Relu6,
    Relu6Grad as Relu6Grad,
    ReluGrad as ReluGrad,
    ReluGradV2 as ReluGradV2,
    ReluV2 as ReluV2,
    Renorm as Renorm,
    Resize as Resize,
    ResizeBilinearV2 as ResizeBilinearV2,
    ResizeNearestNeighborV2 as ResizeNearestNeighborV2,
    RmsNorm as RmsNorm,
    Scale as Scale,
    ScatterAdd as ScatterAdd,
    ScatterDiv as ScatterDiv,
    ScatterElements as ScatterElements,
    ScatterMax as ScatterMax,
    ScatterMin as ScatterMin,
    ScatterMul as ScatterMul,
    ScatterNd as ScatterNd,
    ScatterNdAdd as ScatterNdAdd,
    ScatterNdSub as ScatterNdSub,
    ScatterNdUpdate as ScatterNdUpdate,
    ScatterSub as ScatterSub,
    ScatterUpdate as ScatterUpdate,
    Selu as Selu,
    SeluGrad as SeluGrad,
    Sigmoid as Sigmoid,
    SigmoidCrossEntropyWithLogits as SigmoidCrossEntropyWithLogits,
    SigmoidCrossEntropyWithLogitsV2 as SigmoidCrossEntropyWithLogitsV2,
    SigmoidGrad as SigmoidGrad,
    SmoothL1Loss as SmoothL1Loss,
    SoftShrink as SoftShrink,
    SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits,
    SoftmaxGrad as SoftmaxGrad,
    SoftmaxV2 as SoftmaxV2,
    Softplus as Softplus,
    SoftplusGrad as SoftplusGrad,
    SoftplusV2 as SoftplusV2,
    Softsign as Softsign,
    SoftsignGrad as SoftsignGrad,
    SparseSoftmaxCrossEntropyWithLogits as SparseSoftmaxCrossEntropyWithLogits,
    SwiGlu as SwiGlu,
    Swish as Swish,
    SwishGrad as SwishGrad,
    Tanh as Tanh,
    TanhGrad as TanhGrad,
    TensorScatterAdd as TensorScatterAdd,
    TensorScatterSub as TensorScatterSub,
    TensorScatterUpdate as TensorScatterUpdate,
    Threshold as Threshold,
    ThresholdedRelu as ThresholdedRelu,
    TransQuantParamV2 as TransQuantParamV2,
)

@overload
def Abs(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Abs(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AccumulateNV2(
    x: Sequence[TensorHolder | float],
    *,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AccumulateNV2(
    x: Sequence[_Operand],
    *,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Acos(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Acos(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Acosh(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Acosh(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Add(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Add(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Add(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AddN(
    x: Sequence[TensorHolder | float],
    *,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AddN(
    x: Sequence[_Operand],
    *,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Addcdiv(
    input_data: TensorHolder,
    x1: _GeOperand,
    x2: _GeOperand,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Addcdiv(
    input_data: _GeOperand,
    x1: TensorHolder,
    x2: _GeOperand,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Addcdiv(
    input_data: _GeOperand,
    x1: _GeOperand,
    x2: TensorHolder,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Addcdiv(
    input_data: _Operand,
    x1: _Operand,
    x2: _Operand,
    value: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Addcmul(
    input_data: TensorHolder,
    x1: _GeOperand,
    x2: _GeOperand,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Addcmul(
    input_data: _GeOperand,
    x1: TensorHolder,
    x2: _GeOperand,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Addcmul(
    input_data: _GeOperand,
    x1: _GeOperand,
    x2: TensorHolder,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Addcmul(
    input_data: _Operand,
    x1: _Operand,
    x2: _Operand,
    value: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Adds(
    x: TensorHolder,
    *,
    value: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Adds(
    x: _Operand,
    *,
    value: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ApproximateEqual(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    tolerance: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ApproximateEqual(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    tolerance: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ApproximateEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    tolerance: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ArgMaxV2(
    x: TensorHolder,
    dimension: _GeOperand,
    *,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ArgMaxV2(
    x: _GeOperand,
    dimension: TensorHolder,
    *,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ArgMaxV2(
    x: _Operand,
    dimension: _Operand,
    *,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class ArgMaxWithValueOutput(NamedTuple, Generic[_V]):
    indice: _V
    values: _V

@overload
def ArgMaxWithValue(
    x: TensorHolder,
    *,
    dimension: int,
    keep_dims: bool = ...,
    indice_dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ArgMaxWithValueOutput[TensorHolder]: ...
@overload
def ArgMaxWithValue(
    x: _Operand,
    *,
    dimension: int,
    keep_dims: bool = ...,
    indice_dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ArgMaxWithValueOutput[Value]: ...
@overload
def ArgMin(
    x: TensorHolder,
    dimension: _GeOperand,
    *,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ArgMin(
    x: _GeOperand,
    dimension: TensorHolder,
    *,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ArgMin(
    x: _Operand,
    dimension: _Operand,
    *,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class ArgMinWithValueOutput(NamedTuple, Generic[_V]):
    indice: _V
    values: _V

@overload
def ArgMinWithValue(
    x: TensorHolder,
    *,
    dimension: int,
    keep_dims: bool = ...,
    indice_dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ArgMinWithValueOutput[TensorHolder]: ...
@overload
def ArgMinWithValue(
    x: _Operand,
    *,
    dimension: int,
    keep_dims: bool = ...,
    indice_dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ArgMinWithValueOutput[Value]: ...
@overload
def Asin(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Asin(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Asinh(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Asinh(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Assign(
    ref: TensorHolder,
    value: _GeOperand,
    *,
    validate_shape: bool = ...,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Assign(
    ref: _GeOperand,
    value: TensorHolder,
    *,
    validate_shape: bool = ...,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Assign(
    ref: _Operand,
    value: _Operand,
    *,
    validate_shape: bool = ...,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AssignAdd(
    ref: TensorHolder,
    value: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AssignAdd(
    ref: _GeOperand,
    value: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AssignAdd(
    ref: _Operand,
    value: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AssignSub(
    var: TensorHolder,
    value: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AssignSub(
    var: _GeOperand,
    value: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AssignSub(
    var: _Operand,
    value: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Atan(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Atan(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Atan2(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Atan2(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Atan2(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Atanh(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Atanh(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Axpy(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    alpha: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Axpy(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    alpha: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Axpy(
    x1: _Operand,
    x2: _Operand,
    *,
    alpha: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AxpyV2(
    x1: TensorHolder,
    x2: _GeOperand,
    alpha: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AxpyV2(
    x1: _GeOperand,
    x2: TensorHolder,
    alpha: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AxpyV2(
    x1: _GeOperand,
    x2: _GeOperand,
    alpha: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AxpyV2(
    x1: _Operand,
    x2: _Operand,
    alpha: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BatchToSpace(
    x: TensorHolder,
    crops: _GeOperand,
    *,
    block_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchToSpace(
    x: _GeOperand,
    crops: TensorHolder,
    *,
    block_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchToSpace(
    x: _Operand,
    crops: _Operand,
    *,
    block_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BatchToSpaceND(
    x: TensorHolder,
    block_shape: _GeOperand,
    crops: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchToSpaceND(
    x: _GeOperand,
    block_shape: TensorHolder,
    crops: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchToSpaceND(
    x: _GeOperand,
    block_shape: _GeOperand,
    crops: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchToSpaceND(
    x: _Operand,
    block_shape: _Operand,
    crops: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Bitcast(
    x: TensorHolder,
    *,
    type: DType | DataType | str,
    keep_dim: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Bitcast(
    x: _Operand,
    *,
    type: DType | DataType | str,
    keep_dim: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BitwiseAnd(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BitwiseAnd(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BitwiseAnd(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BitwiseOr(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BitwiseOr(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BitwiseOr(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BitwiseXor(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BitwiseXor(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BitwiseXor(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BroadcastArgs(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BroadcastArgs(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BroadcastArgs(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class BroadcastGradientArgsOutput(NamedTuple, Generic[_V]):
    y1: _V
    y2: _V

@overload
def BroadcastGradientArgs(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BroadcastGradientArgsOutput[TensorHolder]: ...
@overload
def BroadcastGradientArgs(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BroadcastGradientArgsOutput[TensorHolder]: ...
@overload
def BroadcastGradientArgs(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BroadcastGradientArgsOutput[Value]: ...
@overload
def BroadcastTo(
    x: TensorHolder,
    shape: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BroadcastTo(
    x: _GeOperand,
    shape: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BroadcastTo(
    x: _Operand,
    shape: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BroadcastToD(
    x: TensorHolder,
    *,
    shape: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BroadcastToD(
    x: _Operand,
    *,
    shape: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Case(
    branch_index: TensorHolder,
    input: Sequence[_GeOperand],
    output_num: int,
    branches: Sequence[_Body],
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def Case(
    branch_index: _GeOperand,
    input: Sequence[TensorHolder | float],
    output_num: int,
    branches: Sequence[_Body],
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def Case(
    branch_index: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    branches: Sequence[_Body],
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def Cast(
    x: TensorHolder,
    *,
    dst_type: int | DType,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cast(
    x: _Operand,
    *,
    dst_type: int | DType,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Ceil(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Ceil(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def CheckNumerics(
    x: TensorHolder,
    *,
    message: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def CheckNumerics(
    x: _Operand,
    *,
    message: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ClipByValue(
    x: TensorHolder,
    clip_value_min: _GeOperand,
    clip_value_max: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ClipByValue(
    x: _GeOperand,
    clip_value_min: TensorHolder,
    clip_value_max: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ClipByValue(
    x: _GeOperand,
    clip_value_min: _GeOperand,
    clip_value_max: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ClipByValue(
    x: _Operand,
    clip_value_min: _Operand,
    clip_value_max: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Concat(
    concat_dim: TensorHolder,
    x: Sequence[_GeOperand],
    *,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Concat(
    concat_dim: _GeOperand,
    x: Sequence[TensorHolder | float],
    *,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Concat(
    concat_dim: _Operand,
    x: Sequence[_Operand],
    *,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ConcatD(
    x: Sequence[TensorHolder | float],
    *,
    concat_dim: int,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ConcatD(
    x: Sequence[_Operand],
    *,
    concat_dim: int,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ConcatOffset(
    concat_dim: TensorHolder,
    x: Sequence[_GeOperand],
    y_num: int,
    *,
    N: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def ConcatOffset(
    concat_dim: _GeOperand,
    x: Sequence[TensorHolder | float],
    y_num: int,
    *,
    N: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def ConcatOffset(
    concat_dim: _Operand,
    x: Sequence[_Operand],
    y_num: int,
    *,
    N: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def ConcatV2(
    x: Sequence[TensorHolder | float],
    concat_dim: _GeOperand,
    *,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ConcatV2(
    x: Sequence[_GeOperand],
    concat_dim: TensorHolder,
    *,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ConcatV2(
    x: Sequence[_Operand],
    concat_dim: _Operand,
    *,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ConcatV2D(
    x: Sequence[TensorHolder | float],
    *,
    concat_dim: int,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ConcatV2D(
    x: Sequence[_Operand],
    *,
    concat_dim: int,
    N: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ConfusionTransposeD(
    x: TensorHolder,
    *,
    perm: Sequence[int],
    shape: Sequence[int],
    transpose_first: bool,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ConfusionTransposeD(
    x: _Operand,
    *,
    perm: Sequence[int],
    shape: Sequence[int],
    transpose_first: bool,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Const(
    owner_graph_builder: GraphBuilder,
    *,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Const(
    *,
    owner_builder: GraphBuilder,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Const(
    *,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Constant(
    owner_graph_builder: GraphBuilder,
    *,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Constant(
    *,
    owner_builder: GraphBuilder,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Constant(
    *,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ControlTrigger(
    owner_graph_builder: GraphBuilder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def ControlTrigger(
    *,
    owner_builder: GraphBuilder,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def ControlTrigger(
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def Cos(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cos(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Cosh(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cosh(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Cross(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cross(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cross(
    x1: _Operand,
    x2: _Operand,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Cumprod(
    x: TensorHolder,
    axis: _GeOperand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cumprod(
    x: _GeOperand,
    axis: TensorHolder,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cumprod(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Cumsum(
    x: TensorHolder,
    axis: _GeOperand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cumsum(
    x: _GeOperand,
    axis: TensorHolder,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Cumsum(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def CumsumD(
    x: TensorHolder,
    *,
    axis: int,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def CumsumD(
    x: _Operand,
    *,
    axis: int,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def CumulativeLogsumexp(
    x: TensorHolder,
    axis: _GeOperand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def CumulativeLogsumexp(
    x: _GeOperand,
    axis: TensorHolder,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def CumulativeLogsumexp(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Data(
    x: TensorHolder,
    *,
    index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Data(
    x: _GeOperand | None = ...,
    *,
    owner_builder: GraphBuilder,
    index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Data(
    x: _Operand | None = ...,
    *,
    index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DepthToSpace(
    x: TensorHolder,
    *,
    block_size: int,
    mode: str = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DepthToSpace(
    x: _Operand,
    *,
    block_size: int,
    mode: str = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Diag(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Diag(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DiagPart(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DiagPart(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Digamma(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Digamma(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Div(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Div(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Div(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DivNoNan(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DivNoNan(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DivNoNan(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DropOutGenMask(
    shape: TensorHolder,
    prob: _GeOperand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DropOutGenMask(
    shape: _GeOperand,
    prob: TensorHolder,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DropOutGenMask(
    shape: _Operand,
    prob: _Operand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Einsum(
    x: Sequence[TensorHolder | float],
    *,
    equation: str,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Einsum(
    x: Sequence[_Operand],
    *,
    equation: str,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Eltwise(
    x: Sequence[TensorHolder | float],
    *,
    N: int,
    mode: int = ...,
    coeff: Sequence[float] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Eltwise(
    x: Sequence[_Operand],
    *,
    N: int,
    mode: int = ...,
    coeff: Sequence[float] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Enter(
    x: TensorHolder,
    *,
    frame_name: str,
    is_constant: bool,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Enter(
    x: _Operand,
    *,
    frame_name: str,
    is_constant: bool,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Equal(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Equal(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Equal(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Erf(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Erf(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Erfc(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Erfc(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Erfinv(
    input_x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Erfinv(
    input_x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def EuclideanNorm(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def EuclideanNorm(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def EuclideanNorm(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Exit(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Exit(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Exp(
    x: TensorHolder,
    *,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Exp(
    x: _Operand,
    *,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Expand(
    x: TensorHolder,
    shape: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Expand(
    x: _GeOperand,
    shape: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Expand(
    x: _Operand,
    shape: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ExpandD(
    x: TensorHolder,
    *,
    shape: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ExpandD(
    x: _Operand,
    *,
    shape: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ExpandDims(
    x: TensorHolder,
    axis: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ExpandDims(
    x: _GeOperand,
    axis: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ExpandDims(
    x: _Operand,
    axis: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Expm1(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Expm1(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Eye(
    owner_graph_builder: GraphBuilder,
    *,
    num_rows: int,
    num_columns: int = ...,
    batch_shape: Sequence[int] = ...,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Eye(
    *,
    owner_builder: GraphBuilder,
    num_rows: int,
    num_columns: int = ...,
    batch_shape: Sequence[int] = ...,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Eye(
    *,
    num_rows: int,
    num_columns: int = ...,
    batch_shape: Sequence[int] = ...,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FileConstant(
    owner_graph_builder: GraphBuilder,
    *,
    file_path: str = ...,
    file_id: str = ...,
    shape: Sequence[int],
    dtype: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FileConstant(
    *,
    owner_builder: GraphBuilder,
    file_path: str = ...,
    file_id: str = ...,
    shape: Sequence[int],
    dtype: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FileConstant(
    *,
    file_path: str = ...,
    file_id: str = ...,
    shape: Sequence[int],
    dtype: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Fill(
    dims: TensorHolder,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Fill(
    dims: _GeOperand,
    value: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Fill(
    dims: _Operand,
    value: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FillD(
    value: TensorHolder,
    *,
    dims: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FillD(
    value: _Operand,
    *,
    dims: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Flatten(
    x: TensorHolder,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Flatten(
    x: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FlattenV2(
    x: TensorHolder,
    *,
    axis: int = ...,
    end_axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FlattenV2(
    x: _Operand,
    *,
    axis: int = ...,
    end_axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Floor(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Floor(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FloorDiv(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FloorDiv(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FloorDiv(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FloorMod(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FloorMod(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FloorMod(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def For(
    start: TensorHolder,
    limit: _GeOperand,
    delta: _GeOperand,
    input: Sequence[_GeOperand],
    output_num: int,
    body: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def For(
    start: _GeOperand,
    limit: TensorHolder,
    delta: _GeOperand,
    input: Sequence[_GeOperand],
    output_num: int,
    body: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def For(
    start: _GeOperand,
    limit: _GeOperand,
    delta: TensorHolder,
    input: Sequence[_GeOperand],
    output_num: int,
    body: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def For(
    start: _Operand,
    limit: _Operand,
    delta: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    body: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def GEMM(
    a: TensorHolder,
    b: _GeOperand,
    c: _GeOperand,
    alpha: _GeOperand,
    beta: _GeOperand,
    *,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GEMM(
    a: _GeOperand,
    b: TensorHolder,
    c: _GeOperand,
    alpha: _GeOperand,
    beta: _GeOperand,
    *,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GEMM(
    a: _GeOperand,
    b: _GeOperand,
    c: TensorHolder,
    alpha: _GeOperand,
    beta: _GeOperand,
    *,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GEMM(
    a: _Operand,
    b: _Operand,
    c: _Operand,
    alpha: _Operand,
    beta: _Operand,
    *,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Greater(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Greater(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Greater(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GreaterEqual(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GreaterEqual(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GreaterEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Identity(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Identity(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def IdentityN(
    x: Sequence[TensorHolder | float],
    y_num: int,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def IdentityN(
    x: Sequence[_Operand],
    y_num: int,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def If(
    cond: TensorHolder,
    input: Sequence[_GeOperand],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def If(
    cond: _GeOperand,
    input: Sequence[TensorHolder | float],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def If(
    cond: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def InTopK(
    x1: TensorHolder,
    x2: _GeOperand,
    k: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def InTopK(
    x1: _GeOperand,
    x2: TensorHolder,
    k: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def InTopK(
    x1: _GeOperand,
    x2: _GeOperand,
    k: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def InTopK(
    x1: _Operand,
    x2: _Operand,
    k: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Inv(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Inv(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Invert(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Invert(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def InvertPermutation(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def InvertPermutation(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def IsFinite(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def IsFinite(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def IsInf(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def IsInf(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def IsNan(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def IsNan(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def L2Loss(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def L2Loss(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LeftShift(
    x: TensorHolder,
    y: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LeftShift(
    x: _GeOperand,
    y: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LeftShift(
    x: _Operand,
    y: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Lerp(
    start: TensorHolder,
    end: _GeOperand,
    weight: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Lerp(
    start: _GeOperand,
    end: TensorHolder,
    weight: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Lerp(
    start: _GeOperand,
    end: _GeOperand,
    weight: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Lerp(
    start: _Operand,
    end: _Operand,
    weight: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Less(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Less(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Less(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LessEqual(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LessEqual(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LessEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Lgamma(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Lgamma(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LinSpace(
    start: TensorHolder,
    stop: _GeOperand,
    num: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LinSpace(
    start: _GeOperand,
    stop: TensorHolder,
    num: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LinSpace(
    start: _GeOperand,
    stop: _GeOperand,
    num: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LinSpace(
    start: _Operand,
    stop: _Operand,
    num: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Log(
    x: TensorHolder,
    *,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Log(
    x: _Operand,
    *,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Log1p(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Log1p(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LogicalAnd(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogicalAnd(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogicalAnd(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LogicalNot(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogicalNot(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LogicalOr(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogicalOr(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogicalOr(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LoopCond(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LoopCond(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LpNorm(
    x: TensorHolder,
    *,
    p: int = ...,
    axes: Sequence[int] = ...,
    keepdim: bool = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LpNorm(
    x: _Operand,
    *,
    p: int = ...,
    axes: Sequence[int] = ...,
    keepdim: bool = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaskedFill(
    x: TensorHolder,
    mask: _GeOperand,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaskedFill(
    x: _GeOperand,
    mask: TensorHolder,
    value: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaskedFill(
    x: _GeOperand,
    mask: _GeOperand,
    value: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaskedFill(
    x: _Operand,
    mask: _Operand,
    value: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaskedSelect(
    x: TensorHolder,
    mask: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaskedSelect(
    x: _GeOperand,
    mask: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaskedSelect(
    x: _Operand,
    mask: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatMul(
    x1: TensorHolder,
    x2: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatMul(
    x1: _GeOperand,
    x2: TensorHolder,
    bias: _GeOperand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatMul(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatrixBandPart(
    x: TensorHolder,
    num_lower: _GeOperand,
    num_upper: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixBandPart(
    x: _GeOperand,
    num_lower: TensorHolder,
    num_upper: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixBandPart(
    x: _GeOperand,
    num_lower: _GeOperand,
    num_upper: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixBandPart(
    x: _Operand,
    num_lower: _Operand,
    num_upper: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatrixDiag(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixDiag(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatrixDiagPart(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixDiagPart(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatrixSetDiag(
    x: TensorHolder,
    diagonal: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixSetDiag(
    x: _GeOperand,
    diagonal: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatrixSetDiag(
    x: _Operand,
    diagonal: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Maximum(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Maximum(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Maximum(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class MergeOutput(NamedTuple, Generic[_V]):
    y: _V
    value_index: _V

@overload
def Merge(
    x: Sequence[TensorHolder | float],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MergeOutput[TensorHolder]: ...
@overload
def Merge(
    x: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MergeOutput[Value]: ...
@overload
def Minimum(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Minimum(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Minimum(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MirrorPad(
    x: TensorHolder,
    paddings: _GeOperand,
    *,
    mode: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MirrorPad(
    x: _GeOperand,
    paddings: TensorHolder,
    *,
    mode: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MirrorPad(
    x: _Operand,
    paddings: _Operand,
    *,
    mode: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Mod(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Mod(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Mod(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Mul(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Mul(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Mul(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MulNoNan(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MulNoNan(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MulNoNan(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Muls(
    x: TensorHolder,
    *,
    value: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Muls(
    x: _Operand,
    *,
    value: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Neg(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Neg(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def NetOutput(
    x: Sequence[TensorHolder | float],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def NetOutput(
    x: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def NextIteration(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NextIteration(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def NoOp(
    owner_graph_builder: GraphBuilder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def NoOp(
    *,
    owner_builder: GraphBuilder,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def NoOp(
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def NonZero(
    x: TensorHolder,
    *,
    transpose: bool = ...,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NonZero(
    x: _Operand,
    *,
    transpose: bool = ...,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def NotEqual(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NotEqual(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NotEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def OneHot(
    x: TensorHolder,
    depth: _GeOperand,
    on_value: _GeOperand,
    off_value: _GeOperand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OneHot(
    x: _GeOperand,
    depth: TensorHolder,
    on_value: _GeOperand,
    off_value: _GeOperand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OneHot(
    x: _GeOperand,
    depth: _GeOperand,
    on_value: TensorHolder,
    off_value: _GeOperand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OneHot(
    x: _Operand,
    depth: _Operand,
    on_value: _Operand,
    off_value: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def OneHotD(
    x: TensorHolder,
    on_value: _GeOperand,
    off_value: _GeOperand,
    *,
    depth: int,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OneHotD(
    x: _GeOperand,
    on_value: TensorHolder,
    off_value: _GeOperand,
    *,
    depth: int,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OneHotD(
    x: _GeOperand,
    on_value: _GeOperand,
    off_value: TensorHolder,
    *,
    depth: int,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OneHotD(
    x: _Operand,
    on_value: _Operand,
    off_value: _Operand,
    *,
    depth: int,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def OnesLike(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def OnesLike(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Pack(
    x: Sequence[TensorHolder | float],
    *,
    axis: int = ...,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Pack(
    x: Sequence[_Operand],
    *,
    axis: int = ...,
    N: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Pad(
    x: TensorHolder,
    paddings: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Pad(
    x: _GeOperand,
    paddings: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Pad(
    x: _Operand,
    paddings: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PadD(
    x: TensorHolder,
    *,
    paddings: Sequence[Sequence[int]],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PadD(
    x: _Operand,
    *,
    paddings: Sequence[Sequence[int]],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PadV2(
    x: TensorHolder,
    paddings: _GeOperand,
    constant_values: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PadV2(
    x: _GeOperand,
    paddings: TensorHolder,
    constant_values: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PadV2(
    x: _GeOperand,
    paddings: _GeOperand,
    constant_values: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PadV2(
    x: _Operand,
    paddings: _Operand,
    constant_values: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PadV3(
    x: TensorHolder,
    paddings: _GeOperand,
    constant_values: _GeOperand | None = ...,
    *,
    mode: str = ...,
    paddings_contiguous: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PadV3(
    x: _GeOperand,
    paddings: TensorHolder,
    constant_values: _GeOperand | None = ...,
    *,
    mode: str = ...,
    paddings_contiguous: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PadV3(
    x: _Operand,
    paddings: _Operand,
    constant_values: _Operand | None = ...,
    *,
    mode: str = ...,
    paddings_contiguous: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PartitionedCall(
    args: Sequence[TensorHolder | float],
    output_num: int,
    f: _Body,
    *,
    config: str = ...,
    config_proto: str = ...,
    executor_type: str = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def PartitionedCall(
    args: Sequence[_Operand],
    output_num: int,
    f: _Body,
    *,
    config: str = ...,
    config_proto: str = ...,
    executor_type: str = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def Permute(
    x: TensorHolder,
    *,
    order: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Permute(
    x: _Operand,
    *,
    order: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PhonyConcat(
    x: Sequence[TensorHolder | float],
    *,
    concat_dim: Sequence[int],
    N: Sequence[int],
    keep_input_offset: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PhonyConcat(
    x: Sequence[_Operand],
    *,
    concat_dim: Sequence[int],
    N: Sequence[int],
    keep_input_offset: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PlaceHolder(
    x: TensorHolder,
    *,
    peerIndex: int = ...,
    parentId: str = ...,
    parentOpType: str = ...,
    anchorIndex: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PlaceHolder(
    x: _GeOperand | None = ...,
    *,
    owner_builder: GraphBuilder,
    peerIndex: int = ...,
    parentId: str = ...,
    parentOpType: str = ...,
    anchorIndex: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PlaceHolder(
    x: _Operand | None = ...,
    *,
    peerIndex: int = ...,
    parentId: str = ...,
    parentOpType: str = ...,
    anchorIndex: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Pow(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Pow(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Pow(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Power(
    x: TensorHolder,
    *,
    power: float = ...,
    scale: float = ...,
    shift: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Power(
    x: _Operand,
    *,
    power: float = ...,
    scale: float = ...,
    shift: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PreventGradient(
    x: TensorHolder,
    *,
    message: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PreventGradient(
    x: _Operand,
    *,
    message: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def RandomStandardNormal(
    shape: TensorHolder,
    *,
    dtype: DType | DataType | str,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RandomStandardNormal(
    shape: _Operand,
    *,
    dtype: DType | DataType | str,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def RandomUniform(
    shape: TensorHolder,
    *,
    dtype: DType | DataType | str,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RandomUniform(
    shape: _Operand,
    *,
    dtype: DType | DataType | str,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def RandomUniformInt(
    shape: TensorHolder,
    min: _GeOperand,
    max: _GeOperand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RandomUniformInt(
    shape: _GeOperand,
    min: TensorHolder,
    max: _GeOperand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RandomUniformInt(
    shape: _GeOperand,
    min: _GeOperand,
    max: TensorHolder,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RandomUniformInt(
    shape: _Operand,
    min: _Operand,
    max: _Operand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Range(
    start: TensorHolder,
    limit: _GeOperand,
    delta: _GeOperand,
    *,
    is_closed: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Range(
    start: _GeOperand,
    limit: TensorHolder,
    delta: _GeOperand,
    *,
    is_closed: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Range(
    start: _GeOperand,
    limit: _GeOperand,
    delta: TensorHolder,
    *,
    is_closed: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Range(
    start: _Operand,
    limit: _Operand,
    delta: _Operand,
    *,
    is_closed: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Rank(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Rank(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def RealDiv(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RealDiv(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RealDiv(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Reciprocal(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Reciprocal(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceAll(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceAll(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceAll(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceAllD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceAllD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceAny(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceAny(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceAny(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceAnyD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceAnyD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceLogSum(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceLogSum(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceLogSum(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceLogSumExp(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceLogSumExp(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceLogSumExp(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceMax(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMax(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMax(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceMaxD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMaxD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceMean(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMean(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMean(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceMeanD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMeanD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceMin(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMin(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMin(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceMinD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceMinD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceProd(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceProd(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceProd(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceProdD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceProdD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class ReduceStdOutput(NamedTuple, Generic[_V]):
    y1: _V
    y2: _V

@overload
def ReduceStd(
    x: TensorHolder,
    *,
    dim: Sequence[int] = ...,
    unbiased: bool = ...,
    keepdim: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ReduceStdOutput[TensorHolder]: ...
@overload
def ReduceStd(
    x: _Operand,
    *,
    dim: Sequence[int] = ...,
    unbiased: bool = ...,
    keepdim: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ReduceStdOutput[Value]: ...
@overload
def ReduceSum(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceSum(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceSum(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReduceSumD(
    x: TensorHolder,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReduceSumD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def RefData(
    x: TensorHolder,
    *,
    index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RefData(
    x: _GeOperand | None = ...,
    *,
    owner_builder: GraphBuilder,
    index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RefData(
    x: _Operand | None = ...,
    *,
    index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Reshape(
    x: TensorHolder,
    shape: _GeOperand,
    *,
    axis: int = ...,
    num_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Reshape(
    x: _GeOperand,
    shape: TensorHolder,
    *,
    axis: int = ...,
    num_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Reshape(
    x: _Operand,
    shape: _Operand,
    *,
    axis: int = ...,
    num_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReverseSequence(
    x: TensorHolder,
    seq_lengths: _GeOperand,
    *,
    seq_dim: int,
    batch_dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReverseSequence(
    x: _GeOperand,
    seq_lengths: TensorHolder,
    *,
    seq_dim: int,
    batch_dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReverseSequence(
    x: _Operand,
    seq_lengths: _Operand,
    *,
    seq_dim: int,
    batch_dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReverseV2(
    x: TensorHolder,
    axis: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReverseV2(
    x: _GeOperand,
    axis: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReverseV2(
    x: _Operand,
    axis: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReverseV2D(
    x: TensorHolder,
    *,
    axis: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReverseV2D(
    x: _Operand,
    *,
    axis: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def RightShift(
    x: TensorHolder,
    y: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RightShift(
    x: _GeOperand,
    y: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def RightShift(
    x: _Operand,
    y: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Rint(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Rint(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Roll(
    x: TensorHolder,
    *,
    shifts: Sequence[int],
    dims: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Roll(
    x: _Operand,
    *,
    shifts: Sequence[int],
    dims: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Round(
    x: TensorHolder,
    *,
    decimals: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Round(
    x: _Operand,
    *,
    decimals: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Rsqrt(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Rsqrt(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SegmentMax(
    x: TensorHolder,
    segment_ids: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SegmentMax(
    x: _GeOperand,
    segment_ids: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SegmentMax(
    x: _Operand,
    segment_ids: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SegmentSum(
    x: TensorHolder,
    segment_ids: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SegmentSum(
    x: _GeOperand,
    segment_ids: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SegmentSum(
    x: _Operand,
    segment_ids: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Select(
    condition: TensorHolder,
    x1: _GeOperand,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Select(
    condition: _GeOperand,
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Select(
    condition: _GeOperand,
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Select(
    condition: _Operand,
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SelectV2(
    condition: TensorHolder,
    then: _GeOperand,
    in_else: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SelectV2(
    condition: _GeOperand,
    then: TensorHolder,
    in_else: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SelectV2(
    condition: _GeOperand,
    then: _GeOperand,
    in_else: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SelectV2(
    condition: _Operand,
    then: _Operand,
    in_else: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Shape(
    x: TensorHolder,
    *,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Shape(
    x: _Operand,
    *,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ShapeN(
    x: Sequence[TensorHolder | float],
    y_num: int,
    *,
    dtype: int | DType = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def ShapeN(
    x: Sequence[_Operand],
    y_num: int,
    *,
    dtype: int | DType = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def Sign(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sign(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Sin(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sin(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Sinh(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sinh(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Size(
    x: TensorHolder,
    *,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Size(
    x: _Operand,
    *,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Slice(
    x: TensorHolder,
    offsets: _GeOperand,
    size: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Slice(
    x: _GeOperand,
    offsets: TensorHolder,
    size: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Slice(
    x: _GeOperand,
    offsets: _GeOperand,
    size: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Slice(
    x: _Operand,
    offsets: _Operand,
    size: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SliceD(
    x: TensorHolder,
    *,
    offsets: Sequence[int],
    size: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SliceD(
    x: _Operand,
    *,
    offsets: Sequence[int],
    size: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Snapshot(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Snapshot(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class SortOutput(NamedTuple, Generic[_V]):
    y1: _V
    y2: _V

@overload
def Sort(
    x: TensorHolder,
    *,
    axis: int = ...,
    descending: bool = ...,
    stable: bool = ...,
    y2_dtype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SortOutput[TensorHolder]: ...
@overload
def Sort(
    x: _Operand,
    *,
    axis: int = ...,
    descending: bool = ...,
    stable: bool = ...,
    y2_dtype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SortOutput[Value]: ...
@overload
def SpaceToBatch(
    x: TensorHolder,
    paddings: _GeOperand,
    *,
    block_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SpaceToBatch(
    x: _GeOperand,
    paddings: TensorHolder,
    *,
    block_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SpaceToBatch(
    x: _Operand,
    paddings: _Operand,
    *,
    block_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SpaceToBatchND(
    x: TensorHolder,
    block_shape: _GeOperand,
    paddings: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SpaceToBatchND(
    x: _GeOperand,
    block_shape: TensorHolder,
    paddings: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SpaceToBatchND(
    x: _GeOperand,
    block_shape: _GeOperand,
    paddings: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SpaceToBatchND(
    x: _Operand,
    block_shape: _Operand,
    paddings: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SpaceToDepth(
    x: TensorHolder,
    *,
    block_size: int,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SpaceToDepth(
    x: _Operand,
    *,
    block_size: int,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Split(
    split_dim: TensorHolder,
    x: _GeOperand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def Split(
    split_dim: _GeOperand,
    x: TensorHolder,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def Split(
    split_dim: _Operand,
    x: _Operand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def SplitD(
    x: TensorHolder,
    y_num: int,
    *,
    split_dim: int,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def SplitD(
    x: _Operand,
    y_num: int,
    *,
    split_dim: int,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def SplitV(
    x: TensorHolder,
    size_splits: _GeOperand,
    split_dim: _GeOperand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def SplitV(
    x: _GeOperand,
    size_splits: TensorHolder,
    split_dim: _GeOperand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def SplitV(
    x: _GeOperand,
    size_splits: _GeOperand,
    split_dim: TensorHolder,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def SplitV(
    x: _Operand,
    size_splits: _Operand,
    split_dim: _Operand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def SplitVD(
    x: TensorHolder,
    y_num: int,
    *,
    size_splits: Sequence[int],
    split_dim: int,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def SplitVD(
    x: _Operand,
    y_num: int,
    *,
    size_splits: Sequence[int],
    split_dim: int,
    num_split: int,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def Sqrt(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sqrt(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Square(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Square(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SquaredDifference(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SquaredDifference(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SquaredDifference(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Squeeze(
    x: TensorHolder,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Squeeze(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SqueezeV2(
    x: TensorHolder,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SqueezeV2(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SqueezeV3(
    x: TensorHolder,
    axes: _GeOperand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SqueezeV3(
    x: _Operand,
    axes: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def StatefulPartitionedCall(
    args: Sequence[TensorHolder | float],
    output_num: int,
    f: _Body,
    *,
    config: str = ...,
    config_proto: str = ...,
    executor_type: str = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def StatefulPartitionedCall(
    args: Sequence[_Operand],
    output_num: int,
    f: _Body,
    *,
    config: str = ...,
    config_proto: str = ...,
    executor_type: str = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def StatelessIf(
    cond: TensorHolder,
    input: Sequence[_GeOperand],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def StatelessIf(
    cond: _GeOperand,
    input: Sequence[TensorHolder | float],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def StatelessIf(
    cond: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def StatelessWhile(
    input: Sequence[TensorHolder | float],
    output_num: int,
    cond: _Body,
    body: _Body,
    *,
    parallel_iterations: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def StatelessWhile(
    input: Sequence[_Operand],
    output_num: int,
    cond: _Body,
    body: _Body,
    *,
    parallel_iterations: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def StopGradient(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StopGradient(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def StridedSlice(
    x: TensorHolder,
    begin: _GeOperand,
    end: _GeOperand,
    strides: _GeOperand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSlice(
    x: _GeOperand,
    begin: TensorHolder,
    end: _GeOperand,
    strides: _GeOperand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSlice(
    x: _GeOperand,
    begin: _GeOperand,
    end: TensorHolder,
    strides: _GeOperand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSlice(
    x: _Operand,
    begin: _Operand,
    end: _Operand,
    strides: _Operand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def StridedSliceD(
    x: TensorHolder,
    *,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceD(
    x: _Operand,
    *,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def StridedSliceGrad(
    shape: TensorHolder,
    begin: _GeOperand,
    end: _GeOperand,
    strides: _GeOperand,
    dy: _GeOperand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceGrad(
    shape: _GeOperand,
    begin: TensorHolder,
    end: _GeOperand,
    strides: _GeOperand,
    dy: _GeOperand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceGrad(
    shape: _GeOperand,
    begin: _GeOperand,
    end: TensorHolder,
    strides: _GeOperand,
    dy: _GeOperand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceGrad(
    shape: _Operand,
    begin: _Operand,
    end: _Operand,
    strides: _Operand,
    dy: _Operand,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def StridedSliceV2(
    x: TensorHolder,
    begin: _GeOperand,
    end: _GeOperand,
    axes: _GeOperand | None = ...,
    strides: _GeOperand | None = ...,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceV2(
    x: _GeOperand,
    begin: TensorHolder,
    end: _GeOperand,
    axes: _GeOperand | None = ...,
    strides: _GeOperand | None = ...,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceV2(
    x: _GeOperand,
    begin: _GeOperand,
    end: TensorHolder,
    axes: _GeOperand | None = ...,
    strides: _GeOperand | None = ...,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def StridedSliceV2(
    x: _Operand,
    begin: _Operand,
    end: _Operand,
    axes: _Operand | None = ...,
    strides: _Operand | None = ...,
    *,
    begin_mask: int = ...,
    end_mask: int = ...,
    ellipsis_mask: int = ...,
    new_axis_mask: int = ...,
    shrink_axis_mask: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Sub(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sub(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sub(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class SwitchOutput(NamedTuple, Generic[_V]):
    output_false: _V
    output_true: _V

@overload
def Switch(
    data: TensorHolder,
    pred: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SwitchOutput[TensorHolder]: ...
@overload
def Switch(
    data: _GeOperand,
    pred: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SwitchOutput[TensorHolder]: ...
@overload
def Switch(
    data: _Operand,
    pred: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SwitchOutput[Value]: ...
@overload
def Tan(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Tan(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TensorMove(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorMove(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Tile(
    x: TensorHolder,
    multiples: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Tile(
    x: _GeOperand,
    multiples: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Tile(
    x: _Operand,
    multiples: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TileD(
    x: TensorHolder,
    *,
    multiples: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TileD(
    x: _Operand,
    *,
    multiples: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class TopKOutput(NamedTuple, Generic[_V]):
    values: _V
    indices: _V

@overload
def TopK(
    x: TensorHolder,
    k: _GeOperand,
    *,
    sorted: bool = ...,
    largest: bool = ...,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKOutput[TensorHolder]: ...
@overload
def TopK(
    x: _GeOperand,
    k: TensorHolder,
    *,
    sorted: bool = ...,
    largest: bool = ...,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKOutput[TensorHolder]: ...
@overload
def TopK(
    x: _Operand,
    k: _Operand,
    *,
    sorted: bool = ...,
    largest: bool = ...,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKOutput[Value]: ...
class TopKV2Output(NamedTuple, Generic[_V]):
    values: _V
    indices: _V

@overload
def TopKV2(
    x: TensorHolder,
    k: _GeOperand,
    *,
    sorted: bool = ...,
    dim: int = ...,
    largest: bool = ...,
    indices_dtype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKV2Output[TensorHolder]: ...
@overload
def TopKV2(
    x: _GeOperand,
    k: TensorHolder,
    *,
    sorted: bool = ...,
    dim: int = ...,
    largest: bool = ...,
    indices_dtype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKV2Output[TensorHolder]: ...
@overload
def TopKV2(
    x: _Operand,
    k: _Operand,
    *,
    sorted: bool = ...,
    dim: int = ...,
    largest: bool = ...,
    indices_dtype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKV2Output[Value]: ...
@overload
def TransData(
    src: TensorHolder,
    *,
    src_format: str,
    dst_format: str,
    src_subformat: int = ...,
    dst_subformat: int = ...,
    groups: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TransData(
    src: _Operand,
    *,
    src_format: str,
    dst_format: str,
    src_subformat: int = ...,
    dst_subformat: int = ...,
    groups: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Transpose(
    x: TensorHolder,
    perm: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Transpose(
    x: _GeOperand,
    perm: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Transpose(
    x: _Operand,
    perm: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TransposeD(
    x: TensorHolder,
    *,
    perm: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TransposeD(
    x: _Operand,
    *,
    perm: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Tril(
    x: TensorHolder,
    *,
    diagonal: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Tril(
    x: _Operand,
    *,
    diagonal: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Triu(
    x: TensorHolder,
    *,
    diagonal: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Triu(
    x: _Operand,
    *,
    diagonal: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Trunc(
    input_x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Trunc(
    input_x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TruncateDiv(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TruncateDiv(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TruncateDiv(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TruncateMod(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TruncateMod(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TruncateMod(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TruncatedNormal(
    shape: TensorHolder,
    *,
    seed: int = ...,
    seed2: int = ...,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TruncatedNormal(
    shape: _Operand,
    *,
    seed: int = ...,
    seed2: int = ...,
    dtype: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class UniqueOutput(NamedTuple, Generic[_V]):
    y: _V
    idx: _V

@overload
def Unique(
    x: TensorHolder,
    *,
    out_idx: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> UniqueOutput[TensorHolder]: ...
@overload
def Unique(
    x: _Operand,
    *,
    out_idx: DType | DataType | str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> UniqueOutput[Value]: ...
class UniqueWithCountsOutput(NamedTuple, Generic[_V]):
    y: _V
    idx: _V
    count: _V  # type: ignore[assignment]

@overload
def UniqueWithCounts(
    x: TensorHolder,
    *,
    out_idx: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> UniqueWithCountsOutput[TensorHolder]: ...
@overload
def UniqueWithCounts(
    x: _Operand,
    *,
    out_idx: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> UniqueWithCountsOutput[Value]: ...
@overload
def Unpack(
    x: TensorHolder,
    y_num: int,
    *,
    num: int,
    axis: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def Unpack(
    x: _Operand,
    y_num: int,
    *,
    num: int,
    axis: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def UnsortedSegmentSum(
    x: TensorHolder,
    segment_ids: _GeOperand,
    num_segments: _GeOperand,
    *,
    is_preprocessed: bool = ...,
    check_ids: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def UnsortedSegmentSum(
    x: _GeOperand,
    segment_ids: TensorHolder,
    num_segments: _GeOperand,
    *,
    is_preprocessed: bool = ...,
    check_ids: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def UnsortedSegmentSum(
    x: _GeOperand,
    segment_ids: _GeOperand,
    num_segments: TensorHolder,
    *,
    is_preprocessed: bool = ...,
    check_ids: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def UnsortedSegmentSum(
    x: _Operand,
    segment_ids: _Operand,
    num_segments: _Operand,
    *,
    is_preprocessed: bool = ...,
    check_ids: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Unsqueeze(
    x: TensorHolder,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Unsqueeze(
    x: _Operand,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def UnsqueezeV2(
    x: TensorHolder,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def UnsqueezeV2(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def UnsqueezeV3(
    x: TensorHolder,
    axes: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def UnsqueezeV3(
    x: _GeOperand,
    axes: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def UnsqueezeV3(
    x: _Operand,
    axes: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Variable(
    x: TensorHolder,
    *,
    index: int = ...,
    value: Tensor | Any | None = ...,
    container: str = ...,
    shared_name: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Variable(
    x: _GeOperand | None = ...,
    *,
    owner_builder: GraphBuilder,
    index: int = ...,
    value: Tensor | Any | None = ...,
    container: str = ...,
    shared_name: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Variable(
    x: _Operand | None = ...,
    *,
    index: int = ...,
    value: Tensor | Any | None = ...,
    container: str = ...,
    shared_name: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Where(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Where(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def While(
    input: Sequence[TensorHolder | float],
    output_num: int,
    cond: _Body,
    body: _Body,
    *,
    parallel_iterations: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def While(
    input: Sequence[_Operand],
    output_num: int,
    cond: _Body,
    body: _Body,
    *,
    parallel_iterations: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def Xdivy(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Xdivy(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Xdivy(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Xlogy(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Xlogy(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Xlogy(
    x1: _Operand,
    x2: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ZerosLike(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ZerosLike(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
