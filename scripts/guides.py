"""Run the commands of the guides: ``guides.py WHEEL [PAGE...]``.

Works in a fresh directory, with the wheel installed in a fresh environment. If the sentence before a code block ends with a
file name, the block is saved under that name. The ``sh`` blocks of a page are run by one bash, which stops at the first
failure. The directory contains the parts of a clone that the pages use: examples/, and the wheel in build/wheel.
``bash`` blocks are not run: they build GE itself, which the suites `wheel` and `sdist` test.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("install", "guide-native-pass", "host", "vendors")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# The file name at the end of the sentence before a block: ... `directory/name.suffix`:
FILE = re.compile(r"`([\w./-]+\.\w+)`:\n\n\Z")


def follow(page: Path, directory: Path, environment: dict[str, str]) -> bool:
    """Save the files of a page and run its commands; return whether all succeeded."""
    text = page.read_text()
    commands = []
    for block in BLOCK.finditer(text):
        language, content = block.groups()
        if language == "sh":
            commands.append(content)
        elif named := FILE.search(text, 0, block.start()):
            file = directory / named[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    script = "set -euxo pipefail\n" + "".join(commands)
    print(f"--- {page.name}: {len(commands)} blocks", flush=True)
    status = subprocess.run(["bash", "-c", script], cwd=directory, env=environment).returncode
    print(f"--- {page.name}: exit {status}", flush=True)
    return bool(commands) and status == 0


def main() -> int:
    wheel, pages = Path(sys.argv[1]).resolve(), sys.argv[2:] or PAGES
    with tempfile.TemporaryDirectory(prefix="ge-guides-") as name:
        directory = Path(name)
        shutil.copytree(ROOT / "examples", directory / "examples")
        (directory / "build" / "wheel").mkdir(parents=True)
        shutil.copy(wheel, directory / "build" / "wheel")
        home = directory / ".venv"
        environment = {**os.environ, "VIRTUAL_ENV": str(home), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        environment["PATH"] = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        for variable in ("PYTHONPATH", "PYTHONHOME", "GE_BUILD_DIR", "GE_PYTHON"):
            environment.pop(variable, None)
        subprocess.run([sys.executable, "-m", "venv", home], check=True, env=environment)
        pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, wheel, "cmake"], check=True, env=environment)
        done = [follow(ROOT / "docs" / f"{page}.md", directory, environment) for page in pages]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
