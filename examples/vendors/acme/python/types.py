"""A type and an attribute of the vendor's dialect: ``!acme.packed<4>`` and ``#acme.scheme<4, 1.5>``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import ir, ops


@dataclass(frozen=True)
class Scheme:
    """How elements are packed: an attribute."""

    bits: int
    scale: float

    @classmethod
    def of(cls, attribute: Any) -> Scheme:
        """Return what an attribute says."""
        bits, scale = attribute.payload.removeprefix("#acme.scheme<")[:-1].split(",")
        return cls(int(bits), float(scale))


@ir.register_attribute_builder(Scheme)
def _attribute(scheme: Scheme, context: Any) -> Any:
    return ir.OpaqueType(f"#acme.scheme<{scheme.bits}, {scheme.scale}>", context=context)


def packed(bits: int, context: Any = None) -> Any:
    """Return the type of values of so many bits."""
    return ir.OpaqueType(f"!acme.packed<{bits}>", context=context)


@ops.register_value_caster("!acme.packed")
class Packed(ops.ValueView):
    """A packed value."""

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return int(self.type.payload.removeprefix("!acme.packed<")[:-1])
