"""`make bench`: a whole crawl of plain simweb pages with every duty on, in pages per CPU-second of the crawler's process."""

import json
import resource
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
SIZES = {"25 KB": 25_000, "150 KB": 150_000}
PAGES = 2_000


def crawl(size: int) -> dict[str, float]:
    """Crawl one site of pages of one size; return pages, CPU-seconds and memory."""
    with tempfile.TemporaryDirectory() as place:
        words = ["--hosts", "20", "--pages", str(PAGES), "--plain", "--min-bytes", str(size), "--max-bytes", str(size)]
        server = subprocess.Popen(
            [sys.executable, "-m", "gossamer.simweb", *words, "--seeds", f"{place}/seeds.txt"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            server.stdout.readline()
            options = ["--delay", "0", "--connections", "4", "--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8"]
            command = ["crawl", "--seeds", f"{place}/seeds.txt", "--dir", f"{place}/crawl", *options, "--json"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            result = subprocess.run(
                [sys.executable, "-m", "gossamer", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        finally:
            server.terminate()
            server.wait()
    summary = json.loads(result.stdout)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "pages": summary["pages"],
        "cpu_seconds": cpu,
        "seconds": summary["seconds"],
        "peak_megabytes": after.ru_maxrss / 1024,
    }


def main() -> None:
    """Measure, print a table, write JSON."""
    rows = {}
    print(f"{'site':>8} {'pages':>7} {'CPU s':>8} {'pages/CPU-s':>12} {'pages/s':>9} {'peak MB':>8}")
    for name, size in SIZES.items():
        row = rows[name] = crawl(size)
        rate, speed = row["pages"] / row["cpu_seconds"], row["pages"] / row["seconds"]
        print(
            f"{name:>8} {row['pages']:>7} {row['cpu_seconds']:>8.2f} {rate:>12.0f} {speed:>9.0f} {row['peak_megabytes']:>8.0f}"
        )
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    path.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
