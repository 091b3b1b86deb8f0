"""Compiles the C modules when there is a C compiler; without one gossamer is installed all the same, and is slower.

Each source is one module beside the Python file that uses it. They keep to Python's stable ABI (abi3), so that one build serves
every Python from 3.11 on. They are built in place, where an editable install finds them; a wheel takes them from there.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = "src/gossamer/**/_*.c"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")


class CBuildHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel, editable ones included."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say that the wheel is for this kind of machine."""
        built = [compile_module(source) for source in sorted(Path(self.root).glob(SOURCES))]
        if all(built):
            build_data["artifacts"] += [str(module.relative_to(self.root)) for module in built if module]
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compile_module(source: Path) -> Path | None:
    """Compile one source beside itself; None: there is no compiler, or it failed, which is said and is no error."""
    module = source.with_name(f"{source.stem}.abi3.so")
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        return _without(module, f"there is no C compiler {compiler[0]}")
    unfinished = module.with_suffix(f".{os.getpid()}")  # nobody loads half a module
    command = [*compiler, *FLAGS, f"-I{sysconfig.get_path('include')}", str(source), "-o", str(unfinished)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        unfinished.unlink(missing_ok=True)
        return _without(module, result.stderr)
    unfinished.replace(module)
    return module


def _without(module: Path, reason: str) -> None:
    module.unlink(missing_ok=True)  # rather none than one of an older source
    sys.stderr.write(f"gossamer is installed without {module.name}, and is slower for it: {reason}\n")
