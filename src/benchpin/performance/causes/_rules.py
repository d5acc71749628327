"""What makes code slow, as it is written: each rule is a pattern, its callees and what to try."""

import re
from dataclasses import dataclass
from typing import Literal

CauseKind = Literal[
    "regex",
    "n_plus_one",
    "linear_search",
    "front_of_list",
    "growing_copy",
    "string_building",
    "serialisation",
    "compile_in_loop",
    "io_in_loop",
    "sort_in_loop",
    "nested_loop",
    "repeated_calls",
    "invariant_work",
    "serial_awaits",
]


@dataclass(frozen=True, slots=True)
class CauseRule:
    """One kind of work that costs much where it is repeated."""

    kind: CauseKind
    code: re.Pattern[str]
    callee: re.Pattern[str]
    """Names of callees in a profile that are this work."""
    says: str
    attempt: str


def _rule(kind: CauseKind, code: str, callee: str, says: str, attempt: str) -> CauseRule:
    return CauseRule(kind, re.compile(code), re.compile(callee, re.IGNORECASE), says, attempt)


# The first that fits a line is taken: those that say more come first.
REPEATED: tuple[CauseRule, ...] = (
    _rule(
        "n_plus_one",
        r"(?:\.|->)(?:execute|executemany|query|Query\w*|Exec\w*|prepare|fetch\w*|findOne|find_one"
        r"|findUnique|find_by_\w+|get_or_create|objects\.get|urlopen|request)\(",
        r"\b(?:execute|query|queryrow|exec|fetch\w*|findone|find_one|urlopen|request)\b",
        "sends a query or a request for each item",
        "Fetch what all items need with one query (IN, a join or eager loading) before the loop.",
    ),
    _rule(
        "compile_in_loop",
        r"\bre\.compile\(|\bnew RegExp\(|\bregexp\.(?:Must)?Compile\w*\(|\bPattern\.compile\(",
        r"compile|RegExp|syntax\.",
        "compiles a regular expression again and again",
        "Compile it once, outside: as a constant, or kept by its pattern.",
    ),
    _rule(
        "io_in_loop",
        r"\bopen\(|\.read_(?:text|bytes)\(|\breadFileSync\(|\bfile_get_contents\(|\bfopen\("
        r"|\bos\.(?:ReadFile|Open)\(|\bioutil\.ReadFile\(|Files\.read\w+\(",
        r"\bopen\b|readfile|open(?:Sync|at)?\b|readfilesync|file_get_contents|syscall|read\b",
        "reads a file again and again",
        "Read it once before the loop, and hand the content down.",
    ),
    _rule(
        "serialisation",
        r"\bjson\.(?:dumps?|loads?|Marshal\w*|Unmarshal)\(|\bJSON\.(?:parse|stringify)\("
        r"|\bjson_(?:en|de)code\(|\b(?:un)?serialize\(|\bpickle\.\w+\(|\bdeepcopy\("
        r"|\bstructuredClone\(|\byaml\.\w*(?:load|dump)\w*\(",
        r"json|dumps|loads|encode|decode|serialize|pickle|deepcopy|structuredclone|stringify|parse"
        r"|marshal|yaml",
        "converts or copies a whole value in each repetition",
        "Do it once outside, or copy and convert only what changes.",
    ),
    _rule(
        "front_of_list",
        r"\.pop\(0\)|\.insert\(0,|\.shift\(\)|\.unshift\(|\barray_(?:un)?shift\("
        r"|=\s*append\(\[\][\w.*]+\{[^}]*\},\s*\w+\.\.\.\)|\.remove\(0\)|\.removeAt\(0\)",
        r"\bpop\b|\binsert\b|shift|memmove|growslice",
        "moves all elements to take or add one at the front",
        "Use a queue (deque, an index, a ring), or build it backwards and reverse it once.",
    ),
    _rule(
        "growing_copy",
        r"(?<![\w$.])(?P<acc>\$?[\w.]+)\s*=\s*(?:(?P=acc)\s*\+\s*[\[(]|array_merge\(\s*(?P=acc)\b"
        r"|(?P=acc)\.concat\(|[\[{]\s*\.\.\.(?P=acc)\b|np\.(?:append|concatenate)\(|pd\.concat\()"
        r"|\(\{?\s*(?P<acc2>\w+),[^)]*\)\s*=>\s*\(?[\[{]\s*\.\.\.(?P=acc2)\b"
        r"|Object\.assign\(\{\},\s*\w+",
        r"array_merge|concat|assign|append|concatenate|CloneObject|memmove",
        "copies everything collected so far to add one item",
        "Add to one collection in place (append, push, []=), and build the result once.",
    ),
    _rule(
        "sort_in_loop",
        r"\bsorted\(|\.sort\(|\b[uka]?r?sort\(|\bsort\.(?:Ints|Strings|Float64s|Slice\w*|Sort)\("
        r"|\bslices\.Sort\w*\(|Collections\.sort\(",
        r"sort",
        "sorts again in each repetition",
        "Sort once outside, or keep the order with a heap or a binary search.",
    ),
    _rule(
        "linear_search",
        r"\.includes\(|\.indexOf\(|\.lastIndexOf\(|\.findIndex\(|\.find\(\s*\(?\w+\)?\s*=>"
        r"|\bin_array\(|\barray_search\(|\bslices\.(?:Contains|Index)\w*\(|\.index\(|\.count\("
        r"|(?<!for )\b[\w.\[\]\"' ]+ (?:not )?in (?P<where>[A-Za-z_][\w.]*)(?!\w|\()",
        r"includes|indexof|findindex|\bfind\b|in_array|array_search|contains|\bindex\b|\bcount\b",
        "looks through a whole list for each item",
        "Make a set or a map of the list before the loop, and look items up in it.",
    ),
    _rule(
        "string_building",
        r"(?<![\w$.])\$?[\w.]+\s*\+=\s*[^;=]*[\"'`]|(?P<text>\$\w+)\s*=\s*[^;=]+\.\s*(?P=text)\s*;"
        r"|(?<![\w$.])(?P<same>[\w.]+)\s*=\s*(?:(?P=same)\s*\+\s*.*[\"'`]|.*[\"'`]\s*\+\s*(?P=same)\b)",
        r"concatstring|concat|memmove",
        "copies the whole text to add a piece to it",
        "Collect the pieces and join them once (join, a builder, a buffer).",
    ),
)
# Work that changes nothing and costs something; of others the profile has to show the cost.
_IO_WAITS = re.compile(r"epoll|\bpoll\b|select|\(idle\)|kevent|\bsleep\b|wait", re.IGNORECASE)


def is_waiting(function: str) -> bool:
    """Whether a function of a profile waits: for the network, a timer or another process."""
    return _IO_WAITS.search(function) is not None
