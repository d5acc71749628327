"""JavaScript and TypeScript that the grammars do not know.

The grammar of JavaScript takes reserved words for keywords where they are attributes of JSX, such
as `class` and `for` in Preact and Solid. The rest is newer than the grammars: attributes of a
re-export, `import defer` and `import source`, `accessor`, `export type *` and the variance of type
parameters.
"""

import re

from benchpin.facts.respelling import NAME, Rule

RULES: tuple[Rule, ...] = (
    (
        re.compile(
            rb"(?<=\s)(case|catch|class|const|continue|default|delete|do|else|export|extends|finally"
            rb"|for|function|if|import|in|new|return|super|switch|this|throw|try|typeof|var|void|while"
            rb"|with)(?=(?::[\w-]{1,80}+)?=[\"'{])"
        ),
        NAME,
    ),
    # The only one that may have no value: `<track default />`, `<Route default path="/" />`.
    (
        re.compile(
            rb"(?<=\s)(?<!export )(default)(?=[ \t]{0,80}+/?>|\s{1,80}+[\w:-]{1,80}+=[\"'{])"
        ),
        NAME,
    ),
    (
        re.compile(
            rb"""\bfrom\s{0,9}(?:"[^"\n]{1,200}+"|'[^'\n]{1,200}+')\s{1,9}(with\s{0,9}\{[^{}]{0,200}+\})"""
        ),
        b"",
    ),
    (re.compile(rb"\bimport\s{1,9}(defer)(?=\s{1,9}\*)"), b""),
    (re.compile(rb"\bimport\s{1,9}(source)(?=\s{1,9}[\w$]{1,80}+\s{1,9}from\b)"), b""),
    (re.compile(rb"(?<![\w.$])(accessor)(?=[ \t]{1,9}[#\w$]{1,80}+\s{0,9}[=;:!?])"), b""),
    (re.compile(rb"\bexport\s{1,9}(type)(?=\s{0,9}\*)"), b""),
    (
        re.compile(
            rb"[<,]\s{0,9}((?:in\s{1,9})?out|in)(?=\s{1,9}[A-Za-z_$][\w$]{0,80}+\s{0,9}(?:[,>=]|extends\b))"
        ),
        b"",
    ),
)
