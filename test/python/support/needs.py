"""Marks of tests that need a tool of the system, and whether a sanitizer slows them.

Under .ci/run a skip that names a package is a failure.
"""

import os
import shutil

import pytest

__all__ = ["CC", "CXX", "LONG", "SANITIZED"]

CXX = pytest.mark.skipif(shutil.which("c++") is None, reason="needs package g++")
CC = pytest.mark.skipif(shutil.which("cc") is None, reason="needs package gcc")
# The run time of a sanitizer is loaded: the core takes some five times as long.
SANITIZED = any(f"lib{kind}san.so" in os.environ.get("LD_PRELOAD", "") for kind in "at")
# Set by `make test-long`.
LONG = bool(os.environ.get("GE_TEST_LONG"))
