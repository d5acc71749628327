"""Write values as literals of a file's language, so that no value can break out of its string.

A literal includes its quotes: templates write `name = {{ project_name }}`, never `"{{ … }}"`. It is
also safe within a comment of the language.
"""

import json
import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from jinja2 import Environment, nodes

Literal = Callable[[str], str]
# Formats that write values without quotes.
_WITHOUT_QUOTES = frozenset({"markdown", "path", "text", "xml"})
_RISKY_QUOTE = re.compile(r'"(?="|$)')
_BLOCK = ("*/",)
# What would end a comment, or start a trigraph in C.
_UNWELCOME: dict[str, tuple[str, ...]] = {
    "c": ("*/", "??"),
    "go": _BLOCK,
    "java": _BLOCK,
    "javascript": _BLOCK,
    "php": ("*/", "?>"),
    "rust": ("*/", "/*"),
    "xml": ("--",),
}
# A backslash at the end continues a comment line; in Java, \u000a breaks it.
_CONTINUED_BY_BACKSLASH = frozenset({"c", "dockerfile", "java", "make"})
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class Bare(str):
    """Text that is safe without quotes in every format."""

    __slots__ = ()


def _unprintable(text: str, escaped: Callable[[int], str]) -> str:
    """Escape invisible characters: controls, bidirectional marks, unusual spaces, surrogates."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else escaped(ord(char)) for char in text)


def _u4_or_u8(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the last code point of four hex digits


def _octal_or_utf16(code: int) -> str:
    """Escape for Java, which decodes Unicode escapes before it parses strings."""
    if code <= 0xFF:  # noqa: PLR2004 - three octal digits end here
        return f"\\{code:03o}"
    units = chr(code).encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _octal_bytes(code: int) -> str:
    return "".join(f"\\{byte:03o}" for byte in chr(code).encode("utf-8", "surrogatepass"))


def _braced(code: int) -> str:
    return f"\\u{{{code:x}}}"


def _slashed(text: str, quote: str = '"') -> str:
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}")


def _quoted(inner: str, *, ending: str = "", escaped: str = "") -> str:
    """Put text in double quotes; `ending`, which would end a comment, becomes `escaped`."""
    return f'"{inner.replace(ending, escaped) if ending else inner}"'


def json_literal(text: str) -> str:
    inner = json.dumps(text, ensure_ascii=False)[1:-1]
    return _quoted(_unprintable(inner, lambda code: json.dumps(chr(code))[1:-1]))


def javascript_literal(text: str) -> str:
    """Return a JavaScript or TypeScript string."""
    return json_literal(text).replace("*/", "*\\/")


def toml_literal(text: str) -> str:
    """Return a TOML basic string, which is also a double-quoted YAML scalar."""
    return _quoted(_unprintable(_slashed(text), _u4_or_u8))


def workflow_literal(text: str) -> str:
    """Return a YAML scalar for a GitHub workflow; `${{` in the value stays text."""
    return toml_literal(text.replace("${{", "${{ '${{' }}"))


def shell_literal(text: str) -> str:
    """Return one POSIX shell word."""
    inner = text.replace("'", "'\\''")
    return f"'{inner}'"


def make_literal(text: str) -> str:
    """Return one shell word within a Makefile recipe."""
    return shell_literal(text).replace("$", "$$")


def python_literal(text: str) -> str:
    """Return a Python string, in the quotes that formatters prefer."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return f"{quote}{_unprintable(_slashed(text, quote), _u4_or_u8)}{quote}"


def c_literal(text: str) -> str:
    """Return a C string; question marks are escaped because of trigraphs."""
    inner = _unprintable(_slashed(text), _octal_bytes).replace("?", "\\?")
    return _quoted(inner, ending="*/", escaped="*\\057")


def go_literal(text: str) -> str:
    """Return an interpreted Go string."""
    return _quoted(_unprintable(_slashed(text), _u4_or_u8), ending="*/", escaped="*\\x2f")


