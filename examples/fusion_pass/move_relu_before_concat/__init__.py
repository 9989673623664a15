"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import move_relu_before_concat_pass as move_relu_before_concat_pass
