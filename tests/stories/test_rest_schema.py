"""Made-up requests to every route of a running server: none is a server error, and every answer is as described."""

import os
from pathlib import Path

import pytest
from crawling import run_gossamer, simweb_running
from doors import serving
from schemas import judged

SOAK = int(os.environ.get("GOSSAMER_SOAK_SCHEMA", "0"))  # examples of each route, beside those at the edges of every parameter
EXAMPLES = 3  # of each route otherwise, and no edges: always the same ones


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of one crawl that has ended."""
    place = tmp_path_factory.mktemp("schema")
    with simweb_running(place, hosts=1, pages=5) as web:
        run = run_gossamer("crawl", "--dir", place / "home" / "small", *web.crawl_options, "--delay", "0", "--quiet")
        assert run.returncode == 0, run.stderr
    return place / "home"


@pytest.mark.parametrize("with_token", [False, True], ids=["no token", "admin"])
def test_no_made_up_request_brings_an_answer_that_is_not_described(home: Path, tmp_path: Path, with_token: bool) -> None:
    rates = [f"serve.{name}=10000" for name in ("rate", "burst", "stranger_rate")]
    with serving(home, *(word for rate in rates for word in ("--set", rate))) as door:
        result = judged(door, tmp_path, SOAK or EXAMPLES, with_token, "coverage,fuzzing" if SOAK else "fuzzing")
        assert result.returncode == 0, result.stdout[-5_000:] + result.stderr[-2_000:]
        assert door.process.poll() is None
