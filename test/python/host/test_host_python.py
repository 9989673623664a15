"""Which interpreter a native program chooses, and its errors if none is suitable."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from native_hosts import BUILD, HAS_LIBRARY, environment, run

pytestmark = HAS_LIBRARY

GE_OPT = BUILD / "bin/ge-opt"


@pytest.fixture
def words(pairs: Path, graph: Path) -> list[str]:
    return [str(GE_OPT), "--py-pass-path", str(pairs), "--stage", "BeforeInferShape", str(graph)]


def others() -> list[Path]:
    """Return the interpreters on this machine that GE supports, one for each version."""
    found = {}
    roots = [Path(os.environ.get("PYENV_ROOT", "/nowhere")) / "versions"]
    programs = [p for root in roots for p in root.glob("3.*/bin/python3")]
    for name in (f"python3.{minor}" for minor in range(10, 15)):
        programs += [Path(p)] if (p := shutil.which(name)) and "shims" not in p else []
    for program in programs:
        ask = [str(program), "-c", "import sys; print(*sys.version_info[:2])"]
        done = subprocess.run(ask, capture_output=True, text=True, check=False)
        if done.returncode == 0 and (version := tuple(map(int, done.stdout.split()))) >= (3, 10):
            found.setdefault(version, program)
    return [found[version] for version in sorted(found)]


def test_the_virtual_environment(words: list[str]) -> None:
    env = environment(GE_PYTHON=None, VIRTUAL_ENV=sys.prefix, PATH="/nowhere")
    assert "Neg" not in run(*words, env=env).stdout


def test_the_option_before_the_environment(words: list[str]) -> None:
    env = environment(GE_PYTHON="/nowhere/python")
    assert "Neg" not in run(*words, "--python", sys.executable, env=env).stdout


def test_a_wrong_choice_is_an_error(words: list[str], tmp_path: Path) -> None:
    """An explicit choice has no fallback: another interpreter would have other packages."""
    env = environment(VIRTUAL_ENV=sys.prefix, GE_PYTHON="/nowhere/python")
    done = run(*words, env=env, status=1)
    assert "$GE_PYTHON: there is no program '/nowhere/python'" in done.stderr
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\necho no python\nexit 3\n")
    script.chmod(0o755)
    done = run(*words, env=environment(GE_PYTHON=str(script)), status=1)
    assert f"{script} is no Python that starts: no python" in done.stderr


def test_a_host_that_ignores_the_ends_of_its_children(words: list[str], tmp_path: Path) -> None:
    """Daemons ignore SIGCHLD, so the exit status of the queried interpreter is not available."""
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    ignoring = ["sh", "-c", "trap '' CHLD; exec \"$@\"", "sh"]
    env = environment(GE_PYTHON=str(script))
    assert "Neg" not in run(*ignoring, *words, env=env).stdout
    script.write_text("#!/bin/sh\necho no python\nexit 3\n")
    assert "is no Python that starts: no python" in run(*ignoring, *words, env=env, status=1).stderr


@pytest.mark.long
def test_an_interpreter_that_does_not_answer(words: list[str], tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    script.chmod(0o755)
    done = run(*words, env=environment(GE_PYTHON=str(script)), status=1)
    assert f"{script} did not answer within 30 seconds" in done.stderr


def test_no_python_on_the_machine(words: list[str], graph: Path, tmp_path: Path) -> None:
    env = environment(GE_PYTHON=None, VIRTUAL_ENV=None, PATH=str(tmp_path))
    done = run(*words, env=env, status=1)
    assert "tried:" in done.stderr
    for place in ("$VIRTUAL_ENV", "the environment that GE is installed in", "python3 of $PATH"):
        assert f"{place}: there is none" in done.stderr
    # A pipeline without Python passes needs none.
    assert "Neg" in run(GE_OPT, "--pass-pipeline", "dce", graph, env=env).stdout


def test_an_interpreter_without_a_library(words: list[str], tmp_path: Path) -> None:
    """A script answers the query like an interpreter that was built without --enable-shared."""
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\nprintf 'GE\\n{sys.executable}\\n3.11\\n0\\n/nowhere/l.so\\n'\n")
    script.chmod(0o755)
    done = run(*words, env=environment(GE_PYTHON=str(script)), status=1)
    assert "is Python 3.11 without a shared library" in done.stderr
    assert "install libpython3.11" in done.stderr and "--enable-shared" in done.stderr


@pytest.mark.parametrize(
    ("answer", "text"),
    [("3.9\\n0", "is Python 3.9; GE needs 3.10"), ("3.13\\n1", "is a free-threaded Python 3.13")],
)
def test_interpreters_that_do_not_fit(
    words: list[str], tmp_path: Path, answer: str, text: str
) -> None:
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\nprintf 'GE\\n/nowhere\\n{answer}\\n'\n")
    script.chmod(0o755)
    assert text in run(*words, env=environment(GE_PYTHON=str(script)), status=1).stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PYTHONHOME", "/nowhere"),
        ("PYTHONHASHSEED", "abc"),
        ("PYTHONIOENCODING", "nonsense"),
        ("PYTHONMALLOC", "nonsense"),
    ],
)
def test_a_wrong_variable_does_not_end_the_program(
    words: list[str], variable: str, value: str
) -> None:
    """CPython aborts the process if it cannot start, so the host tries that in a child process first."""
    done = run(*words, env=environment(**{variable: value}), status=1)
    assert "is no Python that starts: Fatal Python error" in done.stderr


def test_a_right_variable(words: list[str]) -> None:
    env = environment(PYTHONHASHSEED="0", PYTHONIOENCODING="utf-8", PYTHONMALLOC="malloc")
    assert "Neg" not in run(*words, env=env).stdout


def test_a_home(words: list[str]) -> None:
    if sys.prefix != sys.base_prefix:
        packages = sysconfig.get_path("purelib")
        env = environment(PYTHONHOME=sys.base_prefix, PYTHONPATH=packages)
    else:
        env = environment(PYTHONHOME=sys.base_prefix)
    assert "Neg" not in run(*words, env=env).stdout


def test_a_library_path_that_leads_elsewhere(words: list[str], tmp_path: Path) -> None:
    """A file in $LD_LIBRARY_PATH with the name of the interpreter's library is not loaded.

    PYTHONMALLOC, which sanitized runs set, is unset here and below: the host would check its value by running the
    interpreter's program, which fails with this path.
    """
    name = sysconfig.get_config_var("INSTSONAME")
    (tmp_path / name).write_bytes(b"no library")
    env = environment(LD_LIBRARY_PATH=str(tmp_path), PYTHONMALLOC=None)
    if (
        shutil.which("ldd")
        and name
        in subprocess.run(
            ["ldd", sys.executable], capture_output=True, text=True, check=False
        ).stdout
    ):
        env["GE_PYTHON"] = sys.executable  # a program that links it could not run the query
    assert "Neg" not in run(*words, env=env).stdout


def test_an_environment_without_the_backend(words: list[str], tmp_path: Path) -> None:
    directory = tmp_path / "env"
    make = [sys.executable, "-m", "venv", "--without-pip", str(directory)]
    subprocess.run(make, check=True, env=environment())
    done = run(*words, env=environment(GE_PYTHON=str(directory / "bin/python")), status=1)
    assert "has no package 'nanobind-backend'" in done.stderr
    assert f"{directory}/bin/python -m pip install nanobind-backend" in done.stderr


@pytest.mark.parametrize("minor", range(10, 15))
def test_one_bridge_for_every_version(words: list[str], minor: int) -> None:
    """The interpreter runs the pass, or the error names the dependency that it lacks."""
    program = next((p for p in others() if f"3.{minor}" in str(p.resolve())), None)
    if program is None:
        pytest.skip(f"CPython 3.{minor} is not installed")
    done = run(*words, env=environment(GE_PYTHON=str(program), VIRTUAL_ENV=None), status=None)
    if done.returncode == 0:
        assert "Neg" not in done.stdout
    else:
        said = ("has no package 'nanobind-backend'", "without a shared library")
        assert any(text in done.stderr for text in said), done.stderr


def test_a_program_that_has_another_python(words: list[str]) -> None:
    """The program has loaded the library of one CPython; the library of another version is refused."""
    own = sys.version_info[:2]
    libraries = [
        lib for p in others() for lib in (p.parent.parent / "lib").glob("libpython3.*.so.1.0")
    ]
    library = next(
        (lib for lib in libraries if f"libpython{own[0]}.{own[1]}" not in lib.name), None
    )
    if library is None:
        pytest.skip("no other CPython with a shared library is installed")
    other = library.name.removeprefix("libpython").removesuffix(".so.1.0")
    # The runtime of a sanitizer must stay first.
    preload = f"{os.environ.get('LD_PRELOAD', '')}:{library}".lstrip(":")
    done = run(*words, env=environment(LD_PRELOAD=preload, PYTHONMALLOC=None), status=1)
    assert f"has loaded the library of CPython {other}" in done.stderr
    assert f"set GE_PYTHON to a CPython {other}" in done.stderr


def test_ge_comes_from_beside_the_library(words: list[str], tmp_path: Path) -> None:
    """Another `ge` on Python's path does not replace the package, but modules that it adds can be imported."""
    wrong = tmp_path / "wrong" / "ge"
    wrong.mkdir(parents=True)
    (wrong / "__init__.py").write_text("raise ImportError('the wrong one')\n")
    other = tmp_path / "other" / "ge"
    other.mkdir(parents=True)
    (other / "added.py").write_text("")
    file = Path(words[2])
    file.write_text("import ge.added\n" + file.read_text())
    env = environment(PYTHONPATH=str(other.parent))
    assert "Neg" not in run(*words, env=env).stdout
    file.write_text(file.read_text().replace("import ge.added\n", ""))
    env = environment(PYTHONPATH=str(wrong.parent))
    assert "Neg" not in run(*words, env=env).stdout
