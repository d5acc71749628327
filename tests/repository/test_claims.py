from collections.abc import Mapping
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.repository import read_manifests
from benchpin.repository.documents._documents import parse
from benchpin.repository.documents.documentation_check import check_claims
from repository_kit import tree_of

FILES = {
    "Makefile": ".PHONY: test build\ntest:\n\tpytest\nbuild clean: x\n\ttrue\nNAME := x\n",
    "package.json": '{"name": "kiln", "scripts": {"dev": "vite"}, "bin": {"other": "x.js"}}',
    "pyproject.toml": '[project]\nname = "parcel"\n[project.scripts]\nparcel = "parcel:main"\n',
    "scripts/run.sh": "true\n",
    "requirements.txt": "",
    "src/parcel/__init__.py": "",
    "src/parcel/tool.py": "",
    "sub/package.json": '{"scripts": {"sub": "x"}}',
}


def claims(root: Path, readme: str, files: Mapping[str, str] = FILES) -> list[tuple[str, int, str]]:
    tree = tree_of(root, {**files, "README.md": readme})
    manifests, _ = read_manifests(tree, Job())
    found = check_claims(tree, "README.md", readme, parse(readme), manifests, Job())
    return [(it.rule, it.line, it.message.partition(": ")[0]) for it in found]


@pytest.mark.parametrize(
    ("command", "rule", "message"),
    [
        ("make deploy", "unknown-command", "Makefile has no target deploy"),
        ("cd sub && make", "unknown-command", "There is no Makefile in sub/"),
        ("npm run deploy", "unknown-command", "package.json has no script deploy for npm"),
        ("npm test", "unknown-command", "package.json has no script test for npm"),
        (
            "cd sub && yarn run dev",
            "unknown-command",
            "sub/package.json has no script dev for yarn",
        ),
        ("sh scripts/gone.sh", "missing-file", "scripts/gone.sh does not exist"),
        ("sudo DEBUG=1 ./configure", "missing-file", "configure does not exist"),
        (
            "pip install -r requirements/dev.txt",
            "missing-file",
            "requirements/dev.txt does not exist",
        ),
        ("python -m parcel.gone", "missing-file", "src/parcel/gone.py does not exist"),
        ("python -m parcel", "missing-file", "src/parcel/__main__.py does not exist"),
        ("kiln build", "unknown-command", "package.json declares no command kiln"),
    ],
)
def test_missing_files_and_commands_are_reported(
    tmp_path: Path, command: str, rule: str, message: str
) -> None:
    assert claims(tmp_path, f"# X\n\n```sh\n{command}\n```\n") == [(rule, 4, message)]


@pytest.mark.parametrize(
    "command",
    [
        "make test build clean V=1",
        "make -C elsewhere thing",
        "npm run dev -- --port 3000",
        "npm install",
        "npm run --workspace=sub sub",
        "cd sub && npm run sub",
        "cd unknown && make anything",
        "bash scripts/run.sh && pip install -r requirements.txt",
        "python -m parcel.tool",
        "python -m http.server",
        "parcel send",
        "python your_script.py your_script.py",
        "./build/$TARGET",
        "git clone https://example.org/x.git && cd x && make x",
        "npm create kiln@latest && npm run never",
        "echo 'unbalanced",
    ],
)
def test_existing_and_undecidable_commands_are_accepted(tmp_path: Path, command: str) -> None:
    assert claims(tmp_path, f"```bash\n{command}\n```\n") == []


def test_only_lines_with_a_prompt_are_commands_where_there_are_prompts(tmp_path: Path) -> None:
    readme = "```console\n$ make test\nmake gone\n$ make away\n```\n\n```\nmake nothing\n```\n"
    assert claims(tmp_path, readme) == [("unknown-command", 4, "Makefile has no target away")]


def test_a_file_that_the_text_mentions_elsewhere_is_not_reported(tmp_path: Path) -> None:
    readme = "Save this as `hello.py`:\n\n```sh\npython hello.py\n```\n"
    assert claims(tmp_path, readme) == []


def test_the_same_problem_is_reported_once(tmp_path: Path) -> None:
    readme = "```sh\nmake gone\nmake gone\n```\n"
    assert claims(tmp_path, readme) == [("unknown-command", 2, "Makefile has no target gone")]


def test_a_generated_makefile_is_not_reported_as_missing(tmp_path: Path) -> None:
    assert claims(tmp_path, "```sh\nmake install\n```\n", {"configure": "#!/bin/sh\n"}) == []
