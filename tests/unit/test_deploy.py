"""What is shipped for running it elsewhere is what its own tools take."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import yaml
from compose_spec import ComposeSpecification
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
GRAFANA = DEPLOY / "grafana" / "gossamer.json"


def test_the_dashboard_is_what_its_generator_writes() -> None:
    spec = spec_from_file_location("grafana_make", DEPLOY / "grafana" / "make.py")
    assert spec is not None and spec.loader is not None
    make = module_from_spec(spec)
    sys.modules[spec.name] = make
    spec.loader.exec_module(make)
    assert GRAFANA.read_text() == make.text(), "run: python deploy/grafana/make.py"


def test_grafanas_own_classes_read_the_dashboard_and_lose_nothing() -> None:
    written = json.loads(GRAFANA.read_text())
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(written)))
    assert _lost(written, read) == []


def test_no_panel_of_the_dashboard_lies_on_another() -> None:
    cells = [
        (x, y)
        for panel in json.loads(GRAFANA.read_text())["panels"]
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24


def test_hadolint_has_nothing_to_say_about_the_image() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    judged = subprocess.run([hadolint, "--no-color", DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (judged.returncode, judged.stdout, judged.stderr) == (0, "", "")


def test_what_the_image_copies_is_there() -> None:
    copied = [
        word
        for line in (DEPLOY / "Dockerfile").read_text().splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for word in line.split()[1:-1]
    ]
    assert copied and [word for word in copied if not (ROOT / word).exists()] == []


def test_the_compose_file_is_of_the_specification_and_none_of_its_keys_is_unknown() -> None:
    written = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    read = ComposeSpecification.model_validate(written).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert _lost(written, read) == []


def test_what_the_compose_file_mounts_is_there() -> None:
    prometheus = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["prometheus"]
    mounted = [volume.partition(":")[0] for volume in prometheus["volumes"] if volume.startswith("./")]
    assert mounted and [name for name in mounted if not (DEPLOY / name).exists()] == []


def _lost(written: Any, read: Any, where: str = "") -> list[str]:
    """Return the places of what was written and is not there, or otherwise, when it was read."""
    if isinstance(written, dict):
        if not isinstance(read, dict):
            return [where]
        return [
            lost
            for key, value in written.items()
            for lost in (_lost(value, read[key], f"{where}.{key}") if key in read else [f"{where}.{key}"])
        ]
    if isinstance(written, list):
        if not isinstance(read, list) or len(written) != len(read):
            return [where]
        if all(isinstance(one, str) for one in written):  # a set, to some
            return [] if sorted(written) == sorted(read) else [where]
        return [
            lost for index, pair in enumerate(zip(written, read, strict=True)) for lost in _lost(*pair, f"{where}[{index}]")
        ]
    return [] if written == read else [where]
