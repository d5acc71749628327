import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

from benchpin.app import Workbench
from page_kit import Browser

TANGLE = """\
def tangle(a, b):
    for x in a:
        for y in b:
            if x and y or a:
                while b:
                    if y:
                        for z in a:
                            if z:
                                return helper(z)
    return 0


def helper(value):
    return value
"""


@pytest.fixture
def browser(workspace: Path) -> Browser:
    (workspace / "src").mkdir()
    (workspace / "src" / "tangle.py").write_text(TANGLE, encoding="utf-8")
    (workspace / "src" / "user.py").write_text(
        "from src.tangle import tangle\n\n\ndef use():\n    return tangle([], [])\n",
        encoding="utf-8",
    )
    return Browser(workspace)


async def test_the_overview_says_what_to_do_first_and_links_to_the_evidence(
    browser: Browser,
) -> None:
    page = (await browser.wait_for("/")).text
    assert "What to do first" in page
    assert "/source?path=src%2Ftangle.py#L1" in page
    assert 'href="/findings/analyze_complexity"' in page


async def test_a_list_links_each_place_to_its_line(browser: Browser) -> None:
    page = (await browser.wait_for("/findings/analyze_complexity")).text
    assert 'href="/source?path=src%2Ftangle.py#L1"' in page
    assert 'aria-current="page">Complexity' in page


async def test_every_list_of_findings_is_shown(browser: Browser) -> None:
    first = (await browser.wait_for("/findings")).text
    lists = re.findall(r'<a href="(/findings/\w+)"', first)
    assert len(lists) >= 11
    for address in lists:
        answer = await browser.wait_for(address)
        assert answer.status == 200, address
        is_error = 'class="error"' in answer.text
        assert is_error == ("churn" in address or "trends" in address), address  # no history


async def test_an_unknown_list_says_so(browser: Browser) -> None:
    answer = await browser.get("/findings/run_tests")
    assert answer.status == 400
    assert "There is no list" in answer.text


async def test_a_source_page_has_line_numbers_and_the_complexity_of_functions(
    browser: Browser,
) -> None:
    page = (await browser.get("/source?path=src/tangle.py")).text
    assert '<tr id="L13">' in page
    assert "cyclomatic 1" in page
    assert "/symbol?name=src%2Ftangle.py%3A%3Atangle" in page


async def test_a_file_outside_the_workspace_is_an_error_on_a_page(browser: Browser) -> None:
    answer = await browser.get("/source?path=../secret.txt")
    assert answer.status == 400
    assert "outside" in answer.text


async def test_a_folder_leads_to_its_map(browser: Browser) -> None:
    answer = await browser.get("/source?path=src")
    assert (answer.status, answer.headers["location"]) == (303, "/map?path=src")


async def test_a_symbol_is_shown_between_its_callers_and_callees(browser: Browser) -> None:
    page = (await browser.wait_for("/symbol?name=src/tangle.py::tangle")).text
    callers, source, callees = (page.index(it) for it in ("Callers", "Source", "Callees"))
    assert callers < page.index(">use<") < source < callees
    assert page.index(">helper<", callees)


async def test_who_uses_a_file_is_listed(browser: Browser) -> None:
    page = (await browser.wait_for("/users?path=src/tangle.py")).text
    assert "1 dependent" in page
    assert "src/user.py" in page


async def test_a_search_finds_files_symbols_and_lines(browser: Browser) -> None:
    page = (await browser.wait_for("/search?q=tangle")).text
    assert all(f"<h2>{it}</h2>" in page for it in ("Files", "Symbols", "Lines"))
    hits = ""
    while "/symbol?" not in hits:  # the first search reads the index
        hits = (await browser.get("/hits?q=tang")).text
    assert hits.count('role="option"') >= 2


