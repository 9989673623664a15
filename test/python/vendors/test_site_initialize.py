"""Installed packages are initialized once, at the first lookup of something they may provide.

Each test runs in its own process, with a directory of distributions as pip installs them. Promised: `import ge.ir` runs
no initializer, a failing package does not affect others, GE_NO_PLUGINS=1 turns initialization off, and the command uses
the program name of the package.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from vendor_wheels import run

pytestmark = pytest.mark.nosan  # runs interpreters without the sanitizer's runtime

ENTRIES = """
[ge.site_initialize]
broken = site_acme:broken
acme = site_acme:start
[ge.ops.plugins]
acme = site_acme:operators
[ge.es.plugins]
other = site_acme:builders
"""
SOURCE = """
import ge.ops

def start():
    print("started")
    ge.ops.add_inferrer(lambda call: None)

def broken():
    raise SystemExit(3)

libraries = []

def define(name):
    library = ge.ops.Library(name)
    library.define("Scale(Tensor x, *, float factor=2.0) -> Tensor y")
    libraries.append(library)

def operators():
    print("operators")
    define("acme")

def builders():
    print("builders")
    define("other")
    import ge.es
    return ge.es.namespace("other")
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    info = tmp_path / "site_acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: site_acme\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    (tmp_path / "site_acme.py").write_text(SOURCE)
    return tmp_path


def lines(site: Path, source: str, *options: str, **environment: str) -> list[str]:
    text = textwrap.dedent(source)
    arguments = ["-W", "ignore", *options, "-c", text]
    return run("", site, arguments=arguments, **environment).splitlines()


NODE = 'ir.Graph("g").add_node("unknown.Op", [])'
USES = {
    "a manager": "from ge import passes\nprint('first')\npasses.PassManager()\npasses.PassManager()",
    "the passes": "from ge import passes\nprint('first')\npasses.list_passes()",
    "plugins": "from ge import passes\nprint('first')\npasses.load_pass_plugins('')",
    "an unknown domain": f"from ge import ir, ops\nnode = {NODE}\nprint('first')\nnode.graph.infer_types()",
    "a record": "from ge import ops\nprint('first')\ntry: ops.get('unknown.Op')\nexcept KeyError: pass",
    "a builder": "from ge import es\nprint('first')\nhasattr(es, 'unknown')",
    "a call": "from ge import ops\nprint('first')\nhasattr(ops.call, 'unknown')",
    "a command": "from ge.cli import main\nprint('first')\nmain(['plugins', '--json'])",
}


@pytest.mark.parametrize("use", USES)
def test_it_runs_once_at_the_first_use(site: Path, use: str) -> None:
    out = lines(site, USES[use])
    assert out[:2] == ["first", "started"] and out.count("started") == 1


def test_imports_and_known_operators_run_nothing(site: Path) -> None:
    source = """
        import sys
        import ge.ir, ge.ops, ge.es, ge.passes
        from ge.es import onnx
        graph = ge.ir.Graph("g")
        onnx.Relu(graph.add_input("x", ge.ir.TensorType((2,), ge.ir.f32)))
        graph.infer_types(), graph.verify()
        assert "importlib.metadata" not in sys.modules and "site_acme" not in sys.modules
        from ge.cli import main
        main(["--version"])
    """
    assert "started" not in lines(site, source)


def test_packages_can_be_turned_off(site: Path) -> None:
    source = "from ge import es, passes\npasses.PassManager()\nprint(hasattr(es, 'acme'))"
    assert lines(site, source, GE_NO_PLUGINS="1") == ["False"]


def test_what_fails_is_a_warning_that_names_it(site: Path) -> None:
    source = """
        import warnings
        from ge import passes
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            passes.PassManager()
        (warning,) = caught
        print(warning.message)
    """
    assert lines(site, source) == [
        "started",
        "plugin 'broken' (site_acme:broken) of site_acme of group ge.site_initialize is left out: SystemExit: 3",
    ]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("from ge import es\nprint(es.acme.Scale.op)", "operators"),
        ("from ge.es import acme\nprint(acme.Scale.op)", "operators"),
        ("import ge.es.acme\nprint(ge.es.acme.Scale.op)", "operators"),
        ("from ge import ops\nprint(ops.get('acme::Scale'))", "operators"),
        ("from ge import ops\nprint(ops.call.acme.Scale.op)", "operators"),
        ("from ge.es import other\nprint(other.Scale.op)", "builders"),
    ],
)
def test_a_domain_is_loaded_by_whatever_first_names_it(site: Path, source: str, said: str) -> None:
    domain = "other" if said == "builders" else "acme"
    assert lines(site, source) == [
        "started",
        said,
        f"{domain}::Scale(Tensor x, *, float factor=2.0) -> Tensor y",
    ]


def test_the_program_has_the_packages_name(tmp_path: Path) -> None:
    # A vendor's build sets these names.
    source = """
        import sys
        import ge._mlir_like
        ge._mlir_like.PROGRAM, ge._mlir_like.DISTRIBUTION = "acme-ge", "acme-dist"
        from ge.cli import main
        print(main(sys.argv[1:]))
    """
    expected = {
        "--version": "acme-ge not installed",
        "--help": "usage: acme-ge COMMAND ...",
        "optimize --help": "usage: acme-ge optimize",
        "doctor": "acme-ge   not installed in ",
        "chekc": "no command 'chekc'; did you mean 'check'?; 'acme-ge --help' lists them",
        "x.onnx": "'acme-ge info x.onnx'",
        "optimize": "('acme-ge optimize --help' tells more)",
        "optimize a.onnx": "where to? acme-ge optimize a.onnx -o OUT",
        "check --no": "('acme-ge check --help' tells more)",
    }
    script = textwrap.dedent(source) + "\nsys.stderr.flush()\n"
    both = "import sys\nsys.stderr = sys.stdout\n" + script
    for words, text in expected.items():
        out = run("", tmp_path, arguments=["-c", both, *words.split()])
        assert text in " ".join(out.split()) or text in out, out
        assert "'ge " not in out and "usage: ge " not in out, out
    assert "acme-ge" in run("", arguments=["-c", both, "convert", "--help"])
