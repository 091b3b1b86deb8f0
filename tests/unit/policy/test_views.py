"""Views: where a mark stood and what came of it make it one of views; listings, menus and ways to content do not."""

from gossamer.policy import views
from gossamer.records.evidence import Ruling, View, Yield

SITE = "http://a.example"


def test_a_mark_needs_pages_beside_it_and_hardly_any_elsewhere() -> None:
    assert not views.is_view("?do=edit", View(beside=7), 8)
    assert views.is_view("?do=edit", View(beside=8), 8)
    assert not views.is_view("?do=edit", View(beside=8, otherwise=5), 8)
    assert not views.is_view("?do=edit", View(beside=800), 0), "0 turns it off"


def test_what_leads_to_new_pages_is_a_way_to_content() -> None:
    assert not views.is_view("/list/*", View(beside=8, fetched=1, led=1), 8)
    assert views.is_view("/list/*", View(beside=8, fetched=2, led=1), 8)


def test_a_small_number_has_to_have_brought_little() -> None:
    assert not views.is_view("?page=2", View(beside=80, fetched=9, fresh=9), 8)
    assert views.is_view("?print=1", View(beside=8, fetched=4, fresh=1), 8)


def test_an_operator_has_the_last_word() -> None:
    assert views.is_view("?do=edit", View(ruling=Ruling.BLOCK), 8)
    assert not views.is_view("?do=edit", View(beside=80, ruling=Ruling.ALLOW), 8)


def test_rows_of_a_listing_show_their_first_link_in_other_ways() -> None:
    rows = [f"{SITE}/{verb}/{name}" for name in ("a.c", "b.c", "c.c") for verb in ("tree", "log", "plain")]
    shown = views.sights(f"{SITE}/tree/", rows, (), ())
    assert {name: seen.times for name, seen in shown.beside.items()} == {"/log/*": 3, "/plain/*": 3}


def test_many_links_of_one_make_are_a_listing() -> None:
    topics = [f"{SITE}/topic.php?f=2&t={number}" for number in range(3)]
    assert views.sights(f"{SITE}/forum.php?f=2", topics, (), ()).beside == {}
    assert views.sights(f"{SITE}/forum.php?f=2", topics, (), ()).leads


def test_orders_of_one_listing_say_nothing_of_each_other() -> None:
    orders = [f"{SITE}/files/?C={by};O={way}" for by in "NM" for way in "AD"]
    first = views.sights(f"{SITE}/files/", orders[:2], (), ())
    assert set(first.beside) == {"?C=N", "?O=A", "?O=D"}
    other = views.sights(orders[0], orders[2:], set(first.beside), ())
    assert (other.beside, other.otherwise, other.leads) == ({}, set(), False)
    assert views.sights(f"{SITE}/?id=1", [f"{SITE}/?id=2"], {"?id=2"}, ()).leads, "its own mark was never seen beside another"


def test_what_was_fetched_counts() -> None:
    view = views.tried(views.tried(View(), Yield.FRESH, False), Yield.TWIN, True)
    assert (view.fetched, view.fresh, view.led) == (2, 1, 1)
