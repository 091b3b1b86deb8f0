"""Made-up requests to every route of a running server: none is a server error, and every answer is as described."""

from pathlib import Path

import pytest
from crawling import run_gossamer, simweb_running
from doors import serving
from schemas import judged

EXAMPLES = 3  # of each route, beside those at the edges of every parameter


@pytest.mark.parametrize("with_token", [True, False], ids=["admin", "no token"])
def test_no_made_up_request_brings_an_answer_that_is_not_described(tmp_path: Path, with_token: bool) -> None:
    with simweb_running(tmp_path, hosts=1, pages=5) as web:
        run = run_gossamer("crawl", "--dir", tmp_path / "home" / "small", *web.crawl_options, "--delay", "0", "--quiet")
        assert run.returncode == 0, run.stderr
    with serving(tmp_path / "home", "--set", "serve.rate=1000", "--set", "serve.burst=10000") as door:
        result = judged(door, tmp_path, EXAMPLES, with_token)
        assert result.returncode == 0, result.stdout[-5_000:] + result.stderr[-2_000:]
        assert door.process.poll() is None
