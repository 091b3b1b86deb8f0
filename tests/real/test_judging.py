"""The judge and its truth can be trusted: texts are the same each time and differ from each other; figures are right."""

from itertools import combinations
from pathlib import Path

from applications.prose import Writer
from applications.running import Content, Running
from judging import judge_requests

TRUTH = [Content("/a", "one", "page"), Content("/b?x=é", "two", "page"), Content("/c", "three", "page", ("/",))]


def asked(place: Path, *lines: str) -> Running:
    log = place / "access.log"
    log.write_text("".join(f"{line}\n" for line in lines))
    return Running("site", 1, "/", TRUTH, log, 2.5, place)


def test_content_counts_by_any_of_its_names_the_first_time_it_is_answered(tmp_path: Path) -> None:
    app = asked(tmp_path, "404 /robots.txt", "200 /", "200 /c", "404 /a", "200 /b?x=%C3%A9", "200 /a", "200 /d")
    judged = judge_requests(app, "somebody", 100)
    assert (judged.found, judged.requests, judged.until, judged.fetched) == (3, 7, 6, 3)
    assert judged.ratio == 2.0 and round(judged.waste, 2) == 0.57 and not judged.wrong


def test_what_a_crawler_requests_after_its_budget_does_not_count(tmp_path: Path) -> None:
    judged = judge_requests(asked(tmp_path, "200 /a", "200 /d", "200 /c", "200 /b?x=é"), "somebody", 3)
    assert [one.content.url for one in judged.lost] == ["/b?x=é"]
    assert judged.until is None and judged.ratio is None and judged.requests == 3


def test_a_log_is_forgotten_between_two_crawlers(tmp_path: Path) -> None:
    app = asked(tmp_path, "200 /a")
    app.forget()
    assert app.asked() == []


def test_texts_are_the_same_for_the_same_seed_and_share_no_phrase_and_hardly_a_sentence() -> None:
    texts, again = ([writer.text() for _ in range(40)] for writer in (Writer("seed"), Writer("seed")))
    assert texts == again
    assert len({text.phrase for text in texts}) == len({text.title for text in texts}) == 40
    assert all(one.phrase not in other.whole for one, other in combinations(texts, 2))
    sentences = [sentence for text in texts for sentence in text.whole.split(". ")]
    assert len(set(sentences)) > 0.99 * len(sentences)
    assert all(100 <= len(text.whole.split()) <= 250 for text in texts)
