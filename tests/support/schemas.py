"""schemathesis over a running server: every route with made-up requests, and every answer compared with the description."""

import subprocess
import sys
from pathlib import Path

from doors import Door

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


def judged(door: Door, place: Path, examples: int, with_token: bool, phases: str) -> subprocess.CompletedProcess[str]:
    """Run it; the live stream is left out, because it never ends."""
    config = place / "schemathesis.toml"
    config.touch()
    token = ["-H", f"Authorization: Bearer {door.token}"] if with_token else []
    words = [str(Path(sys.executable).parent / "schemathesis"), "--config-file", str(config), "run"]
    words += [f"{door.url}api/v1/openapi.json", "-n", str(examples), "--seed", "18", "--phases", phases]
    words += ["--checks", ",".join(CHECKS), "--exclude-path", "/api/v1/events", "--no-color", *token]
    return subprocess.run(words, capture_output=True, text=True, cwd=place, timeout=3_600)
