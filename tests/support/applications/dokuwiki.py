"""DokuWiki as Debian packages it: articles in namespaces that link each other, each with earlier revisions.

Pages are files, so they are written as files: the current text, the earlier ones packed beside it, and the log of changes. Its
own indexer reads them. Truth: an article stands at `/doku.php?id=`, as its own `rel=canonical` says.
"""

import gzip
import os
import shutil
from pathlib import Path

from witnesses import DOKUWIKI, FASTCGI, PHP

from applications.prose import Text, Writer
from applications.running import Application, Content, Started, run

ARTICLES = 240
NAMESPACES = ("", "guide", "people", "places", "recipes", "history:early", "history:late")
DAY = 86_400
FIRST = 1_700_000_000  # when the oldest revision was written
CODE = Path("/usr/share/dokuwiki")
LOCAL = """<?php
$conf['title'] = 'The handbook';
$conf['savedir'] = '{place}/data';
$conf['useacl'] = 0;
$conf['disableactions'] = '';
$conf['updatecheck'] = 0;
$conf['userewrite'] = 0;
"""
PREPEND = "<?php define('DOKU_CONF', '{place}/conf/');\n"
FOLDERS = ["attic", "cache", "index", "locks", "media", "media_attic", "media_meta", "meta", "pages", "tmp", "log"]


def fill(place: Path) -> list[Content]:
    """Write all articles."""
    _configure(place)
    for folder in FOLDERS:
        (place / "data" / folder).mkdir(parents=True)
    writer = Writer("dokuwiki")
    names = ["start", *(_name(writer, number) for number in range(ARTICLES - 1))]
    truth = []
    for number, name in enumerate(names):
        text = writer.text(writer.random.randint(2, 4))
        _write(place / "data", name, _revisions(writer, text, _links(writer, names, number)), number)
        also = ("/", "/doku.php") if name == "start" else ()
        truth.append(Content(f"/doku.php?id={name}", text.phrase, "article", also))
    run(["php", "-d", f"auto_prepend_file={place}/prepend.php", CODE / "bin/indexer.php", "-q"], place)
    return truth


def edit(place: Path, names: list[str]) -> None:
    """Add a paragraph to articles of a running wiki, as somebody would now."""
    writer = Writer("dokuwiki, edited")
    for name in names:
        page = place / "data" / "pages" / f"{name.replace(':', '/')}.txt"
        log = place / "data" / "meta" / f"{name.replace(':', '/')}.changes"
        page.write_text(f"{page.read_text()}\n{writer.paragraph()}\n")
        changed = int(page.stat().st_mtime)
        line = f"{changed}\t127.0.0.1\tE\t{name}\tsomebody\tmore of it\t\t\n"
        for one in (log, place / "data" / "meta" / "_dokuwiki.changes"):
            with one.open("a") as lines:
                lines.write(line)
        attic = place / "data" / "attic" / f"{name.replace(':', '/')}.{changed}.txt.gz"
        attic.write_bytes(gzip.compress(page.read_bytes()))


def serve(started: Started) -> str:
    """Let PHP answer."""
    _configure(started.place)
    shutil.rmtree(started.place / "data/cache")  # names of the directory it was filled in
    (started.place / "data/cache").mkdir()
    php = started.php(f"auto_prepend_file={started.place}/prepend.php")
    return f"""
    root {CODE};
    index doku.php;
    location ~ ^/(conf|bin|inc|vendor)/ {{ return 403; }}
    location / {{ try_files $uri $uri/ =404; }}
    location ~ \\.php$ {{ try_files $uri =404; {php} fastcgi_param SCRIPT_FILENAME {CODE}$fastcgi_script_name; }}
"""


def _configure(place: Path) -> None:
    shutil.copytree("/etc/dokuwiki", place / "conf", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.auth.php"))
    (place / "conf/local.php").write_text(LOCAL.format(place=place))
    (place / "prepend.php").write_text(PREPEND.format(place=place))


def _name(writer: Writer, number: int) -> str:
    namespace = NAMESPACES[number % len(NAMESPACES)]
    word = writer.new_word(2)
    return f"{namespace}:{word}" if namespace else word


def _links(writer: Writer, names: list[str], number: int) -> list[str]:
    """Return what an article links to: three of the later ones as in a tree, so that every article is reached, and some."""
    below = names[3 * number + 1 : 3 * number + 4]
    return [*below, *writer.random.sample(names, 3)]


def _revisions(writer: Writer, text: Text, links: list[str]) -> list[str]:
    """Return the texts of an article, the current one last; each revision adds or changes a sentence or a paragraph."""
    listed = "\n".join(f"  * [[:{link}|{link.rpartition(':')[2]}]]" for link in links)
    paragraphs = list(text.paragraphs)
    texts = [paragraphs]
    for _ in range(writer.random.randint(1, 4)):
        earlier = list(texts[0])
        earlier[-1] = writer.paragraph(2) if writer.random.random() < 0.3 else earlier[-1].rpartition(". ")[0] + "."
        texts.insert(0, earlier)
    return [f"====== {text.title} ======\n\n" + "\n\n".join(one) + f"\n\n===== See also =====\n{listed}\n" for one in texts]


def _write(data: Path, name: str, revisions: list[str], number: int) -> None:
    path = name.replace(":", "/")
    times = [FIRST + number * 7_000 + revision * DAY for revision in range(len(revisions))]
    for folder in ("pages", "attic", "meta"):
        (data / folder / path).parent.mkdir(parents=True, exist_ok=True)
    log = []
    for time, revision in zip(times, revisions, strict=True):
        (data / "attic" / f"{path}.{time}.txt.gz").write_bytes(gzip.compress(revision.encode(), mtime=0))
        kind, summary = ("C", "created") if time == times[0] else ("E", "more of it")
        log.append(f"{time}\t127.0.0.1\t{kind}\t{name}\tsomebody\t{summary}\t\t{len(revision)}\n")
    (data / "meta" / f"{path}.changes").write_text("".join(log))
    with (data / "meta" / "_dokuwiki.changes").open("a") as recent:
        recent.write(log[-1])
    current = data / "pages" / f"{path}.txt"
    current.write_text(revisions[-1])
    os.utime(current, (times[-1], times[-1]))


APPLICATION = Application("dokuwiki", "wiki, PHP", (DOKUWIKI, FASTCGI, PHP), fill, serve)
