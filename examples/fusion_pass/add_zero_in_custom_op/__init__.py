"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import add_zero_in_custom_op_pass as add_zero_in_custom_op_pass
