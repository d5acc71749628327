"""Turn the modules that touch every node of every tree into machine code, with mypyc.

It needs a C compiler and Python's headers; without them everything works as before, only slower.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchpin.engines import source
from benchpin.engines.source.compiled import GROUP, MODULES, folder_for_now

BUILD = """
import sys
from mypyc.build import mypycify
from setuptools import setup
group, target, *paths = sys.argv[1:]
extensions = mypycify(paths, group_name=group, target_dir=target, debug_level="0")
setup(name="compiled", packages=[], ext_modules=extensions, script_args=[
    "--quiet", "build_ext", "--build-lib", target, "--build-temp", target])
"""
ROOT = Path(__file__).parent.parent


def main() -> None:
    """Compile, unless that has been done."""
    folder = folder_for_now()
    if folder.is_dir():
        return
    with tempfile.TemporaryDirectory() as target:
        done = build(Path(target))
        if done.returncode:
            reason = (done.stderr or done.stdout).strip().rpartition("\n")[2]
            print(f"The walk stays interpreted, which is slower: {reason}", file=sys.stderr)
            return
        shutil.rmtree(folder.parent, ignore_errors=True)
        made = folder.with_suffix(".new")
        made.mkdir(parents=True)
        for library in Path(target, *source.__name__.split(".")).glob("*.so"):
            shutil.copy(library, made)
        made.rename(folder)


def build(target: Path) -> subprocess.CompletedProcess[str]:
    """Compile into a folder, in a process of its own: `setup` ends the one that it fails in."""
    command = [
        *(sys.executable, "-c", BUILD, f"{source.__name__}.{GROUP}", str(target)),
        f"--config-file={ROOT / 'pyproject.toml'}",
        *(str(Path(source.__file__).with_name(f"{name}.py")) for name in MODULES),
    ]
    environment = os.environ | {"MYPYPATH": str(ROOT / "src")}
    return subprocess.run(
        command, cwd=target, env=environment, capture_output=True, text=True, check=False
    )


if __name__ == "__main__":
    main()
