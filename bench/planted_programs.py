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
