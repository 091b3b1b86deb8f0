"""Header fields that people add to requests: one a line, `Name: value`, and none that we set ourselves. Follows RFC 9110."""

import re

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t -~]*")
_OURS = {
    **dict.fromkeys(
        ("host", "connection", "keep-alive", "content-length", "content-type", "transfer-encoding", "te", "trailer", "upgrade"),
        "we set it ourselves",
    ),
    **dict.fromkeys(("expect", "range", "accept-encoding", "proxy-connection"), "we set it ourselves"),
    **dict.fromkeys(("if-none-match", "if-modified-since", "if-match", "if-range", "if-unmodified-since"), "a visit sets it"),
    "cookie": "cookies have a file of their own: write cookies_file",
    "user-agent": "the user agent has a setting of its own: write crawl.user_agent",
    "proxy-authorization": "a proxy has a password of its own: write proxy_password_file",
}


def header_field(line: str) -> tuple[str, str]:
    """Return name and value of a header field; raise ValueError, which shows no value, when it is none or not theirs to set."""
    name, colon, value = line.partition(":")
    value = value.strip(" \t")
    if not colon or not _NAME.fullmatch(name):
        raise ValueError("a line of it is no header field; write each like `Accept-Language: de`")
    if not _VALUE.fullmatch(value):
        raise ValueError(f"the header {name} has a line end or another character that no header may have")
    if reason := _OURS.get(name.lower(), ""):
        raise ValueError(f"the header {name} cannot be set: {reason}")
    return name, value
