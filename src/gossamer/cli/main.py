"""`gossamer`: how it begins, and how errors leave the program: one sentence, an exit code, no traceback."""

import gc
import os
import sys
import tempfile
import traceback
from types import TracebackType

from gossamer.errors import GossamerError
from gossamer.run.garbage import BEGINNING


def run() -> None:
    """Run the command line."""
    sys.excepthook = _unexpected
    gc.set_threshold(*BEGINNING)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would look for some in all that is installed
    from gossamer.cli import output
    from gossamer.cli.commands import COMMANDS, application

    asked = sys.argv[1:2]
    try:
        application(asked if asked and asked[0] in COMMANDS else COMMANDS)()  # to build them all would take 50 ms
    except GossamerError as error:
        output.fail(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    finally:
        gc.freeze()  # the process ends: to look through everything once more takes 50 ms


def _unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report a bug of ours: the sentence to the user, the trace to a file."""
    from gossamer.cli import output

    if issubclass(kind, KeyboardInterrupt):
        output.fail("interrupted")
        os._exit(130)
    with tempfile.NamedTemporaryFile("w", prefix="gossamer-bug-", suffix=".txt", delete=False) as file:
        traceback.print_exception(kind, error, trace, file=file)
    output.fail(f"this is a bug in gossamer: {kind.__name__}: {error}; please report it with {file.name}")
