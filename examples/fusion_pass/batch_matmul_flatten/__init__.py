"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import batch_matmul_flatten_pass as batch_matmul_flatten_pass
