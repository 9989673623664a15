"""Structs of the C API can grow: each begins with its size, or is a value whose layout is fixed within one ABI."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HEADERS = sorted((ROOT / "include/ge-c").glob("*.h"))
# Structs without a size, which never change within one ABI, and the reason.
VALUES = {
    "GeStringRef": "a slice, passed by value and in arrays",
    "GeAttribute": "one word, passed by value and in arrays",
    "GeDim": "two words; shapes are arrays of it, which types and tensors keep as they are",
    "GeNamedAttribute": "two words; arrays of it are the core's own",
    "GeUse": "two words; lists of uses are arrays of it",
    "GeKeyword": "a name and a word; calls have arrays of it",
    "GeBoundArg": "one word; arrays of it are the binder's own",
    "GeAny": "16 bytes, laid out as in apache-tvm-ffi",
    "GeObject": "laid out as in apache-tvm-ffi",
    "GeBytesObject": "laid out as in apache-tvm-ffi",
    "GeTensorObject": "laid out as in apache-tvm-ffi",
    "GeManagedTensorObject": "a GeTensorObject, laid out as in apache-tvm-ffi",
    "GeArrayObject": "laid out as in apache-tvm-ffi",
    "GeInstanceObject": "a GeObject, whose layout is that of apache-tvm-ffi; kernels keep it",
    "DLDevice": "DLPack's",
    "DLDataType": "DLPack's",
    "DLTensor": "DLPack's",
    "DLPackVersion": "DLPack's",
    "DLManagedTensorVersioned": "DLPack's",
}
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_STRUCT = re.compile(r"typedef\s+struct(?:\s+\w+)?\s*\{(.*?)\n\}\s*(\w+)\s*;", re.S)


def structs() -> dict[str, str]:
    """Return the body of each struct of ge-c, without comments."""
    found = {}
    for header in HEADERS:
        text = _COMMENT.sub("", header.read_text())
        found.update({name: body for body, name in _STRUCT.findall(text)})
    return found


STRUCTS = structs()
SIZED = sorted(set(STRUCTS) - set(VALUES) - {"GeApi"})


def test_all_structs_are_seen() -> None:
    """The table of layouts, which scripts/gen_api_table.py generates from the headers, has the same structs."""
    table = (ROOT / "include/ge-c/api.txt").read_text()
    assert set(re.findall(r"^struct (\w+) ", table, re.M)) == set(STRUCTS) - {"GeApi"}
    assert set(VALUES) <= set(STRUCTS), "a value that is no struct"


@pytest.mark.parametrize("name", SIZED)
def test_struct_begins_with_its_size(name: str) -> None:
    first = STRUCTS[name].split(";")[0].split()
    assert first == ["size_t", "size", f"GE_SIZE_OF({name})"], (
        f"{name} crosses the C API: begin it with `size_t size GE_SIZE_OF({name});`, "
        "or give the reason in VALUES why it never changes"
    )


@pytest.mark.parametrize("name", sorted(VALUES))
def test_value_has_no_size(name: str) -> None:
    assert "GE_SIZE_OF" not in STRUCTS[name]


def test_no_struct_that_grows_is_part_of_another() -> None:
    """If it grew, the offsets of the following fields would change."""
    wrong = [
        f"{name}: {field.strip()}"
        for name, body in STRUCTS.items()
        for field in body.split(";")
        for inner in SIZED
        if re.match(rf"\s*(?:const\s+)?{inner}\s+\w", field)
    ]
    assert not wrong


def test_no_function_takes_or_returns_one_by_value() -> None:
    wrong = [
        (header.name, found)
        for header in HEADERS
        for found in re.findall(
            rf"[(,]\s*(?:const\s+)?(?:{'|'.join(SIZED)})\s+\w+|GE_C_API (?:{'|'.join(SIZED)}) ge\w+",
            _COMMENT.sub("", header.read_text()),
        )
    ]
    assert not wrong


@pytest.mark.parametrize("name", SIZED)
def test_sizes_of_older_and_newer_callers_are_tested(name: str) -> None:
    """test/CAPI/sizes*.c call the library with smaller, larger and unset sizes of each struct."""
    text = "".join(path.read_text() for path in (ROOT / "test/CAPI").glob("sizes*.c"))
    checks = rf"CHECK_(?:FILL|READ|READ_WHOLE)\({name},|== sizeof\({name}\)"
    assert re.search(checks, text), f"test/CAPI/sizes*.c have no check of {name}"


def test_header_names_the_values() -> None:
    """The comment in Support.h lists the structs that are values."""
    text = re.sub(r"\n\|\*\s*", " ", (ROOT / "include/ge-c/Support.h").read_text())
    words = text.partition("All other structs are values")[2].partition("ge-c/api.txt")[0]
    named = set(re.findall(r"\bGe[A-Z]\w+", words))
    objects = {name for name in VALUES if name.endswith("Object") or name.startswith("DL")}
    assert named == set(VALUES) - objects
