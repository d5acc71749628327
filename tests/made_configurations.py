"""Configurations of hosts, made up: every layout, comment and key that their formats allow.

Comments are numbered, so that a test can say that each of them is still there.
"""

import json
from itertools import count

from hypothesis import strategies as st

KEYS = ("a", "b.c", "é", "\u2028", "", "benchpin", "other", "theme", "x y", '"', "//", "#")
WORDS = ("x", "", "é 😀", "// not a comment", "# nor this", "[x]", "{", "benchpin:", "a\\b")


def _escaped(key: str) -> str:
    return '"' + "".join(f"\\u{ord(it):04x}" for it in key) + '"'


class _Made:
    """A text in the making."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self._numbers = count()

    def one_of(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def is_so(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == 1

    def times(self, most: int) -> range:
        return range(self.draw(st.integers(0, most)))

    def note(self) -> str:
        return f"note-{next(self._numbers)}."


class _Json(_Made):
    def __init__(self, draw: st.DrawFn, group: str) -> None:
        super().__init__(draw)
        self._group = group
        self._has_comments = draw(st.booleans())

    def gap(self) -> str:
        plain = self.one_of("", "", " ", "\n", "\n  ", "\t", "\n\t")
        if not self._has_comments or not self.is_so(3):
            return plain
        return plain + self.one_of(
            f"// {self.note()}\n", f"/* {{ {self.note()} */", f"//{{}}{self.note()}\n"
        )

    def value(self, depth: int) -> str:
        if depth <= 0 or not self.is_so(3):
            return self.one_of(
                "1", "-0", "1e999", "NaN", "true", "null", "[]", "{}", *map(json.dumps, WORDS)
            )
        if self.is_so(3):
            items = [self.gap() + self.value(depth - 1) + self.gap() for _ in self.times(3)]
            return "[" + self.listed(items) + "]"
        return self.mapping([self.key() for _ in self.times(3)], depth - 1)

    def listed(self, items: list[str]) -> str:
        ends_with_comma = bool(items) and self._has_comments and self.is_so(3)
        return ",".join(items) + ("," + self.gap() if ends_with_comma else "")

    def key(self, *keys: str) -> str:
        key = self.one_of(*(keys or KEYS))
        return _escaped(key) if self.is_so(6) else json.dumps(key, ensure_ascii=self.is_so(2))

    def mapping(self, keys: list[str], depth: int, group: str | None = None) -> str:
        members = [
            self.gap() + it + self.gap() + ":" + self.gap() + self.value(depth) + self.gap()
            for it in keys
        ]
        if group is not None:
            members.insert(self.draw(st.integers(0, len(members))), group)
        if members and self.is_so(15):  # as a merge by hand leaves it
            members.append(self.draw(st.sampled_from(members)))
        return "{" + (self.listed(members) if members else self.gap()) + "}"

    def text(self) -> str:
        name = _escaped(self._group) if self.is_so(8) else json.dumps(self._group)
        members = [self.key(*(it for it in KEYS if it != "benchpin")) for _ in self.times(3)]
        inner = self.mapping(members, 2) if not self.is_so(8) else self.value(1)
        group = f"{self.gap()}{name}{self.gap()}:{self.gap()}{inner}{self.gap()}"
        if self.is_so(20):
            group += f",{group}"
        keys = [self.key() for _ in self.times(4)]
        chosen = group if self.is_so(2) else None
        if self.is_so(3):
            hooks = f'{self.gap()}"hooks"{self.gap()}:{self.gap()}{self.hooks()}{self.gap()}'
            chosen = hooks if chosen is None else f"{chosen},{hooks}"
            chosen += f",{hooks}" if self.is_so(6) else ""
        return self.gap() + self.mapping(keys, 3, chosen) + self.gap()

    def hooks(self) -> str:
        """Return hooks as hosts have them, or what is none."""
        if self.is_so(6):
            return self.value(2)
        events = ("AfterAgent", "BeforeTool", "Stop", "PreToolUse", "stop", "agentStop")
        lists = (
            "[]",
            '[{"hooks": [{"type": "command", "command": "lint"}]}]',
            '[{"command": "x"}]',
        )
        members = [
            f"{self.gap()}{self.key(*events)}{self.gap()}:{self.gap()}{self.one_of(*lists)}"
            for _ in self.times(3)
        ]
        return "{" + (self.listed(members) if members else self.gap()) + "}"


class _Toml(_Made):
    def value(self) -> str:
        return self.one_of(
            "1", "1.5", "true", '"x"', "'[y]'", '"""\n[mcp_servers.benchpin]\n# no note\n"""',
            "'''\n[a]\n'''", "[]", "[1, 2,]", '["a", ["b"]]', "{ a = 1, b.c = [] }", "1979-05-27",
            f'[ # {self.note()}\n  "x",\n  # {self.note()}\n  [1],\n]',
        )  # fmt: skip

    def rest(self) -> str:
        return self.one_of("", " ", "\t") + (f"# {self.note()}" if self.is_so(4) else "") + "\n"

    def filler(self) -> str:
        lines = (f"# {self.note()}\n", "\n", "  \n", f"\t# [x] {self.note()}\n")
        return "".join(self.one_of(*lines) for _ in self.times(2))

    def members(self, used: set[str]) -> str:
        found = ""
        for _ in self.times(3):
            key = self.one_of("a", "b", "'c d'", '"é"', "e.f", '"\\u0067"', "h . i", "command")
            if key not in used or self.is_so(15):
                used.add(key)
                found += (
                    f"{self.filler()}{self.one_of('', '  ')}{key} = {self.value()}{self.rest()}"
                )
        return found

    def text(self) -> str:
        text, used = self.filler() + self.members(set()), set[str]()
        for _ in self.times(4):
            name = self.one_of(
                "[mcp_servers]", "[mcp_servers.other]", "[ mcp_servers . 'x y' ]", "[profiles.p]",
                '["mcp_servers".z]', "[[lists]]", "[mcp_servers.other.env]", "[projects.'/x']",
                "[profiles.benchpin]", "[benchpin]",
            )  # fmt: skip
            if name not in used or name == "[[lists]]" or self.is_so(15):
                used.add(name)
                text += self.filler() + name + self.rest() + self.members(set())
        return text + self.filler()


