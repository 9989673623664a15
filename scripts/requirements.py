"""Print requirements from pyproject.toml: ``requirements.py [runtime] [extra or dependency group]...``.

pip cannot install a dependency group from pyproject.toml before version 25.1.
"""

import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10: pip's vendored copy
    from pip._vendor import tomli as tomllib


def main() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    tables = tomllib.loads(text)
    lists = {
        **tables["project"]["optional-dependencies"],
        **tables["dependency-groups"],
        "runtime": tables["project"]["dependencies"],
    }
    for name in sys.argv[1:]:
        print("\n".join(lists[name]))


if __name__ == "__main__":
    main()
