"""Defines every setting of the service. `WALKAROUND_<NAME>` in the environment sets any of them."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

import platformdirs
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.db.postgresql import STATEMENT_SECONDS
from shared import atomic


def _default_data_dir() -> Path:
    return Path(platformdirs.user_data_dir("Walkaround", appauthor=False))


class Settings(BaseSettings):
    """Settings with their defaults; times in seconds, sizes in bytes."""

    model_config = SettingsConfigDict(env_prefix="WALKAROUND_", extra="ignore")

    data_dir: Path = Field(default_factory=_default_data_dir)
    database_url: str = ""
    secret_file: Path | None = None
    host: str = "127.0.0.1"
    port: int = Field(default=8177, ge=0, le=65535)
    workers: int = Field(default=1, ge=1, le=64)
    allowed_hosts: list[str] = Field(default_factory=list)
    trusted_proxies: list[str] = Field(default_factory=list)
    access_token_seconds: int = Field(default=15 * 60, ge=30, le=24 * 3600)
    refresh_token_seconds: int = Field(default=14 * 24 * 3600, ge=60, le=365 * 24 * 3600)
    statement_seconds: int = Field(default=STATEMENT_SECONDS, ge=1, le=3600)
    bcrypt_cost: int = Field(default=12, ge=4, le=16)
    max_body_bytes: int = Field(default=16 * 2**20, ge=2**20)
    max_upload_bytes: int = Field(default=2 * 2**30, ge=2**20)
    face_model: str = ""
    log_level: str = "INFO"
    parent_pipe: bool = False

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @property
    def url(self) -> str:
        """The database address: SQLite in the data directory unless one was given."""
        return self.database_url or f"sqlite:///{self.data_dir / 'walkaround.db'}"

    @property
    def is_sqlite(self) -> bool:
        """True when the database is a SQLite file, so that one service process owns it."""
        return self.url.startswith("sqlite")

    @property
    def files_dir(self) -> Path:
        """Where uploaded files lie, named by their content."""
        return self.data_dir / "files"

    @property
    def models_dir(self) -> Path:
        """Where the files of detection models lie, named by their content."""
        return self.data_dir / "models"

    @property
    def face_models_dir(self) -> Path:
        """Where installed packs of face models lie, one folder each."""
        return self.data_dir / "face_models"

    def prepare(self) -> None:
        """Make the data directory, readable by its owner only."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if os.name == "posix":
            self.data_dir.chmod(stat.S_IRWXU)

    def signing_secret(self) -> bytes:
        """The secret that signs tokens: made at the first start, 48 random bytes, owner-readable only."""
        return owner_only_secret(self.secret_file or self.data_dir / "secret.key", 48)


def owner_only_secret(path: Path, length: int) -> bytes:
    """Read the secret of `length` bytes at `path`; make it there when there is none.

    The file is created with mode 0600 in one step, so it is never readable by others, and two processes that
    start at once read the same secret. Raises PermissionError when others may read an existing one, and
    ValueError when it is shorter than `length`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        atomic.write_once(path, secrets.token_bytes(length))
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise PermissionError(f"{path} can be read by other users; run: chmod 600 '{path}'")
    secret = path.read_bytes()
    if len(secret) < length:
        raise ValueError(f"{path} is too short to be the secret; move it away to have a new one made")
    return secret
