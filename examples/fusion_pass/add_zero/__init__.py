"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import add_zero_pass as add_zero_pass
from . import add_zero_strict_pass as add_zero_strict_pass
