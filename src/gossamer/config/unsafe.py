"""Settings that strangers do not set: what they would loosen, and who may set them then.

A door that anybody with a token can reach asks this table before it passes settings on. What reaches into the network beside
the web, reads or writes the disk beside the crawl, or breaks a promise to sites is for whoever started the server alone
(`serve --let SETTING`); patterns are for those with every scope. Everything else is only about the crawl itself.
"""

from collections.abc import Collection, Iterable

# Exactly these, or all of a section where the name ends with a dot.
NEVER = (
    "fetch.allow_private",  # addresses of our own network
    "fetch.insecure",
    "fetch.ca_file",
    "dns.",
    "robots.obey",
    "robots.meta",
    "storage.",
    "frontier.uri",
    "scope.allow_file",
    "scope.block_file",
    "scope.schemes",  # file: is our own disk
    "documents.scripts",  # code
    "documents.processors",
    "events.",  # where what happens is told
    "chronicle.",  # and whether it is
    "requests",  # passwords, proxies, files
    "requests.",
    "serve.",
)
ADMIN = ("scope.allow", "scope.block")
LONGEST_PATTERN = 200  # characters of a pattern that comes through a door


def is_named(setting: str, table: Iterable[str]) -> bool:
    """Tell whether a setting is one of a table."""
    return any(setting == name or (name.endswith(".") and setting.startswith(name)) for name in table)


def is_unsafe(setting: str) -> bool:
    """Tell whether a setting decides what a crawl may reach, what it promises, or where it writes."""
    return is_named(setting, NEVER)


def unsafe(settings: Iterable[str], let: Collection[str] = ()) -> list[str]:
    """Return the settings that may not be set through a door, in order; `let`: what this one's owner allows."""
    return sorted({one for one in settings if is_unsafe(one) and one not in let})


def for_admins(settings: Iterable[str]) -> list[str]:
    """Return the settings that need every scope."""
    return sorted({one for one in settings if is_named(one, ADMIN)})
