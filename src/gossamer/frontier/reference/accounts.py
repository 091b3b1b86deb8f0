"""The credit of pages in the reference frontier, where the order is opic: a dict, the bank, and what was minted.

Pages that wait, are leased or are done have a balance (`policy/opic.py`). What all of them and lambda have is what was minted.
"""

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from gossamer.frontier.order import MINT
from gossamer.policy.opic import Bank, credit_of, enter, leave, pay, spread
from gossamer.records.lease import Fate
from gossamer.url.fingerprint import fingerprint


class Accounts(Struct):
    """The credit of every page."""

    bank: Bank = Bank(lambda_credit=0)
    minted: int = 0
    balances: dict[str, int] = field(default_factory=dict)  # by key
    owed: dict[int, int] = field(default_factory=dict)  # by fingerprint: links of the page that pays just now

    def of(self, key: str) -> int | None:
        """Return what a page has."""
        return credit_of(self.balances[key], self.bank) if key in self.balances else None

    def enter(self, key: str, is_seed: bool) -> None:
        """Let a page come in, with what it is owed; a seed mints."""
        self.balances[key], self.bank = enter(self.bank)
        self.balances[key] += self.owed.pop(fingerprint(key), 0)
        if is_seed:
            self.balances[key] += MINT
            self.minted += MINT

    def leave(self, key: str) -> None:
        """Let a page go, if it is in."""
        if key in self.balances:
            self.bank = leave(self.balances.pop(key), self.bank)

    def settle(self, key: str, fate: Fate, links: Iterable[int] | None) -> None:
        """Let a page pay that is done, and go if it is dead; one that is to be tried again keeps what it has."""
        if fate is Fate.DEAD:
            self.leave(key)
        elif fate in (Fate.DONE, Fate.AGAIN) and links is not None:
            self._pay(key, set(links))

    def _pay(self, key: str, names: set[int]) -> None:
        self.balances[key], share, self.bank = pay(self.balances[key], len(names), self.bank)
        self.owed = dict.fromkeys(names, share)

    def hand_out(self) -> list[str]:
        """Pay the links that are in, lambda for the others, and spread; return who was paid."""
        names = {fingerprint(key): key for key in self.balances}
        paid = [names[name] for name in self.owed if name in names]
        for name, share in self.owed.items():
            if name in names:
                self.balances[names[name]] += share
            else:
                self.bank = replace(self.bank, lambda_credit=self.bank.lambda_credit + share)
        self.owed = {}
        self.bank = spread(self.bank)
        return paid
