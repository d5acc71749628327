from pathlib import Path

import pytest

from page_kit import HOST, Browser


@pytest.fixture
def browser(workspace: Path) -> Browser:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    return Browser(workspace)


async def test_the_printed_address_sets_a_strict_cookie_and_leads_to_the_page_without_the_key(
    browser: Browser,
) -> None:
    target = f"/search?q=%22%3E&token={browser.access.token}"
    answer = await browser.send("GET", target, b"", {})
    assert answer.status == 200
    assert answer.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert 'url=/search?q=%22%3E"' in answer.text
    assert browser.access.token not in answer.text


@pytest.mark.parametrize("target", ["/", "/?token=wrong", "/static/app.js", "/events"])
async def test_nothing_is_served_without_the_key(browser: Browser, target: str) -> None:
    answer = await browser.send("GET", target, b"", {"cookie": "benchpin_8000=wrong"})
    assert answer.status == 401
    assert "benchpin ui" in answer.text


@pytest.mark.parametrize(
    "odd",
    [
        'prefs={"a":1, "b":[2]}',
        "a b=c",
        "=nameless",
        "lonely",
        "name=caf\u00e9",
        'open="quote',
        "k@y(x)=1",
        ";;",
        "$Version=1",
    ],
)
async def test_odd_cookies_of_other_ports_lock_nobody_out(browser: Browser, odd: str) -> None:
    ours = f"{browser.access.cookie}={browser.access.token}"
    for cookie in (f"{odd}; {ours}", f"{ours}; {odd}", f"{odd};{ours};{odd}"):
        assert (await browser.send("GET", "/", b"", {"cookie": cookie})).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1:9000"},
        {"host": "127.0.0.1"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9000"},
    ],
)
async def test_a_foreign_host_or_origin_is_refused_even_with_the_key(
    browser: Browser, headers: dict[str, str]
) -> None:
    assert (await browser.get("/", **headers)).status == 403


async def test_a_form_without_our_origin_changes_nothing(browser: Browser, workspace: Path) -> None:
    cookie = f"{browser.access.cookie}={browser.access.token}"
    answer = await browser.send("POST", "/comments/add", b"path=a.py", {"cookie": cookie})
    assert answer.status == 403
    assert [it.name for it in workspace.iterdir()] == ["a.py"]


async def test_pages_may_load_only_our_own_scripts_and_evaluate_no_text(browser: Browser) -> None:
    answer = await browser.get("/search")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers["referrer-policy"] == "same-origin"
    assert HOST not in answer.text


@pytest.mark.parametrize("name", ["../pages.py", "..%2fpages.py", "app.map", "%00"])
async def test_static_files_are_ours_alone(browser: Browser, name: str) -> None:
    assert (await browser.get(f"/static/{name}")).status == 404
