"""Stores made of nothing but the methods of their joints, over memory: what the author of a plugin would write.

Whoever opens one of a location again in this process finds what was there; a checkpoint is a file, and can be opened, too.
"""

import inspect
import json
import pickle
import re
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlsplit

import msgspec
from msgspec.structs import asdict, replace

from gossamer.document.body import Body
from gossamer.edges import NOFOLLOW, NUMBERS, unpack
from gossamer.errors import StoreError
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.joints.frontier import Frontier
from gossamer.joints.shelving import Shelving
from gossamer.joints.walks import batches
from gossamer.records.event import Event
from gossamer.records.export import PackedRecord
from gossamer.records.fetch import Fetched
from gossamer.records.item import Harvest, KeptItem, KeptProblem
from gossamer.records.line import AuditedBlock, ChainHead, ChronicleLine, Unsettled
from gossamer.records.location import Location
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Page, Place, Totals, values_of
from gossamer.records.pagequery import EVERY_PAGE, Order, PageQuery, PageSlice, cursor_of, position_in
from gossamer.records.upkeep import Reference, Rewritten
from gossamer.records.versions import Version
from gossamer.storage.archive.pair import Ids, pack
from gossamer.storage.shelving import DirectoryShelving
from gossamer.url.fingerprint import fingerprint

STATES: dict[str, Any] = {}  # by location
STATE = "state"


def state_of(location: Location, empty: Callable[[], Any]) -> Any:
    """Return what is kept at a location: in memory, in a checkpoint, or something new."""
    key = str(location.path or location.uri)
    if key not in STATES:
        saved = location.path and location.path / STATE
        STATES[key] = pickle.loads(saved.read_bytes()) if saved and saved.exists() else empty()
    return STATES[key]


def is_there(location: Location) -> bool:
    saved = location.path and location.path / STATE
    return str(location.path or location.uri) in STATES or bool(saved and saved.exists())


# --- frontier --------------------------------------------------------------------------------------------------------


class PlainFrontier:
    """The memory model, and not a method more than the joint has (they are made below)."""

    def __init__(self, model: MemoryFrontier, key: str) -> None:
        self._model = model
        self._key = key

    @classmethod
    async def open(cls, location: Location, *given: Any) -> "PlainFrontier":
        settings, politeness, breaker, lease, now, _, opic = given
        key, dump = str(location.path or location.uri), state_of(location, bytes)
        if not dump:
            return cls(MemoryFrontier(settings, politeness, breaker, lease, now, opic), key)
        with TemporaryDirectory() as folder:
            await DirectoryShelving(Path(folder)).put("frontier.msgpack", [dump])
            return cls(MemoryFrontier.restore(Path(folder), settings, politeness, breaker, lease, now, opic), key)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        return is_there(location) and bool(state_of(location, bytes))

    async def checkpoint(self, target: Shelving) -> None:
        await target.put(STATE, [pickle.dumps(await self._dumped())])

    async def aclose(self) -> None:
        STATES[self._key] = await self._dumped()

    async def _dumped(self) -> bytes:
        with TemporaryDirectory() as folder:
            await self._model.checkpoint(DirectoryShelving(Path(folder)))
            return (Path(folder) / "frontier.msgpack").read_bytes()


def _forward(name: str, ours: Any) -> Any:
    async def awaited(self: PlainFrontier, *words: Any, **named: Any) -> Any:
        return await getattr(self._model, name)(*words, **named)

    def plain(self: PlainFrontier, *words: Any, **named: Any) -> Any:
        return getattr(self._model, name)(*words, **named)

    return awaited if inspect.iscoroutinefunction(ours) else plain


for _name, _ours in inspect.getmembers(Frontier, inspect.isroutine):
    if not _name.startswith("_") and _name not in vars(PlainFrontier):
        setattr(PlainFrontier, _name, _forward(_name, _ours))


# --- key-value store -------------------------------------------------------------------------------------------------


class PlainPairs:
    """A dict."""

    def __init__(self, pairs: dict[bytes, bytes]) -> None:
        self._pairs = pairs

    async def get(self, key: bytes) -> bytes | None:
        return self._pairs.get(key)

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self._pairs.get(key) for key in keys]

    async def put(self, key: bytes, value: bytes) -> None:
        self._pairs[key] = value

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        self._pairs.update(pairs)

    async def delete(self, key: bytes) -> None:
        self._pairs.pop(key, None)

    async def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        for pair in sorted(pair for pair in self._pairs.items() if pair[0].startswith(prefix)):
            yield pair


