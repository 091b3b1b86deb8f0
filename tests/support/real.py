"""Crawl the applications and print the table: `python tests/support/real.py [NAME ...] [--peers] [--budget 5]`.

Content, found, lost, requests, waste and wrong verdicts, for gossamer and with `--peers` for `wget2 -r` and a plain Scrapy
spider in the same budget of requests: so many a content page. `--serve NAME` only runs one until interrupted, and says where;
`--dir` keeps the crawls; `--lost` names every page that was not found, with the crawler's words.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from applications.running import Running, running
from applications.shelf import APPLICATIONS
from judging import BUDGET, Judged, crawl, judge, judge_requests
from witnesses import ENVIRONMENT, WGET

PYTHON = str(ENVIRONMENT / "bin" / "python")
SPIDER = Path(__file__).parents[2] / "bench" / "peers" / "with_scrapy.py"
HEADINGS = ("application", "crawler", "content", "found", "lost", "requests", "until all", "x", "waste", "wrong", "lost by")
PATIENCE = 900.0  # seconds for a crawl


def main(words: list[str]) -> None:
    """Crawl and tell."""
    given = _parser().parse_args(words)
    if given.serve:
        _serve(given.serve)
        return
    judged = []
    for name in given.names or APPLICATIONS:
        if lacking := APPLICATIONS[name].lacking:
            say(f"{name} is left out: {', '.join(lacking)} missing; as root run: make witnesses")
            continue
        with running(APPLICATIONS[name]) as app, tempfile.TemporaryDirectory(prefix="gossamer-real-") as place:
            for one in _crawlers(app, given, Path(place)):
                judged.append(one)
                say(" ".join(str(cell) for cell in row(one)))
                _tell_lost(one, None if given.lost else 3)
    say("\n" + table(judged))


def _crawlers(app: Running, given: argparse.Namespace, place: Path) -> Iterator[Judged]:
    budget = round(given.budget * len(app.truth))
    directory = Path(given.dir or place) / f"{app.name.replace(' ', '-')}.crawl"
    options = ("--max-pages", str(budget)) if given.budget else ()
    crawl(app, directory, *options, *given.option, timeout=PATIENCE)
    ours = judge(app, directory)
    yield ours
    if given.peers:
        budget = budget or ours.requests
        reach = ["--quiet", "--recursive", "--level=inf", "--max-threads=4", "--delete-after", f"--directory-prefix={place}"]
        peers = {
            "wget2 -r": ["wget2", "--no-config", "--no-hsts", *reach],
            "Scrapy": [str(ENVIRONMENT / "bin" / "python"), str(SPIDER)],
        }
        for name, words in peers.items():
            app.forget()
            _run_until(app, [*words, app.url(app.seed)], place, budget)
            yield judge_requests(app, name, budget)


def _run_until(app: Running, words: list[str], place: Path, budget: int) -> None:
    """Run a crawler until it ends or has sent as many requests as it may."""
    with (place / "said").open("ab") as said:
        peer = subprocess.Popen(words, cwd=place, stdout=said, stderr=said)
    for _ in range(round(PATIENCE / 0.2)):
        try:
            peer.wait(0.2)
            return
        except subprocess.TimeoutExpired:
            if len(app.asked()) >= budget:
                break
    peer.kill()
    peer.wait(10)


def _serve(name: str) -> None:
    with running(APPLICATIONS[name]) as app:
        say(json.dumps({"url": app.url(app.seed), "content": len(app.truth), "log": str(app.log)}))
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            return


def _tell_lost(judged: Judged, most: int | None) -> None:
    shown: dict[str, int] = {}
    for one in judged.lost:
        shown[one.outcome] = shown.get(one.outcome, 0) + 1
        if judged.crawler == "gossamer" and (most is None or shown[one.outcome] <= most):
            say(f"    {one.outcome}: {one.content.url} ({one.content.kind}): {one.words}")


def row(judged: Judged) -> list[str]:
    """Return the cells of a line of the table."""
    ratio = f"{judged.ratio:.1f}" if judged.ratio else "-"
    by = ", ".join(f"{count} {outcome}" for outcome, count in judged.by_outcome().items())
    counts = (judged.content, judged.found, len(judged.lost), judged.requests, judged.until or "never")
    wrong = str(len(judged.wrong)) if judged.crawler == "gossamer" else "-"
    return [judged.application, judged.crawler, *map(str, counts), ratio, f"{100 * judged.waste:.0f} %", wrong, by]


def table(judged: list[Judged]) -> str:
    """Write the table as Markdown."""
    rule = ["---", "---", *(["---:"] * 8), "---"]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (HEADINGS, rule, *map(row, judged)))


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *APPLICATIONS], help="which applications; all by default")
    parser.add_argument("--peers", action="store_true", help=f"also {WGET.package} and Scrapy")
    parser.add_argument("--budget", type=float, default=BUDGET, help="pages a content page; 0 is no limit")
    parser.add_argument("--dir", help="keep the crawls there")
    parser.add_argument("--lost", action="store_true", help="name all that was lost")
    parser.add_argument("--serve", choices=list(APPLICATIONS), help="run an application until standard input ends")
    parser.add_argument("--option", action="append", default=[], help="for gossamer crawl, such as --option=--workers=2")
    return parser


if __name__ == "__main__":
    main(sys.argv[1:])
