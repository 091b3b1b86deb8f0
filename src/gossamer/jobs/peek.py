"""One page as a reader would be given it, outside any crawl: one polite fetch."""

from gossamer.assemble import make_processors
from gossamer.config.sections import Settings
from gossamer.errors import UsageError
from gossamer.jobs.inspect import fetch_one
from gossamer.readers.document import document_of
from gossamer.readers.scripts.page import ScriptPage


def peek(url: str, settings: Settings) -> ScriptPage:
    """Fetch one URL, after asking robots.txt."""
    fetched = fetch_one(url, settings).fetched
    if not fetched.status:
        raise UsageError(f"{url} gave no answer: {fetched.detail or fetched.outcome}; try `gossamer fetch` for more")
    document = document_of(fetched, max(settings.fetch.max_decoded, fetched.body.size))
    return ScriptPage(document, fetched.status, fetched.headers, make_processors(settings).get(document.mime))
