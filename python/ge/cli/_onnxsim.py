"""The flags of onnxsim 0.8: which are the same here, renamed, implied, or refused, and why.

``docs/onnxsim.md`` shows this table; ``ge optimize`` takes and refuses by it.
"""

from __future__ import annotations

from typing import NamedTuple

from .._support.program import PROGRAM

__all__ = ["FLAGS", "PASSES", "REFUSED", "Flag"]


class Flag(NamedTuple):
    """A flag of onnxsim."""

    names: tuple[str, ...]
    state: str
    """same, renamed (both work), implied (taken, and without effect) or refused."""
    text: str
    """What it is here, or why it is not."""


def _quantization(*names: str) -> Flag:
    return Flag(names, "refused", "GE does not quantise; onnxruntime's tools do")


FLAGS = (
    Flag(("input_model", "output_model", "check_n"), "same", f"`{PROGRAM} optimize in.onnx out.onnx 3`"),
    Flag(("-h", "--help"), "same", ""),
    Flag(("-v", "--version"), "same", ""),
    Flag(("--check-rtol",), "renamed", "`--rtol`"),
    Flag(("--check-atol",), "renamed", "`--atol`"),
    Flag(("--overwrite-input-shape",), "same", "symbols work, too: `x:N,3,224,224`"),
    Flag(("--input-shape",), "renamed", "`--overwrite-input-shape`, as in onnxsim"),
    Flag(("--test-input-shape",), "renamed", "`--shape x=1,3,224,224`, or `--dim N=1`"),
    Flag(("--input-data-path",), "renamed", "`--input-data x=x.bin`; .npy, .npz and .pb work, too"),
    Flag(
        ("--input-fill",),
        "same",
        "zeros and ones are always among the inputs of the check; with `arange` it is the only one",
    ),
    Flag(("--skip-optimization", "--skip-optimizer"), "renamed", "`--skip PASS`; names of onnxsim's passes work"),
    Flag(("--skip-fuse-bn",), "renamed", "`--skip fold-batch-norm`"),
    Flag(("--skip-constant-folding",), "renamed", "`--skip constant-fold`"),
    Flag(("--no-large-tensor",), "renamed", "`--fold-limit BYTES`, 1 MiB unless given"),
    Flag(("--mutable-initializer",), "same", ""),
    Flag(("--unused-output",), "same", ""),
    Flag(("--save-as-external-data",), "renamed", "`--external-data`"),
    Flag(("--external-data-threshold",), "same", "of the whole model; without it only what protobuf cannot hold in one file is external"),
    Flag(("--providers",), "renamed", "`--provider NAME`, for the check; folding runs natively"),
    Flag(("--profile",), "renamed", "`--trace FILE`"),
    Flag(("--inline-functions",), "renamed", "`--passes inline -O`; functions that stay are optimised where they are"),
    Flag(("--graph-diff",), "same", f"as `{PROGRAM} diff` shows it"),
    Flag(("--list-default-optimizers",), "same", "the pipeline of `-O`"),
    Flag(("--enable-fuse-bn",), "implied", "always on, in onnxsim too"),
    Flag(("--dynamic-input-shape",), "implied", "free dimensions need no flag"),
    Flag(("--custom-lib",), "implied", "onnxsim no longer needs it either; the path is not read"),
    Flag(("--include-subgraph",), "implied", "bodies of control flow and functions are always optimised"),
    Flag(("--skip-shape-inference",), "implied", "shapes that cannot be inferred stop nothing; `--skip infer-types` leaves inference out, and much with it"),
    Flag(("--skip-schema-import",), "implied", "operators registered with onnx are never imported"),
    Flag(("--no-certify",), "implied", "nothing is proved with Z3"),
    Flag(("--certify",), "refused", "nothing is proved with Z3: use --check N, which compares outputs"),
    Flag(("--enable-optimization",), "refused", "say which passes run: --passes 'optimize,NAME'"),
    Flag(("--list-other-optimizers",), "same", "`ge plugins` says more of them"),
    Flag(
        ("--enable-onnxruntime-optimization",),
        "refused",
        "the result has standard operators only; onnxruntime optimises when it loads a model",
    ),
    Flag(("--initializers-as-non-constants",), "refused", "weights are constants; --skip the passes that fold them"),
    Flag(("--target-opset",), "refused", "opsets are not converted: use onnx.version_converter first"),
    Flag(("--cuda",), "same", "for the check; folding runs natively"),
    Flag(("--ort-profile", "--merge-ort-profile"), "refused", "no session of onnxruntime is profiled: --trace shows the passes"),
    Flag(("--node-reduction-plot",), "refused", f"the table at the end has these numbers, --json too; '{PROGRAM} view IN OUT' draws both"),
    Flag(("--emit-mlir", "--mlir-target", "--onnx-mlir"), "refused", f"'{PROGRAM} convert model.onnx -o model.mlir' writes MLIR's generic form"),
    Flag(
        ("--emit-coreml", "--coreml-format", "--coreml-compute-units", "--coreml-io-dtype", "--coreml-minimum-deployment-target"),
        "refused",
        "GE writes ONNX and text, no Core ML",
    ),
    Flag(
        (
            "--emit-tflite", "--tflite-optimize", "--tflite-backend", "--tflite-int8", "--tflite-calibration-samples",
            "--tflite-io-dtype", "--tflite-flex", "--tflite-layout", "--tflite-edgetpu", "--tflite-edgetpu-compiler",
            "--tflite-edgetpu-check",
        ),
        "refused",
        "GE writes ONNX and text, no TensorFlow Lite",
    ),
    _quantization(
        "--dynamic-quantize", "--dynamic-quantize-matmul-integer-to-float", "--ternary-quantize", "--weight-only-quantize",
        "--weight-only-quantize-int4", "--weight-only-quantize-int16", "--weight-only-quantize-int8-block",
        "--fp16-quantize", "--bf16-quantize", "--fp8-quantize", "--fp8-format", "--static-quantize",
        "--static-quantize-int16", "--qoperator-quantize", "--qoperator-quantize-elementwise",
        "--qoperator-quantize-activation", "--qoperator-quantize-concat", "--qoperator-quantize-softmax",
        "--qoperator-quantize-pool", "--qoperator-quantize-where", "--qoperator-quantize-gemm",
        "--calibration-dataset", "--calibration-samples", "--calibration-method",
    ),
)  # fmt: skip

