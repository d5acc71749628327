"""As much of S3 as the fleet uses, over a folder: what is killed here keeps its objects.

    python bench/servers/folder_s3.py PORT FOLDER

Objects are files, written beside their name and renamed, so that a killed server leaves whole
objects or none. Buckets are folders. Signatures are not checked. Each request is a line in
`requests.log` of the folder: its method, what was asked for, and the bytes sent and received.
"""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

LOG = "requests.log"
UPLOADS = ".uploads"
_RANGE = re.compile(r"bytes=(\d+)-(\d+)")
_KEY = re.compile(r"<Key>(.*?)</Key>", re.DOTALL)


class Server(ThreadingHTTPServer):
    """Serves one folder."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.folder = folder
        self.log = (folder / LOG).open("a", encoding="utf-8", buffering=1)


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def _asked(self) -> tuple[Path, dict[str, list[str]]]:
        parts = urlsplit(self.path)
        path = self.server.folder / unquote(parts.path).lstrip("/")
        if ".." in path.parts:
            raise ValueError(self.path)
        return path, parse_qs(parts.query, keep_blank_values=True)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _answer(self, kind: str, code: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        received = self.headers.get("Content-Length", "0")
        self.server.log.write(f"{self.command} {kind} {code} {received} {len(body)}\n")

    def do_PUT(self) -> None:
        """Make a bucket, write an object, or a part of one."""
        path, query = self._asked()
        body = self._body()
        if path.parent == self.server.folder:
            path.mkdir(exist_ok=True)
            self._answer("bucket", 200)
            return
        kind = "object"
        if "uploadId" in query:
            path = self._upload(query) / query["partNumber"][0]
            kind = "part"
        write(path, body)
        self._answer(kind, 200, ETag=etag(body))

    def do_GET(self) -> None:
        """Return an object, a part of it, or a listing."""
        path, query = self._asked()
        if "list-type" in query:
            self._answer("listing", 200, self._listing(path, query["prefix"][0]))
            return
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                asked = _RANGE.fullmatch(self.headers.get("Range", ""))
                first, last = map(int, asked.groups()) if asked else (0, size - 1)
                file.seek(first)
                body = file.read(last + 1 - first)
                moment = formatdate(os.fstat(file.fileno()).st_mtime, usegmt=True)
        except OSError:
            self._missing()
            return
        about = {"ETag": f'"{size}"', "Last_Modified": moment}
        if asked:
            about["Content_Range"] = f"bytes {first}-{first + len(body) - 1}/{size}"
        self._answer("range" if asked else "object", 206 if asked else 200, body, **about)

    def _missing(self) -> None:
        self._answer("missing", 404, b"<Error><Code>NoSuchKey</Code></Error>")

    def do_DELETE(self) -> None:
        """Remove an object, or give up an upload."""
        path, query = self._asked()
        if "uploadId" in query:
            shutil.rmtree(self._upload(query), ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        self._answer("object", 204)

    def do_POST(self) -> None:
        """Begin or finish an upload in parts, or remove many objects."""
        path, query = self._asked()
        body = self._body()
        if "delete" in query:
            for key in _KEY.findall(body.decode()):
                (path / key).unlink(missing_ok=True)
            self._answer("delete", 200, b"<DeleteResult></DeleteResult>")
        elif "uploads" in query:
            name = os.urandom(8).hex()
            (self.server.folder / UPLOADS / name).mkdir(parents=True)
            text = f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId>"
            self._answer("begin", 200, f"{text}</InitiateMultipartUploadResult>".encode())
        else:
            self._complete(path, self._upload(query))

    def _complete(self, path: Path, parts: Path) -> None:
        """Join the parts; done before by a server that was killed, it is done."""
        if parts.is_dir():
            ordered = sorted(parts.iterdir(), key=lambda it: int(it.name))
            write(path, b"".join(it.read_bytes() for it in ordered))
            shutil.rmtree(parts)
        elif not path.is_file():
            self._missing()
            return
        text = '<CompleteMultipartUploadResult><ETag>"whole"</ETag>'
        self._answer("complete", 200, f"{text}</CompleteMultipartUploadResult>".encode())

    def _upload(self, query: dict[str, list[str]]) -> Path:
        return self.server.folder / UPLOADS / Path(query["uploadId"][0]).name

    def _listing(self, bucket: Path, prefix: str) -> bytes:
        entries = "".join(
            f"<Contents><Key>{escape(str(it.relative_to(bucket)))}</Key>"
            f"<LastModified>{datetime.fromtimestamp(it.stat().st_mtime, UTC):%FT%TZ}</LastModified>"
            f'<ETag>"x"</ETag><Size>{it.stat().st_size}</Size></Contents>'
            for it in sorted(files_below(bucket / prefix))
        )
        return f"<ListBucketResult>{entries}</ListBucketResult>".encode()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the whole objects below a folder."""
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names if not name.startswith("."))


def write(path: Path, body: bytes) -> None:
    """Write a file by a rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{os.urandom(6).hex()}")
    beside.write_bytes(body)
    beside.rename(path)


def etag(body: bytes) -> str:
    """Return the tag of a content."""
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'


if __name__ == "__main__":
    Server(int(sys.argv[1]), Path(sys.argv[2])).serve_forever()
