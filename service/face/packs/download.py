"""Downloads packs of face models from pinned addresses with pinned SHA-256; downloads are resumable."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import httpx

from service.face.engines.manifest import Download, Pack
from service.face.packs.pack_store import PackError, check_licence, file_sha256, publish, staging_folder
from shared.system import atomic

DOWNLOAD_SECONDS = 30.0
BLOCK = 2**20

Progress = Callable[[str, int, int], None]
"""Called with file name, bytes so far, bytes in all."""


def download(
    offer: Download,
    models_dir: Path,
    progress: Progress,
    *,
    accept_research: bool = False,
    client: httpx.Client | None = None,
) -> Pack:
    """Download and install a known pack. An interrupted download continues where it stopped.

    Raises PackError if a SHA-256 is wrong, an address does not answer or the licence is not accepted.
    """
    pack = offer.pack
    check_licence(pack, accept_research)
    parts = models_dir / f".download-{pack.name}"
    parts.mkdir(parents=True, exist_ok=True)
    http = client or httpx.Client(timeout=DOWNLOAD_SECONDS, follow_redirects=True)
    try:
        for name, sha256 in pack.files.items():
            _fetch(http, offer.addresses[name], parts / name, sha256, offer.sizes[name], progress)
    except httpx.HTTPError as problem:
        raise PackError(
            f"the download stopped ({type(problem).__name__}); run the same command again to continue"
        ) from None
    finally:
        if client is None:
            http.close()
    with staging_folder(models_dir) as staging:
        for name in pack.files:
            (parts / name).rename(staging / name)
        publish(staging, models_dir, pack)
    shutil.rmtree(parts, ignore_errors=True)
    return pack


def _fetch(
    client: httpx.Client, address: str, path: Path, sha256: str, size: int, progress: Progress
) -> None:
    if path.exists() and path.stat().st_size >= size:
        if file_sha256(path) == sha256:
            progress(path.name, size, size)
            return
        path.unlink()
    part = path.with_name(path.name + ".part")
    bytes_done = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={bytes_done}-"} if bytes_done else {}
    with client.stream("GET", address, headers=headers) as answer:
        if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            bytes_done = 0
            part.unlink(missing_ok=True)
            raise PackError(f"the partial download of {path.name} cannot be resumed; run the command again")
        if answer.status_code not in {httpx.codes.OK, httpx.codes.PARTIAL_CONTENT}:
            raise PackError(
                f"{path.name} could not be downloaded (HTTP {answer.status_code}); try again later"
            )
        if answer.status_code == httpx.codes.OK:
            bytes_done = 0
        with part.open("ab" if bytes_done else "wb") as file:
            for block in answer.iter_bytes(BLOCK):
                bytes_done += len(block)
                if bytes_done > size:
                    break
                file.write(block)
                progress(path.name, bytes_done, size)
    if bytes_done != size or file_sha256(part) != sha256:
        part.unlink()
        raise PackError(
            f"{path.name} is not the expected file (size or SHA-256 differs); nothing was installed"
        )
    atomic.replace_file(part, path, durable=True)
