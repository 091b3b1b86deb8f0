"""A client of the API for Python, with nothing but what gossamer needs anyway: one method a route, answers as records.

    with ServerClient("http://127.0.0.1:8420", token) as server:
        for page in server.pages(q="harbour"):
            print(page.url, page.title)

What the server refuses is a `ServerProblem` that has its problem details. Lists are walked over: the next part is asked for
when it is needed. Events go on where a stream broke off. A client is for one thread.
"""

import http.client
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Struct

from gossamer.api.types import (
    Added,
    AuditEvent,
    AuditHead,
    Checkpointed,
    CrawlPlan,
    CrawlStatus,
    DomainRow,
    Dropped,
    Explanation,
    HostDetail,
    ItemList,
    JobRow,
    JobSettings,
    LessonRow,
    LinkRow,
    Login,
    MadeToken,
    NearPage,
    NewToken,
    PageDetail,
    PageRow,
    PatternList,
    PendingUrls,
    PlannedCrawl,
    Policy,
    PolicyChange,
    PriorityName,
    ProblemDetail,
    RobotsAnswer,
    Scope,
    Seeded,
    SeedUrls,
    SettingRow,
    Stats,
    Submit,
    Submitted,
    Throughput,
    TodayStatus,
    TokenRow,
    WhoAmI,
    WorkerRow,
    WorkerStats,
)
from gossamer.errors import GossamerError

BASE = "/api/v1"
JSON = "application/json"
AGAIN = 2.0  # seconds until a stream that broke off is asked for again
_Answer = TypeVar("_Answer")
_Row = TypeVar("_Row")


class ServerProblem(GossamerError):
    """The server has refused a request, or could not carry it out."""

    def __init__(self, problem: ProblemDetail, retry_after: str = "") -> None:
        super().__init__(problem.detail or problem.title)
        self.problem = problem
        self.retry_after = retry_after  # seconds, where the server says when to ask again

    @property
    def kind(self) -> str:
        """The last part of its type: what programs ask for."""
        return self.problem.type.rpartition(":")[2]


class LiveEvent(Struct, frozen=True):
    """An event of the stream: a pulse, or a line of the chronicle."""

    kind: str
    id: str  # of a line; empty: it is a pulse
    data: dict[str, Any]


class ServerAnswer(Struct, frozen=True):
    """An answer as it came."""

    status: int
    headers: dict[str, str]  # by lower-case name
    content: bytes


