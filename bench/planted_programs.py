"""Programs around real libraries, and the regressions that are planted in them.

Each program serves pages from an SQLite database: it finds the rows of a page, has a library work
on each of them, removes duplicates, reads cached settings and writes the answer as JSON. A
regression changes one line of it; the function it is in, and the one that calls it, are what a
report has to name.
"""

from typing import NamedTuple

SKELETON = """
import functools, json, sqlite3, sys
{imports}

PAGES, ROWS_PER_PAGE, ROWS = 12, {rows}, 9000
DATABASE = sqlite3.connect(":memory:")


def fill():
    DATABASE.execute("create table owner (id integer primary key, name text)")
    DATABASE.execute("create table item (id integer primary key, owner integer, title text)")
    owners = [(it, f"owner {{it}}") for it in range(300)]
    DATABASE.executemany("insert into owner values (?, ?)", owners)
    rows = [(it, it % (ROWS // ROWS_PER_PAGE), f"title {{it}}") for it in range(ROWS)]
    DATABASE.executemany("insert into item values (?, ?, ?)", rows)
    DATABASE.execute("create index by_owner on item (owner)")  # INDEX


def find_items(owner):
    query = "select id, title from item where owner = ?"
    return DATABASE.execute(query, (owner,)).fetchall()


def owner_name(owner):
    return DATABASE.execute("select name from owner where id = ?", (owner,)).fetchone()[0]


def unique(words):
    seen = set()  # SEEN
    kept = []
    for word in words:
        if word not in seen:
            seen.add(word)
            kept.append(word)
    return kept


@functools.lru_cache  # CACHE
def settings(name):
    return work(sample(7))


def render(items):
    return [work(sample(it)) for it, _ in items]  # PAYLOAD


def page(owner):
    items = find_items(owner)
    name = owner_name(owner)
    rendered = render(items)
    words = unique(f"{{it % 1700}}" for it in range(owner, owner + 400))
    for _ in items:  # LOOP
        settings("limits")
    return json.dumps([name, len(rendered), words])


{work}


def main():
    fill()
    return [page(owner) for owner in range(PAGES)]


if __name__ == "__main__":
    sys.stdout.write(str(len(main())))
"""


class Kind(NamedTuple):
    """A kind of regression: a line, what replaces it, and the functions that a report may name."""

    name: str
    line: str
    instead: str
    named: frozenset[str]


KINDS = (
    Kind(
        "extra query in a loop",
        "    for _ in items:  # LOOP\n",
        "    for it in items * 12:\n        owner_name(it[0] % 300)\n    for _ in items:\n",
        frozenset({"page", "owner_name"}),
    ),
    Kind(
        "lost index",
        '    DATABASE.execute("create index by_owner on item (owner)")  # INDEX\n',
        "",
        frozenset({"find_items", "page"}),
    ),
    Kind(
        "quadratic loop",
        "    seen = set()  # SEEN\n",
        "    seen = type('Seen', (list,), {'add': list.append})()\n",
        frozenset({"unique", "page"}),
    ),
    Kind(
        "larger payload",
        "    return [work(sample(it)) for it, _ in items]  # PAYLOAD\n",
        "    return [work(sample(it) + sample(it + 1)) for it, _ in items]\n",
        frozenset({"render", "page", "work"}),
    ),
    Kind(
        "cold cache",
        "@functools.lru_cache  # CACHE\n",
        "",
        frozenset({"settings", "page", "work"}),
    ),
)


class Library(NamedTuple):
    """A library, and what a program has it do."""

    name: str
    imports: str
    rows: int
    """On a page."""
    work: str

    def program(self, kind: Kind | None) -> str:
        """Return the source of the program, with a regression or without."""
        source = SKELETON.format(imports=self.imports, rows=self.rows, work=self.work.strip())
        if kind is None:
            return source
        changed = source.replace(kind.line, kind.instead)
        if changed == source:
            message = f"{kind.name} has no line to change"
            raise ValueError(message)
        return changed


