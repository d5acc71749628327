"""Where lizard counts something else, and how such a place looks in the text of a function."""

from collections.abc import Mapping, Sequence

_PREPROCESSOR = ("counts every branch of the preprocessor, and the #if", r"#\s*(?:if|elif)")
_NO_BRACES = "cannot tell where a body without braces ends"

QUIRKS: Mapping[str, Sequence[tuple[str, str]]] = {
    "c": [_PREPROCESSOR],
    "cpp": [
        _PREPROCESSOR,
        ("counts the && of a reference", r"&&\s*(?:\w+\s*)?[,)>=]"),
        ("does not count `and` and `or`", r"\b(?:and|or)\b"),
        ("adds the methods of a class inside", r"(?m)^\s+(?:class|struct)\s+\w+[^;]*\{"),
    ],
    "csharp": [
        ("counts the ? of a type", r"[\w>\]]\?(?![.?])"),
        ("does not count `foreach`", r"\bforeach\b"),
        ("does not count `and` and `or` of patterns", r"\b(?:and|or)\b"),
        ("counts `catch`", r"\bcatch\b"),
        ("counts `goto case`", r"\bgoto\s+case\b"),
        _PREPROCESSOR,
        ("does not count the arms of a switch expression", r"=>[^{;]*?,(?=\s*(?:\n|//))"),
    ],
    "go": [("loses the body after braces in the signature", r"\A[^\n]*\{[^\n]*\{")],
    "java": [("counts the ? of a wildcard", r"[<,]\s*\?")],
    "kotlin": [
        ("does not count the `else` of a `when`", r"\belse\s*->"),
        ("does not count entries that end in `, ->`", r",\s*->"),
        (_NO_BRACES, r"\A[^{]*?\)[^{=]*=(?!=)"),
        ("misses entries of a `when`", r"\bwhen\b"),
    ],
    "php": [
        (
            "counts the ? of a type",
            r"(?:[(,:|]|\b(?:public|protected|private|static|readonly))\s*\?\s*\\?[A-Za-z]",
        ),
        ("does not count ?:", r"\?:"),
        ("counts `match`", r"\bmatch\s*\("),
        (
            "takes a name for a keyword",
            r"(?:->|::|\bfunction\s+)(?:for|catch|if|while|case|foreach|match)\b",
        ),
        ("does not count `and` and `or`", r"\b(?:and|or)\b"),
        ("reads words in texts of several lines", r"<<<"),
    ],
    "ruby": [
        ("does not count `unless`", r"\bunless\b"),
        ("does not count &.", r"&\."),
        ("does not count ||= and &&=", r"\|\|=|&&="),
        (
            "does not count blocks that iterate",
            r"\.\w+\??!?(?:\([^()\n]*\))?\s*(?:\{|do\b)|&:?\w+\)",
        ),
        ("counts `ensure`", r"\bensure\b"),
        ("takes a name for a keyword", r"\.(?:for|if|in|case|when|while)\b"),
    ],
    "rust": [
        ("counts `where`", r"\bwhere\b"),
        ("counts the || of a closure without parameters", r"(?:[(,={;]|\bmove|=>)\s*\|\|"),
        ("counts the ? of ?Sized", r"[:+]\s*\?"),
        ("counts the `for` of an impl or of a bound", r"\bimpl\b[^{;]*?\bfor\b|\bfor\s*<"),
        ("counts other tokens of a macro, or loses its place", r"\w!\s*[({\[]|\bunsafe\s*\{"),
    ],
    "scala": [
        (_NO_BRACES, r"\A[^{]*=\s*(?:\n|[^\s{])"),
        ("counts the ? of a type", r"\?(?=\s*[\],])|\[\s*\?"),
        ("counts `catch` besides its cases", r"\bcatch\b"),
        ("mixes inner functions with the outer one", r"\n[^\n]*\bdef\b"),
    ],
    "swift": [
        ("takes a label for a keyword", r"[(,]\s*(?:for|if|while|case|catch|guard)\b\s*\w*\s*:"),
        ("counts `if case` twice", r"\b(?:if|guard|while|for)\s+case\b|,\s*case\b"),
    ],
}
"""The name of a class and what to look for, by language; "does not count" makes ours greater."""
