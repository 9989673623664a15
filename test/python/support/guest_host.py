"""Uses a host through the C API inside of a Python process, with ctypes."""

import ctypes
from pathlib import Path

from native_hosts import GRAPH

from ge._mlir_like._cext_loader import load

__all__ = ["Host"]


class Ref(ctypes.Structure):
    _fields_ = (("data", ctypes.c_char_p), ("length", ctypes.c_size_t))

    @classmethod
    def of(cls, text: str) -> "Ref":
        return cls(text.encode(), len(text.encode()))


class Options(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_size_t),
        ("pyPassPath", ctypes.c_char_p),
        ("pyPassModules", ctypes.c_char_p),
        ("pluginPath", ctypes.c_char_p),
        ("python", ctypes.c_char_p),
        ("withoutPython", ctypes.c_bool),
    )


class Host:
    """A host and a context of the C API."""

    def __init__(self, path: Path | str) -> None:
        self.c = ctypes.CDLL(load("_init").library_path())
        self.c.geErrorMessage.restype = Ref
        for name in ("geModuleRelease", "geContextRelease", "geHostRelease"):
            getattr(self.c, name).argtypes = (ctypes.c_void_p,)
            getattr(self.c, name).restype = None
        options = Options(ctypes.sizeof(Options), str(path).encode(), b"", b"", None, False)
        self.host, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.c.geHostOpen(ctypes.byref(options), ctypes.byref(self.host)) == 0
        assert self.c.geContextCreate(ctypes.byref(self.context)) == 0

    def call(self, name: str) -> int:
        status: int = getattr(self.c, name)(self.host)
        return status

    def message(self) -> str:
        text = self.c.geErrorMessage()
        return ctypes.string_at(text.data, text.length).decode()

    def compile(self) -> int:
        """Run the passes of a stage on a new module."""
        module = ctypes.c_void_p()
        given = (self.context, Ref.of(GRAPH), Ref.of("graph"), None, ctypes.byref(module))
        assert self.c.geModuleParse(*given) == 0
        stage = Ref.of("BeforeInferShape")
        status: int = self.c.geHostRunStage(self.host, module, stage, None, 0, None)
        self.c.geModuleRelease(module)
        return status

    def close(self) -> None:
        self.c.geHostRelease(self.host)
        self.c.geContextRelease(self.context)
