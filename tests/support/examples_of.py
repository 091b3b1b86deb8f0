"""The plugins of `examples/`, imported as if they were installed."""

import importlib.util
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(module: str, name: str) -> Any:
    """Return a class of an example."""
    specification = importlib.util.spec_from_file_location(module, EXAMPLES / f"{module}.py")
    assert specification is not None and specification.loader is not None
    loaded = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(loaded)
    return getattr(loaded, name)
