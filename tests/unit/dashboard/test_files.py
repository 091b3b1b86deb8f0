"""The dashboard's files: what is vendored is what npm has, nothing asks anybody else, and all of it is small."""

import hashlib
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from gossamer import dashboard

HERE = Path(dashboard.__file__).parent
VENDOR = HERE / "vendor"
MOST = 300_000  # bytes, of all that a browser may ask for
PACKAGES = {  # by package and version, where each file of ours is in it
    "htm@3.1.1": {"standalone.module.js": "preact/standalone.module.js", "LICENSE.htm": "LICENSE"},
    "uplot@1.6.32": {
        "uPlot.iife.min.js": "dist/uPlot.iife.min.js",
        "uPlot.min.css": "dist/uPlot.min.css",
        "LICENSE.uplot": "LICENSE",
    },
}


def own_files() -> list[Path]:
    """What we wrote."""
    return [path for path in sorted(HERE.iterdir()) if path.suffix in (".js", ".css", ".html", ".svg")]


def test_vendored_files_have_the_digests_that_were_written_down() -> None:
    sums = dict(reversed(line.split()) for line in (VENDOR / "SHA256SUMS").read_text().splitlines())
    files = {path.name for path in VENDOR.iterdir()} - {"SHA256SUMS", "README.md"}
    assert set(sums) == files
    assert {name: hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() for name in files} == sums


@pytest.mark.parametrize("package", PACKAGES)
def test_vendored_files_are_those_of_the_npm_package(package: str, tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("NOT COMPARED with npm: npm is missing")
    packed = subprocess.run([npm, "pack", "--silent", package], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    if packed.returncode:
        pytest.skip("NOT COMPARED with npm: its registry cannot be reached")
    with tarfile.open(next(tmp_path.glob("*.tgz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    for ours, theirs in PACKAGES[package].items():
        assert (VENDOR / ours).read_bytes() == (tmp_path / "package" / theirs).read_bytes(), ours


def test_all_that_a_browser_may_ask_for_is_small() -> None:
    served = [*own_files(), *VENDOR.glob("*.js"), *VENDOR.glob("*.css")]
    assert sum(path.stat().st_size for path in served) < MOST


@pytest.mark.parametrize("path", own_files(), ids=lambda path: path.name)
def test_nothing_makes_markup_or_code_of_text_or_asks_another_origin(path: Path) -> None:
    text = path.read_text()
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|srcdoc"
    assert re.search(forbidden, text) is None
    assert re.search(r"""(?:src|href|url|fetch|import)\W{1,3}https?:""", text) is None
    if path.suffix == ".html":
        assert re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", text) is None


def test_no_address_is_made_of_what_was_crawled() -> None:
    """Every href is one of our own pages (`to`, `#/`), of the API (`address`), or a word that was decided before."""
    for path in own_files():
        for expression in re.findall(r"href=\$\{([^}]*)", path.read_text()):
            assert re.match(r"to\(|address\(|href\b|about\b", expression), (path.name, expression)
