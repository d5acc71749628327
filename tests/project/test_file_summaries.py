from benchpin.measures.complexity import _complexity as complexity
from benchpin.measures.complexity import complexity_of, simplicity, summarize_file
from made_sources import parsed

HARD = "def hard(a):\n" + "".join(f"    if a == {it}:\n        a += 1\n" for it in range(12))
TEXTS = {"a.py": HARD, "b.py": "def easy():\n    return 1\n", "c.py": f"x = 1\n\n\n{HARD}"}


def test_what_is_added_up_is_what_the_functions_say() -> None:
    files = parsed(TEXTS)
    summaries = {file.path: summarize_file(file) for file in files}
    thresholds = complexity.Thresholds()
    assert complexity_of(summaries.values()) == complexity.measure(files, thresholds)
    assert [it.lines for it in summaries.values()] == [it.outline.lines for it in files]
    functions = [file.outline.functions for file in files]
    weighted = [it for summary in summaries.values() for it in summary.ease]
    assert sum(weighted) / sum(it.function_lines for it in summaries.values()) == simplicity(
        functions
    )
