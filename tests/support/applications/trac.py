"""Trac: a wiki, tickets with comments, reports, a timeline and milestones, with everything it links by default.

Truth: an article stands at `/wiki/NAME`, a ticket at `/ticket/N`, a milestone at `/milestone/NAME`. Views are versions,
differences, histories, exports, queries in every order, days of the timeline.
"""

import json
from pathlib import Path

from witnesses import ENVIRONMENT, TRAC

from applications.prose import Writer
from applications.running import Application, Content, Started, free_port, run

ARTICLES = 130
TICKETS = 140
MILESTONES = ("spring", "summer", "autumn", "winter")
COMPONENTS = ("engine", "doors", "roof", "cellar", "garden")
FIRST = 1_700_000_000
FILLER = Path(__file__).parent / "fillers" / "fill_trac.py"
TRACD = ENVIRONMENT / "bin" / "tracd"
ADMIN = ENVIRONMENT / "bin" / "trac-admin"


def fill(place: Path) -> list[Content]:
    """Plan everything and let Trac's own code save it."""
    run([ADMIN, place / "env", "initenv", "House", "sqlite:db/trac.db"], place)
    run([ADMIN, place / "env", "wiki", "remove", "*"], place)
    writer = Writer("trac")
    articles, truth = _articles(writer)
    tickets, more = _tickets(writer, [one["name"] for one in articles])
    milestones = {name: writer.text(2) for name in MILESTONES}
    truth += [*more, *(Content(f"/milestone/{name}", text.phrase, "milestone") for name, text in milestones.items())]
    plan = {
        "articles": articles,
        "tickets": tickets,
        "milestones": {name: text.whole for name, text in milestones.items()},
        "components": COMPONENTS,
    }
    run([ENVIRONMENT / "bin" / "python", FILLER, place / "env"], place, stdin=json.dumps(plan))
    return truth


def serve(started: Started) -> str:
    """Start Trac's own server."""
    port = free_port()
    started.behind([TRACD, "--hostname=127.0.0.1", f"--port={port}", "--single-env", started.place / "env"], port=port)
    return f"location / {{ proxy_pass http://127.0.0.1:{port}; proxy_set_header Host 127.0.0.1:{started.port}; }}"


def _articles(writer: Writer) -> tuple[list[dict[str, object]], list[Content]]:
    names = ["WikiStart", *(writer.new_word().capitalize() + writer.new_word().capitalize() for _ in range(ARTICLES - 1))]
    articles, truth = [], []
    for number, name in enumerate(names):
        text = writer.text(writer.random.randint(2, 4))
        links = [*names[3 * number + 1 : 3 * number + 4], *writer.random.sample(names, 3)]
        listed = "\n".join(f" * [wiki:{link}]" for link in links)
        versions = [f"= {text.title} =\n\n{text.whole}\n\n{listed}\n"]
        for _ in range(writer.random.randint(0, 3)):
            versions.insert(0, versions[-1].replace(text.paragraphs[-1], writer.paragraph(3)))
        articles.append({"name": name, "versions": versions, "when": FIRST + number * 9_000})
        truth.append(Content(f"/wiki/{name}", text.phrase, "article", ("/", "/wiki") if name == "WikiStart" else ()))
    return articles, truth


def _tickets(writer: Writer, names: list[object]) -> tuple[list[dict[str, object]], list[Content]]:
    tickets, truth = [], []
    for number in range(1, TICKETS + 1):
        text = writer.text(2)
        comments = [writer.paragraph(3) for _ in range(writer.random.randint(0, 3))]
        more = f"\n\nSee [wiki:{writer.random.choice(names)}] and #{writer.random.randint(1, TICKETS)}."
        ticket = {
            "summary": text.title,
            "description": text.whole + more,
            "milestone": writer.random.choice(MILESTONES),
            "component": writer.random.choice(COMPONENTS),
            "status": "closed" if number % 4 == 0 else "new",
            "comments": comments,
            "when": FIRST + number * 8_000,
        }
        tickets.append(ticket)
        truth.append(Content(f"/ticket/{number}", text.phrase, "ticket"))
    return tickets, truth


APPLICATION = Application("trac", "issue tracker and wiki, Python", (TRAC,), fill, serve, sources=("fillers/fill_trac.py",))
