"""Seed 003: each test shows one mechanism of TVM's objects and global functions in GE.

The example is the seed's ``relax.DataflowBlockRewrite``: a C++ class and C++ functions with wrappers in Python.
"""

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from native_plugins import compile_library
from needs import CC

import ge.ops as ops

pytestmark = CC

RELAX = r"""
#include "ge/library.h"
#include <map>

// What the seed's class does, on names.
class DataflowBlockRewrite {
public:
  DataflowBlockRewrite(std::vector<std::string> block, std::string root) : vars(std::move(block)), root(std::move(root)) {}
  void ReplaceAllUses(std::string before, std::string after) {
    for (std::string &var : vars)
      if (var == before) var = after;
  }
  std::vector<std::string> vars;
  std::string root;
};

GE_LIBRARY(relax, m) {
  m.class_<DataflowBlockRewrite>("DataflowBlockRewrite")
      .def(ge::init<std::vector<std::string>, std::string>())
      .def_readonly("vars", &DataflowBlockRewrite::vars)
      .def_readonly("root_fn", &DataflowBlockRewrite::root);
  m.def("dfb_rewrite_replace_all_uses(relax.DataflowBlockRewrite rwt, str old_var, str new_var) -> ()",
        [](DataflowBlockRewrite &rwt, std::string before, std::string after) { rwt.ReplaceAllUses(before, after); });
  m.def("add1(int x) -> int", [](int64_t x) { return x + 1; });
}
"""


@pytest.fixture(scope="module")
def relax_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("relax")
    source = folder / "relax.cpp"
    source.write_text(RELAX)
    return compile_library(folder / "librelax.so", source, link=False)


@pytest.fixture
def api(relax_file: Path) -> Iterator[Any]:
    """Yield the seed's module ``_ffi_api``."""
    module = types.ModuleType("relax_ffi_api")
    sys.modules[module.__name__] = module
    with ops.load_library(relax_file):
        ops.init_api("relax", module.__name__)
        yield module
    del sys.modules[module.__name__]


def face(api: Any) -> Any:
    @ops.register_object("relax.DataflowBlockRewrite")
    class DataflowBlockRewrite(ops.Object):
        def __init__(self, dfb: "list[str]", root_fn: str) -> None:
            super().__init__(dfb, root_fn)

        def replace_all_uses(self, old_var: str, new_var: str) -> None:
            api.dfb_rewrite_replace_all_uses(self, old_var, new_var)

    return DataflowBlockRewrite


@pytest.mark.slow
def test_seed_003_register_object_finds_the_class_by_its_key(api: Any) -> None:
    """``register_object(type_key)``: wraps the C++ class; an unknown key is an error that suggests similar keys."""
    cls = face(api)
    assert ops.classes.relax.DataflowBlockRewrite is cls
    with pytest.raises(KeyError, match=r"did you mean relax\.DataflowBlockRewrite"):
        ops.register_object("relax.DataflowBlockRewriter")(type("Other", (ops.Object,), {}))


def test_seed_003_init_handle_by_constructor(api: Any) -> None:
    """``__init_handle_by_constructor__``: the C++ constructor creates the instance behind the Python object."""
    made = face(api)(["x", "y"], "main")
    assert isinstance(made, ops.Object)
    assert (made.vars, made.root_fn) == (["x", "y"], "main")


def test_seed_003_member_functions_forward_to_global_functions(api: Any) -> None:
    """A method in Python calls the registered function with ``self``; C++ modifies the same instance."""
    made = face(api)(["x", "y", "x"], "main")
    made.replace_all_uses("x", "z")
    assert made.vars == ["z", "y", "z"]


def test_seed_003_init_api_lists_global_functions_into_a_module(api: Any) -> None:
    """``_init_api(namespace, module)``: the module gets every function of the namespace under its short name."""
    assert api.add1(2) == 3
    assert {"add1", "dfb_rewrite_replace_all_uses"} <= set(vars(api))
    assert ops.functions("relax") == ["relax::add1", "relax::dfb_rewrite_replace_all_uses"]


def test_seed_003_get_global_func(api: Any) -> None:
    """``get_global_func(name)``: looks up a function of C++ or Python by name; an unknown name is an error."""
    assert ops.function("relax::add1")(1) == 2
    with ops.Library("relax", kind="FRAGMENT") as library:
        library.function("relax::add2(int x) -> int", lambda x: x + 2)
        assert ops.function("relax::add2")(1) == 3
    with pytest.raises(KeyError, match="add1"):
        ops.function("relax::add11")


def test_seed_003_a_function_takes_no_other_object(api: Any) -> None:
    with pytest.raises(ops.BindError, match=r"expects relax\.DataflowBlockRewrite, got str 'x'"):
        api.dfb_rewrite_replace_all_uses("x", "y", "z")
