"""A forum of django-machina: topics of one or several pages in forums in categories, members, feeds.

Truth: a topic stands at `/forum/FORUM/topic/TOPIC/`, and its further pages, with posts of their own, at `?page=`. Views are
links to each post (`?post=`), forms to answer, profiles, the tools of moderators.
"""

import json
from pathlib import Path

from witnesses import ENVIRONMENT, MACHINA

from applications.prose import Writer
from applications.running import Application, Content, Started, free_port, run

FORUMS = {"The house": ("engine", "doors", "roof"), "The garden": ("trees", "birds"), "Elsewhere": ("letters", "rumours")}
USERS = ("ada", "bo", "cy", "dee", "ed", "flo")
TOPICS = 160
A_PAGE = 15  # posts
FIRST = 1_700_000_000
PYTHON = ENVIRONMENT / "bin" / "python"
SITE = Path(__file__).parent / "fillers" / "forum.py"


def fill(place: Path) -> list[Content]:
    """Plan all topics and let the forum save them."""
    writer = Writer("machina")
    names = [name for forums in FORUMS.values() for name in forums]
    topics, phrases = [], []
    for number in range(TOPICS):
        # Every ninth topic is long: two or three pages.
        count = writer.random.randint(A_PAGE + 2, 2 * A_PAGE + 8) if number % 9 == 8 else writer.random.randint(1, 8)
        texts = [writer.text(1) for _ in range(count)]
        phrases.append([text.phrase for text in texts[::A_PAGE]])
        posts = [text.whole for text in texts]
        topics.append(
            {"forum": names[number % len(names)], "title": writer.title(), "posts": posts, "when": FIRST + 40_000 * number}
        )
    plan = {"users": USERS, "forums": FORUMS, "topics": topics}
    paths = json.loads(run([PYTHON, SITE, "fill"], place, {"FORUM_PLACE": str(place)}, json.dumps(plan)))
    truth = []
    for path, (first, *later) in zip(paths, phrases, strict=True):
        truth.append(Content(path, first, "topic", (f"{path}?page=1",)))
        truth += [Content(f"{path}?page={page}", phrase, "further page") for page, phrase in enumerate(later, 2)]
    return truth


def serve(started: Started) -> str:
    """Start Django's own server."""
    port = free_port()
    words = [PYTHON, SITE, "runserver", "--noreload", "--insecure", "--skip-checks", f"127.0.0.1:{port}"]
    started.behind(words, {"FORUM_PLACE": str(started.place)}, port)
    return f"location / {{ proxy_pass http://127.0.0.1:{port}; proxy_set_header Host 127.0.0.1:{started.port}; }}"


APPLICATION = Application("machina", "forum, Python", (MACHINA,), fill, serve, sources=("fillers/forum.py",))
