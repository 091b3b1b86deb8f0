"""What tells duplicates: who has some content, who nearly its text, and which of two alike counts."""

import sys
from collections.abc import Callable
from functools import partial

from gossamer.config.sections import Dedupe
from gossamer.dedupe.exact import ExactDeduper
from gossamer.dedupe.near import NearIndex
from gossamer.joints.keyvalue import KeyValue
from gossamer.policy import canonical


def make_dedupers(kv: KeyValue, settings: Dedupe, linked: Callable[[str], float]) -> tuple[ExactDeduper, NearIndex]:
    """Return what compares bytes and what compares texts; `linked` says how well linked the page of a key is."""
    why = partial(canonical.why, linked=linked) if settings.canonical else canonical.first_stays
    fewest_words = sys.maxsize if settings.near == "off" else settings.fewest_words  # a text of fewer is not compared
    return ExactDeduper(kv, why), NearIndex(kv, settings.distance, fewest_words, why)
