"""Tests addresses and keys of stores."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from service.settings import Settings
from service.stores.folder import FolderStore
from service.stores.opening import open_store
from service.stores.port import StoreSettingsError
from tests.s3_server import KEY, SECRET, S3Server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


def test_path_and_file_address_are_a_folder(tmp_path: Path, settings: Settings) -> None:
    for url in (str(tmp_path / "a b"), f"file://{tmp_path}/a%20b"):
        store = open_store(url, settings, folder="files")
        assert isinstance(store, FolderStore)
        assert store.local_path("x/y") == tmp_path / "a b" / "files" / "x" / "y"


@pytest.mark.parametrize("url", ["s3://", "s3:///prefix", "s3://key:secret@bucket", "https://host/bucket"])
def test_other_addresses_are_refused_without_repeating_them(settings: Settings, url: str) -> None:
    with pytest.raises(StoreSettingsError) as caught:
        open_store(url, settings)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "", "a\\b"])
def test_name_outside_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        FolderStore(tmp_path).local_path(name)


@pytest.mark.skipif(os.name != "posix", reason="no permissions of files there")
def test_file_of_keys_is_for_its_owner_only(tmp_path: Path, settings: Settings) -> None:
    keys = tmp_path / "keys"
    keys.write_text(f"[default]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n")
    keys.chmod(0o640)
    with_keys = settings.model_copy(update={"files_keys_file": keys})
    with pytest.raises(PermissionError, match="chmod 600"):
        open_store("s3://bucket", with_keys)
    keys.chmod(0o600)
    open_store("s3://bucket", with_keys)


@pytest.mark.parametrize("text", ["", "[default]\naws_access_key_id = a", "[other]\nx = y", "no keys"])
def test_file_without_keys_is_refused(tmp_path: Path, settings: Settings, text: str) -> None:
    keys = tmp_path / "keys"
    keys.write_text(text)
    keys.chmod(0o600)
    with pytest.raises(StoreSettingsError, match="aws_access_key_id"):
        open_store("s3://bucket", settings.model_copy(update={"files_keys_file": keys}))


def test_keys_of_the_environment_are_used(
    s3: S3Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with_endpoint = settings.model_copy(update={"files_endpoint": s3.endpoint})
    assert open_store("s3://walkaround", with_endpoint).find("nothing") is None


def test_missing_obstore_is_reported_with_the_package_to_install(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "service.stores.s3", raising=False)
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(StoreSettingsError, match=r"pip install '\.\[s3\]'"):
        open_store("s3://bucket", settings)
