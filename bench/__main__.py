"""`make bench`: run the benchmarks, print their tables, keep them, compare them with the run before."""

import argparse

from bench import frontier, table


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("frontier", help="the frontier alone, at one size")
    one.add_argument("--urls", type=int, default=1_000_000)
    one.add_argument("--hosts", type=int, default=1_000)
    one.add_argument("--sample", type=int, default=frontier.SAMPLE)
    given = parser.parse_args()
    print(table.text(frontier.table_of([frontier.measured_apart(given.urls, given.hosts, given.sample)])))


if __name__ == "__main__":
    main()
