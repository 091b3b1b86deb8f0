"""Prometheus as Debian packages it, on a free loopback port, scraping a server as `deploy/` tells it to."""

import json
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import yaml
from doors import Door
from witnesses import PROMETHEUS

DEPLOY = Path(__file__).parents[2] / "deploy"
PATIENCE = 30.0


class Prometheus:
    """A running Prometheus."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, expression: str) -> list[dict[str, Any]]:
        """Return the result of an instant query: rows of labels and a value."""
        answer = self._get("query", query=expression)
        assert answer["status"] == "success", answer
        return list(answer["data"]["result"])

    def number(self, expression: str) -> float:
        """Return the only value of a query; -1: there is none."""
        rows = self.ask(expression)
        return float(rows[0]["value"][1]) if rows else -1.0

    def targets(self) -> list[dict[str, Any]]:
        """Return what is scraped, and how that goes."""
        return list(self._get("targets")["data"]["activeTargets"])

    def is_ready(self) -> bool:
        """Whether it answers queries."""
        try:
            with urllib.request.urlopen(f"{self._url}/-/ready", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, ConnectionError):
            return False

    def _get(self, what: str, **query: str) -> Any:
        with urllib.request.urlopen(f"{self._url}/api/v1/{what}?{urllib.parse.urlencode(query)}", timeout=20) as answer:
            return json.load(answer)


def wait_until(holds: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
    """Wait for a condition; fails with what was waited for."""
    until = monotonic() + patience
    while not holds():
        assert monotonic() < until, f"not within {patience:g} s: {what}"
        sleep(0.1)


def configuration(place: Path, door: Door, token: str) -> Path:
    """Write the configuration of `deploy/` for this server, scraping every second."""
    told = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    told["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    [scrape] = told["scrape_configs"]
    scrape["static_configs"][0]["targets"] = [f"{door.address}:{door.port}"]
    (place / "alerts.yml").write_text((DEPLOY / "prometheus" / "alerts.yml").read_text())
    (place / scrape["authorization"]["credentials_file"]).write_text(token)
    (place / "prometheus.yml").write_text(yaml.safe_dump(told))
    return place / "prometheus.yml"


@contextmanager
def prometheus_running(place: Path, door: Door, token: str) -> Iterator[Prometheus]:
    """Scrape a server for a while."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [
        str(PROMETHEUS.path),
        f"--config.file={configuration(place, door, token)}",
        f"--storage.tsdb.path={place / 'data'}",
    ]
    words += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    with (place / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, cwd=place)
    try:
        prometheus = Prometheus(f"http://127.0.0.1:{port}")
        wait_until(prometheus.is_ready, f"Prometheus is ready: {(place / 'prometheus.log').read_text()}")
        yield prometheus
    finally:
        process.terminate()
        process.wait(20)
