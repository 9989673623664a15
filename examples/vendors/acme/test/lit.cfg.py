"""``lit examples/vendors/acme/test``, in an environment where acme-ge is installed."""

# ruff: noqa: F821
import os
import sys
import sysconfig

import lit.formats

config.name = "acme"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".py"]
config.excludes = ["lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params.get("output", config.test_source_root)
config.environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
config.substitutions += [
    ("%PYTHON", sys.executable),
    ("FileCheck", os.path.join(sysconfig.get_path("scripts"), "filecheck")),
]
