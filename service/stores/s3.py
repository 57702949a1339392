"""Keeps objects in a bucket of an S3-compatible store, by obstore.

Obstore signs, uploads in parts, resumes a download whose connection broke, and tries again within the bounds
below.
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
"""How long a request is tried again. The end of a service waits 8 s for what runs (`service.running`)."""

_CONNECT_SECONDS = 3
_SILENT_SECONDS = 20
"""Without a byte; a store may take its time to put the parts of a large object together."""

_REQUEST_SECONDS = 3600
"""A whole request: 2 GB at 5 MBit/s."""

_PART = 8 * 2**20
"""Bytes of one part; a store allows 10,000 parts of at least 5 MiB. Smaller files go in one request.
Source: Amazon S3, multipart upload limits."""

_PARTS_AT_ONCE = 4

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
        with _faults("read"):
            return bytes(next(self._stream, b""))

    def close(self) -> None:
        """Give the connection up."""
        self._stream = None


class S3Store:
    """A store of the objects of `bucket` whose names begin with `prefix`.

    `access` are what obstore takes as `access_key_id`, `secret_access_key`, `session_token`, `endpoint` and
    `region`; what is missing it takes from the usual `AWS_` environment.
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
        # The store compares each part with its SHA-256 before it takes it.
        config = cast("S3Config", {**access, "checksum_algorithm": "SHA256"})
        self._bucket = Bucket(bucket, config=config, client_options=client, retry_config=retries)

    def local_path(self, name: str) -> None:
        """No object lies on this machine."""

    def put(self, name: str, source: Path) -> None:
        """Upload the file at `source`, in parts when it is large. A failure leaves nothing."""
        with source.open("rb") as file, _faults("put", missing=False):
            # A file that fits into one part goes in one request, which replaces an object at once.
            obstore.put(
                self._bucket, self._prefix + name, file, chunk_size=_PART, max_concurrency=_PARTS_AT_ONCE
            )

    def open(self, name: str, byte_range: range | None = None) -> _S3Pieces:
        """The bytes of an object, as they arrive. Raises FileNotFoundError."""
        with _faults("get"):
            return _S3Pieces(self._bucket, self._prefix + name, byte_range)

    def find(self, name: str) -> StoredObject | None:
        """What is known of an object; None when there is none."""
        try:
            with _faults("head"):
                head = obstore.head(self._bucket, self._prefix + name)
        except FileNotFoundError:
            return None
        return StoredObject(name, head["size"], head["last_modified"])

    def list(self, folder: str = "") -> Iterator[StoredObject]:
        """Every object, by pages of a thousand."""
        with _faults("list", missing=False):
            for page in obstore.list(self._bucket, prefix=(self._prefix + folder) or None, chunk_size=1000):
                for entry in page:
                    name = entry["path"].removeprefix(self._prefix)
                    yield StoredObject(name, entry["size"], entry["last_modified"])

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects, a thousand in one request."""
        if names:
            with _faults("delete", missing=False):
                obstore.delete(self._bucket, [self._prefix + name for name in names])

    def close(self) -> None:
        """Connections close when they are not used."""


@contextmanager
def _faults(action: str, *, missing: bool = True) -> Iterator[None]:
    """Turn what obstore raises into FileNotFoundError, with `missing`, or StoreUnavailableError."""
    try:
        yield
    except FileNotFoundError as problem:
        if missing:
            raise FileNotFoundError("no such object") from None
        # The bucket is not there.
        raise _unavailable(action, problem) from None
    except (BaseError, OSError, ValueError) as problem:
        raise _unavailable(action, problem) from None


def _unavailable(action: str, problem: Exception) -> StoreUnavailableError:
    # The text holds the address, and may hold what the store answered: the kind is enough.
    kind = type(problem).__name__
    _LOG.warning("the store of files does not answer to %s: %s", action, kind)
    return StoreUnavailableError(f"{action}: {kind}")
