"""The leak gate: after each test no more handles and graphs are alive than before it.

Decided by the counters of the default context, never by touching freed memory. Contexts that a test makes
itself are its own business. (Fewer may be left: what a failed test's traceback held goes later.)
"""

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator

import pytest


def forget_patterns() -> None:
    """Drop the patterns and templates that classes of test modules keep for the life of the process."""
    kinds = sys.modules.get("ge.passes._rewrite._fusion")
    classes = [] if kinds is None else [kinds.PatternFusionPass]
    while classes:
        cls = classes.pop()
        cls._compiled_patterns.clear()
        cls._templates.clear()
        cls._settled.clear()
        classes += cls.__subclasses__()


@pytest.fixture(autouse=True)
def leak_gate(request: pytest.FixtureRequest) -> Iterator[None]:
    module = sys.modules.get("ge.ir")
    if module is None:
        yield
        return
    gc.collect()
    # What lives now (all that is imported, most of all) need not be looked at again and again.
    gc.freeze()
    context = module.Context.default
    handles, graphs = context.live_handle_count(), context.live_graph_count()
    yield
    if getattr(request.node, "failed", False):
        return  # its traceback holds its objects
    request.node.funcargs.clear()  # the other fixtures are over, but pytest still holds what they gave
    forget_patterns()
    gc.collect()
    assert context.live_handle_count() <= handles, "handles that the test left"
    assert context.live_graph_count() <= graphs, "graphs that the test left"


@pytest.fixture
def clean_passes() -> Iterator[None]:
    """No pass of Python is registered before the test, none after it; files that an earlier test failed to load are forgotten."""
    from ge import passes

    passes.unload_pass_plugins()
    passes.clear_registered_passes()
    yield
    passes.unload_pass_plugins()
    passes.clear_registered_passes()
    gc.collect()


def pytest_configure(config: pytest.Config) -> None:
    """Give all processes of this run one directory for the libraries that `compile_library` makes once."""
    if not hasattr(config, "workerinput"):
        os.environ["GE_TEST_LIBRARIES"] = tempfile.mkdtemp(prefix="ge-test-")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the vendors' packages, one of which takes two minutes: at the end one process would wait for it."""
    items.sort(key=lambda item: "vendors" not in item.path.parts)


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop("GE_TEST_LIBRARIES", ""), ignore_errors=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    if outcome.get_result().failed:
        item.failed = True
