"""How a URL ends, and where a known one is: closed lists."""

from enum import StrEnum


class Outcome(StrEnum):
    """How a URL ended; every visit ends in exactly one, and so does every URL that is refused without a visit."""

    OK = "ok"
    NOT_MODIFIED = "not_modified"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    REDIRECTED = "redirected"
    GONE = "gone"
    CLIENT_ERROR = "client_error"
    SERVER_ERROR = "server_error"
    THROTTLED = "throttled"
    ROBOTS_DENIED = "robots_denied"
    OUT_OF_SCOPE = "out_of_scope"
    TRAP = "trap"
    SOFT_404 = "soft_404"
    TOO_BIG = "too_big"
    UNSUPPORTED = "unsupported"
    DNS_FAILED = "dns_failed"
    ADDRESS_REFUSED = "address_refused"
    CONNECT_FAILED = "connect_failed"
    TLS_FAILED = "tls_failed"
    TIMED_OUT = "timed_out"
    PROTOCOL_ERROR = "protocol_error"
    BREAKER_OPEN = "breaker_open"
    BUDGET_SPENT = "budget_spent"
    DEFERRED = "deferred"
    CANCELLED = "cancelled"
    BUG = "bug"
    CHECKED = "checked"  # an answer of another site to a link that is not followed


class State(StrEnum):
    """Where a known URL is; always exactly one."""

    WAITING = "waiting"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"
    REMOVED = "removed"
