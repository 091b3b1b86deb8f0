"""A bounded fuzz of what is compiled, and of what reads the wire: first everything that ever failed, then new inputs.

An input is made from the name of its target and a seed: `python tests/support/fuzz.py --target scan --seed 17 --count 1` meets
it again. The seed is written down before an input is tried, so that it is known where the process dies. What fails goes into
`tests/corpus/TARGET/` and is tried first from then on.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

from fuzzed import TARGETS

CORPUS = Path(__file__).parents[1] / "corpus"
_WORDS = {  # of the languages of the targets
    "scan": rb"""
        < > </ <!-- --> <a href= " ' # & &amp; &#x; <script> </script> <svg> <math> <template> </template> <title> <textarea
        <frameset> <frame src=x> <![CDATA[ ]]> <img srcset= <plaintext> <meta content= rel=nofollow <p </p> = / \x00
        \xc2\xa0 \xe2""",
    "join": rb"""
        http:// https:// // / ../ ./ ? # : %2e %2E . .. a.test xn-- site.test 1.2.3.4 [::1] \\ @ ^ | \x09 \x0a \xc3\xa9 \xed""",
    "simhash": rb"""
        a word words \xe4\xb8\xad \xe3\x81\x82 \xe0\xb8\x81 \xf0\x9f\x98\x80 \xc3\xa9 , . 0 aaaaaaaa bbbbbbbbb""",
    "head": rb"""
        HTTP/1.1 HTTP/1.0 200 204 \x0d\x0a \x0a \x0d Content-Length: Transfer-Encoding: chunked gzip , 5 -1 999999999999999999
        Connection: close Location: x : \x00 \x09 \x20 \x20\x20 \x0d\x0a\x20 \x0d\x0a\x0d\x0a \x0a\x0a""",
    "chunk": rb"""
        \x0d\x0a \x0a \x0d 0 1 2 a A f 10 ; x=y fffffffffffffff 0\x0d\x0a\x0d\x0a 1\x0d\x0aa\x0d\x0a X: \x20 \x00 0000001""",
}


def made(target: str, seed: int) -> bytes:
    """Make an input: words of the target's language and any bytes, sometimes the same again and again."""
    chance = Random(f"{target} {seed}")
    words = [word.decode("unicode_escape").encode("latin-1") for word in _WORDS.get(target, b"").split()]
    parts = [bytes(chance.choices(range(256), k=chance.randrange(4)))]
    for _ in range(chance.choice((3, 10, 40, 150))):
        if words and chance.random() < 0.8:
            parts.append(chance.choice(words) + chance.choice((b"", b"", b" ")))
        else:
            parts.append(bytes(chance.choices(range(256), k=chance.choice((1, 2, 8, 30)))))
        if chance.random() < 0.02:
            parts[-1] *= chance.choice((10, 300))
    return b"".join(parts)


def replay(target: str) -> int:
    """Try again what ever failed; return how many inputs that was."""
    files = sorted((CORPUS / target).glob("*"))
    for file in files:
        _try(target, file.read_bytes(), str(file.name))
    return len(files)


def run(target: str, seed: int, seconds: float, count: int = sys.maxsize, note: int | None = None) -> int:
    """Try inputs from a seed on, for so many seconds or so many of them; return how many. `note` is a file for the seed."""
    end, tried = time.monotonic() + seconds, 0
    while tried < count and time.monotonic() < end:
        if note is not None:
            os.pwrite(note, b"%20d" % (seed + tried), 0)
        _try(target, made(target, seed + tried), f"--seed {seed + tried} --count 1")
        tried += 1
    return tried


def _try(target: str, data: bytes, which: str) -> None:
    try:
        TARGETS[target](data)
    except BaseException as problem:
        problem.add_note(f"python tests/support/fuzz.py --target {target} {which}; the input is {data[:300]!r}")
        raise


def _apart(target: str, seed: int, seconds: float, count: int) -> bool:
    """Fuzz in a child, which may die; keep what it died of."""
    note = os.memfd_create("seed")
    child = os.fork()
    if child == 0:
        try:
            again = replay(target)
            sys.stdout.write(f"{target}: {again} again, {run(target, seed, seconds, count, note)} new\n")
            sys.stdout.flush()
            os._exit(0)
        finally:  # it failed, which the parent must not go on with
            if (problem := sys.exc_info())[0] is not None:
                sys.excepthook(*problem)
            sys.stderr.flush()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    last = os.pread(note, 20, 0)
    os.close(note)
    if status and last:
        file = CORPUS / target / f"{int(last)}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made(target, int(last)))
        sys.stdout.write(f"{target}: died or failed at --seed {int(last)}, kept as {file.relative_to(CORPUS.parents[1])}\n")
    elif status:
        sys.stdout.write(f"{target}: something of tests/corpus/{target} fails\n")
    sys.stdout.flush()
    return not status


def main() -> int:
    """Fuzz all targets, or some, one after the other."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", nargs="*", default=list(TARGETS), choices=list(TARGETS))
    arguments.add_argument("--seed", type=int, default=None, help="the first; another one each time unless given")
    arguments.add_argument("--seconds", type=float, default=60.0, help="of all targets together")
    arguments.add_argument("--count", type=int, default=sys.maxsize, help="of inputs for a target")
    given = arguments.parse_args()
    seed = Random().randrange(1 << 40) if given.seed is None else given.seed
    sys.stdout.write(f"fuzzing from seed {seed} on: {', '.join(given.target)}\n")
    sys.stdout.flush()
    went_well = [_apart(target, seed, given.seconds / len(given.target), given.count) for target in given.target]
    return 0 if all(went_well) else 1


if __name__ == "__main__":
    sys.exit(main())
