"""What can be said about a change, and how much it matters."""

from benchpin.code.changes import SymbolChange
from benchpin.core.results import Item
from benchpin.present import Finding, FindingRule, Level

RULES = (
    FindingRule("secret", "Secret", "A new line has something that looks like a secret."),
    FindingRule("syntax-error", "SyntaxError", "A file no longer parses as a whole."),
    FindingRule("broken-reference", "BrokenReference", "Something that is gone is still used."),
    FindingRule("broken-call", "BrokenCall", "A call does not fit the new signature."),
    FindingRule("complexity", "Complexity", "A function became harder to follow."),
    FindingRule("copied-code", "CopiedCode", "New code repeats code that exists."),
    FindingRule("new-cycle", "NewCycle", "A new import closes a cycle."),
    FindingRule("stale-documentation", "StaleDocumentation", "A text no longer fits the code."),
    FindingRule("unused-code", "UnusedCode", "Nothing uses a new function or type."),
    FindingRule("missing-test", "MissingTest", "No test mentions a new function."),
    FindingRule("new-debt", "NewDebt", "A new comment admits debt."),
)
_ORDER = {it.id: at for at, it in enumerate(RULES)}
# The most serious first.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


class Remark(Item):
    """One thing to look at."""

    rule: str
    level: Level
    file: str
    line: int
    end_line: int
    message: str
    symbol: str | None = None
    """The function or type that it is about."""
    elsewhere: str | None = None
    """Another place that belongs to it, as path:line."""


def remark_at(
    rule: str,
    file: str,
    line: int,
    message: str,
    symbol: str | None = None,
    elsewhere: str | None = None,
    *,
    level: Level = "error",
) -> Remark:
    """Return a finding about a line of a file."""
    return Remark(
        rule=rule,
        level=level,
        file=file,
        line=line,
        end_line=line,
        message=message,
        symbol=symbol,
        elsewhere=elsewhere,
    )


def remark_on(change: SymbolChange, rule: str, level: Level, message: str) -> Remark:
    """Return a finding about a function or type."""
    now = change.now
    found = remark_at(rule, now.path, now.fact.line, message, now.name, level=level)
    return found.model_copy(update={"end_line": now.fact.end_line})


def in_order(remarks: list[Remark]) -> list[Remark]:
    """Return findings by how much they matter, then by place."""
    return sorted(
        remarks, key=lambda it: (LEVELS.index(it.level), _ORDER[it.rule], it.file, it.line)
    )


def as_finding(remark: Remark) -> Finding:
    """Return it as SARIF and JUnit show it."""
    properties: dict[str, object] = {"symbol": remark.symbol, "elsewhere": remark.elsewhere}
    return Finding(
        remark.rule,
        remark.level,
        remark.message,
        remark.file,
        remark.line,
        remark.end_line,
        properties,
    )
