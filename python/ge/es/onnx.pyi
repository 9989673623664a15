# Written by scripts/gen_es_stubs.py from the records; not to be edited.
"""Graph-building functions of the operators of 'onnx'."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..ir import DType, Graph, InsertionPoint, Location, Node, Tensor, Type, Value
from ._namespace import Namespace

class _Array(Protocol):
    @property
    def __array__(self) -> Callable[..., Any]: ...

_Literal: TypeAlias = complex | str | Sequence[Any] | Tensor | _Array
_Operand: TypeAlias = Value | Node | _Literal
_Types: TypeAlias = Type | Sequence[Type | None] | None
_Body: TypeAlias = Graph | Callable[..., Any]

opset: int | None

def at(version: int) -> Namespace: ...

ml: Namespace

preview: Namespace

def Abs(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Acos(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Acosh(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Add(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def AffineGrid(
    theta: _Operand,
    size: _Operand,
    *,
    align_corners: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def And(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ArgMax(
    data: _Operand,
    *,
    axis: int = ...,
    keepdims: int = ...,
    select_last_index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ArgMin(
    data: _Operand,
    *,
    axis: int = ...,
    keepdims: int = ...,
    select_last_index: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Asin(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Asinh(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Atan(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Atanh(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Attention(
    Q: _Operand,
    K: _Operand,
    V: _Operand,
    attn_mask: _Operand | None = ...,
    past_key: _Operand | None = ...,
    past_value: _Operand | None = ...,
    nonpad_kv_seqlen: _Operand | None = ...,
    *,
    is_causal: int = ...,
    kv_num_heads: int | None = ...,
    left_window_size: int = ...,
    q_num_heads: int | None = ...,
    qk_matmul_output_mode: int = ...,
    right_window_size: int = ...,
    scale: float | None = ...,
    softcap: float = ...,
    softmax_precision: int | None = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
def AveragePool(
    X: _Operand,
    *,
    auto_pad: str = ...,
    ceil_mode: int = ...,
    count_include_pad: int = ...,
    dilations: Sequence[int] | None = ...,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BatchNormalization(
    X: _Operand,
    scale: _Operand,
    B: _Operand,
    input_mean: _Operand,
    input_var: _Operand,
    *,
    epsilon: float = ...,
    momentum: float = ...,
    training_mode: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
def Bernoulli(
    input: _Operand,
    *,
    dtype: int | DType | None = ...,
    seed: float | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BitCast(
    input: _Operand,
    *,
    to: int | DType,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BitShift(
    X: _Operand,
    Y: _Operand,
    *,
    direction: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BitwiseAnd(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BitwiseNot(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BitwiseOr(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BitwiseXor(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def BlackmanWindow(
    size: _Operand,
    *,
    output_datatype: int = ...,
    periodic: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Cast(
    input: _Operand,
    *,
    round_mode: str = ...,
    saturate: int = ...,
    to: int | DType,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def CastLike(
    input: _Operand,
    target_type: _Operand,
    *,
    round_mode: str = ...,
    saturate: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class CausalConvWithStateOutput(NamedTuple):
    output: Value
    present_state: Value

def CausalConvWithState(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = ...,
    past_state: _Operand | None = ...,
    *,
    activation: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> CausalConvWithStateOutput: ...
def Ceil(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Celu(
    X: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def CenterCropPad(
    input_data: _Operand,
    shape: _Operand,
    *,
    axes: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Clip(
    input: _Operand,
    min: _Operand | None = ...,
    max: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Col2Im(
    input: _Operand,
    image_shape: _Operand,
    block_shape: _Operand,
    *,
    dilations: Sequence[int] | None = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Compress(
    input: _Operand,
    condition: _Operand,
    *,
    axis: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Concat(
    inputs: Sequence[_Operand],
    *,
    axis: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ConcatFromSequence(
    input_sequence: _Operand,
    *,
    axis: int,
    new_axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Constant(
    *,
    sparse_value: dict[str, Any] | None = ...,
    value: Tensor | Any | None = ...,
    value_float: float | None = ...,
    value_floats: Sequence[float] | None = ...,
    value_int: int | None = ...,
    value_ints: Sequence[int] | None = ...,
    value_string: str | None = ...,
    value_strings: Sequence[str] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ConstantOfShape(
    input: _Operand,
    *,
    value: Tensor | Any | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Conv(
    X: _Operand,
    W: _Operand,
    B: _Operand | None = ...,
    *,
    auto_pad: str = ...,
    dilations: Sequence[int] | None = ...,
    group: int = ...,
    kernel_shape: Sequence[int] | None = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ConvInteger(
    x: _Operand,
    w: _Operand,
    x_zero_point: _Operand | None = ...,
    w_zero_point: _Operand | None = ...,
    *,
    auto_pad: str = ...,
    dilations: Sequence[int] | None = ...,
    group: int = ...,
    kernel_shape: Sequence[int] | None = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ConvTranspose(
    X: _Operand,
    W: _Operand,
    B: _Operand | None = ...,
    *,
    auto_pad: str = ...,
    dilations: Sequence[int] | None = ...,
    group: int = ...,
    kernel_shape: Sequence[int] | None = ...,
    output_padding: Sequence[int] | None = ...,
    output_shape: Sequence[int] | None = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Cos(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Cosh(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def CumProd(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: int = ...,
    reverse: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def CumSum(
    x: _Operand,
    axis: _Operand,
    *,
    exclusive: int = ...,
    reverse: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def DFT(
    input: _Operand,
    dft_length: _Operand | None = ...,
    axis: _Operand | None = ...,
    *,
    inverse: int = ...,
    onesided: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def DeformConv(
    X: _Operand,
    W: _Operand,
    offset: _Operand,
    B: _Operand | None = ...,
    mask: _Operand | None = ...,
    *,
    dilations: Sequence[int] | None = ...,
    group: int = ...,
    kernel_shape: Sequence[int] | None = ...,
    offset_group: int = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def DepthToSpace(
    input: _Operand,
    *,
    blocksize: int,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def DequantizeLinear(
    x: _Operand,
    x_scale: _Operand,
    x_zero_point: _Operand | None = ...,
    *,
    axis: int = ...,
    block_size: int = ...,
    output_dtype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Det(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Div(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Dropout(
    data: _Operand,
    ratio: _Operand | None = ...,
    training_mode: _Operand | None = ...,
    *,
    seed: int | None = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
class DynamicQuantizeLinearOutput(NamedTuple):
    y: Value
    y_scale: Value
    y_zero_point: Value

def DynamicQuantizeLinear(
    x: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> DynamicQuantizeLinearOutput: ...
def Einsum(
    Inputs: Sequence[_Operand],
    *,
    equation: str,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Elu(
    X: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Equal(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Erf(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Exp(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Expand(
    input: _Operand,
    shape: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def EyeLike(
    input: _Operand,
    *,
    dtype: int | DType | None = ...,
    k: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Flatten(
    input: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Floor(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class GRUOutput(NamedTuple):
    Y: Value
    Y_h: Value

def GRU(
    X: _Operand,
    W: _Operand,
    R: _Operand,
    B: _Operand | None = ...,
    sequence_lens: _Operand | None = ...,
    initial_h: _Operand | None = ...,
    *,
    activation_alpha: Sequence[float] | None = ...,
    activation_beta: Sequence[float] | None = ...,
    activations: Sequence[str] | None = ...,
    clip: float | None = ...,
    direction: str = ...,
    hidden_size: int | None = ...,
    layout: int = ...,
    linear_before_reset: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> GRUOutput: ...
def Gather(
    data: _Operand,
    indices: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GatherElements(
    data: _Operand,
    indices: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GatherND(
    data: _Operand,
    indices: _Operand,
    *,
    batch_dims: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Gelu(
    X: _Operand,
    *,
    approximate: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Gemm(
    A: _Operand,
    B: _Operand,
    C: _Operand | None = ...,
    *,
    alpha: float = ...,
    beta: float = ...,
    transA: int = ...,
    transB: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GlobalAveragePool(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GlobalLpPool(
    X: _Operand,
    *,
    p: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GlobalMaxPool(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Greater(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GreaterOrEqual(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GridSample(
    X: _Operand,
    grid: _Operand,
    *,
    align_corners: int = ...,
    mode: str = ...,
    padding_mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def GroupNormalization(
    X: _Operand,
    scale: _Operand,
    bias: _Operand,
    *,
    epsilon: float = ...,
    num_groups: int,
    stash_type: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def HammingWindow(
    size: _Operand,
    *,
    output_datatype: int = ...,
    periodic: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def HannWindow(
    size: _Operand,
    *,
    output_datatype: int = ...,
    periodic: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def HardSigmoid(
    X: _Operand,
    *,
    alpha: float = ...,
    beta: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def HardSwish(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Hardmax(
    input: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Identity(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def If(
    cond: _Operand,
    *,
    else_branch: _Body,
    then_branch: _Body,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
def ImageDecoder(
    encoded_stream: _Operand,
    *,
    pixel_format: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def InstanceNormalization(
    input: _Operand,
    scale: _Operand,
    B: _Operand,
    *,
    epsilon: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def IsInf(
    X: _Operand,
    *,
    detect_negative: int = ...,
    detect_positive: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def IsNaN(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def LRN(
    X: _Operand,
    *,
    alpha: float = ...,
    beta: float = ...,
    bias: float = ...,
    size: int,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class LSTMOutput(NamedTuple):
    Y: Value
    Y_h: Value
    Y_c: Value

def LSTM(
    X: _Operand,
    W: _Operand,
    R: _Operand,
    B: _Operand | None = ...,
    sequence_lens: _Operand | None = ...,
    initial_h: _Operand | None = ...,
    initial_c: _Operand | None = ...,
    P: _Operand | None = ...,
    *,
    activation_alpha: Sequence[float] | None = ...,
    activation_beta: Sequence[float] | None = ...,
    activations: Sequence[str] | None = ...,
    clip: float | None = ...,
    direction: str = ...,
    hidden_size: int | None = ...,
    input_forget: int = ...,
    layout: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LSTMOutput: ...
def LayerNormalization(
    X: _Operand,
    Scale: _Operand,
    B: _Operand | None = ...,
    *,
    axis: int = ...,
    epsilon: float = ...,
    stash_type: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
def LeakyRelu(
    X: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Less(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def LessOrEqual(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class LinearAttentionOutput(NamedTuple):
    output: Value
    present_state: Value

def LinearAttention(
    query: _Operand,
    key: _Operand,
    value: _Operand,
    past_state: _Operand | None = ...,
    decay: _Operand | None = ...,
    beta: _Operand | None = ...,
    *,
    chunk_size: int = ...,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = ...,
    update_rule: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> LinearAttentionOutput: ...
def Log(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def LogSoftmax(
    input: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Loop(
    M: _Operand | None = ...,
    cond: _Operand | None = ...,
    v_initial: Sequence[_Operand] = ...,
    *,
    body: _Body,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
def LpNormalization(
    input: _Operand,
    *,
    axis: int = ...,
    p: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def LpPool(
    X: _Operand,
    *,
    auto_pad: str = ...,
    ceil_mode: int = ...,
    dilations: Sequence[int] | None = ...,
    kernel_shape: Sequence[int],
    p: int = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def MatMul(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def MatMulInteger(
    A: _Operand,
    B: _Operand,
    a_zero_point: _Operand | None = ...,
    b_zero_point: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Max(
    data_0: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def MaxPool(
    X: _Operand,
    *,
    auto_pad: str = ...,
    ceil_mode: int = ...,
    dilations: Sequence[int] | None = ...,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = ...,
    storage_order: int = ...,
    strides: Sequence[int] | None = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
def MaxRoiPool(
    X: _Operand,
    rois: _Operand,
    *,
    pooled_shape: Sequence[int],
    spatial_scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def MaxUnpool(
    X: _Operand,
    I: _Operand,
    output_shape: _Operand | None = ...,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Mean(
    data_0: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def MeanVarianceNormalization(
    X: _Operand,
    *,
    axes: Sequence[int] = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def MelWeightMatrix(
    num_mel_bins: _Operand,
    dft_length: _Operand,
    sample_rate: _Operand,
    lower_edge_hertz: _Operand,
    upper_edge_hertz: _Operand,
    *,
    output_datatype: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Min(
    data_0: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Mish(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Mod(
    A: _Operand,
    B: _Operand,
    *,
    fmod: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Mul(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Multinomial(
    input: _Operand,
    *,
    dtype: int | DType = ...,
    sample_size: int = ...,
    seed: float | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Neg(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def NegativeLogLikelihoodLoss(
    input: _Operand,
    target: _Operand,
    weight: _Operand | None = ...,
    *,
    ignore_index: int | None = ...,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def NonMaxSuppression(
    boxes: _Operand,
    scores: _Operand,
    max_output_boxes_per_class: _Operand | None = ...,
    iou_threshold: _Operand | None = ...,
    score_threshold: _Operand | None = ...,
    *,
    center_point_box: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def NonZero(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Not(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def OneHot(
    indices: _Operand,
    depth: _Operand,
    values: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Optional(
    input: _Operand | None = ...,
    *,
    type: Type | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def OptionalGetElement(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def OptionalHasElement(
    input: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Or(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def PRelu(
    X: _Operand,
    slope: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Pad(
    data: _Operand,
    pads: _Operand,
    constant_value: _Operand | None = ...,
    axes: _Operand | None = ...,
    *,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Pow(
    X: _Operand,
    Y: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def QLinearConv(
    x: _Operand,
    x_scale: _Operand,
    x_zero_point: _Operand,
    w: _Operand,
    w_scale: _Operand,
    w_zero_point: _Operand,
    y_scale: _Operand,
    y_zero_point: _Operand,
    B: _Operand | None = ...,
    *,
    auto_pad: str = ...,
    dilations: Sequence[int] | None = ...,
    group: int = ...,
    kernel_shape: Sequence[int] | None = ...,
    pads: Sequence[int] | None = ...,
    strides: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def QLinearMatMul(
    a: _Operand,
    a_scale: _Operand,
    a_zero_point: _Operand,
    b: _Operand,
    b_scale: _Operand,
    b_zero_point: _Operand,
    y_scale: _Operand,
    y_zero_point: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def QuantizeLinear(
    x: _Operand,
    y_scale: _Operand,
    y_zero_point: _Operand | None = ...,
    *,
    axis: int = ...,
    block_size: int = ...,
    output_dtype: int = ...,
    precision: int = ...,
    saturate: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RMSNormalization(
    X: _Operand,
    scale: _Operand,
    *,
    axis: int = ...,
    epsilon: float = ...,
    stash_type: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class RNNOutput(NamedTuple):
    Y: Value
    Y_h: Value

def RNN(
    X: _Operand,
    W: _Operand,
    R: _Operand,
    B: _Operand | None = ...,
    sequence_lens: _Operand | None = ...,
    initial_h: _Operand | None = ...,
    *,
    activation_alpha: Sequence[float] | None = ...,
    activation_beta: Sequence[float] | None = ...,
    activations: Sequence[str] = ...,
    clip: float | None = ...,
    direction: str = ...,
    hidden_size: int | None = ...,
    layout: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> RNNOutput: ...
def RandomNormal(
    *,
    dtype: int | DType = ...,
    mean: float = ...,
    scale: float = ...,
    seed: float | None = ...,
    shape: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RandomNormalLike(
    input: _Operand,
    *,
    dtype: int | DType | None = ...,
    mean: float = ...,
    scale: float = ...,
    seed: float | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RandomUniform(
    *,
    dtype: int | DType = ...,
    high: float = ...,
    low: float = ...,
    seed: float | None = ...,
    shape: Sequence[int],
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RandomUniformLike(
    input: _Operand,
    *,
    dtype: int | DType | None = ...,
    high: float = ...,
    low: float = ...,
    seed: float | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Range(
    start: _Operand,
    limit: _Operand,
    delta: _Operand,
    *,
    stash_type: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Reciprocal(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceL1(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceL2(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceLogSum(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceLogSumExp(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceMax(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceMean(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceMin(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceProd(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceSum(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReduceSumSquare(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    keepdims: int = ...,
    noop_with_empty_axes: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RegexFullMatch(
    X: _Operand,
    *,
    pattern: str | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Relu(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Reshape(
    data: _Operand,
    shape: _Operand,
    *,
    allowzero: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Resize(
    X: _Operand,
    roi: _Operand | None = ...,
    scales: _Operand | None = ...,
    sizes: _Operand | None = ...,
    *,
    antialias: int = ...,
    axes: Sequence[int] | None = ...,
    coordinate_transformation_mode: str = ...,
    cubic_coeff_a: float = ...,
    exclude_outside: int = ...,
    extrapolation_value: float = ...,
    keep_aspect_ratio_policy: str = ...,
    mode: str = ...,
    nearest_mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ReverseSequence(
    input: _Operand,
    sequence_lens: _Operand,
    *,
    batch_axis: int = ...,
    time_axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RoiAlign(
    X: _Operand,
    rois: _Operand,
    batch_indices: _Operand,
    *,
    coordinate_transformation_mode: str = ...,
    mode: str = ...,
    output_height: int = ...,
    output_width: int = ...,
    sampling_ratio: int = ...,
    spatial_scale: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def RotaryEmbedding(
    X: _Operand,
    cos_cache: _Operand,
    sin_cache: _Operand,
    position_ids: _Operand | None = ...,
    *,
    interleaved: int = ...,
    num_heads: int | None = ...,
    rotary_embedding_dim: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Round(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def STFT(
    signal: _Operand,
    frame_step: _Operand,
    window: _Operand | None = ...,
    frame_length: _Operand | None = ...,
    *,
    onesided: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Scan(
    initial_state_and_scan_inputs: Sequence[_Operand],
    *,
    body: _Body,
    num_scan_inputs: int,
    scan_input_axes: Sequence[int] | None = ...,
    scan_input_directions: Sequence[int] | None = ...,
    scan_output_axes: Sequence[int] | None = ...,
    scan_output_directions: Sequence[int] | None = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
def Scatter(
    data: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
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
def ScatterND(
    data: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    reduction: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Selu(
    X: _Operand,
    *,
    alpha: float = ...,
    gamma: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceAt(
    input_sequence: _Operand,
    position: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceConstruct(
    inputs: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceEmpty(
    *,
    dtype: int | DType | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceErase(
    input_sequence: _Operand,
    position: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceInsert(
    input_sequence: _Operand,
    tensor: _Operand,
    position: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceLength(
    input_sequence: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SequenceMap(
    input_sequence: _Operand,
    additional_inputs: Sequence[_Operand] = ...,
    *,
    body: _Body,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
def Shape(
    data: _Operand,
    *,
    end: int | None = ...,
    start: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Shrink(
    input: _Operand,
    *,
    bias: float = ...,
    lambd: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Sigmoid(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Sign(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Sin(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Sinh(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Size(
    data: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Slice(
    data: _Operand,
    starts: _Operand,
    ends: _Operand,
    axes: _Operand | None = ...,
    steps: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Softmax(
    input: _Operand,
    *,
    axis: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SoftmaxCrossEntropyLoss(
    scores: _Operand,
    labels: _Operand,
    weights: _Operand | None = ...,
    *,
    ignore_index: int | None = ...,
    reduction: str = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
def Softplus(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Softsign(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SpaceToDepth(
    input: _Operand,
    *,
    blocksize: int,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Split(
    input: _Operand,
    split: _Operand | None = ...,
    *,
    axis: int = ...,
    num_outputs: int | None = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> list[Value]: ...
def SplitToSequence(
    input: _Operand,
    split: _Operand | None = ...,
    *,
    axis: int = ...,
    keepdims: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Sqrt(
    X: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Squeeze(
    data: _Operand,
    axes: _Operand | None = ...,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def StringConcat(
    X: _Operand,
    Y: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def StringNormalizer(
    X: _Operand,
    *,
    case_change_action: str = ...,
    is_case_sensitive: int = ...,
    locale: str | None = ...,
    stopwords: Sequence[str] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class StringSplitOutput(NamedTuple):
    Y: Value
    Z: Value

def StringSplit(
    X: _Operand,
    *,
    delimiter: str | None = ...,
    maxsplit: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> StringSplitOutput: ...
def Sub(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Sum(
    data_0: Sequence[_Operand],
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def SwiGLU(
    A: _Operand,
    B: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Swish(
    X: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Tan(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Tanh(
    input: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def TensorScatter(
    past_cache: _Operand,
    update: _Operand,
    write_indices: _Operand | None = ...,
    *,
    axis: int = ...,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def TfIdfVectorizer(
    X: _Operand,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] | None = ...,
    pool_strings: Sequence[str] | None = ...,
    weights: Sequence[float] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def ThresholdedRelu(
    X: _Operand,
    *,
    alpha: float = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Tile(
    input: _Operand,
    repeats: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
class TopKOutput(NamedTuple):
    Values: Value
    Indices: Value

def TopK(
    X: _Operand,
    K: _Operand,
    *,
    axis: int = ...,
    largest: int = ...,
    sorted: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> TopKOutput: ...
def Transpose(
    data: _Operand,
    *,
    perm: Sequence[int] | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Trilu(
    input: _Operand,
    k: _Operand | None = ...,
    *,
    upper: int = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Unique(
    X: _Operand,
    *,
    axis: int | None = ...,
    sorted: int = ...,
    _outputs: int | None = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value | Any: ...
def Unsqueeze(
    data: _Operand,
    axes: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Upsample(
    X: _Operand,
    scales: _Operand,
    *,
    mode: str = ...,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Where(
    condition: _Operand,
    X: _Operand,
    Y: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
def Xor(
    A: _Operand,
    B: _Operand,
    *,
    _result_types: _Types = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
    _ip: InsertionPoint | Graph | None = ...,
) -> Value: ...
