"""A forum: threads of many pages, each page of postings distinct, in chains far longer than a crawler goes deep."""

import re
from collections.abc import Sequence
from math import ceil

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.giant import Giant
from gossamer.simweb.mazes.maze import MISSING, MazePage, write

_PAGES = 3_000
_LONGEST = 60  # pages of a thread
_POSTINGS = 20  # on a page
_BOARD = 25  # threads on a page of the board
_JUMP = 10
_THREAD = re.compile(r"/thread/(\d+)(?:\?start=(\d+))?")
_LIST = re.compile(r"/board\?start=(\d+)")


class Forum(Giant):
    """Three thousand pages of postings."""

    def __init__(self, exhibit: str, seed: int, scale: float) -> None:
        super().__init__(exhibit, seed)
        left = max(20, round(_PAGES * scale))
        self._threads = [min(_LONGEST, left // 2)]  # pages of each; one is long however small the forum
        left -= self._threads[0]
        rng = self.chance("threads")
        while left:
            self._threads.append(min(left, int(_LONGEST ** rng.random())))
            left -= self._threads[-1]

    def answer(self, path: str) -> MazePage:
        if path == "/":
            links = [(_board(page), f"threads from {page * _BOARD}") for page in range(self._boards())]
            return write("The forum", self.tell(path, 60, 120), links)
        if (board := self._find_board(path)) is not None:
            threads = range(board * _BOARD, min(len(self._threads), (board + 1) * _BOARD))
            links = [(_post(thread, 0), self._subject(thread)) for thread in threads]
            return write(f"Threads from {board * _BOARD}", self.tell(path, 60, 90), [("/", "forum"), *links])
        post = self._find_post(path)
        return MISSING if post is None else self._postings(path, *post)

    def owns(self, path: str) -> str | None:
        known = path == "/" or self._find_post(path) is not None or self._find_board(path) is not None
        return path if known else None

    def paths(self) -> Sequence[str]:
        boards = [_board(page) for page in range(self._boards())]
        posts = [_post(thread, page) for thread, pages in enumerate(self._threads) for page in range(pages)]
        return ["/", *boards, *posts]

    def _postings(self, path: str, thread: int, page: int) -> MazePage:
        last = self._threads[thread] - 1
        jumps = {0, page - _JUMP, page - 1, page + 1, page + _JUMP, last} - {page}
        links = [(_post(thread, other), f"page {other + 1}") for other in sorted(jumps) if 0 <= other <= last]
        links += [("/", "forum"), (_board(thread // _BOARD), "board")]
        return write(f"{self._subject(thread)}, page {page + 1}", self.tell(path, 150, 300), links)

    def _boards(self) -> int:
        return ceil(len(self._threads) / _BOARD)

    def _subject(self, thread: int) -> str:
        return f"{prose.label(thread * 53 + 11)} {thread}"

    def _find_board(self, path: str) -> int | None:
        found = _LIST.fullmatch(path)
        board, odd = divmod(int(found[1]), _BOARD) if found else (0, 1)
        return board if not odd and board < self._boards() else None

    def _find_post(self, path: str) -> tuple[int, int] | None:
        found = _THREAD.fullmatch(path)
        if found is None or int(found[1]) >= len(self._threads):
            return None
        thread, (page, odd) = int(found[1]), divmod(int(found[2] or 0), _POSTINGS)
        return (thread, page) if not odd and page < self._threads[thread] and _post(thread, page) == path else None


def _board(page: int) -> str:
    return f"/board?start={page * _BOARD}"


def _post(thread: int, page: int) -> str:
    return f"/thread/{thread}?start={page * _POSTINGS}" if page else f"/thread/{thread}"
