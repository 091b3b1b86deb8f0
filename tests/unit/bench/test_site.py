"""The generated site: the same for everybody, and every page can be reached."""

from bench.site import Generated, _reachable


def test_every_page_can_be_reached_by_anchors() -> None:
    site = Generated(150, 12_000, 60).site()
    assert len(site.pages) == 150
    assert set(_reachable(site.answers)) == site.pages


def test_the_same_numbers_give_the_same_site() -> None:
    assert Generated(30, 12_000, 60).site() == Generated(30, 12_000, 60).site()


def test_pages_have_the_size_and_the_links_asked_for() -> None:
    site = Generated(30, 25_000, 100).site()
    bodies = [site.answers[path].body for path in site.pages]
    assert all(23_000 < len(body) < 28_000 for body in bodies)
    assert all(body.count(b"<a ") == 100 for body in bodies)
