from collections.abc import Callable
from typing import Any

def encode_hosts(
    hosts: list[Any],
    opening: int,
    page: int,
    encode: Callable[[object], bytes],
    row_of: Callable[..., tuple[object, ...]],
    policy: object,
    clock: object,
    /,
) -> bytes: ...
