"""The Debian software that `tests/real` judges by: servers, documentation and a crawler that nobody here wrote.

`make witnesses` installs what is missing and starts no service; needs root and apt. Without arguments for the standard library
alone, because it runs before there is an environment. Exit code 1: something is missing still, and the last lines say what.
`--missing` only tells: the end of `make test` says what was not judged.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

POLICY = Path("/usr/sbin/policy-rc.d")  # asked by Debian before a package starts its service
NO_START = "#!/bin/sh\n# gossamer's make witnesses: nothing is started while it installs\nexit 101\n"


@dataclass(frozen=True)
class Witness:
    """A package and the file that shows it is there."""

    package: str
    shows: str  # path; a pattern where versions differ

    @property
    def path(self) -> Path | None:
        """Where it is; the newest when there are several."""
        return max(Path("/").glob(self.shows.removeprefix("/")), default=None)


NGINX = Witness("nginx", "/usr/sbin/nginx")
APACHE = Witness("apache2", "/usr/sbin/apache2")
WGET = Witness("wget2", "/usr/bin/wget2")
PYTHON = Witness("python3-doc", "/usr/share/doc/python3.*[0-9]/html/index.html")
POSTGRESQL = Witness("postgresql-doc", "/usr/share/doc/postgresql-doc-*/html/index.html")
MANUAL = Witness("apache2-doc", "/usr/share/doc/apache2-doc/manual/index.html")
WITNESSES = (NGINX, APACHE, WGET, PYTHON, POSTGRESQL, MANUAL)


def missing(witnesses: tuple[Witness, ...] = WITNESSES) -> list[str]:
    """Return the packages that are not there."""
    return [witness.package for witness in witnesses if witness.path is None]


def not_judged(packages: list[str]) -> str:
    """Say what a run without these packages did not show."""
    return f"NOT JUDGED by real servers and documentation: {', '.join(packages)} missing; as root run: make witnesses"


@contextmanager
def no_service_starts(policy: Path = POLICY) -> Iterator[None]:
    """Forbid packages to start their services; a policy that is there already comes back, also after a run that was killed."""
    aside = policy.with_name(f"{policy.name}.aside")
    if policy.exists() and policy.read_text() != NO_START:
        policy.rename(aside)
    policy.write_text(NO_START)
    policy.chmod(0o755)
    try:
        yield
    finally:
        policy.unlink()
        if aside.exists():
            aside.rename(policy)


def install(packages: list[str]) -> None:
    """Install packages and upgrade no other; apt says what went wrong."""
    options = ["-y", "-q", "--no-install-recommends", "-o", "APT::Get::Upgrade-By-Source-Package=false"]
    # Images for containers leave /usr/share/doc out; here the documentation is what is wanted.
    options += ["-o", "Dpkg::Options::=--path-include=/usr/share/doc/*"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with no_service_starts():
        for words in (["apt-get", "update", "-q"], ["apt-get", "install", *options, *packages]):
            subprocess.run(words, env=environment, check=False)


def main(words: list[str]) -> int:
    """Install or tell."""
    wanted = missing()
    if wanted and "--missing" not in words:
        if shutil.which("apt-get") is None or os.geteuid() != 0:
            sys.stdout.write("make witnesses installs Debian packages: it needs apt-get and root\n")
        else:
            install(wanted)
    if left := missing():
        sys.stdout.write(f"\n{'!' * 100}\n{not_judged(left)}\n{'!' * 100}\n")
    elif "--missing" not in words:
        sys.stdout.write("all witnesses are there\n")
    return 1 if left and "--missing" not in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
