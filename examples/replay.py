"""`make replay`: crawl a page of the synthetic web and let others judge what was kept.

pywb replays it, once from the crawl's own files and index, once from a WACZ that was exported; py-wacz validates that WACZ.
Both pin old libraries, so they are installed in environments of their own, `.replay` and `.replay-wacz`.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from zipfile import ZipFile

HERE = Path(__file__).resolve().parent.parent
PATIENCE = 60.0


def install(environment: str, package: str, command: str) -> Path:
    """Return a command of a package, which is installed in an environment of its own on first use."""
    place = HERE / environment
    if not (place / "bin" / command).exists():
        print(f"installing {package} into {environment} ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, package, "setuptools<81"], check=True)
    return place / "bin" / command


def gossamer(*words: object) -> None:
    """Run the command line."""
    subprocess.run([sys.executable, "-m", "gossamer", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def crawl(place: Path) -> tuple[Path, str, str]:
    """Crawl a small web; return the crawl, the URL of a page, and the page's title."""
    words = ["--hosts", "3", "--pages", "20", "--seeds", place / "seeds.txt", "--manifest", place / "manifest.jsonl"]
    server = subprocess.Popen([sys.executable, "-m", "gossamer.simweb", *map(str, words)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        server.stdout.readline()
        options = ["--delay", "0.01", "--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8", "--quiet"]
        gossamer("crawl", "--seeds", place / "seeds.txt", "--dir", place / "crawl", *options)
        gossamer("index", place / "crawl")
    finally:
        server.terminate()
        server.wait()
    entries = [json.loads(line) for line in (place / "manifest.jsonl").read_text().splitlines()]
    page = next(entry for entry in entries if entry["outcome"] == "ok" and entry["title"] and not entry["group"])
    return place / "crawl", page["url"], page["title"]


def package(crawled: Path, place: Path) -> Path:
    """Export the crawl as WACZ, let py-wacz judge it, and unpack it."""
    wacz = install(".replay-wacz", "wacz", "wacz")
    gossamer("export", crawled, place / "crawl.wacz", "--to", "wacz")
    subprocess.run([wacz, "validate", "-f", place / "crawl.wacz"], check=True)
    with ZipFile(place / "crawl.wacz") as archive:
        archive.extractall(place / "unpacked")
    return place / "unpacked"


def replay(index: Path, archive: Path, url: str, place: Path) -> str:
    """Serve WARC files by an index of ours; return the replayed page."""
    wayback = install(".replay", "pywb", "wayback")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place.mkdir()
    (place / "config.yaml").write_text(f"collections:\n  crawl:\n    index_paths: {index}\n    archive_paths: {archive}/\n")
    server = subprocess.Popen(
        [wayback, "-b", "127.0.0.1", "-p", str(port), "-d", place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        return fetch(f"http://127.0.0.1:{port}/crawl/mp_/{url}", server)
    finally:
        server.terminate()
        server.wait()


def fetch(address: str, server: subprocess.Popen[bytes]) -> str:
    """Fetch a page from a server that is still starting."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with opener.open(address, timeout=10) as answer:
                return str(answer.read().decode("utf-8", "replace"))
        except urllib.error.HTTPError as error:
            sys.exit(f"pywb answered {error.code}: {error.read()[:300]!r}")
        except OSError:
            if server.poll() is not None or time.monotonic() > until:
                sys.exit("pywb did not start")
            time.sleep(0.2)


def main() -> None:
    """Crawl, replay, compare."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        crawled, url, title = crawl(place)
        unpacked = package(crawled, place)
        ways = {
            "the crawl": (crawled / "warc" / "index.cdxj", crawled / "warc"),
            "the WACZ": (unpacked / "indexes" / "index.cdx", unpacked / "archive"),
        }
        for number, (way, (index, archive)) in enumerate(ways.items()):
            text = replay(index, archive, url, place / f"pywb-{number}")
            if title not in text:
                sys.exit(f"the page of {url} replayed from {way} has not the title {title!r}")
            print(f"pywb replayed {url} from {way}: {len(text):,} characters, title {title!r}")


if __name__ == "__main__":
    main()
