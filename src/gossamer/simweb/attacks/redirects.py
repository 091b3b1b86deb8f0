"""Redirects: in circles, without end, to addresses that are nobody's business, and to what is no place at all.

Every address that is not public is spelled in a way that a browser would take, each family and each spelling once. None of
them is loopback: a crawl of the synthetic web has to allow that.
"""

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, Voice, page, routing, whole

PRIVATE = (
    "10.1.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3", "192.0.0.8", "192.0.2.1",
    "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "167837698", "0x0a010003", "012.1.0.4", "10.66053", "10.1.6", "0xa.0x1.0x0.0x7", "10.1.0.8.", "%31%30.1.0.9",
    "１０。１。０。１０", "①⓪.1.0.11",
    "[::]", "[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[::ffff:10.1.0.12]", "[::ffff:a01:d]",
    "[::10.1.0.14]", "[::ffff:0:10.1.0.15]", "[64:ff9b::10.1.0.16]", "[64:ff9b:1::1]", "[2002:a01:11::]", "[2001:db8::1]",
    "[2001::a01:12]", "[100::1]", "[3fff::1]", "[5f00::1]", "[4000::1]",
)  # fmt: skip
_NOWHERE = {
    "/script": "javascript:alert(1)",
    "/mail": "mailto:a@attack.sim",
    "/no-url": "http://[",
    "/no-port": "http://redirect-nowhere.attack.sim:99999/",
    "/empty": "",
}


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [
        Attack("redirect-self", routing({"/": _to("/")}), (_redirected("/"),)),
        Attack("redirect-circle", _circle(), (_redirected("/"), _redirected("/a"), _redirected("/b"))),
        _endless(),
        _private(),
        Attack("redirect-file", routing({"/": _to("file:///etc/passwd")}), (_redirected("/"), _refused_file())),
        Attack("redirect-long", routing({"/": _to("/" + "y" * 30_000)}), (_redirected("/"), _too_long())),
        _nowhere(),
    ]


def _to(location: str) -> bytes:
    # as UTF-8, which is how the odd digits go over the wire
    return whole(b"", status="302 Found").replace(b"\r\n\r\n", b"\r\nLocation: " + location.encode() + b"\r\n\r\n")


def _redirected(path: str) -> ExpectedEnd:
    return ExpectedEnd(path, "redirected", status=302)


def _refused_file() -> ExpectedEnd:
    return ExpectedEnd("file:///etc/passwd", "out_of_scope", rule="scope.schemes", status=0)


def _too_long() -> ExpectedEnd:
    return ExpectedEnd("/" + "y" * 30_000, "trap", rule="traps.max_length", status=0)


def _circle() -> Voice:
    return routing({"/": _to("/a"), "/a": _to("/b"), "/b": _to("/a")})


def _endless() -> Attack:
    """Redirect to a new place every time: the tenth hop is followed, the eleventh is not."""
    hops = {f"/{number}": _to(f"/{number + 1}") for number in range(1, 20)}
    followed = tuple(_redirected(f"/{number}") for number in range(1, 11))
    last = ExpectedEnd("/11", "trap", rule="fetch.max_redirects", status=0)
    return Attack("redirect-endless", routing({"/": _to("/1"), **hops}), (_redirected("/"), *followed, last))


def _private() -> Attack:
    doors = [f"/{number}" for number in range(len(PRIVATE))]
    places = [f"http://{address}:8/" for address in PRIVATE]
    routes = {door: _to(place) for door, place in zip(doors, places, strict=True)}
    ends = tuple(ExpectedEnd(place, "address_refused", status=0) for place in places)
    return Attack(
        "redirect-private", routing({"/": whole(page(*doors)), **routes}), (ExpectedEnd("/"), *map(_redirected, doors), *ends)
    )


def _nowhere() -> Attack:
    routes = {path: _to(location) for path, location in _NOWHERE.items()}
    ends = tuple(_redirected(path) for path in _NOWHERE)
    return Attack("redirect-nowhere", routing({"/": whole(page(*_NOWHERE)), **routes}), (ExpectedEnd("/"), *ends))
