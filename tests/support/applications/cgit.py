"""cgit as Debian packages it, on a repository with files in folders and a history of commits.

Truth: a file of the head stands at `/notes/tree/PATH`, a commit at `/notes/commit/?id=`. Everything else is a view: earlier
trees, plain files, diffs, patches, logs and statistics of a path, archives.
"""

from pathlib import Path

from witnesses import CGI, CGIT, GIT

from applications.repository import make
from applications.running import Application, Content, Started, free_port

RC = """
css=/cgit.css
logo=/cgit.png
virtual-root=/
robots=index, follow
enable-index-links=1
enable-log-filecount=1
enable-log-linecount=1
enable-blame=1
max-stats=quarter
snapshots=tar.gz zip
repo.url=notes
repo.path={place}/notes.git
repo.desc=Notes on everything
repo.owner=somebody
"""


def fill(place: Path) -> list[Content]:
    """Make the repository."""
    made = make(place / "notes.git", "cgit")
    truth = [Content(f"/notes/tree/{path}", phrase, "file") for path, phrase in made.files.items()]
    for number, (commit, phrase) in enumerate(made.commits.items()):
        truth.append(Content(f"/notes/commit/?id={commit}", phrase, "commit", () if number else ("/notes/commit/",)))
    return truth


def serve(started: Started) -> str:
    """Let fcgiwrap start it for every request."""
    (started.place / "cgitrc").write_text(RC.format(place=started.place))
    port = free_port()
    started.behind([CGI.path, "-c", "4", "-s", f"tcp:127.0.0.1:{port}"], {"CGIT_CONFIG": f"{started.place}/cgitrc"}, port)
    return f"""
    root /usr/share/cgit;
    location = /robots.txt {{ return 404; }}
    location ~ ^/(cgit.css|cgit.png|favicon.ico)$ {{ }}
    location / {{
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME {CGIT.path};
      fastcgi_param CGIT_CONFIG {started.place}/cgitrc;
      fastcgi_param PATH_INFO $uri;
      fastcgi_param QUERY_STRING $args;
      fastcgi_param HTTP_HOST 127.0.0.1:{started.port};
      fastcgi_pass 127.0.0.1:{port};
    }}
"""


APPLICATION = Application("cgit", "repository browser, C", (CGIT, CGI, GIT), fill, serve, sources=("repository.py",))
