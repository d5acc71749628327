"""Pack the files of a repository into one text for a model."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import quoteattr

import msgspec

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.core.text import is_own_output, plain, sendable, utf8
from benchpin.repository import RepositoryTree, is_binary_name, is_documentation, language_of
from benchpin.repository.manifests import is_manifest
from benchpin.workspace.walking import SourceFile, WalkOptions, is_product_path

from ._secrets import find_secrets
from ._shown import ShownPath
from ._text_facts import TextFacts, TextFactsCache, text_facts
from ._tokens import count_tokens

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
PackFormat = Literal["markdown", "xml"]
MAX_FILE_BYTES = 50 << 20
MAX_PACK_BYTES = 200 << 20
_BOMS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TICKS = re.compile("`{3,}")
# Characters that a slow machine joins, hashes and stores in a second.
_WRITTEN_PER_S = 150e6
# Files that a slow machine adds to the list of a pack in a second.
_LISTED_PER_S = 150e3
# An upper bound for the heading, the fences and the list entry of a file.
_MARKUP_TOKENS = 24


def packing_options(include: tuple[str, ...], exclude: tuple[str, ...]) -> WalkOptions:
    """Return the options of the walk; files that git ignores are always left out."""
    return WalkOptions(
        include_patterns=include,
        exclude_patterns=(*DEFAULT_EXCLUDES, *exclude),
        include_vendored=True,
    )


class PackedFile(Item):
    """A file of the pack."""

    path: ShownPath
    tokens: int
    size_bytes: int


class FileWithSecret(Item):
    """A file that was left out because it contains a secret."""

    path: ShownPath
    line: int
    secret: str


@dataclass(slots=True)
class Pack:
    """The packed text, and which files are in it and which are not."""

    text: str = ""
    tokens: int = 0
    files: list[PackedFile] = field(default_factory=list)
    over_budget: list[PackedFile] = field(default_factory=list)
    refused: list[FileWithSecret] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Content:
    file: SourceFile
    text: str
    """Without surrounding white space."""
    tokens: int


def pack(tree: RepositoryTree, style: PackFormat, token_budget: int | None, job: Job) -> Pack:
    """Pack the files of a tree; a budget is spent on the most important files first."""
    packed = Pack(skipped=Counter(tree.skipped))
    cache = TextFactsCache.of(tree.session)
    try:
        contents = _read_all(tree, cache, job, packed)
    finally:
        cache.save()
    write = _markdown if style == "markdown" else _xml
    chosen = _within(tree, contents, token_budget, packed)
    packed.files = [_packed(it) for it in chosen]
    packed.text, markup = write(tree, chosen, job)
    job.report(0, None, "tokens")
    packed.tokens = sum(it.tokens for it in chosen) + count_tokens(markup)
    return packed


def _read_all(
    tree: RepositoryTree, cache: TextFactsCache, job: Job, packed: Pack
) -> list[_Content]:
    contents: list[_Content] = []
    total = 0
    for done, file in enumerate(job.each(tree.files, "files")):
        left_s = job.time_left_s()
        end_s = total / _WRITTEN_PER_S + len(contents) / _LISTED_PER_S
        if left_s is not None and left_s < end_s:
            job.leave_out(f"{len(tree.files) - done} of {len(tree.files)} files")
            break
        data = _read(tree, file, packed)
        if data is not None and is_own_output(data):
            packed.skipped["written by Benchpin"] += 1
            continue
        text = None if data is None else decode(data)
        if data is None or text is None:
            packed.skipped["binary"] += data is not None
            continue
        facts = _facts(file, data, text, cache)
        if facts.secrets:
            line, secret = facts.secrets[0]
            packed.refused.append(FileWithSecret(path=file.path, line=line, secret=secret))
            continue
        text = text.strip()
        total += len(text)
        if total > MAX_PACK_BYTES:
            packed.skipped["past the size limit of a pack"] += 1
            continue
        contents.append(_Content(file, text, facts.tokens or 0))
    return contents


def _read(tree: RepositoryTree, file: SourceFile, packed: Pack) -> bytes | None:
    """Return the content of a file that may be text; count it as skipped otherwise."""
    data = None
    if is_binary_name(file.path):
        reason = "binary"
    elif file.size_bytes > MAX_FILE_BYTES:
        reason = "too large"
    else:
        data, reason = tree.read(file.path, MAX_FILE_BYTES), "unreadable"
    if data is None:
        packed.skipped[reason] += 1
    return data


def decode(data: bytes) -> str | None:
    """Decode a text; None when the bytes are not text."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
        return None if _CONTROLS.search(text) else text


