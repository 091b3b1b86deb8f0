"""The rules: the closed list of all that decides how a URL ends, with one line about each and the sentences it is told in.

The only place where these sentences stand; `reason.py` fills in the facts. A plugin's rules have names of their own.
"""

from enum import StrEnum

# What a rule is called like: a setting or an operator's word, and its name is told with its sentence, because it says what to
# change; or what happened, which is told without a name.
KNOB, EVENT = True, False


class Rule(StrEnum):
    """What decides: its name, whether a knob is called like it, one line about it, and the sentences it is told in.

    The first sentence is told whose facts are all given; of that, what stands in brackets only if its facts are.
    """

    __hash__ = str.__hash__  # a rule is found where its name is looked for
    is_knob: bool
    about: str
    sentences: tuple[str, ...]

    def __new__(cls, name: str, is_knob: bool, about: str, *sentences: str) -> "Rule":
        """Return a member that is its name and knows the rest."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.is_knob, member.about, member.sentences = is_knob, about, sentences
        return member

    # --- when a link is found: is it ours? -------------------------------------------------------------------------------

    ADMITTED = "admitted", EVENT, "no rule refuses the URL"
    SCOPE = "scope", EVENT, "no rule of the scope refuses the URL"
    SCOPE_SCHEMES = (
        "scope.schemes",
        KNOB,
        "only URLs of these schemes are followed",
        "nothing fetches {unfetchable} URLs",
        "{scheme} is not among the schemes to follow",
    )
    SCOPE_BLOCK_HOSTS = "scope.block_hosts", KNOB, "URLs of these hosts are refused", "the host is blocked by {pattern}"
    SCOPE_WITHIN = (
        "scope.within",
        KNOB,
        "how far a URL may be from the seeds: host, domain, directory",
        "hop {hop} beyond the seeds' sites; off_site_hops is {off_site_hops}",
        "{site} is not one of the seeds' {within}s",
        "not below a seed's directory",
    )
    SCOPE_CHECK_EXTERNAL = (
        "scope.check_external",
        KNOB,
        "a link to another site is asked for once, to see whether anything is there, and not followed",
        "another site, asked for once and not followed: {detail}",
        "another site, asked for once and not followed: status {status}",
        "outside the scope ({why}), so it is asked for once and not followed",
    )
    SCOPE_MAX_DEPTH = (
        "scope.max_depth",
        KNOB,
        "how many hops a URL may be from a seed",
        "{depth} hops from a seed; max_depth is {limit}",
    )
    SCOPE_ALLOW_PREFIXES = (
        "scope.allow_prefixes",
        KNOB,
        "a URL has to begin with one of these",
        "begins with none of the allowed prefixes",
    )
    SCOPE_BLOCK_PREFIXES = (
        "scope.block_prefixes",
        KNOB,
        "a URL that begins with one of these is refused",
        "begins with {prefix}",
    )
    SCOPE_ALLOW = (
        "scope.allow",
        KNOB,
        "one of these regular expressions has to be found in a URL",
        "none of the allowed regular expressions is found in it",
    )
    SCOPE_BLOCK = (
        "scope.block",
        KNOB,
        "a URL in which one of these regular expressions is found is refused",
        "{expression} is found in it",
    )
    SCOPE_BLOCK_EXTENSIONS = (
        "scope.block_extensions",
        KNOB,
        "a file name that ends with one of these is refused",
        "the file name ends with {extension}",
    )
    SCOPE_ALLOW_FILE = "scope.allow_file", KNOB, "a line of this list has to match a URL", "no line of the list matches it"
    SCOPE_BLOCK_FILE = (
        "scope.block_file",
        KNOB,
        "a URL that a line of this list matches is refused",
        "the line {line} matches it",
    )
    DOCUMENTS_FOLLOW = "documents.follow", KNOB, "links of these kinds are followed", "links of kind {kind} are not followed"
    DOCUMENTS_SITEMAPS = (
        "documents.sitemaps",
        KNOB,
        "whether the sitemaps that robots.txt names are read",
        "named by robots.txt alone, whose Sitemap lines are not used",
    )
    ROBOTS_META = "robots.meta", KNOB, "whether nofollow is obeyed", "found only behind nofollow"
    FETCH_MAX_REDIRECTS = (
        "fetch.max_redirects",
        KNOB,
        "how many redirects in a row are followed",
        "more than {limit} redirects in a row",
    )
    TRAPS = "traps", EVENT, "the URL looks honest"
    TRAPS_MAX_LENGTH = "traps.max_length", KNOB, "how long a URL may be", "{length} characters; max_length is {limit}"
    TRAPS_MAX_SEGMENTS = (
        "traps.max_segments",
        KNOB,
        "how many segments a path may have",
        "{segments} segments; max_segments is {limit}",
    )
    TRAPS_MAX_REPEATS = (
        "traps.max_repeats",
        KNOB,
        "how often one segment may occur in a path",
        "the segment {segment!r} occurs {times} times; max_repeats is {limit}",
    )
    POLICY_BLOCKED = (
        "policy.blocked",
        KNOB,
        "an operator blocked the host (gossamer host --block)",
        "the operator blocked this host",
    )
    POLICY_CRAWL_DEPTH = (
        "policy.crawl_depth",
        KNOB,
        "how many hops deep an operator lets the host be crawled",
        "{depth} hops, {host} allows {limit}",
    )
    FRONTIER_MAX_WAITING = (
        "frontier.max_waiting",
        KNOB,
        "how many URLs of a host may wait",
        "{waiting} URLs of this host wait already",
    )

    # --- what was learned about a host -----------------------------------------------------------------------------------

    TRAPS_TEMPLATE = (
        "traps.template",
        KNOB,
        "others of the URL's make brought nothing new",
        "{template} brought {fresh} new in {fetched} fetches ({barren}[, such as {such_as}]); one in {one_in} is tried[, "
        "{others}]",
        "an operator blocked {template}",
    )
    TRAPS_PARAMETER = (
        "traps.parameter",
        KNOB,
        "a parameter of the URL makes no difference",
        "[the same page as {same_as}: ]{name} made no difference {same} times and a difference {other} times ({one} and {two})",
        "[the same page as {same_as}: ]{name} makes no difference, an operator said",
    )
    TRAPS_MIRROR = (
        "traps.mirror",
        KNOB,
        "the host has what another has under the same paths",
        "[the same page as {same_as}: ]{name} made no difference {same} times and a difference {other} times ({one} and {two})",
        "[the same page as {same_as}: ]{name} makes no difference, an operator said",
    )
    TRAPS_VIEW_EVIDENCE = (
        "traps.view_evidence",
        KNOB,
        "the URL shows another one in another way, so it waits behind content",
        "a view: {mark} stood beside {beside} others ({url} beside {page}) and {otherwise} times elsewhere; of {fetched} "
        "fetched {led} led to something new",
        "a file: {beside} of {template} were files to download ({url}), {otherwise} were not",
        "an operator says that {mark} is a view",
    )
    TRAPS_GROWTH = (
        "traps.growth",
        KNOB,
        "the host, or a part of it, brings forth URLs faster than anybody writes pages",
        "the host yields only itself, so others come first: {own:,} of {fetched:,} URLs were found on itself, "
        "{outside:,} links with other hosts; last from {page}",
        "{sitemaps:,} sitemaps were fetched, and {others:,} other URLs of the host: it waits for more of those, or until "
        "other hosts are done",
        "{part} brought forth {in_hour:,} URLs in an hour, {limit:,} are usual at most; last from {page}",
        "{part} brought forth {per_page:,.0f} URLs a page, {hosts} hosts of its size have {usual:,.1f}; last from {page}",
    )
    TRAPS_SOFT_404 = (
        "traps.soft_404",
        KNOB,
        "the page is the host's way to say that there is nothing",
        "redirected to {location}, like {probe}",
        "its text differs by {bits} bits from that of {probe}",
        "its title is {title!r} and its length {length}, like {probe} ({probe_length})",
        "found only on a page that is not news: {page}",
        "{answered} is answered with {status} {leads_to}; {found} URLs like it were found",
        "a probe has to be sent first",
    )
    RECRAWL_KEEP = (
        "recrawl.keep",
        KNOB,
        "what counts as a new version of a page",
        "what changes on most pages of the host is no change of a page: {spared:,} visits found nothing else changed[, "
        "the last {texts!r}]",
        "differs only in what changes on most pages of its host: {texts!r}",
        "other pages of its host have to be compared first",
    )
    PROBE_SENT = (
        "probe.sent",
        EVENT,
        "the turn was spent on a request for something that cannot exist",
        "a probe for soft 404s was sent first",
    )
    PROBE_DENIED = (
        "probe.denied",
        EVENT,
        "robots.txt forbids a request for something that cannot exist",
        "robots.txt denies a probe",
    )
    PROBE_WAITS = (
        "probe.waits",
        EVENT,
        "the robots.txt for a probe is not known yet",
        "robots.txt has to be fetched before a probe",
    )

    # --- robots.txt ------------------------------------------------------------------------------------------------------

    ROBOTS_TXT = (
        "robots.txt",
        KNOB,
        "robots.txt forbids the URL: a line of it, or because it cannot be had",
        "robots.txt unreachable: {unreachable}",
        "{line}",
    )
    ROBOTS_OFF = "robots.off", EVENT, "robots.txt is not asked (robots.obey)", "robots.obey is off"
    ROBOTS_NONE = "robots.none", EVENT, "the scheme has no robots.txt", "there is no robots.txt for {scheme}: URLs"
    ROBOTS_UNAVAILABLE = (
        "robots.unavailable",
        EVENT,
        "the host has no robots.txt, which allows everything",
        "robots.txt unavailable: {detail}",
    )
    ROBOTS_UNREACHABLE = (
        "robots.unreachable",
        EVENT,
        "the host's robots.txt cannot be had, which allows nothing",
        "robots.txt unreachable: {detail}",
    )
    ROBOTS_UNKNOWN = "robots.unknown", EVENT, "nobody has asked for robots.txt yet", "robots.txt is not known"
    ROBOTS_AWAITED = "robots.awaited", EVENT, "somebody else asks for robots.txt", "robots.txt is being fetched"
    ROBOTS_RETRY = (
        "robots.retry",
        EVENT,
        "robots.txt could not be had and is asked for again later",
        "robots.txt is out of reach",
    )
    ROBOTS_FETCHED = "robots.fetched", EVENT, "the turn was spent on robots.txt", "robots.txt was fetched first"
    ROBOTS_REDIRECTED = "robots.redirected", EVENT, "robots.txt is somewhere else", "robots.txt redirects to {location}"
    ROBOTS_ELSEWHERE = (
        "robots.elsewhere",
        EVENT,
        "robots.txt is on another host, whose turn it is not",
        "robots.txt is at {host}, which has no turn to spare",
    )
    ROBOTS_CANCELLED = "robots.cancelled", EVENT, "asking for robots.txt was cut short", "cancelled"

    # --- turns -----------------------------------------------------------------------------------------------------------

    BREAKER_FAILURES = "breaker.failures", KNOB, "so many failures in a row open the breaker", "{failures} failures in a row"
    BREAKER_ERROR_SHARE = (
        "breaker.error_share",
        KNOB,
        "so large a share of failures pauses a host",
        "{failures} of the last {window} requests failed",
    )
    BREAKER_OPENINGS = (
        "breaker.openings",
        EVENT,
        "the breaker opened so often that the host was given up",
        "{host} failed again and again: {last}",
    )
    POLITENESS_THROTTLED = "politeness.throttled", EVENT, "the host asked to be left alone", "answered {status}"
    CRAWL_RETURNS = (
        "crawl.returns",
        KNOB,
        "how often a worker may die or freeze over one URL",
        "its worker died or froze {returns} times while visiting it",
    )
    CRAWL_STOPPED = "crawl.stopped", EVENT, "the crawl was stopped before the URL was asked for", "the crawl was stopped"
    FRONTIER_DUE = "frontier.due", EVENT, "the host waits for a date of its URLs", "none of its URLs is due sooner"

    # --- what a fetch came to --------------------------------------------------------------------------------------------

    HTTP_STATUS = "http.status", EVENT, "the status decides", "status {status}[ after {tries} tries]"
    FETCH_FAILED = "fetch.failed", EVENT, "nothing came back", "{detail}"
    FETCH_ADDRESS = "fetch.address", EVENT, "the address may not be contacted (fetch.allow_private)", "{detail}"
    FETCH_CUT = "fetch.cut", EVENT, "the body is not whole", "{detail}"
    FETCH_PUT_OFF = "fetch.put_off", EVENT, "the request did not leave, or a kept connection closed as it did", "{detail}"
    FETCH_CIRCLE = (
        "fetch.circle",
        EVENT,
        "the URL redirects to itself, or to the page that led to it",
        "it redirects in a circle",
    )
    FETCH_SPOOL = "fetch.spool", EVENT, "the body found no room in the temporary directory", "{error}"
    FETCH_MAX_DECODED = (
        "fetch.max_decoded",
        EVENT,
        "there is more than this after decompression",
        "a {container} file of more than fetch.max_decoded bytes; kept, not opened",
        "more than fetch.max_decoded bytes after decompression; kept, not read",
    )
    DOCUMENTS_DEADLINE = (
        "documents.deadline",
        EVENT,
        "reading took too long",
        "reading took more than documents.deadline ({seconds:g} s) or too much memory; it was {done}",
    )
    DOCUMENTS_COSTLY = (
        "documents.costly",
        EVENT,
        "a tree of the page would take too much time or memory",
        "a tree of this page would be too costly; it was scanned for links",
    )
    DOCUMENTS_UNPACKED = (
        "documents.unpacked",
        EVENT,
        "only the beginning of a gzip file was read",
        "only the first {limit} bytes inside the gzip file were read",
    )
    DOCUMENTS_DECODING = "documents.decoding", EVENT, "the content coding is broken", "{error}"

    # --- what a page is beside others ------------------------------------------------------------------------------------

    DEDUPE_EXACT = "dedupe.exact", KNOB, "the page has the bytes of another", "same content as {same_as}"
    DEDUPE_NEAR = (
        "dedupe.near",
        KNOB,
        "the page has nearly the text of another",
        "its text differs by {bits} bits of 64 from that of {same_as}",
    )
    DEDUPE_CANONICAL = (
        "dedupe.canonical",
        KNOB,
        "another page with the same content counts",
        "a copy of {same_as}, the canonical one because {why}",
    )
    RECRAWL_SAME = "recrawl.same", EVENT, "the page has not changed", "the same as when it was last kept"
    BUG = "bug", EVENT, "a bug of ours; its trace is in crawl.log", "{error}: {message}"
