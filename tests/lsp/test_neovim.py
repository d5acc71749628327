"""A real Neovim, headless, opens a file, sees a note, adds one, and finds both moved."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from repositories import Tree

pytest.importorskip("pygls", reason="benchpin[lsp] is not installed")
NEOVIM = shutil.which("nvim")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed"),
]
CODE = "RETRIES = 3\n\n\ndef charge(card):\n    return send(card, retries=RETRIES)\n"
# The configuration is the one in docs/editors.md, with a program and a folder for the test.
SESSION = """
local seen, root, python = {}, vim.env.ROOT, vim.env.PYTHON
local function notes()
  local found = {}
  for _, it in ipairs(vim.diagnostic.get(0)) do
    if it.source == "benchpin" then table.insert(found, { it.lnum + 1, it.message }) end
  end
  table.sort(found, function(a, b) return a[1] < b[1] end)
  return found
end
local function wait_for(count, line)
  vim.wait(30000, function()
    local found = notes()
    return #found == count and (line == nil or found[1][1] == line)
  end, 50)
  return notes()
end
vim.cmd("edit " .. root .. "/pay.py")
local client = vim.lsp.start_client({
  name = "benchpin",
  cmd = { python, "-m", "benchpin", "lsp", root },
  root_dir = root,
  init_options = { notes = { "diagnostics" }, review = false, author = "vi" },
})
vim.lsp.buf_attach_client(0, client)
seen.opened = wait_for(1)
local uri = vim.uri_from_bufnr(0)
vim.lsp.buf_request_sync(0, "workspace/executeCommand", {
  command = "benchpin.addNote", arguments = { uri, 4, "who calls it?" },
}, 30000)
seen.added = wait_for(2)
vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# one", "# two" })
seen.typed = wait_for(2, 6)
vim.cmd("silent write")
seen.saved = wait_for(2, 6)
local file = io.open(vim.env.SEEN, "w")
file:write(vim.fn.json_encode(seen))
file:close()
vim.lsp.stop_client(client)
vim.cmd("qall!")
"""


def test_notes_are_seen_added_and_follow_the_code(workspace: Path, tmp_path: Path) -> None:
    Tree(workspace).commit({"pay.py": CODE.encode()})
    shop = Workbench(configure(root=workspace))
    shop.call("add_comment", file_path="pay.py", line=5, text="enough", tag="NOTE", author="ada")
    script, seen = tmp_path / "session.lua", tmp_path / "seen.json"
    script.write_text(SESSION, encoding="utf-8")
    assert NEOVIM is not None
    subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-c", f"luafile {script}"],
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONPATH": ":".join(sys.path),
            "ROOT": str(workspace),
            "PYTHON": sys.executable,
            "SEEN": str(seen),
        },
        check=True,
        timeout=200,
        capture_output=True,
    )
    said = json.loads(seen.read_text(encoding="utf-8"))
    assert said == {
        "opened": [[5, "ada: enough"]],
        "added": [[4, "vi: who calls it?"], [5, "ada: enough"]],
        "typed": [[6, "vi: who calls it?"], [7, "ada: enough"]],
        "saved": [[6, "vi: who calls it?"], [7, "ada: enough"]],
    }
    assert (workspace / "pay.py").read_text(encoding="utf-8").startswith("# one\n")
