"""A package, so that ``ASCEND_GE_PY_PASS_PATH`` may name the directory above."""

from . import modify_conv_data_format_pass as modify_conv_data_format_pass
