"""`make replay`: crawl a page of the synthetic web and let pywb replay it, byte for byte as a browser would get it.

pywb pins old libraries, so it is installed in an environment of its own, `.replay`.
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ENVIRONMENT = HERE / ".replay"
PATIENCE = 60.0


def install() -> Path:
    """Return pywb's `wayback`, installed on first use."""
    wayback = ENVIRONMENT / "bin" / "wayback"
    if not wayback.exists():
        print("installing pywb into .replay ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        pip = [ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "pywb", "setuptools<81"], check=True)
    return wayback


def crawl(place: Path) -> tuple[Path, str, str]:
    """Crawl a small web; return the crawl, the URL of a page, and the page's title."""
    words = ["--hosts", "3", "--pages", "20", "--seeds", place / "seeds.txt", "--manifest", place / "manifest.jsonl"]
    server = subprocess.Popen([sys.executable, "-m", "gossamer.simweb", *map(str, words)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        server.stdout.readline()
        options = ["--delay", "0.01", "--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8", "--quiet"]
        command = ["crawl", "--seeds", place / "seeds.txt", "--dir", place / "crawl", *options]
        subprocess.run([sys.executable, "-m", "gossamer", *map(str, command)], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-m", "gossamer", "index", place / "crawl"], check=True, stdout=subprocess.DEVNULL)
    finally:
        server.terminate()
        server.wait()
    entries = [json.loads(line) for line in (place / "manifest.jsonl").read_text().splitlines()]
    page = next(entry for entry in entries if entry["outcome"] == "ok" and entry["title"] and not entry["group"])
    return place / "crawl", page["url"], page["title"]


def replay(wayback: Path, crawled: Path, url: str, place: Path) -> str:
    """Serve the crawl's WARC files with our own index; return the replayed page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (place / "config.yaml").write_text(
        f"collections:\n  crawl:\n    index_paths: {crawled}/warc/index.cdxj\n    archive_paths: {crawled}/warc/\n"
    )
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
    wayback = install()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        crawled, url, title = crawl(place)
        text = replay(wayback, crawled, url, place)
        if title not in text:
            sys.exit(f"the replayed page of {url} has not the title {title!r}")
        print(f"pywb replayed {url}: {len(text):,} characters, title {title!r}")


if __name__ == "__main__":
    main()
