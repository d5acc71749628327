"""The bare limit: a loop that decodes and encodes JSON, and does nothing else."""

import json
import sys

for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue
    text = request.get("params", {}).get("arguments", {}).get("text", "")
    result = {"content": [{"type": "text", "text": text}], "structuredContent": {"text": text}}
    answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
    sys.stdout.buffer.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
    sys.stdout.buffer.flush()
