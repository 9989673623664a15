"""A native method called through its class on an object of another class raises TypeError and never crashes.

All native methods of ge.ir, ge.ops and ge.passes except static and class methods are called with a number or a string
as `self`. They run in their own process, so that a crash fails this test only.
"""

import os
import subprocess
import sys

PROGRAM = """
import inspect
from ge import ir, ops, passes
from ge._mlir_like._cext_loader import load

modules = [ir, ops, passes, *map(load, ("ir", "ops", "passes"))]
owners = {c: None for m in modules for c in vars(m).values() if inspect.isclass(c)}
wrong = set()
called = 0
for owner in owners:
    if issubclass(owner, (BaseException, int, float, str, bytes, tuple)):
        continue
    for name in dir(owner):
        own = inspect.getattr_static(owner, name)
        if hasattr(object, name) or not callable(own) or not hasattr(own, "__get__"):
            continue
        if inspect.isfunction(own) or isinstance(own, (staticmethod, classmethod)):
            continue
        if "static" in type(own).__name__ or type(own).__name__ == "classmethod_descriptor":
            continue
        print(owner.__name__, name, flush=True)
        for filler in (None, "f"):
            for arguments in ((self, *[filler] * n) for self in (5, "s") for n in range(5)):
                called += 1
                try:
                    getattr(owner, name)(*arguments)
                except TypeError:
                    continue
                except Exception as error:
                    wrong.add((owner.__name__, name, type(error).__name__))
                else:
                    wrong.add((owner.__name__, name, "no exception"))
assert called > 5000, called
print("wrong:", sorted(wrong))
"""


def test_methods_check_what_they_are_called_on() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stdout.splitlines()[-1:] + [result.stderr]
    assert result.stdout.splitlines()[-1] == "wrong: []"
