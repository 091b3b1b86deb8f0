"""URLs as the attack: two megabytes long, with control characters and line ends, climbing out of their folder, of odd schemes.

Whatever is asked for is there. A request that carries an injected header line is a breach, which the server answers with 500.
"""

import asyncio

from gossamer.simweb.attacks.attack import Attack, ExpectedEnd, Voice, page, routing, saying, whole

LONG = "/" + "y" * 2_000_000
_INJECTED = "HTTP/1.1%0d%0aX-Injected:%201"
# A link as it is written, and the path that browsers ask for.
_CONTROLS = {
    "/line\r\nX-Injected: 1\r\n": "/lineX-Injected:%201",
    "/encoded%0d%0aX-Injected:%201": "/encoded%0d%0aX-Injected:%201",
    "/reference&#13;&#10;X-Injected: 1": "/referenceX-Injected:%201",
    "/tab\there": "/tabhere",
    "/escape\x1b[31m": "/escape%1B[31m",
    "/bell\x07\x08\x7f": "/bell%07%08%7F",
    "/separator\u2028\u0085": "/separator%E2%80%A8%C2%85",
    "/rtl\u202etxt.exe": "/rtl%E2%80%AEtxt.exe",
    f"/query?a b {_INJECTED}": f"/query?a%20b%20{_INJECTED}",
}
_CLIMBING = {
    "/../../../../etc/passwd": "/etc/passwd",
    "/%2e%2e/%2E%2E/etc/shadow": "/etc/shadow",
    "/..%2f..%2f..%2fetc%2fgroup": "/..%2f..%2f..%2fetc%2fgroup",
    "\\..\\..\\windows\\system.ini": "/windows/system.ini",
    "/C:\\boot.ini": "/C:/boot.ini",
    "/a/....//....//b": "/a/....//....//b",
    "/name%00.html": "/name%00.html",
    "/~root/.ssh/id_rsa": "/~root/.ssh/id_rsa",
}
_ODD = {
    "file:///etc/hostname": "out_of_scope",
    "ftp://names-schemes.attack.sim/x": "unsupported",
    "gopher://names-schemes.attack.sim/x": "unsupported",
    "ws://names-schemes.attack.sim/x": "unsupported",
}


def attacks() -> list[Attack]:
    """List the attacks of this family."""
    return [
        Attack(
            "names-long",
            _anything(LONG, "/short"),
            (ExpectedEnd("/"), ExpectedEnd("/short"), ExpectedEnd(LONG, "trap", rule="traps.max_length", status=0)),
        ),
        Attack("names-controls", _anything(*_CONTROLS), (ExpectedEnd("/"), *map(ExpectedEnd, _CONTROLS.values()))),
        Attack("names-climbing", _anything(*_CLIMBING), (ExpectedEnd("/"), *map(ExpectedEnd, _CLIMBING.values()))),
        Attack(
            "names-schemes",
            _anything(*_ODD, "javascript:alert(1)", "data:text/html,x"),
            (ExpectedEnd("/"), *map(_refused, _ODD)),
        ),
        Attack(
            "names-location", _redirecting(), (ExpectedEnd("/", "redirected", status=302), ExpectedEnd("/moved%01%1B[31m%7F"))
        ),
    ]


def _refused(url: str) -> ExpectedEnd:
    return ExpectedEnd(url, _ODD[url], rule="scope.schemes", status=0)


def _anything(*links: str) -> Voice:
    """Link to everything, and have everything, under a name that climbs as well."""

    async def voice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        named = 'Content-Disposition: attachment; filename="../../../climbed.html"'
        await saying(whole(page(title=path), named))(reader, writer, path)

    return routing({"/": whole(page(*links))}, otherwise=voice)


def _redirecting() -> Voice:
    location = b"HTTP/1.1 302 Found\r\nLocation: /moved\x01\x1b[31m\x7f\r\nContent-Length: 0\r\n\r\n"
    return routing({"/": location}, otherwise=whole(page(title="moved")))
