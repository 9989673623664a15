"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import fuse_matmul_add_configured_pass as fuse_matmul_add_configured_pass