class PlainKeyValue:
    """A dict for each place."""

    def __init__(self, places: dict[str, dict[bytes, bytes]]) -> None:
        self._places = places

    @classmethod
    async def open(cls, location: Location, durable: bool) -> "PlainKeyValue":
        return cls(state_of(location, dict))

    @classmethod
    async def exists(cls, location: Location) -> bool:
        return is_there(location)

    def at(self, place: str) -> PlainPairs:
        return PlainPairs(self._places.setdefault(place, {}))

    async def put_places(self, places: Mapping[str, Sequence[tuple[bytes, bytes]]]) -> None:
        for place, pairs in places.items():
            await self.at(place).put_all(pairs)

    async def walk(self, prefix: str) -> AsyncIterator[tuple[str, bytes, bytes]]:
        for place in [place for place in self._places if place.startswith(prefix)]:
            async for key, value in self.at(place).scan(b""):
                yield place, key, value

    async def checkpoint(self, target: Shelving) -> None:
        await target.put(STATE, [pickle.dumps(self._places)])

    async def aclose(self) -> None:
        pass


# --- archive ---------------------------------------------------------------------------------------------------------

LENGTH = 10  # of every record


class PlainArchive:
    """Records in lists, by the name of their file."""

    def __init__(self, files: dict[str, dict[int, Any]], is_open: set[str], worker: str) -> None:
        self._files = files
        self._is_open = is_open
        self._worker = worker
        self._file = ""

    @classmethod
    async def open(
        cls, location: Location, settings: object, about: Mapping[str, str], now: Callable[[], float], worker: str
    ) -> "PlainArchive":
        return cls(*state_of(location, lambda: ({}, set())), worker)

    async def append(self, fetched: Fetched, digest: str, original: Original | None) -> Place:
        if not self._file:
            self._file = f"{len(self._files):06}-{self._worker}"
            self._files[self._file] = {}
            self._is_open.add(self._file)
        records = self._files[self._file]
        url = quote(fetched.url, safe="".join(map(chr, range(33, 127))))
        content = b"" if original else fetched.body.read()
        offset = LENGTH * len(records)
        records[offset] = (replace(fetched, url=url, body=None), content, digest, original)
        return Place(self._file, offset, LENGTH)

    async def flush(self) -> None:
        pass

    async def read(self, place: Place) -> Fetched:
        return _restored(self._record(place))

    async def packed(self, place: Place) -> PackedRecord:
        fetched, content, digest, original = self._record(place)
        whole = replace(fetched, body=Body.of(content))
        packed, length, _ = pack(whole, digest, original, Ids(), place.file, place.offset, 1)
        return PackedRecord(Body.of(packed), length)

    def _record(self, place: Place) -> Any:
        record = self._files.get(place.file, {}).get(place.offset)
        if record is None or place.length != LENGTH:
            raise StoreError(f"{place} is no record of this archive")
        return record

    async def repair(self, worker: str = "") -> None:
        self._is_open.clear()

    async def merge(self) -> None:
        pass

    async def problems(self) -> AsyncIterator[tuple[str, str]]:
        for file in sorted(self._files):
            yield file, ""

    async def captures(self) -> AsyncIterator[tuple[Fetched, str]]:
        for file in sorted(self._files):
            for record in self._files[file].values():
                yield _restored(record), record[2]

    async def files(self) -> AsyncIterator[tuple[str, int]]:
        for file in sorted(self._files.keys() - self._is_open):
            yield file, LENGTH * len(self._files[file])

    async def identity(self, place: Place) -> tuple[str, str]:
        fetched = self._record(place)[0]
        return fetched.url, f"{fetched.started:.6f}"

    async def references(self, file: str, wanted: Collection[tuple[str, str]]) -> AsyncIterator[Reference]:
        for offset, (fetched, _, _, original) in self._files[file].items():
            target = (original.url, f"{original.fetched_at:.6f}") if original else ("", "")
            if target in wanted:
                yield Reference(file, offset, fetched.url, target)

    async def weigh(self, file: str, without: Collection[int]) -> Rewritten:
        records = self._files[file]
        left = [offset for offset in records if offset not in without]
        offsets = {offset: LENGTH * number for number, offset in enumerate(left)}
        before, after = LENGTH * len(records), LENGTH * len(left)
        return Rewritten(file=f"{file}+", offsets=offsets, is_empty=not left, before=before, after=after)

    async def rewrite(self, file: str, without: Collection[int], now: float) -> Rewritten:
        rewritten = await self.weigh(file, without)
        self._files[rewritten.file] = {new: self._files[file][old] for old, new in rewritten.offsets.items()}
        return rewritten

    async def drop(self, file: str) -> None:
        del self._files[file]

    async def finish(self, uses: Callable[[str], Awaitable[bool]]) -> None:
        for newer in sorted(self._files):
            if newer.endswith("+") and newer[:-1] in self._files:
                await self.drop(newer if await uses(newer[:-1]) else newer[:-1])

    async def checkpoint(self, target: Shelving) -> None:
        await target.put(STATE, [pickle.dumps((self._files, self._is_open))])

    async def aclose(self) -> None:
        self._is_open.discard(self._file)
        self._file = ""


