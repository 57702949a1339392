"""Defines every setting of the service. `WALKAROUND_<NAME>` in the environment sets any of them."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import SplitResult, urlsplit

import platformdirs
from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL

from service.db.postgresql import STATEMENT_SECONDS, read_url
from shared.limits import MIN_REASON
from shared.system import atomic

BACKUP_AT_PATTERN = r"(?P<time>([01]\d|2[0-3]):[0-5]\d)|(?P<hours>[1-9]\d{0,2})h"
"""The times of backups: a time of day like 02:30, or an interval in hours like 6h."""


def _default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("Walkaround", appauthor=False))


# Host and port; an IPv6 address is in brackets, as in a URL.
_ADDRESS_PATTERN = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\[\]:/\s]+)):(?P<port>\d{1,5})")
_MIN_TOKEN_LENGTH = 16
_MAX_PORT = 65535
_DEFAULT_PORTS = {"http": 80, "https": 443}


def _explicit_port(parts: SplitResult) -> int | None:
    """The port that an origin names, or None. Raises ValueError if it is not a port number."""
    try:
        return parts.port
    except ValueError:
        raise ValueError(f"{parts.netloc} is not one origin: its port is not a number up to 65535") from None


class Settings(BaseSettings):
    """Settings with their defaults; times in seconds, sizes in bytes."""

    model_config = SettingsConfigDict(env_prefix="WALKAROUND_", extra="ignore")

    data_dir: Path = Field(default_factory=_default_data_dir)
    """The data folder: database, files, models and keys. By default the user's data folder of the system."""
    database_url: str = ""
    """The address of the database, for example `postgresql://NAME@HOST/walkaround`. Empty: SQLite in the data
    folder."""
    secret_file: Path | None = None
    """The file of the key that signs tokens and the audit log. By default `secret.key` in the data folder."""
    face_key_file: Path | None = None
    """The file of the key that encrypts face templates. By default `face.key` in the data folder."""
    host: str = "127.0.0.1"
    """The address that the service accepts connections on. Loopback serves this computer only."""
    port: int = Field(default=8177, ge=0, le=_MAX_PORT)
    """The port that the service accepts connections on; 0 picks a free one."""
    workers: int = Field(default=1, ge=1, le=64)
    """The number of service processes; more than one requires PostgreSQL."""
    tls_cert: Path | None = None
    """The TLS certificate (PEM), together with `tls_key`. Without both, the service creates its own on a
    network."""
    tls_key: Path | None = None
    """The private key of `tls_cert` (PEM), without a password."""
    plain_http: bool = False
    """Allows an address other than loopback without TLS, for use behind a reverse proxy with TLS."""
    allowed_hosts: list[str] = Field(default_factory=list)
    """The host names that requests may name, in addition to loopback. Empty on a network: any name."""
    allowed_origins: list[str] = Field(default_factory=list)
    """The origins whose web pages may use the service, for example `["https://tools.example"]`."""
    trusted_proxies: list[str] = Field(default_factory=list)
    """The addresses or networks of reverse proxies whose forwarding headers are read."""
    access_token_seconds: int = Field(default=15 * 60, ge=30, le=24 * 3600)
    """How long an access token is valid."""
    refresh_token_seconds: int = Field(default=14 * 24 * 3600, ge=60, le=365 * 24 * 3600)
    """How long a refresh token is valid, and so how long a login lasts without use."""
    statement_seconds: int = Field(default=STATEMENT_SECONDS, ge=1, le=3600)
    """How long a statement on PostgreSQL may run."""
    bcrypt_cost: int = Field(default=12, ge=4, le=16)
    """The cost of new password hashes; each step doubles the time of a login."""
    max_body_bytes: int = Field(default=16 * 2**20, ge=2**20)
    """The largest JSON body."""
    max_bodies_bytes: int = Field(default=256 * 2**20, ge=2**20)
    """The most bytes of JSON bodies that a process holds at the same time."""
    camera_position: bool = False
    """Whether the positions that cameras write into photos are read."""
    reason_characters: int = Field(default=MIN_REASON, ge=1, le=200)
    """The fewest characters of a verdict's reason; a Chinese character counts as two."""
    max_upload_bytes: int = Field(default=2 * 2**30, ge=2**20)
    """The largest uploaded file."""
    files_url: str = ""
    """Where files and models are stored: `s3://BUCKET/PREFIX`. Empty: in the data folder."""
    files_endpoint: str = ""
    """The address of an S3-compatible store that is not Amazon's."""
    files_region: str = "us-east-1"
    """The region of the S3 store."""
    files_keys_file: Path | None = None
    """The file with the keys of the S3 store. Without it the `AWS_` variables are read."""
    files_cache_bytes: int = Field(default=20 * 2**30, ge=2**20)
    """The most bytes of files from the S3 store that are cached on the disk."""
    files_quota_bytes: int = Field(default=0, ge=0)
    """The most bytes of stored files; 0 sets no limit."""
    disk_reserve_bytes: int = Field(default=512 * 2**20, ge=0)
    """The free disk space that uploads leave to the database."""
    webhook_allowed_networks: list[IPv4Network | IPv6Network] = Field(default_factory=list)
    """Networks off the internet that webhooks may reach, for example `["10.20.0.0/16"]`."""
    face_model: str = ""
    """The face model, as `walkaround face models` names it. Empty: the choice of `walkaround face use`."""
    backup_to: str = ""
    """Where scheduled backups are stored: an absolute path or `s3://BUCKET/PREFIX`. Empty: no scheduled
    backups."""
    backup_at: str = "02:30"
    """When scheduled backups run: a time of day like 02:30, or an interval like 6h."""
    backup_stored_files: bool = True
    """Whether backups include files of an S3 store."""
    backup_keep_daily: int = Field(default=7, ge=1, le=1000)
    """The number of days of which the newest backup is kept."""
    backup_keep_weekly: int = Field(default=5, ge=0, le=1000)
    """The number of weeks of which the newest backup is kept."""
    backup_keep_monthly: int = Field(default=12, ge=0, le=1000)
    """The number of months of which the newest backup is kept."""
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(str.upper)] = "INFO"
    """The least severe level of log lines: DEBUG, INFO, WARNING or ERROR."""
    log_format: Literal["text", "json"] = "text"
    """The format of the log: lines of text, or one JSON object per line."""
    metrics: str = ""
    """The address of a server for Prometheus metrics, for example `127.0.0.1:9177`. Empty: none."""
    metrics_token_file: Path | None = None
    """The file of the token that opens `/metrics` on the service's own address."""
    otel_endpoint: str = ""
    """The address of an OpenTelemetry collector for traces. Empty: none."""
    parent_pipe: bool = False
    """Whether the service ends when its standard input closes. The desktop sets it for its own service."""

    @field_validator("tls_cert", "tls_key", mode="before")
    @classmethod
    def _empty_is_none(cls, value: object) -> object:
        return None if value == "" else value

    @field_validator("data_dir", "tls_cert", "tls_key")
    @classmethod
    def _make_absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _check_database_url(cls, value: str) -> str:
        # An option of SQLite can name another file than the path does, and a ? in a path begins one.
        if value.startswith("sqlite") and ("?" in value or "/file:" in value):
            raise ValueError(
                "an address of SQLite is a path without options, such as sqlite:////srv/walkaround.db; "
                "write ? as %3F and % as %25"
            )
        return value

    @field_validator("allowed_origins")
    @classmethod
    def _check_origins(cls, origins: list[str]) -> list[str]:
        for origin in origins:
            parts = urlsplit(origin)
            if parts.scheme not in {"http", "https"} or origin != f"{parts.scheme}://{parts.netloc.lower()}":
                raise ValueError(
                    f"{origin} is not an origin; an origin looks like https://name or http://name:3000"
                )
            if not parts.hostname or "*" in origin or "@" in origin:
                raise ValueError(
                    f"{origin} is not one origin: list each origin, without * and without a user"
                )
            if not origin.isascii() or _explicit_port(parts) == _DEFAULT_PORTS[parts.scheme]:
                # No Origin header of a browser would be equal to it.
                raise ValueError(
                    f"{origin} is not an origin as browsers send it: they leave out :80 of http and :443 of "
                    "https, and write letters outside ASCII as xn--"
                )
        return origins

    @model_validator(mode="after")
    def _check_tls_options(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key belong together: set both")
        if self.plain_http and self.tls_cert is not None:
            raise ValueError("plain_http and tls_cert exclude each other: remove one")
        return self

    @property
    def backup_folder_file(self) -> Path:
        """The file with the folder for backups that an administrator chose in the window."""
        return self.data_dir / "backup-folder.txt"

    @model_validator(mode="after")
    def _read_backup_folder(self) -> Self:
        if not self.backup_to:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                self.backup_to = self.backup_folder_file.read_text("utf-8").strip()
        return self

    @field_validator("backup_to")
    @classmethod
    def _check_backup_target(cls, value: str) -> str:
        if not value or value.startswith("s3://"):
            return value
        if "://" in value or not Path(value).expanduser().is_absolute():
            raise ValueError("give the absolute path of a directory, or s3://BUCKET/PREFIX")
        return str(Path(value).expanduser())

    @field_validator("backup_at")
    @classmethod
    def _check_schedule(cls, value: str) -> str:
        if re.fullmatch(BACKUP_AT_PATTERN, value) is None:
            raise ValueError("give a time of day like 02:30, or an interval like 6h")
        return value

    @field_validator("metrics")
    @classmethod
    def _check_metrics_address(cls, value: str) -> str:
        match = _ADDRESS_PATTERN.fullmatch(value)
        if value and (match is None or int(match["port"]) > _MAX_PORT):
            raise ValueError("an address looks like 127.0.0.1:9177 or [::1]:9177")
        return value

    @property
    def metrics_address(self) -> tuple[str, int] | None:
        """Host and port of the server for metrics; None if they have no address of their own."""
        match = _ADDRESS_PATTERN.fullmatch(self.metrics)
        return (match["v6"] or match["host"], int(match["port"])) if match else None

    @property
    def has_metrics(self) -> bool:
        """Whether metrics are collected: if they have an address or a token."""
        return bool(self.metrics) or self.metrics_token_file is not None

    def read_metrics_token(self) -> str | None:
        """Read the token that opens the metrics; None if the settings name no file.

        Raises OSError if the file cannot be read, PermissionError if every user can read it, and ValueError
        if the token is too short to be a secret.
        """
        path = self.metrics_token_file
        if path is None:
            return None
        if os.name == "posix" and path.stat().st_mode & stat.S_IRWXO:
            raise PermissionError(f"{path} can be read by everyone; run: chmod o= '{path}'")
        token = path.read_text("ascii", "replace").strip()
        if len(token) < _MIN_TOKEN_LENGTH:
            raise ValueError(f"{path} does not contain a token of at least {_MIN_TOKEN_LENGTH} characters")
        return token

    @property
    def url(self) -> URL:
        """The address of the database; SQLite in the data folder if none is set.

        Not as text: a path may contain `?` and `%`, which mean something in an address. Raises ArgumentError.
        """
        if self.database_url:
            return read_url(self.database_url)
        return URL.create("sqlite", database=str(self.data_dir / "walkaround.db"))

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a SQLite file, which one service process owns."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def database_file(self) -> Path | None:
        """The SQLite file; None for PostgreSQL and for a database in memory."""
        name = self.url.database
        return Path(name).absolute() if self.is_sqlite and name and name != ":memory:" else None

    @property
    def files_dir(self) -> Path:
        """The folder of uploaded files, named by their content."""
        return self.data_dir / "files"

    @property
    def models_dir(self) -> Path:
        """The folder of the files of detection models, named by their content."""
        return self.data_dir / "models"

    @property
    def face_models_dir(self) -> Path:
        """The folder of installed packs of face models, one folder each."""
        return self.data_dir / "face_models"

    def prepare(self) -> None:
        """Create the data folder, readable by its owner only."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if os.name == "posix":
            self.data_dir.chmod(stat.S_IRWXU)

    def load_signing_secret(self) -> bytes:
        """The secret that signs tokens: 48 random bytes; the first start creates them."""
        return load_owner_only_secret(self.secret_file or self.data_dir / "secret.key", 48)


def load_owner_only_secret(path: Path, length: int) -> bytes:
    """Read the secret of `length` bytes at `path`; create the file if there is none.

    The file is created atomically with mode 0600: no other user can read it at any moment, and two processes
    that start at the same time read the same secret. Raises PermissionError if other users may read an
    existing file, and ValueError if it is shorter than `length`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        atomic.write_if_absent(path, secrets.token_bytes(length))
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermissionError(f"{path} can be read by other users; run: chmod 600 '{path}'")
    secret = path.read_bytes()
    if len(secret) < length:
        raise ValueError(f"{path} is too short to be the secret; move it away, and a new one is created")
    return secret
