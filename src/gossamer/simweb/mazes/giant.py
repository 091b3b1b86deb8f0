"""What the honest giants share: many pages behind numbers, dates and long queries, each of which says something of its own.

A giant is finite, and every page is within a few hops of its root: lists lead to lists, and long chains have jumps.
"""

from abc import abstractmethod
from collections.abc import Sequence

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.maze import Maze


class Giant(Maze):
    """A site that is large and honest: nothing on it is a trap. A content's name is its path."""

    boundless = False

    def contents(self) -> Sequence[str]:
        return self.paths()

    @abstractmethod
    def paths(self) -> Sequence[str]:
        """List every path."""

    def tell(self, path: str, least: int, most: int) -> str:
        """Return the text of a path."""
        rng = self.chance(path)
        return prose.tell(rng, rng.randint(least, most))
