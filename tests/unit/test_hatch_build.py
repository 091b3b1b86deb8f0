"""What is compiled: there where a compiler is, in wheels of the right kind, and gossamer can be installed without."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").glob("gossamer/**/_*.c"))
MODULES = [".".join(source.relative_to(ROOT / "src").with_suffix("").parts) for source in SOURCES]
HAS_HEADERS = Path(sysconfig.get_path("include"), "Python.h").exists()  # some systems ship them apart
COMPILER = shutil.which(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]) if HAS_HEADERS else None


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all that a build reads."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def build(tree: Path, **environment: str) -> tuple[str, list[str]]:
    """Build a wheel; return the end of its name, and which compiled modules it holds."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(command, cwd=tree, env={**os.environ, "GOSSAMER_STRICT": "", **environment}, check=True, capture_output=True)
    [wheel] = (tree / "dist").iterdir()
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    [about] = [archive.read(name) for name in names if name.endswith(".dist-info/WHEEL")]
    assert (b"Root-Is-Purelib: true" in about) == wheel.name.endswith("-none-any.whl")
    assert not [name for name in names if name.endswith((".c", ".h"))]
    return wheel.name.partition("-cp")[2] or wheel.name.partition("-py")[2], [name for name in names if name.endswith(".so")]


@pytest.mark.parametrize("name", MODULES)
def test_where_there_is_a_compiler_the_modules_are_built_from_the_sources_as_they_are(name: str) -> None:
    spec = find_spec(name)
    if COMPILER is None:
        assert spec is None
        return
    again = "run `pip install --no-deps -e .`: tests that run on the slow way only are worth half"
    assert spec is not None and spec.origin is not None, f"{name} is not compiled although there is {COMPILER}; {again}"
    built = Path(spec.origin)
    sources = [path for path in built.parent.iterdir() if path.suffix in (".c", ".h")]
    assert all(path.stat().st_mtime <= built.stat().st_mtime for path in sources), f"{name} is older than its sources; {again}"


def test_a_wheel_with_compiled_modules_is_for_this_kind_of_machine(tree: Path) -> None:
    tag, modules = build(tree)
    if COMPILER is None:
        assert (tag, modules) == ("3-none-any.whl", [])
        return
    assert tag.startswith("311-abi3-linux_")
    assert sorted(modules) == sorted(f"{name.replace('.', '/')}.abi3.so" for name in MODULES)


def test_without_a_compiler_the_wheel_is_for_every_machine(tree: Path) -> None:
    assert build(tree, CC="/no/compiler") == ("3-none-any.whl", [])


def test_a_compiler_that_fails_costs_only_speed(tree: Path) -> None:
    assert build(tree, CC="false") == ("3-none-any.whl", [])


@pytest.mark.skipif(COMPILER is None, reason="there is no compiler to fail")
def test_a_module_that_cannot_be_compiled_is_missing_alone(tree: Path) -> None:
    (tree / "src/gossamer/url/_join.c").write_text("this is no C\n")
    _, modules = build(tree)
    assert sorted(modules) == sorted(f"{name.replace('.', '/')}.abi3.so" for name in MODULES if name != "gossamer.url._join")


WARNED = "int of_no_use(int unused) { return 1; }\n"


@pytest.mark.skipif(COMPILER is None, reason="there is no compiler to warn")
def test_a_warning_is_told_to_a_user_and_ends_the_build_of_ours(tree: Path) -> None:
    for source in (tree / "src").glob("gossamer/**/_*.c"):
        source.unlink()
    (tree / "src/gossamer/_warned.c").write_text(WARNED)
    assert "gossamer/_warned.abi3.so" in build(tree)[1]
    shutil.rmtree(tree / "dist")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        build(tree, GOSSAMER_STRICT="1")
    assert b"cannot be compiled without a warning" in caught.value.stderr
