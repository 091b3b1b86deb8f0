"""What is added to an event stays within what brokers take."""

import msgspec
import pytest

from gossamer.jobs.relay.contents import LONGEST_PART, shortened


@pytest.mark.parametrize("text", ["a" * 3_000_000, "漢" * 300_000, "\x01" * 100_000, '"' * 250_000])
def test_a_long_text_is_cut_by_what_it_takes_in_a_message(text: str) -> None:
    cut = shortened(text)
    assert text.startswith(cut)
    assert LONGEST_PART / 2 <= len(msgspec.json.encode(cut)) + 20 <= LONGEST_PART + 20


def test_many_links_are_cut_and_few_stay() -> None:
    links = [{"url": f"https://example.org/{number}/{'x' * 2_000}"} for number in range(1_000)]
    assert 90 < len(shortened(links)) < 1_000
    assert shortened(links[:5]) == links[:5]
