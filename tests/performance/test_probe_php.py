"""The probe against a real PHP page."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.performance.collector._probe import probe
from probe_plans import planned

pytestmark = pytest.mark.slow

PAGE = """<?php
if (isset($_GET['wait'])) { usleep(50000); }
if (isset($_GET['gone'])) { http_response_code(404); }
echo str_repeat('x', 100000);
flush();
if (isset($_GET['slow'])) { usleep(50000); }
"""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    php = shutil.which("php")
    if php is None:
        pytest.skip("php is not installed")
    (tmp_path / "index.php").write_text(PAGE, encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with subprocess.Popen(
        [php, "-S", address, "-t", str(tmp_path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as server:
        try:
            assert server.stderr is not None
            assert b"started" in server.stderr.readline()
            yield f"http://{address}"
        finally:
            server.kill()


def test_a_php_page_is_timed_to_its_first_byte_and_to_its_end(page: str) -> None:
    paths = ["/", "/?wait=1", "/?slow=1", "/?gone=1"]
    plain, wait, slow, gone = probe(planned(page, paths, sample_count=1), Job())
    assert [it.status for it in (plain, wait, slow, gone)] == [200, 200, 200, 404]
    assert [it.body_bytes for it in (plain, wait, slow, gone)] == [100_000] * 4
    assert [it.error for it in (plain, wait, slow, gone)] == [None] * 4
    assert wait.ttfb_ms is not None
    assert wait.ttfb_ms >= 50
    assert slow.wall_ms is not None
    assert slow.wall_ms >= 50
