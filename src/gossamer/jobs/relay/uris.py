"""Who is told of a crawl's events, and the secret that goes with each: from a file or the environment, never from settings."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from gossamer.assemble import NO_CHRONICLE, chronicle_uri
from gossamer.config.sections import Settings
from gossamer.errors import ConfigError
from gossamer.records.sinkuri import SinkUri, sink_uri
from gossamer.registry import keys


def sink_uris(settings: Settings, texts: Iterable[str]) -> list[SinkUri]:
    """Take the URIs of sinks apart; what can never work is refused."""
    uris = [sink_uri(text, keys("sink")) for text in texts]
    if uris and chronicle_uri(settings) == NO_CHRONICLE:
        raise ConfigError(f"{uris[0].shown} cannot be told anything without a chronicle; set chronicle.level to visits")
    return uris


def secret_of(uri: SinkUri, environ: Mapping[str, str] = os.environ) -> str:
    """Return the secret that a URI names; an empty text: it names none."""
    if uri.secret_env:
        secret = environ.get(uri.secret_env, "")
        where = f"the environment variable {uri.secret_env}"
    elif uri.secret_file:
        where = uri.secret_file
        try:
            secret = Path(uri.secret_file).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the secret of {uri.shown} cannot be read from {where}: {error}") from error
    else:
        return ""
    if not secret:
        raise ConfigError(f"the secret of {uri.shown} is empty; put it into {where}")
    return secret