async def test_a_comment_is_added_answered_and_resolved_from_the_page(browser: Browser) -> None:
    form = {"path": "src/tangle.py", "line": "3", "text": "Why so deep?\r\n<b>", "tag": "QUESTION"}
    answer = await browser.post("/comments/add", form)
    assert (answer.status, answer.headers["location"]) == (303, "/source?path=src%2Ftangle.py#L3")
    page = (await browser.get("/source?path=src/tangle.py")).text
    assert "Why so deep?\n&lt;b&gt;" in page
    [comment] = set(re.findall(r'name="reply_to" value="([^"]+)"', page))
    await browser.post("/comments/add", {**form, "text": "History.", "reply_to": comment})
    resolved = {"path": "src/tangle.py", "id": comment, "line": "3", "status": "resolved"}
    await browser.post("/comments/resolve", resolved)
    page = (await browser.get("/source?path=src/tangle.py")).text
    assert "note answer" in page
    assert "Reopen" in page


async def test_a_read_only_workspace_offers_no_comments(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    browser = Browser(workspace, read_only=True)
    page = (await browser.get("/source?path=a.py")).text
    assert "/comments/add" not in page
    refused = await browser.post("/comments/add", {"path": "a.py", "line": "1", "text": "x"})
    assert refused.status == 400


async def test_a_too_long_comment_is_refused_before_it_is_read(browser: Browser) -> None:
    answer = await browser.post("/comments/add", {}, **{"content-length": "999999999"})
    assert answer.status == 400


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>.py",
        "\u202egnp.py",
        "a\"b'c.py",
        "x" * 200 + ".py",
        "עברית.py",
    ],
)
async def test_a_hostile_name_is_shown_and_linked_as_text(workspace: Path, name: str) -> None:
    (workspace / name).write_text("def f():\n    return 1\n", encoding="utf-8")
    browser = Browser(workspace)
    page = (await browser.get(f"/source?{urlencode({'path': name})}")).text
    assert "<img" not in page
    assert "\u202e" not in re.sub(r'name="path" value="[^"]*"', "", page)
    assert (await browser.wait_for("/search?q=.py")).status == 200


async def test_source_text_is_escaped_and_hidden_characters_are_shown(workspace: Path) -> None:
    text = "x = '</td><script>alert(1)</script>'  # \u202e\x1b[31m\n"
    (workspace / "a.py").write_text(text, encoding="utf-8")
    page = (await Browser(workspace).get("/source?path=a.py")).text
    assert "<script>alert" not in page
    assert "# \\u202e\\x1b[31m" in page


async def test_without_a_snapshot_the_performance_page_says_how_to_make_one(
    browser: Browser,
) -> None:
    page = (await browser.wait_for("/performance")).text
    for command in ("perf record -- PROGRAM", "perf ingest FILE", "perf collect https://"):
        assert f"<code>benchpin {command}" in page
    assert 'class="error"' not in page


@pytest.mark.parametrize(
    ("file", "text", "program"),
    [
        ("go.mod", "module a\n", "go test ."),
        ("pytest.ini", "[pytest]\n", "python3 -m pytest"),
        ("Cargo.toml", "[package]\nname = 'a'\n", "cargo test"),
        ("package.json", '{"devDependencies": {"jest": "29"}}', "PROGRAM ARGUMENTS…"),
    ],
)
async def test_a_project_with_tests_gets_the_command_that_profiles_them(
    workspace: Path, file: str, text: str, program: str
) -> None:
    (workspace / file).write_text(text, encoding="utf-8")
    page = (await Browser(workspace).wait_for("/performance")).text
    assert f"<code>benchpin perf record -- {program}</code>" in page


async def test_the_newest_snapshot_is_shown_with_its_queries(workspace: Path) -> None:
    log = "# Query_time: 2.5 Lock_time: 0 Rows_sent: 1 Rows_examined: 900000\nselect * from t;\n"
    (workspace / "slow.log").write_text(f"# User@Host: a[a] @ b []\n{log}", encoding="utf-8")
    browser = Browser(workspace)
    await browser.pages.site.analyses.call("ingest_artifacts", artifacts=[{"path": "slow.log"}])
    page = (await browser.wait_for("/performance")).text
    assert "Queries by total time" in page
    assert "select * from t" in page