TUNING = (
    Library(
        "tomlkit",
        "import tomlkit",
        3,
        """
def sample(it):
    return "".join(f"key{it}_{n} = [{n}, {n + 1}]\\n" for n in range(3))

def work(text):
    return tomlkit.parse(text.replace("key", "k"))
""",
    ),
    Library(
        "packaging",
        "from packaging.requirements import Requirement",
        6,
        """
def sample(it):
    return [f"name{it}[extra]>=1.{n},<3; python_version >= '3.{n}'" for n in range(6)]

def work(lines):
    return [Requirement(line) for line in lines]
""",
    ),
    Library(
        "email",
        "import email, email.policy",
        6,
        """
def sample(it):
    return "".join(f"Header-{n}: value {it} <a{n}@example.org>\\n" for n in range(12))

def work(text):
    return email.message_from_string(text + "\\nbody", policy=email.policy.default).items()
""",
    ),
)
"""Rules are chosen on these."""

REPORTED = (
    Library(
        "jinja2",
        "import jinja2",
        3,
        """
def sample(it):
    loop = "{% for n in range(5) %}<b>{{ n + " + str(it) + " }}</b>"
    return loop + "{% if n %}x{% endif %}{% endfor %}"

def work(text):
    return jinja2.Environment(cache_size=0).from_string(text).render()
""",
    ),
    Library(
        "pygments",
        "from pygments import highlight\n"
        "from pygments.formatters import HtmlFormatter\n"
        "from pygments.lexers.python import PythonLexer",
        4,
        """
def sample(it):
    return f"def f{it}(a, b):\\n    return [a + {it} for a in range(b)]\\n" * 2

def work(text):
    return highlight(text, PythonLexer(), HtmlFormatter())
""",
    ),
    Library(
        "markdown_it",
        "from markdown_it import MarkdownIt",
        3,
        """
PARSER = MarkdownIt()

def sample(it):
    return f"# Title {it}\\n\\nSome *text* and `code`, [a link](x{it}).\\n\\n- a\\n- b\\n\\n" * 2

def work(text):
    return PARSER.render(text)
""",
    ),
    Library(
        "yaml",
        "import yaml",
        3,
        """
def sample(it):
    return "".join(f"key{it}x{n}: [1, two, {{a: {n}}}]\\n" for n in range(3))

def work(text):
    return yaml.load(text, yaml.SafeLoader)
""",
    ),
    Library(
        "markdown",
        "import markdown",
        2,
        """
PARSER = markdown.Markdown()

def sample(it):
    return f"# Title {it}\\n\\nSome *text* and `code` with [a link](x{it}).\\n\\n- a\\n- b\\n\\n"

def work(text):
    return PARSER.reset().convert(text)
""",
    ),
    Library(
        "jsonschema",
        "import jsonschema",
        4,
        """
SCHEMA = {"type": "array", "items": {"type": "object", "properties": {
    "id": {"type": "integer", "minimum": 0}, "name": {"type": "string", "maxLength": 20}}}}

def sample(it):
    return [{"id": it + n, "name": f"name {n}"} for n in range(8)]

def work(rows):
    return list(jsonschema.Draft7Validator(SCHEMA).iter_errors(rows))
""",
    ),
    Library(
        "html.parser",
        "from html.parser import HTMLParser",
        6,
        """
class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

def sample(it):
    return f"<p class=a{it}>text <a href='x{it}'>link</a> &amp; <b>bold</b></p>" * 12

def work(text):
    parser = Links()
    parser.feed(text)
    return parser.found
""",
    ),
    Library(
        "pycparser",
        "from pycparser import c_parser",
        2,
        """
PARSER = c_parser.CParser()

def sample(it):
    return f"int f{it}(int a, int b) {{ int c = a * {it}; return c + b; }}\\n"

def work(text):
    return PARSER.parse(text)
""",
    ),
)
"""Written down before any of them was measured."""
