"""Servers that others wrote, with documentation that others wrote; a test that lacks one of its witnesses says so loudly."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from packaged import Served, apache_running, nginx_running
from witnesses import MANUAL, POSTGRESQL, PYTHON, SERVED, missing, not_judged

SERVERS = {"nginx": nginx_running, "apache2": apache_running}


@pytest.fixture(scope="session")
def documentation() -> dict[str, Path]:
    """The folders that are served, by the name they have in URLs."""
    if lacking := missing(SERVED):
        pytest.skip(not_judged(lacking))
    python, postgresql, manual = (path.parent for witness in (PYTHON, POSTGRESQL, MANUAL) if (path := witness.path))
    return {"python": python, "postgresql": postgresql, "manual": manual, "sources": python / "_sources"}


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, documentation: dict[str, Path]) -> Iterator[Served]:
    """Both servers, one after the other; none outlives its file, whose process may count its children later."""
    with SERVERS[request.param](documentation) as served:
        yield served
