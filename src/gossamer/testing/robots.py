"""The checker of a robots.txt cache: what any implementation of `joints.robots.Robots` has to promise.

    for rule in RULES:
        await rule(open_robots)

`open_robots(settings)` opens a cache over the same store each time it is called, empty at first. `DURABLE` holds the rules for
stores that outlive their process.
"""

from collections.abc import Awaitable, Callable

from gossamer.config.sections import RobotsTxt
from gossamer.document.body import Body
from gossamer.joints.robots import Robots
from gossamer.records.consultation import Learned
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome

Opener = Callable[[RobotsTxt], Robots]
Rule = Callable[[Opener], Awaitable[None]]

AGENT = "heron/1.0 (+https://heron.test)"
NOW = 1_700_000_000.0
DAY = 86_400.0
SETTINGS = RobotsTxt()
PAGE = "https://site.test/private/page?x=1"
FILE = "https://site.test/robots.txt"
DENYING = "User-agent: *\nDisallow: /private\n"


def answer(
    text: str | bytes = "",
    status: int = 200,
    *,
    url: str = FILE,
    outcome: Outcome = Outcome.OK,
    detail: str = "",
    truncated: str = "",
    **headers: str,
) -> Fetched:
    """Make up an answer; `retry_after` stands for Retry-After."""
    return Fetched(
        url=url,
        outcome=outcome,
        detail=detail,
        status=status if outcome is Outcome.OK else 0,
        headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()),
        body=Body.of(text.encode() if isinstance(text, str) else text),
        truncated=truncated,
    )


async def ask(robots: Robots, fetched: Fetched, now: float = NOW, page: str = PAGE, delay: float = 1.0) -> Learned:
    """Consult, be told to ask, bring that answer, and keep what it says."""
    consultation = await robots.consult(page, AGENT, now)
    assert consultation.verdict == "ask", f"nothing fresh is known, and yet the verdict is {consultation}"
    learned = await robots.learn(page, fetched, AGENT, delay, now)
    await robots.keep([page])
    return learned


async def verdict(robots: Robots, page: str = PAGE, now: float = NOW) -> str:
    """Return the verdict on a page."""
    return (await robots.consult(page, AGENT, now)).verdict


async def nothing_is_allowed_before_somebody_asked(open_robots: Opener) -> None:
    consultation = await open_robots(SETTINGS).consult(PAGE, AGENT, NOW)
    assert (consultation.verdict, consultation.ask) == ("ask", FILE), "the first who consults has to ask for robots.txt"


