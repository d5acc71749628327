"""Turn the modules that touch every node of every tree into machine code, with mypyc.

It needs a C compiler and Python's headers; without them everything works as before, only slower.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from benchpin.engines import source
from benchpin.engines.source.compiled import GROUP, MODULES, current_folder

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


class Unbuildable(Exception):
    """There will be no machine code."""


def main() -> None:
    """Compile, unless that has been done."""
    if current_folder().is_dir():
        return
    try:
        check_tools()
        print("Compiling the walk over syntax trees, which takes half a minute.")
        compile_for_now()
    except (OSError, Unbuildable) as error:
        print(f"The walk over syntax trees stays interpreted, which is slower: {error}")


def check_tools() -> None:
    """Look for what would be missed only after a long while.

    Raises:
        Unbuildable: when it is not there.
    """
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        raise Unbuildable(f"there is no C compiler {compiler!r}")
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        raise Unbuildable("Python's headers are not installed")


def compile_for_now() -> None:
    """Put machine code of the modules where it is looked for.

    Raises:
        OSError: when it cannot be written.
        Unbuildable: when the modules cannot be compiled, or were edited meanwhile.
    """
    folder = current_folder()
    folder.parent.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as target,
        tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as draft,
    ):
        done = build(Path(target))
        if done.returncode:
            raise Unbuildable((done.stderr or done.stdout).strip().rpartition("\n")[2])
        made = Path(draft, "made")
        shutil.copytree(
            Path(target, *source.__name__.split(".")),
            made,
            ignore=shutil.ignore_patterns("*.c", "*.h", "*.o"),
        )
        if current_folder() != folder:
            raise Unbuildable("the modules were edited meanwhile; run it again")
        for old in folder.parent.glob(f"*{EXTENSION_SUFFIXES[0]}"):
            old.rename(Path(draft, old.name))
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
