"""What may be fused, in CANN's way: a face of `ge.passes`."""

from ._rewrite._cann._boundary import FuseCheckResult, can_fuse, report_fuse

__all__ = ["FuseCheckResult", "can_fuse", "report_fuse"]