def _facts(file: SourceFile, data: bytes, text: str, cache: TextFactsCache) -> TextFacts:
    known = cache.find(file)
    if known is not None and known.tokens is not None:
        return known
    facts = msgspec.structs.replace(
        known or text_facts(file, data),
        tokens=count_tokens(text.strip()),
        secrets=find_secrets(text, file.path),
    )
    cache.add(file.path, facts)
    return facts


def _within(
    tree: RepositoryTree, contents: Sequence[_Content], budget: int | None, packed: Pack
) -> list[_Content]:
    """Select files by importance until the budget is spent; the result is in order of path."""
    if budget is None:
        return list(contents)
    left, chosen = budget, set()
    for content in sorted(contents, key=lambda it: _importance(tree.local(it.file.path))):
        needed = content.tokens + count_tokens(sendable(content.file.path)) + _MARKUP_TOKENS
        if needed <= left:
            left -= needed
            chosen.add(content.file.path)
        else:
            packed.over_budget.append(_packed(content))
    return [it for it in contents if it.file.path in chosen]


def _importance(local: str) -> tuple[int, int, str]:
    name = local.rpartition("/")[2].lower()
    depth = local.count("/")
    found = language_of(local, None)
    if depth == 0 and (name.startswith("readme") or is_manifest(local)):
        rank = 0
    elif not is_product_path(local):
        rank = 3
    elif is_documentation(local):
        rank = 2
    else:
        rank = 1 if found is not None and found[1] == "programming" else 4
    return rank, depth, local


def _packed(content: _Content) -> PackedFile:
    return PackedFile(
        path=content.file.path, tokens=content.tokens, size_bytes=content.file.size_bytes
    )


def _markdown(tree: RepositoryTree, contents: Sequence[_Content], job: Job) -> tuple[str, str]:
    """Return the pack, and separately the part that is not content of files."""
    listing = "\n".join(
        f"- {plain(sendable(it.file.path))} ({it.tokens} tokens)" for it in contents
    )
    title = _title(tree)
    head = f"# {title}\n\n{len(contents)} files\n\n{listing}\n"
    parts, markup = [head], [head]
    for done, content in enumerate(contents):
        job.report(done, len(contents), "packed files")
        fence = _fence(content.text)
        ending = content.file.path.rpartition("/")[2].rpartition(".")[2]
        language = ending if ending.isalnum() else ""
        opening = f"\n## {plain(sendable(content.file.path))}\n\n{fence}{language}\n"
        parts += (opening, content.text, f"\n{fence}\n")
        markup.append(f"{opening}{fence}\n")
    return "".join(parts), "".join(markup)


def _title(tree: RepositoryTree) -> str:
    return utf8(tree.base.rstrip("/") or tree.root.name)


def _fence(text: str) -> str:
    """Return a fence that is longer than any in the text."""
    if "```" not in text:
        return "```"
    return "`" * (max(map(len, _TICKS.findall(text))) + 1)


def _xml(tree: RepositoryTree, contents: Sequence[_Content], job: Job) -> tuple[str, str]:
    """Return the pack as well-formed XML, and separately the part that is not content."""
    name = quoteattr(_title(tree))
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    head += f'<repository name={name} files="{len(contents)}">\n'
    parts, markup = [head], [head]
    for done, content in enumerate(contents):
        job.report(done, len(contents), "packed files")
        path = quoteattr(_NOT_XML.sub("\ufffd", sendable(content.file.path)))
        opening = f'<file path={path} tokens="{content.tokens}"><![CDATA[\n'
        body = _NOT_XML.sub("\ufffd", content.text).replace("]]>", "]]]]><![CDATA[>")
        parts += (opening, body, "\n]]></file>\n")
        markup.append(f"{opening}]]></file>\n")
    parts.append("</repository>\n")
    return "".join(parts), "".join(markup)
