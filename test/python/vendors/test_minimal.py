"""A vendor's own build, examples/vendors/minimal: the graph IR and its C library under other names.

It is built without optimisation from the sources that an installed `ge` contains. Object files of the core come from
this build tree; a vendor compiles them, as does `make test-long`. Promised: it works beside `ge` and a thin vendor in
one process; errors for objects of another package name it, and graphs are exchanged as text (test/smoke/vendors.py).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from vendor_wheels import CMAKE, EXAMPLES, TREE, run, shared_site

from ge.config import library

pytestmark = [
    pytest.mark.nosan,  # runs interpreters without the sanitizer's runtime
    pytest.mark.timeout(3000),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the installed wheel."""
    return shared_site(tmp_path_factory, "minimal")


@pytest.fixture(scope="module")
def beside(site: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return that directory and one with `ge` and `thin-ge`."""
    return [shared_site(tmp_path_factory), site]


def script(path: list[Path], source: str, status: int = 0, **environment: str) -> str:
    joined = os.pathsep.join(map(str, path))
    command = ["-c", textwrap.dedent(source)]
    return run("", arguments=command, status=status, **environment, PYTHONPATH=joined)


def test_packages_in_one_process(beside: list[Path]) -> None:
    """Packages work in every order of imports; the suite of interpreters runs this on other versions, too."""
    program = Path(__file__).parents[2] / "smoke" / "vendors.py"
    path = os.pathsep.join(map(str, beside))
    out = run("", arguments=[str(program)], PYTHONPATH=path)
    assert out == "6 orders of ge, thin.ge, minimal.ge\n"


def test_it_needs_no_ge_when_it_runs(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site / "minimal", tmp_path / "minimal")
    source = """
        import sys
        from minimal.ge import ir
        assert not [m for m in sys.modules if m == "ge" or m.startswith("ge.")]
        assert ir.Graph("g").name == "g"
        try:
            import minimal.ge.passes
        except ModuleNotFoundError as error:
            assert "minimal.ge.passes" in str(error)
        else:
            raise AssertionError("a group that was left out")
    """
    script([tmp_path], source)
    command = ["-m", "minimal.ge.config", "--includes"]
    out = run("", arguments=command, status=1, PYTHONPATH=str(tmp_path))
    assert out.startswith("--includes: 'minimal.ge' has no headers")
    text = script([tmp_path], "import minimal.ge.ir", status=1, MINIMAL_NATIVE_DIR="nowhere")
    assert "no usable native module of 'minimal.ge'" in text and "$MINIMAL_NATIVE_DIR" in text


def test_names_are_the_vendors(beside: list[Path]) -> None:
    source = """
        from minimal.ge._support.program import DISTRIBUTION, PACKAGE, PROGRAM
        assert (DISTRIBUTION, PACKAGE, PROGRAM) == ("minimal-ge", "minimal.ge", "minimal-ge")
        from minimal.ge import config
        assert config.version() == "minimal-ge 1.0", config.version()
        from minimal.ge.config import library
        assert "libMinimalGE-" in library(), library()
        from ge._support.program import DISTRIBUTION, PACKAGE, PROGRAM
        assert (DISTRIBUTION, PACKAGE, PROGRAM) == ("ge-ir", "ge", "ge")
    """
    script(beside, source)


def refused(source: Path, tree: Path, factory: pytest.TempPathFactory, objects: Path) -> str:
    """Return the error of configuring a package, in one line."""
    done = subprocess.run(
        [CMAKE, "-G", "Ninja", "-S", str(source), "-B", str(tree)]
        + [f"-DGE_PREBUILT_OBJECTS={objects}", f"-DPython_EXECUTABLE={sys.executable}"]
        + [f"-DCMAKE_MAKE_PROGRAM={Path(CMAKE).parent / 'ninja'}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(shared_site(factory))},
    )
    assert done.returncode != 0
    return " ".join(done.stderr.split())


def test_a_set_of_groups_that_cannot_work_is_refused(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shutil.copytree(EXAMPLES / "minimal", tmp_path / "minimal")
    file = tmp_path / "minimal" / "CMakeLists.txt"
    file.write_text(file.read_text().replace("GEPython.Core", "GEPython.Core GEPython.Passes"))
    said = refused(tmp_path / "minimal", tmp_path / "tree", tmp_path_factory, TREE)
    assert "GEPython.Passes needs GEPython.Ops, which is not among them" in said


def test_objects_that_do_not_exist_are_named(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    said = refused(EXAMPLES / "minimal", tmp_path / "tree", tmp_path_factory, tmp_path)
    assert re.search(r"GE_PREBUILT_OBJECTS: \S+/lib/Support/objects\.txt does not exist", said)
    assert "build that tree first" in said


def test_a_copy_that_was_not_built_is_one_sentence(tmp_path: Path) -> None:
    package = Path(library()).parents[2]
    shutil.copytree(package, tmp_path / "acme" / "ge", symlinks=False)
    text = run("import acme.ge.ir", tmp_path, status=1)
    said = "built for 'ge', installed as 'acme.ge'; rebuild with PREFIX acme.ge._mlir_like"
    assert said in text
