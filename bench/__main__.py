"""`make bench`: run the benchmarks, print their tables, keep them, compare them with the run before.

`make bench ONLY=versus,stages`; `python -m bench --quick` takes three minutes, `--full` an hour or more. One size of the
frontier alone: `python -m bench frontier --urls 1000000 --hosts 1000`, of near duplicates `python -m bench near --pages 1000`.
Only when asked for: `python -m bench items` reads a shop with a script, and with Scrapy and Crawlee; `python -m bench mazes`
crawls the trap zoo with and without what is learned, `python -m bench memory` very many small pages, with `--full` a million;
`python -m bench doors` asks a server beside a crawl, with `--full` for an hour.
"""

import argparse
from collections.abc import Callable

from bench import (
    asking,
    catalog,
    chronicle,
    doors,
    export,
    frontier,
    items,
    mazes,
    memory,
    near,
    opic,
    orders,
    polite,
    reopened,
    results,
    scaling,
    stages,
    versus,
)
from bench.table import Table, text

BENCHMARKS: dict[str, Callable[[str], list[Table]]] = {
    "versus": versus.tables,
    "stages": stages.tables,
    "polite": polite.tables,
    "scaling": scaling.tables,
    "near": near.tables,
    "chronicle": chronicle.tables,
    "catalog": catalog.tables,
    "asking": asking.tables,
    "opic": opic.tables,
    "orders": orders.tables,
    "export": export.tables,
    "reopened": reopened.tables,
    "frontier": frontier.tables,  # last, because it takes longest
    "items": items.tables,
    "mazes": mazes.tables,
    "memory": memory.tables,
    "doors": doors.tables,
}
ASKED_FOR = {"items", "mazes", "memory", "doors"}  # by name only: long crawls, and no measure of speed


def main() -> None:
    """Measure."""
    parser = _parser()
    given = parser.parse_args()
    scale = "quick" if given.quick else "full" if given.full else "usual"
    if given.urls or given.hosts:
        row = frontier.measured_apart(given.urls or 1_000_000, given.hosts or 1_000, given.sample)
        print(text(frontier.table_of([row])))
        return
    if given.pages:
        print(text(near.index_table([near.measured_apart(given.pages)])))
        return
    names = given.names or (given.only.split(",") if given.only else [name for name in BENCHMARKS if name not in ASKED_FOR])
    if unknown := set(names) - set(BENCHMARKS):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    run = results.Run(scale)
    for name in names:
        print(f"-- {name} ({scale})", flush=True)
        for table in BENCHMARKS[name](scale):
            print(run.add(name, table), end="\n\n", flush=True)
    print(f"written to {run.path}.txt and .json")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(BENCHMARKS)} (all but {', '.join(ASKED_FOR)})")
    parser.add_argument("--only", help="the same, with commas between")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, under three minutes")
    parser.add_argument(
        "--full", action="store_true", help="also a frontier of 100 million URLs, near duplicates of 10 million pages"
    )
    parser.add_argument("--urls", type=int, help="frontier: one size only")
    parser.add_argument("--hosts", type=int, help="frontier: one size only")
    parser.add_argument("--pages", type=int, help="near: one size only")
    parser.add_argument("--sample", type=int, default=frontier.SAMPLE, help="frontier: URLs leased and settled")
    return parser


if __name__ == "__main__":
    main()
