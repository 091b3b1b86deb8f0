"""The credit of pages in the embedded frontier, where the order is opic: a row a page, the rest in the counters.

A page that waits, is leased or is done has a row with its balance (`policy/opic.py`); one that is dead, refused or removed has
none and left what it had to lambda. A new seed brings `MINT` along, any other new page nothing. So the credit of all pages and
of lambda is what was ever minted, to the unit. Everything is written in the batch of the settlement that moved it: what was
paid and who was paid cannot come apart, and a settlement that changes nothing moves nothing.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from gossamer.errors import StoreError
from gossamer.frontier.layout.keys import credit_key
from gossamer.frontier.layout.rows import Meta
from gossamer.frontier.layout.store import Batch, Store
from gossamer.frontier.order import MINT, place
from gossamer.policy import opic

_WIDTH = 16  # bytes of a balance


class Credit:
    """Balances and the bank of one open store; what it changes on disk goes into the batch."""

    __slots__ = ("_bank", "_fresh", "_meta", "_owed", "_share", "_store")

    def __init__(self, store: Store, meta: Meta, bank: opic.Bank) -> None:
        self._store = store
        self._meta = meta
        self._bank = bank
        self._fresh: dict[int, int | None] = {}  # changed by this batch
        self._owed: dict[int, None] = {}  # slots of links that are still to be given their share
        self._share = 0

    def of(self, slots: Sequence[int]) -> list[int | None]:
        """Return what some pages have; None: no credit is kept for it."""
        given = self._bank.given
        return [None if balance is None else balance + given for balance in self._balances(slots)]

    def place(self, slot: int) -> float:
        """Return the place of a page in its queue."""
        return place(self._balance(slot))

    def enter(self, batch: Batch, slot: int, is_seed: bool) -> float:
        """Let a page come in and return its place; if it is a link of the page that pays just now, with its share."""
        balance, bank = opic.enter(self._bank)
        self._keep(bank)
        if is_seed:
            balance += MINT
            self._meta.minted += MINT
        if slot in self._owed:
            balance += self._share
            del self._owed[slot]
        self._put(batch, slot, balance)
        return place(balance)

    def leave(self, batch: Batch, slot: int) -> None:
        """Let a page go if it is in: what it has goes to lambda."""
        (balance,) = self._balances([slot])
        if balance is not None:
            self._keep(opic.leave(balance, self._bank))
            self._fresh[slot] = None
            batch.delete(credit_key(slot))

    def pay(self, batch: Batch, slot: int, links: Iterable[int]) -> None:
        """Let a page pay; its links get their share when they enter, or when all is handed out."""
        owed = dict.fromkeys(links)
        balance, self._share, bank = opic.pay(self._balance(slot), len(owed), self._bank)
        self._keep(bank)
        if slot in owed:
            balance += self._share
            del owed[slot]
        self._put(batch, slot, balance)
        self._owed = owed

    def hand_out(self, batch: Batch) -> list[tuple[int, float, float]]:
        """Pay the links that are in, lambda for the others, and spread; return who was paid, its place before and now."""
        moved, share, lost = [], self._share, 0
        if share and self._owed:
            slots = list(self._owed)
            for slot, balance in zip(slots, self._balances(slots), strict=True):
                if balance is None:
                    lost += share
                else:
                    self._put(batch, slot, balance + share)
                    moved.append((slot, place(balance), place(balance + share)))
        self._owed = {}
        self._keep(opic.spread(replace(self._bank, lambda_credit=self._bank.lambda_credit + lost)))
        return moved

    def written(self) -> None:
        """Note that everything so far is in the store."""
        self._fresh.clear()

    def _keep(self, bank: opic.Bank) -> None:
        """Keep the bank, without what was ever paid: nobody asks, and it would outgrow the counters' 64 bits."""
        self._meta.bank = self._bank = replace(bank, paid=0)

    def _put(self, batch: Batch, slot: int, balance: int) -> None:
        self._fresh[slot] = balance
        batch.put(credit_key(slot), balance.to_bytes(_WIDTH, "big", signed=True))

    def _balance(self, slot: int) -> int:
        (balance,) = self._balances([slot])
        assert balance is not None
        return balance

    def _balances(self, slots: Sequence[int]) -> list[int | None]:
        rows = self._store.get_all([credit_key(slot) for slot in slots])
        stored = [None if raw is None else int.from_bytes(raw, "big", signed=True) for raw in rows]
        fresh = self._fresh
        return [fresh.get(slot, known) for slot, known in zip(slots, stored, strict=True)]


def check_order(meta: Meta, has_credit: bool, path: Path) -> None:
    """Let a new frontier keep credit or not, and refuse to go on otherwise: places in lines are by credit, or are not."""
    if not meta.known:
        meta.bank = (meta.bank or opic.Bank(lambda_credit=0)) if has_credit else None
    elif (meta.bank is not None) != has_credit:
        begun, wanted = ("with", "keep it") if meta.bank is not None else ("without", "choose another order")
        raise StoreError(f"the crawl of the frontier in {path} was begun {begun} crawl.order = opic; {wanted}")
