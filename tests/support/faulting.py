"""Crawls with faults on purpose: commands that die where they are told to, and what must be true of a crawl afterwards."""

import json
import subprocess
from pathlib import Path

from crawling import CLEAN, GOSSAMER, Simweb, wrong_outcomes

from gossamer.jobs.conversation import explanations
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.verify import verify_crawl

# Nobody waits long, and archive files are so small that a short crawl rolls several.
BRISK = ("retry.wait=0.5", "retry.growth=1", "retry.times=2", "robots.wait=0.5", "storage.segment_bytes=150k")
QUICK = ["--delay", "0", "--connections", "4", "--quiet", *(word for knob in BRISK for word in ("--set", knob))]
CONNECTIONS = 4


def run_faulty(faults: dict[str, object], *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command with faults armed."""
    environment = CLEAN | {"GOSSAMER_FAULTS": json.dumps(faults)}
    words = [*GOSSAMER, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment, check=False)


def faults_found(directory: Path) -> list[str]:
    """Return every offender that `gossamer verify` names."""
    checks = list(verify_crawl(CrawlDirectory.open(directory)))
    assert len(checks) >= 6
    return [offender for check in checks for offender in check.offenders]


def surprises(directory: Path, web: Simweb) -> list[tuple[str, str, str | None]]:
    """Return the URLs that ended otherwise than the manifest says."""
    urls = [entry["url"] for entry in web.manifest]
    answers = explanations(CrawlDirectory.open(directory), urls)
    return wrong_outcomes(web, {answer["url"]: answer["outcome"] for answer in answers})


def fetched_too_often(web: Simweb, kills: int) -> int:
    """Return how many requests the manifest and the kills do not explain; robots.txt is left out."""
    allowed = sum(entry.get("requests_max", 1) for entry in web.manifest if entry["fetch"])
    pages = sum("robots" not in seen["path"] for seen in web.ledger())
    return max(0, pages - allowed - kills * CONNECTIONS * len({entry["host"] for entry in web.manifest}))
