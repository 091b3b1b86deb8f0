"""Chains of redirects under way that carry cookies: the node's memory of what a URL is to be asked with.

A row a URL that is asked for next, by its key, until its visit has ended; durable before the redirect is settled, so that a
crash repeats a step and forgets none. A chain may lead back to a URL that redirected before it had the cookie: that is asked
again. How far a chain goes is bounded (`policy/cookies.py`), and how many there are at once: of more, the oldest go on without.
"""

from collections.abc import Sequence

from msgspec.msgpack import Decoder, Encoder

from gossamer.joints.frontier import Frontier
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.records.outcome import Outcome, State
from gossamer.records.visit import Chain, Visit

MOST = 10_000
_PREFIX = b"chain/"
_encode = Encoder().encode
_decode = Decoder(Chain).decode


class Chains:
    """The cookies and counters that redirects carry, by the URL they lead to."""

    def __init__(self, kv: KeyValue, frontier: Frontier) -> None:
        self._kv = kv.at(RUN)
        self._frontier = frontier
        self._chains: dict[str, Chain] = {}

    @classmethod
    async def load(cls, kv: KeyValue, frontier: Frontier) -> "Chains":
        """Take up the chains that were under way."""
        made = cls(kv, frontier)
        async for key, row in kv.at(RUN).scan(_PREFIX):
            made._chains[key[len(_PREFIX) :].decode()] = _decode(row)
        return made

    def of(self, key: str) -> Chain | None:
        """Return what a URL is to be asked with."""
        return self._chains.get(key) if self._chains else None

    async def note(self, visits: Sequence[Visit], now: float) -> None:
        """Keep what visits carry on, and forget what has arrived."""
        for visit in visits:
            key = visit.settlement.lease.entry.key
            if visit.page is not None and key in self._chains:
                await self._forget(key)
            if visit.chain is not None:
                await self._carry(visit, key, visit.chain, now)

    async def _carry(self, visit: Visit, own: str, chain: Chain, now: float) -> None:
        leads_to = own if visit.page is None else next((entry.key for entry in visit.settlement.discovered[:1]), "")
        if not leads_to:
            return
        if len(self._chains) >= MOST:
            await self._forget(next(iter(self._chains)))
        self._chains[leads_to] = chain
        await self._kv.put(_PREFIX + leads_to.encode(), _encode(chain))
        known = await self._frontier.lookup(leads_to) if leads_to != own else None
        if known is not None and known.state is State.DONE and known.outcome is Outcome.REDIRECTED:
            await self._frontier.revisit([(leads_to, now)], now)

    async def _forget(self, key: str) -> None:
        del self._chains[key]
        await self._kv.delete(_PREFIX + key.encode())
