"""Pack the bundle for desktop hosts (MCPB), have the official program check it, and start it.

It is started as a host starts it: unpacked, by uv, on a folder that the user chose.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from npm_packages import ROOT, UNAVAILABLE, Unavailable, prepare, script

BUNDLE = ROOT / "bundle"
DIST = ROOT / "dist"
PING = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
_START_TIMEOUT_S = 180


def main() -> int:
    """Check, pack, start; return how it ended."""
    try:
        node = prepare()
    except Unavailable as error:
        print(f"Cannot pack the bundle: {error}")
        return UNAVAILABLE
    manifest = json.loads((BUNDLE / "manifest.json").read_text(encoding="utf-8"))
    packed = DIST / f"{manifest['name']}-{manifest['version']}.mcpb"
    DIST.mkdir(exist_ok=True)
    mcpb = (str(node), str(script("@anthropic-ai/mcpb", "mcpb")))
    for command in (("validate", str(BUNDLE)), ("pack", str(BUNDLE), str(packed))):
        subprocess.run([*mcpb, *command], check=True, stdout=subprocess.DEVNULL)
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv is None or not list(DIST.glob("*.whl")):
        print(f"{packed.name} is valid; it was not started, which needs uv and a wheel in dist/")
        return 0
    answer = start(packed, manifest["server"]["mcp_config"]["args"], uv)
    print(f"{packed.name} is valid, {packed.stat().st_size:,} bytes, and answers {answer.strip()}")
    return 0 if '"result"' in answer else 1


def start(packed: Path, arguments: list[str], uv: str) -> str:
    """Return what an unpacked bundle answers to a ping."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(packed) as bundle:
        bundle.extractall(folder)
        replaced = {"${__dirname}": folder, "${user_config.workspace}": str(BUNDLE)}
        done = subprocess.run(
            [uv, *(replaced.get(it, it) for it in arguments)],
            input=PING,
            env={**os.environ, "UV_FIND_LINKS": str(DIST), "UV_PYTHON": sys.executable},
            capture_output=True,
            text=True,
            timeout=_START_TIMEOUT_S,
            check=False,
        )
    return done.stdout or done.stderr


if __name__ == "__main__":
    sys.exit(main())
