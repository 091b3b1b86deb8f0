"""Settings that make no sense are refused with a sentence."""

import pytest

from gossamer.simweb.settings import SimwebSettings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hosts": 0}, "cannot fill 0 hosts"),
        ({"hosts": 10, "pages": 9}, "9 pages cannot fill 10 hosts"),
        ({"min_bytes": 100}, "100 to 150000 bytes"),
        ({"min_bytes": 9_000, "max_bytes": 8_000}, "least first"),
        ({"addresses": 255}, "255 addresses"),
    ],
)
def test_a_web_that_cannot_be_is_refused(wrong: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SimwebSettings(**wrong)
