"""The command: one line when ready, a web until it is told to stop."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from dnslib import DNSRecord

from gossamer.simweb import ledger, manifest
from gossamer.simweb.__main__ import main


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    options = [
        "--hosts",
        "12",
        "--pages",
        "60",
        "--seed",
        "1",
        "--port",
        "0",
        "--dns",
        "--mazes",
        "shop",
        "--maze-scale",
        "0.01",
        "--living",
        "1",
    ]
    files = [word for name in ("ledger", "manifest", "seeds") for word in (f"--{name}", str(tmp_path / name))]
    started = subprocess.Popen([sys.executable, "-m", "gossamer.simweb", *options, *files], stdout=subprocess.PIPE)
    yield started
    started.kill()
    started.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_when_it_is_ready_and_serves_until_it_is_told_to_stop(
    process: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals
) -> None:
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    assert set(ready) == {"port", "dns_port", "addresses", "resolve", "seeds", "clock_port"}
    assert (ready["addresses"], ready["resolve"], ready["seeds"]) == (["127.0.0.1"], ["*.sim:127.0.0.1"], 13)
    request = Request(f"http://127.0.0.1:{ready['port']}/", headers={"Host": "h0000.sim"})
    with urlopen(request) as response:
        assert response.status == 200
    for name in ("h0003.sim", "shop.maze.sim", "l00.living.sim"):
        answer = DNSRecord.parse(DNSRecord.question(name).send("127.0.0.1", ready["dns_port"], timeout=10))
        assert str(answer.rr[0].rdata) == "127.0.0.1"
    seeds = (tmp_path / "seeds").read_text().splitlines()
    assert len(seeds) == 15 and "//shop.maze.sim:" in seeds[-2] and "//l00.living.sim:" in seeds[-1]
    for seed, host, said in ((seeds[-2], "shop.maze.sim", b"The shop"), (seeds[-1], "l00.living.sim", b"/lively/both.html")):
        with urlopen(Request(seed.replace(host, "127.0.0.1"), headers={"Host": host})) as response:
            assert said in response.read()
    with urlopen(f"http://127.0.0.1:{ready['clock_port']}/advance/1000") as response:
        assert 1000 <= float(response.read()) < 2000
    process.send_signal(number)
    assert process.wait(timeout=20) == 0
    assert process.stdout.read() == b""
    assert [(line.host, line.path) for line in ledger.read(tmp_path / "ledger")] == [
        ("h0000.sim", "/"), ("shop.maze.sim", "/"), ("l00.living.sim", "/"),
    ]  # fmt: skip
    listed = manifest.read(tmp_path / "manifest")
    assert {f"http://h0000.sim:{ready['port']}/", *seeds[-2:]} <= {entry.url for entry in listed}
    assert sum(entry.maze == "shop" for entry in listed) == 1 + 10 + 200


def test_settings_that_make_no_sense_are_refused_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--hosts", "9", "--pages", "3"])
    assert stopped.value.code == 2
    assert "3 pages cannot fill 9 hosts" in capsys.readouterr().err
