"""Write what a module says of its slot functions for nanobind's stubgen: lib/Bindings/Python/IR/Members.h.

``stub_patterns.py PYTHON_PATH PACKAGE MODULE OUTPUT``
"""

import sys
from importlib import import_module
from pathlib import Path

python_path, package, module, output = sys.argv[1:]
sys.path.insert(0, python_path)
native = import_module(f"{package}._mlir_like._cext_loader").load(module)
patterns = getattr(native, "_stub_patterns", str)
Path(output).write_text(patterns())
