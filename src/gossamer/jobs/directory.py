"""A crawl is a directory: copy it and you copied the crawl. One process at a time works on it.

crawl.json     what this is: format, who made it, when; written last when a crawl is created, so it is whole or not there
gossamer.toml  the crawl's configuration
seeds.txt      where it began
frontier/      every URL and every host        state/      robots.txt, digests
warc/          what was fetched                catalog.db  what is known about it
graph/         which page links to which       chronicle/  what was done, line by line
crawl.seal     what the first three were when they were written
crawl.log      what happened                   sinks/      how far each consumer of events is
pulse.jsonl    the crawl in numbers, every ten seconds
job.json       what a server was asked to do with it, and run.json, job.out: what it did (`job.py`)
lock           who works on it                 control.sock  how to reach them
secrets/       passwords that were typed; nobody but the owner can read it
allow.txt      patterns it was told to allow   block.txt   and to block, while it ran or not
"""

import fcntl
import os
import signal
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from importlib.metadata import version
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from gossamer.config.load import dump, load
from gossamer.config.sections import Settings
from gossamer.durability import make_directory
from gossamer.errors import CrawlError, CrawlInUse, CrawlReadOnly, CrawlTooNew, DiskFull, NotACrawl, StoreError
from gossamer.jobs.command import command
from gossamer.jobs.extensions import script_digests
from gossamer.jobs.sockets import short
from gossamer.jobs.typed import SECRETS, write_secrets
from gossamer.jobs.wire import YIELD, Question, sent
from gossamer.run.lists import OWN, changed_lines
from gossamer.seal import RESTORE, Seal, write_whole
from gossamer.url.parse import Url, parse

CHANGING = Lock()  # held by whoever changes papers: a thread of the crawl's process, which holds the crawl
FORMAT = 3  # since a reason is a rule and its facts, and every row of the key-value store is at a place
KEEPER = "keeper"  # the role of whoever only answers questions about a stopped crawl
YIELDING = 10.0  # seconds that a keeper has to let go
LOOK_AGAIN = 0.02  # seconds between two tries to take the lock from it
LOOKS = 2  # times that a holder is looked at that is no keeper
FULL = (ENOSPC, EDQUOT)  # what the system says when no space is left
EDITED = "or, if you changed it yourself, remove crawl.seal"


class About(Struct, frozen=True, kw_only=True):
    """The content of `crawl.json`."""

    format: int
    gossamer: str
    created: float
    scripts: dict[str, str] = {}  # digests (SHA-256) of the scripts it began with, by path


