"""The generated web: what a plan says is what is drawn."""

import numpy as np
import pytest

from gossamer.jobs.simulate.plan import DAY, WebPlan
from gossamer.jobs.simulate.web import SimulatedWeb, generate

PLAN = WebPlan(pages=4000, hosts=40, days=20, born=0.1, known=0.5)


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return generate(PLAN)


def test_the_same_plan_gives_the_same_web_and_another_seed_another(web: SimulatedWeb) -> None:
    again, other = generate(PLAN), generate(WebPlan(pages=4000, hosts=40, days=20, born=0.1, known=0.5, seed=2))
    assert again.changes.tobytes() == web.changes.tobytes()
    assert again.links.tobytes() == web.links.tobytes()
    assert other.changes.tobytes() != web.changes.tobytes()


def test_changes_are_in_order_and_as_many_as_the_rates_say(web: SimulatedWeb) -> None:
    own = np.split(web.changes, web.change_starts[1:-1])
    assert all(len(each) and (np.diff(each) >= 0).all() for each in own)
    old = np.flatnonzero(web.born < 0)
    expected = web.rate[old].sum() * (PLAN.days + PLAN.cycle) * DAY
    drawn = sum(len(own[page]) - 1 for page in old)
    assert drawn == pytest.approx(expected + (web.born >= 0).sum(), rel=0.02)


def test_rates_are_spread_evenly_on_a_logarithmic_scale_and_importance_is_paretos(web: SimulatedWeb) -> None:
    logs = np.log(web.rate * DAY)
    assert np.histogram(logs, 4, (-np.log(PLAN.slowest), -np.log(PLAN.fastest)))[0] == pytest.approx(1000, rel=0.1)
    assert web.importance.mean() == pytest.approx(1)
    assert np.quantile(web.importance, 0.99) > 8 * np.median(web.importance)


def test_every_page_can_be_reached_from_the_seeds(web: SimulatedWeb) -> None:
    reached, edge = set(web.seeds.tolist()), web.seeds.tolist()
    while edge:
        page = edge.pop()
        for target in web.links[web.link_starts[page] : web.link_starts[page + 1]].tolist():
            if target not in reached:
                reached.add(target)
                edge.append(target)
    assert len(reached) == PLAN.pages
    assert len(web.seeds) == PLAN.hosts == len(set(web.host[web.seeds].tolist()))


def test_a_page_that_is_born_changes_the_page_that_links_it(web: SimulatedWeb) -> None:
    sources = np.repeat(np.arange(PLAN.pages), np.diff(web.link_starts))
    for page in np.flatnonzero(web.born >= 0)[:50].tolist():
        assert web.changes[web.change_starts[page]] == web.born[page]
        linking = sources[web.links == page]
        assert any(web.born[page] in web.changes[web.change_starts[one] : web.change_starts[one + 1]] for one in linking)


def test_only_pages_that_existed_were_fetched_before(web: SimulatedWeb) -> None:
    fetched = np.isfinite(web.fetched)
    assert not (fetched & (web.born >= 0)).any()
    assert fetched.sum() == pytest.approx(0.5 * (web.born < 0).sum(), rel=0.1)
    assert web.fetched[fetched].min() >= -PLAN.cycle * DAY and web.fetched.max() < 0


def test_rates_can_be_spread_like_a_bell() -> None:
    logs = np.log(generate(WebPlan(pages=4000, hosts=40, rates="bell")).rate * DAY)
    counts = np.histogram(logs, 4, (-np.log(PLAN.slowest), -np.log(PLAN.fastest)))[0]
    assert min(counts[1:3]) > 1.8 * max(counts[0], counts[3])


def test_importance_can_be_the_rank_in_the_links(web: SimulatedWeb) -> None:
    ranked = generate(WebPlan(pages=4000, hosts=40, days=20, born=0.1, known=0.5, importance="links"))
    assert ranked.links.tobytes() == web.links.tobytes()
    assert ranked.importance.mean() == pytest.approx(1)
    inlinks = np.bincount(web.links, minlength=PLAN.pages)
    assert np.corrcoef(np.argsort(np.argsort(inlinks)), np.argsort(np.argsort(ranked.importance)))[0, 1] > 0.7


def test_some_hosts_ask_for_a_delay(web: SimulatedWeb) -> None:
    slow = generate(WebPlan(pages=4000, hosts=400, slow=0.25, slow_delay=7.0)).delay
    assert set(slow.tolist()) == {0.0, 7.0}
    assert (slow > 0).mean() == pytest.approx(0.25, abs=0.08)