def _restored(record: Any) -> Fetched:
    fetched, content, _, original = record
    body = Body.of(content)
    if original is None:
        return replace(fetched, body=body, outcome=Outcome.OK)
    outcome = Outcome.NOT_MODIFIED if fetched.status == 304 else Outcome.DUPLICATE
    return replace(fetched, body=body, outcome=outcome, detail=original.url)


# --- catalog ---------------------------------------------------------------------------------------------------------

KEPT = (Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED)
USUAL = {"http": 80, "https": 443, "ftp": 21}
WITH_PORT = re.compile(r"([^:]+|\[.*\]):([0-9]+)")
TERM = re.compile(r'"([^"]*)"|([^\s"]+)')


class PlainCatalog:
    """Rows, captures and texts in dicts, by key; what readers found in lists."""

    def __init__(
        self, rows: dict[str, Page], captures: dict[str, list[Version]], texts: dict[str, str], found: dict[str, Any]
    ) -> None:
        self._rows = rows
        self._captures = captures
        self._texts = texts
        self._found = found

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> "PlainCatalog":
        return cls(*state_of(location, lambda: ({}, {}, {}, {"number": 0, "items": [], "problems": []})))

    @classmethod
    async def exists(cls, location: Location) -> bool:
        return is_there(location)

    async def add(
        self, pages: Sequence[Page], heirs: Sequence[tuple[Page, Page]] = (), harvests: Mapping[str, Harvest] = {}
    ) -> None:
        for page in pages:
            before = self._rows.get(page.key)
            if before is not None and before.token > page.token:
                continue
            if page.key in harvests:
                self._replace(page, harvests[page.key])
            if before is None or before.digest != page.digest or page.noindex or page.duplicate_of:
                self._texts.pop(page.key, None)
            self._rows[page.key] = page
            kept = self._captures.setdefault(page.key, [])
            if page.place is not None and not any(one.place == page.place for one in kept):
                kept.append(_version(page, page.place))
        for former, heir in heirs:
            for key, row in self._rows.items():
                is_its = row.duplicate_of == former.url != "" and row.url != heir.url
                if is_its and (row.digest != former.digest or row.digest == heir.digest):
                    self._rows[key] = replace(row, duplicate_of=heir.url)
            if former.outcome is Outcome.DUPLICATE:
                shared = {row[3].reader for row in self._found["items"] if row[1] == heir.key}
                for table in ("items", "problems"):
                    rows = self._found[table]
                    self._found[table] = [row for row in rows if row[1] != former.key or row[3].reader not in shared]

    def _replace(self, page: Page, harvest: Harvest) -> None:
        at = page.captured_at or page.fetched_at
        for table, found in (("items", harvest.items), ("problems", harvest.problems)):
            self._found[table] = [row for row in self._found[table] if row[1] != page.key]
            for one in found:
                self._found["number"] += 1
                self._found[table].append((self._found["number"], page.key, at, one))

    def _harvested(self, table: str, key: str, after: int) -> list[tuple[Any, dict[str, Any]]]:
        rows = [row for row in self._found[table] if row[0] > after and (not key or row[1] == key)]
        pages = [self._rows[key] for _, key, _, _ in rows]
        about = [
            {"number": number, "url": page.url, "host": page.host, "fetched_at": at, **asdict(one)}
            for page, (number, _, at, one) in zip(pages, rows, strict=True)
        ]
        return list(zip(pages, about, strict=True))

    async def items(
        self, query: PageQuery = EVERY_PAGE, *, key: str = "", reader: str = "", limit: int | None = None, after: int = 0
    ) -> AsyncIterator[KeptItem]:
        rows = [row for page, row in self._harvested("items", key, after) if _matches(page, query)]
        for row in [row for row in rows if not reader or row["reader"] == reader][:limit]:
            yield KeptItem(**row)

    async def problems(self, *, key: str = "", limit: int | None = None, after: int = 0) -> AsyncIterator[KeptProblem]:
        for _, row in self._harvested("problems", key, after)[:limit]:
            yield KeptProblem(**row)

    async def get(self, key: str) -> Page | None:
        return self._rows.get(key)

    async def get_by_id(self, name: int) -> Page | None:
        return next((page for page in self._rows.values() if fingerprint(page.key) == name), None)

    async def page_list(self, query: PageQuery, limit: int, cursor: str = "") -> PageSlice:
        ranked = self._ranked(query)
        if cursor:
            position = position_in(query, cursor, tuple[Any, ...])
            ranked = [(rank, page) for rank, page in ranked if rank > position]
        looked_at = ranked[: 2 * limit]  # a slice may end before it is full
        some = [(rank, page) for rank, page in looked_at if _matches(page, query)][:limit]
        more = ranked[len(looked_at) :] or [page for _, page in looked_at if _matches(page, query)][limit:]
        last = some[-1][0] if len(some) == limit else looked_at[-1][0] if looked_at else ()
        return PageSlice(tuple(page for _, page in some), cursor_of(query, last) if more else "")

    async def pages(self, query: PageQuery = EVERY_PAGE, limit: int | None = None) -> AsyncIterator[Page]:
        for page in [page for _, page in self._ranked(query) if _matches(page, query)][:limit]:
            yield page

    def _ranked(self, query: PageQuery) -> list[tuple[tuple[Any, ...], Page]]:
        """Return all pages that have the words of a query, in its order, and what they are sorted by."""
        terms = [_tokens(phrase or word) for phrase, word in TERM.findall(query.words)]
        terms = [term for term in terms if term]
        found = list(enumerate(self._rows.values()))
        if query.words.strip():
            found = [(n, page) for n, page in found if terms and all(self._says(page, term) for term in terms)]
        together = [token for term in terms for token in term]
        ranks: dict[tuple[Order, bool], Callable[[int, Page], tuple[Any, ...]]] = {
            (Order.KEY, False): lambda _, page: (page.key,),
            (Order.NEW, False): lambda n, page: (-page.fetched_at, -n),
            (Order.NEW, True): lambda n, _: (-n,),
            (Order.BEST, True): lambda n, page: (
                page.duplicate_of != "",
                -sum(_has(page.title, term) for term in terms),
                -(len(terms) > 1 and self._says(page, together)),
                -n,
            ),
        }
        rank = ranks[query.ordered, bool(query.words.strip())]
        return sorted([(rank(n, page), page) for n, page in found], key=lambda one: one[0])

    def _says(self, page: Page, term: list[str]) -> bool:
        texts = (page.url, page.title, self._texts.get(page.key, ""))
        return not page.noindex and any(_has(text, term) for text in texts)

    async def columns(
        self, fields: Sequence[str], at_once: int, query: PageQuery = EVERY_PAGE, limit: int | None = None
    ) -> AsyncIterator[list[list[Any]]]:
        async for pages in batches(self.pages(query, limit), at_once):
            yield [values_of(field, pages) for field in fields]

    async def copies(self, url: str, limit: int) -> list[str]:
        return [page.url for page in self._rows.values() if url and page.duplicate_of == url][:limit]

    async def counts(self) -> dict[str, int]:
        return dict(Counter(page.outcome.value for page in self._rows.values()))

    async def totals(self) -> Totals:
        rows = self._rows.values()
        cut = [page.links_cut for page in rows if page.links_cut]
        bodies = sum(bool(page.truncated) for page in rows)
        kept = sum(page.outcome in KEPT for page in rows)
        return Totals(kept, sum(page.length for page in rows), bodies_cut=bodies, links_cut=(sum(cut), len(cut)))

    async def versions(self, key: str) -> list[Version]:
        return sorted(self._captures.get(key, ()), key=_age, reverse=True)

    async def excess(self, keep: int, after: Version | None = None) -> AsyncIterator[Version]:
        for key in sorted(self._captures):
            numbers: Counter[bool] = Counter()
            beyond = []
            for one in await self.versions(key):
                numbers[200 <= one.status < 300] += 1
                if numbers[200 <= one.status < 300] > keep and one.place != self._rows[key].place:
                    beyond.append(one)
            for one in sorted(beyond, key=_age):
                if after is None or (one.key, *_age(one)) > (after.key, *_age(after)):
                    yield one

    async def uses(self, file: str) -> bool:
        return any(one.place.file == file for kept in self._captures.values() for one in kept)

    async def move(self, file: str, target: str, offsets: Mapping[int, int], gone: Collection[int] = ()) -> None:
        def moved(place: Place) -> Place:
            return Place(target, offsets[place.offset], place.length) if place.file == file else place

        places = [one.place for kept in self._captures.values() for one in kept if one.place.file == file]
        shown = {page.place for page in self._rows.values()}
        if any(place.offset in gone and place in shown for place in places):
            raise StoreError(f"{file} holds what a page shows")
        if any(place.offset not in gone and place.offset not in offsets for place in places):
            raise StoreError(f"{file} holds a capture that would be lost")
        for key, kept in self._captures.items():
            left = [one for one in kept if one.place.file != file or one.place.offset not in gone]
            self._captures[key] = [replace(one, place=moved(one.place)) for one in left]
        for key, page in self._rows.items():
            if page.place is not None:
                self._rows[key] = replace(page, place=moved(page.place))

    async def unindexed(self, limit: int) -> list[Page]:
        rows = [page for page in self._rows.values() if page.key not in self._texts and page.place is not None]
        fit = (Outcome.OK, Outcome.NOT_MODIFIED)
        return [page for page in rows if page.outcome in fit and not page.duplicate_of and not page.noindex][:limit]

    async def add_text(self, texts: Sequence[tuple[Page, str]]) -> None:
        for page, text in texts:
            row = self._rows.get(page.key)
            if row is not None and row.digest == page.digest and not row.noindex and page.key not in self._texts:
                self._texts[page.key] = text

    async def checkpoint(self, target: Shelving) -> None:
        await target.put(STATE, [pickle.dumps((self._rows, self._captures, self._texts, self._found))])

    async def aclose(self) -> None:
        pass


