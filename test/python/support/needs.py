"""Marks for tests that need a system tool, and whether tests run under a sanitizer.

Under .ci/run, a skip whose reason names a package is a failure.
"""

import os
import shutil

import pytest

__all__ = ["CC", "CXX", "LONG", "SANITIZED"]

CXX = pytest.mark.skipif(shutil.which("c++") is None, reason="needs package g++")
CC = pytest.mark.skipif(shutil.which("cc") is None, reason="needs package gcc")
# Whether a sanitizer's runtime is loaded, which makes the core about five times as slow.
SANITIZED = any(f"lib{kind}san.so" in os.environ.get("LD_PRELOAD", "") for kind in "at")
# Set by `make test-long`.
LONG = bool(os.environ.get("GE_TEST_LONG"))
