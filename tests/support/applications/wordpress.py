"""WordPress as Debian packages it, with MariaDB on a socket of its own: a weblog with comments, tags and archives by month.

Posts are saved by WordPress's own functions. Truth: a post stands at its permalink `/YEAR/MONTH/NAME/`, a page at `/NAME/`.
Views are listings by day, month, author, category and tag, feeds of each, answers to comments, the short links `?p=`.
"""

import json
import os
import pwd
import shutil
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from witnesses import CLIENT, FASTCGI, MARIADB, PHP, THEME, WORDPRESS

from applications.prose import Writer
from applications.running import Application, Content, Started, run

POSTS = 220
PAGES = 8
CATEGORIES = ("letters", "travel", "kitchen", "garden", "machines")
TAGS = 24
FIRST = 1_672_600_000
DAY = 86_400
CODE = Path("/usr/share/wordpress")
CONTENT = Path("/var/lib/wordpress/wp-content")
FILLER = Path(__file__).parent / "fillers" / "fill_wordpress.php"
SMALL = "--innodb-log-file-size=8M --innodb-buffer-pool-size=64M --skip-networking --innodb-flush-log-at-trx-commit=0"
CONFIGURATION = """<?php
define('DB_NAME', 'weblog'); define('DB_USER', '{user}'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:{socket}');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', 'http://127.0.0.1:{port}'); define('WP_SITEURL', 'http://127.0.0.1:{port}');
define('WP_CONTENT_DIR', '{place}/www/wp-content'); define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true);
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $one) {{ define($one . '_KEY', $one); define($one . '_SALT', $one); }}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) {{ define('ABSPATH', __DIR__ . '/'); }}
require_once ABSPATH . 'wp-settings.php';
"""


def fill(place: Path) -> list[Content]:
    """Make the database and let WordPress save everything."""
    writer = Writer("wordpress")
    posts, pages = _posts(writer), _posts(writer)[:PAGES]
    run(["mariadb-install-db", "--no-defaults", f"--datadir={place}/db", f"--user={_user()}", *_quick()], place)
    with ExitStack() as stack:
        socket = _database(Started(place, 80, stack))
        run(["mariadb", "--no-defaults", f"--socket={socket}", "-e", "CREATE DATABASE weblog CHARACTER SET utf8mb4"], place)
        _code(place, socket, 80)
        plan = json.dumps({"posts": posts, "pages": pages, "categories": CATEGORIES})
        run(["php", FILLER, place / "www"], place, stdin=plan)
    return [*(_content(post, "post") for post in posts), *(_content(page, "page") for page in pages)]


def serve(started: Started) -> str:
    """Start the database and PHP."""
    socket = _database(started)
    _code(started.place, socket, started.port)
    php = started.php()
    www = started.place / "www"
    return f"""
    root {www};
    index index.php;
    location / {{ try_files $uri $uri/ /index.php?$args; }}
    location ~ \\.php$ {{ try_files $uri =404; {php} fastcgi_param SCRIPT_FILENAME {www}$fastcgi_script_name; }}
"""


def _user() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def _quick() -> list[str]:
    return SMALL.split()


def _database(started: Started) -> Path:
    socket = started.place / "db.sock"
    words = [
        MARIADB.path,
        "--no-defaults",
        f"--datadir={started.place}/db",
        f"--socket={socket}",
        f"--user={_user()}",
        *_quick(),
    ]
    started.behind(words, socket=socket)
    return socket


def _code(place: Path, socket: Path, port: int) -> None:
    """Lay out the code: WordPress looks for its configuration beside the files that it is started by."""
    www = place / "www"
    shutil.rmtree(www, ignore_errors=True)
    www.mkdir()
    for file in CODE.glob("*.php"):
        shutil.copy(file, www)
    (www / "wp-config.php").write_text(CONFIGURATION.format(user=_user(), socket=socket, port=port, place=place))
    for folder in ("wp-includes", "wp-admin"):
        (www / folder).symlink_to(CODE / folder)
    (www / "wp-content").symlink_to(CONTENT)


def _posts(writer: Writer) -> list[dict[str, object]]:
    """Plan posts: each links to an earlier one, and every third has an answer to a comment."""
    tags = [writer.new_word() for _ in range(TAGS)]
    posts: list[dict[str, object]] = []
    for number in range(POSTS):
        text = writer.text(writer.random.randint(2, 4))
        when = FIRST + number * 3 * DAY
        path = f"/{datetime.fromtimestamp(when, UTC):%Y/%m}/{text.title.lower().replace(' ', '-')}/"
        earlier = writer.random.choice(posts)["path"] if posts else "/"
        post = {
            "title": text.title,
            "name": text.title.lower().replace(" ", "-"),
            "phrase": text.phrase,
            "path": path,
            "text": "".join(f"<p>{one}</p>\n\n" for one in text.paragraphs) + f'<p>Before: <a href="{earlier}">that</a></p>',
            "when": when,
            "category": writer.random.choice(CATEGORIES),
            "tags": writer.random.sample(tags, 2),
            "comments": [writer.paragraph(2) for _ in range(number % 5)],
        }
        posts.append(post)
    return posts


def _content(post: dict[str, object], kind: str) -> Content:
    url = str(post["path"]) if kind == "post" else f"/{post['name']}/"
    return Content(url, str(post["phrase"]), kind)


NEEDS = (WORDPRESS, THEME, MARIADB, CLIENT, FASTCGI, PHP)
APPLICATION = Application("wordpress", "weblog, PHP", NEEDS, fill, serve, sources=("fillers/fill_wordpress.php",))
