"""The libraries that planted regressions are looked for in, and what a program has each do."""

from planted_programs import Library

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

FURTHER = (
    Library(
        "sqlglot",
        "import sqlglot",
        2,
        """
def sample(it):
    return f"select a, b + {it} from t{it} join u on t{it}.id = u.id where c > {it};"

def work(text):
    return sqlglot.parse(text)
""",
    ),
    Library(
        "pyparsing",
        "import pyparsing as pp",
        2,
        """
NUMBER = pp.Word(pp.nums)
TERM = pp.infix_notation(
    NUMBER, [(pp.one_of("* /"), 2, pp.OpAssoc.LEFT), (pp.one_of("+ -"), 2, pp.OpAssoc.LEFT)]
)

def sample(it):
    return [f"{it} * 3 + {it + 1} - 4 / 2"]

def work(texts):
    return [TERM.parse_string(text) for text in texts]
""",
    ),
    Library(
        "configparser",
        "import configparser",
        6,
        """
def sample(it):
    return "".join(f"[section {it} {n}]\\nname = v {n}\\npath = %(name)s/x\\n" for n in range(8))

def work(text):
    parser = configparser.ConfigParser(strict=False)
    parser.read_string(text)
    return [dict(parser[it]) for it in parser.sections()]
""",
    ),
    Library(
        "networkx",
        "import networkx",
        4,
        """
def sample(it):
    return [(it + n, it + n * 2 % 17) for n in range(30)]

def work(edges):
    return sorted(map(len, networkx.strongly_connected_components(networkx.DiGraph(edges))))
""",
    ),
    Library(
        "werkzeug",
        "from werkzeug.routing import Map, Rule",
        3,
        """
def sample(it):
    return [f"/shop{it}/{n}/<int:key>/<name>" for n in range(4)]

def work(paths):
    found = Map([Rule(path, endpoint=path) for path in paths]).bind("example.org")
    return [found.match(path.replace("<int:key>", "7").replace("<name>", "x")) for path in paths]
""",
    ),
    Library(
        "jmespath",
        "import jmespath",
        6,
        """
QUERY = jmespath.compile("[?id > `3`].{id: id, names: sort(tags)[0:2], size: length(tags)}")

def sample(it):
    return [{"id": it + n, "tags": ["c", "a", f"b{n}"]} for n in range(10)]

def work(rows):
    return QUERY.search(rows)
""",
    ),
    Library(
        "tokenize",
        "import io, tokenize",
        4,
        """
def sample(it):
    return f"def f{it}(a, b):\\n    return [a + {it} for a in range(b)]\\n" * 3

def work(text):
    return list(tokenize.generate_tokens(io.StringIO(text).readline))
""",
    ),
    Library(
        "xml.dom.minidom",
        "from xml.dom import minidom",
        3,
        """
def sample(it):
    return [f"<a id='{it}'>" + f"<b n='{it}'>text</b>" * 8 + "</a>"]

def work(texts):
    return [minidom.parseString(text).toxml() for text in texts]
""",
    ),
)
"""Written down when the rules were final, before any of them was measured."""
