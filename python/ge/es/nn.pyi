# Written by scripts/gen_es_stubs.py from the records; not to be edited.
"""Graph-building functions of the operators of 'nn'."""

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

from .math import (
    Abs as Abs,
    AccumulateNV2 as AccumulateNV2,
    Acos as Acos,
    Acosh as Acosh,
    Add as Add,
    AddN as AddN,
    Addcdiv as Addcdiv,
    Addcmul as Addcmul,
    Adds as Adds,
    ApproximateEqual as ApproximateEqual,
    ArgMaxV2 as ArgMaxV2,
    ArgMaxWithValue as ArgMaxWithValue,
    ArgMin as ArgMin,
    ArgMinWithValue as ArgMinWithValue,
    Asin as Asin,
    Asinh as Asinh,
    Assign as Assign,
    AssignAdd as AssignAdd,
    AssignSub as AssignSub,
    Atan as Atan,
    Atan2 as Atan2,
    Atanh as Atanh,
    Axpy as Axpy,
    AxpyV2 as AxpyV2,
    BatchToSpace as BatchToSpace,
    BatchToSpaceND as BatchToSpaceND,
    Bitcast as Bitcast,
    BitwiseAnd as BitwiseAnd,
    BitwiseOr as BitwiseOr,
    BitwiseXor as BitwiseXor,
    BroadcastArgs as BroadcastArgs,
    BroadcastGradientArgs as BroadcastGradientArgs,
    BroadcastTo as BroadcastTo,
    BroadcastToD as BroadcastToD,
    Case as Case,
    Cast as Cast,
    Ceil as Ceil,
    CheckNumerics as CheckNumerics,
    ClipByValue as ClipByValue,
    Concat as Concat,
    ConcatD as ConcatD,
    ConcatOffset as ConcatOffset,
    ConcatV2 as ConcatV2,
    ConcatV2D as ConcatV2D,
    ConfusionTransposeD as ConfusionTransposeD,
    Const as Const,
    Constant as Constant,
    ControlTrigger as ControlTrigger,
    Cos as Cos,
    Cosh as Cosh,
    Cross as Cross,
    Cumprod as Cumprod,
    Cumsum as Cumsum,
    CumsumD as CumsumD,
    CumulativeLogsumexp as CumulativeLogsumexp,
    Data as Data,
    DepthToSpace as DepthToSpace,
    Diag as Diag,
    DiagPart as DiagPart,
    Digamma as Digamma,
    Div as Div,
    DivNoNan as DivNoNan,
    DropOutGenMask as DropOutGenMask,
    Einsum as Einsum,
    Eltwise as Eltwise,
    Enter as Enter,
    Equal as Equal,
    Erf as Erf,
    Erfc as Erfc,
    Erfinv as Erfinv,
    EuclideanNorm as EuclideanNorm,
    Exit as Exit,
    Exp as Exp,
    Expand as Expand,
    ExpandD as ExpandD,
    ExpandDims as ExpandDims,
    Expm1 as Expm1,
    Eye as Eye,
    FileConstant as FileConstant,
    Fill as Fill,
    FillD as FillD,
    Flatten as Flatten,
    FlattenV2 as FlattenV2,
    Floor as Floor,
    FloorDiv as FloorDiv,
    FloorMod as FloorMod,
    For as For,
    GEMM as GEMM,
    Greater as Greater,
    GreaterEqual as GreaterEqual,
    Identity as Identity,
    IdentityN as IdentityN,
    If as If,
    InTopK as InTopK,
    Inv as Inv,
    Invert as Invert,
    InvertPermutation as InvertPermutation,
    IsFinite as IsFinite,
    IsInf as IsInf,
    IsNan as IsNan,
    L2Loss as L2Loss,
    LeftShift as LeftShift,
    Lerp as Lerp,
    Less as Less,
    LessEqual as LessEqual,
    Lgamma as Lgamma,
    LinSpace as LinSpace,
    Log as Log,
    Log1p as Log1p,
    LogicalAnd as LogicalAnd,
    LogicalNot as LogicalNot,
    LogicalOr as LogicalOr,
    LoopCond as LoopCond,
    LpNorm as LpNorm,
    MaskedFill as MaskedFill,
    MaskedSelect as MaskedSelect,
    MatMul as MatMul,
    MatrixBandPart as MatrixBandPart,
    MatrixDiag as MatrixDiag,
    MatrixDiagPart as MatrixDiagPart,
    MatrixSetDiag as MatrixSetDiag,
    Maximum as Maximum,
    Merge as Merge,
    Minimum as Minimum,
    MirrorPad as MirrorPad,
    Mod as Mod,
    Mul as Mul,
    MulNoNan as MulNoNan,
    Muls as Muls,
    Neg as Neg,
    NetOutput as NetOutput,
    NextIteration as NextIteration,
    NoOp as NoOp,
    NonZero as NonZero,
    NotEqual as NotEqual,
    OneHot as OneHot,
    OneHotD as OneHotD,
    OnesLike as OnesLike,
    Pack as Pack,
    Pad as Pad,
    PadD as PadD,
    PadV2 as PadV2,
    PadV3 as PadV3,
    PartitionedCall as PartitionedCall,
    Permute as Permute,
    PhonyConcat as PhonyConcat,
    PlaceHolder as PlaceHolder,
    Pow as Pow,
    Power as Power,
    PreventGradient as PreventGradient,
    RandomStandardNormal as RandomStandardNormal,
    RandomUniform as RandomUniform,
    RandomUniformInt as RandomUniformInt,
    Range as Range,
    Rank as Rank,
    RealDiv as RealDiv,
    Reciprocal as Reciprocal,
    ReduceAll as ReduceAll,
    ReduceAllD as ReduceAllD,
    ReduceAny as ReduceAny,
    ReduceAnyD as ReduceAnyD,
    ReduceLogSum as ReduceLogSum,
    ReduceLogSumExp as ReduceLogSumExp,
    ReduceMax as ReduceMax,
    ReduceMaxD as ReduceMaxD,
    ReduceMean as ReduceMean,
    ReduceMeanD as ReduceMeanD,
    ReduceMin as ReduceMin,
    ReduceMinD as ReduceMinD,
    ReduceProd as ReduceProd,
    ReduceProdD as ReduceProdD,
    ReduceStd as ReduceStd,
    ReduceSum as ReduceSum,
    ReduceSumD as ReduceSumD,
    RefData as RefData,
    Reshape as Reshape,
    ReverseSequence as ReverseSequence,
    ReverseV2 as ReverseV2,
    ReverseV2D as ReverseV2D,
    RightShift as RightShift,
    Rint as Rint,
    Roll as Roll,
    Round as Round,
    Rsqrt as Rsqrt,
    SegmentMax as SegmentMax,
    SegmentSum as SegmentSum,
    Select as Select,
    SelectV2 as SelectV2,
    Shape as Shape,
    ShapeN as ShapeN,
    Sign as Sign,
    Sin as Sin,
    Sinh as Sinh,
    Size as Size,
    Slice as Slice,
    SliceD as SliceD,
    Snapshot as Snapshot,
    Sort as Sort,
    SpaceToBatch as SpaceToBatch,
    SpaceToBatchND as SpaceToBatchND,
    SpaceToDepth as SpaceToDepth,
    Split as Split,
    SplitD as SplitD,
    SplitV as SplitV,
    SplitVD as SplitVD,
    Sqrt as Sqrt,
    Square as Square,
    SquaredDifference as SquaredDifference,
    Squeeze as Squeeze,
    SqueezeV2 as SqueezeV2,
    SqueezeV3 as SqueezeV3,
    StatefulPartitionedCall as StatefulPartitionedCall,
    StatelessIf as StatelessIf,
    StatelessWhile as StatelessWhile,
    StopGradient as StopGradient,
    StridedSlice as StridedSlice,
    StridedSliceD as StridedSliceD,
    StridedSliceGrad as StridedSliceGrad,
    StridedSliceV2 as StridedSliceV2,
    Sub as Sub,
    Switch as Switch,
    Tan as Tan,
    TensorMove as TensorMove,
    Tile as Tile,
    TileD as TileD,
    TopK as TopK,
    TopKV2 as TopKV2,
    TransData as TransData,
    Transpose as Transpose,
    TransposeD as TransposeD,
    Tril as Tril,
    Triu as Triu,
    Trunc as Trunc,
    TruncateDiv as TruncateDiv,
    TruncateMod as TruncateMod,
    TruncatedNormal as TruncatedNormal,
    Unique as Unique,
    UniqueWithCounts as UniqueWithCounts,
    Unpack as Unpack,
    UnsortedSegmentSum as UnsortedSegmentSum,
    Unsqueeze as Unsqueeze,
    UnsqueezeV2 as UnsqueezeV2,
    UnsqueezeV3 as UnsqueezeV3,
    Variable as Variable,
    Where as Where,
    While as While,
    Xdivy as Xdivy,
    Xlogy as Xlogy,
    ZerosLike as ZerosLike,
)

