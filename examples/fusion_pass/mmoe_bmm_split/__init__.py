"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import mmoe_bmm_split_pass as mmoe_bmm_split_pass