async def every_origin_of_a_host_is_told_with_its_text_and_when_it_was_asked(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    assert await robots.files("site.test") == [], "something is told that nobody has asked for"
    await ask(robots, answer(DENYING))
    other = "http://site.test:8080/page"
    await ask(robots, answer(status=404), NOW + 5, other)
    closed, read = await robots.files("site.test")
    assert (closed.origin, closed.kind, closed.status, closed.text) == ("http://site.test:8080", "open", 404, b"")
    assert (read.origin, read.kind, read.status, read.text) == ("https://site.test", "rules", 200, DENYING.encode())
    assert (read.fetched_at, read.expires_at, closed.fetched_at) == (NOW, NOW + SETTINGS.ttl, NOW + 5)
    assert await robots.files("other.test") == []
    assert await verdict(robots) == "denied"


async def only_one_asks_and_the_others_wait(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    verdicts = [await verdict(robots), await verdict(robots), await verdict(robots, "https://site.test/other")]
    assert verdicts == ["ask", "wait", "wait"], "an origin is asked by one caller at a time"
    await robots.learn(PAGE, answer(), AGENT, 1.0, NOW)
    assert await verdict(robots) == "allowed", "what was learned ends the waiting"


async def an_asker_that_is_never_heard_of_is_replaced(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    assert await verdict(robots) == "ask"
    assert await verdict(robots, now=NOW + 10) == "wait", "an asker has a little time to answer"
    assert await verdict(robots, now=NOW + 3600) == "ask", "after an hour somebody else has to ask"


async def a_question_given_back_is_asked_by_the_next(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    assert await verdict(robots) == "ask"
    robots.release(PAGE)
    robots.release("https://never-asked.test/")
    assert await verdict(robots) == "ask", "a question that was given back is nobody's"


async def a_verdict_names_its_line(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await ask(robots, answer(DENYING))
    denied = await robots.consult(PAGE, AGENT, NOW)
    assert (denied.verdict, denied.due) == ("denied", None), "a rule denies for good"
    assert denied.reason is not None and "/private" in str(denied.reason.facts["line"]), (
        "a verdict has to name the line that decided"
    )
    assert await verdict(robots, "https://site.test/public") == "allowed"


async def the_group_of_the_agent_decides(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await ask(robots, answer("User-agent: *\nDisallow: /\n\nUser-agent: Heron\nDisallow: /private\n"))
    assert await verdict(robots, "https://site.test/public") == "allowed"
    assert (await robots.consult("https://site.test/public", "egret", NOW)).verdict == "denied"


async def origins_are_strangers_to_each_other(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await ask(robots, answer(DENYING))
    for origin in ("http://site.test", "https://site.test:8443", "https://www.site.test"):
        consultation = await robots.consult(f"{origin}/private", AGENT, NOW)
        assert (consultation.verdict, consultation.ask) == ("ask", f"{origin}/robots.txt")


async def an_answer_is_good_for_its_time_and_no_longer(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await ask(robots, answer(DENYING))
    assert await verdict(robots, now=NOW + DAY - 1) == "denied"
    assert await verdict(robots, now=NOW + DAY + 1) == "ask", "an answer that has expired has to be asked for again"


async def an_absent_file_allows_everything(open_robots: Opener) -> None:
    for status in (400, 401, 403, 404, 410, 451):
        robots = open_robots(SETTINGS)
        page = f"https://status{status}.test/private"
        learned = await ask(robots, answer(status=status, url=f"https://status{status}.test/robots.txt"), page=page)
        assert learned.block_until == 0.0
        assert await verdict(robots, page) == "allowed", f"{status} means that there is no robots.txt"


async def out_of_reach_denies_after_growing_waits(open_robots: Opener) -> None:
    failures = (
        answer(status=500),
        answer(status=503),
        answer(status=429),
        answer(outcome=Outcome.TIMED_OUT, detail="no answer"),
        answer(outcome=Outcome.DNS_FAILED),
        answer(DENYING, truncated="disconnect"),
    )
    for number, failure in enumerate(failures):
        robots, now, waits = open_robots(SETTINGS), NOW, []
        page = f"https://failing{number}.test/page"
        for _ in range(SETTINGS.times - 1):
            learned = await ask(robots, failure, now, page, delay=2.0)
            assert learned.block_until > now, "while robots.txt is out of reach the host is left alone"
            assert await verdict(robots, page, (now + learned.block_until) / 2) == "wait", "nobody asks before its time"
            waits.append(learned.block_until - now)
            now = learned.block_until
        assert waits == [SETTINGS.wait * 2.0 * 3.0**attempt for attempt in range(len(waits))], (
            "waits are counted in delays and grow"
        )
        await ask(robots, failure, now, page, delay=2.0)
        denied = await robots.consult(page, AGENT, now)
        assert (denied.verdict, denied.due) == ("denied", now + SETTINGS.ttl), (
            "asked often enough, it ends, until a later crawl"
        )
        said = denied.reason.facts if denied.reason is not None else {}
        assert said.keys() & {"unreachable", "detail"}, "the verdict has to say why"
        assert await verdict(robots, page, now + SETTINGS.ttl + 1) == "ask"


async def close(robots: Robots, failure: Fetched, page: str) -> float:
    """Fail until nobody asks any more; return the time by then."""
    now = NOW
    while (await robots.consult(page, AGENT, now)).verdict == "ask":
        learned = await robots.learn(page, failure, AGENT, 1.0, now)
        await robots.keep([page])
        now = max(now, learned.block_until)
    return now


async def a_url_ends_with_what_happened_to_its_robots_txt(open_robots: Opener) -> None:
    silent = (
        Outcome.CONNECT_FAILED,
        Outcome.TLS_FAILED,
        Outcome.TIMED_OUT,
        Outcome.PROTOCOL_ERROR,
        Outcome.DNS_FAILED,
        Outcome.ADDRESS_REFUSED,
    )
    for outcome in silent:
        robots, page = open_robots(SETTINGS), f"https://{outcome.value.replace('_', '-')}.test/"
        now = await close(robots, answer(outcome=outcome, detail="so it was"), page)
        denied = await robots.consult(page, AGENT, now)
        assert (denied.verdict, denied.outcome) == ("denied", outcome), "nobody was there to forbid anything"
        assert denied.reason is not None and "so it was" in str(denied.reason.facts["detail"])
        lasting = outcome in (Outcome.TLS_FAILED, Outcome.ADDRESS_REFUSED)
        assert (now == NOW) == lasting, "what would only happen again is not waited for"
    for number, failure in enumerate((answer(status=500), answer(DENYING, truncated="disconnect"))):
        robots, page = open_robots(SETTINGS), f"https://answering{number}.test/"
        denied = await robots.consult(page, AGENT, await close(robots, failure, page))
        assert denied.outcome is Outcome.ROBOTS_DENIED, "a server that answers so allows nothing (RFC 9309, 2.3.1.4)"


async def what_was_out_of_reach_is_asked_for_again_on_request(open_robots: Opener) -> None:
    robots, page = open_robots(SETTINGS), "https://back-again.test/page"
    now = await close(robots, answer(status=500), page)
    await ask(robots, answer(DENYING), NOW)
    await robots.reopen([page, page, PAGE, "https://never-asked.test/"])
    for cache in (robots, open_robots(SETTINGS)):
        assert await verdict(cache, page, now) == "ask", "somebody said that it may be there again"
    assert await verdict(robots, PAGE, NOW) == "denied", "rules that were read are no failure"


async def retry_after_is_honoured(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    learned = await ask(robots, answer(status=503, retry_after="7200"))
    assert learned.block_until == NOW + 7200, "a host that says when to come back is left alone until then"
    learned = await ask(robots, answer(status=429, retry_after="1"), NOW + 7200)
    assert learned.block_until == NOW + 7200 + 30, "and never asked sooner than without"


async def redirects_are_followed_and_counted(open_robots: Opener) -> None:
    robots, url = open_robots(SETTINGS), FILE
    for hop in range(SETTINGS.max_redirects):
        consultation = await robots.consult(PAGE, AGENT, NOW)
        assert (consultation.verdict, consultation.ask) == ("ask", url), "the next to ask for is where the redirect led"
        learned = await robots.learn(PAGE, answer(status=301, url=url, location=f"//hop{hop}.test/r"), AGENT, 1.0, NOW)
        assert learned.block_until == 0.0
        url = f"https://hop{hop}.test/r"
    await ask(robots, answer(DENYING, url=url))
    assert await verdict(robots) == "denied", "what the last one says counts for the origin that was asked first"
    assert await verdict(robots, "https://hop0.test/private") == "ask", "and for no other"


async def redirects_without_end_are_no_file(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    for _ in range(SETTINGS.max_redirects + 1):
        await ask(robots, answer(status=302, location="/robots.txt"))
    assert await verdict(robots) == "allowed"


async def known_rules_hold_on_while_out_of_reach(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await ask(robots, answer(DENYING))
    later = NOW + DAY + 1
    learned = await ask(robots, answer(status=500), later)
    assert learned.block_until == 0.0, "there is no need to wait for what is known"
    assert await verdict(robots, now=later) == "denied"
    assert await verdict(robots, "https://site.test/public", later) == "allowed"


async def delay_and_sitemaps_are_learned(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    learned = await ask(robots, answer("Sitemap: /a.xml\nSitemap: https://b.test/b.xml\nUser-agent: heron\nCrawl-delay: 4\n"))
    assert (learned.delay, learned.sitemaps) == (4.0, ("https://site.test/a.xml", "https://b.test/b.xml"))


async def peeking_makes_nobody_ask(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    assert (await robots.peek(PAGE, AGENT, NOW)).verdict == "ask"
    assert await verdict(robots) == "ask", "whoever peeked is not the one who asks"
    await robots.learn(PAGE, answer(DENYING), AGENT, 1.0, NOW)
    assert (await robots.peek(PAGE, AGENT, NOW)).verdict == "denied"


async def what_has_no_robots_txt_is_allowed(open_robots: Opener) -> None:
    assert await verdict(open_robots(SETTINGS), "file:///tmp/page.html") == "allowed"
    assert await verdict(open_robots(SETTINGS), FILE) == "allowed", "robots.txt itself may always be fetched"
    assert await verdict(open_robots(RobotsTxt(obey=False))) == "allowed", "robots.obey is off"


async def what_was_learned_outlives_the_process(open_robots: Opener) -> None:
    await ask(open_robots(SETTINGS), answer(DENYING))
    robots = open_robots(SETTINGS)
    assert await verdict(robots) == "denied"
    assert await verdict(robots, "https://site.test/public") == "allowed"


async def hops_and_failures_outlive_the_process(open_robots: Opener) -> None:
    await ask(open_robots(SETTINGS), answer(status=301, location="https://hop.test/r"))
    assert (await open_robots(SETTINGS).consult(PAGE, AGENT, NOW)).ask == "https://hop.test/r"
    now, page = NOW, "https://failing.test/"
    for _ in range(SETTINGS.times):
        learned = await ask(open_robots(SETTINGS), answer(status=500), now, page)
        now = max(now, learned.block_until)
    assert await verdict(open_robots(SETTINGS), page, now) == "denied", "failures have to be counted over restarts"


async def what_is_forgotten_before_it_is_kept_is_asked_for_again(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await robots.consult(PAGE, AGENT, NOW)
    await robots.learn(PAGE, answer(DENYING), AGENT, 1.0, NOW)
    robots.forget(PAGE)
    await ask(robots, answer(DENYING))
    robots.forget(PAGE)
    assert await verdict(robots) == "denied", "what was kept cannot be forgotten"


async def what_was_not_kept_is_asked_for_again(open_robots: Opener) -> None:
    robots = open_robots(SETTINGS)
    await robots.consult(PAGE, AGENT, NOW)
    await robots.learn(PAGE, answer(DENYING), AGENT, 1.0, NOW)
    assert await verdict(robots) == "denied", "what was learned counts at once"
    again = "its sitemaps and its delay may be lost, so the next process has to ask again"
    assert await verdict(open_robots(SETTINGS)) == "ask", again
    await robots.keep([PAGE, PAGE])
    assert await verdict(open_robots(SETTINGS)) == "denied"


RULES: tuple[Rule, ...] = (
    nothing_is_allowed_before_somebody_asked,
    every_origin_of_a_host_is_told_with_its_text_and_when_it_was_asked,
    only_one_asks_and_the_others_wait,
    an_asker_that_is_never_heard_of_is_replaced,
    a_question_given_back_is_asked_by_the_next,
    a_verdict_names_its_line,
    the_group_of_the_agent_decides,
    origins_are_strangers_to_each_other,
    an_answer_is_good_for_its_time_and_no_longer,
    an_absent_file_allows_everything,
    out_of_reach_denies_after_growing_waits,
    a_url_ends_with_what_happened_to_its_robots_txt,
    retry_after_is_honoured,
    redirects_are_followed_and_counted,
    redirects_without_end_are_no_file,
    known_rules_hold_on_while_out_of_reach,
    delay_and_sitemaps_are_learned,
    peeking_makes_nobody_ask,
    what_is_forgotten_before_it_is_kept_is_asked_for_again,
    what_has_no_robots_txt_is_allowed,
)
DURABLE: tuple[Rule, ...] = (
    what_was_learned_outlives_the_process,
    hops_and_failures_outlive_the_process,
    what_was_not_kept_is_asked_for_again,
    what_was_out_of_reach_is_asked_for_again_on_request,
)
