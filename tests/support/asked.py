"""A crawl that is over, asked by commands in the process of the test."""

import json
from pathlib import Path
from typing import Any

from serving import Site
from typer.testing import CliRunner

from gossamer.cli.commands import application


class Crawled:
    """A crawl that is over, and the web it was of."""

    def __init__(self, site: Site, directory: Path) -> None:
        self.site = site
        self.directory = directory

    def run(self, *words: str) -> Any:
        """Run a command on it, in this process: that takes a tenth of the time."""
        name, *rest = words
        return CliRunner().invoke(application(), [name, str(self.directory), *rest])

    def lines(self, *words: str) -> list[dict[str, Any]]:
        """Return what a command says as JSON."""
        result = self.run(*words, "--json")
        assert result.exit_code == 0, result.exception
        return [json.loads(line) for line in result.stdout.splitlines()]
