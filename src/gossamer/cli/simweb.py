"""`gossamer simweb`: a synthetic web to crawl, with a ledger of every request."""

from pathlib import Path
from typing import Annotated

import typer


def simweb(
    hosts: Annotated[int, typer.Option(help="host names")] = 50,
    pages: Annotated[int, typer.Option(help="pages on all of them")] = 2000,
    seed: Annotated[int, typer.Option(help="same number, same web")] = 1,
    port: Annotated[
        int, typer.Option(help="port on 127.0.0.1; 0 is a free one; the next three are for mazes, living hosts and their clock")
    ] = 0,
    ledger: Annotated[Path | None, typer.Option(help="write every request here, JSON lines", metavar="FILE")] = None,
    manifest: Annotated[Path | None, typer.Option(help="write what a correct crawler must find", metavar="FILE")] = None,
    seeds: Annotated[Path | None, typer.Option(help="write the seeds here, one a line", metavar="FILE")] = None,
    dns: Annotated[bool, typer.Option("--dns", help="also answer for the host names, over UDP")] = False,
    mazes: Annotated[str, typer.Option(help="also the trap zoo: all, or exhibits by name", metavar="NAMES")] = "",
    maze_scale: Annotated[float, typer.Option(help="size of its honest giants; 1: a shop of 20,000 pages")] = 1.0,
    living: Annotated[int, typer.Option(help="also so many hosts whose pages change, each page at its own pace")] = 0,
    shop: Annotated[int, typer.Option(help="also shop.sim, a shop of so many things to read items from")] = 0,
) -> None:
    """Serve a synthetic web on loopback until interrupted; the first line says where, as JSON.

    The time of hosts whose pages change can be set forward: `curl http://127.0.0.1:CLOCK_PORT/advance/86400`.
    Crawl it with `gossamer crawl --seeds FILE --resolve *.sim:127.0.0.1 --allow-private 127.0.0.0/8 --delay 0.05`.
    """
    from gossamer.simweb.__main__ import main

    words = ["--hosts", str(hosts), "--pages", str(pages), "--seed", str(seed), "--port", str(port)]
    words += ["--mazes", mazes, "--maze-scale", str(maze_scale), "--living", str(living), "--shop", str(shop)]
    for option, path in (("--ledger", ledger), ("--manifest", manifest), ("--seeds", seeds)):
        if path is not None:
            words += [option, str(path)]
    code = main([*words, "--dns"] if dns else words)
    raise typer.Exit(code)
