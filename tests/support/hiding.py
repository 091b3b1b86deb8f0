"""gossamer where some modules are missing, in all of its processes: as it runs where they could not be compiled."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from crawling import CLEAN, GOSSAMER

import gossamer

PACKAGE = Path(gossamer.__file__).parent
COMPILED = [  # every module in C, whether or not it is there
    ".".join(("gossamer", *stub.relative_to(PACKAGE).with_suffix("").parts)) for stub in sorted(PACKAGE.rglob("_*.pyi"))
]


def run_without(hidden: Iterable[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end where these modules cannot be imported."""
    environment = {**CLEAN, "PYTHONPATH": str(Path(__file__).with_name("hidden")), "HIDDEN_MODULES": " ".join(hidden)}
    words = [*GOSSAMER, *map(str, arguments)]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=110, check=False)
