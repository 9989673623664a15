# Written by scripts/gen_es_stubs.py from the records; not to be edited.
"""Graph-building functions of the operators of 'math'."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..ir import DType, Graph, Location, Node, Tensor, Type, Value
from ._namespace import Namespace

_Operand: TypeAlias = Value | Node | Tensor | complex | str | Sequence[Any] | Any
_Body: TypeAlias = Graph | Callable[..., Any]

opset: int | None

def at(version: int) -> Namespace: ...

def Abs(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def AccumulateNV2(
    x: Sequence[_Operand],
    *,
    N: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Acos(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Acosh(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Add(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AddN(
    x: Sequence[_Operand],
    *,
    N: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Addcdiv(
    input_data: _Operand,
    x1: _Operand,
    x2: _Operand,
    value: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Addcmul(
    input_data: _Operand,
    x1: _Operand,
    x2: _Operand,
    value: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Adds(
    x: _Operand,
    *,
    value: float,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ApproximateEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    tolerance: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ArgMaxV2(
    x: _Operand,
    dimension: _Operand,
    *,
    dtype: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class ArgMaxWithValueOutput(NamedTuple):
    indice: Value
    values: Value

def ArgMaxWithValue(
    x: _Operand,
    *,
    dimension: int,
    keep_dims: bool = ...,
    indice_dtype: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> ArgMaxWithValueOutput: ...
def ArgMin(
    x: _Operand,
    dimension: _Operand,
    *,
    dtype: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class ArgMinWithValueOutput(NamedTuple):
    indice: Value
    values: Value

def ArgMinWithValue(
    x: _Operand,
    *,
    dimension: int,
    keep_dims: bool = ...,
    indice_dtype: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> ArgMinWithValueOutput: ...
def Asin(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Asinh(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Assign(
    ref: _Operand,
    value: _Operand,
    *,
    validate_shape: bool = ...,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AssignAdd(
    ref: _Operand,
    value: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AssignSub(
    ref: _Operand,
    value: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Atan(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Atan2(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Atanh(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Axpy(
    x1: _Operand,
    x2: _Operand,
    *,
    alpha: float,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AxpyV2(
    x1: _Operand,
    x2: _Operand,
    alpha: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BatchToSpace(
    x: _Operand,
    crops: _Operand,
    *,
    block_size: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BatchToSpaceND(
    x: _Operand,
    block_shape: _Operand,
    crops: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Bitcast(
    x: _Operand,
    *,
    type: DType | str,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BitwiseAnd(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BitwiseOr(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BitwiseXor(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BroadcastArgs(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class BroadcastGradientArgsOutput(NamedTuple):
    y1: Value
    y2: Value

def BroadcastGradientArgs(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> BroadcastGradientArgsOutput: ...
def BroadcastTo(
    x: _Operand,
    shape: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BroadcastToD(
    x: _Operand,
    *,
    shape: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Case(
    branch_index: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    branches: Sequence[_Body],
    *,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def Cast(
    x: _Operand,
    *,
    dst_type: int | DType,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Ceil(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def CheckNumerics(
    x: _Operand,
    *,
    message: str,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ClipByValue(
    x: _Operand,
    clip_value_min: _Operand,
    clip_value_max: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Concat(
    concat_dim: _Operand,
    x: Sequence[_Operand],
    *,
    N: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ConcatD(
    x: Sequence[_Operand],
    *,
    concat_dim: int,
    N: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ConcatOffset(
    concat_dim: _Operand,
    x: Sequence[_Operand],
    y_num: int,
    *,
    N: int,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def ConcatV2(
    x: Sequence[_Operand],
    concat_dim: _Operand,
    *,
    N: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ConcatV2D(
    x: Sequence[_Operand],
    *,
    concat_dim: int,
    N: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ConfusionTransposeD(
    x: _Operand,
    *,
    perm: Sequence[int],
    shape: Sequence[int],
    transpose_first: bool,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Const(
    *,
    value: Tensor | Any | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Constant(
    *,
    value: Tensor | Any | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ControlTrigger(*, _name: str | None = ..., _loc: Location | None = ...) -> None: ...
def Cos(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Cosh(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Cross(
    x1: _Operand,
    x2: _Operand,
    *,
    dim: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Cumprod(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Cumsum(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def CumsumD(
    x: _Operand,
    *,
    axis: int,
    exclusive: bool = ...,
    reverse: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def CumulativeLogsumexp(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: bool = ...,
    reverse: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Data(
    x: _Operand | None = ...,
    *,
    index: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def DepthToSpace(
    x: _Operand,
    *,
    block_size: int,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Diag(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def DiagPart(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Digamma(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Div(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def DivNoNan(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def DropOutGenMask(
    shape: _Operand,
    prob: _Operand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Einsum(
    x: Sequence[_Operand],
    *,
    equation: str,
    N: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Eltwise(
    x: Sequence[_Operand],
    *,
    N: int,
    mode: int = ...,
    coeff: Sequence[float] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Enter(
    x: _Operand,
    *,
    frame_name: str,
    is_constant: bool,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Equal(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Erf(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Erfc(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Erfinv(input_x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def EuclideanNorm(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Exit(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Exp(
    x: _Operand,
    *,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Expand(
    x: _Operand,
    shape: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ExpandD(
    x: _Operand,
    *,
    shape: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ExpandDims(
    x: _Operand,
    axis: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Expm1(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Eye(
    *,
    num_rows: int,
    num_columns: int = ...,
    batch_shape: Sequence[int] = ...,
    dtype: int | DType = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FileConstant(
    *,
    file_path: str = ...,
    file_id: str = ...,
    shape: Sequence[int],
    dtype: DType | str,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Fill(
    dims: _Operand,
    value: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FillD(
    value: _Operand,
    *,
    dims: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Flatten(
    x: _Operand,
    *,
    axis: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FlattenV2(
    x: _Operand,
    *,
    axis: int = ...,
    end_axis: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Floor(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def FloorDiv(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FloorMod(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def For(
    start: _Operand,
    limit: _Operand,
    delta: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    body: _Body,
    *,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def GEMM(
    a: _Operand,
    b: _Operand,
    c: _Operand,
    alpha: _Operand,
    beta: _Operand,
    *,
    transpose_a: bool = ...,
    transpose_b: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Greater(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GreaterEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Identity(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def IdentityN(
    x: Sequence[_Operand],
    y_num: int,
    *,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def If(
    cond: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def InTopK(
    x1: _Operand,
    x2: _Operand,
    k: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Inv(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Invert(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def InvertPermutation(
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def IsFinite(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def IsInf(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def IsNan(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def L2Loss(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def LeftShift(
    x: _Operand,
    y: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Lerp(
    start: _Operand,
    end: _Operand,
    weight: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Less(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LessEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Lgamma(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def LinSpace(
    start: _Operand,
    stop: _Operand,
    num: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Log(
    x: _Operand,
    *,
    base: float = ...,
    scale: float = ...,
    shift: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Log1p(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def LogicalAnd(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LogicalNot(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def LogicalOr(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LoopCond(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def LpNorm(
    x: _Operand,
    *,
    p: int = ...,
    axes: Sequence[int] = ...,
    keepdim: bool = ...,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MaskedFill(
    x: _Operand,
    mask: _Operand,
    value: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MaskedSelect(
    x: _Operand,
    mask: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MatMul(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MatrixBandPart(
    x: _Operand,
    num_lower: _Operand,
    num_upper: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MatrixDiag(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def MatrixDiagPart(
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MatrixSetDiag(
    x: _Operand,
    diagonal: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Maximum(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class MergeOutput(NamedTuple):
    y: Value
    value_index: Value

def Merge(
    x: Sequence[_Operand],
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> MergeOutput: ...
def Minimum(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MirrorPad(
    x: _Operand,
    paddings: _Operand,
    *,
    mode: str,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Mod(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Mul(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MulNoNan(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Muls(
    x: _Operand,
    *,
    value: float,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Neg(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def NetOutput(
    x: Sequence[_Operand],
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> None: ...
def NextIteration(
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def NoOp(*, _name: str | None = ..., _loc: Location | None = ...) -> None: ...
def NonZero(
    x: _Operand,
    *,
    transpose: bool = ...,
    dtype: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def NotEqual(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def OneHot(
    x: _Operand,
    depth: _Operand,
    on_value: _Operand,
    off_value: _Operand,
    *,
    axis: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def OneHotD(
    x: _Operand,
    on_value: _Operand,
    off_value: _Operand,
    *,
    depth: int,
    axis: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def OnesLike(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Pack(
    x: Sequence[_Operand],
    *,
    axis: int = ...,
    N: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Pad(
    x: _Operand,
    paddings: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PadD(
    x: _Operand,
    *,
    paddings: Sequence[Sequence[int]],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PadV2(
    x: _Operand,
    paddings: _Operand,
    constant_values: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PadV3(
    x: _Operand,
    paddings: _Operand,
    constant_values: _Operand | None = ...,
    *,
    mode: str = ...,
    paddings_contiguous: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PartitionedCall(
    args: Sequence[_Operand],
    output_num: int,
    f: _Body,
    *,
    config: str = ...,
    config_proto: str = ...,
    executor_type: str = ...,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def Permute(
    x: _Operand,
    *,
    order: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PhonyConcat(
    x: Sequence[_Operand],
    *,
    concat_dim: Sequence[int],
    N: Sequence[int],
    keep_input_offset: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PlaceHolder(
    x: _Operand | None = ...,
    *,
    peerIndex: int = ...,
    parentId: str = ...,
    parentOpType: str = ...,
    anchorIndex: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Pow(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Power(
    x: _Operand,
    *,
    power: float = ...,
    scale: float = ...,
    shift: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PreventGradient(
    x: _Operand,
    *,
    message: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def RandomStandardNormal(
    shape: _Operand,
    *,
    dtype: DType | str,
    seed: int = ...,
    seed2: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def RandomUniform(
    shape: _Operand,
    *,
    dtype: DType | str,
    seed: int = ...,
    seed2: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def RandomUniformInt(
    shape: _Operand,
    min: _Operand,
    max: _Operand,
    *,
    seed: int = ...,
    seed2: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Range(
    start: _Operand,
    limit: _Operand,
    delta: _Operand,
    *,
    is_closed: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Rank(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def RealDiv(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Reciprocal(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def ReduceAll(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceAllD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceAny(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceAnyD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceLogSum(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceLogSumExp(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceMax(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceMaxD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceMean(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceMeanD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceMin(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceMinD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceProd(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceProdD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class ReduceStdOutput(NamedTuple):
    y1: Value
    y2: Value

def ReduceStd(
    x: _Operand,
    *,
    dim: Sequence[int] = ...,
    unbiased: bool = ...,
    keepdim: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> ReduceStdOutput: ...
def ReduceSum(
    x: _Operand,
    axes: _Operand,
    *,
    keep_dims: bool = ...,
    noop_with_empty_axes: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReduceSumD(
    x: _Operand,
    *,
    axes: Sequence[int],
    keep_dims: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def RefData(
    x: _Operand | None = ...,
    *,
    index: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Reshape(
    x: _Operand,
    shape: _Operand,
    *,
    axis: int = ...,
    num_axes: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReverseSequence(
    x: _Operand,
    seq_lengths: _Operand,
    *,
    seq_dim: int,
    batch_dim: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReverseV2(
    x: _Operand,
    axis: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReverseV2D(
    x: _Operand,
    *,
    axis: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def RightShift(
    x: _Operand,
    y: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Rint(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Roll(
    x: _Operand,
    *,
    shifts: Sequence[int],
    dims: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Round(
    x: _Operand,
    *,
    decimals: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Rsqrt(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def SegmentMax(
    x: _Operand,
    segment_ids: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SegmentSum(
    x: _Operand,
    segment_ids: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Select(
    condition: _Operand,
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SelectV2(
    condition: _Operand,
    then: _Operand,
    in_else: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Shape(
    x: _Operand,
    *,
    dtype: int | DType = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ShapeN(
    x: Sequence[_Operand],
    y_num: int,
    *,
    dtype: int | DType = ...,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def Sign(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Sin(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Sinh(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Size(
    x: _Operand,
    *,
    dtype: int | DType = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Slice(
    x: _Operand,
    offsets: _Operand,
    size: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SliceD(
    x: _Operand,
    *,
    offsets: Sequence[int],
    size: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Snapshot(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
class SortOutput(NamedTuple):
    y1: Value
    y2: Value

def Sort(
    x: _Operand,
    *,
    axis: int = ...,
    descending: bool = ...,
    stable: bool = ...,
    y2_dtype: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> SortOutput: ...
def SpaceToBatch(
    x: _Operand,
    paddings: _Operand,
    *,
    block_size: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SpaceToBatchND(
    x: _Operand,
    block_shape: _Operand,
    paddings: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SpaceToDepth(
    x: _Operand,
    *,
    block_size: int,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Split(
    split_dim: _Operand,
    x: _Operand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def SplitD(
    x: _Operand,
    y_num: int,
    *,
    split_dim: int,
    num_split: int,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def SplitV(
    x: _Operand,
    size_splits: _Operand,
    split_dim: _Operand,
    y_num: int,
    *,
    num_split: int,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def SplitVD(
    x: _Operand,
    y_num: int,
    *,
    size_splits: Sequence[int],
    split_dim: int,
    num_split: int,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def Sqrt(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Square(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def SquaredDifference(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Squeeze(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SqueezeV2(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SqueezeV3(
    x: _Operand,
    axes: _Operand | None = ...,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def StatefulPartitionedCall(
    args: Sequence[_Operand],
    output_num: int,
    f: _Body,
    *,
    config: str = ...,
    config_proto: str = ...,
    executor_type: str = ...,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def StatelessIf(
    cond: _Operand,
    input: Sequence[_Operand],
    output_num: int,
    then_branch: _Body,
    else_branch: _Body,
    *,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def StatelessWhile(
    input: Sequence[_Operand],
    output_num: int,
    cond: _Body,
    body: _Body,
    *,
    parallel_iterations: int = ...,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def StopGradient(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Sub(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class SwitchOutput(NamedTuple):
    output_false: Value
    output_true: Value

def Switch(
    data: _Operand,
    pred: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> SwitchOutput: ...
def Tan(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def TensorMove(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Tile(
    x: _Operand,
    multiples: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TileD(
    x: _Operand,
    *,
    multiples: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class TopKOutput(NamedTuple):
    values: Value
    indices: Value

def TopK(
    x: _Operand,
    k: _Operand,
    *,
    sorted: bool = ...,
    largest: bool = ...,
    dim: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> TopKOutput: ...
class TopKV2Output(NamedTuple):
    values: Value
    indices: Value

def TopKV2(
    x: _Operand,
    k: _Operand,
    *,
    sorted: bool = ...,
    dim: int = ...,
    largest: bool = ...,
    indices_dtype: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> TopKV2Output: ...
def TransData(
    src: _Operand,
    *,
    src_format: str,
    dst_format: str,
    groups: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Transpose(
    x: _Operand,
    perm: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TransposeD(
    x: _Operand,
    *,
    perm: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Tril(
    x: _Operand,
    *,
    diagonal: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Triu(
    x: _Operand,
    *,
    diagonal: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Trunc(input_x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def TruncateDiv(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TruncateMod(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TruncatedNormal(
    shape: _Operand,
    *,
    seed: int = ...,
    seed2: int = ...,
    dtype: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class UniqueOutput(NamedTuple):
    y: Value
    idx: Value

def Unique(
    x: _Operand,
    *,
    out_idx: DType | str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> UniqueOutput: ...
class UniqueWithCountsOutput(NamedTuple):
    y: Value
    idx: Value
    count: Value  # type: ignore[assignment]

def UniqueWithCounts(
    x: _Operand,
    *,
    out_idx: DType | str,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> UniqueWithCountsOutput: ...
def Unpack(
    x: _Operand,
    y_num: int,
    *,
    num: int,
    axis: int = ...,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def UnsortedSegmentSum(
    x: _Operand,
    segment_ids: _Operand,
    num_segments: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Unsqueeze(
    x: _Operand,
    *,
    axes: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def UnsqueezeV2(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def UnsqueezeV3(
    x: _Operand,
    axes: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Variable(
    x: _Operand | None = ...,
    *,
    index: int = ...,
    value: Tensor | Any | None = ...,
    container: str = ...,
    shared_name: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Where(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def While(
    input: Sequence[_Operand],
    output_num: int,
    cond: _Body,
    body: _Body,
    *,
    parallel_iterations: int = ...,
    _outputs: int | None = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> list[Value]: ...
def Xdivy(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Xlogy(
    x1: _Operand,
    x2: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ZerosLike(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
