"""Test and pack the extension for VS Code: `vscode.py`. Needs npm; without it, it says so and ends.

The package is build/benchpin.vsix. There is no lock file, because it would name the registry.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "editors/vscode"


def main() -> int:
    """Install what it needs, run its tests, and pack it."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not at hand: the extension for VS Code was not packed.")
        return 0
    target = ROOT / "build/benchpin.vsix"
    target.parent.mkdir(exist_ok=True)
    for command in (
        ("install", "--no-audit", "--no-fund", "--no-package-lock"),
        ("test",),
        ("run", "package", "--", "--out", str(target)),
    ):
        done = subprocess.run([npm, *command], cwd=FOLDER, check=False)
        if done.returncode:
            return done.returncode
    print(f"Packed {target.relative_to(ROOT)}, {target.stat().st_size:,} bytes.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