def rust_literal(text: str) -> str:
    """Return a Rust string; comments nest, so `/*` is escaped too."""
    inner = _unprintable(_slashed(text), _braced).replace("/*", "/\\x2a")
    return _quoted(inner, ending="*/", escaped="*\\x2f")


def java_literal(text: str) -> str:
    return _quoted(_unprintable(_slashed(text), _octal_or_utf16), ending="*/", escaped="*\\057")


def php_literal(text: str) -> str:
    """Return a PHP string, in single quotes where nothing needs an escape."""
    if text.isprintable() and "?>" not in text and "*/" not in text:
        inner = _slashed(text, "'")
        return f"'{inner}'"
    inner = _unprintable(_slashed(text).replace("$", "\\$"), _braced)
    return _quoted(inner.replace("?>", "?\\x3e"), ending="*/", escaped="*\\x2f")


def xml_text(text: str) -> str:
    """Return text for an XML element or attribute."""
    visible = _unprintable(text, lambda code: "\ufffd" if code < 0x20 else chr(code))  # noqa: PLR2004 - XML 1.0 cannot represent controls
    return escape(visible, {'"': "&quot;", "'": "&apos;"}).replace("--", "-&#45;")


def docker_literal(text: str) -> str:
    """Return a quoted word without substitutions, for a Dockerfile or CMake."""
    return _quoted(_slashed(text).replace("$", "\\$"))


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&!$])|^([-+=]|\d+(?=[.)]))", re.MULTILINE)


def markdown_text(text: str) -> str:
    """Return text that Markdown displays unchanged."""
    return _MARKDOWN.sub(_marked, text)


def _marked(found: re.Match[str]) -> str:
    if found[1]:
        return "&amp;" if found[1] == "&" else f"\\{found[1]}"
    lead = found[2]
    return f"\\{lead}" if not lead.isdigit() else f"{lead}\\"


def plain_text(text: str) -> str:
    """Return the text unchanged: plain text has no syntax."""
    return text


# How each format writes a string.
LITERALS: dict[str, Literal] = {
    "c": c_literal,
    "cmake": docker_literal,
    "dockerfile": docker_literal,
    "go": go_literal,
    "java": java_literal,
    "javascript": javascript_literal,
    "json": json_literal,
    "make": make_literal,
    "markdown": markdown_text,
    "php": php_literal,
    "python": python_literal,
    "rust": rust_literal,
    "sh": shell_literal,
    "text": plain_text,
    "toml": toml_literal,
    "workflow": workflow_literal,
    "xml": xml_text,
    "yaml": toml_literal,
}


_BY_NAME = {
    "CMakeLists.txt": "cmake",
    "Dockerfile": "dockerfile",
    "GNUmakefile": "make",
    "Makefile": "make",
    ".clang-format": "yaml",
    ".clang-tidy": "yaml",
}


_SUFFIXES = {
    "c": ".c .cc .cpp .h .hpp",
    "cmake": ".cmake",
    "dockerfile": ".dockerfile",
    "go": ".go",
    "java": ".java",
    "javascript": ".js .mjs .ts",
    "json": ".json .jsonc",
    "make": ".mk",
    "markdown": ".md",
    "php": ".php",
    "python": ".py .pyi",
    "rust": ".rs",
    "sh": ".bash .sh",
    "toml": ".toml",
    "xml": ".html .svg .xml",
    "yaml": ".cff .yaml .yml",
}


_BY_SUFFIX = {suffix: name for name, all_ in _SUFFIXES.items() for suffix in all_.split()}


_WORKFLOWS = ".github/workflows/"


def format_of(path: str) -> str:
    """Return the format of a file, which decides how values are quoted."""
    if path.startswith(_WORKFLOWS):
        return "workflow"
    name = path.rpartition("/")[2]
    suffix = name[name.rfind(".") :] if "." in name else ""
    return _BY_NAME.get(name) or _BY_SUFFIX.get(suffix, "text")


# Refuse templates that put their own quotes around a value, where it could break out.


