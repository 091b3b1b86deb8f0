"""The API as OpenAPI: `docs/reference/openapi.json` is what the handlers say; `python -m reference.api` writes it anew."""

import json
from pathlib import Path

from gossamer.api.app import description

FILE = Path(__file__).parent.parent / "docs" / "reference" / "openapi.json"


def written() -> str:
    """Return the file's content."""
    return json.dumps(description(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
