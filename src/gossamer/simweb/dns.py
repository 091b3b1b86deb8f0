"""A name server for the synthetic web: every host's one A record, NXDOMAIN for any other name. RFC 1035.

It answers over UDP only. A question of another type about a host that exists gets an empty answer; what cannot be read gets no
answer at all.
"""

import asyncio
import struct
from collections.abc import Mapping
from socket import inet_aton
from typing import Any

_HEADER = struct.Struct(">HHHHHH")
_TYPE_A = 1
_CLASS_IN = 1
_IS_ANSWER = 0x8000 | 0x0400  # a response, authoritative
_RECURSION_DESIRED = 0x0100
_NO_SUCH_NAME = 3
_NOT_IMPLEMENTED = 4
_OPCODE = 0x7800
_NAME_OF_QUESTION = 0xC000 | _HEADER.size  # a pointer to it


class NameServer(asyncio.DatagramProtocol):
    """Answers for the names it was given."""

    def __init__(self, addresses: Mapping[str, str], ttl: int) -> None:
        self._addresses = {name.lower(): inet_aton(address) for name, address in addresses.items()}
        self._ttl = ttl
        self._transport: asyncio.DatagramTransport | None = None

    async def start(self, address: str = "127.0.0.1", port: int = 0) -> int:
        """Listen; return the port."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(address, port))
        return int(self._transport.get_extra_info("sockname")[1])

    def stop(self) -> None:
        """Stop listening."""
        if self._transport is not None:
            self._transport.close()

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        answer = self.answer(data)
        if answer is not None and self._transport is not None:
            self._transport.sendto(answer, addr)

    def answer(self, message: bytes) -> bytes | None:
        """Return the answer to a query, None for what is none."""
        if len(message) < _HEADER.size:
            return None
        number, flags, questions, *_ = _HEADER.unpack_from(message)
        if flags & 0x8000 or questions != 1:
            return None
        question = _read_question(message)
        if question is None:
            return None
        name, end, kind, network = question
        flags = _IS_ANSWER | flags & (_OPCODE | _RECURSION_DESIRED)
        address = self._addresses.get(name)
        record = b""
        if flags & _OPCODE:
            flags |= _NOT_IMPLEMENTED
        elif address is None:
            flags |= _NO_SUCH_NAME
        elif (kind, network) == (_TYPE_A, _CLASS_IN):
            record = struct.pack(">HHHIH", _NAME_OF_QUESTION, _TYPE_A, _CLASS_IN, self._ttl, len(address)) + address
        return _HEADER.pack(number, flags, 1, 1 if record else 0, 0, 0) + message[_HEADER.size : end] + record


def _read_question(message: bytes) -> tuple[str, int, int, int] | None:
    """Read the one question: its name in lower case, where it ends, its type and class."""
    labels = []
    place = _HEADER.size
    while place < len(message) and (length := message[place]):
        if length > 63 or place + 1 + length > len(message):
            return None
        labels.append(message[place + 1 : place + 1 + length])
        place += 1 + length
    end = place + 5
    if end > len(message):
        return None
    kind, network = struct.unpack_from(">HH", message, place + 1)
    return b".".join(labels).decode("latin-1").lower(), end, kind, network
