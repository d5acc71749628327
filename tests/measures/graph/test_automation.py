"""What workflows, container files and Compose files run and use."""

from collections.abc import Mapping

from benchpin.measures.graph import find_automation

FILES = {
    ".github/workflows/ci.yml": """on:
  push:
    paths: ["scripts/lint.py"]
jobs:
  test:
    container: python:3.12
    services:
      db:
        image: postgres:17  # the newest
    steps:
      - uses: actions/checkout@v5
      - uses: ./.github/actions/setup
      - run: python scripts/check.py --all
      - name: Build
        working-directory: web
        run: |
          ./build.sh "${{ github.workspace }}/scripts/pack.sh" && echo scripts/gone.py
          python -m shop.cli
      - run: >-
          bash scripts/pack.sh
        env:
          NOTE: scripts/lint.py
""",
    ".github/actions/setup/action.yml": "runs:\n  steps:\n    - run: scripts/setup.sh\n",
    "Dockerfile": """FROM python:3.12-slim AS base
FROM base
COPY --chown=app scripts/check.py web/build.sh /srv/
COPY --from=base /srv/x /srv/y
RUN pip install . && \\
    python scripts/check.py
ENTRYPOINT ["./scripts/start.sh", "--all"]
""",
    "compose.yaml": """services:
  web:
    build: web
    image: shop/web:latest
    command: ["scripts/start.sh"]
  db:
    build:
      context: .
      dockerfile: web/Dockerfile
    entrypoint:
      - scripts/setup.sh
""",
    ".gitlab-ci.yml": "test:\n  image: ruby:3.4\n  script:\n  - scripts/check.py\n  - make\n",
    **dict.fromkeys(
        (
            *("scripts/check.py", "scripts/lint.py", "scripts/pack.sh", "scripts/setup.sh"),
            *("scripts/start.sh", "web/build.sh", "web/Dockerfile", "src/shop/cli.py"),
        ),
        "",
    ),
}


def steps(files: Mapping[str, str]) -> list[tuple[str, int, str, str]]:
    def read(path: str) -> bytes | None:
        if not path.endswith("/"):
            return files[path].encode() if path in files else None
        inside = (it.rpartition("/") for it in files)
        return "\n".join(name for folder, _, name in inside if folder == path[:-1]).encode()

    found = find_automation(read, frozenset({"web", "scripts"}))
    return [(it.file, it.line, it.kind, it.target) for it in found]


def of(path: str) -> list[tuple[int, str, str]]:
    return [it[1:] for it in steps(FILES) if it[0] == path]


def test_a_workflow_runs_scripts_and_uses_actions_and_images() -> None:
    assert of(".github/workflows/ci.yml") == [
        (6, "image", "python:3.12"),
        (9, "image", "postgres:17"),
        (11, "action", "actions/checkout@v5"),
        (12, "action", ".github/actions/setup/action.yml"),
        (13, "runs", "scripts/check.py"),
        (17, "runs", "web/build.sh"),
        (17, "runs", "scripts/pack.sh"),
        (18, "runs", "src/shop/cli.py"),
        (20, "runs", "scripts/pack.sh"),
    ]


def test_an_action_of_the_repository_runs_scripts() -> None:
    assert of(".github/actions/setup/action.yml") == [(3, "runs", "scripts/setup.sh")]


def test_a_container_file_is_built_from_an_image_and_copies_and_runs_files() -> None:
    assert of("Dockerfile") == [
        (1, "image", "python:3.12-slim"),
        (3, "copies", "scripts/check.py"),
        (3, "copies", "web/build.sh"),
        (6, "runs", "scripts/check.py"),
        (7, "runs", "scripts/start.sh"),
    ]


def test_compose_builds_container_files_and_runs_commands() -> None:
    assert of("compose.yaml") == [
        (3, "builds", "web/Dockerfile"),
        (4, "image", "shop/web:latest"),
        (5, "runs", "scripts/start.sh"),
        (8, "builds", "Dockerfile"),
        (9, "builds", "web/Dockerfile"),
        (11, "runs", "scripts/setup.sh"),
    ]


def test_jobs_of_gitlab_are_read_too() -> None:
    assert of(".gitlab-ci.yml") == [(2, "image", "ruby:3.4"), (4, "runs", "scripts/check.py")]


def test_a_program_that_is_called_as_a_folder_is_no_file() -> None:
    files = {"Dockerfile": "RUN shop\nCOPY shop /srv\n", "shop/a.py": ""}
    assert steps(files) == [("Dockerfile", 2, "copies", "shop")]


def test_what_is_no_automation_has_no_steps() -> None:
    assert steps({"a.py": "", "web/notes.yml": "run: a.py\n"}) == []
    assert (
        steps({"Dockerfile": "\x00 FROM\nRUN\nCOPY\n\\\n", ".github/workflows/a.yml": ":::\n- -"})
        == []
    )
