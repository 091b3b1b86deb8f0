"""A site that is nothing but django-machina's forum; run by the interpreter it is installed for: `forum.py fill|runserver ...`.

`FORUM_PLACE` is where its database is. Topics are saved through its own models; the plan comes by standard input.
"""

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import django
from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import include, path
from machina import MACHINA_MAIN_STATIC_DIR, MACHINA_MAIN_TEMPLATE_DIR

PLACE = Path(os.environ["FORUM_PLACE"])
PARTS = ("forum", "forum_conversation", "forum_conversation.forum_attachments", "forum_conversation.forum_polls", "forum_feeds")
MORE = ("forum_moderation", "forum_search", "forum_tracking", "forum_member", "forum_permission")
CONTRIBUTED = ("auth", "contenttypes", "sessions", "messages", "staticfiles", "admin")
ASKED_FOR = ("auth.context_processors.auth", "messages.context_processors.messages")

settings.configure(
    SECRET_KEY="no secret",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    STATIC_URL="/static/",
    MEDIA_ROOT=str(PLACE / "media"),
    STATICFILES_DIRS=[MACHINA_MAIN_STATIC_DIR],
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(PLACE / "forum.sqlite")}},
    INSTALLED_APPS=[
        *(f"django.contrib.{name}" for name in CONTRIBUTED),
        "mptt",
        "haystack",
        "widget_tweaks",
        "machina",
        *(f"machina.apps.{name}" for name in (*PARTS, *MORE)),
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "machina.apps.forum_permission.middleware.ForumPermissionMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [MACHINA_MAIN_TEMPLATE_DIR],
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    *(f"django.contrib.{name}" for name in ASKED_FOR),
                    "machina.core.context_processors.metadata",
                ]
            },
        }
    ],
    CACHES={
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        "machina_attachments": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "attachments"},
    },
    HAYSTACK_CONNECTIONS={"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}},
    MACHINA_FORUM_NAME="The forum",
)
django.setup()
urlpatterns = [path("accounts/", include("django.contrib.auth.urls")), path("", include("machina.urls"))]


def fill(plan):
    """Save forums, topics and posts; print where each topic stands and on how many pages."""
    from django.contrib.auth.models import AnonymousUser, User
    from django.db.transaction import atomic
    from machina.apps.forum.models import Forum
    from machina.apps.forum_permission.shortcuts import assign_perm

    execute_from_command_line(["forum.py", "migrate", "--verbosity", "0"])
    users = [User.objects.create_user(name) for name in plan["users"]]
    forums = {}
    for category, names in plan["forums"].items():
        parent = Forum.objects.create(name=category, type=Forum.FORUM_CAT)
        for name in names:
            forums[name] = Forum.objects.create(name=name, type=Forum.FORUM_POST, parent=parent)
    for forum in Forum.objects.all():
        for permission in ("can_see_forum", "can_read_forum"):
            assign_perm(permission, AnonymousUser(), forum)
    with atomic():
        json.dump([save(topic, forums[topic["forum"]], users) for topic in plan["topics"]], sys.stdout)


def save(planned, forum, users):
    """Save a topic; return its address."""
    from machina.apps.forum_conversation.models import Post, Topic

    topic = Topic.objects.create(
        forum=forum, subject=planned["title"], poster=users[0], type=Topic.TOPIC_POST, status=Topic.TOPIC_UNLOCKED
    )
    for number, text in enumerate(planned["posts"]):
        subject = planned["title"] if number == 0 else f"Re: {planned['title']}"
        post = Post.objects.create(topic=topic, poster=users[number % len(users)], subject=subject, content=text)
        when = datetime.fromtimestamp(planned["when"], UTC) + timedelta(minutes=50 * number)
        Post.objects.filter(pk=post.pk).update(created=when, updated=when)
    Topic.objects.filter(pk=topic.pk).update(last_post_on=when, created=datetime.fromtimestamp(planned["when"], UTC))
    return f"/forum/{forum.slug}-{forum.pk}/topic/{topic.slug}-{topic.pk}/"


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        fill(json.load(sys.stdin))
    else:
        execute_from_command_line(sys.argv)
