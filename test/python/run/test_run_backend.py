"""ONNX's backend node tests pass with ``graph.run``.

Every test that onnxruntime or ONNX's reference passes also passes here: with the default engine, or, if onnxruntime
runs an operator with another result than expected, with ``ge.ops.use_evaluator("reference")``. The lists name the
exceptions.
"""

import sys

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
if sys.platform == "win32":
    pytest.skip("the child process needs pipes of POSIX", allow_module_level=True)

from backend_node import by_engine, difference, node_cases

import ge.ops as ops

# Neither engine passes them: random numbers, and images, which need Pillow.
FAILS = {
    "test_bernoulli",
    "test_bernoulli_double",
    "test_bernoulli_double_expanded",
    "test_bernoulli_expanded",
    "test_bernoulli_seed",
    "test_bernoulli_seed_expanded",
    "test_image_decoder_decode_bmp_rgb",
    "test_image_decoder_decode_jpeg2k_rgb",
    "test_image_decoder_decode_jpeg_bgr",
    "test_image_decoder_decode_jpeg_grayscale",
    "test_image_decoder_decode_jpeg_rgb",
    "test_image_decoder_decode_png_rgb",
    "test_image_decoder_decode_pnm_rgb",
    "test_image_decoder_decode_tiff_rgb",
    "test_image_decoder_decode_webp_rgb",
}
# onnxruntime's results differ from the expected ones; those of the reference agree.
BY_REFERENCE = {
    "test_attention_4d_causal_fp16",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask_causal",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask_causal",
    "test_dft",
    "test_dft_axis",
    "test_dft_axis_opset19",
    "test_dft_inverse",
    "test_dft_inverse_opset19",
    "test_dft_irfft",
    "test_dft_irfft_opset19",
    "test_dft_opset19",
    "test_dft_rfft",
    "test_dft_rfft_opset19",
    "test_maxunpool_export_with_output_shape",
    "test_resize_downsample_scales_cubic_align_corners",
    "test_resize_downsample_scales_linear_align_corners",
    "test_stft",
    "test_stft_with_window",
    "test_training_dropout",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
}
_PART = 8


def fails(names: list[str]) -> dict[str, str]:
    return {name: said for name in names if (said := difference(name))}


def by_reference(name: str) -> str:
    before = ops.use_evaluator("reference")
    try:
        return difference(name)
    finally:
        ops.use_evaluator(before)


@pytest.mark.slow
def test_a_sample_of_each_operator() -> None:
    """Run the first test of each operator, and all tests with sequences, optionals, strings and bodies."""
    chosen: dict[str, str] = {}
    for name, case in node_cases().items():
        if name in FAILS | BY_REFERENCE:
            continue
        graph = case.model.graph
        kinds = {v.type.WhichOneof("value") for v in [*graph.input, *graph.output]}
        is_special = bool(kinds & {"sequence_type", "optional_type"}) or any(
            a.HasField("g") for n in graph.node for a in n.attribute
        )
        chosen.setdefault(name if is_special else graph.node[0].op_type, name)
    assert len(chosen) > 180
    assert not fails(list(chosen.values()))


@pytest.mark.long
@pytest.mark.parametrize("part", range(_PART))
def test_all(part: int) -> None:
    names = sorted(set(node_cases()) - FAILS - BY_REFERENCE)
    assert not fails(names[part::_PART])


@pytest.mark.long
def test_what_onnxruntime_gives_otherwise_the_reference_gives() -> None:
    assert {name for name in node_cases() if name in BY_REFERENCE and by_reference(name)} == set()


@pytest.mark.long
def test_nothing_is_listed_that_an_engine_passes() -> None:
    """A superfluous entry in a list would hide a failure."""
    for name in sorted(FAILS & set(node_cases())):
        assert by_engine(name, "onnxruntime") and by_engine(name, "reference"), name
    for name in sorted(BY_REFERENCE & set(node_cases())):
        assert by_engine(name, "onnxruntime"), name
