"""CANN's way to write rewrites: Pattern and NodeIo, the matcher's configuration, boundaries, ``inputs``."""
