"""TLS over connections of our own: whom we trust, the handshake, and records taken apart as they come.

What comes is judged by what it says in clear: a session ticket is about the connection itself, a byte of text that nobody asked
for closes it, and so does the beginning of a record whose text nobody can know yet. Certificates are verified for the name we
asked, or not at all for those the operator excepts; such a connection is never used for a request that wants it verified.

A server that does not keep connections is met again and again: from the third time on its session is resumed, which takes half
of a handshake's time. To take a session out and to put it in costs as much again, so one is used as long as it is good.
Follows RFC 8446.
"""

import asyncio
import socket
import ssl
import time

from gossamer.fetchers.kept import Connection, ConnectionPool

_RECORD_HEAD = 5  # bytes: kind, version, length
_PIECE = 64 * 1024  # bytes; a record has at most 16 KiB
_SESSIONS = 1_000  # remembered at most, of some kilobytes
_CLOSED = "the server closed the connection"
_RAGGED = "the connection ended without a word of TLS about it"  # anybody on the way can do that to cut an answer


class Trust:
    """One way to secure connections: which certificates are good enough, and the sessions of those that had one."""

    def __init__(self, ca_file: str, *, verifies: bool, certificate: tuple[str, str] | None = None) -> None:
        self._ca_file = ca_file
        self._verifies = verifies
        self._certificate = certificate  # files with which we say who we are, and its key
        self._context: ssl.SSLContext | None = None
        self._sessions: dict[str, ssl.SSLSession | bool] = {}  # by place; True: worth one next time, False: never

    def place(self, origin: str) -> str:
        """Return what a connection to an origin may be used for again: only for requests that trust alike."""
        return origin if self._verifies else f"{origin} (any certificate)"

    def wrap(self, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO, host: str, place: str) -> ssl.SSLObject:
        """Begin TLS with a host. Raises SSLError when there is nothing to trust or the name is none."""
        if self._context is None:
            self._context = client_context(self._ca_file, verifies=self._verifies, certificate=self._certificate)
        try:
            name = host.encode("ascii")  # as bytes, or it is taken for an international name and its labels are checked
            return self._context.wrap_bio(incoming, outgoing, server_hostname=name, session=self._session(place))
        except ValueError as error:
            raise ssl.SSLError(0, f"the name cannot be asked for: {error}") from error

    def learn(self, place: str, tls: ssl.SSLObject) -> None:
        """Learn from a connection that has served whether its session can be resumed."""
        known = self._sessions.get(place)
        if known is None:
            self._sessions[place] = True
            if len(self._sessions) > _SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        elif known is True:
            session = tls.session
            self._sessions[place] = session if session is not None and session.has_ticket else False
        elif known and not tls.session_reused:
            self._sessions[place] = False

    def give_up(self, place: str) -> None:
        """Offer a server no session any more: there may be a handshake without."""
        if self._sessions.get(place):
            self._sessions[place] = False

    def _session(self, place: str) -> ssl.SSLSession | None:
        """Return the session to offer, if there is one that is not too old."""
        known = self._sessions.get(place)
        if not known or known is True:
            return None
        if time.time() > known.time + known.timeout:
            self._sessions[place] = True
            return None
        return known


