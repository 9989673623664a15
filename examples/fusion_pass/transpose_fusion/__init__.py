"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import transpose_fusion_pass as transpose_fusion_pass
