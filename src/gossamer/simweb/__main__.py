"""`python -m gossamer.simweb`: serve a synthetic web until told to stop.

When it is ready it prints one line of JSON, the announcement of `serve`.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence

import uvloop

from gossamer.simweb.serve import serve
from gossamer.simweb.settings import SimwebSettings


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and serve; return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        settings = SimwebSettings(
            seed=options.seed,
            hosts=options.hosts,
            pages=options.pages,
            min_bytes=options.min_bytes,
            max_bytes=options.max_bytes,
            port=options.port,
            addresses=options.addresses,
            plain=options.plain,
            coding=options.coding,
            cache_bytes=options.cache_bytes,
            warm=options.warm,
            wait=options.wait,
            stamped=options.stamped,
        )
        files = {"ledger": options.ledger, "manifest_path": options.manifest, "seeds_path": options.seeds}
        zoos = {"attacks": options.attacks, "mazes": options.mazes, "maze_scale": options.maze_scale, "living": options.living}
        zoos |= {"shop": options.shop}
        run = asyncio.run if settings.stamped else uvloop.run
        run(serve(settings, **files, with_dns=options.dns, certificate=options.certificate, **zoos))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    return 0


def _parser() -> argparse.ArgumentParser:
    known = SimwebSettings()
    parser = argparse.ArgumentParser(prog="python -m gossamer.simweb", description="Serve a synthetic web on loopback.")
    parser.add_argument("--seed", type=int, default=known.seed, help="the same number grows the same web")
    parser.add_argument("--hosts", type=int, default=known.hosts, help="host names")
    parser.add_argument("--pages", type=int, default=known.pages, help="ordinary pages on all hosts together")
    parser.add_argument("--min-bytes", type=int, default=known.min_bytes, help="size of the smallest page")
    parser.add_argument("--max-bytes", type=int, default=known.max_bytes, help="size of the largest page")
    parser.add_argument("--port", type=int, default=known.port, help="0 takes any free one")
    parser.add_argument("--addresses", type=int, default=known.addresses, help="loopback addresses the hosts live on")
    parser.add_argument("--plain", action="store_true", help="only pages that answer 200, on hosts that allow everything")
    parser.add_argument(
        "--coding", choices=("identity", "gzip", "br"), default=known.coding, help="of the pages of a plain web"
    )
    parser.add_argument("--cache-bytes", type=int, default=known.cache_bytes, help="rendered answers kept in memory")
    parser.add_argument("--warm", action="store_true", help="render what the cache holds before being ready")
    parser.add_argument("--wait", type=float, default=known.wait, help="seconds before every answer")
    parser.add_argument(
        "--stamped", action="store_true", help="note in the ledger when the kernel took a request, not when we did"
    )
    parser.add_argument("--ledger", help="file that every request is appended to")
    parser.add_argument("--manifest", help="file for the truth about every URL")
    parser.add_argument("--seeds", help="file for the root of every host, one a line")
    parser.add_argument("--dns", action="store_true", help="also answer for the names, over UDP")
    parser.add_argument("--attacks", default="", help="also serve hostile hosts: all, or families and attacks by name")
    parser.add_argument("--certificate", default="", help="chain and key in PEM, for the attacks over TLS")
    parser.add_argument("--mazes", default="", help="also serve the trap zoo: all, or exhibits by name")
    parser.add_argument("--maze-scale", type=float, default=1.0, help="size of its honest giants; 1: a shop of 20,000 pages")
    parser.add_argument("--living", type=int, default=0, help="also serve so many hosts whose pages change")
    parser.add_argument("--shop", type=int, default=0, help="also serve shop.sim, a shop of so many things")
    return parser


if __name__ == "__main__":
    sys.exit(main())
