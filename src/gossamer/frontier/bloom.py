"""A Bloom filter that grows: when it says no, the number was never added; when it says yes, ask the store.

Layers of rising capacity, each with the same small share of false answers; only the last one is added to. `GrowingBloom` is the
compiled one (`_bloom.c` says why) or, without a compiler, the pure one. A dump of one kind means nothing to the other: it is no
filter, and the caller builds a new one.
"""

import sys
from struct import Struct as Packed
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder
from rbloom import Bloom
from xxhash import xxh3_64_digest

_FIRST = 1 << 20
_GROWTH = 2
_ERROR = 0.005
_DIGEST = 8  # bytes
_pair = Packed(">QQ")


class PureBloom:
    """A set of 64-bit numbers that may claim to hold more than it does, never less. Numbers are their own hash."""

    __slots__ = ("_layers", "capacity", "count", "held")

    def __init__(self, capacity: int) -> None:
        self.count = 0
        self._layers: list[Bloom] = []
        self._grow(capacity)

    def _grow(self, capacity: int) -> None:
        self._layers.insert(0, Bloom(capacity, _ERROR, int))  # the newest first: it holds most
        self.capacity = capacity  # of that one
        self.held = 0

    def __contains__(self, number: int) -> bool:
        for layer in self._layers:  # noqa: SIM110 - a generator takes three times as long, for every link of every page
            if number in layer:
                return True
        return False

    def add(self, number: int) -> bool:
        """Add a number and tell whether it was certainly not there; otherwise nothing changes."""
        if number in self:
            return False
        if self.held >= self.capacity:
            self._grow(self.capacity * _GROWTH)
        self._layers[0].add(number)
        self.held += 1
        self.count += 1
        return True

    def add_pairs(self, pairs: bytes, /) -> None:
        """Add the first number of each pair, as `slots.py` writes them."""
        for number, _ in _pair.iter_unpack(pairs):
            self.add(number)

    def layers(self) -> list[bytes]:
        """Return its layers."""
        return [layer.save_bytes() for layer in self._layers]

    def restore(self, layers: list[bytes], capacity: int, held: int, count: int) -> None:
        """Become the filter whose layers these are."""
        self._layers = [Bloom.load_bytes(layer, int) for layer in layers]
        self.capacity, self.held, self.count = capacity, held, count


if TYPE_CHECKING:
    from gossamer.frontier import _bloom

    GrowingBloom = _bloom.Bloom
else:
    try:
        from gossamer.frontier._bloom import Bloom as GrowingBloom
    except ImportError:  # nothing was compiled
        GrowingBloom = PureBloom


class _Growing(Protocol):
    capacity: int
    held: int
    count: int

    def __init__(self, capacity: int) -> None: ...
    def layers(self) -> list[bytes]: ...
    def restore(self, layers: list[bytes], capacity: int, held: int, count: int, /) -> None: ...


_Kind = TypeVar("_Kind", bound=_Growing)


class _Dump(Struct, array_like=True):
    kind: str
    layers: list[bytes]
    capacity: int  # of the last layer
    held: int  # in the last layer
    count: int


def new_bloom(expected: int) -> GrowingBloom:
    """Return an empty filter whose first layer has room for as many numbers as are expected: each layer is another look."""
    return GrowingBloom(max(_FIRST, 1 << expected.bit_length()))


def dump(bloom: _Growing) -> bytes:
    """Return a filter as bytes: the digest of all that follows, then what it holds."""
    raw = Encoder().encode(_Dump(_name(type(bloom)), bloom.layers(), bloom.capacity, bloom.held, bloom.count))
    return xxh3_64_digest(raw) + raw


def load(raw: bytes, kind: type[_Kind]) -> _Kind | None:
    """Return the filter that was dumped, None when these bytes are no whole dump of that kind."""
    content = memoryview(raw)[_DIGEST:]
    if raw[:_DIGEST] != xxh3_64_digest(content):
        return None
    try:
        dumped = Decoder(_Dump).decode(content)
    except (DecodeError, UnicodeDecodeError):
        return None
    if dumped.kind != _name(kind) or not dumped.layers:
        return None
    bloom = kind(1)
    bloom.restore(dumped.layers, dumped.capacity, dumped.held, dumped.count)
    return bloom


def _name(kind: type[_Growing]) -> str:
    return f"{kind.__name__} of {sys.byteorder} endian words"
