"""A URL as it is found, judged and offered to the frontier."""

from enum import IntEnum, StrEnum

from msgspec import Struct

from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason


class LinkKind(StrEnum):
    """Where a URL was found."""

    __hash__ = str.__hash__  # an enum's own is a Python function: too dear for every link
    SEED = "seed"
    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    IFRAME = "iframe"
    LINK = "link"
    CANONICAL = "canonical"
    ALTERNATE = "alternate"
    REFRESH = "refresh"
    IMAGE = "image"
    SITEMAP = "sitemap"  # a page listed in a sitemap, or a sitemap named by robots.txt or a sitemap index
    REDIRECT = "redirect"
    ASCENT = "ascent"  # a folder above a URL that was found
    FEED = "feed"  # a page listed in a feed


class Priority(IntEnum):
    """The class of the front queue a URL waits in; lower is picked more often. The numbers are part of what is on disk."""

    HIGH = 0
    MEDIUM = 1
    LOW = 2
    LAST = 6  # only while nobody has anything else; 3 to 5 are the queues of what is due again


class Link(Struct, frozen=True, gc=False):
    """A URL as a document names it: absolute, not yet judged."""

    url: str
    kind: LinkKind
    nofollow: bool = False


class Verdict(Struct, frozen=True, array_like=True, gc=False):
    """The judgement of one rule about a URL. A refusal also says the outcome the URL ends with."""

    allowed: bool
    reason: Reason  # its rule is there whatever it says; facts only where it refuses, or something was learned
    outcome: Outcome = Outcome.OUT_OF_SCOPE

    @property
    def rule(self) -> str:
        """The name of the rule."""
        return self.reason.rule

    @property
    def text(self) -> str:
        """What the rule says of the URL, in words; an empty text: nothing."""
        return self.reason.text if not self.allowed or self.reason.facts else ""


class Entry(Struct, frozen=True, array_like=True):
    """A URL offered to the frontier. A refused one is remembered (so that it can be explained) but never queued."""

    url: str  # what is requested
    key: str  # what is deduplicated
    host: str  # lower-case host name without port
    depth: int = 0
    kind: LinkKind = LinkKind.SEED
    via: str = ""  # the page it was found on
    score: float = 0.0
    priority: Priority = Priority.MEDIUM
    redirects: int = 0  # redirects followed in a row to get here
    off_site: int = 0  # hops since the crawl left the seeds' sites
    refused: Verdict | None = None

    @property
    def group(self) -> str:
        """The unit of politeness: URLs of one group take turns at one clock. It is the host (`url/fingerprint.py`)."""
        return self.host


class Discovered(Struct, frozen=True):
    """The result of one `discover`."""

    new: int = 0
    known: int = 0
    refused: int = 0
