"""`gossamer estimate`: what a crawl of so many pages in such a time needs."""

from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import output
from gossamer.errors import UsageError

if TYPE_CHECKING:
    from gossamer.jobs.estimate import Estimate

POWERS = {"k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12}


def estimate(
    pages: Annotated[str, typer.Option(help="pages to crawl in a cycle; 15b is 15 billion", metavar="NUMBER")],
    page_size: Annotated[str, typer.Option(help="kilobytes of a page, or a size such as 1.5MB", metavar="KB")] = "100",
    cycle: Annotated[
        str, typer.Option(help="days in which every page is fetched once, or a time such as 4w", metavar="DAYS")
    ] = "28",
    hosts: Annotated[
        str, typer.Option(help="hosts they are on; none given: ten million, or a page each", metavar="NUMBER")
    ] = "",
    rate: Annotated[float, typer.Option(help="requests a second to one host", metavar="RATE")] = 1.0,
    pages_per_cpu_second: Annotated[
        float | None, typer.Option(help="as `make bench` measured on your machine; none: as we measured", metavar="NUMBER")
    ] = None,
    cores: Annotated[int, typer.Option(help="cores of a machine")] = 16,
    json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Estimate requests, bandwidth, storage, memory and machines of a crawl, on paper."""
    from gossamer.config.load import byte_count, duration
    from gossamer.jobs.estimate import DAY, PAGES_PER_CPU_SECOND, Wish
    from gossamer.jobs.estimate import estimate as reckon

    count = _number("--pages", pages)
    wish = Wish(
        pages=count,
        page_kilobytes=byte_count(page_size, "--page-size", plain=1000) / 1000,
        cycle_days=duration(cycle, "--cycle", plain=DAY) / DAY,
        hosts=_number("--hosts", hosts) if hosts else min(10_000_000, count),
        host_rate=rate,
        pages_per_cpu_second=PAGES_PER_CPU_SECOND if pages_per_cpu_second is None else pages_per_cpu_second,
        cores=cores,
    )
    answer = reckon(wish)
    if json:
        output.json({"asked": wish, "needs": answer})
        return
    output.table(["what", "needs"], _rows(answer))


def _rows(answer: "Estimate") -> list[tuple[str, str]]:
    polite = "yes" if answer.is_polite else f"no: {answer.shortest_cycle_days:,.1f} days at the least"
    return [
        ("pages a second", f"{answer.pages_per_second:,.0f}"),
        ("bandwidth", f"{answer.bits_per_second / 1e9:,.2f} Gbit/s"),
        ("storage a cycle", output.size(answer.bytes_per_cycle)),
        ("storage to buy", output.size(answer.bytes_of_storage)),
        ("Bloom filter", output.size(answer.bloom_bytes)),
        ("seen set", output.size(answer.seen_bytes)),
        ("DNS cache", output.size(answer.dns_bytes)),
        ("worker processes", f"{answer.workers:,}"),
        ("machines", f"{answer.machines:,}"),
        ("polite pages a second", f"{answer.polite_pages_per_second:,.0f}"),
        ("politeness allows it", polite),
    ]


def _number(option: str, text: str) -> float:
    """Read a number with an optional letter for its power."""
    plain = text.strip().lower().replace(",", "").replace("_", "")
    power = POWERS.get(plain[-1:], 1.0)
    try:
        return float(plain if power == 1.0 else plain[:-1]) * power
    except ValueError:
        raise UsageError(f"{text!r} is no number for {option}; write one like 1000000, 15b or 500k") from None
