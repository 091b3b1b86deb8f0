"""A command of ours as it can be typed into a shell, whatever is in the names of files."""

import shlex


def command(*words: object) -> str:
    """Return the command line of these words."""
    return shlex.join(["gossamer", *map(str, words)])
