"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import mmoe_matmul_pass as mmoe_matmul_pass
