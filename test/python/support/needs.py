"""Marks of tests that need a tool of the system. Under .ci/run a skip that names a package is a failure."""

import shutil

import pytest

__all__ = ["CC", "CXX"]

CXX = pytest.mark.skipif(shutil.which("c++") is None, reason="needs package g++")
CC = pytest.mark.skipif(shutil.which("cc") is None, reason="needs package gcc")
