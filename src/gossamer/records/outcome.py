"""How a URL ends, and where a known one is: closed lists."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a URL ended; every visit ends in exactly one, and so does every URL that is refused without a visit."""

    OK = "ok"  # a page, kept
    NOT_MODIFIED = "not_modified"  # visited again, and it has not changed
    DUPLICATE = "duplicate"  # the bytes of another page, or a URL that would only show it again
    NEAR_DUPLICATE = "near_duplicate"  # nearly the text of another page
    REDIRECTED = "redirected"  # leads to another URL, which is visited in its own right
    GONE = "gone"  # status 404 or 410
    CLIENT_ERROR = "client_error"  # another status from 400 to 499
    SERVER_ERROR = "server_error"  # a status from 500 on, again and again
    THROTTLED = "throttled"  # 429, or 503 with a date, again and again: the host wants to be left alone
    ROBOTS_DENIED = "robots_denied"  # robots.txt says no, or cannot be had
    OUT_OF_SCOPE = "out_of_scope"  # not part of this crawl
    TRAP = "trap"  # others of its make brought nothing new, or no honest URL looks like that
    SOFT_404 = "soft_404"  # says "nothing here" to a reader, but not by its status
    TOO_BIG = "too_big"  # kept as it came, but too much to be unpacked and read
    UNSUPPORTED = "unsupported"  # nothing fetches such URLs
    DNS_FAILED = "dns_failed"  # the name has no address
    ADDRESS_REFUSED = "address_refused"  # the address may not be contacted
    CONNECT_FAILED = "connect_failed"  # nobody answers there
    TLS_FAILED = "tls_failed"  # no secure connection, or a certificate that cannot be trusted
    TIMED_OUT = "timed_out"  # no answer in time
    PROTOCOL_ERROR = "protocol_error"  # what came back is no HTTP
    BREAKER_OPEN = "breaker_open"  # its host failed so often that it was given up for a while
    BUDGET_SPENT = "budget_spent"  # the budget was spent before its turn
    DEFERRED = "deferred"  # not tried: the turn was spent on something else; it waits
    CANCELLED = "cancelled"  # cut short when the crawl stopped; it waits
    BUG = "bug"  # a bug of ours; its trace is in crawl.log
    CHECKED = "checked"  # an answer of another site to a link that is not followed


class State(StrEnum):
    """Where a known URL is; always exactly one."""

    WAITING = "waiting"  # its turn has not come
    LEASED = "leased"  # somebody visits it
    DONE = "done"  # finished with a page, or a redirect
    DEAD = "dead"  # finished without a page
    REMOVED = "removed"  # taken out by an operator
