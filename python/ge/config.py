"""Where the parts of the installed package are, for build systems: ``python -m ge.config``."""

import os
import sys

__all__ = ["bin_dir", "cmake_dir", "include_dir", "library", "main", "torch_include_dir", "version"]

_package = os.path.dirname(os.path.abspath(__file__))
_sdk = os.path.join(_package, "_sdk")


def include_dir() -> str:
    """Return the directory of the public C headers (``ge-c/``)."""
    return os.path.join(_sdk, "include")


def torch_include_dir() -> str:
    """Return the directory of the headers that register operators as torch's sources do (``torch/library.h``)."""
    return os.path.join(_sdk, "include", "ge-torch")


def cmake_dir() -> str:
    """Return the directory to give to CMake as ``GE_DIR``."""
    return os.path.join(_sdk, "lib", "cmake", "GE")


def bin_dir() -> str:
    """Return the directory of the native programs."""
    return os.path.join(_sdk, "bin")


def library() -> str:
    """Return the file of the C library.

    Raises
    ------
    ImportError
        If the package has no native directory.
    FileNotFoundError
        If the native directory holds no C library.
    """
    from ._mlir_like._cext_loader import native_directories

    directories = native_directories()
    for directory in directories:
        for name in sorted(os.listdir(directory)):
            if name.startswith("lib") and ("-" in name):
                return os.path.join(directory, name)
    raise FileNotFoundError(f"no C library in {' or '.join(directories)}")


def version() -> str:
    """Return the name and the version of the distribution that the package belongs to: ``ge-ir 0.1.0``."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as version_of

    from ._mlir_like import DISTRIBUTION

    try:
        return f"{DISTRIBUTION} {version_of(DISTRIBUTION)}"
    except PackageNotFoundError:
        return f"{DISTRIBUTION}, not installed: used from a tree"


def _link_flags() -> str:
    file = library()
    directory, name = os.path.split(file)
    return f"-L{directory} -l{name[3:].partition('.')[0]} -Wl,-rpath,{directory}"


def main(arguments: "list[str] | None" = None) -> int:
    """Print what the options ask for, one line each; return the exit status."""
    questions = {
        "--includes": lambda: "-I" + include_dir(),
        "--torch-includes": lambda: f"-I{torch_include_dir()} -I{include_dir()}",
        "--libs": _link_flags,
        "--cmake-dir": cmake_dir,
        "--bin-dir": bin_dir,
        "--version": version,
    }
    arguments = sys.argv[1:] if arguments is None else arguments
    usage = f"usage: python -m {__spec__.name} [{'] ['.join(questions)}]"
    if arguments in (["-h"], ["--help"]):
        print(usage)
        return 0
    if not arguments or any(argument not in questions for argument in arguments):
        print(usage, file=sys.stderr)
        return 2
    for argument in arguments:
        if argument != "--version" and argument != "--libs" and not os.path.isdir(_sdk):
            print(
                f"{argument}: '{__spec__.name.rpartition('.')[0]}' has no headers, CMake files and programs: "
                "use those of an installed package 'ge'",
                file=sys.stderr,
            )
            return 1
        print(questions[argument]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
