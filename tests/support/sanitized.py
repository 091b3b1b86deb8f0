"""`make sanitize`: the compiled modules with gcc's address and undefined-behaviour sanitizers, under their tests and a fuzz.

A copy of the package is built in `.sanitize`; the ordinary build stays as it is. Python runs with the sanitizers' runtime
loaded first, and takes each object from `malloc`, so that a byte read behind a string is seen. Leaks are not looked for: an
interpreter never gives back all it took.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from hatch_build import FLAGS, STRICT, compile_module  # noqa: E402 - it stands in the root

BUILD = ROOT / ".sanitize"
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g", "-O1")
TESTS = (  # what runs compiled code in this process; children with a limit of memory cannot hold a sanitizer's tables
    *(f"tests/unit/{name}" for name in ("compiled", "dedupe", "frontier", "lessons", "storage", "url", "test_edges.py")),
    *(f"tests/unit/{name}.py" for name in ("processors/test_html", "processors/test_scan")),
    *(f"tests/contracts/test_{name}.py" for name in ("deduper", "frontier", "frontier_model")),
    *(f"tests/contracts/test_{name}.py" for name in ("graph", "lessons", "near", "processor")),
)
MISSING = "make sanitize needs gcc with its sanitizers, and here {what}; on Debian `apt install gcc libc6-dev` brings them"


class Unavailable(Exception):
    """There is no sanitizer here; says why."""


def environment(build: Path = BUILD) -> dict[str, str]:
    """Return the environment in which Python runs the sanitized build; raise Unavailable where that cannot be."""
    return {
        **os.environ,
        "PYTHONPATH": str(build),
        "PYTHONMALLOC": "malloc",
        "LD_PRELOAD": " ".join(_library(name) for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_segv=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def _library(name: str) -> str:
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        raise Unavailable(MISSING.format(what=f"there is no {compiler[0]}"))
    asked = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    if not Path(asked.stdout.strip()).is_absolute():
        raise Unavailable(MISSING.format(what=f"{compiler[0]} has no {name}"))
    return str(Path(asked.stdout.strip()).resolve())


def built(build: Path = BUILD) -> Path:
    """Build what is not built yet, or has changed since; return the folder to import from."""
    environment(build)  # first: nothing is compiled that cannot run
    os.environ[STRICT] = "1"
    skipped = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "src", build, ignore=skipped, dirs_exist_ok=True)
    shutil.copy(ROOT / "hatch_build.py", build)
    newest = max(path.stat().st_mtime for ending in ("_*.[ch]", "hatch_build.py") for path in build.rglob(ending))
    stale = [source for source in sorted(build.rglob("_*.c")) if _age(source.with_name(f"{source.stem}.abi3.so")) < newest]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        if not all(threads.map(lambda source: compile_module(source, SANITIZERS), stale)):
            raise Unavailable(MISSING.format(what="nothing can be compiled"))
    return build


def _age(module: Path) -> float:
    return module.stat().st_mtime if module.exists() else 0.0


def main() -> int:
    """Build, test and fuzz; say what failed first."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=120.0, help="of fuzzing, of all targets together")
    arguments.add_argument("--tests", nargs="*", default=TESTS, help="which tests to run; none: only the fuzz")
    given = arguments.parse_args()
    try:
        built()
    except Unavailable as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    sys.stdout.write(f"the modules are built with {' '.join((*FLAGS, *SANITIZERS))}\n")
    sys.stdout.flush()
    fuzz = [str(Path(__file__).with_name("fuzz.py")), "--seconds", str(given.seconds)]
    commands = [["-m", "pytest", "--timeout", "600", *given.tests]] if given.tests else []
    for command in (*commands, fuzz):
        done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment(), check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
