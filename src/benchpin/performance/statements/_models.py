"""Statements that an object-relational mapper writes: found by the model of their table.

The model is the class that names the table, or whose name is that of the table in the convention of
its mapper. A statement is sent where the model is asked for the same columns; what a mapper loads
when an attribute is read is sent where that attribute is read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_TABLE = re.compile(r"\b(?:from|join|update|into)\s+((?:\w+\.)*\w+)")
_WHERE = re.compile(r"\bwhere\b(.*)", re.DOTALL)
_COLUMN = re.compile(
    r"(?<!\w)(?P<name>[a-z_]\w{0,63}+)(?:::\w{1,63}+)?\)?\s?(?:[=<>!]|in\b|is\b|like\b|between\b)"
)
_ORDER = re.compile(r"\border by (?:\w+\.){0,3}(\w+)")
_NAMED = re.compile(
    r"(?:__tablename__|db_table|\$table|table_name|tableName|@@map)\s{0,4}[=:(]?\s{0,4}[\"'](?P<named>\w{1,64})[\"']"
    r"|@(?:Table|Entity)\(\s{0,4}(?:\{?\s{0,4}name\s{0,4}[=:]\s{0,4})?[\"'](?P<annotated>\w{1,64})[\"']"
    r"|(?:const|let|var)\s+(?P<own>\w{1,64})\s{0,4}=\s{0,4}\w{0,10}[tT]able\("
    r"[\"'](?P<made>\w{1,64})[\"']"
    r"|func \(\w{0,20}\s?\*?(?P<receiver>\w{1,64})\) TableName\(\) string \{\s{0,20}"
    r"return \"(?P<returned>\w{1,64})\""
)
_MAPPER = re.compile(
    r"models\.Model|ApplicationRecord|ActiveRecord|Eloquent|extends Model\b|@Entity|gorm\."
    r"|declarative|DeclarativeBase|db\.Model|\bBase\)|sequelize|Schema::|@prisma|prisma\.|peewee|tortoise"
)
_CLASS = re.compile(
    r"^[ \t]{0,8}(?:(?:export|public|final|abstract)[ \t]{1,4}){0,4}"
    r"(?:class|model|type)\s+(?P<name>[A-Z]\w{0,64})",
    re.MULTILINE,
)
_IRREGULAR = {"people": "person", "children": "child", "statuses": "status"}
_VERBS = {
    "insert": re.compile(
        r"(?i)create\w{0,40}+\(|\.save\(|\binsert\w{0,40}+\(|\badd(?:_all)?\(|upsert|persist\(|\bnew\b"
    ),
    "update": re.compile(r"(?i)\bupdate\w{0,40}+\(|\.save\(|increment|\bset\(|persist\("),
    "delete": re.compile(r"(?i)delete\w{0,40}+\(|destroy|\bremove\w{0,40}+\(|truncate"),
}
_WRITES = re.compile("|".join(f"(?:{it.pattern[4:]})" for it in _VERBS.values()), re.IGNORECASE)
# These look first.
_EITHER = re.compile(r"(?i)or_?(?:create|insert|new)|upsert")
_READS = re.compile(
    r"\.(?:objects|query|filter|where|find|get|all|order|first|last|select|count|exists|includes"
    r"|joins|findMany|findOne|findUnique|findFirst|with|scalars|execute|First|Find|Where|Take)\w*\b"
    r"|::\w+\(|\bselect\(|\bquery\("
)
# Lines of one call that are looked at together.
_WINDOW = 4
_MAX_PLACES = 3
_MAX_LINE_CHARS = 400


@dataclass(frozen=True, slots=True)
class StatementPlace:
    """A line that may send a statement."""

    path: str
    line: int
    score: int


class Models:
    """The models of a project by their tables, and the lines that use them."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._by_table: dict[str, str] = {}
        self._by_name: dict[str, str] = {}

    def add(self, path: str, text: str) -> None:
        """Take in a source."""
        self._texts[path] = text.splitlines()
        for found in _NAMED.finditer(text):
            table = found["named"] or found["annotated"] or found["made"] or found["returned"]
            owner = found["own"] or found["receiver"] or _owner(text, found)
            if owner:
                self._by_table.setdefault(table.lower(), owner)
        if _MAPPER.search(text):
            for declared in _CLASS.finditer(text):
                self._by_name.setdefault(declared["name"].lower(), declared["name"])

    def places(self, statement: str) -> list[StatementPlace]:
        """Return the lines that may send a statement, as `comparable` writes it, the best first."""
        tables = _TABLE.findall(statement)
        model = self._model(tables[0]) if tables else None
        if model is None and not tables:
            return []
        names = self._names(model, tables[0])
        where = _WHERE.search(statement)
        columns = set() if where is None else {it["name"] for it in _COLUMN.finditer(where[1])}
        asked = {it for it in columns if it not in {"id", "deleted_at"}}
        ordered = set(_ORDER.findall(statement)) - {"id"}
        found = list(self._uses(names, statement.partition(" ")[0], asked, ordered))
        if columns == {"id"} and model is not None:
            found += self._read_attributes(model)
        found.sort(key=lambda it: (-it.score, it.path, it.line))
        best = [it for it in found if it.score == found[0].score]
        return best[:_MAX_PLACES]

    def _model(self, table: str) -> str | None:
        bare = table.rpartition(".")[2]
        if bare in self._by_table:
            return self._by_table[bare]
        for candidate in _singulars(bare):
            # Django puts the name of the application before that of the model.
            parts = candidate.split("_")
            for start in range(len(parts)):
                joined = "".join(parts[start:])
                if joined in self._by_name:
                    return self._by_name[joined]
        return None

    def _names(self, model: str | None, table: str) -> re.Pattern[str]:
        """Return what lines that use a model have: its name, or that of a client's property."""
        bare = table.rpartition(".")[2]
        own = [re.escape(model)] if model else []
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model).lower() if model else bare
        camel = re.sub(r"_(\w)", lambda it: it[1].upper(), snake)
        client = rf"\b(?:prisma|db|tx|ctx|client)\.{re.escape(camel)}\b"
        return re.compile("|".join([*(rf"\b{it}\b" for it in own), client]))

    def _uses(
        self, names: re.Pattern[str], verb: str, asked: set[str], ordered: set[str]
    ) -> Iterator[StatementPlace]:
        wanted = _VERBS.get(verb, _READS)
        for path, lines in self._texts.items():
            for at, line in enumerate(lines):
                if not names.search(line[:_MAX_LINE_CHARS]) or _CLASS.match(line):
                    continue
                following = _call(lines, at)
                if not wanted.search(following):
                    continue
                is_write = _WRITES.search(following) and not _EITHER.search(following)
                if wanted is _READS and is_write:
                    continue
                known = sum(_is_asked(it, following) for it in asked)
                if asked and not known:
                    continue
                sorts = sum(_is_asked(it, following) for it in ordered)
                # Without a condition, one that has one sends another statement.
                is_filtered = not asked and re.search(r"filter|[wW]here", following) is not None
                yield StatementPlace(path, at + 1, 4 * known + 2 * sorts - 2 * is_filtered + 1)

    def _read_attributes(self, model: str) -> Iterator[StatementPlace]:
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", model).lower()
        read = re.compile(rf"[\w\])]\.{re.escape(snake)}(?:\.|->)\w")
        for path, lines in self._texts.items():
            for at, line in enumerate(lines):
                if read.search(line[:_MAX_LINE_CHARS]):
                    yield StatementPlace(path, at + 1, 3)


