"""A stand-in for torch: the part of its documented interface that registers and calls custom operators.

``torch.library.Library(ns, "DEF")`` with define, impl by dispatch key, _destroy; ``torch.library.register_fake``;
``torch.ops.<ns>.<op>``; tensors over NumPy arrays with DLPack; the device "meta" for tensors without data.
"""

import types
from typing import Any

import numpy as np

__all__ = ["make"]


class dtype:  # noqa: N801 - torch's name
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class Tensor:
    def __init__(self, array: Any, device: str = "cpu") -> None:
        self.array, self.device = array, device

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> Any:
        return DTYPES[self.array.dtype.name]

    def __dlpack__(self, **kwargs: Any) -> Any:
        assert self.device == "cpu"
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


Tensor.__module__ = "torch"
DTYPES = {name: dtype(name) for name in ("float32", "float64", "int64", "bool")}


class Library:
    def __init__(self, ns: str, kind: str, owner: Any) -> None:
        assert kind in ("DEF", "FRAGMENT", "IMPL")
        if kind == "DEF" and ns in owner.libraries:
            raise RuntimeError(
                f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}"
            )
        self.ns, self.owner = ns, owner
        self.schemas: dict[str, str] = {}
        self.kernels: dict[tuple[str, str], Any] = {}
        self.fakes: dict[str, Any] = {}
        owner.libraries[ns] = self

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        assert "::" not in schema
        name = schema.partition("(")[0]
        self.schemas[name] = schema
        return name

    def impl(self, op_name: str, fn: Any, dispatch_key: str = "") -> None:
        assert op_name in self.schemas
        self.kernels[op_name, dispatch_key] = fn

    def _destroy(self) -> None:
        self.owner.libraries.pop(self.ns, None)


class Packet:
    def __init__(self, ns: str, name: str, owner: Any) -> None:
        self.ns, self.name, self.owner = ns, name, owner

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        library = self.owner.libraries[self.ns]
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        if any(t.device == "meta" for t in tensors):
            return library.fakes[self.name](*args, **kwargs)
        for key in ("CPU", "CompositeExplicitAutograd"):
            if (self.name, key) in library.kernels and (tensors or key != "CPU"):
                return library.kernels[self.name, key](*args, **kwargs)
        raise NotImplementedError(f"Could not run '{self.ns}::{self.name}' with the 'CPU' backend")


class Namespace:
    def __init__(self, ns: str, owner: Any) -> None:
        self._ns, self._owner = ns, owner

    def __getattr__(self, name: str) -> Any:
        library = self._owner.libraries.get(self._ns)
        if library is None or name not in library.schemas:
            raise AttributeError(f"'_OpNamespace' '{self._ns}' object has no attribute '{name}'")
        return Packet(self._ns, name, self._owner)


class Owner:
    def __init__(self) -> None:
        self.libraries: dict[str, Library] = {}

    def __getattr__(self, ns: str) -> Any:
        return Namespace(ns, self)


def make() -> dict[str, Any]:
    """Return the modules to insert into `sys.modules`."""
    torch, library = types.ModuleType("torch"), types.ModuleType("torch.library")
    owner = Owner()
    library.Library = lambda ns, kind: Library(ns, kind, owner)  # type: ignore[attr-defined]

    def register_fake(op: str, func: Any, *, lib: Any) -> None:
        lib.fakes[op.partition("::")[2]] = func

    library.register_fake = register_fake  # type: ignore[attr-defined]
    for name, value in {
        "library": library,
        "ops": owner,
        "Tensor": Tensor,
        "dtype": dtype,
        "from_dlpack": lambda array: Tensor(np.from_dlpack(array)),
        "empty": lambda shape, *, dtype, device: Tensor(np.empty(shape, dtype.name), device),
        **DTYPES,
    }.items():
        setattr(torch, name, value)
    return {"torch": torch, "torch.library": library}
