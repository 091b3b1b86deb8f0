"""Serves a synthetic web as a process of its own: HTTP, names if wanted, ledger and manifest, until told to stop.

The announcement on standard output is one line of JSON: `port`, `dns_port` (null without name server), `addresses`, `resolve`
(what a crawler takes as overrides of DNS), `seeds` (how many) and `clock_port` (null without living hosts). Whoever reads it
can begin. With a port that was asked for, mazes are at the next one, living hosts at the one after, their clock at the third.
"""

import asyncio
import gc
import json
import signal
import sys
from itertools import chain
from pathlib import Path

from gossamer.simweb import manifest
from gossamer.simweb.attacks import zoo
from gossamer.simweb.attacks.server import AttackServer
from gossamer.simweb.dns import NameServer
from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.living.server import Living
from gossamer.simweb.living.site import DOMAIN as LIVING_DOMAIN
from gossamer.simweb.mazes import zoo as maze_zoo
from gossamer.simweb.mazes.maze import DOMAIN
from gossamer.simweb.mazes.server import MazeServer
from gossamer.simweb.server import SimwebServer
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.shop import HOST as SHOP_HOST
from gossamer.simweb.shop import ItemShop


async def serve(
    settings: SimwebSettings,
    *,
    ledger: str | None = None,
    manifest_path: str | None = None,
    seeds_path: str | None = None,
    with_dns: bool = False,
    attacks: str = "",
    mazes: str = "",
    maze_scale: float = 1.0,
    living: int = 0,
    shop: int = 0,
    certificate: str = "",
) -> None:
    """Serve until SIGTERM or SIGINT, after saying on standard output that all is ready."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    book = RequestLedger(ledger)
    hostile, endless = zoo.choose(attacks), maze_zoo.choose(mazes, seed=settings.seed, scale=maze_scale)
    things = ItemShop(shop, settings.seed)
    server, maze_server = SimwebServer(settings, book, things.reply), MazeServer(endless, book)
    zoo_server = AttackServer(hostile, book, certificate)
    changing = Living(living, settings.seed, book)
    await server.start()
    if hostile:
        await zoo_server.start()
    if endless:
        await maze_server.start(settings.port and settings.port + 1)
    await changing.start(settings.port and settings.port + 2)
    addresses = {host.name: host.address for host in server.web.hosts}
    addresses |= dict.fromkeys((*(maze.host for maze in endless), *changing.hosts, SHOP_HOST), "127.0.0.1")
    names = NameServer(addresses, settings.dns_ttl)
    dns_port = await names.start() if with_dns else None
    if manifest_path is not None:
        known = (zoo.entries(hostile, zoo_server.port), maze_zoo.entries(endless, maze_server.port), changing.entries())
        manifest.write(server.web, manifest_path, chain(*known, things.entries(server.port)))
    if seeds_path is not None:
        of_zoos = (*zoo.seeds(hostile, zoo_server.port), *maze_zoo.seeds(endless, maze_server.port))
        seeds = (*server.web.seeds, *of_zoos, *changing.seeds, *things.seeds(server.port))
        Path(seeds_path).write_text("".join(f"{url}\n" for url in seeds))
    gc.collect()
    gc.freeze()  # the web lives as long as the process: looking through it again and again would only delay answers
    sys.stdout.write(json.dumps(announcement(server, dns_port, bool(endless), changing.clock_port)) + "\n")
    sys.stdout.flush()
    await stop.wait()
    names.stop()
    await zoo_server.stop()
    await maze_server.stop()
    await changing.stop()
    await server.stop()


def announcement(server: SimwebServer, dns_port: int | None, mazes: bool, clock_port: int | None) -> dict[str, object]:
    """Say what a crawler needs to know of a web that is ready."""
    several = server.settings.addresses > 1  # one override for `*.sim` takes in the others
    apart = [f"*.{domain}:127.0.0.1" for domain, there in ((DOMAIN, mazes), (LIVING_DOMAIN, clock_port)) if there and several]
    return {
        "port": server.port,
        "dns_port": dns_port,
        "addresses": server.web.addresses,
        "resolve": [*server.web.overrides, *apart],
        "seeds": len(server.web.seeds),
        "clock_port": clock_port,
    }
