"""What gossamer is compared with, installed as far as this machine allows: from PyPI into `bench/.venv`, from apt as root.

Nothing here is needed to run gossamer. What cannot be had is left out of the comparison, and the tables say so.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
REQUIREMENTS = HERE / "requirements.txt"
READY = ENVIRONMENT / ".ready"
PACKAGES = {"wget": "wget", "wget2": "wget2"}  # command, and the Debian package that brings it
DOCUMENTATION = "python3-doc"


def install() -> list[str]:
    """Install what is missing; return sentences about what could not be had."""
    return [*_from_pypi(), *_from_apt()]


def has_peers() -> bool:
    """Tell whether the environment of the Python peers is there."""
    return PYTHON.exists() and READY.exists()


def _from_pypi() -> list[str]:
    if READY.exists() and READY.stat().st_mtime > REQUIREMENTS.stat().st_mtime:
        return []
    print("installing Scrapy and Crawlee into bench/.venv ...", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(REQUIREMENTS)]
    for command in ([sys.executable, "-m", "venv", str(ENVIRONMENT)], pip):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            return [f"Scrapy and Crawlee are left out: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}"]
    READY.touch()
    return []


def _from_apt() -> list[str]:
    missing = [package for command, package in PACKAGES.items() if shutil.which(command) is None]
    if not any(Path("/usr/share/doc").glob("python3*-doc/html")):
        missing.append(DOCUMENTATION)
    if not missing:
        return []
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing {', '.join(missing)} with apt-get ...", flush=True)
        command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment).returncode == 0:
            return []
    return [f"{package} is left out: apt-get install {package}" for package in missing]
