"""`gossamer shell`: one page and a Python prompt, to try out what a reader will do."""

import code
from pathlib import Path
from types import CodeType
from typing import Annotated, Any

import typer

from gossamer.cli.crawl import AllowPrivate, Contact, Insecure, Resolve, Set, UserAgent, flags_of
from gossamer.errors import ScriptError

BANNER = "page is {page!r}\ntry page.title, page.css_first('h1').text(), page.links, page.json_ld(); Ctrl-D ends"
GIVEN = "-c"  # what code of the command line is called


def shell(
    url: Annotated[str, typer.Argument(metavar="URL", help="the page")],
    command: Annotated[str | None, typer.Option("--command", "-c", help="run this code and end", metavar="CODE")] = None,
    script: Annotated[Path | None, typer.Option(help="run this file first: its readers are at hand", metavar="FILE")] = None,
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="do not ask robots.txt; for sites of your own")
    ] = False,
    allow_private: AllowPrivate = None,
    resolve: Resolve = None,
    insecure: Insecure = False,
    contact: Contact = None,
    user_agent: UserAgent = None,
    set_: Set = None,
) -> None:
    """Fetch one URL, after asking robots.txt, and open a Python prompt with `page`, as readers of scripts see it.

    What a reader of `--script` finds is tried out with `list(item(page))`.
    """
    from gossamer.assemble import read_script
    from gossamer.config.load import load
    from gossamer.jobs.peek import peek
    from gossamer.readers.scripts.marks import reads

    flags = flags_of(
        set_, allow_private=allow_private, resolve=resolve, insecure=insecure, contact=contact, user_agent=user_agent
    )
    if ignore_robots:
        flags["robots.obey"] = False
    names: dict[str, Any] = {"__name__": "__console__", "reads": reads}
    wanted = _compiled(command, GIVEN) if command is not None else None
    if script is not None:
        _run(_compiled(read_script(script), str(script)), names)
    names["page"] = peek(url, load((), flags))
    if wanted is not None:
        _run(wanted, names)
        return
    import readline  # noqa: F401 - gives the prompt a history

    code.interact(banner=BANNER.format(page=names["page"]), local=names, exitmsg="")


def _compiled(text: str | bytes, name: str) -> CodeType:
    """Compile code; of an expression, the value is shown."""
    try:
        return compile(text, name, "single" if name == GIVEN else "exec")
    except SyntaxError as error:
        raise ScriptError(f"{name}, line {error.lineno}: {error.msg}; mend it and start again") from None


def _run(compiled: CodeType, names: dict[str, Any]) -> None:
    """Run a user's code; what it raises is told with its line, and ends the command."""
    from gossamer.readers.scripts.loading import line_in

    try:
        exec(compiled, names)
    except Exception as error:  # noqa: BLE001 - whatever a user's own code raises
        name = compiled.co_filename
        raise ScriptError(f"{name}, line {line_in(name, error)}: {type(error).__name__}: {error}") from None
