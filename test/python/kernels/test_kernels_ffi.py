"""Seed 003, one mechanism each: what TVM's objects and global functions do, done here.

The example is that of the seed, ``relax.DataflowBlockRewrite``: a class and functions of C++, and their names in Python.
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
    """The module ``_ffi_api`` of the seed."""
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


def test_seed_003_register_object_finds_the_class_by_its_key(api: Any) -> None:
    """``register_object(type_key)``: the class of C++ gets its face; an unknown key is an error that names near ones."""
    cls = face(api)
    assert ops.classes.relax.DataflowBlockRewrite is cls
    with pytest.raises(KeyError, match=r"did you mean relax\.DataflowBlockRewrite"):
        ops.register_object("relax.DataflowBlockRewriter")(type("Other", (ops.Object,), {}))


def test_seed_003_init_handle_by_constructor(api: Any) -> None:
    """``__init_handle_by_constructor__``: the constructor of C++ makes what the object of Python stands for."""
    made = face(api)(["x", "y"], "main")
    assert isinstance(made, ops.Object)
    assert (made.vars, made.root_fn) == (["x", "y"], "main")


def test_seed_003_member_functions_forward_to_global_functions(api: Any) -> None:
    """A method in Python calls the function of the registry with ``self``; C++ changes the instance itself."""
    made = face(api)(["x", "y", "x"], "main")
    made.replace_all_uses("x", "z")
    assert made.vars == ["z", "y", "z"]


def test_seed_003_init_api_lists_global_functions_into_a_module(api: Any) -> None:
    """``_init_api(namespace, module)``: every function of the namespace, by its short name."""
    assert api.add1(2) == 3
    assert {"add1", "dfb_rewrite_replace_all_uses"} <= set(vars(api))
    assert ops.functions("relax") == ["relax::add1", "relax::dfb_rewrite_replace_all_uses"]


def test_seed_003_get_global_func(api: Any) -> None:
    """``get_global_func(name)``: a callable by name, also of functions of Python; an unknown one is an error."""
    assert ops.function("relax::add1")(1) == 2
    with ops.Library("relax", kind="FRAGMENT") as library:
        library.function("relax::add2(int x) -> int", lambda x: x + 2)
        assert ops.function("relax::add2")(1) == 3
    with pytest.raises(KeyError, match="add1"):
        ops.function("relax::add11")


def test_seed_003_a_function_takes_no_other_object(api: Any) -> None:
    with pytest.raises(ops.BindError, match=r"expects relax\.DataflowBlockRewrite, got str 'x'"):
        api.dfb_rewrite_replace_all_uses("x", "y", "z")