def _version(page: Page, place: Place) -> Version:
    at = page.captured_at or page.fetched_at
    facts = {"length": page.length, "status": page.status, "mime": page.mime}
    return Version(key=page.key, captured_at=at, digest=page.digest, place=place, **facts)


def _age(version: Version) -> tuple[float, str, int]:
    return version.captured_at, version.place.file, version.place.offset


def _tokens(text: str) -> list[str]:
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.findall(r"\w+", plain.casefold())


def _has(text: str, term: list[str]) -> bool:
    return f" {' '.join(term)} " in f" {' '.join(_tokens(text))} "


def _matches(page: Page, query: PageQuery) -> bool:
    if found := WITH_PORT.fullmatch(query.host):
        parts = urlsplit(page.key)
        if (parts.hostname, parts.port or USUAL.get(parts.scheme)) != (found[1].strip("[]"), int(found[2])):
            return False
    elif query.host and page.host != query.host:
        return False
    return (
        (query.status is None or page.status == query.status)
        and (not query.outcome or page.outcome == query.outcome)
        and (not query.mime or page.mime == query.mime)
        and (not query.cut or bool(page.truncated))
        and (not query.rule or (page.reason is not None and page.reason.rule == query.rule))
        and (query.since is None or page.fetched_at >= query.since)
        and (query.until is None or page.fetched_at < query.until)
    )


