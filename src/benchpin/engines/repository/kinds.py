"""What a file is, by its name: its language, and what it is there for.

Shares of languages are counted as GitHub counts them: by bytes, of what is written to be run or
shown; prose and data are named with their size, and have no share.
"""

import re
from functools import cache
from typing import Literal

from benchpin.engines.source import languages as source_languages

LanguageKind = Literal["programming", "markup", "prose", "data"]

_NAMES: dict[str, str] = {
    "bash": "Shell",
    "c": "C",
    "cpp": "C++",
    "csharp": "C#",
    "go": "Go",
    "java": "Java",
    "javascript": "JavaScript",
    "kotlin": "Kotlin",
    "php": "PHP",
    "python": "Python",
    "ruby": "Ruby",
    "rust": "Rust",
    "scala": "Scala",
    "swift": "Swift",
    "tsx": "TypeScript",
    "typescript": "TypeScript",
}
"""How people call the languages that are parsed here."""

_MORE: dict[LanguageKind, dict[str, str]] = {
    "programming": {
        "Assembly": ".asm .s",
        "Batchfile": ".bat .cmd",
        "Clojure": ".clj .cljs .cljc",
        "CoffeeScript": ".coffee",
        "D": ".d",
        "Dart": ".dart",
        "Elixir": ".ex .exs",
        "Elm": ".elm",
        "Erlang": ".erl .hrl",
        "F#": ".fs .fsi .fsx",
        "Fortran": ".f .f90 .f95",
        "Groovy": ".groovy .gradle",
        "Haskell": ".hs",
        "Julia": ".jl",
        "Lua": ".lua",
        "Nim": ".nim",
        "Nix": ".nix",
        "Objective-C": ".m .mm",
        "OCaml": ".ml .mli",
        "Pascal": ".pas .pp",
        "Perl": ".pl .pm .t",
        "PowerShell": ".ps1 .psm1",
        "R": ".r",
        "Roff": ".1 .2 .3 .5 .8",
        "Solidity": ".sol",
        "SQL": ".sql",
        "Tcl": ".tcl",
        "Vim Script": ".vim",
        "Visual Basic .NET": ".vb",
        "WebAssembly": ".wat",
        "Zig": ".zig",
    },
    "markup": {
        "Astro": ".astro",
        "Blade": ".blade.php",
        "CSS": ".css",
        "EJS": ".ejs",
        "ERB": ".erb",
        "Haml": ".haml",
        "Handlebars": ".hbs .handlebars",
        "HTML": ".html .htm .xhtml",
        "Jinja": ".jinja .jinja2 .j2",
        "Less": ".less",
        "Liquid": ".liquid",
        "Pug": ".pug",
        "Razor": ".cshtml .razor",
        "Sass": ".sass",
        "SCSS": ".scss",
        "Stylus": ".styl",
        "Svelte": ".svelte",
        "TeX": ".tex",
        "Twig": ".twig",
        "Vue": ".vue",
    },
    "prose": {
        "AsciiDoc": ".adoc .asciidoc",
        "Markdown": ".md .markdown .mdx",
        "Org": ".org",
        "reStructuredText": ".rst",
        "Text": ".txt",
    },
    "data": {
        "CSV": ".csv .tsv",
        "GraphQL": ".graphql .gql",
        "INI": ".ini .cfg .properties .editorconfig",
        "JSON": ".json .jsonc .json5 .webmanifest",
        "Protocol Buffer": ".proto",
        "SVG": ".svg",
        "TOML": ".toml",
        "XML": ".xml .xsd .xsl .csproj .vbproj .fsproj .props .targets .resx .plist",
        "YAML": ".yaml .yml",
    },
}
_FILENAMES: dict[str, tuple[str, LanguageKind]] = {
    "CMakeLists.txt": ("CMake", "programming"),
    "Dockerfile": ("Dockerfile", "programming"),
    "Containerfile": ("Dockerfile", "programming"),
    "GNUmakefile": ("Makefile", "programming"),
    "Jenkinsfile": ("Groovy", "programming"),
    "Makefile": ("Makefile", "programming"),
    "makefile": ("Makefile", "programming"),
    "Justfile": ("Just", "programming"),
    "justfile": ("Just", "programming"),
    "meson.build": ("Meson", "programming"),
    "go.mod": ("Go module", "data"),
}
_OTHER_ENDINGS: dict[str, tuple[str, LanguageKind]] = {
    ".cmake": ("CMake", "programming"),
    ".mk": ("Makefile", "programming"),
}
_BINARY_ENDINGS = frozenset(
    """
    .7z .a .avi .avif .bin .bmp .br .bz2 .class .db .dll .dmg .doc .docx .dylib .ear .eot .exe .fig
    .flac .gif .gz .heic .icns .ico .jar .jpeg .jpg .keystore .lib .m4a .mo .mov .mp3 .mp4 .mpg
    .nupkg .o .obj .ogg .otf .pdf .phar .png .ppt .pptx .psd .pyc .rar .snk .so .sqlite .tar .tgz
    .tif .tiff .ttf .wasm .wav .webm .webp .woff .woff2 .xls .xlsx .xz .zip .zst
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_PROSE_STEMS = re.compile(
    r"(?i)(?:readme|licen[cs]e|copying|unlicense|notice|authors|contributors|changelog|changes"
    r"|history|news|todo|install|maintainers|thanks|codeowners)(?:[-_.].*)?"
)
_LICENCE = re.compile(r"(?:licen[cs]es?|copying|unlicense)(?:[-._][\w.+-]*)?|[\w.+-]+\.licen[cs]e")
_CODE_ENDINGS = (
    ".py",
    ".js",
    ".ts",
    ".go",
    ".rs",
    ".java",
    ".rb",
    ".php",
    ".kt",
    ".cs",
    ".h",
    ".c",
)
_DOCUMENTATION_FOLDER = re.compile(r"(?:^|/)(?:docs?|documentation|manual|guides?|website)/")
_DOCUMENTATION_AT_THE_TOP = re.compile(r"(?i)(?:docs?|documentation(?:-\w+)?|javadoc|man)/")
_PROSE_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".org")


def language_of(path: str, parsed: str | None) -> tuple[str, LanguageKind] | None:
    """Return the language of a file and what kind it is; `parsed` is what the source engine says.

    None for what is in no language that is known, pictures and archives among them.
    """
    name = path.rpartition("/")[2]
    if name.endswith(".blade.php"):
        return "Blade", "markup"
    if parsed is not None:
        return _NAMES.get(parsed, parsed), "programming"
    known = _FILENAMES.get(name)
    if known is None:
        dot = name.rfind(".")
        known = _by_ending().get(name[dot:].lower()) if dot >= 0 else None
    if known is None and _PROSE_STEMS.fullmatch(name):
        return "Text", "prose"
    return known


def is_binary_name(path: str) -> bool:
    """Whether the ending of a file says that it is no text."""
    dot = path.rfind(".")
    return dot >= 0 and path[dot:].lower() in _BINARY_ENDINGS


def is_licence(path: str) -> bool:
    """Whether a file is a licence, by its name; a page of a manual about it is none."""
    name = path.rpartition("/")[2].lower()
    is_likely = ("licen" in name or "copying" in name) and not name.endswith(_CODE_ENDINGS)
    is_named = is_likely and _LICENCE.fullmatch(name) is not None
    return is_named and not _DOCUMENTATION_FOLDER.search(path)


def is_documentation(path: str) -> bool:
    """Whether a file is written for people to read."""
    return path.lower().endswith(_PROSE_ENDINGS) or bool(
        _DOCUMENTATION_FOLDER.search(path) and path.endswith((".txt", ".html"))
    )


def is_beneath_documentation(local: str) -> bool:
    """Whether a file is part of a manual, by its path from the repository."""
    return _DOCUMENTATION_AT_THE_TOP.match(local) is not None


@cache
def _by_ending() -> dict[str, tuple[str, LanguageKind]]:
    table = dict(_OTHER_ENDINGS)
    for kind, languages in _MORE.items():
        for language, endings in languages.items():
            for ending in endings.split():
                table[ending] = (language, kind)
    for name in source_languages.NAMES:
        for ending in source_languages.load(name).extensions:
            table.setdefault(ending, (_NAMES.get(name, name), "programming"))
    return table
