"""Write `gossamer.json`, a Grafana dashboard: `python deploy/grafana/make.py`. A panel is a row of the table below.

Every expression is asked of a real Prometheus over a real crawl in the tests; none has a host or a URL in it.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILE = HERE / "gossamer.json"
WIDTH = 24  # columns of a dashboard
THOSE = 'crawl=~"$crawl"'
SOURCE = {"type": "prometheus", "uid": "${source}"}
FAILED = ', outcome=~"server_error|throttled|dns_failed|connect_failed|tls_failed|timed_out|protocol_error|breaker_open|bug"'


@dataclass(frozen=True)
class Shown:
    """A panel: what it is called, how numbers are written, and each expression with its legend."""

    title: str
    unit: str
    asked: tuple[tuple[str, str], ...]
    kind: str = "timeseries"
    width: int = 8
    height: int = 8
    red_from: float | None = None  # a value from which on it is red
    what: str = ""


def rate(metric: str, more: str = "") -> str:
    """Return the growth of a counter a second."""
    return f"rate({metric}{{{THOSE}{more}}}[$__rate_interval])"


def by(labels: str, expression: str) -> str:
    """Return a sum by labels."""
    return f"sum by ({labels}) ({expression})"


def now(metric: str, more: str = "") -> str:
    """Return a value as it is."""
    return f"{metric}{{{THOSE}{more}}}"


FINISHED = "gossamer_urls_finished_total"
ALL = by("crawl", rate(FINISHED))
PANELS = (
    Shown(
        "Too soon", "none", ((by("crawl", now("gossamer_politeness_violations_total")), "{{crawl}}"),), "stat", 4, 4, 1,
        "Requests that left sooner than their host's delay allows. There must be none.",
    ),
    Shown("Pages kept", "short", ((by("crawl", now("gossamer_pages")), "{{crawl}}"),), "stat", 4, 4),
    Shown(
        "URLs that wait", "short",
        ((by("crawl", now("gossamer_frontier_urls", ', state="waiting"')), "{{crawl}}"),), "stat", 4, 4,
    ),
    Shown("State", "none", ((f"{now('gossamer_crawl_state')} == 1", "{{crawl}}: {{state}}"),), "stat", 4, 4),
    Shown(
        "Fresh", "percentunit", ((now("gossamer_freshness_ratio"), "{{crawl}}"),), "stat", 4, 4,
        what="Share of kept pages that are as they were, as far as is known.",
    ),
    Shown("Free disk", "bytes", ((f"min ({now('gossamer_disk_free_bytes')})", "free"),), "stat", 4, 4),
    Shown("Finished a second", "ops", ((ALL, "{{crawl}}"),), width=12),
    Shown(
        "Failed share", "percentunit",
        ((f"({by('crawl', rate(FINISHED, FAILED))} or {ALL} * 0) / {ALL}", "{{crawl}}"),),
        width=12, red_from=0.3,
    ),
    Shown("Outcomes a second", "ops", ((by("outcome", rate(FINISHED)), "{{outcome}}"),), width=12),
    Shown("URLs by state", "short", ((by("state", now("gossamer_frontier_urls")), "{{state}}"),), width=12),
    Shown(
        "Requests and retries a second", "reqps",
        (
            (by("crawl", rate("gossamer_requests_total")), "{{crawl}}"),
            (by("crawl", rate("gossamer_retries_total")), "{{crawl}} again"),
        ),
    ),
    Shown("Bytes a second", "Bps", ((by("crawl", rate("gossamer_received_bytes_total")), "{{crawl}}"),)),
    Shown(
        "Response times", "s",
        tuple(
            (f"histogram_quantile({share}, {by('le', rate('gossamer_response_seconds_bucket'))})", f"{share * 100:g} %")
            for share in (0.5, 0.95, 0.99)
        ),
    ),
    Shown(
        "Hosts", "short",
        (
            (by("crawl", now("gossamer_hosts_seen")), "{{crawl}} seen"),
            (by("crawl", now("gossamer_frontier_hosts")), "{{crawl}} with work"),
            (by("crawl", now("gossamer_breakers_open")), "{{crawl}} given up for a while"),
            (by("crawl, why", now("gossamer_hosts_held")), "{{crawl}} {{why}}"),
        ),
    ),
    Shown(
        "Workers and visits", "short",
        (
            (by("crawl", now("gossamer_workers")), "{{crawl}} workers"),
            (by("crawl", now("gossamer_visits_under_way")), "{{crawl}} under way"),
            (by("crawl", now("gossamer_worker_deaths_total")), "{{crawl}} died"),
        ),
    ),
    Shown("Loop stands still", "percentunit", ((rate("gossamer_loop_stall_seconds_total"), "{{crawl}}"),), red_from=0.1),
    Shown(
        "Since the last commit", "s",
        ((f"time() - {now('gossamer_last_commit_timestamp_seconds')}", "{{crawl}}"),), red_from=600,
    ),
    Shown(
        "Requests to the server", "reqps",
        (("sum by (route, status) (rate(gossamer_api_requests_total[$__rate_interval]))", "{{route}} {{status}}"),),
    ),
    Shown(
        "The server's answers", "s",
        (("histogram_quantile(0.99, sum by (le) (rate(gossamer_api_request_seconds_bucket[$__rate_interval])))", "99 %"),),
    ),
)  # fmt: skip


def dashboard() -> dict[str, Any]:
    """Return the dashboard as Grafana reads it."""
    panels: list[dict[str, Any]] = []
    x = y = row = 0
    for number, shown in enumerate(PANELS, 1):
        if x + shown.width > WIDTH:
            x, y, row = 0, y + row, 0
        panels.append(_panel(number, shown, x, y))
        x, row = x + shown.width, max(row, shown.height)
    source = {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    crawls = {
        "name": "crawl", "label": "Crawl", "type": "query", "datasource": SOURCE, "refresh": 2,
        "multi": True, "includeAll": True, "allValue": ".*", "query": "label_values(gossamer_crawl_state, crawl)",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
    }  # fmt: skip
    return {
        "uid": "gossamer",
        "title": "gossamer",
        "tags": ["gossamer"],
        "editable": True,
        "schemaVersion": 36,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [source, crawls]},
        "panels": panels,
    }


def _panel(number: int, shown: Shown, x: int, y: int) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if shown.red_from is not None:
        steps.append({"color": "red", "value": shown.red_from})
    defaults = {"unit": shown.unit, "min": 0, "thresholds": {"mode": "absolute", "steps": steps}}
    return {
        "id": number,
        "type": shown.kind,
        "title": shown.title,
        "description": shown.what,
        "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": shown.width, "h": shown.height},
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": _options(shown),
        "targets": [
            {"refId": chr(ord("A") + index), "datasource": SOURCE, "expr": expression, "legendFormat": legend}
            for index, (expression, legend) in enumerate(shown.asked)
        ],
    }


def _options(shown: Shown) -> dict[str, Any]:
    if shown.kind == "stat":
        text = "name" if shown.title == "State" else "value_and_name"
        return {"textMode": text, "colorMode": "value", "reduceOptions": {"calcs": ["lastNotNull"], "values": False}}
    return {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True}, "tooltip": {"mode": "multi"}}


def text() -> str:
    """Return the file's content."""
    return json.dumps(dashboard(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
