"""No argument of any member of any public class crashes the process; each is accepted or refused with a message.

Members are found by introspection: methods, properties (read, set, deleted), special methods, constructors and
functions of the module, also called on objects of the wrong class. Arguments are numbers beyond every limit, strings
that are not valid UTF-8, containers that contain themselves, objects whose special methods raise or edit the graph,
and IR objects that are stale, detached, of another root or of another context. The attack runs in its own process:
a crash is reported as a failure with the last call and the seed.

Not covered here: the right results of calls (the other files), threads, code that bypasses the public API.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from needs import LONG
from places import SUPPORT


def attack(seed: int, rounds: int, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run the attack in its own process; the last call that it recorded is part of the output."""
    with tempfile.TemporaryDirectory() as directory:
        note = Path(directory) / "note"
        result = subprocess.run(
            [
                sys.executable,
                "-X",
                "faulthandler",
                str(SUPPORT / "attack_ir.py"),
                str(seed),
                str(rounds),
                str(note),
                *flags,
            ],
            cwd=directory,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        last = note.read_bytes().rstrip(b"\0").decode(errors="replace") if note.exists() else ""
        result.stdout += f"\nseed {seed}, last call: {last}\n"
    return result


@pytest.mark.slow
def test_one_odd_argument_to_every_member() -> None:
    result = attack(1, 0)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]


@pytest.mark.slow
def test_several_odd_arguments_at_random() -> None:
    seed = int.from_bytes(os.urandom(4), "big")
    result = attack(seed, 2000 if LONG else 40)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]


def test_the_attack_notices_a_crash() -> None:
    """The report of a process that crashed names its last call."""
    result = attack(7, 0, "--die")
    assert result.returncode != 0
    assert "last call: the end" in result.stdout and "Fatal Python error" in result.stderr
