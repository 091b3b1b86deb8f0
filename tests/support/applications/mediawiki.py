"""MediaWiki as Debian packages it, on SQLite: articles in categories that link each other, each with earlier revisions.

Articles come in by its own import of a dump. Truth: an article stands at `/index.php?title=NAME`, as all its pages link it;
forms, histories, revisions, differences, special pages and print versions are the same script with more parameters.
"""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

from witnesses import FASTCGI, MEDIAWIKI, PHP, SQLITE

from applications.prose import Writer
from applications.running import Application, Content, Started, run

ARTICLES = 180
CATEGORIES = ("Beasts", "Engines", "Rivers", "Songs", "Towns", "Trades")
FIRST = datetime(2023, 3, 1, tzinfo=UTC)
CODE = Path("/usr/share/mediawiki")
INSTALL = "--dbtype sqlite --dbname wiki --lang en --scriptpath= --pass notMuchOfASecret1 --skins Vector"
MORE = """
$wgServer = 'http://127.0.0.1:{port}';
$wgSQLiteDataDir = '{place}/db';
$wgCacheDirectory = '{place}/cache';
$wgJobRunRate = 0;
$wgEnableUploads = false;
$wgPingback = false;
"""


def fill(place: Path) -> list[Content]:
    """Install the wiki and import everything."""
    (place / "db").mkdir()
    (place / "cache").mkdir()
    where = ["--dbpath", place / "db", "--confpath", place, "--server", "http://127.0.0.1"]
    run(["php", CODE / "maintenance/install.php", *INSTALL.split(" "), *where, "Wiki", "Somebody"], place)
    _configure(place, 80)
    writer = Writer("mediawiki")
    names = ["Main Page", *(f"{writer.new_word().capitalize()} {writer.new_word()}" for _ in range(ARTICLES - 1))]
    truth, pages = [], []
    for number, name in enumerate(names):
        text = writer.text(writer.random.randint(2, 4))
        links = [*names[3 * number + 1 : 3 * number + 4], *writer.random.sample(names, 2)]
        end = "".join(f"* [[{link}]]\n" for link in links) + f"[[Category:{writer.random.choice(CATEGORIES)}]]\n"
        versions = [f"{text.whole}\n\n== See also ==\n{end}"]
        for _ in range(writer.random.randint(0, 3)):
            versions.insert(0, versions[-1].replace(text.paragraphs[-1], writer.paragraph(3)))
        pages.append(_page(name, versions, FIRST + timedelta(hours=9 * number)))
        truth.append(_content(name, text.phrase, "article"))
    for category in CATEGORIES:
        text = writer.text(2)
        pages.append(_page(f"Category:{category}", [text.whole], FIRST))
        truth.append(_content(f"Category:{category}", text.phrase, "category"))
    dump = f"<mediawiki>{''.join(pages)}</mediawiki>"
    _maintain(place, "deleteBatch.php", stdin="Main Page")  # what the installer wrote is newer than what comes
    _maintain(place, "importDump.php", "--quiet", stdin=dump)
    _maintain(place, "rebuildrecentchanges.php")
    _maintain(place, "runJobs.php")
    _maintain(place, "initSiteStats.php", "--update")
    return truth


def serve(started: Started) -> str:
    """Let PHP answer."""
    _configure(started.place, started.port)
    php = started.php(environment=_environment(started.place))
    return f"""
    root {CODE};
    index index.php;
    location ~ ^/(maintenance|includes|vendor|languages|config|mw-config)/ {{ return 403; }}
    location / {{ try_files $uri $uri/ =404; }}
    location ~ \\.php$ {{ try_files $uri =404; {php} fastcgi_param SCRIPT_FILENAME {CODE}$fastcgi_script_name; }}
"""


def _maintain(place: Path, script: str, *words: str, stdin: str | None = None) -> None:
    run(["php", CODE / "maintenance" / script, *words], place, _environment(place), stdin)


def _environment(place: Path) -> dict[str, str]:
    return {"MW_CONFIG_FILE": f"{place}/LocalSettings.php"}


def _configure(place: Path, port: int) -> None:
    """Say where the wiki is now: its directory and its port differ from run to run."""
    settings = place / "LocalSettings.php"
    written = settings.read_text().partition("\n# From here on")[0]
    written = re.sub(r"'dbDirectory' => .*", f"'dbDirectory' => '{place}/db',", written)
    settings.write_text(f"{written}\n# From here on: this run.\n{MORE.format(port=port, place=place)}")


def _content(name: str, phrase: str, kind: str) -> Content:
    also = ("/", "/index.php") if name == "Main Page" else ()
    return Content(f"/index.php?title={name.replace(' ', '_')}", phrase, kind, also)


def _page(name: str, versions: list[str], first: datetime) -> str:
    written = "".join(
        f"<revision><timestamp>{first + timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}</timestamp>"
        f"<contributor><username>Somebody</username></contributor><comment>more of it</comment>"
        f'<text xml:space="preserve">{escape(text)}</text></revision>'
        for number, text in enumerate(versions)
    )
    return f"<page><title>{name}</title>{written}</page>"


APPLICATION = Application("mediawiki", "wiki, PHP", (MEDIAWIKI, SQLITE, FASTCGI, PHP), fill, serve)