class _Yaml(_Made):
    def value(self, indent: str) -> str:
        return self.one_of(
            " 1\n", " x\n", " 'it''s'\n", ' "\\u00e9 # no"\n', " [a, {b: 1}]\n", " {}\n",
            " ~\n", "\n", f" |\n{indent}  # no note\n{indent}  extensions:\n\n",
            f" >-\n{indent}  a\n{indent}  b\n",
            f"\n{indent}  - a # {self.note()}\n{indent}  - b: 1\n{indent}    benchpin:\n",
            f"\n{indent}- a\n{indent}- b\n",
            f" # {self.note()}\n{indent}  benchpin:\n{indent}    c: 1\n",
            " plain text\n" + indent + "   over lines\n", " &anchor x\n", " !!str 1\n",
        )  # fmt: skip

    def filler(self, indent: str) -> str:
        lines = (f"{indent}# {self.note()}\n", "\n", f"# {self.note()}\n", f"   # {self.note()}\n")
        return "".join(self.one_of(*lines) for _ in self.times(2))

    def members(self, indent: str, names: tuple[str, ...]) -> str:
        found, used = "", set[str]()
        for _ in self.times(3):
            name = self.one_of(*names)
            if name not in used or self.is_so(10):
                used.add(name)
                found += f"{self.filler(indent)}{indent}{name}:{self.value(indent)}"
        return found

    def text(self) -> str:
        margin = self.one_of("", "", "", "", "  ")
        start = self.one_of("", "", "", f"---\n# {self.note()}\n", "%YAML 1.1\n---\n")
        names = ("GOOSE_MODEL", "'quoted'", '"\\u00e9"', "benchpin", "a b", "slash/")
        before, after = self.members(margin, names[:3]), self.members(margin, names[3:])
        group = ""
        if self.is_so(2):
            name = self.one_of("extensions", "extensions", "'extensions'", '"extens\\u0069ons"')
            inner = margin + self.one_of("  ", " ", "    ")
            members = self.members(inner, ("other", "developer", "'x y'", "é"))
            value = self.one_of("\n", " {}\n", " ~\n", " # note\n") if not members else self.rest()
            group = f"{margin}{name}:{value}{members}" * (2 if self.is_so(15) else 1)
        return start + self.filler(margin) + before + group + after + self.filler(margin)

    def rest(self) -> str:
        return self.one_of("\n", "\n", f" # {self.note()}\n", "  \n")


ODD = st.sampled_from(
    ("", " ", "\n\n", "\t\r\n", "// only\n", "/* only */", "# only\n", "# only",
     "\0", "null", "---\n", "...\n")
)  # fmt: skip


@st.composite
def configurations(draw: st.DrawFn, suffix: str, group: str) -> bytes:
    """Return the content of a file that a host with this group of entries may read."""
    if draw(st.integers(1, 20)) == 1:
        text = draw(ODD | st.text(max_size=20))
    else:
        made = {".toml": _Toml(draw).text, ".yaml": _Yaml(draw).text}
        text = made[suffix]() if suffix in made else _Json(draw, group).text()
    if draw(st.integers(1, 4)) == 1:
        text = text.replace("\n", "\r\n")
    if draw(st.integers(1, 4)) == 1:
        text = text.rstrip("\r\n")
    content = text.encode(errors="surrogatepass")
    return b"\xef\xbb\xbf" + content if draw(st.integers(1, 8)) == 1 else content
