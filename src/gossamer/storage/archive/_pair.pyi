from collections.abc import Callable

from gossamer.records.fetch import Fetched

def pack(
    fetched: Fetched,
    body: bytes,
    payload: str,
    digest: str,
    block_sha1: bytes,
    request_sha1: bytes,
    microseconds: int,
    start: str,
    number: int,
    offset: int,
    file: str,
    crc32: Callable[[bytes, int], int],
    compress: Callable[[bytes], bytes],
    /,
) -> tuple[bytes, int, bytes | None] | None: ...
