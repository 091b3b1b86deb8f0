"""OPIC: importance as credit that flows along links while pages are fetched; no page is ever swept for it.

All credit that will ever be exists from the beginning and belongs to the lambda page, which links every page and is linked from
every page. A fetched page pays all it has: a tenth to lambda, the rest to its links in equal parts. Lambda gives what it has to
all pages in equal parts. The richest page is fetched next; what a page ever paid, as a share of all that was paid, approaches
its PageRank. A trap, whose pages link only each other, gets little in and loses a tenth at each fetch.

Credit is whole units and nothing is rounded away (remainders go to lambda), so that the sum over all pages and lambda is
`TOTAL`, to the unit, always.

Lambda needs no sweep: the bank keeps the total `given` that each page would have got from it since the beginning. A page's
*balance* is its credit less that total, one number that does not change while others are served: credit is balance + given, and
the order of pages by credit is their order by balance, whatever lambda gives.

After Abiteboul, Preda and Cobena, Adaptive On-Line Page Importance Computation (2003).
"""

from msgspec import Struct
from msgspec.structs import replace

UNIT = 10**9  # units in one credit
TOTAL = 10**6 * UNIT  # a million credits: ten billion pages have 100,000 units each, and what was paid in a year fits 64 bits
TAX = 10  # a page pays one part in so many to lambda


class Bank(Struct, frozen=True, array_like=True):
    """The credit that belongs to no page."""

    pages: int = 0
    given: int = 0  # what lambda gave each page that was there all the time
    lambda_credit: int = TOTAL
    paid: int = 0  # by all pages, ever


def enter(bank: Bank) -> tuple[int, Bank]:
    """Return the balance of a new page, which has no credit yet, and the bank with it."""
    return -bank.given, replace(bank, pages=bank.pages + 1)


def leave(balance: int, bank: Bank) -> Bank:
    """Return the bank without a page: what it had goes to lambda."""
    return replace(bank, pages=bank.pages - 1, lambda_credit=bank.lambda_credit + credit_of(balance, bank))


def spread(bank: Bank) -> Bank:
    """Let lambda give what it has to all pages. Seeds share the credit so, once they have entered."""
    if not bank.pages:
        return bank
    share, rest = divmod(bank.lambda_credit, bank.pages)
    return replace(bank, given=bank.given + share, lambda_credit=rest)


def credit_of(balance: int, bank: Bank) -> int:
    """Return what a page has."""
    return balance + bank.given


def pay(balance: int, links: int, bank: Bank) -> tuple[int, int, Bank]:
    """Fetch a page: return its balance, what each of its links gets (to be added to their balances), and the bank.

    The bank after it counts on every link being paid; a page that links itself pays itself like any other.
    """
    credit = credit_of(balance, bank)
    share = (credit - credit // TAX) // links if links else 0
    after = replace(bank, lambda_credit=bank.lambda_credit + credit - share * links, paid=bank.paid + credit)
    return -bank.given, share, after


def importance(paid: int, balance: int, bank: Bank) -> float:
    """Return the share of all credit that a page has and ever `paid`, in pages: one is the average."""
    return (paid + credit_of(balance, bank)) / (bank.paid + TOTAL) * bank.pages
