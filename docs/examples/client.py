"""Call one tool over stdio, with nothing but the standard library.

python docs/examples/client.py README.md
"""

import json
import subprocess
import sys

# Start the server in the current folder, with one tool.
server = subprocess.Popen(
    ["benchpin", "serve", "--expose-tool", "read_file"],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
)

# Send a request: one JSON object a line.
request = {
    "jsonrpc": "2.0",
    "method": "tools/call",
    "params": {"name": "read_file", "arguments": {"path": sys.argv[1]}},
    "id": 1,
}
server.stdin.write(json.dumps(request) + "\n")
server.stdin.flush()

# Read the response: one line too.
response = json.loads(server.stdout.readline())
print(response["result"]["content"][0]["text"])

server.stdin.close()
server.wait()