class CrawlDirectory:
    """The files of one crawl."""

    FILES = (
        "crawl.json",
        "gossamer.toml",
        "seeds.txt",
        "crawl.seal",
        "crawl.log",
        "pulse.jsonl",
        "job.json",
        "run.json",
        "job.out",
        "lock",
        "control.sock",
        "sinks",
        *OWN.values(),
        SECRETS,
    )  # beside the stores

    def __init__(self, path: Path) -> None:
        self.path = path
        self.has_urls = False  # a run of this process has made it accept some
        self.log = path / "crawl.log"
        self.socket = path / "control.sock"
        self._about = path / "crawl.json"
        self._config = path / "gossamer.toml"
        self._seeds = path / "seeds.txt"
        self._seal = path / "crawl.seal"
        self._lock = path / "lock"

    @classmethod
    def create(
        cls, path: Path, settings: Settings, seeds: Iterable[Url], now: float, secrets: Mapping[str, str] = {}
    ) -> "CrawlDirectory":
        """Make a new crawl; a directory that holds one already is left alone. `secrets`: files for its owner alone, by name."""
        directory = cls(path)
        directory._refuse_another()
        if path.exists() and not path.is_dir():
            raise CrawlError(f"{path} is no directory; choose another --dir")
        if path.exists() and any(path.iterdir()) and not directory._config.exists():
            raise CrawlError(f"{path} is not empty and holds no crawl; choose another --dir")
        try:
            make_directory(path)
            with directory.lock():  # of two that begin at once one is first
                directory._refuse_another()
                write_secrets(path, {name: text.encode() for name, text in secrets.items()})
                write_whole(directory._config, dump(settings, only_changed=True, directory=path).encode())
                write_whole(directory._seeds, "".join(f"{seed.wire}\n" for seed in seeds).encode())
                scripts = script_digests(settings)
                about = About(format=FORMAT, gossamer=version("gossamer"), created=now, scripts=scripts)
                write_whole(directory._about, msgspec.json.encode(about) + b"\n")
                directory._seal_papers()
        except OSError as error:
            if error.errno in FULL:
                raise DiskFull(f"no space is left for a crawl in {path}; free some, or choose another --dir") from error
            raise CrawlReadOnly(f"cannot create a crawl in {path}: {error.strerror}; choose another --dir") from error
        return directory

    @property
    def _papers(self) -> tuple[Path, ...]:
        return self._config, self._seeds, self._about

    def _seal_papers(self) -> None:
        Seal(self._seal).close(self._papers)

    def _refuse_another(self) -> None:
        if self._about.exists() or self._seal.exists():
            go_on = f"go on with `{command('resume', self.path)}` or choose another --dir"
            raise CrawlError(f"{self.path} holds a crawl already; {go_on}")

    @classmethod
    def open(cls, path: Path) -> "CrawlDirectory":
        """Open an existing crawl; says in one sentence what is wrong with it, if anything is."""
        directory = cls(path)
        try:
            raw = directory._about.read_bytes()
            directory._check_seal()
            about = msgspec.json.decode(raw, type=About)
        except FileNotFoundError:
            if directory._seal.exists():
                raise StoreError(f"{directory._about} is missing; {RESTORE}") from None
            raise NotACrawl(f"there is no crawl in {path}; `{command('crawl', 'URL', '--dir', path)}` begins one") from None
        except NotADirectoryError:
            raise NotACrawl(f"{path} is no directory, so it holds no crawl") from None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise NotACrawl(f"cannot read {directory._about}: {error}; {RESTORE}") from error
        if about.format < FORMAT:
            older = f"gossamer {about.gossamer} wrote {path} in format {about.format}, this one writes format {FORMAT}"
            raise CrawlError(f"{older}; finish with that one, or crawl into a new directory")
        if about.format > FORMAT:
            raise CrawlTooNew(
                f"{path} was written by gossamer {about.gossamer} in format {about.format}, "
                f"this one knows format {FORMAT}; upgrade gossamer"
            )
        return directory

    def _check_seal(self) -> None:
        """Refuse papers that are not as the seal says, unless somebody has just changed both."""
        seal = Seal(self._seal, f"{RESTORE}, {EDITED}")
        while True:
            try:
                seal.check()
                return
            except StoreError:
                before, seal = seal, Seal(self._seal, f"{RESTORE}, {EDITED}")
                if seal.is_as(before):
                    raise

    def settings(self, flags: dict[str, object] | None = None) -> Settings:
        """Return the crawl's configuration, with the flags of this run on top."""
        return load([self._config], flags or {})

    def scripts(self) -> dict[str, str]:
        """Return the digests of the scripts that the crawl began with, by path."""
        return msgspec.json.decode(self._about.read_bytes(), type=About).scripts

    def seeds(self) -> list[Url]:
        """Return where the crawl began."""
        try:
            return [parse(line) for line in self._seeds.read_text("utf-8").splitlines() if line]
        except (OSError, UnicodeDecodeError) as error:
            raise CrawlError(f"cannot read {self._seeds}: {error}; {RESTORE}") from error

    def add_seeds(self, seeds: Iterable[Url]) -> int:
        """Let further URLs be seeds, durably; return how many were none yet. A kill at any point leaves a crawl that opens."""
        with CHANGING:
            lines = self._seeds.read_text("utf-8").splitlines()
            known = set(lines)
            new = [wire for wire in dict.fromkeys(seed.wire for seed in seeds) if wire not in known]
            if new:
                self._replace(self._seeds, "".join(f"{line}\n" for line in (*lines, *new)).encode(), self._papers)
            return len(new)

    def change_settings(self, changes: Mapping[str, object]) -> tuple[Settings, Settings]:
        """Write other values of settings, durably; return all of them before and after, as the file has them."""
        with CHANGING:
            before = load([self._config], {}, {})
            after = load([self._config], changes, {})
            if after != before:
                text = dump(after, only_changed=True, directory=self.path)
                self._replace(self._config, text.encode(), (self._seeds, self._about))
            return before, after

    def list_lines(self, kind: str) -> list[str]:
        """Return the lines of a list that the crawl was told."""
        path = self.path / OWN[kind]
        try:
            return path.read_text("utf-8").splitlines() if path.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            raise CrawlError(f"cannot read {path}: {error}; correct the file or remove it") from error

    def change_list(self, kind: str, add: Iterable[str], remove: Iterable[str]) -> list[str]:
        """Write patterns into a list and take others out, durably; return its lines."""
        with CHANGING:
            lines = changed_lines(self.list_lines(kind), add, remove, OWN[kind])
            with self._writing():
                write_whole(self.path / OWN[kind], "".join(f"{line}\n" for line in lines).encode())
            return lines

    def _replace(self, paper: Path, content: bytes, steady: Iterable[Path]) -> None:
        """Replace a paper and seal all again; `steady`: those that begin, before and after, as they are now."""
        with self._writing():
            Seal(self._seal).mark_open(steady)
            write_whole(paper, content)
        self._seal_papers()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kind = DiskFull if error.errno in FULL else CrawlReadOnly
            raise kind(f"cannot write into {self.path}: {error.strerror}; nothing was changed") from error

    def copy_papers(self, target: Path) -> None:
        """Copy what is no store into a new directory; `crawl.json` last, so that a half-made copy is no crawl."""
        secrets = self.path / SECRETS
        try:
            write_secrets(target, {each.name: each.read_bytes() for each in secrets.iterdir()} if secrets.is_dir() else {})
            own = [path for name in OWN.values() if (path := self.path / name).exists()]
            for paper in (*own, *self._papers):
                write_whole(target / paper.name, paper.read_bytes())
            CrawlDirectory(target)._seal_papers()
        except OSError as error:
            raise CrawlReadOnly(f"cannot copy the crawl into {target}: {error.strerror}; choose another place") from error

    @contextmanager
    def lock(self, role: str = "", *, ousting: bool = True) -> Iterator[None]:
        """Hold the crawl; a second holder is refused. The kernel lets go when the process ends, however it ends.

        `role`: what the lock file says beside the process. `ousting`: a keeper is asked to let go.
        """
        try:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise CrawlReadOnly(f"{self.path} cannot be written: {error.strerror}; check its permissions") from error
        try:
            self._hold(descriptor, fcntl.LOCK_EX, ousting)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()} {role}".strip().encode() + b"\n", 0)
            yield
        finally:
            os.close(descriptor)

    def holder(self) -> tuple[int, str] | None:
        """Return the process that holds the crawl, and its role; None: nobody does."""
        try:
            descriptor = os.open(self._lock, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:  # nobody ever has
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _holder(os.pread(descriptor, 64, 0))
        finally:
            os.close(descriptor)
        return None

    def runner(self) -> int | None:
        """Return the process that runs the crawl, or works on it otherwise; a keeper does neither."""
        held = self.holder()
        return None if held is None or held[1] == KEEPER else held[0]

    @contextmanager
    def lock_to_read(self) -> Iterator[None]:
        """Hold a crawl that cannot be written here against whoever can; nothing is written for it."""
        try:
            descriptor = os.open(self._lock, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:  # nobody has worked on this copy
            yield
            return
        except OSError as error:
            raise CrawlReadOnly(f"{self.path} cannot be read: {error.strerror}; check its permissions") from error
        try:
            self._hold(descriptor, fcntl.LOCK_SH, ousting=False)
            yield
        finally:
            os.close(descriptor)

    def _hold(self, descriptor: int, how: int, ousting: bool) -> None:
        """Take the lock, or say who has it; whoever ousts waits a while for a keeper to let go.

        The file tells who was last for a moment after another has taken the lock: who ousts believes it when it says so twice.
        """
        until, refused = time.monotonic() + YIELDING, 0
        while True:
            try:
                fcntl.flock(descriptor, how | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                pid, role = _holder(os.pread(descriptor, 64, 0))
            refused += role != KEEPER
            if not ousting or refused > LOOKS or time.monotonic() > until:
                raise CrawlInUse(f"{self.path} is in use by process {pid or 'unknown'}; wait for it or stop it first")
            if role == KEEPER:
                self._oust(pid)
            time.sleep(LOOK_AGAIN)

    def _oust(self, pid: int) -> None:
        """Ask a keeper to let go, by a signal where it does not listen yet; one that has just let go does not answer."""
        try:
            with short(self.socket) as address, socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(YIELDING)
                connection.connect(address)
                connection.sendall(sent(Question(1, YIELD)))
                connection.recv(1)
        except OSError:
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if any(b"gossamer.jobs.keep" in word for word in words) and os.fsencode(self.path.name) in b"/".join(words):
                    os.kill(pid, signal.SIGTERM)


def _holder(line: bytes) -> tuple[int, str]:
    """Read the line of a lock file: process and role; 0: it is just being written."""
    pid, _, role = line.decode("ascii", "replace").strip().partition(" ")
    return int(pid) if pid.isdigit() else 0, role


def crawls_in(path: Path) -> list[CrawlDirectory]:
    """Return the crawls that stand in a directory which is none itself."""
    if not path.is_dir() or (path / "crawl.json").exists():
        return []
    return [CrawlDirectory.open(about.parent) for about in sorted(path.glob("*/crawl.json"))]
