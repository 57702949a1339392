"""Keeps objects in a bucket of an S3-compatible store, by obstore.

Obstore signs requests, uploads in parts, resumes interrupted downloads and retries within the limits below.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store as Bucket

from service.stores.port import PIECE, StoredObject, StoreUnavailableError

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config

RETRY_SECONDS = 6
"""How long a request is retried. A service that stops waits 8 s for running work (`service.running`)."""

_CONNECT_SECONDS = 3
_SILENT_SECONDS = 20
"""Longest pause between two bytes; a store may need time to join the parts of a large object."""

_REQUEST_SECONDS = 3600
"""Limit for a whole request: 2 GB at 5 MBit/s."""

_PART_BYTES = 8 * 2**20
"""Bytes of one part; a store allows 10,000 parts of at least 5 MiB. Smaller files go in one request.
Source: Amazon S3, multipart upload limits."""

_CONCURRENT_PARTS = 4

_LOG = logging.getLogger("walkaround.stores")


class _S3Pieces:
    def __init__(self, bucket: Bucket, key: str, byte_range: range | None) -> None:
        options: Any = {} if byte_range is None else {"range": (byte_range.start, byte_range.stop)}
        self._stream: Iterator[Any] | None = None
        self._stream = iter(obstore.get(bucket, key, options=options).stream(min_chunk_size=PIECE))

    def read(self) -> bytes:
        """The next piece; empty at the end."""
        if self._stream is None:
            return b""
        with _translate_errors("read"):
            return bytes(next(self._stream, b""))

    def close(self) -> None:
        """Release the connection."""
        self._stream = None


class S3Store:
    """A store of the objects of `bucket` whose names begin with `prefix`.

    `access` are the options `access_key_id`, `secret_access_key`, `session_token`, `endpoint` and `region` of
    obstore, which reads missing ones from the usual `AWS_` environment variables.
    """

    def __init__(self, bucket: str, prefix: str, **access: str) -> None:
        retries: RetryConfig = {
            "max_retries": 20,
            "retry_timeout": timedelta(seconds=RETRY_SECONDS),
            "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=1)},
        }
        client: ClientConfig = {
            "allow_http": access.get("endpoint", "").startswith("http://"),
            "connect_timeout": timedelta(seconds=_CONNECT_SECONDS),
            "read_timeout": timedelta(seconds=_SILENT_SECONDS),
            "timeout": timedelta(seconds=_REQUEST_SECONDS),
        }
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        # The store verifies the SHA-256 of each part.
        config = cast("S3Config", {**access, "checksum_algorithm": "SHA256"})
        self._bucket = Bucket(bucket, config=config, client_options=client, retry_config=retries)

    def local_path(self, name: str) -> None:
        """Return None: no object is on the local disk."""

    def put(self, name: str, source: Path) -> None:
        """Upload the file at `source`, in parts if it is large. A failed upload leaves nothing."""
        with source.open("rb") as file, _translate_errors("put", may_be_missing=False):
            # A file that fits into one part goes in one request, which replaces an object at once.
            obstore.put(
                self._bucket,
                self._prefix + name,
                file,
                chunk_size=_PART_BYTES,
                max_concurrency=_CONCURRENT_PARTS,
            )

    def open(self, name: str, byte_range: range | None = None) -> _S3Pieces:
        """Open the bytes of an object. Raises FileNotFoundError."""
        with _translate_errors("get"):
            return _S3Pieces(self._bucket, self._prefix + name, byte_range)

    def find(self, name: str) -> StoredObject | None:
        """Return name, size and time of an object; None if it does not exist."""
        try:
            with _translate_errors("head"):
                head = obstore.head(self._bucket, self._prefix + name)
        except FileNotFoundError:
            return None
        return StoredObject(name, head["size"], head["last_modified"])

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Yield every object; requests pages of a thousand."""
        with _translate_errors("list", may_be_missing=False):
            for page in obstore.list(self._bucket, prefix=(self._prefix + folder) or None, chunk_size=1000):
                for entry in page:
                    name = entry["path"].removeprefix(self._prefix)
                    yield StoredObject(name, entry["size"], entry["last_modified"])

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects, a thousand in one request."""
        if names:
            with _translate_errors("delete", may_be_missing=False):
                obstore.delete(self._bucket, [self._prefix + name for name in names])

    def close(self) -> None:
        """Do nothing: idle connections close by themselves."""


@contextmanager
def _translate_errors(action: str, *, may_be_missing: bool = True) -> Iterator[None]:
    """Turn what obstore raises into FileNotFoundError, with `may_be_missing`, or StoreUnavailableError."""
    try:
        yield
    except FileNotFoundError as problem:
        if may_be_missing:
            raise FileNotFoundError("no such object") from None
        # The bucket does not exist.
        raise _unavailable(action, problem) from None
    except (BaseError, OSError, ValueError) as problem:
        raise _unavailable(action, problem) from None


def _unavailable(action: str, problem: Exception) -> StoreUnavailableError:
    # The text of the exception contains the address and maybe the store's answer, so only its kind is logged.
    kind = type(problem).__name__
    _LOG.warning(
        "the file store does not answer to %s (%s); check its address, keys and server", action, kind
    )
    return StoreUnavailableError(f"{action}: {kind}")