def client_context(ca_file: str, *, verifies: bool, certificate: tuple[str, str] | None = None) -> ssl.SSLContext:
    """Make what begins TLS; raise SSLError, or ValueError for a key with a passphrase, when a file cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_ciphers("DEFAULT")  # Python's own choice leaves out what old servers have
    context.set_alpn_protocols(["http/1.1"])
    context.options |= ssl.OP_NO_RENEGOTIATION
    if certificate is not None:
        context.load_cert_chain(*certificate, password=_no_passphrase)
    if not verifies:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if not ca_file:
        context.load_default_certs()
        return context
    try:
        context.load_verify_locations(ca_file)
    except OSError as error:
        raise ssl.SSLError(0, f"fetch.ca_file {ca_file} holds no certificate that can be read") from error
    return context


def _no_passphrase() -> str:
    raise ValueError("the key has a passphrase")  # OpenSSL would ask for it at the terminal


class SecureConnection(Connection):
    """One connection to a server, over TLS."""

    _left = 0  # bytes of the present record that are still to come
    _beginning = b""  # of the head of a record
    _shaken: "asyncio.Future[None] | None" = None  # done when the handshake is; None: it has not begun
    _is_secure = False

    def __init__(self, place: str, address: str, opened: socket.socket, kept: ConnectionPool, trust: Trust, host: str) -> None:
        super().__init__(place, address, opened, kept)
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._trust = trust
        self._tls = trust.wrap(self._incoming, self._outgoing, host, place)

    async def secure(self) -> None:
        """Shake hands. Raises SSLError, or OSError when the connection is lost on the way."""
        self._shaken = self._kept.loop.create_future()
        if self._is_lost:
            raise ssl.SSLError(0, _CLOSED)
        self._shake()
        try:
            await self._shaken
        except ssl.SSLError:
            self._trust.give_up(self.place)
            raise

    def end(self, keep: bool) -> None:
        """Let go of the exchange; what the first one taught about the session is kept."""
        if self.served == 1:
            self._trust.learn(self.place, self._tls)
        super().end(keep)

    def is_quiet(self) -> bool:
        """Tell whether nothing was said that nobody asked for, in whole records or the beginning of one."""
        is_quiet = super().is_quiet()
        self.spoke = self.spoke or bool(self._left or self._beginning)
        return is_quiet and not self.spoke

    def _send(self, data: bytes) -> None:
        try:
            self._tls.write(data)
        except ssl.SSLError as error:
            self._break(error)
            return
        self._flush()

    def _flush(self) -> None:
        if self._outgoing.pending and not self._is_lost:
            super()._send(self._outgoing.read())

    def _shake(self) -> None:
        assert self._shaken is not None
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
        except ssl.SSLError as error:
            self._flush()  # it says why
            if not self._shaken.done():
                self._shaken.set_exception(error)
        else:
            self._flush()
            self._is_secure = True
            if not self._shaken.done():
                self._shaken.set_result(None)
            self._read()  # some say more at once

    # --- called by the loop -------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._follow(data)
        self._incoming.write(data)
        if self._is_secure:
            self._read()
        elif self._shaken is not None:
            self._shake()

    def connection_lost(self, error: Exception | None) -> None:
        if self._shaken is not None and not self._shaken.done():
            self._shaken.set_exception(ssl.SSLError(0, _words(error) if error else _CLOSED))
        super().connection_lost(error or ssl.SSLError(0, _RAGGED))

    def _follow(self, data: bytes) -> None:
        """Follow the records, to know whether one has only begun."""
        if self._beginning:
            data = self._beginning + data
            self._beginning = b""
        position = self._left
        while position < len(data):
            if position + _RECORD_HEAD > len(data):
                self._beginning = data[position:]
                position = len(data)
                break
            position += _RECORD_HEAD + int.from_bytes(data[position + 3 : position + _RECORD_HEAD], "big")
        self._left = position - len(data)

    def _read(self) -> None:
        """Take what the records say in clear, all of it at once."""
        said: list[bytes] = []
        is_over = False
        broken: ssl.SSLError | None = None
        try:
            while not is_over:
                piece = self._tls.read(_PIECE)
                is_over = not piece
                said.append(piece)
                if not self._incoming.pending:  # it takes whole records only: there is nothing more
                    break
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            broken = error
        self._flush()  # an update of the keys is answered
        if said and said[0]:
            super().data_received(said[0] if len(said) == 1 else b"".join(said))
        if is_over or broken is not None:
            self._break(broken)

    def _break(self, error: ssl.SSLError | None) -> None:
        """Take it that TLS is over: the server said so, or it broke."""
        exchange, self._exchange = self._exchange, None
        self._is_lost, self._error = True, error
        self.close()
        if exchange is not None:
            exchange.lost(error)


def why_not(error: ssl.SSLError) -> str:
    """Say why there is no secure connection."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"SSL certificate problem: {error.verify_message}"
    reason = getattr(error, "reason", None)  # only errors of OpenSSL have one
    return reason.replace("_", " ").lower() if reason else _words(error)


def _words(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or "connection lost"