def _call(lines: list[str], at: int) -> str:
    """Return a line with those that may belong to the same call: up to a blank one."""
    window = lines[at : at + _WINDOW]
    end = next((place for place, it in enumerate(window) if not it.strip()), len(window))
    return "\n".join(it[:_MAX_LINE_CHARS] for it in window[:end])


def _owner(text: str, found: re.Match[str]) -> str:
    """Return the class around the name of a table, or after it where it is an annotation."""
    if found["annotated"]:
        following = re.compile(r"\bclass\s+(\w{1,64})").search(text, found.end(), found.end() + 400)
        return following[1] if following else ""
    before = [it for it in _CLASS.finditer(text, 0, found.start()) if it["name"] != "Meta"]
    return before[-1]["name"] if before else ""


@lru_cache(maxsize=1_000)
def _singulars(table: str) -> tuple[str, ...]:
    """Return a table's name as the name of a model has it."""
    head, mark, last = table.rpartition("_")
    ends = [last, _IRREGULAR.get(last, "")]
    if last.endswith("ies"):
        ends.append(f"{last[:-3]}y")
    if last.endswith("es"):
        ends.append(last[:-2])
    if last.endswith("s"):
        ends.append(last[:-1])
    return tuple(f"{head}{mark}{it}" for it in ends if it)


def _is_asked(column: str, lines: str) -> bool:
    """Whether lines name a column: as it is, without `_id`, or in camel case."""
    camel = re.sub(r"_(\w)", lambda it: it[1].upper(), column)
    forms = {column, camel, column.removesuffix("_id")}
    pattern = "|".join(re.escape(it) for it in forms)
    return (
        re.search(rf"(?<![A-Za-z0-9])(?:{pattern})(?:__\w+)?(?![A-Za-z0-9])", lines, re.IGNORECASE)
        is not None
    )
