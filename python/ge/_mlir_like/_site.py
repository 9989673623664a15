"""Names of this package outside of Python; a vendor's build writes its own (add_ge_python_modules)."""

__all__ = ["DISTRIBUTION", "EXTENSIONS", "PROGRAM"]

DISTRIBUTION = "ge-ir"
PROGRAM = "ge"
# Native modules that are imported with `ir`.
EXTENSIONS: tuple[str, ...] = ()