@overload
def AdaptiveAvgPool2d(
    x: TensorHolder,
    *,
    output_size: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AdaptiveAvgPool2d(
    x: _Operand,
    *,
    output_size: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class AdaptiveMaxPool2dOutput(NamedTuple, Generic[_V]):
    y: _V
    argmax: _V

@overload
def AdaptiveMaxPool2d(
    x: TensorHolder,
    *,
    output_size: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AdaptiveMaxPool2dOutput[TensorHolder]: ...
@overload
def AdaptiveMaxPool2d(
    x: _Operand,
    *,
    output_size: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AdaptiveMaxPool2dOutput[Value]: ...
class AddLayerNormOutput(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    rstd: _V
    x: _V

@overload
def AddLayerNorm(
    x1: TensorHolder,
    x2: _GeOperand,
    gamma: _GeOperand,
    beta: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    additional_output: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddLayerNormOutput[TensorHolder]: ...
@overload
def AddLayerNorm(
    x1: _GeOperand,
    x2: TensorHolder,
    gamma: _GeOperand,
    beta: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    additional_output: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddLayerNormOutput[TensorHolder]: ...
@overload
def AddLayerNorm(
    x1: _GeOperand,
    x2: _GeOperand,
    gamma: TensorHolder,
    beta: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    additional_output: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddLayerNormOutput[TensorHolder]: ...
@overload
def AddLayerNorm(
    x1: _Operand,
    x2: _Operand,
    gamma: _Operand,
    beta: _Operand,
    bias: _Operand | None = ...,
    *,
    epsilon: float = ...,
    additional_output: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddLayerNormOutput[Value]: ...
class AddRmsNormOutput(NamedTuple, Generic[_V]):
    y: _V
    rstd: _V
    x: _V

@overload
def AddRmsNorm(
    x1: TensorHolder,
    x2: _GeOperand,
    gamma: _GeOperand,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddRmsNormOutput[TensorHolder]: ...
@overload
def AddRmsNorm(
    x1: _GeOperand,
    x2: TensorHolder,
    gamma: _GeOperand,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddRmsNormOutput[TensorHolder]: ...
@overload
def AddRmsNorm(
    x1: _GeOperand,
    x2: _GeOperand,
    gamma: TensorHolder,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddRmsNormOutput[TensorHolder]: ...
@overload
def AddRmsNorm(
    x1: _Operand,
    x2: _Operand,
    gamma: _Operand,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AddRmsNormOutput[Value]: ...
@overload
def AscendAntiQuant(
    x: TensorHolder,
    *,
    scale: float,
    offset: float,
    dtype: int | DType = ...,
    sqrt_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendAntiQuant(
    x: _Operand,
    *,
    scale: float,
    offset: float,
    dtype: int | DType = ...,
    sqrt_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AscendDequant(
    x: TensorHolder,
    deq_scale: _GeOperand,
    *,
    sqrt_mode: bool = ...,
    relu_flag: bool = ...,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendDequant(
    x: _GeOperand,
    deq_scale: TensorHolder,
    *,
    sqrt_mode: bool = ...,
    relu_flag: bool = ...,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendDequant(
    x: _Operand,
    deq_scale: _Operand,
    *,
    sqrt_mode: bool = ...,
    relu_flag: bool = ...,
    dtype: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AscendDequantS16(
    x0: TensorHolder,
    deq_scale: _GeOperand,
    x1: _GeOperand | None = ...,
    *,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendDequantS16(
    x0: _GeOperand,
    deq_scale: TensorHolder,
    x1: _GeOperand | None = ...,
    *,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendDequantS16(
    x0: _Operand,
    deq_scale: _Operand,
    x1: _Operand | None = ...,
    *,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AscendQuant(
    x: TensorHolder,
    *,
    scale: float,
    offset: float,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendQuant(
    x: _Operand,
    *,
    scale: float,
    offset: float,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AscendQuantV2(
    x: TensorHolder,
    scale: _GeOperand,
    offset: _GeOperand | None = ...,
    *,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendQuantV2(
    x: _GeOperand,
    scale: TensorHolder,
    offset: _GeOperand | None = ...,
    *,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendQuantV2(
    x: _Operand,
    scale: _Operand,
    offset: _Operand | None = ...,
    *,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AscendRequant(
    x: TensorHolder,
    req_scale: _GeOperand,
    *,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendRequant(
    x: _GeOperand,
    req_scale: TensorHolder,
    *,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AscendRequant(
    x: _Operand,
    req_scale: _Operand,
    *,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class AscendRequantS16Output(NamedTuple, Generic[_V]):
    y0: _V
    y1: _V

@overload
def AscendRequantS16(
    x0: TensorHolder,
    req_scale: _GeOperand,
    x1: _GeOperand | None = ...,
    *,
    dual_output: bool = ...,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AscendRequantS16Output[TensorHolder]: ...
@overload
def AscendRequantS16(
    x0: _GeOperand,
    req_scale: TensorHolder,
    x1: _GeOperand | None = ...,
    *,
    dual_output: bool = ...,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AscendRequantS16Output[TensorHolder]: ...
@overload
def AscendRequantS16(
    x0: _Operand,
    req_scale: _Operand,
    x1: _Operand | None = ...,
    *,
    dual_output: bool = ...,
    relu_flag: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> AscendRequantS16Output[Value]: ...
@overload
def AvgPool(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AvgPool(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AvgPool1D(
    x: TensorHolder,
    *,
    ksize: int,
    strides: int,
    pads: Sequence[int],
    ceil_mode: bool = ...,
    count_include_pad: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AvgPool1D(
    x: _Operand,
    *,
    ksize: int,
    strides: int,
    pads: Sequence[int],
    ceil_mode: bool = ...,
    count_include_pad: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AvgPool3D(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    ceil_mode: bool = ...,
    count_include_pad: bool = ...,
    divisor_override: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AvgPool3D(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    ceil_mode: bool = ...,
    count_include_pad: bool = ...,
    divisor_override: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AvgPoolGrad(
    orig_input_shape: TensorHolder,
    input_grad: _GeOperand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AvgPoolGrad(
    orig_input_shape: _GeOperand,
    input_grad: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AvgPoolGrad(
    orig_input_shape: _Operand,
    input_grad: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def AvgPoolV2(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    exclusive: bool = ...,
    divisor_override: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def AvgPoolV2(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    exclusive: bool = ...,
    divisor_override: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BNInfer(
    x: TensorHolder,
    scale: _GeOperand,
    offset: _GeOperand,
    mean: _GeOperand,
    variance: _GeOperand,
    *,
    epsilon: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNInfer(
    x: _GeOperand,
    scale: TensorHolder,
    offset: _GeOperand,
    mean: _GeOperand,
    variance: _GeOperand,
    *,
    epsilon: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNInfer(
    x: _GeOperand,
    scale: _GeOperand,
    offset: TensorHolder,
    mean: _GeOperand,
    variance: _GeOperand,
    *,
    epsilon: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNInfer(
    x: _Operand,
    scale: _Operand,
    offset: _Operand,
    mean: _Operand,
    variance: _Operand,
    *,
    epsilon: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BNInference(
    x: TensorHolder,
    mean: _GeOperand,
    variance: _GeOperand,
    momentum: _GeOperand,
    scale: _GeOperand | None = ...,
    offset: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    use_global_stats: bool = ...,
    mode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNInference(
    x: _GeOperand,
    mean: TensorHolder,
    variance: _GeOperand,
    momentum: _GeOperand,
    scale: _GeOperand | None = ...,
    offset: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    use_global_stats: bool = ...,
    mode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNInference(
    x: _GeOperand,
    mean: _GeOperand,
    variance: TensorHolder,
    momentum: _GeOperand,
    scale: _GeOperand | None = ...,
    offset: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    use_global_stats: bool = ...,
    mode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNInference(
    x: _Operand,
    mean: _Operand,
    variance: _Operand,
    momentum: _Operand,
    scale: _Operand | None = ...,
    offset: _Operand | None = ...,
    *,
    epsilon: float = ...,
    use_global_stats: bool = ...,
    mode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BNLL(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BNLL(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BatchMatMul(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchMatMul(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchMatMul(
    x1: _Operand,
    x2: _Operand,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BatchMatMulV2(
    x1: TensorHolder,
    x2: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchMatMulV2(
    x1: _GeOperand,
    x2: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchMatMulV2(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BatchMatMulV3(
    x1: TensorHolder,
    x2: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    enable_hf32: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchMatMulV3(
    x1: _GeOperand,
    x2: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    enable_hf32: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BatchMatMulV3(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    enable_hf32: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class BatchNormOutput(NamedTuple, Generic[_V]):
    y: _V
    batch_mean: _V
    batch_variance: _V
    reserve_space_1: _V
    reserve_space_2: _V
    reserve_space_3: _V

@overload
def BatchNorm(
    x: TensorHolder,
    scale: _GeOperand,
    offset: _GeOperand,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    exponential_avg_factor: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormOutput[TensorHolder]: ...
@overload
def BatchNorm(
    x: _GeOperand,
    scale: TensorHolder,
    offset: _GeOperand,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    exponential_avg_factor: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormOutput[TensorHolder]: ...
@overload
def BatchNorm(
    x: _GeOperand,
    scale: _GeOperand,
    offset: TensorHolder,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    exponential_avg_factor: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormOutput[TensorHolder]: ...
@overload
def BatchNorm(
    x: _Operand,
    scale: _Operand,
    offset: _Operand,
    mean: _Operand | None = ...,
    variance: _Operand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    exponential_avg_factor: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormOutput[Value]: ...
class BatchNorm3DOutput(NamedTuple, Generic[_V]):
    y: _V
    batch_mean: _V
    batch_variance: _V
    reserve_space_1: _V
    reserve_space_2: _V

@overload
def BatchNorm3D(
    x: TensorHolder,
    scale: _GeOperand,
    offset: _GeOperand,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNorm3DOutput[TensorHolder]: ...
@overload
def BatchNorm3D(
    x: _GeOperand,
    scale: TensorHolder,
    offset: _GeOperand,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNorm3DOutput[TensorHolder]: ...
@overload
def BatchNorm3D(
    x: _GeOperand,
    scale: _GeOperand,
    offset: TensorHolder,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNorm3DOutput[TensorHolder]: ...
@overload
def BatchNorm3D(
    x: _Operand,
    scale: _Operand,
    offset: _Operand,
    mean: _Operand | None = ...,
    variance: _Operand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNorm3DOutput[Value]: ...
class BatchNormGradOutput(NamedTuple, Generic[_V]):
    x_backprop: _V
    scale_backprop: _V
    offset_backprop: _V
    reserve_space_4: _V
    reserve_space_5: _V

@overload
def BatchNormGrad(
    y_backprop: TensorHolder,
    x: _GeOperand,
    scale: _GeOperand,
    reserve_space_1: _GeOperand,
    reserve_space_2: _GeOperand,
    reserve_space_3: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    output_mask: Sequence[bool] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormGradOutput[TensorHolder]: ...
@overload
def BatchNormGrad(
    y_backprop: _GeOperand,
    x: TensorHolder,
    scale: _GeOperand,
    reserve_space_1: _GeOperand,
    reserve_space_2: _GeOperand,
    reserve_space_3: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    output_mask: Sequence[bool] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormGradOutput[TensorHolder]: ...
@overload
def BatchNormGrad(
    y_backprop: _GeOperand,
    x: _GeOperand,
    scale: TensorHolder,
    reserve_space_1: _GeOperand,
    reserve_space_2: _GeOperand,
    reserve_space_3: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    output_mask: Sequence[bool] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormGradOutput[TensorHolder]: ...
@overload
def BatchNormGrad(
    y_backprop: _Operand,
    x: _Operand,
    scale: _Operand,
    reserve_space_1: _Operand,
    reserve_space_2: _Operand,
    reserve_space_3: _Operand | None = ...,
    *,
    epsilon: float = ...,
    data_format: str = ...,
    is_training: bool = ...,
    output_mask: Sequence[bool] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> BatchNormGradOutput[Value]: ...
@overload
def BiasAdd(
    x: TensorHolder,
    bias: _GeOperand,
    *,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BiasAdd(
    x: _GeOperand,
    bias: TensorHolder,
    *,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BiasAdd(
    x: _Operand,
    bias: _Operand,
    *,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def BinaryCrossEntropy(
    x: TensorHolder,
    y: _GeOperand,
    weight: _GeOperand | None = ...,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BinaryCrossEntropy(
    x: _GeOperand,
    y: TensorHolder,
    weight: _GeOperand | None = ...,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def BinaryCrossEntropy(
    x: _Operand,
    y: _Operand,
    weight: _Operand | None = ...,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Celu(
    x: TensorHolder,
    *,
    alpha1: float = ...,
    alpha2: float = ...,
    alpha3: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Celu(
    x: _Operand,
    *,
    alpha1: float = ...,
    alpha2: float = ...,
    alpha3: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def CeluV2(
    x: TensorHolder,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def CeluV2(
    x: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv2D(
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2D(
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2D(
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv2DBackpropFilter(
    x: TensorHolder,
    filter_size: _GeOperand,
    out_backprop: _GeOperand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DBackpropFilter(
    x: _GeOperand,
    filter_size: TensorHolder,
    out_backprop: _GeOperand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DBackpropFilter(
    x: _GeOperand,
    filter_size: _GeOperand,
    out_backprop: TensorHolder,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DBackpropFilter(
    x: _Operand,
    filter_size: _Operand,
    out_backprop: _Operand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv2DBackpropInput(
    input_size: TensorHolder,
    filter: _GeOperand,
    out_backprop: _GeOperand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DBackpropInput(
    input_size: _GeOperand,
    filter: TensorHolder,
    out_backprop: _GeOperand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DBackpropInput(
    input_size: _GeOperand,
    filter: _GeOperand,
    out_backprop: TensorHolder,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DBackpropInput(
    input_size: _Operand,
    filter: _Operand,
    out_backprop: _Operand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv2DTranspose(
    input_size: TensorHolder,
    x: _GeOperand,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DTranspose(
    input_size: _GeOperand,
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DTranspose(
    input_size: _GeOperand,
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DTranspose(
    input_size: _Operand,
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv2DV2(
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    pad_mode: str = ...,
    enable_hf32: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DV2(
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    pad_mode: str = ...,
    enable_hf32: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv2DV2(
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    pad_mode: str = ...,
    enable_hf32: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv3D(
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3D(
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3D(
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv3DBackpropInput(
    input_size: TensorHolder,
    filter: _GeOperand,
    out_backprop: _GeOperand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3DBackpropInput(
    input_size: _GeOperand,
    filter: TensorHolder,
    out_backprop: _GeOperand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3DBackpropInput(
    input_size: _GeOperand,
    filter: _GeOperand,
    out_backprop: TensorHolder,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3DBackpropInput(
    input_size: _Operand,
    filter: _Operand,
    out_backprop: _Operand,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Conv3DTranspose(
    input_size: TensorHolder,
    x: _GeOperand,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3DTranspose(
    input_size: _GeOperand,
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3DTranspose(
    input_size: _GeOperand,
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Conv3DTranspose(
    input_size: _Operand,
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    output_padding: Sequence[int] = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Deconvolution(
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int] = ...,
    pads: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Deconvolution(
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int] = ...,
    pads: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Deconvolution(
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int] = ...,
    pads: Sequence[int] = ...,
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DeformableConv2D(
    x: TensorHolder,
    filter: _GeOperand,
    offsets: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    deformable_groups: int = ...,
    modulated: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DeformableConv2D(
    x: _GeOperand,
    filter: TensorHolder,
    offsets: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    deformable_groups: int = ...,
    modulated: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DeformableConv2D(
    x: _GeOperand,
    filter: _GeOperand,
    offsets: TensorHolder,
    bias: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    deformable_groups: int = ...,
    modulated: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DeformableConv2D(
    x: _Operand,
    filter: _Operand,
    offsets: _Operand,
    bias: _Operand | None = ...,
    *,
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] = ...,
    groups: int = ...,
    data_format: str = ...,
    deformable_groups: int = ...,
    modulated: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DepthwiseConv2D(
    x: TensorHolder,
    filter: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    dilations: Sequence[int] = ...,
    pads: Sequence[int],
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DepthwiseConv2D(
    x: _GeOperand,
    filter: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    strides: Sequence[int],
    dilations: Sequence[int] = ...,
    pads: Sequence[int],
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DepthwiseConv2D(
    x: _Operand,
    filter: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    strides: Sequence[int],
    dilations: Sequence[int] = ...,
    pads: Sequence[int],
    data_format: str = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Dequantize(
    x: TensorHolder,
    min_range: _GeOperand,
    max_range: _GeOperand,
    *,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Dequantize(
    x: _GeOperand,
    min_range: TensorHolder,
    max_range: _GeOperand,
    *,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Dequantize(
    x: _GeOperand,
    min_range: _GeOperand,
    max_range: TensorHolder,
    *,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Dequantize(
    x: _Operand,
    min_range: _Operand,
    max_range: _Operand,
    *,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Dilation2D(
    x: TensorHolder,
    filter: _GeOperand,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Dilation2D(
    x: _GeOperand,
    filter: TensorHolder,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Dilation2D(
    x: _Operand,
    filter: _Operand,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def DropOutDoMask(
    x: TensorHolder,
    mask: _GeOperand,
    keep_prob: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DropOutDoMask(
    x: _GeOperand,
    mask: TensorHolder,
    keep_prob: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DropOutDoMask(
    x: _GeOperand,
    mask: _GeOperand,
    keep_prob: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def DropOutDoMask(
    x: _Operand,
    mask: _Operand,
    keep_prob: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class DynamicQuantOutput(NamedTuple, Generic[_V]):
    y: _V
    scale: _V

@overload
def DynamicQuant(
    x: TensorHolder,
    smooth_scales: _GeOperand | None = ...,
    group_index: _GeOperand | None = ...,
    *,
    dst_type: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> DynamicQuantOutput[TensorHolder]: ...
@overload
def DynamicQuant(
    x: _Operand,
    smooth_scales: _Operand | None = ...,
    group_index: _Operand | None = ...,
    *,
    dst_type: int | DType = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> DynamicQuantOutput[Value]: ...
@overload
def Elu(
    x: TensorHolder,
    *,
    alpha: float = ...,
    scale: float = ...,
    input_scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Elu(
    x: _Operand,
    *,
    alpha: float = ...,
    scale: float = ...,
    input_scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def EluGrad(
    grads: TensorHolder,
    activations: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def EluGrad(
    grads: _GeOperand,
    activations: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def EluGrad(
    grads: _Operand,
    activations: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FakeQuantWithMinMaxVars(
    x: TensorHolder,
    min: _GeOperand,
    max: _GeOperand,
    *,
    num_bits: int = ...,
    narrow_range: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FakeQuantWithMinMaxVars(
    x: _GeOperand,
    min: TensorHolder,
    max: _GeOperand,
    *,
    num_bits: int = ...,
    narrow_range: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FakeQuantWithMinMaxVars(
    x: _GeOperand,
    min: _GeOperand,
    max: TensorHolder,
    *,
    num_bits: int = ...,
    narrow_range: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FakeQuantWithMinMaxVars(
    x: _Operand,
    min: _Operand,
    max: _Operand,
    *,
    num_bits: int = ...,
    narrow_range: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FastGelu(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FastGelu(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FastGeluGrad(
    dy: TensorHolder,
    x: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FastGeluGrad(
    dy: _GeOperand,
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FastGeluGrad(
    dy: _Operand,
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FastGeluV2(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FastGeluV2(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def FullyConnection(
    x: TensorHolder,
    w: _GeOperand,
    b: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    num_output: int,
    transpose: bool = ...,
    axis: int = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FullyConnection(
    x: _GeOperand,
    w: TensorHolder,
    b: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    num_output: int,
    transpose: bool = ...,
    axis: int = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def FullyConnection(
    x: _Operand,
    w: _Operand,
    b: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    num_output: int,
    transpose: bool = ...,
    axis: int = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Gather(
    x: TensorHolder,
    indices: _GeOperand,
    *,
    validate_indices: bool = ...,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Gather(
    x: _GeOperand,
    indices: TensorHolder,
    *,
    validate_indices: bool = ...,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Gather(
    x: _Operand,
    indices: _Operand,
    *,
    validate_indices: bool = ...,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GatherElements(
    x: TensorHolder,
    index: _GeOperand,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherElements(
    x: _GeOperand,
    index: TensorHolder,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherElements(
    x: _Operand,
    index: _Operand,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GatherNd(
    x: TensorHolder,
    indices: _GeOperand,
    *,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherNd(
    x: _GeOperand,
    indices: TensorHolder,
    *,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherNd(
    x: _Operand,
    indices: _Operand,
    *,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GatherV2(
    x: TensorHolder,
    indices: _GeOperand,
    axis: _GeOperand,
    *,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherV2(
    x: _GeOperand,
    indices: TensorHolder,
    axis: _GeOperand,
    *,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherV2(
    x: _GeOperand,
    indices: _GeOperand,
    axis: TensorHolder,
    *,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherV2(
    x: _Operand,
    indices: _Operand,
    axis: _Operand,
    *,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GatherV2D(
    x: TensorHolder,
    indices: _GeOperand,
    *,
    axis: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherV2D(
    x: _GeOperand,
    indices: TensorHolder,
    *,
    axis: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GatherV2D(
    x: _Operand,
    indices: _Operand,
    *,
    axis: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Gelu(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Gelu(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GeluGrad(
    dy: TensorHolder,
    x: _GeOperand,
    y: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GeluGrad(
    dy: _GeOperand,
    x: TensorHolder,
    y: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GeluGrad(
    dy: _GeOperand,
    x: _GeOperand,
    y: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GeluGrad(
    dy: _Operand,
    x: _Operand,
    y: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GeluV2(
    x: TensorHolder,
    *,
    approximate: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GeluV2(
    x: _Operand,
    *,
    approximate: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def GlobalAveragePool(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GlobalAveragePool(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class GroupNormOutput(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    variance: _V

@overload
def GroupNorm(
    x: TensorHolder,
    gamma: _GeOperand,
    beta: _GeOperand,
    *,
    num_groups: int,
    data_format: str = ...,
    eps: float = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GroupNormOutput[TensorHolder]: ...
@overload
def GroupNorm(
    x: _GeOperand,
    gamma: TensorHolder,
    beta: _GeOperand,
    *,
    num_groups: int,
    data_format: str = ...,
    eps: float = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GroupNormOutput[TensorHolder]: ...
@overload
def GroupNorm(
    x: _GeOperand,
    gamma: _GeOperand,
    beta: TensorHolder,
    *,
    num_groups: int,
    data_format: str = ...,
    eps: float = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GroupNormOutput[TensorHolder]: ...
@overload
def GroupNorm(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    num_groups: int,
    data_format: str = ...,
    eps: float = ...,
    is_training: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GroupNormOutput[Value]: ...
class GroupNormSiluOutput(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    rstd: _V

@overload
def GroupNormSilu(
    x: TensorHolder,
    gamma: _GeOperand | None = ...,
    beta: _GeOperand | None = ...,
    *,
    num_groups: int,
    eps: float = ...,
    activate_silu: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GroupNormSiluOutput[TensorHolder]: ...
@overload
def GroupNormSilu(
    x: _Operand,
    gamma: _Operand | None = ...,
    beta: _Operand | None = ...,
    *,
    num_groups: int,
    eps: float = ...,
    activate_silu: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GroupNormSiluOutput[Value]: ...
@overload
def GroupedMatmulFinalizeRouting(
    x: TensorHolder,
    w: _GeOperand,
    scale: _GeOperand | None = ...,
    bias: _GeOperand | None = ...,
    pertoken_scale: _GeOperand | None = ...,
    group_list: _GeOperand | None = ...,
    shared_input: _GeOperand | None = ...,
    logit: _GeOperand | None = ...,
    row_index: _GeOperand | None = ...,
    offset: _GeOperand | None = ...,
    *,
    dtype: int | DType = ...,
    shared_input_weight: float = ...,
    shared_input_offset: int = ...,
    transpose_x: bool = ...,
    transpose_w: bool = ...,
    output_bs: int = ...,
    group_list_type: int = ...,
    tuning_config: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GroupedMatmulFinalizeRouting(
    x: _GeOperand,
    w: TensorHolder,
    scale: _GeOperand | None = ...,
    bias: _GeOperand | None = ...,
    pertoken_scale: _GeOperand | None = ...,
    group_list: _GeOperand | None = ...,
    shared_input: _GeOperand | None = ...,
    logit: _GeOperand | None = ...,
    row_index: _GeOperand | None = ...,
    offset: _GeOperand | None = ...,
    *,
    dtype: int | DType = ...,
    shared_input_weight: float = ...,
    shared_input_offset: int = ...,
    transpose_x: bool = ...,
    transpose_w: bool = ...,
    output_bs: int = ...,
    group_list_type: int = ...,
    tuning_config: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def GroupedMatmulFinalizeRouting(
    x: _Operand,
    w: _Operand,
    scale: _Operand | None = ...,
    bias: _Operand | None = ...,
    pertoken_scale: _Operand | None = ...,
    group_list: _Operand | None = ...,
    shared_input: _Operand | None = ...,
    logit: _Operand | None = ...,
    row_index: _Operand | None = ...,
    offset: _Operand | None = ...,
    *,
    dtype: int | DType = ...,
    shared_input_weight: float = ...,
    shared_input_offset: int = ...,
    transpose_x: bool = ...,
    transpose_w: bool = ...,
    output_bs: int = ...,
    group_list_type: int = ...,
    tuning_config: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HardShrink(
    input_x: TensorHolder,
    *,
    lambd: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HardShrink(
    input_x: _Operand,
    *,
    lambd: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HardSigmoid(
    input_x: TensorHolder,
    *,
    alpha: float = ...,
    beta: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HardSigmoid(
    input_x: _Operand,
    *,
    alpha: float = ...,
    beta: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HardSwish(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HardSwish(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HardSwishGrad(
    grad: TensorHolder,
    x: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HardSwishGrad(
    grad: _GeOperand,
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HardSwishGrad(
    grad: _Operand,
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HcomAllGather(
    x: TensorHolder,
    *,
    rank_size: int,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HcomAllGather(
    x: _Operand,
    *,
    rank_size: int,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HcomAllReduce(
    x: TensorHolder,
    *,
    reduction: str,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HcomAllReduce(
    x: _Operand,
    *,
    reduction: str,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HcomBroadcast(
    x: Sequence[TensorHolder | float],
    y_num: int,
    *,
    root_rank: int,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[TensorHolder]: ...
@overload
def HcomBroadcast(
    x: Sequence[_Operand],
    y_num: int,
    *,
    root_rank: int,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
@overload
def HcomReceive(
    owner_graph_builder: GraphBuilder,
    *,
    group: str,
    sr_tag: int,
    src_rank: int,
    shape: Sequence[int],
    dtype: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HcomReceive(
    *,
    owner_builder: GraphBuilder,
    group: str,
    sr_tag: int,
    src_rank: int,
    shape: Sequence[int],
    dtype: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HcomReceive(
    *,
    group: str,
    sr_tag: int,
    src_rank: int,
    shape: Sequence[int],
    dtype: DType | DataType | str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HcomReduce(
    x: TensorHolder,
    *,
    root_rank: int,
    reduction: str,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HcomReduce(
    x: _Operand,
    *,
    root_rank: int,
    reduction: str,
    group: str,
    fusion: int = ...,
    fusion_id: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HcomReduceScatter(
    x: TensorHolder,
    *,
    reduction: str,
    fusion: int = ...,
    fusion_id: int = ...,
    group: str,
    rank_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def HcomReduceScatter(
    x: _Operand,
    *,
    reduction: str,
    fusion: int = ...,
    fusion_id: int = ...,
    group: str,
    rank_size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def HcomSend(
    x: TensorHolder,
    *,
    group: str,
    sr_tag: int,
    dest_rank: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
@overload
def HcomSend(
    x: _Operand,
    *,
    group: str,
    sr_tag: int,
    dest_rank: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> None: ...
class INInferV2Output(NamedTuple, Generic[_V]):
    y: _V
    batch_mean: _V
    batch_variance: _V

@overload
def INInferV2(
    x: TensorHolder,
    gamma: _GeOperand | None = ...,
    beta: _GeOperand | None = ...,
    mean: _GeOperand | None = ...,
    variance: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> INInferV2Output[TensorHolder]: ...
@overload
def INInferV2(
    x: _Operand,
    gamma: _Operand | None = ...,
    beta: _Operand | None = ...,
    mean: _Operand | None = ...,
    variance: _Operand | None = ...,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> INInferV2Output[Value]: ...
@overload
def Index(
    x: TensorHolder,
    indexed_sizes: _GeOperand,
    indexed_strides: _GeOperand,
    indices: Sequence[_GeOperand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Index(
    x: _GeOperand,
    indexed_sizes: TensorHolder,
    indexed_strides: _GeOperand,
    indices: Sequence[_GeOperand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Index(
    x: _GeOperand,
    indexed_sizes: _GeOperand,
    indexed_strides: TensorHolder,
    indices: Sequence[_GeOperand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Index(
    x: _Operand,
    indexed_sizes: _Operand,
    indexed_strides: _Operand,
    indices: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class InstanceNormOutput(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    variance: _V

@overload
def InstanceNorm(
    x: TensorHolder,
    gamma: _GeOperand,
    beta: _GeOperand,
    *,
    data_format: str = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> InstanceNormOutput[TensorHolder]: ...
@overload
def InstanceNorm(
    x: _GeOperand,
    gamma: TensorHolder,
    beta: _GeOperand,
    *,
    data_format: str = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> InstanceNormOutput[TensorHolder]: ...
@overload
def InstanceNorm(
    x: _GeOperand,
    gamma: _GeOperand,
    beta: TensorHolder,
    *,
    data_format: str = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> InstanceNormOutput[TensorHolder]: ...
@overload
def InstanceNorm(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    data_format: str = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> InstanceNormOutput[Value]: ...
@overload
def KLDiv(
    x: TensorHolder,
    target: _GeOperand,
    *,
    reduction: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def KLDiv(
    x: _GeOperand,
    target: TensorHolder,
    *,
    reduction: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def KLDiv(
    x: _Operand,
    target: _Operand,
    *,
    reduction: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def L2Normalize(
    x: TensorHolder,
    *,
    axis: Sequence[int] = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def L2Normalize(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LRN(
    x: TensorHolder,
    *,
    depth_radius: int = ...,
    bias: float = ...,
    alpha: float = ...,
    beta: float = ...,
    norm_region: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LRN(
    x: _Operand,
    *,
    depth_radius: int = ...,
    bias: float = ...,
    alpha: float = ...,
    beta: float = ...,
    norm_region: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class LayerNormOutput(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    variance: _V

@overload
def LayerNorm(
    x: TensorHolder,
    gamma: _GeOperand,
    beta: _GeOperand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormOutput[TensorHolder]: ...
@overload
def LayerNorm(
    x: _GeOperand,
    gamma: TensorHolder,
    beta: _GeOperand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormOutput[TensorHolder]: ...
@overload
def LayerNorm(
    x: _GeOperand,
    gamma: _GeOperand,
    beta: TensorHolder,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormOutput[TensorHolder]: ...
@overload
def LayerNorm(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormOutput[Value]: ...
class LayerNormGradOutput(NamedTuple, Generic[_V]):
    pd_x: _V
    pd_gamma: _V
    pd_beta: _V

@overload
def LayerNormGrad(
    dy: TensorHolder,
    x: _GeOperand,
    variance: _GeOperand,
    mean: _GeOperand,
    gamma: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormGradOutput[TensorHolder]: ...
@overload
def LayerNormGrad(
    dy: _GeOperand,
    x: TensorHolder,
    variance: _GeOperand,
    mean: _GeOperand,
    gamma: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormGradOutput[TensorHolder]: ...
@overload
def LayerNormGrad(
    dy: _GeOperand,
    x: _GeOperand,
    variance: TensorHolder,
    mean: _GeOperand,
    gamma: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormGradOutput[TensorHolder]: ...
@overload
def LayerNormGrad(
    dy: _Operand,
    x: _Operand,
    variance: _Operand,
    mean: _Operand,
    gamma: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormGradOutput[Value]: ...
class LayerNormV3Output(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    rstd: _V

@overload
def LayerNormV3(
    x: TensorHolder,
    gamma: _GeOperand,
    beta: _GeOperand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV3Output[TensorHolder]: ...
@overload
def LayerNormV3(
    x: _GeOperand,
    gamma: TensorHolder,
    beta: _GeOperand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV3Output[TensorHolder]: ...
@overload
def LayerNormV3(
    x: _GeOperand,
    gamma: _GeOperand,
    beta: TensorHolder,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV3Output[TensorHolder]: ...
@overload
def LayerNormV3(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV3Output[Value]: ...
class LayerNormV4Output(NamedTuple, Generic[_V]):
    y: _V
    mean: _V
    rstd: _V

@overload
def LayerNormV4(
    x: TensorHolder,
    normalized_shape: _GeOperand,
    gamma: _GeOperand | None = ...,
    beta: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV4Output[TensorHolder]: ...
@overload
def LayerNormV4(
    x: _GeOperand,
    normalized_shape: TensorHolder,
    gamma: _GeOperand | None = ...,
    beta: _GeOperand | None = ...,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV4Output[TensorHolder]: ...
@overload
def LayerNormV4(
    x: _Operand,
    normalized_shape: _Operand,
    gamma: _Operand | None = ...,
    beta: _Operand | None = ...,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LayerNormV4Output[Value]: ...
@overload
def LeakyRelu(
    x: TensorHolder,
    *,
    negative_slope: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LeakyRelu(
    x: _Operand,
    *,
    negative_slope: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LeakyReluGrad(
    gradients: TensorHolder,
    features: _GeOperand,
    *,
    negative_slope: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LeakyReluGrad(
    gradients: _GeOperand,
    features: TensorHolder,
    *,
    negative_slope: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LeakyReluGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    negative_slope: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LogSigmoid(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogSigmoid(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LogSoftmaxGrad(
    grad: TensorHolder,
    x: _GeOperand,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogSoftmaxGrad(
    grad: _GeOperand,
    x: TensorHolder,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogSoftmaxGrad(
    grad: _Operand,
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def LogSoftmaxV2(
    logits: TensorHolder,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def LogSoftmaxV2(
    logits: _Operand,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MVN(
    x: TensorHolder,
    *,
    normalize_variance: bool = ...,
    across_channels: bool = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MVN(
    x: _Operand,
    *,
    normalize_variance: bool = ...,
    across_channels: bool = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MVNV2(
    x: TensorHolder,
    *,
    eps: float = ...,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MVNV2(
    x: _Operand,
    *,
    eps: float = ...,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatMulV2(
    x1: TensorHolder,
    x2: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatMulV2(
    x1: _GeOperand,
    x2: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatMulV2(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MatMulV3(
    x1: TensorHolder,
    x2: _GeOperand,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    opImplMode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatMulV3(
    x1: _GeOperand,
    x2: TensorHolder,
    bias: _GeOperand | None = ...,
    offset_w: _GeOperand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    opImplMode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MatMulV3(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    opImplMode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaxPool(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPool(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaxPool3D(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    pads: Sequence[int] = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPool3D(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    pads: Sequence[int] = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class MaxPool3DWithArgmaxOutput(NamedTuple, Generic[_V]):
    y: _V
    argmax: _V

@overload
def MaxPool3DWithArgmax(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilation: Sequence[int] = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    argmax_type: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MaxPool3DWithArgmaxOutput[TensorHolder]: ...
@overload
def MaxPool3DWithArgmax(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilation: Sequence[int] = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    argmax_type: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MaxPool3DWithArgmaxOutput[Value]: ...
@overload
def MaxPoolGrad(
    x1: TensorHolder,
    x2: _GeOperand,
    grad: _GeOperand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolGrad(
    x1: _GeOperand,
    x2: TensorHolder,
    grad: _GeOperand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolGrad(
    x1: _GeOperand,
    x2: _GeOperand,
    grad: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolGrad(
    x1: _Operand,
    x2: _Operand,
    grad: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaxPoolV2(
    x: TensorHolder,
    ksize: _GeOperand,
    strides: _GeOperand,
    *,
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV2(
    x: _GeOperand,
    ksize: TensorHolder,
    strides: _GeOperand,
    *,
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV2(
    x: _GeOperand,
    ksize: _GeOperand,
    strides: TensorHolder,
    *,
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV2(
    x: _Operand,
    ksize: _Operand,
    strides: _Operand,
    *,
    padding: str,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaxPoolV3(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV3(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MaxPoolV3Grad(
    orig_input: TensorHolder,
    orig_output: _GeOperand,
    grad: _GeOperand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV3Grad(
    orig_input: _GeOperand,
    orig_output: TensorHolder,
    grad: _GeOperand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV3Grad(
    orig_input: _GeOperand,
    orig_output: _GeOperand,
    grad: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MaxPoolV3Grad(
    orig_input: _Operand,
    orig_output: _Operand,
    grad: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding_mode: str = ...,
    pads: Sequence[int] = ...,
    data_format: str = ...,
    global_pooling: bool = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class MaxPoolWithArgmaxOutput(NamedTuple, Generic[_V]):
    y: _V
    argmax: _V

@overload
def MaxPoolWithArgmax(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    Targmax: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MaxPoolWithArgmaxOutput[TensorHolder]: ...
@overload
def MaxPoolWithArgmax(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    Targmax: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MaxPoolWithArgmaxOutput[Value]: ...
class MaxPoolWithArgmaxV2Output(NamedTuple, Generic[_V]):
    y: _V
    argmax: _V

@overload
def MaxPoolWithArgmaxV2(
    x: TensorHolder,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dtype: int | DType = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MaxPoolWithArgmaxV2Output[TensorHolder]: ...
@overload
def MaxPoolWithArgmaxV2(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dtype: int | DType = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MaxPoolWithArgmaxV2Output[Value]: ...
@overload
def Mish(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Mish(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def MishGrad(
    grad: TensorHolder,
    x: _GeOperand,
    tanhx: _GeOperand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MishGrad(
    grad: _GeOperand,
    x: TensorHolder,
    tanhx: _GeOperand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MishGrad(
    grad: _Operand,
    x: _Operand,
    tanhx: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class MoeGatingTopKSoftmaxOutput(NamedTuple, Generic[_V]):
    y: _V
    expert_idx: _V
    row_idx: _V

@overload
def MoeGatingTopKSoftmax(
    x: TensorHolder,
    finished: _GeOperand | None = ...,
    *,
    k: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MoeGatingTopKSoftmaxOutput[TensorHolder]: ...
@overload
def MoeGatingTopKSoftmax(
    x: _Operand,
    finished: _Operand | None = ...,
    *,
    k: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> MoeGatingTopKSoftmaxOutput[Value]: ...
@overload
def MseLoss(
    predict: TensorHolder,
    label: _GeOperand,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MseLoss(
    predict: _GeOperand,
    label: TensorHolder,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def MseLoss(
    predict: _Operand,
    label: _Operand,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class NLLLossOutput(NamedTuple, Generic[_V]):
    y: _V
    total_weight: _V

@overload
def NLLLoss(
    x: TensorHolder,
    target: _GeOperand,
    weight: _GeOperand | None = ...,
    *,
    reduction: str = ...,
    ignore_index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> NLLLossOutput[TensorHolder]: ...
@overload
def NLLLoss(
    x: _GeOperand,
    target: TensorHolder,
    weight: _GeOperand | None = ...,
    *,
    reduction: str = ...,
    ignore_index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> NLLLossOutput[TensorHolder]: ...
@overload
def NLLLoss(
    x: _Operand,
    target: _Operand,
    weight: _Operand | None = ...,
    *,
    reduction: str = ...,
    ignore_index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> NLLLossOutput[Value]: ...
@overload
def NonMaxSuppressionV3(
    boxes: TensorHolder,
    scores: _GeOperand,
    max_output_size: _GeOperand,
    iou_threshold: _GeOperand,
    score_threshold: _GeOperand,
    *,
    offset: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NonMaxSuppressionV3(
    boxes: _GeOperand,
    scores: TensorHolder,
    max_output_size: _GeOperand,
    iou_threshold: _GeOperand,
    score_threshold: _GeOperand,
    *,
    offset: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NonMaxSuppressionV3(
    boxes: _GeOperand,
    scores: _GeOperand,
    max_output_size: TensorHolder,
    iou_threshold: _GeOperand,
    score_threshold: _GeOperand,
    *,
    offset: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NonMaxSuppressionV3(
    boxes: _Operand,
    scores: _Operand,
    max_output_size: _Operand,
    iou_threshold: _Operand,
    score_threshold: _Operand,
    *,
    offset: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def NonMaxSuppressionV6(
    boxes: TensorHolder,
    scores: _GeOperand,
    max_output_size: _GeOperand | None = ...,
    iou_threshold: _GeOperand | None = ...,
    score_threshold: _GeOperand | None = ...,
    index_id: _GeOperand | None = ...,
    *,
    center_point_box: int = ...,
    max_boxes_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NonMaxSuppressionV6(
    boxes: _GeOperand,
    scores: TensorHolder,
    max_output_size: _GeOperand | None = ...,
    iou_threshold: _GeOperand | None = ...,
    score_threshold: _GeOperand | None = ...,
    index_id: _GeOperand | None = ...,
    *,
    center_point_box: int = ...,
    max_boxes_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def NonMaxSuppressionV6(
    boxes: _Operand,
    scores: _Operand,
    max_output_size: _Operand | None = ...,
    iou_threshold: _Operand | None = ...,
    score_threshold: _Operand | None = ...,
    index_id: _Operand | None = ...,
    *,
    center_point_box: int = ...,
    max_boxes_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Normalize(
    x1: TensorHolder,
    x2: _GeOperand,
    *,
    across_spatial: bool = ...,
    channel_shared: bool = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Normalize(
    x1: _GeOperand,
    x2: TensorHolder,
    *,
    across_spatial: bool = ...,
    channel_shared: bool = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Normalize(
    x1: _Operand,
    x2: _Operand,
    *,
    across_spatial: bool = ...,
    channel_shared: bool = ...,
    eps: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PRelu(
    x: TensorHolder,
    weight: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PRelu(
    x: _GeOperand,
    weight: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PRelu(
    x: _Operand,
    weight: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class PReluGradOutput(NamedTuple, Generic[_V]):
    dx: _V
    da: _V

@overload
def PReluGrad(
    grads: TensorHolder,
    features: _GeOperand,
    weights: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> PReluGradOutput[TensorHolder]: ...
@overload
def PReluGrad(
    grads: _GeOperand,
    features: TensorHolder,
    weights: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> PReluGradOutput[TensorHolder]: ...
@overload
def PReluGrad(
    grads: _GeOperand,
    features: _GeOperand,
    weights: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> PReluGradOutput[TensorHolder]: ...
@overload
def PReluGrad(
    grads: _Operand,
    features: _Operand,
    weights: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> PReluGradOutput[Value]: ...
@overload
def Pooling(
    x: TensorHolder,
    *,
    mode: int = ...,
    global_pooling: bool = ...,
    window: Sequence[int] = ...,
    stride: Sequence[int] = ...,
    pad: Sequence[int] = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Pooling(
    x: _Operand,
    *,
    mode: int = ...,
    global_pooling: bool = ...,
    window: Sequence[int] = ...,
    stride: Sequence[int] = ...,
    pad: Sequence[int] = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: int = ...,
    data_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def PromptFlashAttention(
    query: TensorHolder,
    key: _GeOperand,
    value: _GeOperand,
    pse_shift: _GeOperand | None = ...,
    atten_mask: _GeOperand | None = ...,
    actual_seq_lengths: _GeOperand | None = ...,
    actual_seq_lengths_kv: _GeOperand | None = ...,
    deq_scale1: _GeOperand | None = ...,
    quant_scale1: _GeOperand | None = ...,
    deq_scale2: _GeOperand | None = ...,
    quant_scale2: _GeOperand | None = ...,
    quant_offset2: _GeOperand | None = ...,
    *,
    num_heads: int,
    scale_value: float = ...,
    pre_tokens: int = ...,
    next_tokens: int = ...,
    input_layout: str = ...,
    num_key_value_heads: int = ...,
    sparse_mode: int = ...,
    inner_precise: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PromptFlashAttention(
    query: _GeOperand,
    key: TensorHolder,
    value: _GeOperand,
    pse_shift: _GeOperand | None = ...,
    atten_mask: _GeOperand | None = ...,
    actual_seq_lengths: _GeOperand | None = ...,
    actual_seq_lengths_kv: _GeOperand | None = ...,
    deq_scale1: _GeOperand | None = ...,
    quant_scale1: _GeOperand | None = ...,
    deq_scale2: _GeOperand | None = ...,
    quant_scale2: _GeOperand | None = ...,
    quant_offset2: _GeOperand | None = ...,
    *,
    num_heads: int,
    scale_value: float = ...,
    pre_tokens: int = ...,
    next_tokens: int = ...,
    input_layout: str = ...,
    num_key_value_heads: int = ...,
    sparse_mode: int = ...,
    inner_precise: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PromptFlashAttention(
    query: _GeOperand,
    key: _GeOperand,
    value: TensorHolder,
    pse_shift: _GeOperand | None = ...,
    atten_mask: _GeOperand | None = ...,
    actual_seq_lengths: _GeOperand | None = ...,
    actual_seq_lengths_kv: _GeOperand | None = ...,
    deq_scale1: _GeOperand | None = ...,
    quant_scale1: _GeOperand | None = ...,
    deq_scale2: _GeOperand | None = ...,
    quant_scale2: _GeOperand | None = ...,
    quant_offset2: _GeOperand | None = ...,
    *,
    num_heads: int,
    scale_value: float = ...,
    pre_tokens: int = ...,
    next_tokens: int = ...,
    input_layout: str = ...,
    num_key_value_heads: int = ...,
    sparse_mode: int = ...,
    inner_precise: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def PromptFlashAttention(
    query: _Operand,
    key: _Operand,
    value: _Operand,
    pse_shift: _Operand | None = ...,
    atten_mask: _Operand | None = ...,
    actual_seq_lengths: _Operand | None = ...,
    actual_seq_lengths_kv: _Operand | None = ...,
    deq_scale1: _Operand | None = ...,
    quant_scale1: _Operand | None = ...,
    deq_scale2: _Operand | None = ...,
    quant_scale2: _Operand | None = ...,
    quant_offset2: _Operand | None = ...,
    *,
    num_heads: int,
    scale_value: float = ...,
    pre_tokens: int = ...,
    next_tokens: int = ...,
    input_layout: str = ...,
    num_key_value_heads: int = ...,
    sparse_mode: int = ...,
    inner_precise: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def QuantBatchMatmulV3(
    x1: TensorHolder,
    x2: _GeOperand,
    scale: _GeOperand,
    offset: _GeOperand | None = ...,
    bias: _GeOperand | None = ...,
    pertoken_scale: _GeOperand | None = ...,
    *,
    dtype: int | DType,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    group_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def QuantBatchMatmulV3(
    x1: _GeOperand,
    x2: TensorHolder,
    scale: _GeOperand,
    offset: _GeOperand | None = ...,
    bias: _GeOperand | None = ...,
    pertoken_scale: _GeOperand | None = ...,
    *,
    dtype: int | DType,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    group_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def QuantBatchMatmulV3(
    x1: _GeOperand,
    x2: _GeOperand,
    scale: TensorHolder,
    offset: _GeOperand | None = ...,
    bias: _GeOperand | None = ...,
    pertoken_scale: _GeOperand | None = ...,
    *,
    dtype: int | DType,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    group_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def QuantBatchMatmulV3(
    x1: _Operand,
    x2: _Operand,
    scale: _Operand,
    offset: _Operand | None = ...,
    bias: _Operand | None = ...,
    pertoken_scale: _Operand | None = ...,
    *,
    dtype: int | DType,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    group_size: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Quantize(
    x: TensorHolder,
    scales: _GeOperand,
    zero_points: _GeOperand | None = ...,
    *,
    dtype: str,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Quantize(
    x: _GeOperand,
    scales: TensorHolder,
    zero_points: _GeOperand | None = ...,
    *,
    dtype: str,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Quantize(
    x: _Operand,
    scales: _Operand,
    zero_points: _Operand | None = ...,
    *,
    dtype: str,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Relu(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Relu(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Relu6(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Relu6(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Relu6Grad(
    gradients: TensorHolder,
    features: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Relu6Grad(
    gradients: _GeOperand,
    features: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Relu6Grad(
    gradients: _Operand,
    features: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReluGrad(
    gradients: TensorHolder,
    features: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReluGrad(
    gradients: _GeOperand,
    features: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReluGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ReluGradV2(
    gradients: TensorHolder,
    mask: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReluGradV2(
    gradients: _GeOperand,
    mask: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ReluGradV2(
    gradients: _Operand,
    mask: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class ReluV2Output(NamedTuple, Generic[_V]):
    y: _V
    mask: _V

@overload
def ReluV2(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ReluV2Output[TensorHolder]: ...
@overload
def ReluV2(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> ReluV2Output[Value]: ...
@overload
def Renorm(
    x: TensorHolder,
    *,
    p: float,
    dim: int,
    maxnorm: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Renorm(
    x: _Operand,
    *,
    p: float,
    dim: int,
    maxnorm: float,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Resize(
    x: TensorHolder,
    roi: _GeOperand | None = ...,
    scales: _GeOperand | None = ...,
    sizes: _GeOperand | None = ...,
    *,
    coordinate_transformation_mode: str = ...,
    cubic_coeff_a: float = ...,
    exclude_outside: int = ...,
    extrapolation_value: float = ...,
    mode: str = ...,
    nearest_mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Resize(
    x: _Operand,
    roi: _Operand | None = ...,
    scales: _Operand | None = ...,
    sizes: _Operand | None = ...,
    *,
    coordinate_transformation_mode: str = ...,
    cubic_coeff_a: float = ...,
    exclude_outside: int = ...,
    extrapolation_value: float = ...,
    mode: str = ...,
    nearest_mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ResizeBilinearV2(
    x: TensorHolder,
    size: _GeOperand,
    *,
    align_corners: bool = ...,
    half_pixel_centers: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ResizeBilinearV2(
    x: _GeOperand,
    size: TensorHolder,
    *,
    align_corners: bool = ...,
    half_pixel_centers: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ResizeBilinearV2(
    x: _Operand,
    size: _Operand,
    *,
    align_corners: bool = ...,
    half_pixel_centers: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ResizeNearestNeighborV2(
    x: TensorHolder,
    size: _GeOperand,
    *,
    align_corners: bool = ...,
    half_pixel_centers: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ResizeNearestNeighborV2(
    x: _GeOperand,
    size: TensorHolder,
    *,
    align_corners: bool = ...,
    half_pixel_centers: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ResizeNearestNeighborV2(
    x: _Operand,
    size: _Operand,
    *,
    align_corners: bool = ...,
    half_pixel_centers: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class RmsNormOutput(NamedTuple, Generic[_V]):
    y: _V
    rstd: _V

@overload
def RmsNorm(
    x: TensorHolder,
    gamma: _GeOperand,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> RmsNormOutput[TensorHolder]: ...
@overload
def RmsNorm(
    x: _GeOperand,
    gamma: TensorHolder,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> RmsNormOutput[TensorHolder]: ...
@overload
def RmsNorm(
    x: _Operand,
    gamma: _Operand,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> RmsNormOutput[Value]: ...
@overload
def Scale(
    x: TensorHolder,
    scale: _GeOperand,
    bias: _GeOperand | None = ...,
    *,
    axis: int = ...,
    num_axes: int = ...,
    scale_from_blob: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Scale(
    x: _GeOperand,
    scale: TensorHolder,
    bias: _GeOperand | None = ...,
    *,
    axis: int = ...,
    num_axes: int = ...,
    scale_from_blob: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Scale(
    x: _Operand,
    scale: _Operand,
    bias: _Operand | None = ...,
    *,
    axis: int = ...,
    num_axes: int = ...,
    scale_from_blob: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterAdd(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterAdd(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterAdd(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterAdd(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterDiv(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterDiv(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterDiv(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterDiv(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterElements(
    data: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    axis: int = ...,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterElements(
    data: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    axis: int = ...,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterElements(
    data: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    axis: int = ...,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterElements(
    data: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    axis: int = ...,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterMax(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMax(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMax(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMax(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterMin(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMin(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMin(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMin(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterMul(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMul(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMul(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterMul(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterNd(
    indices: TensorHolder,
    x: _GeOperand,
    shape: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNd(
    indices: _GeOperand,
    x: TensorHolder,
    shape: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNd(
    indices: _GeOperand,
    x: _GeOperand,
    shape: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNd(
    indices: _Operand,
    x: _Operand,
    shape: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterNdAdd(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdAdd(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdAdd(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdAdd(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterNdSub(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdSub(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdSub(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdSub(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterNdUpdate(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdUpdate(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdUpdate(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterNdUpdate(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterSub(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterSub(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterSub(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterSub(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ScatterUpdate(
    var: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterUpdate(
    var: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterUpdate(
    var: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ScatterUpdate(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Selu(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Selu(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SeluGrad(
    gradients: TensorHolder,
    outputs: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SeluGrad(
    gradients: _GeOperand,
    outputs: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SeluGrad(
    gradients: _Operand,
    outputs: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Sigmoid(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Sigmoid(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SigmoidCrossEntropyWithLogits(
    predict: TensorHolder,
    target: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SigmoidCrossEntropyWithLogits(
    predict: _GeOperand,
    target: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SigmoidCrossEntropyWithLogits(
    predict: _Operand,
    target: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SigmoidCrossEntropyWithLogitsV2(
    predict: TensorHolder,
    target: _GeOperand,
    weight: _GeOperand | None = ...,
    pos_weight: _GeOperand | None = ...,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SigmoidCrossEntropyWithLogitsV2(
    predict: _GeOperand,
    target: TensorHolder,
    weight: _GeOperand | None = ...,
    pos_weight: _GeOperand | None = ...,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SigmoidCrossEntropyWithLogitsV2(
    predict: _Operand,
    target: _Operand,
    weight: _Operand | None = ...,
    pos_weight: _Operand | None = ...,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SigmoidGrad(
    y: TensorHolder,
    dy: _GeOperand,
    *,
    complex_conj: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SigmoidGrad(
    y: _GeOperand,
    dy: TensorHolder,
    *,
    complex_conj: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SigmoidGrad(
    y: _Operand,
    dy: _Operand,
    *,
    complex_conj: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SmoothL1Loss(
    predict: TensorHolder,
    label: _GeOperand,
    *,
    sigma: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SmoothL1Loss(
    predict: _GeOperand,
    label: TensorHolder,
    *,
    sigma: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SmoothL1Loss(
    predict: _Operand,
    label: _Operand,
    *,
    sigma: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SoftShrink(
    input_x: TensorHolder,
    *,
    lambd: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftShrink(
    input_x: _Operand,
    *,
    lambd: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class SoftmaxCrossEntropyWithLogitsOutput(NamedTuple, Generic[_V]):
    loss: _V
    backprop: _V

@overload
def SoftmaxCrossEntropyWithLogits(
    features: TensorHolder,
    labels: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SoftmaxCrossEntropyWithLogitsOutput[TensorHolder]: ...
@overload
def SoftmaxCrossEntropyWithLogits(
    features: _GeOperand,
    labels: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SoftmaxCrossEntropyWithLogitsOutput[TensorHolder]: ...
@overload
def SoftmaxCrossEntropyWithLogits(
    features: _Operand,
    labels: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SoftmaxCrossEntropyWithLogitsOutput[Value]: ...
@overload
def SoftmaxGrad(
    softmax: TensorHolder,
    grad_softmax: _GeOperand,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftmaxGrad(
    softmax: _GeOperand,
    grad_softmax: TensorHolder,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftmaxGrad(
    softmax: _Operand,
    grad_softmax: _Operand,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SoftmaxV2(
    x: TensorHolder,
    *,
    axes: Sequence[int] = ...,
    half_to_float: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftmaxV2(
    x: _Operand,
    *,
    axes: Sequence[int] = ...,
    half_to_float: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Softplus(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Softplus(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SoftplusGrad(
    gradients: TensorHolder,
    features: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftplusGrad(
    gradients: _GeOperand,
    features: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftplusGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SoftplusV2(
    x: TensorHolder,
    *,
    beta: float = ...,
    threshold: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftplusV2(
    x: _Operand,
    *,
    beta: float = ...,
    threshold: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Softsign(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Softsign(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SoftsignGrad(
    gradients: TensorHolder,
    features: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftsignGrad(
    gradients: _GeOperand,
    features: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SoftsignGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class SparseSoftmaxCrossEntropyWithLogitsOutput(NamedTuple, Generic[_V]):
    loss: _V
    backprop: _V

@overload
def SparseSoftmaxCrossEntropyWithLogits(
    features: TensorHolder,
    labels: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SparseSoftmaxCrossEntropyWithLogitsOutput[TensorHolder]: ...
@overload
def SparseSoftmaxCrossEntropyWithLogits(
    features: _GeOperand,
    labels: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SparseSoftmaxCrossEntropyWithLogitsOutput[TensorHolder]: ...
@overload
def SparseSoftmaxCrossEntropyWithLogits(
    features: _Operand,
    labels: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> SparseSoftmaxCrossEntropyWithLogitsOutput[Value]: ...
@overload
def SwiGlu(
    x: TensorHolder,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SwiGlu(
    x: _Operand,
    *,
    dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Swish(
    x: TensorHolder,
    *,
    scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Swish(
    x: _Operand,
    *,
    scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def SwishGrad(
    grad: TensorHolder,
    x: _GeOperand,
    y: _GeOperand,
    *,
    scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SwishGrad(
    grad: _GeOperand,
    x: TensorHolder,
    y: _GeOperand,
    *,
    scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SwishGrad(
    grad: _GeOperand,
    x: _GeOperand,
    y: TensorHolder,
    *,
    scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def SwishGrad(
    grad: _Operand,
    x: _Operand,
    y: _Operand,
    *,
    scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Tanh(
    x: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Tanh(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TanhGrad(
    y: TensorHolder,
    dy: _GeOperand,
    *,
    complex_conj: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TanhGrad(
    y: _GeOperand,
    dy: TensorHolder,
    *,
    complex_conj: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TanhGrad(
    y: _Operand,
    dy: _Operand,
    *,
    complex_conj: bool = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TensorScatterAdd(
    x: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterAdd(
    x: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterAdd(
    x: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterAdd(
    x: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TensorScatterSub(
    x: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterSub(
    x: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterSub(
    x: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterSub(
    x: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TensorScatterUpdate(
    x: TensorHolder,
    indices: _GeOperand,
    updates: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterUpdate(
    x: _GeOperand,
    indices: TensorHolder,
    updates: _GeOperand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterUpdate(
    x: _GeOperand,
    indices: _GeOperand,
    updates: TensorHolder,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TensorScatterUpdate(
    x: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def Threshold(
    x: TensorHolder,
    *,
    threshold: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def Threshold(
    x: _Operand,
    *,
    threshold: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def ThresholdedRelu(
    x: TensorHolder,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def ThresholdedRelu(
    x: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
@overload
def TransQuantParamV2(
    scale: TensorHolder,
    offset: _GeOperand | None = ...,
    *,
    round_mode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TensorHolder: ...
@overload
def TransQuantParamV2(
    scale: _Operand,
    offset: _Operand | None = ...,
    *,
    round_mode: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
