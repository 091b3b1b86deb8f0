"""The public API of Python: what `gossamer.script` has, and what its verbs give."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from gossamer import script
from gossamer.client import LiveEvent, ServerClient, ServerProblem
from gossamer.jobs.crawled import CrawlItem, KeptPage
from gossamer.records.event import Event
from gossamer.records.item import KeptProblem

GIVEN = (KeptPage, CrawlItem, KeptProblem, Event)  # what walks over a crawl yield


def python() -> str:
    """Write a part a name."""
    named = [getattr(script, name) for name in script.__all__]
    return "\n\n".join(_part(each) for each in (*named, *GIVEN))


def client() -> str:
    """Write a part a name of the server's client."""
    return "\n\n".join(map(_part, (ServerClient, ServerProblem, LiveEvent)))


def _part(each: Any) -> str:
    about = inspect.cleandoc(each.__doc__ or "")
    if not inspect.isclass(each):
        return f"## {each.__name__}\n\n{_signature(each.__name__, each)}\n\n{about}"
    return "\n\n".join([f"## {each.__name__}", about, *_fields(each), *_members(each)])


def _fields(each: type) -> Iterator[str]:
    """Yield the fields of a record."""
    if hasattr(each, "__struct_fields__"):
        yield "Fields: " + ", ".join(f"`{name}`" for name in each.__struct_fields__)


def _members(each: type) -> Iterator[str]:
    for name, member in vars(each).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property | cached_property):
            function = member.fget if isinstance(member, property) else member.func
            yield f"### {each.__name__}.{name}\n\n{inspect.cleandoc(function.__doc__ or '')}"
        elif inspect.isfunction(member) or isinstance(member, classmethod):
            function = member.__func__ if isinstance(member, classmethod) else member
            about = inspect.cleandoc(function.__doc__ or "")
            yield f"### {each.__name__}.{name}\n\n{_signature(name, function)}\n\n{about}"


def _signature(name: str, function: Callable[..., Any]) -> str:
    waits = "async " if inspect.iscoroutinefunction(function) else ""
    bare = re.sub(r"\b(?:typing|pathlib|collections\.abc)\.", "", str(inspect.signature(function)))
    told = re.sub(r"(: |-> |\[)'([^']+)'", r"\1\2", bare)  # annotations that are texts
    return f"```python\n{waits}def {name}{told.replace('(self, ', '(').replace('(self)', '()')}\n```"
