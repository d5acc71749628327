"""Small repositories of every kind, as mappings from paths to texts."""

from collections.abc import Mapping
from pathlib import Path

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.repository import RepositoryTree
from benchpin.workspace.walking import WalkOptions, walk


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


def tree_of(root: Path, files: Mapping[str, str | bytes] | None = None) -> RepositoryTree:
    write_files(root, files or {})
    return open_tree(root)


def open_tree(root: Path, options: WalkOptions | None = None) -> RepositoryTree:
    """Return the files of a repository in a new session; its cache is next to the repository."""
    walked = walk(root, "", options or WalkOptions(), Job())
    session = WorkspaceSession(root, root.with_name(f"{root.name}-cache"))
    return RepositoryTree(session, "", walked.files, walked.skipped)


PYTHON_LIBRARY: dict[str, str | bytes] = {
    "pyproject.toml": """\
[project]
name = "Parcel"
version = "2.1.0"
license = "BSD-3-Clause"
dependencies = [
    "click>=8.1",
    "werkzeug>=3.1.0",
]

[project.optional-dependencies]
async = ["asgiref>=3.2"]
docs = ["sphinx<9"]

[project.scripts]
parcel = "parcel.cli:main"

[dependency-groups]
tests = ["pytest"]

[build-system]
requires = ["flit_core<4"]
build-backend = "flit_core.buildapi"
""",
    "uv.lock": "version = 1\n",
    "README.md": """\
# Parcel

## A Simple Example

```
$ parcel --app hello run
```

See [the guide](docs/quickstart.md#first-steps) and [the API](docs/api.md#missing).

## Contributing
""",
    "LICENSE.txt": "SPDX-License-Identifier: BSD-3-Clause\n",
    "docs/quickstart.md": "# Quickstart\n\n## First steps\n",
    "docs/api.md": "# API\n",
    "docs/design.md": "# Why it is so\n\n[gone](../src/parcel/gone.py)\n",
    "docs/patterns/deploying.md": "# Deploying\n",
    "src/parcel/__init__.py": '"""Send parcels."""\n',
    "src/parcel/__main__.py": "from .cli import main\n\nmain()\n",
    "src/parcel/cli.py": (
        "def main():\n"
        '    """Run it."""\n'
        "    return Sender().send()\n\n\n"
        "class Sender:\n"
        "    def send(self):\n"
        "        return 1\n\n"
        "    def _pack(self):\n"
        "        return 2\n"
    ),
    "tests/test_cli.py": (
        "from parcel.cli import main\n\n\ndef test_main():\n    assert main() == 1\n"
    ),
    ".github/workflows/tests.yaml": "on: push\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\x00\x00",
}

NODE_MONOREPO: dict[str, str | bytes] = {
    "package.json": """\
{
  "name": "@kiln/monorepo",
  "private": true,
  "license": "MIT",
  "scripts": {
    "build": "pnpm -r run build",
    "test": "vitest",
    "lint": "eslint .",
    "dev": "vite"
  },
  "devDependencies": {
    "typescript": "^6.0.0",
    "vitest": "^4.0.0"
  }
}
""",
    "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - '!packages/old'\n",
    "pnpm-lock.yaml": "lockfileVersion: 9\n",
    "packages/kiln/package.json": """\
{
  "name": "kiln",
  "version": "4.0.1",
  "bin": { "kiln": "bin/kiln.js" },
  "dependencies": { "postcss": "^8.5.0" },
  "peerDependencies": { "sass": "*" },
  "optionalDependencies": { "fsevents": "~2.3.3" }
}
""",
    "packages/kiln/template-react/package.json": '{"name": "kiln-react-starter"}\n',
    "packages/old/package.json": '{"name": "kiln-old"}\n',
    "packages/kiln/src/index.ts": "export function fire(heat: number) { return heat }\n",
    "packages/kiln/src/styles.css": "a { color: red }\n",
    "packages/kiln/tests/fixtures/broken/package.json": "{ not json\n",
    "README.md": "# Kiln\n\n## Getting Started\n\n```sh\npnpm run build\npnpm run deploy\n```\n",
    ".gitlab-ci.yml": "test:\n  script: pnpm test\n",
}

RUST_WORKSPACE: dict[str, str | bytes] = {
    "Cargo.toml": """\
[package]
name = "sift"
version = "15.1.0"
license = "Unlicense OR MIT"

[[bin]]
name = "sf"
path = "crates/core/main.rs"

[workspace]
members = ["crates/glob", "crates/core"]

[dependencies]
anyhow = "1.0.75"
glob-set = { version = "0.4", path = "crates/glob" }
index = { version = "0.1", optional = true }

[dev-dependencies]
serde = { version = "1", features = ["derive"] }

[target.'cfg(windows)'.dependencies]
winapi-util = "0.1.6"
""",
    "Cargo.lock": "version = 4\n",
    "crates/glob/Cargo.toml": """\
[package]
name = "glob-set"
version = "0.4.2"

[dependencies]
log = { workspace = true }
""",
    "crates/glob/src/lib.rs": "/// Match.\npub fn matches() -> bool { true }\npub struct Glob;\n",
    "crates/core/main.rs": "fn main() { glob_set::matches(); }\n",
    "COPYING": "Dual-licensed: choose.\n",
    "README.md": "Sift\n====\n\n### Installation\n\n### Building\n",
    "tests/regression.rs": "#[test]\nfn regression() {}\n",
}
