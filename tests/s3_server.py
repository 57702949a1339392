"""An S3 server for tests, on loopback and in memory.

It implements the operations that a store needs, by Amazon's documents: objects, ranges, uploads in parts,
lists in pages, deleting several objects. It checks every signature (Signature Version 4) and every checksum.
With `away` it closes each connection without an answer.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import re
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest

KEY = "AKTESTTESTTEST"
SECRET = "secret/of+the/tests"
BUCKET = "walkaround"
PAGE = 3
"""Names in one page of a list; Amazon's pages have 1,000."""


class StoredObject(NamedTuple):
    """An object: its bytes, the time of the write (seconds), and the received SHA-256 checksums, Base64."""

    data: bytes
    written: float
    checksums: tuple[str, ...]

    @property
    def etag(self) -> str:
        """The entity tag, in quotes."""
        return f'"{hashlib.md5(self.data, usedforsecurity=False).hexdigest()}"'


@dataclass
class State:
    """The objects of the server and its behaviour."""

    objects: dict[str, StoredObject] = field(default_factory=dict)
    uploads: dict[str, dict[int, StoredObject]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    away: bool = False
    break_after: int | None = None
    """Bytes of the next content after which the connection breaks, once."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class _RequestRefusedError(Exception):
    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: S3Server

    def log_message(self, format: str, *args: object) -> None:
        """Requests are in `State.requests`."""

    def _handle(self) -> None:
        state = self.server.state
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if state.away:
            self.close_connection = True
            return
        parts = urlsplit(self.path)
        with state.lock:
            state.requests.append(f"{self.command} {self.path}")
        try:
            self._check(body)
            bucket, _, key = unquote(parts.path).lstrip("/").partition("/")
            if bucket != BUCKET:
                raise _RequestRefusedError(404, "NoSuchBucket")
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            getattr(self, f"_{self.command.lower()}")(state, key, query, body)
        except _RequestRefusedError as refused:
            self._answer(refused.status, f"<Error><Code>{refused.code}</Code></Error>".encode())

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _handle

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _check(self, body: bytes) -> None:
        """Compare signature and checksum. Source: Signature Version 4, authorization header."""
        authorization = self.headers.get("Authorization") or ""
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d+)/([^/]+)/s3/aws4_request, ?"
            r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})",
            authorization,
        )
        if match is None or match.group(1) != KEY:
            raise _RequestRefusedError(403, "InvalidAccessKeyId")
        _, day, region, signed, signature = match.groups()
        payload = self.headers["x-amz-content-sha256"]
        if payload != hashlib.sha256(body).hexdigest():
            raise _RequestRefusedError(400, "XAmzContentSHA256Mismatch")
        parts = urlsplit(self.path)
        query = sorted(
            (quote(k, safe="-_.~"), quote(v, safe="-_.~"))
            for k, v in parse_qsl(parts.query, keep_blank_values=True)
        )
        request = "\n".join(
            [
                self.command,
                parts.path,
                "&".join(f"{k}={v}" for k, v in query),
                *(f"{name}:{' '.join(self.headers[name].split())}" for name in signed.split(";")),
                "",
                signed,
                payload,
            ]
        )
        scope = f"{day}/{region}/s3/aws4_request"
        digest = hashlib.sha256(request.encode()).hexdigest()
        text = f"AWS4-HMAC-SHA256\n{self.headers['x-amz-date']}\n{scope}\n{digest}"
        key = f"AWS4{SECRET}".encode()
        for part in (day, region, "s3", "aws4_request"):
            key = hmac.digest(key, part.encode(), "sha256")
        if not hmac.compare_digest(hmac.digest(key, text.encode(), "sha256").hex(), signature):
            raise _RequestRefusedError(403, "SignatureDoesNotMatch")
        checksum = self.headers.get("x-amz-checksum-sha256")
        if checksum is not None and base64.b64decode(checksum) != hashlib.sha256(body).digest():
            raise _RequestRefusedError(400, "BadDigest")

    def _make_object(self, body: bytes) -> StoredObject:
        checksum = self.headers.get("x-amz-checksum-sha256")
        return StoredObject(body, time.time(), () if checksum is None else (checksum,))

    def _put(self, state: State, key: str, query: dict[str, str], body: bytes) -> None:
        new = self._make_object(body)
        with state.lock:
            if "uploadId" in query:
                if query["uploadId"] not in state.uploads:
                    raise _RequestRefusedError(404, "NoSuchUpload")
                state.uploads[query["uploadId"]][int(query["partNumber"])] = new
            else:
                state.objects[key] = new
        self._answer(200, ETag=new.etag)

    def _post(self, state: State, key: str, query: dict[str, str], body: bytes) -> None:
        if "uploads" in query:
            upload = uuid.uuid4().hex
            state.uploads[upload] = {}
            text = f"<Key>{escape(key)}</Key><UploadId>{upload}</UploadId>"
            self._answer(200, _xml("InitiateMultipartUploadResult", f"<Bucket>{BUCKET}</Bucket>{text}"))
        elif "uploadId" in query:
            with state.lock:
                parts = state.uploads.get(query["uploadId"])
                if parts is None:
                    raise _RequestRefusedError(404, "NoSuchUpload")
                wanted = [int(text) for text in _texts(body, "PartNumber")]
                if not wanted:
                    raise _RequestRefusedError(400, "MalformedXML")
                chosen = [parts[number] for number in wanted]
                if any(len(part.data) < 5 * 2**20 for part in chosen[:-1]):
                    raise _RequestRefusedError(400, "EntityTooSmall")
                del state.uploads[query["uploadId"]]
                checksums = tuple(checksum for part in chosen for checksum in part.checksums)
                new = StoredObject(b"".join(part.data for part in chosen), time.time(), checksums)
                state.objects[key] = new
            text = f"<Key>{escape(key)}</Key><ETag>{escape(new.etag)}</ETag>"
            self._answer(200, _xml("CompleteMultipartUploadResult", f"<Bucket>{BUCKET}</Bucket>{text}"))
        elif "delete" in query:
            names = _texts(body, "Key")
            with state.lock:
                for name in names:
                    state.objects.pop(name, None)
            deleted = "".join(f"<Deleted><Key>{escape(name)}</Key></Deleted>" for name in names)
            self._answer(200, _xml("DeleteResult", deleted))
        else:
            raise _RequestRefusedError(400, "InvalidRequest")

    def _get(self, state: State, key: str, query: dict[str, str], body: bytes) -> None:
        if not key:
            self._list(state, query)
            return
        stored = state.objects.get(key)
        if stored is None:
            raise _RequestRefusedError(404, "NoSuchKey")
        headers = {"ETag": stored.etag, "Last_Modified": formatdate(stored.written, usegmt=True)}
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if match is None:
            self._content(state, 200, stored.data, headers)
            return
        start, end = int(match[1]), min(int(match[2] or len(stored.data)), len(stored.data) - 1)
        if start > end:
            raise _RequestRefusedError(416, "InvalidRange")
        headers["Content_Range"] = f"bytes {start}-{end}/{len(stored.data)}"
        self._content(state, 206, stored.data[start : end + 1], headers)

    def _content(self, state: State, status: int, data: bytes, headers: dict[str, str]) -> None:
        end, state.break_after = state.break_after, None
        if end is None or end >= len(data):
            self._answer(status, data, **headers)
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:end])
        self.close_connection = True

    _head = _get

    def _list(self, state: State, query: dict[str, str]) -> None:
        after = query.get("continuation-token") or query.get("start-after") or ""
        with state.lock:
            names = sorted(n for n in state.objects if n.startswith(query.get("prefix", "")) and n > after)
            page = {name: state.objects[name] for name in names[:PAGE]}
        text = "".join(
            f"<Contents><Key>{escape(name)}</Key><LastModified>{_iso(stored.written)}</LastModified>"
            f"<ETag>{escape(stored.etag)}</ETag><Size>{len(stored.data)}</Size></Contents>"
            for name, stored in page.items()
        )
        more = len(names) > PAGE
        text += f"<IsTruncated>{str(more).lower()}</IsTruncated><KeyCount>{len(page)}</KeyCount>"
        if more:
            text += f"<NextContinuationToken>{escape(names[PAGE - 1])}</NextContinuationToken>"
        self._answer(200, _xml("ListBucketResult", f"<Name>{BUCKET}</Name>{text}"))

    def _delete(self, state: State, key: str, query: dict[str, str], body: bytes) -> None:
        with state.lock:
            if "uploadId" in query:
                state.uploads.pop(query["uploadId"], None)
            else:
                state.objects.pop(key, None)
        self._answer(204)


def _texts(body: bytes, name: str) -> list[str]:
    """The texts of the elements with that name, whatever their namespace."""
    return [each.text or "" for each in ElementTree.fromstring(body).findall(f".//{{*}}{name}")]


def _xml(name: str, text: str) -> bytes:
    return f'<?xml version="1.0"?><{name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{text}</{name}>'.encode()


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))


class S3Server(ThreadingHTTPServer):
    """The server, on a free port of loopback."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.state = State()
        self._connections: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Take a connection."""
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def end(self) -> None:
        """Take no more, and end the connections that clients keep."""
        self.shutdown()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def endpoint(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves in the middle of an answer is no fault."""

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Answer nothing within the block."""
        self.state.away = True
        try:
            yield
        finally:
            self.state.away = False


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """A running server with the empty bucket `BUCKET`."""
    with S3Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.end()
            thread.join()


def store_settings(server: S3Server, folder: Path) -> dict[str, Any]:
    """The settings of a service whose files lie at the server; `folder` gets the file with the keys."""
    keys = folder / "s3.keys"
    keys.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n", "utf-8")
    keys.chmod(0o600)
    return {"files_url": f"s3://{BUCKET}/site", "files_endpoint": server.endpoint, "files_keys_file": keys}


@pytest.fixture
def s3() -> Iterator[S3Server]:
    """A running server."""
    with s3_server() as server:
        yield server


@pytest.fixture
def short_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that is away is tried for half a second."""
    monkeypatch.setattr("service.stores.s3.RETRY_SECONDS", 0.5)
