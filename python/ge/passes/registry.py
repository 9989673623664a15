"""The registry of Python passes: a face of `ge.passes`."""

from ._pipeline._registry import (
    PassDescriptor,
    clear_registered_passes,
    get_registered_pass_by_descriptor_key,
    get_registered_pass_dicts,
    get_registered_passes,
    register_decompose_pass,
    register_fusion_pass,
)

__all__ = [
    "PassDescriptor",
    "clear_registered_passes",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "register_decompose_pass",
    "register_fusion_pass",
]
