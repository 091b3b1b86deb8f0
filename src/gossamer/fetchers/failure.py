"""What a libcurl error code means for a crawl: the outcome, and one plain sentence.

An answer whose head came whole is kept whatever happened later; these are the cases with nothing to keep, and the WARC word
for a body that is not whole.
"""

import errno

import pycurl

from gossamer.errors import DiskFull, StoreError
from gossamer.records import Outcome

_TLS = {
    pycurl.E_SSL_CONNECT_ERROR,
    pycurl.E_SSL_CERTPROBLEM,
    pycurl.E_SSL_CIPHER,
    pycurl.E_PEER_FAILED_VERIFICATION,
    pycurl.E_SSL_CACERT_BADFILE,
    pycurl.E_SSL_ISSUER_ERROR,
    pycurl.E_SSL_INVALIDCERTSTATUS,
    pycurl.E_SSL_PINNEDPUBKEYNOTMATCH,
    pycurl.E_SSL_ENGINE_NOTFOUND,
    pycurl.E_SSL_ENGINE_SETFAILED,
    pycurl.E_SSL_ENGINE_INITFAILED,
    pycurl.E_SSL_SHUTDOWN_FAILED,
    pycurl.E_SSL_CRL_BADFILE,
}
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}
_SECOND = {pycurl.E_ABORTED_BY_CALLBACK, pycurl.E_COULDNT_CONNECT}  # how the end of a second request looks
_LOST = {pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR}


def failure_of(code: int, text: str, *, requested: bool, received: bool) -> tuple[Outcome, str]:
    """Say what it means that no answer came: by libcurl's code, whether a request left and whether any byte came back."""
    said = f" ({text})" if text else ""
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return Outcome.TIMED_OUT, f"no {'answer' if requested else 'connection'} in time{said}"
    if code in _TLS:
        return Outcome.TLS_FAILED, f"no secure connection{said}"
    if code in _SECOND and requested:
        return Outcome.CONNECT_FAILED, "the server closed a kept connection as the request left; asking again needs a new turn"
    if code == pycurl.E_COULDNT_CONNECT:
        return Outcome.CONNECT_FAILED, f"no connection{said}"
    if code == pycurl.E_COULDNT_RESOLVE_HOST:
        return Outcome.DNS_FAILED, f"the name has no address{said}"
    if received:
        return Outcome.PROTOCOL_ERROR, f"the head of the answer is broken{said}"
    if code == pycurl.E_GOT_NOTHING:
        return Outcome.PROTOCOL_ERROR, "the server closed the connection without an answer"
    if code in _LOST:
        return Outcome.CONNECT_FAILED, f"the connection was lost{said}"
    return Outcome.PROTOCOL_ERROR, f"the answer is not HTTP{said}"


def truncation_of(code: int, text: str) -> str:
    """Return WARC's word for why a body that had begun is not whole."""
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return "time"
    if code == pycurl.E_WRITE_ERROR:
        return "length"
    if code == pycurl.E_PARTIAL_FILE or (code in _LOST and "chunk" not in text):
        return "disconnect"
    return "unspecified"  # the framing itself is broken: what came is kept, its end is anyone's guess


def spool_error(error: OSError) -> StoreError:
    """Return our error for a body that could not be spooled to its temporary file."""
    if error.errno in _DISK_FULL:
        return DiskFull("no space is left for a temporary file; make room where TMPDIR points to")
    return StoreError(f"a temporary file failed ({error.strerror}); see where TMPDIR points to")