async def test_the_longest_of_several_profiles_is_drawn_and_another_can_be_chosen(
    browser: Browser, workspace: Path
) -> None:
    for name, samples in (("a", 10), ("b", 900), ("c", 20)):
        (workspace / f"{name}.folded").write_text(f"main;in_{name} {samples}\n", encoding="utf-8")
    with closing(Workbench.open(workspace)) as workbench:
        paths = [{"path": f"{it}.folded"} for it in "abc"]
        workbench.call("ingest_artifacts", artifacts=paths)
    page = (await browser.wait_for("/performance")).text
    assert "900 samples of 2 functions" in page
    [form] = re.findall(r'<select name="profile">(.*?)</select>', page, re.DOTALL)
    choices = re.findall(r'value="(\w+)"', form)
    assert len(choices) == 3
    page = (await browser.wait_for(f"/performance?profile={choices[1]}")).text
    assert "20 samples of 2 functions" in page
    assert f'value="{choices[1]}" selected' in page
    unknown = await browser.wait_for("/performance?profile=nosuch")
    assert "No profiles match" in unknown.text


async def test_a_profile_is_drawn_on_the_performance_page(
    browser: Browser, workspace: Path
) -> None:
    (workspace / "out.folded").write_text("main;a 10\nmain;b 30\n", encoding="utf-8")
    with closing(Workbench.open(workspace)) as workbench:
        workbench.call("ingest_artifacts", artifacts=[{"path": "out.folded"}])
    page = (await browser.wait_for("/performance")).text

    assert 'class="flame"' in page
    for name in re.findall(r"/static/flame[.]\w+", page):
        assert (await browser.get(name)).status == 200
    assert "/static/flame.js" in page


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("analyze_complexity", "3 functions in 2 files"),
        ("analyze_duplicates", "lines in 2 files are duplicated"),
    ],
)
async def test_a_list_begins_with_the_answer_and_folds_how_it_was_measured(
    browser: Browser, tool: str, answer: str
) -> None:
    page = (await browser.wait_for(f"/findings/{tool}")).text
    article = page[page.index("<article>") : page.index("</article>")]
    assert answer in article[: article.index("</p>")]
    folded = article[article.index('<details class="notes">') :]
    assert "How this was measured" in folded
    assert "<table" not in folded


async def test_the_gate_begins_with_its_verdict_and_shows_each_check_once(browser: Browser) -> None:
    page = (await browser.wait_for("/findings/quality_gate")).text
    assert page.index("PASSED: 4 checks") < page.index("<table")
    assert page.count("max_duplication_percent") == 1


async def test_an_address_that_leads_nowhere_is_a_page_of_ours(browser: Browser) -> None:
    answer = await browser.get("/nonsense/<b>tangle")
    assert answer.status == 404
    assert "There is no page" in answer.text
    assert 'class="bar"' in answer.text
    assert 'value="&lt;b&gt;tangle"' in answer.text
    assert "<b>tangle" not in answer.text


async def test_an_error_page_says_what_is_wrong_first_and_offers_a_search(browser: Browser) -> None:
    answer = await browser.get("/source?path=src/tangel.py")
    assert answer.status == 400
    assert "<h1>There is nothing at &#39;src/tangel.py&#39;" in answer.text
    assert 'value="tangel.py"' in answer.text


async def test_lines_that_a_search_finds_are_shown_without_their_indentation(
    workspace: Path,
) -> None:
    (workspace / "a.go").write_text(
        'package a\n\nfunc f() {\n\tif true {\n\t\tg("rare\tword")\n\t}\n}\n', encoding="utf-8"
    )
    page = (await Browser(workspace).wait_for("/search?q=rare")).text
    assert "<bdi>g(&#34;rare\tword&#34;)</bdi>" in page
    assert "\\t" not in page


async def test_a_piece_of_advice_breaks_at_the_slashes_of_a_path(browser: Browser) -> None:
    page = (await browser.wait_for("/")).text
    assert "tangle in src/<wbr>tangle.py" in page
