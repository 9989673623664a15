"""A method called through its class on an object of another class raises TypeError and never crashes.

All classes of ge.ir and all methods except static and class methods are called with a number as `self`. They run in
their own process, so that a crash fails this test only.
"""

import os
import subprocess
import sys

PROGRAM = """
import inspect
from ge import ir

wrong = []
for owner in [c for c in vars(ir).values() if inspect.isclass(c)]:
    if issubclass(owner, (BaseException, int, float, str, bytes, tuple)):
        continue
    for name in dir(owner):
        own = inspect.getattr_static(owner, name)
        if hasattr(object, name) or isinstance(own, (staticmethod, classmethod)):
            continue
        if not callable(own) or not hasattr(own, "__get__") or "static" in type(own).__name__:
            continue
        print(owner.__name__, name, flush=True)
        for count in range(4):
            try:
                getattr(owner, name)(5, *[None] * count)
            except TypeError:
                continue
            except Exception as error:
                wrong.append((owner.__name__, name, type(error).__name__))
print("wrong:", wrong)
"""


def test_methods_check_what_they_are_called_on() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stdout.splitlines()[-1:] + [result.stderr]
