"""A Bloom filter that grows: when it says no, the number was never added; when it says yes, ask the store.

Layers of rising capacity, each with the same small share of false answers; only the last one is added to. Numbers are
fingerprints already, so they are their own hash.
"""

from msgspec import DecodeError, Struct, ValidationError
from msgspec.msgpack import Decoder, Encoder
from rbloom import Bloom
from xxhash import xxh3_64_intdigest

_FIRST = 1 << 20
_GROWTH = 4
_ERROR = 0.005


class _Dump(Struct, array_like=True):
    layers: list[bytes]
    capacity: int  # of the last layer
    held: int  # in the last layer
    count: int
    digest: int


class GrowingBloom:
    """A set of 64-bit numbers that may claim to hold more than it does, never less."""

    __slots__ = ("_add", "_capacity", "_held", "_layers", "count")

    def __init__(self, capacity: int = _FIRST) -> None:
        self.count = 0
        self._layers: list[Bloom] = []
        self._grow(capacity)

    def _grow(self, capacity: int) -> None:
        self._layers.insert(0, Bloom(capacity, _ERROR, int))  # the newest first: it holds most
        self._add = self._layers[0].add
        self._capacity = capacity
        self._held = 0

    def add(self, number: int) -> None:
        """Add a number that was not added before."""
        if self._held >= self._capacity:
            self._grow(self._capacity * _GROWTH)
        self._add(number)
        self._held += 1
        self.count += 1

    def __contains__(self, number: int) -> bool:
        for layer in self._layers:  # noqa: SIM110 - a generator takes three times as long, for every link of every page
            if number in layer:
                return True
        return False

    def dump(self) -> bytes:
        """Return everything as bytes, checked by a digest."""
        layers = [layer.save_bytes() for layer in self._layers]
        return Encoder().encode(_Dump(layers, self._capacity, self._held, self.count, _digest(layers)))

    @classmethod
    def load(cls, raw: bytes) -> "GrowingBloom | None":
        """Return the filter that was dumped, None when these bytes are no whole dump."""
        try:
            dump = Decoder(_Dump).decode(raw)
        except (DecodeError, ValidationError):
            return None
        if dump.digest != _digest(dump.layers) or not dump.layers:
            return None
        bloom = cls(1)
        bloom._layers = [Bloom.load_bytes(layer, int) for layer in dump.layers]
        bloom._add = bloom._layers[0].add
        bloom._capacity, bloom._held, bloom.count = dump.capacity, dump.held, dump.count
        return bloom


def _digest(layers: list[bytes]) -> int:
    return xxh3_64_intdigest(b"".join(xxh3_64_intdigest(layer).to_bytes(8, "big") for layer in layers))