class ServerClient:
    """A server of crawls; `job` is the crawl that is meant where a call does not say."""

    def __init__(self, url: str, token: str = "", job: str = "", timeout: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise GossamerError(f"{url!r} is no address of a server; write one like http://127.0.0.1:8420")
        self._kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._address = parts.hostname, parts.port
        self._connection: http.client.HTTPConnection | None = None
        self._timeout = timeout
        self._token = token
        self.job = job

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _new(self, timeout: float | None) -> http.client.HTTPConnection:
        host, port = self._address
        return self._kind(host, port, timeout=timeout)

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # --- crawls ------------------------------------------------------------------------------------------------------

    def submit(self, crawl: Submit, key: str = "") -> Submitted:
        """Begin a crawl; sent again with the same `key`, it is begun once."""
        return self._json(Submitted, "POST", f"{BASE}/crawl/submit", body=crawl, headers=_key(key))

    def crawl_status(self, job: str) -> CrawlStatus:
        """Return how a crawl stands."""
        return self._json(CrawlStatus, "GET", f"{BASE}/crawl/status/{_part(job)}")

    def plan(self, crawl: PlannedCrawl) -> CrawlPlan:
        """Say what would become of a crawl's first links."""
        return self._json(CrawlPlan, "POST", f"{BASE}/crawl/plan", body=crawl)

    def settings_schema(self) -> list[SettingRow]:
        """Return every setting, with its help."""
        return self._json(list[SettingRow], "GET", f"{BASE}/settings/schema")

    def jobs(self) -> Iterator[JobRow]:
        """Walk over the crawls of the server."""
        return self._listed(JobRow, f"{BASE}/jobs")

    def job_row(self, job: str) -> JobRow:
        """Return one crawl."""
        return self._json(JobRow, "GET", f"{BASE}/jobs/{_part(job)}")

    def remove_job(self, job: str) -> None:
        """Remove a crawl that does not run, with all it has fetched, for good."""
        self._sent("DELETE", f"{BASE}/jobs/{_part(job)}", {"confirm": job})

    def start_job(self, job: str) -> Submitted:
        """Run a crawl, or queue it."""
        return self._json(Submitted, "POST", f"{BASE}/jobs/{_part(job)}/start")

    def stop_job(self, job: str) -> Submitted:
        """Stop a crawl when its visits under way have ended."""
        return self._json(Submitted, "POST", f"{BASE}/jobs/{_part(job)}/stop")

    def recrawl_job(self, job: str) -> Submitted:
        """Visit the pages of a crawl again."""
        return self._json(Submitted, "POST", f"{BASE}/jobs/{_part(job)}/recrawl")

    def pause_job(self, job: str) -> None:
        """Begin no new visit until it is resumed."""
        self._sent("POST", f"{BASE}/jobs/{_part(job)}/pause")

    def resume_job(self, job: str) -> None:
        """Begin visits again."""
        self._sent("POST", f"{BASE}/jobs/{_part(job)}/resume")

    def checkpoint_job(self, job: str) -> Checkpointed:
        """Copy a crawl to a place below the home."""
        return self._json(Checkpointed, "POST", f"{BASE}/jobs/{_part(job)}/checkpoint")

    def settings(self, job: str) -> JobSettings:
        """Return the settings of a crawl."""
        return self._json(JobSettings, "GET", f"{BASE}/jobs/{_part(job)}/settings")

    def change_settings(self, job: str, settings: dict[str, Any], if_match: str = "") -> JobSettings:
        """Change settings of a crawl, by dotted names."""
        path, body = f"{BASE}/jobs/{_part(job)}/settings", {"settings": settings}
        return self._json(JobSettings, "PUT", path, body=body, headers=_match(if_match))

    def patterns(self, job: str, kind: Literal["allow", "block"]) -> PatternList:
        """Return a list of patterns."""
        return self._json(PatternList, "GET", f"{BASE}/jobs/{_part(job)}/lists/{kind}")

    def change_patterns(
        self, job: str, kind: Literal["allow", "block"], patterns: Sequence[str], if_match: str = ""
    ) -> PatternList:
        """Give a list these patterns and no others."""
        path, body = f"{BASE}/jobs/{_part(job)}/lists/{kind}", {"patterns": list(patterns)}
        return self._json(PatternList, "PUT", path, body=body, headers=_match(if_match))

    # --- URLs --------------------------------------------------------------------------------------------------------

    def seed(self, urls: Sequence[str], priority: PriorityName | None = None, key: str = "") -> Seeded:
        """Add seeds."""
        body = SeedUrls(urls=list(urls), priority=priority)
        return self._json(Seeded, "POST", f"{BASE}/urls/seed", self._of_job(), body, _key(key))

    def pending(self, host: str = "") -> PendingUrls:
        """Count the URLs that wait; of one host show its queue, too."""
        return self._json(PendingUrls, "GET", f"{BASE}/urls/pending", self._of_job(host=host))

    def remove_url(self, url: str) -> bool:
        """Take a URL out for good; False: it is visited just now, and taken out when its visit ends."""
        return self._sent("DELETE", f"{BASE}/urls/-", self._of_job(url=url)).status == 204

    def explain(self, url: str) -> Explanation:
        """Say all there is to know about a URL."""
        return self._json(Explanation, "GET", f"{BASE}/urls/explain", self._of_job(url=url))

    def explain_all(self, urls: Sequence[str]) -> list[Explanation]:
        """Explain at most 100 URLs."""
        body = {"urls": list(urls)}
        return self._json(ItemList[Explanation], "POST", f"{BASE}/urls/explain", self._of_job(), body).items

    # --- hosts -------------------------------------------------------------------------------------------------------

    def hosts(
        self,
        order: Literal["waiting", "name", "next"] = "waiting",
        state: Literal["ready", "paused", "blocked", "open", "idle"] | None = None,
        prefix: str = "",
    ) -> Iterator[DomainRow]:
        """Walk over hosts."""
        return self._listed(DomainRow, f"{BASE}/domains", self._of_job(order=order, state=state, prefix=prefix))

    def host(self, name: str) -> HostDetail:
        """Return a host."""
        return self._json(HostDetail, "GET", f"{BASE}/domains/{_part(name)}", self._of_job())

    def block(self, host: str, reason: str = "") -> None:
        """Never visit a host again until it is unblocked."""
        self._sent("PUT", f"{BASE}/domains/{_part(host)}/block", self._of_job(), {"reason": reason})

    def unblock(self, host: str) -> None:
        """Visit a host again."""
        self._sent("DELETE", f"{BASE}/domains/{_part(host)}/block", self._of_job())

    def pause(self, host: str) -> None:
        """Give a host no turn."""
        self._sent("POST", f"{BASE}/domains/{_part(host)}/pause", self._of_job())

    def resume(self, host: str) -> None:
        """Give a host its turns again."""
        self._sent("POST", f"{BASE}/domains/{_part(host)}/resume", self._of_job())

    def policy(self, host: str) -> Policy:
        """Return what an operator decided about a host."""
        return self._json(Policy, "GET", f"{BASE}/domains/{_part(host)}/policy", self._of_job())

    def change_policy(self, host: str, change: PolicyChange, if_match: str = "") -> Policy:
        """Change what is given."""
        path = f"{BASE}/domains/{_part(host)}/policy"
        return self._json(Policy, "PUT", path, self._of_job(), change, _match(if_match))

    def drop_queue(self, host: str) -> int:
        """Remove every waiting URL of a host; return how many there were."""
        return self._json(Dropped, "DELETE", f"{BASE}/domains/{_part(host)}/queue", self._of_job()).dropped

    def robots(self, host: str) -> RobotsAnswer:
        """Return a robots.txt as it was read."""
        return self._json(RobotsAnswer, "GET", f"{BASE}/crawl/robots/{_part(host)}", self._of_job())

    def lessons(self, host: str = "", kind: str = "", in_force: bool = False) -> Iterator[LessonRow]:
        """Walk over what was learned of hosts."""
        wanted = self._of_job(host=host, kind=kind, in_force="true" if in_force else "")
        return self._listed(LessonRow, f"{BASE}/lessons", wanted)

    def overrule(self, lesson: LessonRow, ruling: Literal["allow", "block", "none"]) -> None:
        """Put a word above the evidence of a lesson."""
        path = f"{BASE}/lessons/{_part(lesson.host)}/{lesson.kind}" + (f"/{_part(lesson.name)}" if lesson.name else "")
        self._sent("PUT", path, self._of_job(), {"ruling": ruling})

    # --- pages -------------------------------------------------------------------------------------------------------

    def pages(
        self,
        q: str = "",
        host: str = "",
        status: int | None = None,
        outcome: str = "",
        mime: str = "",
        rule: str = "",
        since: float | None = None,
        until: float | None = None,
        order: Literal["new", "best", "key"] | None = None,
    ) -> Iterator[PageRow]:
        """Walk over the pages that match."""
        wanted = self._of_job(
            q=q, host=host, status=status, outcome=outcome, mime=mime, rule=rule, since=since, until=until, order=order
        )
        return self._listed(PageRow, f"{BASE}/pages", wanted)

    def page(self, id: str = "-", url: str = "") -> PageDetail:
        """Return a page, by its id or its URL."""
        return self._json(PageDetail, "GET", f"{BASE}/pages/{_part(id)}", self._of_job(url=url))

    def content(
        self,
        id: str = "-",
        url: str = "",
        form: Literal["raw", "text", "html", "head", "warc"] = "raw",
        version: str | int = "",
    ) -> bytes:
        """Return what is kept of a page."""
        wanted = self._of_job(url=url, version=version, **{"as": form})
        return self._sent("GET", f"{BASE}/pages/{_part(id)}/content", wanted).content

    def links(self, id: str = "-", url: str = "", direction: Literal["out", "in"] = "out") -> Iterator[LinkRow]:
        """Walk over the links of a page, or those that lead to it."""
        return self._listed(LinkRow, f"{BASE}/pages/{_part(id)}/links", self._of_job(url=url, direction=direction))

    def near(self, id: str = "-", url: str = "") -> list[NearPage]:
        """Return the pages whose text is nearly that of a page."""
        return list(self._listed(NearPage, f"{BASE}/pages/{_part(id)}/near", self._of_job(url=url), limited=False))

    # --- numbers, what happened --------------------------------------------------------------------------------------

    def stats(self) -> Stats:
        """Return a crawl in numbers."""
        return self._json(Stats, "GET", f"{BASE}/stats", self._of_job())

    def throughput(self, since: float | None = None, until: float | None = None, step: float | None = None) -> Throughput:
        """Return a crawl over time."""
        return self._json(Throughput, "GET", f"{BASE}/stats/throughput", self._of_job(since=since, until=until, step=step))

    def workers(self) -> list[WorkerRow]:
        """Return the workers of a crawl that runs."""
        return list(self._listed(WorkerRow, f"{BASE}/workers", self._of_job(), limited=False))

    def worker_stats(self, id: str) -> WorkerStats:
        """Return one worker in numbers."""
        return self._json(WorkerStats, "GET", f"{BASE}/workers/{_part(id)}/stats", self._of_job())

    def audit(
        self, kind: str = "", host: str = "", outcome: str = "", since: float | None = None, until: float | None = None
    ) -> Iterator[AuditEvent]:
        """Walk over what was done, oldest first."""
        wanted = self._of_job(kind=kind, host=host, outcome=outcome, since=since, until=until)
        return self._listed(AuditEvent, f"{BASE}/audit", wanted)

    def audit_head(self) -> AuditHead:
        """Return the hash of all that was done."""
        return self._json(AuditHead, "GET", f"{BASE}/audit/head", self._of_job())

    def events(self, *kinds: str, after: str = "", again: bool = True) -> Iterator[LiveEvent]:
        """Walk over what happens, live: `pulse`, `visit`, `word`, `begun`, `ended`. Nothing of the chronicle is left out.

        When the stream breaks off it is asked for again (`again`), from the last event that was seen.
        """
        while True:
            with suppress(OSError, http.client.HTTPException):
                for event in self._stream(kinds or ("pulse",), after):
                    after = event.id or after
                    yield event
            if not again:
                return
            time.sleep(AGAIN)

    def _stream(self, kinds: Sequence[str], after: str) -> Iterator[LiveEvent]:
        connection = self._new(None)
        try:
            path = f"{BASE}/events?{_query(self._of_job(kinds=','.join(kinds)))}"
            headers = {"Last-Event-ID": after} if after else {}
            connection.request("GET", path, headers=self._headers(headers))
            answer = connection.getresponse()
            if answer.status != 200:
                raise _problem_of(ServerAnswer(answer.status, _lowered(answer), answer.read()))
            fields: dict[str, str] = {}
            while line := answer.readline():
                text = line.decode().rstrip("\r\n")
                if not text and "data" in fields:
                    yield LiveEvent(fields.get("event", "message"), fields.get("id", ""), msgspec.json.decode(fields["data"]))
                name, _, value = text.partition(":")
                fields = {**fields, name: value.removeprefix(" ")} if text else {}
        finally:
            connection.close()

    # --- who asks ----------------------------------------------------------------------------------------------------

    def whoami(self) -> WhoAmI:
        """Tell whose token this is."""
        return self._json(WhoAmI, "GET", f"{BASE}/whoami")

    def tokens(self) -> list[TokenRow]:
        """Return the lasting tokens."""
        return list(self._listed(TokenRow, f"{BASE}/tokens", limited=False))

    def make_token(self, name: str, scope: Scope = "read", expires: float | None = None) -> MadeToken:
        """Make a lasting token."""
        return self._json(MadeToken, "POST", f"{BASE}/tokens", body=NewToken(name=name, scope=scope, expires=expires))

    def revoke_token(self, name: str) -> None:
        """End a lasting token."""
        self._sent("DELETE", f"{BASE}/tokens", {"name": name})

    def begin_session(self) -> WhoAmI:
        """Trade the token for a session, as a browser does; this client goes on with its token."""
        return self._json(WhoAmI, "POST", f"{BASE}/session", body=Login(token=self._token))

    def end_session(self) -> None:
        """End the session that a request came with."""
        self._sent("DELETE", f"{BASE}/session")

    # --- the server itself -------------------------------------------------------------------------------------------

    def today(self) -> TodayStatus:
        """Return the five numbers of a day, by the specification's own path."""
        return self._json(TodayStatus, "GET", "/crawler/status", self._of_job())

    def add_seeds(self, urls: Sequence[str]) -> int:
        """Add seeds by the specification's own path; return how many were new."""
        return self._json(Added, "POST", "/crawler/seeds", self._of_job(), {"urls": list(urls)}).added

    def metrics(self) -> str:
        """Return the numbers for Prometheus."""
        return self._sent("GET", "/metrics").content.decode()

    def openapi(self) -> dict[str, Any]:
        """Return the description of the API."""
        return self._json(dict[str, Any], "GET", f"{BASE}/openapi.json")

    def is_alive(self) -> bool:
        """Tell whether the server answers."""
        return self._sent("GET", "/healthz").status == 200

    # --- how it is asked ---------------------------------------------------------------------------------------------

    def _of_job(self, **wanted: Any) -> dict[str, Any]:
        return {"job": self.job, **wanted}

    def _listed(self, row: type[_Row], path: str, wanted: dict[str, Any] | None = None, limited: bool = True) -> Iterator[_Row]:
        """Walk over a list, asking for the next part when it is needed."""
        cursor: str | None = ""
        while cursor is not None:
            asked = {**(wanted or {}), **({"limit": 200, "cursor": cursor} if limited else {})}
            part: ItemList[_Row] = self._json(ItemList[row], "GET", path, asked)  # type: ignore[valid-type]
            yield from part.items
            cursor = part.next

    def _json(
        self,
        kind: type[_Answer],
        method: str,
        path: str,
        wanted: dict[str, Any] | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> _Answer:
        return msgspec.json.decode(self._sent(method, path, wanted, body, headers).content, type=kind)

    def _sent(
        self,
        method: str,
        path: str,
        wanted: dict[str, Any] | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> ServerAnswer:
        """Send a request and return its answer; one that looks at something is sent again when a kept connection was closed."""
        query = _query(wanted or {})
        sent = self._headers(headers or {})
        content = None
        if body is not None:
            content, sent["Content-Type"] = msgspec.json.encode(body), JSON
        for last in (method not in ("GET", "PUT", "DELETE"), True):
            is_new = self._connection is None
            self._connection = self._connection or self._new(self._timeout)
            try:
                self._connection.request(method, f"{path}?{query}" if query else path, content, sent)
                answer = self._connection.getresponse()
                told = ServerAnswer(answer.status, _lowered(answer), answer.read())
                break
            except (OSError, http.client.HTTPException):
                self.close()
                if last or is_new:
                    raise
        if told.status >= 400:
            raise _problem_of(told)
        return told

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return {**({"Authorization": f"Bearer {self._token}"} if self._token else {}), **more}


def _problem_of(answer: ServerAnswer) -> ServerProblem:
    try:
        problem = msgspec.json.decode(answer.content, type=ProblemDetail)
    except msgspec.DecodeError:
        problem = ProblemDetail(type="about:blank", title=f"status {answer.status}", status=answer.status)
    return ServerProblem(problem, answer.headers.get("retry-after", ""))


def _lowered(answer: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.getheaders()}


def _query(wanted: dict[str, Any]) -> str:
    """Return parameters as they are sent; those that say nothing are left out."""
    return urlencode({name: part for name, part in wanted.items() if part not in ("", None)})


def _part(text: str) -> str:
    return quote(text, safe="")


def _key(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key} if key else {}


def _match(tag: str) -> dict[str, str]:
    return {"If-Match": tag} if tag else {}
