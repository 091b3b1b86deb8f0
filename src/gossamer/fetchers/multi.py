"""libcurl's transfers, driven by the loop: one descriptor in it for all of libcurl's sockets, one timer, one look at the ended.

libcurl says which sockets it waits for, and changes its mind several times a request. To tell the loop each time takes longer
than all the rest, so they are in an epoll of our own, and the loop watches only that. What libcurl calls back never calls into
libcurl: it only notes what is to be done.
"""

import asyncio
import select
from typing import Any

import pycurl

_INTEREST = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}
_BROKEN = select.EPOLLERR | select.EPOLLHUP
_MILLISECONDS = 1000


class Multi:
    """Runs transfers; belongs to the loop in which the first one is begun."""

    def __init__(self) -> None:
        self._multi: Any = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        self._ready = select.epoll()
        self._watched: dict[int, int] = {}
        self._results: dict[Any, asyncio.Future[tuple[int, str]]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due: float | None = None  # when libcurl wants to be called
        self._timer: asyncio.TimerHandle | None = None  # never later than that
        self._is_called_soon = False
        self._is_closed = False

    def limit(self, connections: int) -> None:
        """Keep at most so many connections."""
        self._multi.setopt(pycurl.M_MAXCONNECTS, connections)

    async def perform(self, curl: Any) -> tuple[int, str]:
        """Run a transfer to its end; return libcurl's code and words. Cancelled, it is taken out at once."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(self._ready.fileno(), self._act)
        result = self._results[curl] = self._loop.create_future()
        try:
            self._multi.add_handle(curl)
            ended: tuple[int, str] = await result
            return ended
        finally:
            if self._results.pop(curl, None) is not None:
                self._multi.remove_handle(curl)

    def end(self, curl: Any, code: int, text: str) -> None:
        """End a transfer before libcurl does, with a code and words of its own; not from what libcurl calls back."""
        self._end(curl, code, text)

    def close(self) -> None:
        """Close every connection; transfers under way are cancelled."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._loop is not None:
            self._loop.remove_reader(self._ready.fileno())
        for curl, result in list(self._results.items()):
            del self._results[curl]
            self._multi.remove_handle(curl)
            result.cancel()
        self._multi.close()
        self._ready.close()

    # --- called by libcurl --------------------------------------------------------------------------------------------

    def _on_socket(self, what: int, descriptor: int, _multi: Any, _data: object) -> None:
        """Watch a socket for what libcurl waits for. One that was closed has left the epoll by itself."""
        before = self._watched.get(descriptor)
        interest = _INTEREST.get(what)
        if interest == before:
            return
        if interest is None:  # even one watched for nothing would wake us when it breaks
            del self._watched[descriptor]
            self._forget(descriptor)
            return
        self._watched[descriptor] = interest
        if before is not None:
            try:
                self._ready.modify(descriptor, interest)
                return
            except FileNotFoundError:
                pass
        self._ready.register(descriptor, interest)

    def _forget(self, descriptor: int) -> None:
        try:
            self._ready.unregister(descriptor)
        except OSError:
            pass

    def _on_timer(self, milliseconds: int) -> None:
        """Note when libcurl wants to be called. A timer that is early is left alone: it looks again when it ends."""
        if self._loop is None or self._is_closed:
            return
        if milliseconds <= 0:
            self._due = None
            if milliseconds == 0:
                self._call_soon()
            return
        self._due = self._loop.time() + milliseconds / _MILLISECONDS
        if self._timer is None or self._timer.when() > self._due:
            self._set_timer(self._due)

    # --- called by the loop -------------------------------------------------------------------------------------------

    def _call_soon(self) -> None:
        """Call libcurl in the next turn of the loop, once for all that begins in this one."""
        if not self._is_called_soon:
            assert self._loop is not None
            self._is_called_soon = True
            self._loop.call_soon(self._call)

    def _call(self) -> None:
        self._is_called_soon = False
        if not self._is_closed:
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
            self._collect()

    def _set_timer(self, due: float) -> None:
        assert self._loop is not None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._on_time)

    def _on_time(self) -> None:
        assert self._loop is not None
        self._timer = None
        due, now = self._due, self._loop.time()
        if due is None:
            return
        if due > now:
            self._set_timer(due)
            return
        self._due = None
        self._call()

    def _act(self) -> None:
        """Tell libcurl which sockets are ready."""
        for descriptor, events in self._ready.poll(0):
            mask = 0
            if events & select.EPOLLIN:
                mask |= pycurl.CSELECT_IN
            if events & select.EPOLLOUT:
                mask |= pycurl.CSELECT_OUT
            if events & _BROKEN:
                mask |= pycurl.CSELECT_IN | pycurl.CSELECT_OUT  # it finds out itself what is wrong
            self._multi.socket_action(descriptor, mask)
        self._collect()

    def _collect(self) -> None:
        """Hand on what has ended."""
        waiting = 1
        while waiting:
            waiting, whole, failed = self._multi.info_read()
            for curl in whole:
                self._end(curl, pycurl.E_OK, "")
            for curl, code, text in failed:
                self._end(curl, code, text)

    def _end(self, curl: Any, code: int, text: str) -> None:
        result = self._results.pop(curl, None)
        if result is not None:
            self._multi.remove_handle(curl)
            if not result.done():
                result.set_result((code, text))
