"""The description of the API: the committed one is what the handlers say, and every route is told in full."""

import json
import re

from reference.api import FILE, written

DESCRIBED = json.loads(FILE.read_text(encoding="utf-8"))
OPERATIONS = [
    (f"{method} {path}", operation) for path, methods in DESCRIBED["paths"].items() for method, operation in methods.items()
]


def test_the_committed_description_is_what_the_handlers_say() -> None:
    assert FILE.read_text(encoding="utf-8") == written(), "write it anew with `python -m reference.api`"


def test_every_route_has_a_summary_a_sentence_a_scope_and_typed_problems() -> None:
    assert len(OPERATIONS) >= 50
    for name, operation in OPERATIONS:
        assert operation["summary"] and operation["description"] and operation["x-scope"], name
        assert "#/components/responses/Problem422" in {one.get("$ref") for one in operation["responses"].values()}, name


def test_operation_ids_are_used_once() -> None:
    ids = [operation["operationId"] for _, operation in OPERATIONS]
    assert sorted(ids) == sorted(set(ids))


def test_whatever_is_referred_to_is_described() -> None:
    text = json.dumps(DESCRIBED)
    for place in set(re.findall(r'"#/components/(\w+/\w+)"', text)):
        kind, _, name = place.partition("/")
        assert name in DESCRIBED["components"][kind], place
