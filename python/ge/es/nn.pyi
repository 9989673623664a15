# Written by scripts/gen_es_stubs.py from the records; not to be edited.
"""Graph-building functions of the operators of 'nn'."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..ir import DType, Graph, Location, Node, Tensor, Type, Value
from ._namespace import Namespace

_Operand: TypeAlias = Value | Node | Tensor | complex | str | Sequence[Any] | Any
_Body: TypeAlias = Graph | Callable[..., Any]

opset: int | None

def at(version: int) -> Namespace: ...

def AdaptiveAvgPool2d(
    x: _Operand,
    *,
    output_size: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class AdaptiveMaxPool2dOutput(NamedTuple):
    y: Value
    argmax: Value

def AdaptiveMaxPool2d(
    x: _Operand,
    *,
    output_size: Sequence[int],
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> AdaptiveMaxPool2dOutput: ...
class AddLayerNormOutput(NamedTuple):
    y: Value
    mean: Value
    rstd: Value
    x: Value

def AddLayerNorm(
    x1: _Operand,
    x2: _Operand,
    gamma: _Operand,
    beta: _Operand,
    bias: _Operand | None = ...,
    *,
    epsilon: float = ...,
    additional_output: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> AddLayerNormOutput: ...
class AddRmsNormOutput(NamedTuple):
    y: Value
    rstd: Value
    x: Value

def AddRmsNorm(
    x1: _Operand,
    x2: _Operand,
    gamma: _Operand,
    *,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> AddRmsNormOutput: ...
def AscendAntiQuant(
    x: _Operand,
    *,
    scale: float,
    offset: float,
    dtype: int | DType = ...,
    sqrt_mode: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AscendDequant(
    x: _Operand,
    deq_scale: _Operand,
    *,
    sqrt_mode: bool = ...,
    relu_flag: bool = ...,
    dtype: int | DType = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AscendDequantS16(
    x0: _Operand,
    deq_scale: _Operand,
    x1: _Operand | None = ...,
    *,
    relu_flag: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AscendQuant(
    x: _Operand,
    *,
    scale: float,
    offset: float,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AscendQuantV2(
    x: _Operand,
    scale: _Operand,
    offset: _Operand | None = ...,
    *,
    sqrt_mode: bool = ...,
    round_mode: str = ...,
    dst_type: int | DType = ...,
    axis: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AscendRequant(
    x: _Operand,
    req_scale: _Operand,
    *,
    relu_flag: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class AscendRequantS16Output(NamedTuple):
    y0: Value
    y1: Value

def AscendRequantS16(
    x0: _Operand,
    req_scale: _Operand,
    x1: _Operand | None = ...,
    *,
    dual_output: bool = ...,
    relu_flag: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> AscendRequantS16Output: ...
def AvgPool(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AvgPool1D(
    x: _Operand,
    *,
    ksize: int,
    strides: int,
    pads: Sequence[int],
    ceil_mode: bool = ...,
    count_include_pad: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def AvgPoolGrad(
    orig_input_shape: _Operand,
    input_grad: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BNInfer(
    x: _Operand,
    scale: _Operand,
    offset: _Operand,
    mean: _Operand,
    variance: _Operand,
    *,
    epsilon: float,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BNLL(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def BatchMatMul(
    x1: _Operand,
    x2: _Operand,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BatchMatMulV2(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    adj_x1: bool = ...,
    adj_x2: bool = ...,
    offset_x: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class BatchNormOutput(NamedTuple):
    y: Value
    batch_mean: Value
    batch_variance: Value
    reserve_space_1: Value
    reserve_space_2: Value
    reserve_space_3: Value

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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> BatchNormOutput: ...
class BatchNorm3DOutput(NamedTuple):
    y: Value
    batch_mean: Value
    batch_variance: Value
    reserve_space_1: Value
    reserve_space_2: Value

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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> BatchNorm3DOutput: ...
class BatchNormGradOutput(NamedTuple):
    x_backprop: Value
    scale_backprop: Value
    offset_backprop: Value
    reserve_space_4: Value
    reserve_space_5: Value

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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> BatchNormGradOutput: ...
def BiasAdd(
    x: _Operand,
    bias: _Operand,
    *,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def BinaryCrossEntropy(
    x: _Operand,
    y: _Operand,
    weight: _Operand | None = ...,
    *,
    reduction: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Celu(
    x: _Operand,
    *,
    alpha1: float = ...,
    alpha2: float = ...,
    alpha3: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def CeluV2(
    x: _Operand,
    *,
    alpha: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Dequantize(
    x: _Operand,
    min_range: _Operand,
    max_range: _Operand,
    *,
    mode: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def DropOutDoMask(
    x: _Operand,
    mask: _Operand,
    keep_prob: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class DynamicQuantOutput(NamedTuple):
    y: Value
    scale: Value

def DynamicQuant(
    x: _Operand,
    smooth_scales: _Operand | None = ...,
    group_index: _Operand | None = ...,
    *,
    dst_type: int | DType = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> DynamicQuantOutput: ...
def Elu(
    x: _Operand,
    *,
    alpha: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def EluGrad(
    grads: _Operand,
    activations: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FakeQuantWithMinMaxVars(
    x: _Operand,
    min: _Operand,
    max: _Operand,
    *,
    num_bits: int = ...,
    narrow_range: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FastGelu(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def FastGeluGrad(
    dy: _Operand,
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def FastGeluV2(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Gather(
    x: _Operand,
    indices: _Operand,
    *,
    validate_indices: bool = ...,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GatherElements(
    x: _Operand,
    index: _Operand,
    *,
    dim: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GatherNd(
    x: _Operand,
    indices: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GatherV2(
    x: _Operand,
    indices: _Operand,
    axis: _Operand,
    *,
    batch_dims: int = ...,
    is_preprocessed: bool = ...,
    negative_index_support: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GatherV2D(
    x: _Operand,
    indices: _Operand,
    *,
    axis: int,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Gelu(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def GeluGrad(
    dy: _Operand,
    x: _Operand,
    y: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GeluV2(
    x: _Operand,
    *,
    approximate: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def GlobalAveragePool(
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class GroupNormOutput(NamedTuple):
    y: Value
    mean: Value
    variance: Value

def GroupNorm(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    num_groups: int,
    data_format: str = ...,
    eps: float = ...,
    is_training: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> GroupNormOutput: ...
class GroupNormSiluOutput(NamedTuple):
    y: Value
    mean: Value
    rstd: Value

def GroupNormSilu(
    x: _Operand,
    gamma: _Operand | None = ...,
    beta: _Operand | None = ...,
    *,
    num_groups: int,
    eps: float = ...,
    activate_silu: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> GroupNormSiluOutput: ...
def HardShrink(
    input_x: _Operand,
    *,
    lambd: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def HardSigmoid(
    input_x: _Operand,
    *,
    alpha: float = ...,
    beta: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def HardSwish(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def HardSwishGrad(
    grad: _Operand,
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class INInferV2Output(NamedTuple):
    y: Value
    batch_mean: Value
    batch_variance: Value

def INInferV2(
    x: _Operand,
    gamma: _Operand | None = ...,
    beta: _Operand | None = ...,
    mean: _Operand | None = ...,
    variance: _Operand | None = ...,
    *,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> INInferV2Output: ...
def Index(
    x: _Operand,
    indexed_sizes: _Operand,
    indexed_strides: _Operand,
    indices: Sequence[_Operand],
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class InstanceNormOutput(NamedTuple):
    y: Value
    mean: Value
    variance: Value

def InstanceNorm(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    data_format: str = ...,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> InstanceNormOutput: ...
def KLDiv(
    x: _Operand,
    target: _Operand,
    *,
    reduction: str,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def L2Normalize(
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    eps: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LRN(
    x: _Operand,
    *,
    depth_radius: int = ...,
    bias: float = ...,
    alpha: float = ...,
    beta: float = ...,
    norm_region: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class LayerNormOutput(NamedTuple):
    y: Value
    mean: Value
    variance: Value

def LayerNorm(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> LayerNormOutput: ...
class LayerNormGradOutput(NamedTuple):
    pd_x: Value
    pd_gamma: Value
    pd_beta: Value

def LayerNormGrad(
    dy: _Operand,
    x: _Operand,
    variance: _Operand,
    mean: _Operand,
    gamma: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> LayerNormGradOutput: ...
class LayerNormV3Output(NamedTuple):
    y: Value
    mean: Value
    rstd: Value

def LayerNormV3(
    x: _Operand,
    gamma: _Operand,
    beta: _Operand,
    *,
    begin_norm_axis: int = ...,
    begin_params_axis: int = ...,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> LayerNormV3Output: ...
class LayerNormV4Output(NamedTuple):
    y: Value
    mean: Value
    rstd: Value

def LayerNormV4(
    x: _Operand,
    normalized_shape: _Operand,
    gamma: _Operand | None = ...,
    beta: _Operand | None = ...,
    *,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> LayerNormV4Output: ...
def LeakyRelu(
    x: _Operand,
    *,
    negative_slope: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LeakyReluGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    negative_slope: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LogSigmoid(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def LogSoftmaxGrad(
    grad: _Operand,
    x: _Operand,
    *,
    axis: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def LogSoftmaxV2(
    logits: _Operand,
    *,
    axes: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MVN(
    x: _Operand,
    *,
    normalize_variance: bool = ...,
    across_channels: bool = ...,
    eps: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MVNV2(
    x: _Operand,
    *,
    eps: float = ...,
    axes: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MatMulV2(
    x1: _Operand,
    x2: _Operand,
    bias: _Operand | None = ...,
    offset_w: _Operand | None = ...,
    *,
    transpose_x1: bool = ...,
    transpose_x2: bool = ...,
    offset_x: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MaxPool(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class MaxPool3DWithArgmaxOutput(NamedTuple):
    y: Value
    argmax: Value

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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> MaxPool3DWithArgmaxOutput: ...
def MaxPoolGrad(
    x1: _Operand,
    x2: _Operand,
    grad: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MaxPoolV2(
    x: _Operand,
    ksize: _Operand,
    strides: _Operand,
    *,
    padding: str,
    data_format: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class MaxPoolWithArgmaxOutput(NamedTuple):
    y: Value
    argmax: Value

def MaxPoolWithArgmax(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    Targmax: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> MaxPoolWithArgmaxOutput: ...
class MaxPoolWithArgmaxV2Output(NamedTuple):
    y: Value
    argmax: Value

def MaxPoolWithArgmaxV2(
    x: _Operand,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dtype: int | DType = ...,
    dilation: Sequence[int] = ...,
    ceil_mode: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> MaxPoolWithArgmaxV2Output: ...
def Mish(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def MishGrad(
    grad: _Operand,
    x: _Operand,
    tanhx: _Operand | None = ...,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def MseLoss(
    predict: _Operand,
    label: _Operand,
    *,
    reduction: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class NLLLossOutput(NamedTuple):
    y: Value
    total_weight: Value

def NLLLoss(
    x: _Operand,
    target: _Operand,
    weight: _Operand | None = ...,
    *,
    reduction: str = ...,
    ignore_index: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> NLLLossOutput: ...
def Normalize(
    x1: _Operand,
    x2: _Operand,
    *,
    across_spatial: bool = ...,
    channel_shared: bool = ...,
    eps: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def PRelu(
    x: _Operand,
    weight: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class PReluGradOutput(NamedTuple):
    dx: Value
    da: Value

def PReluGrad(
    grads: _Operand,
    features: _Operand,
    weights: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> PReluGradOutput: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Quantize(
    x: _Operand,
    scales: _Operand,
    zero_points: _Operand | None = ...,
    *,
    dtype: str,
    axis: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Relu(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Relu6(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def Relu6Grad(
    gradients: _Operand,
    features: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReluGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ReluGradV2(
    gradients: _Operand,
    mask: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class ReluV2Output(NamedTuple):
    y: Value
    mask: Value

def ReluV2(
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> ReluV2Output: ...
def Renorm(
    x: _Operand,
    *,
    p: float,
    dim: int,
    maxnorm: float,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
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
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class RmsNormOutput(NamedTuple):
    y: Value
    rstd: Value

def RmsNorm(
    x: _Operand,
    gamma: _Operand,
    *,
    epsilon: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> RmsNormOutput: ...
def Scale(
    x: _Operand,
    scale: _Operand,
    bias: _Operand | None = ...,
    *,
    axis: int = ...,
    num_axes: int = ...,
    scale_from_blob: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterAdd(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterDiv(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterElements(
    data: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    axis: int = ...,
    reduction: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterMax(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterMin(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterMul(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterNd(
    indices: _Operand,
    x: _Operand,
    shape: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterNdAdd(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterNdSub(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterNdUpdate(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterSub(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ScatterUpdate(
    var: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    use_locking: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Selu(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def SeluGrad(
    y_grad: _Operand,
    y: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Sigmoid(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def SigmoidCrossEntropyWithLogits(
    predict: _Operand,
    target: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SigmoidCrossEntropyWithLogitsV2(
    predict: _Operand,
    target: _Operand,
    weight: _Operand | None = ...,
    pos_weight: _Operand | None = ...,
    *,
    reduction: str = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SigmoidGrad(
    y: _Operand,
    dy: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SmoothL1Loss(
    predict: _Operand,
    label: _Operand,
    *,
    sigma: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SoftShrink(
    input_x: _Operand,
    *,
    lambd: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class SoftmaxCrossEntropyWithLogitsOutput(NamedTuple):
    loss: Value
    backprop: Value

def SoftmaxCrossEntropyWithLogits(
    features: _Operand,
    labels: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> SoftmaxCrossEntropyWithLogitsOutput: ...
def SoftmaxGrad(
    softmax: _Operand,
    grad_softmax: _Operand,
    *,
    axes: Sequence[int] = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SoftmaxV2(
    x: _Operand,
    *,
    axes: Sequence[int] = ...,
    half_to_float: bool = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Softplus(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def SoftplusGrad(
    gradients: _Operand,
    features: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SoftplusV2(
    x: _Operand,
    *,
    beta: float = ...,
    threshold: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Softsign(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def SoftsignGrad(
    y_grad: _Operand,
    x: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
class SparseSoftmaxCrossEntropyWithLogitsOutput(NamedTuple):
    loss: Value
    backprop: Value

def SparseSoftmaxCrossEntropyWithLogits(
    features: _Operand,
    labels: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> SparseSoftmaxCrossEntropyWithLogitsOutput: ...
def SwiGlu(
    x: _Operand,
    *,
    dim: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Swish(
    x: _Operand,
    *,
    scale: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def SwishGrad(
    grad: _Operand,
    x: _Operand,
    y: _Operand,
    *,
    scale: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Tanh(x: _Operand, *, _name: str | None = ..., _loc: Location | None = ...) -> Value: ...
def TanhGrad(
    y: _Operand,
    dy: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TensorScatterAdd(
    x: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TensorScatterSub(
    x: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TensorScatterUpdate(
    x: _Operand,
    indices: _Operand,
    updates: _Operand,
    *,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def Threshold(
    x: _Operand,
    *,
    threshold: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def ThresholdedRelu(
    x: _Operand,
    *,
    alpha: float = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
def TransQuantParamV2(
    scale: _Operand,
    offset: _Operand | None = ...,
    *,
    round_mode: int = ...,
    _name: str | None = ...,
    _loc: Location | None = ...,
) -> Value: ...