# --- link graph ------------------------------------------------------------------------------------------------------


class PlainRanks:
    """Ranks in a dict."""

    def __init__(self, ranks: dict[int, float], pages: int) -> None:
        self._ranks = ranks
        self.pages = pages

    def of(self, fingerprints: Sequence[int]) -> list[float]:
        return [self._ranks.get(each, 0.0) for each in fingerprints]

    def __len__(self) -> int:
        return len(self._ranks)


class PlainGraph:
    """Edges in a dict; ranks are how often something is linked."""

    is_full = False

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> "PlainGraph":
        return cls(state_of(location, lambda: {"edges": {}, "ranks": {}, "ranked": 0, "times": 0}))

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        self._state["edges"].update(pages)

    async def pages(self) -> AsyncIterator[tuple[int, bytes]]:
        for page in list(self._state["edges"].items()):
            yield page

    async def links_from(self, page: int, seconds: float) -> bytes | None:
        edges: bytes | None = self._state["edges"].get(page)
        return edges

    async def links_to(self, page: int, seconds: float) -> list[tuple[int, int]]:
        rows = [
            (source, target, NUMBERS[kind] | NOFOLLOW * nofollow)
            for source, packed in self._state["edges"].items()
            for target, kind, nofollow in unpack(packed)
        ]
        return sorted((source, way) for source, target, way in rows if target == page)

    async def compact(self) -> None:
        pass

    async def ranks(self) -> PlainRanks:
        return PlainRanks(self._state["ranks"], self._state["ranked"])

    async def keep_ranks(self, pages: Sequence[int], ranks: Sequence[float]) -> None:
        self._state["ranks"] = dict(zip(map(int, pages), map(float, ranks), strict=True))
        self._state["ranked"] = 0

    def ranking(self, most_bytes: int) -> "PlainGraph":
        return self

    async def renew(self, limit: int, least: float) -> list[tuple[int, float, int]]:
        edges = self._state["edges"]
        linked = Counter(target for packed in edges.values() for target, _, _ in unpack(packed))
        average = linked.total() / max(len(linked), 1)
        self._state["ranks"] = {name: count / average for name, count in linked.items()}
        self._state["ranked"] = len(edges)
        self._state["times"] += 1
        best = [(name, rank, 1) for name, rank in self._state["ranks"].items() if name not in edges and rank >= least]
        return sorted(best, key=lambda each: -each[1])[:limit]

    async def checkpoint(self, target: Shelving) -> None:
        await target.put(STATE, [pickle.dumps(self._state)])

    async def aclose(self) -> None:
        pass


