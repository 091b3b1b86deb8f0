"""Applications that nobody here wrote: content is kept under its own name and found, judged right, and fetched first.

`make test` judges the quick ones, `make soak` all of them (`REAL_APPLICATIONS=all`).
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from applications.running import running
from applications.shelf import APPLICATIONS, QUICK
from judging import ALL, Judged, crawl, judge
from witnesses import not_judged

NAMES = tuple(APPLICATIONS) if ALL else QUICK
PAGES = 15 if ALL else 3  # a content page: the longer a crawl, the more wrong lessons it can learn
NEVER = float("inf")


@pytest.fixture(scope="module", params=NAMES)
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """Every application, crawled once for so many pages that waste has its chance."""
    application = APPLICATIONS[request.param]
    if lacking := application.lacking:
        pytest.skip(not_judged(lacking))
    directory: Path = tmp_path_factory.mktemp("real") / "crawl"
    with running(application) as app:
        crawl(app, directory, "--max-pages", str(PAGES * len(app.truth)))
        yield judge(app, directory)


def test_all_content_is_kept_under_its_canonical_url_and_found_by_search(judged: Judged) -> None:
    assert not judged.lost, told(judged)


def test_no_page_with_content_is_called_a_trap_or_a_soft_404_or_a_copy(judged: Judged) -> None:
    assert not judged.wrong, told(judged)


def test_all_content_is_fetched_before_the_rest(judged: Judged) -> None:
    assert (judged.ratio or NEVER) <= APPLICATIONS[judged.application].allowance, judged.application


def told(judged: Judged) -> str:
    """Name some of what was lost, in the crawler's words."""
    return "; ".join([judged.application, *(f"{one.content.url}: {one.outcome}: {one.words}" for one in judged.lost[:5])])
