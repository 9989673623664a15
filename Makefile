# Needs Python 3.10 or newer, a C++20 compiler and make. CMake, Ninja and the linters come from the Python
# package index into .venv; nothing is installed outside this directory.
#
#   make demo        install into .venv and run the demonstration
#   make check       quick tests of what changed, or of ROOMS="passes cli"
#   make test        every suite, minutes            make test-long   sanitizers everywhere, long fuzzing
#   make bench       tables beside the peers         make lint        formatters, linters, types
#   make build       native build in build/release   make wheel       the wheel, in build/wheel
#   make docs        the documentation, in build/docs/html
#   make format FILES="lib/IR"  rewrite these files as the formatters want them (default: all)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tools of .venv come first, for this makefile and all it starts.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# The wheel's time stamps: the last commit's, so that the same commit gives the same archive.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 315532800)

.DELETE_ON_ERROR:
.PHONY: demo check test test-long bench docs lint format build stubs wheel clean

$(VENV)/.build-ready: pyproject.toml scripts/requirements.py
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python scripts/requirements.py runtime build > $(VENV)/build.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/build.txt
	touch $@

$(VENV)/.test-ready: $(VENV)/.build-ready
	$(BIN)/python scripts/requirements.py test > $(VENV)/test.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/test.txt
	touch $@

$(VENV)/.bench-ready: $(VENV)/.test-ready
	$(BIN)/python scripts/requirements.py bench > $(VENV)/bench.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/bench.txt
	touch $@

build: $(VENV)/.build-ready
	$(BIN)/python scripts/trees.py release

wheel: $(VENV)/.build-ready
	$(BIN)/python scripts/trees.py wheel

$(VENV)/.demo-ready: $(VENV)/.build-ready
	$(BIN)/python scripts/requirements.py onnx > $(VENV)/demo.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/demo.txt
	touch $@

demo: wheel $(VENV)/.demo-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall \
	  build/wheel/*.whl
	$(BIN)/python examples/demo.py

stubs: build
	@ls build/release/python/ge/*.pyi

check: $(VENV)/.test-ready
	$(BIN)/python scripts/check.py $(ROOMS)

test: $(VENV)/.test-ready
	$(BIN)/python scripts/run_tests.py $(TEST_FLAGS)

test-long: $(VENV)/.test-ready
	$(BIN)/python scripts/run_tests.py --long $(TEST_FLAGS)

bench: $(VENV)/.bench-ready
	$(BIN)/python scripts/trees.py bench
	PYTHONPATH=$(CURDIR)/build/bench/python $(BIN)/python bench/run.py $(BENCH_FLAGS)

docs: $(VENV)/.test-ready build
	$(BIN)/python scripts/build_docs.py --package build/release/python

lint: $(VENV)/.test-ready
	$(BIN)/python scripts/trees.py release
	$(BIN)/python scripts/lint.py $(LINT_FLAGS)

format: $(VENV)/.test-ready
	$(BIN)/python scripts/lint.py --fix $(or $(FILES),.)

clean:
	rm -rf build