# --- chronicle -------------------------------------------------------------------------------------------------------


class PlainChronicle:
    """Blocks in a list: time, lines as JSON, and which lines were struck out once the block is settled."""

    def __init__(self, state: list[Any]) -> None:
        self._blocks = state

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool, keep: float | None) -> "PlainChronicle":
        return cls(state_of(location, list))

    @classmethod
    async def exists(cls, location: Location) -> bool:
        return is_there(location)

    async def add(self, lines: Sequence[ChronicleLine], now: float, refused: Mapping[str, int]) -> int:
        self._blocks.append([now, [json.loads(json.dumps(msgspec.to_builtins(line))) for line in lines], None])
        return len(self._blocks)

    def settle(self, block: int, struck: Sequence[int] = ()) -> None:
        self._blocks[block - 1][2] = set(struck)

    async def unsettled(self) -> list[Unsettled]:
        left = [(number, *block) for number, block in enumerate(self._blocks, 1) if number > self._mark]
        keys = [
            {n: line.get("key") or line["url"] for n, line in enumerate(lines, 1) if "url" in line} for *_, lines, _ in left
        ]
        return [Unsettled(number, at, len(lines), named) for (number, at, lines, _), named in zip(left, keys, strict=True)]

    @property
    def _mark(self) -> int:
        return next((number for number, (*_, struck) in enumerate(self._blocks) if struck is None), len(self._blocks))

    def _events(self, position: str) -> list[Event]:
        found = []
        for block, (at, lines, struck) in enumerate(self._blocks[: self._mark], 1):
            for number, line in enumerate(lines, 1):
                said = {name: part for name, part in line.items() if name not in ("kind", "host")}
                name = f"plain-{block:08}-{number:04}"
                event = Event(id=name, kind=line["kind"], at=at, host=line.get("host", ""), said=said)
                found += [event] if number not in struck and name > position else []
        return found

    async def after(self, position: str, limit: int) -> list[Event]:
        return self._events(position)[:limit]

    async def head(self) -> str:
        return next((event.id for event in reversed(self._events(""))), "")

    async def lag(self, position: str) -> int:
        return len(self._events(position))

    async def keep_from(self, reader: str, position: str) -> None:
        pass

    async def audit(self) -> AsyncIterator[AuditedBlock]:
        for number, (_, lines, _) in enumerate(self._blocks, 1):
            yield AuditedBlock(str(number), len(lines))

    async def chain_head(self) -> ChainHead | None:
        count = len(self._blocks)
        return ChainHead("plain", count, str(hash(repr(self._blocks))), self._blocks[-1][0]) if count else None

    async def checkpoint(self, target: Shelving) -> None:
        await target.put(STATE, [pickle.dumps(self._blocks)])

    async def aclose(self) -> None:
        pass
