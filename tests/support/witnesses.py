"""The software that `tests/real` judges by: servers, documentation, applications and crawlers that nobody here wrote.

`make witnesses` installs what is missing and starts no service: Debian's with apt, which needs root; PyPI's into an environment
of its own, `.witnesses/venv`; npm's, which are only read, into `.witnesses/npm`. Without arguments for the standard library
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

HERE = Path(__file__).parents[2] / ".witnesses"  # what is installed beside the system, and what applications were filled with
FILLED = HERE / "filled"
ENVIRONMENT = HERE / "venv"
REQUIREMENTS = Path(__file__).parent / "applications" / "requirements.txt"
POLICY = Path("/usr/sbin/policy-rc.d")  # asked by Debian before a package starts its service
NO_START = "#!/bin/sh\n# gossamer's make witnesses: nothing is started while it installs\nexit 101\n"


@dataclass(frozen=True)
class Witness:
    """A package and the file that shows it is there."""

    package: str
    shows: str  # path; a pattern where versions differ
    listed: Path | None = None  # the file of requirements that PyPI's packages stand in; None: a Debian package
    npm: bool = False  # a package of npm, fetched as it is and unpacked; nothing of it is run but by a browser

    @property
    def path(self) -> Path | None:
        """Where it is; the newest when there are several."""
        return max(Path("/").glob(self.shows.removeprefix("/")), default=None)


def _from_pypi(package: str) -> Witness:
    return Witness(package, f"{ENVIRONMENT}/lib/python3*/site-packages/{package}/__init__.py", REQUIREMENTS)


NGINX = Witness("nginx", "/usr/sbin/nginx")
APACHE = Witness("apache2", "/usr/sbin/apache2")
WGET = Witness("wget2", "/usr/bin/wget2")
TINYPROXY = Witness("tinyproxy-bin", "/usr/bin/tinyproxy")  # the program without the service
MICROSOCKS = Witness("microsocks", "/usr/bin/microsocks")
PYTHON = Witness("python3-doc", "/usr/share/doc/python3.*[0-9]/html/index.html")
POSTGRESQL = Witness("postgresql-doc", "/usr/share/doc/postgresql-doc-*/html/index.html")
MANUAL = Witness("apache2-doc", "/usr/share/doc/apache2-doc/manual/index.html")
FASTCGI = Witness("php-cgi", "/usr/bin/php-cgi")  # named first: PHP wants a server, and this one leaves Apache as it is
PHP = Witness("php-cli", "/usr/bin/php")
CGI = Witness("fcgiwrap", "/usr/sbin/fcgiwrap")
DOKUWIKI = Witness("dokuwiki", "/usr/share/dokuwiki/doku.php")
CGIT = Witness("cgit", "/usr/lib/cgit/cgit.cgi")
GIT = Witness("git", "/usr/bin/git")
WORDPRESS = Witness("wordpress", "/usr/share/wordpress/wp-load.php")
THEME = Witness("wordpress-theme-twentytwentyone", "/usr/share/wordpress/wp-content/themes/twentytwentyone/style.css")
MARIADB = Witness("mariadb-server-core", "/usr/sbin/mariadbd")
CLIENT = Witness("mariadb-client-core", "/usr/bin/mariadb")
MEDIAWIKI = Witness("mediawiki", "/usr/share/mediawiki/index.php")
SQLITE = Witness("php-sqlite3", "/usr/lib/php/*/pdo_sqlite.so")
CHROMIUM = Witness("chromium", "/usr/bin/chromium")
AXE = Witness("axe-core", f"{HERE}/npm/axe-core/package/axe.min.js", npm=True)
PROMETHEUS = Witness("prometheus", "/usr/bin/prometheus")  # and promtool
SYSTEMD = Witness("systemd", "/usr/bin/systemd-analyze")
SCRAPY = _from_pypi("scrapy")
TRAC = _from_pypi("trac")
MACHINA = _from_pypi("machina")
SERVED = (NGINX, APACHE, WGET, PYTHON, POSTGRESQL, MANUAL)
PACKAGED = (FASTCGI, PHP, CGI, DOKUWIKI, CGIT, GIT, WORDPRESS, THEME, MARIADB, CLIENT, MEDIAWIKI, SQLITE)
PROXIES = (TINYPROXY, MICROSOCKS)
WATCHERS = (PROMETHEUS, SYSTEMD)
BROWSERS = (CHROMIUM, AXE)
WITNESSES = (*SERVED, *PROXIES, *PACKAGED, *WATCHERS, *BROWSERS, TRAC, MACHINA, SCRAPY)


def missing(witnesses: tuple[Witness, ...] = WITNESSES) -> list[str]:
    """Return the packages that are not there."""
    return [witness.package for witness in witnesses if witness.path is None]


def not_judged(packages: list[str]) -> str:
    """Say what a run without these packages did not show."""
    return f"NOT JUDGED by real software: {', '.join(packages)} missing; as root run: make witnesses"


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


def install_apart(requirements: Path = REQUIREMENTS, environment: Path = ENVIRONMENT) -> None:
    """Install what stands in a file of requirements into an environment of its own; pip says what went wrong."""
    python = environment / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "-r", str(requirements)]
    for words in ([sys.executable, "-m", "venv", str(environment)], pip):
        if subprocess.run(words, check=False).returncode:
            return


def fetch_from_npm(package: str, below: Path = HERE / "npm") -> bool:
    """Fetch a package of npm and unpack it below a directory; return whether that went well, npm says what did not."""
    place = below / package
    if shutil.which("npm") is None:
        sys.stdout.write(f"make witnesses fetches {package} with npm, which is missing\n")
        return False
    place.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["npm", "pack", "--silent", package], cwd=place, check=False).returncode:
        return False
    packed = max(place.glob("*.tgz"), key=lambda file: file.stat().st_mtime)
    shutil.unpack_archive(packed, place, "gztar", filter="data")
    return True


def main(words: list[str]) -> int:
    """Install or tell."""
    if "--missing" not in words:
        if wanted := missing(tuple(one for one in WITNESSES if one.listed is None and not one.npm)):
            if shutil.which("apt-get") is None or os.geteuid() != 0:
                sys.stdout.write("make witnesses installs Debian packages: it needs apt-get and root\n")
            else:
                install(wanted)
        if missing(tuple(one for one in WITNESSES if one.listed)):
            install_apart()
        for package in missing(tuple(one for one in WITNESSES if one.npm)):
            fetch_from_npm(package)
    if left := missing():
        sys.stdout.write(f"\n{'!' * 100}\n{not_judged(left)}\n{'!' * 100}\n")
    elif "--missing" not in words:
        sys.stdout.write("all witnesses are there\n")
    return 1 if left and "--missing" not in words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