def require_no_quotes_around(
    environment: "Environment", name: str, source: str, texts: Collection[str]
) -> None:
    """Check a source; `texts` are the parameters that are strings.

    Raises:
        ValueError: naming the line where a value is in quotes.
        TemplateError: when the source is not Jinja2.
    """
    from jinja2 import nodes

    if name in _WITHOUT_QUOTES:
        return
    for output in environment.parse(source).find_all(nodes.Output):
        line = ""
        for node in output.nodes:
            if isinstance(node, nodes.TemplateData):
                line = (line + node.data).rpartition("\n")[2]
            elif _is_within_quotes(line) and _is_text(node, texts):
                message = f"line {node.lineno}: values already have quotes; remove yours"
                raise ValueError(message)


def _is_within_quotes(line: str) -> bool:
    return line.count('"') % 2 == 1 or line.endswith("'")


def _is_text(node: "nodes.Node", texts: Collection[str]) -> bool:
    """Whether an expression is certainly a string, which is written with quotes."""
    from jinja2 import nodes

    if isinstance(node, nodes.Filter):
        return node.name in LITERALS
    return isinstance(node, nodes.Concat) or (isinstance(node, nodes.Name) and node.name in texts)


# Jinja2 filters whose result needs no quotes: spellings of names, comments, docstrings, URLs.


def _words(text: str) -> list[str]:
    return _WORDS.findall(text)


def kebab(text: str) -> Bare:
    """Spell it `like-this`."""
    return Bare("-".join(_words(text)).lower())


def snake(text: str) -> Bare:
    """Spell it `like_this`."""
    return Bare("_".join(_words(text)).lower())


def shout(text: str) -> Bare:
    """Spell it `LIKE_THIS`."""
    return Bare("_".join(_words(text)).upper())


def flat(text: str) -> Bare:
    """Spell it `likethis`."""
    return Bare("".join(_words(text)).lower())


def pascal(text: str) -> Bare:
    """Spell it `LikeThis`."""
    return Bare("".join(word[0].upper() + word[1:] for word in _words(text)))


def camel(text: str) -> Bare:
    """Spell it `likeThis`."""
    spelled = pascal(text)
    return Bare(spelled[:1].lower() + spelled[1:])


def word(value: object) -> Bare:
    """Return a version or a name unchanged.

    Raises:
        ValueError: when it has characters other than letters, digits and `._+-`.
    """
    text = str(value)
    if not _WORD.fullmatch(text):
        message = f"{text!r} is not one plain word; quote it, or give its parameter a pattern"
        raise ValueError(message)
    return Bare(text)


def folders(text: str) -> Bare:
    """Spell a dotted name as a path: `org/stars`."""
    return Bare("/".join(_words(text)))


def comment(text: str, name: str) -> Bare:
    """Make text safe in a one-line comment: a blank breaks up what would end it."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    for mark in _UNWELCOME.get(name, ()):
        while mark in line:
            line = line.replace(mark, f"{mark[0]} {mark[1]}")
    if name in _CONTINUED_BY_BACKSLASH:
        line = line.replace("\\", "/")
    if name == "xml":
        line = line.rstrip("-")
    return Bare(line)


def docstring(text: str) -> Bare:
    """Return a Python docstring."""
    visible = "".join(char if char.isprintable() else " " for char in text)
    escaped = _RISKY_QUOTE.sub(r"\"", visible.replace("\\", "\\\\"))
    return Bare(f'"""{escaped}"""')


def percent(text: str) -> Bare:
    """Return a URL or path with other characters percent-encoded."""
    return Bare(quote(text, safe="/:@.-_~"))


# Filters whose result is written without quotes; `comment` is replaced for each format.
FILTERS: dict[str, Callable[[str], Bare]] = {
    "camel": camel,
    "comment": lambda text: comment(text, "text"),
    "docstring": docstring,
    "flat": flat,
    "folders": folders,
    "kebab": kebab,
    "pascal": pascal,
    "shout": shout,
    "snake": snake,
    "url": percent,
    "word": word,
}
