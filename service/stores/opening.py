"""Opens a store by its address: `open_store`."""

from __future__ import annotations

import configparser
import os
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

from service.settings import Settings
from service.stores.folder import FolderStore
from service.stores.port import Store, StoreSettingsError

_KEYS = {
    "aws_access_key_id": "access_key_id",
    "aws_secret_access_key": "secret_access_key",
    "aws_session_token": "session_token",
}


def open_store(url: str, settings: Settings, *, folder: str = "") -> Store:
    """Open the store at `url`, or its part below `folder`: `s3://BUCKET/PREFIX`, `file:///PATH`, or a path.

    This sends no request to the store. Raises StoreSettingsError, and PermissionError if other users can read
    the file with the keys.
    """
    parts = urlsplit(url)
    if parts.scheme == "s3":
        if not parts.netloc or parts.query or parts.fragment or "@" in parts.netloc:
            raise StoreSettingsError("the address of the store must have the form s3://bucket/prefix")
        prefix = "/".join(part for part in (unquote(parts.path).strip("/"), folder) if part)
        return _open_s3(parts.netloc, prefix, settings)
    if "://" in url and parts.scheme != "file":
        raise StoreSettingsError(
            "the address of the store must be a path or have the form s3://bucket/prefix"
        )
    path = Path(unquote(parts.path)) if parts.scheme == "file" else Path(url)
    return FolderStore(path.expanduser().absolute() / folder)


def _open_s3(bucket: str, prefix: str, settings: Settings) -> Store:
    try:
        # A service with a directory does not load these 13 MB.
        from service.stores.s3 import S3Store
    except ModuleNotFoundError as problem:
        if problem.name != "obstore":
            raise
        raise StoreSettingsError(
            "a store at s3:// needs the package obstore, which this installation does not have: "
            "run pip install '.[s3]' in the sources, or leave WALKAROUND_FILES_URL empty"
        ) from None
    access = {"region": settings.files_region}
    if settings.files_endpoint:
        access["endpoint"] = settings.files_endpoint
    if settings.files_keys_file is not None:
        access |= _read_keys(settings.files_keys_file)
    return S3Store(bucket, prefix, **access)


def _read_keys(path: Path) -> dict[str, str]:
    """Read the keys in the section `default` of a file in the format of `~/.aws/credentials`."""
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermissionError(f"{path} can be read by other users; run: chmod 600 '{path}'")
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(path.read_text("utf-8"))
        section = parser["default"]
        keys = {name: section[aws_name] for aws_name, name in _KEYS.items() if aws_name in section}
    except (configparser.Error, KeyError, UnicodeDecodeError):
        keys = {}
    if not {"access_key_id", "secret_access_key"} <= keys.keys():
        raise StoreSettingsError(
            f"{path} needs a section [default] with aws_access_key_id and aws_secret_access_key"
        )
    return keys
