"""Compiles the C modules when there is a C compiler; without one gossamer is installed all the same, and is slower.

Each source is one module beside the Python file that uses it. They keep to Python's stable ABI (abi3), so that one build serves
every Python from 3.11 on. They are built in place, where an editable install finds them; a wheel takes them from there.

Who installs gossamer sees the compiler's warnings and no more comes of them. Where `GOSSAMER_STRICT` is set, as the Makefile
does, a warning is an error, and a module that cannot be compiled ends the build.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = "src/gossamer/**/_*.c"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden")
STRICT = "GOSSAMER_STRICT"


class CBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel, editable ones included."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say that the wheel is for this kind of machine."""
        built = [module for source in sorted(Path(self.root).glob(SOURCES)) if (module := compile_module(source))]
        if built:  # the others fall back, each alone
            build_data["artifacts"] += [str(module.relative_to(self.root)) for module in built]
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compile_module(source: Path, more: Sequence[str] = ()) -> Path | None:
    """Compile one source beside itself, with more flags; None: there is no compiler, or it failed, which is said.

    Strictly, what a compiler says is an error.
    """
    module = source.with_name(f"{source.stem}.abi3.so")
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    include, is_strict = sysconfig.get_path("include"), bool(os.environ.get(STRICT))
    if shutil.which(compiler[0]) is None:
        return _without(module, f"there is no C compiler {compiler[0]}")
    if not Path(include, "Python.h").exists():
        return _without(module, f"there is no Python.h in {include}")
    unfinished = module.with_suffix(f".{os.getpid()}")  # nobody loads half a module
    flags = [*FLAGS, *(["-Werror"] if is_strict else []), *more]
    result = subprocess.run(
        [*compiler, *flags, f"-I{include}", str(source), "-o", str(unfinished)], capture_output=True, text=True, check=False
    )
    if result.returncode:
        unfinished.unlink(missing_ok=True)
        _without(module, result.stderr)
        if is_strict:
            raise RuntimeError(f"{source} cannot be compiled without a warning: {result.stderr}")
        return None
    sys.stderr.write(result.stderr)
    unfinished.replace(module)
    return module


def _without(module: Path, reason: str) -> None:
    module.unlink(missing_ok=True)  # rather none than one of an older source
    sys.stderr.write(f"gossamer is installed without {module.name}, and is slower for it: {reason}\n")