# Providers that --cuda selects in onnxruntime.
CUDA = ("CUDAExecutionProvider", "CPUExecutionProvider")

REFUSED = {name: flag.text for flag in FLAGS if flag.state == "refused" for name in flag.names}

# onnxsim's optimiser passes, and the passes of GE that do (at least) the same.
PASSES = {
    "eliminate_deadend": "dce",
    "eliminate_unused_initializer": "dce",
    "eliminate_common_subexpression": "cse",
    "eliminate_duplicate_initializer": "share-weights",
    "eliminate_identity": "eliminate-identity",
    "eliminate_nop_cast": "eliminate-identity",
    "eliminate_nop_concat": "eliminate-identity",
    "eliminate_nop_dropout": "eliminate-identity",
    "eliminate_nop_expand": "eliminate-identity",
    "eliminate_nop_flatten": "eliminate-identity",
    "eliminate_nop_pad": "eliminate-identity",
    "eliminate_nop_reshape": "eliminate-identity",
    "eliminate_nop_split": "eliminate-identity",
    "eliminate_nop_transpose": "eliminate-identity",
    "eliminate_nop_with_unit": "eliminate-identity",
    "eliminate_if_with_const_cond": "constant-fold",
    "eliminate_shape_gather": "simplify-shapes",
    "eliminate_shape_op": "simplify-shapes",
    "eliminate_slice_after_shape": "simplify-shapes",
    "fuse_concat_into_reshape": "simplify-shapes",
    "fuse_add_bias_into_conv": "fold-batch-norm",
    "fuse_bn_into_conv": "fold-batch-norm",
    "eliminate_consecutive_idempotent_ops": "merge-chains",
    "eliminate_nop_monotone_argmax": "merge-chains",
    "fuse_consecutive_concats": "merge-chains",
    "fuse_consecutive_reduce_unsqueeze": "merge-chains",
    "fuse_consecutive_slices": "merge-chains",
    "fuse_consecutive_squeeze_unsqueeze": "merge-chains",
    "fuse_consecutive_squeezes": "merge-chains",
    "fuse_consecutive_transposes": "merge-chains",
    "fuse_consecutive_unsqueezes": "merge-chains",
    "fuse_transpose_into_gemm": "merge-chains",
    "rewrite_where": "merge-chains",
    "fuse_matmul_add_bias_into_gemm": "fuse-matmul-add",
    "fuse_pad_into_conv": "fold-pad",
    "fuse_pad_into_pool": "fold-pad",
}
# Passes of onnxsim without a counterpart in GE.
WITHOUT_COUNTERPART = {
    "adjust_add",
    "extract_constant_to_initializer",
    "fuse_consecutive_log_softmax",
    "fuse_qkv",
    "nop",
    "replace_einsum_with_matmul",
}
