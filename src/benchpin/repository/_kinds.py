"""The language and purpose of a file, by its name.

Shares of languages are counted as on GitHub: by bytes of programming and markup languages; prose
and data have a size but no share.
"""

import re
from functools import cache
from typing import Literal

from benchpin.facts import languages as source_languages

LanguageKind = Literal["programming", "markup", "prose", "data"]

# The endings and names of files in each language.
_LANGUAGES: dict[LanguageKind, str] = {
    "programming": """
        ANTLR: .g4; Assembly: .asm .s; Awk: .awk; Batchfile: .bat .cmd; Clojure: .clj .cljs .cljc;
        CMake: .cmake CMakeLists.txt; CoffeeScript: .coffee; Common Lisp: .lisp .cl; Crystal: .cr;
        Cuda: .cu .cuh; Cython: .pyx .pxd; D: .d; Dart: .dart;
        Dockerfile: Dockerfile Containerfile; Elixir: .ex .exs; Elm: .elm; Emacs Lisp: .el;
        Erlang: .erl .hrl; F#: .fs .fsi .fsx; Fortran: .f .f90 .f95; GDScript: .gd;
        Gherkin: .feature; GLSL: .glsl .vert .frag; Go Template: .tmpl .gotmpl;
        Groovy: .groovy Jenkinsfile; Haskell: .hs; HCL: .hcl .tf .tfvars;
        Jsonnet: .jsonnet .libsonnet; Julia: .jl; Jupyter Notebook: .ipynb;
        Just: Justfile justfile; Lex: .l; Lua: .lua; M4: .m4 configure.ac;
        Makefile: .mak .mk GNUmakefile Makefile Makefile.am Makefile.in Makefile.inc makefile;
        Meson: meson.build; Nim: .nim; Nix: .nix; Objective-C: .m; Objective-C++: .mm;
        OCaml: .ml .mli; Pascal: .pas; Perl: .pl .pm .t .perl; PowerShell: .ps1 .psm1 .psd1;
        Prolog: .prolog; Puppet: .pp; R: .r; Racket: .rkt; ReScript: .res .resi;
        Ruby: Brewfile Dangerfile Gemfile Podfile Rakefile;
        Shell: .zsh .zsh-theme .fish .csh .tcsh .ebuild .eclass; SmPL: .cocci; Solidity: .sol;
        Starlark: .bzl .star BUILD BUILD.bazel MODULE.bazel WORKSPACE; SystemVerilog: .sv .svh;
        Tcl: .tcl; Thrift: .thrift; VHDL: .vhd .vhdl; Vim script: .vim; Visual Basic .NET: .vb;
        WebAssembly: .wat; XS: .xs; XSLT: .xslt .xsl; Yacc: .y .yy; Zig: .zig
    """,
    "markup": """
        Astro: .astro; Blade: .blade.php; CSS: .css .pcss .postcss; EJS: .ejs;
        FreeMarker: .ftl .ftlh; Haml: .haml; Handlebars: .hbs .handlebars;
        HTML: .html .htm .xhtml .erb .cshtml .razor .phtml; Jinja: .jinja .jinja2 .j2; Less: .less;
        Liquid: .liquid; Marko: .marko; MDX: .mdx; Mustache: .mustache; Nunjucks: .njk;
        PostScript: .ps .eps; Pug: .pug; Roff: .1 .2 .3 .4 .5 .6 .7 .8 .man .roff; Sass: .sass;
        SCSS: .scss; Stylus: .styl; Svelte: .svelte; TeX: .tex; Twig: .twig; Vue: .vue
    """,
    "prose": """
        AsciiDoc: .adoc .asciidoc; Markdown: .md .markdown; Org: .org; reStructuredText: .rst;
        Text: .txt
    """,
    "data": """
        CSV: .csv .tsv; Go Module: go.mod; Gradle: .gradle; GraphQL: .graphql .gql;
        INI: .ini .cfg .properties .editorconfig; JSON: .json .jsonc .json5 .webmanifest;
        Protocol Buffer: .proto; SQL: .sql; SVG: .svg; TOML: .toml;
        XML: .xml .xsd .csproj .vbproj .fsproj .props .targets .resx .plist; YAML: .yaml .yml
    """,
}
# Alternative names in `.gitattributes` of languages that are not parsed.
_OTHER_NAMES = {
    "django": "jinja",
    "html+erb": "html",
    "htmldjango": "jinja",
    "vim": "vim script",
    "viml": "vim script",
}
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?([A-Za-z]+)[\d.]*\b")
_INTERPRETERS = {
    "Rscript": "R",
    "awk": "Awk",
    "gawk": "Awk",
    "lua": "Lua",
    "make": "Makefile",
    "perl": "Perl",
    "pwsh": "PowerShell",
    "tclsh": "Tcl",
    "wish": "Tcl",
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
_CODE_ENDINGS = tuple(".py .js .ts .go .rs .java .rb .php .kt .cs .h .c".split())  # noqa: SIM905 - a table
_DOCUMENTATION_FOLDER = re.compile(r"(?:^|/)(?:docs?|documentation|manual|guides?|website)/")
_PROSE_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".org")


