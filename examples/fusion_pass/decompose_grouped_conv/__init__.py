"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import decompose_grouped_conv_pass as decompose_grouped_conv_pass
