"""Which files are packed by default: the same as in repomix.

Lock files, build output, caches and binary files are left out.
"""

from benchpin.workspace.walking import WalkOptions

_FOLDERS = """
    .bundle .gradle .hg .ipynb_checkpoints .mypy_cache .npm .pytest_cache .svn .venv .yarn
    __pycache__ bower_components jspm_packages node_modules target venv
"""
_FOLDERS_AT_THE_TOP = """
    .dynamodb .fusebox .grunt .idea .next .nuxt .nyc_output .parcel-cache .rollup.cache .sass-cache
    .serverless .vscode .vuepress/dist .webpack.cache build coverage dist lib-cov logs out pids
    temp tmp typings vendor
"""
_FILES = """
    *.bak *.log *.py[cod] *.rs.bk *.swn *.swo *.swp .DS_Store .yarn-integrity Cargo.lock
    Cargo.toml.orig Gemfile.lock Pipfile.lock Thumbs.db bun.lock bun.lockb cabal.project.freeze
    composer.lock go.sum mix.lock npm-debug.log* package-lock.json pnpm-lock.yaml poetry.lock
    repomix-output.* stack.yaml.lock uv.lock yarn-debug.log* yarn-error.log* yarn.lock
"""
_FILES_AT_THE_TOP = """
    *.cache *.pid *.pid.lock *.seed *.tgz .env .eslintcache .hgignore .lock-wscript
    .node_repl_history
"""
DEFAULT_EXCLUDES = (
    *(f"{name}/" for name in _FOLDERS.split()),
    *(f"/{name}/" for name in _FOLDERS_AT_THE_TOP.split()),
    *_FILES.split(),
    *(f"/{name}" for name in _FILES_AT_THE_TOP.split()),
)


def packing_options(include: tuple[str, ...], exclude: tuple[str, ...]) -> WalkOptions:
    """Return the options of the walk; files that git ignores are always left out."""
    return WalkOptions(
        include_patterns=include,
        exclude_patterns=(*DEFAULT_EXCLUDES, *exclude),
        include_vendored=True,
    )