def language_of(path: str, parsed: str | None) -> tuple[str, LanguageKind] | None:
    """Return the language of a file and its kind; `parsed` is the source engine's answer.

    None for unknown languages, pictures and archives.
    """
    name = path.rpartition("/")[2]
    if name.endswith(".blade.php"):
        return "Blade", "markup"
    if parsed is not None:
        return source_languages.table_of(parsed).title, "programming"
    known = _by_file_name().get(name)
    if known is None:
        dot = name.rfind(".")
        known = _by_file_name().get(name[dot:].lower()) if dot >= 0 else None
    if known is None and _PROSE_STEMS.fullmatch(name):
        return "Text", "prose"
    return known


def language_of_script(head: bytes) -> str | None:
    """Return the language of a script that the source engine does not parse, by its shebang."""
    found = _SHEBANG.match(head)
    return None if found is None else _INTERPRETERS.get(found[1].decode())


def is_binary_name(path: str) -> bool:
    """Whether a file is binary, by its ending."""
    dot = path.rfind(".")
    return dot >= 0 and path[dot:].lower() in _BINARY_ENDINGS


def is_licence(path: str) -> bool:
    """Whether a file is a licence, by its name; pages of a manual do not count."""
    name = path.rpartition("/")[2].lower()
    is_likely = ("licen" in name or "copying" in name) and not name.endswith(_CODE_ENDINGS)
    is_named = is_likely and _LICENCE.fullmatch(name) is not None
    return is_named and not _DOCUMENTATION_FOLDER.search(path)


def is_documentation(path: str) -> bool:
    """Whether a file is a document, by its name."""
    return path.lower().endswith(_PROSE_ENDINGS) or bool(
        path.endswith((".txt", ".html")) and _DOCUMENTATION_FOLDER.search(path)
    )


def language_called(name: str) -> tuple[str, LanguageKind] | None:
    """Return the language with a name; None when it is unknown."""
    return _by_name().get(_other_names().get(name.lower(), name.lower())) if name else None


@cache
def _other_names() -> dict[str, str]:
    tables = map(source_languages.load, source_languages.NAMES)
    return _OTHER_NAMES | {name: it.title.lower() for it in tables for name in it.aliases}


@cache
def _by_name() -> dict[str, tuple[str, LanguageKind]]:
    return {it[0].lower(): it for it in _by_file_name().values()}


@cache
def _by_file_name() -> dict[str, tuple[str, LanguageKind]]:
    """Return the languages by the name or the ending of a file."""
    table: dict[str, tuple[str, LanguageKind]] = {}
    for kind, languages in _LANGUAGES.items():
        for entry in languages.split(";"):
            language, _, names = entry.strip().partition(": ")
            table |= dict.fromkeys(names.split(), (language, kind))
    for name in source_languages.NAMES:
        parsed = source_languages.load(name)
        for ending in parsed.extensions:
            table.setdefault(ending, (parsed.title, "programming"))
    return table
