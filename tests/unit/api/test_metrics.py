"""What Prometheus is told of a pulse."""

from prometheus_client import CollectorRegistry

from gossamer.api.metrics import STATES, CrawlNumbers
from gossamer.records.pulse import RESPONSE_CLASSES, Pulse
from gossamer.records.standing import FrontierStatistics

FRONTIER = FrontierStatistics(waiting=5, leased=2, done=40, dead=3, removed=1, hosts=4)
PULSE = Pulse(at=100.0, state="running", frontier=FRONTIER, finished={"ok": 40, "gone": 3}, requests=50, too_soon=0)


def registry(**pulses: Pulse) -> CollectorRegistry:
    """Return what one scrape sees."""
    scrape = CollectorRegistry(auto_describe=False)
    scrape.register(CrawlNumbers(pulses))
    return scrape


def test_counters_are_told_by_crawl_and_outcome() -> None:
    scrape = registry(one=PULSE, two=PULSE)
    assert scrape.get_sample_value("gossamer_urls_finished_total", {"crawl": "one", "outcome": "ok"}) == 40
    assert scrape.get_sample_value("gossamer_requests_total", {"crawl": "two"}) == 50
    assert scrape.get_sample_value("gossamer_politeness_violations_total", {"crawl": "one"}) == 0


def test_a_crawl_is_in_exactly_one_state() -> None:
    scrape = registry(one=PULSE)
    told = {state: scrape.get_sample_value("gossamer_crawl_state", {"crawl": "one", "state": state}) for state in STATES}
    assert told.pop("running") == 1
    assert set(told.values()) == {0}


def test_response_times_are_a_histogram_whose_classes_add_up() -> None:
    counts = tuple(range(1, len(RESPONSE_CLASSES) + 2))
    scrape = registry(one=Pulse(at=1.0, state="running", frontier=FRONTIER, responses=counts, response_seconds=7.5))
    below = [
        scrape.get_sample_value("gossamer_response_seconds_bucket", {"crawl": "one", "le": str(end)})
        for end in (*RESPONSE_CLASSES, "+Inf")
    ]
    assert below == [sum(counts[: number + 1]) for number in range(len(counts))]
    assert scrape.get_sample_value("gossamer_response_seconds_sum", {"crawl": "one"}) == 7.5


def test_what_is_not_known_is_not_told() -> None:
    scrape = registry(one=PULSE)
    for unknown in ("gossamer_freshness_ratio", "gossamer_last_commit_timestamp_seconds"):
        assert scrape.get_sample_value(unknown, {"crawl": "one"}) is None


def test_no_label_is_a_host_or_a_url() -> None:
    labels = {name for metric in CrawlNumbers({"one": PULSE}).collect() for sample in metric.samples for name in sample.labels}
    assert labels == {"crawl", "outcome", "state", "why", "le"}
