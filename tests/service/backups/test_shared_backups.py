"""Tests backups that share their contents, in a directory and in a store: create, verify, restore, remove."""

from __future__ import annotations

import datetime as dt
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from service.audit.service import AuditService
from service.backups import making
from service.backups.archive.manifest import DATABASE, BackupRefusedError, Manifest
from service.backups.archive.places import BackupPlace, open_place
from service.backups.archive.shared_folder import BACKUPS, CONTENTS, SharedFolder, content_name, parse_time
from service.backups.making import Retention, configured_place, make, prune
from service.backups.outcome import BackupProblem
from service.changes import ObjectChange, announce
from service.commands.backup import main
from service.db.database import Database
from service.files.service import FilesService
from service.settings import Settings
from service.stores.contents import file_contents
from service.stores.folder import FolderStore
from tests.postgresql import Server
from tests.s3_server import S3Server, s3, short_retries, store_settings

__all__ = ["s3", "short_retries"]

StoreFile = Callable[[str, bytes], str]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "backups"
    path.mkdir()
    return path


@pytest.fixture
def settings(settings: Settings, target: Path) -> Settings:
    return settings.model_copy(update={"backup_to": str(target)})


@pytest.fixture
def store_file(settings: Settings, database: Database) -> Iterator[StoreFile]:
    """A function that stores a file and returns the SHA-256 of its content. The audit log has started."""
    settings.prepare()
    audit = AuditService(database, settings)
    database.before_commit.append(audit.before_commit)
    audit.begin()
    files = FilesService(database, settings)
    yield lambda name, data: database.write_now(files.keep(name, data, "u1")).sha256
    files.close()


@pytest.fixture(params=["directory", "s3"])
def place(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> BackupPlace:
    """The target in the settings: a directory or a bucket."""
    if request.param == "s3":
        values = store_settings(request.getfixturevalue("s3"), tmp_path)
        settings.files_endpoint, settings.files_keys_file = (
            values["files_endpoint"],
            values["files_keys_file"],
        )
        settings.backup_to = f"{values['files_url']}/backups"
    return configured_place(settings)


@pytest.fixture
def folder(place: BackupPlace) -> SharedFolder:
    return SharedFolder(place)


@pytest.fixture
def backups_one_second_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each backup be one second after the previous one, independent of the clock."""
    finish, number = SharedFolder.finish, iter(range(1000))

    def later(self: SharedFolder, manifest: Manifest) -> str:
        manifest.created_at += dt.timedelta(seconds=next(number))
        return finish(self, manifest)

    monkeypatch.setattr(SharedFolder, "finish", later)


def directory_names(path: Path) -> BackupPlace:
    return open_place(str(path), Settings())


def content_names(place: BackupPlace) -> dict[str, int]:
    return dict(place.list_objects(CONTENTS))


@pytest.mark.both_databases
@pytest.mark.usefixtures("backups_one_second_apart", "store_file")
def test_backup_adds_only_new_contents(
    folder: SharedFolder, settings: Settings, store_file: StoreFile, database_kind: str
) -> None:
    store_file("左翼.txt", b"left wing" * 1000)
    first = make(settings)
    assert first.problem is None
    assert first.name is not None
    assert first.added == first.size
    store_file("右翼.txt", b"right wing" * 1000)
    second = make(settings)
    assert second.name is not None
    assert folder.names() == [first.name, second.name]
    manifest = folder.read(second.name).manifest
    assert sum(entry.name.startswith("data/files/") for entry in manifest.entries) == 2
    # The first file was stored already. The database adds the changed tables on PostgreSQL, or the whole
    # file.
    assert second.added is not None
    assert second.size is not None
    assert second.added <= second.size - 9000
    unchanged = make(settings)
    assert unchanged.added is not None
    assert unchanged.added <= second.added - 10_000


@pytest.mark.both_databases
@pytest.mark.usefixtures("backups_one_second_apart")
def test_newest_or_named_backup_is_restored(
    settings: Settings,
    target: Path,
    store_file: StoreFile,
    tmp_path: Path,
    database_kind: str,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = store_file("a.txt", b"a\\N\tb")
    first = make(settings).name
    assert first is not None
    new = store_file("b.txt", b"b")
    assert make(settings).name is not None
    for number, (arguments, stored) in enumerate(((["--backup", first], {old}), ([], {old, new}))):
        url = ""
        if database_kind == "postgresql":
            server: Server = request.getfixturevalue("postgresql_server")
            server.execute("DROP DATABASE IF EXISTS elsewhere WITH (FORCE)")
            server.execute("CREATE DATABASE elsewhere")
            url = server.url("elsewhere")
        elsewhere = Settings(data_dir=tmp_path / f"elsewhere{number}", database_url=url)
        assert main(["restore", str(target), *arguments], elsewhere) == 0
        database = Database(elsewhere.url)
        try:
            rows = database.read_now(lambda session: session.execute(text("SELECT sha256 FROM file")).all())
            assert {row.sha256 for row in rows} == stored
            assert AuditService(database, elsewhere).verify().problems == []
        finally:
            database.close()
        for sha256 in stored:
            assert file_contents(elsewhere).path(sha256).is_file()
    assert main(["restore", str(target), "--backup", "20000101T000000Z"], elsewhere) == 1
    assert "there is no backup 20000101T000000Z" in capsys.readouterr().err


@pytest.mark.usefixtures("backups_one_second_apart")
def test_old_backups_and_their_unshared_contents_are_removed(
    folder: SharedFolder, settings: Settings, store_file: StoreFile
) -> None:
    lost = store_file("a.txt", b"only in the first")
    first, second = make(settings), make(settings)
    file_contents(settings).path(lost).unlink()
    third = make(settings)
    # It reports that, and is a usable backup.
    assert third.problem is BackupProblem.DAMAGED_DATA
    names = [backup.name for backup in (first, second, third)]
    assert folder.names() == names
    whole = content_name(folder.read(folder.names()[0]).manifest.entries[-1])
    assert whole in content_names(folder.place)
    assert prune(folder, Retention(9, 9, 9)) == []
    for name in names[:2]:
        assert name is not None
        folder.discard(name)
    assert folder.collect() > 0
    assert whole not in content_names(folder.place)
    named = {content_name(entry) for entry in folder.read(names[2] or "").manifest.entries}
    assert set(content_names(folder.place)) == named


def test_nothing_is_removed_if_a_manifest_cannot_be_read(
    folder: SharedFolder, settings: Settings, store_file: StoreFile
) -> None:
    store_file("a.txt", b"a")
    assert make(settings).name
    with folder.place.create_object() as part:
        part.file.write(b"torn")
        part.commit(f"{BACKUPS}/20200101T000000Z.json.gz")
    before = content_names(folder.place)
    with pytest.raises(BackupRefusedError, match="damaged"):
        folder.collect()
    assert content_names(folder.place) == before


@pytest.mark.both_databases
def test_verify_finds_a_changed_and_a_missing_content(
    settings: Settings,
    target: Path,
    store_file: StoreFile,
    capsys: pytest.CaptureFixture[str],
    database_kind: str,
) -> None:
    sha256 = store_file("a.txt", b"photo")
    name = make(settings).name
    assert main(["backup", "verify"], settings) == 0
    assert main(["backup", "list"], settings) == 0
    output = capsys.readouterr().out
    assert f"ok: {name}: " in output
    assert "audit log to row 2" in output
    path = target / CONTENTS / sha256[:2] / sha256[2:]
    path.write_bytes(b"phot0")
    assert main(["backup", "verify"], settings) == 1
    assert "is damaged in the backup" in capsys.readouterr().out
    path.unlink()
    assert main(["backup", "verify", "--backup", str(name)], settings) == 1
    assert "is missing in the backup" in capsys.readouterr().out
    # The next backup stores it again.
    assert make(settings).problem is None
    assert main(["backup", "verify", "--all"], settings) == 0


@pytest.mark.both_databases
def test_verify_reads_the_database(
    settings: Settings,
    target: Path,
    store_file: StoreFile,
    database_kind: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store_file("a.txt", b"photo")
    name = make(settings).name
    assert name is not None
    manifest = SharedFolder(directory_names(target)).read(name).manifest
    wanted = DATABASE if database_kind == "sqlite" else "tables/audit_event"
    entry = next(entry for entry in manifest.entries if entry.name == wanted)
    path = target / content_name(entry)
    path.write_bytes(path.read_bytes()[:-20])
    assert main(["backup", "verify"], settings) == 1
    assert "damaged" in capsys.readouterr().out


@pytest.mark.both_databases
def test_changed_log_is_backed_up_and_reported(
    settings: Settings,
    database: Database,
    store_file: StoreFile,
    database_kind: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store_file("a\n\t\\.txt", b"photo")

    def change(session: object) -> None:
        if database_kind == "sqlite":
            session.execute(text("DROP TRIGGER audit_event_no_update"))  # type: ignore[attr-defined]
        else:
            session.execute(text("ALTER TABLE audit_event DISABLE TRIGGER USER"))  # type: ignore[attr-defined]
        session.execute(text("UPDATE audit_event SET actor = 'x' WHERE seq = 2"))  # type: ignore[attr-defined]

    assert make(settings).problem is None
    database.write_now(change)
    outcome = make(settings)
    assert (outcome.name is not None, outcome.problem) == (True, BackupProblem.DAMAGED_DATA)
    assert main(["backup", "verify"], settings) == 0
    assert "when it was made: audit log: row 2 was changed" in capsys.readouterr().out


def test_backup_that_differs_from_its_source_is_discarded(
    settings: Settings, target: Path, store_file: StoreFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_file("a.txt", b"photo")
    put = FolderStore.put

    def flip(self: FolderStore, name: str, source: Path) -> None:
        if source.read_bytes() == b"photo":
            source.write_bytes(b"phot0")
        put(self, name, source)

    with monkeypatch.context() as context:
        context.setattr(FolderStore, "put", flip)
        outcome = make(settings)
    assert (outcome.name, outcome.problem) == (None, BackupProblem.NOT_VERIFIED)
    folder = SharedFolder(directory_names(target))
    assert folder.names() == []
    # The next backup does not reuse the wrong content.
    assert make(settings).problem is None
    assert main(["backup", "verify"], settings) == 0


def test_backup_interrupted_before_verification_is_not_listed(
    settings: Settings, target: Path, store_file: StoreFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_file("a.txt", b"photo")
    with monkeypatch.context() as context:
        context.setattr(making, "verify", _raising(OSError(5, "the process ends here")))
        assert make(settings).name is None
    assert SharedFolder(directory_names(target)).names() == []
    assert make(settings).problem is None


def test_contents_of_an_interrupted_backup_are_verified_before_reuse(
    settings: Settings, target: Path, store_file: StoreFile
) -> None:
    sha256 = store_file("a.txt", b"photo")
    left = target / CONTENTS / sha256[:2] / sha256[2:]
    left.parent.mkdir(parents=True)
    left.write_bytes(b"phot0")
    outcome = make(settings)
    assert (outcome.name, outcome.problem) == (None, BackupProblem.NOT_VERIFIED)
    assert make(settings).problem is None
    assert left.read_bytes() == b"photo"


def test_failures_have_a_named_problem(
    settings: Settings, target: Path, store_file: StoreFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_file("a.txt", b"photo")
    with monkeypatch.context() as context:
        context.setattr(making, "take_backup", _raising(OSError(28, "No space left on device")))
        assert make(settings).problem is BackupProblem.DISK_FULL
        context.setattr(making, "take_backup", _raising(RuntimeError("canary")))
        assert make(settings).problem is BackupProblem.INTERNAL
    shutil.rmtree(target)
    # A disk that is not mounted: no directory is created instead.
    assert make(settings).problem is BackupProblem.PLACE_AWAY
    assert not target.exists()
    database = settings.data_dir / "walkaround.db"
    database.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    target.mkdir()
    assert make(settings).problem is BackupProblem.DAMAGED_DATABASE


def _raising(problem: Exception) -> Callable[..., None]:
    def fail(*_arguments: object) -> None:
        raise problem

    return fail


def test_name_is_the_time_in_utc(folder: SharedFolder, settings: Settings, store_file: StoreFile) -> None:
    name = make(settings).name
    assert name is not None
    assert abs(dt.datetime.now(dt.UTC) - parse_time(name)) < dt.timedelta(minutes=5)
    with pytest.raises(BackupRefusedError):
        folder.read("../../etc/passwd")


@pytest.mark.both_databases
def test_backup_is_consistent_while_the_service_writes(
    settings: Settings, database: Database, store_file: StoreFile, database_kind: str
) -> None:
    stop, written = threading.Event(), threading.Event()

    def write() -> None:
        while not stop.is_set():
            database.write_now(lambda session: announce(session, ObjectChange("update", "record", "r1")))
            written.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert written.wait(60)
        outcomes = [make(settings) for _ in range(3)]
    finally:
        stop.set()
        writer.join()
    assert [outcome.problem for outcome in outcomes] == [None, None, None]
    assert main(["backup", "verify", "--all"], settings) == 0


@pytest.fixture
def bucket_settings(s3: S3Server, short_retries: None, settings: Settings, tmp_path: Path) -> Settings:
    """The settings of a service with its files in a bucket."""
    for name, value in store_settings(s3, tmp_path).items():
        setattr(settings, name, value)
    return settings


@pytest.fixture
def store_in_bucket(bucket_settings: Settings, store_file: StoreFile) -> StoreFile:
    return store_file


def test_files_in_a_bucket_are_backed_up_and_restored(
    bucket_settings: Settings, store_in_bucket: StoreFile, target: Path, tmp_path: Path
) -> None:
    stored = store_in_bucket("a.txt", b"photo")
    assert make(bucket_settings).problem is None
    elsewhere = Settings(data_dir=tmp_path / "elsewhere", database_url="")
    assert main(["restore", str(target)], elsewhere) == 0
    assert file_contents(elsewhere).path(stored).read_bytes() == b"photo"
    # Restored into a bucket, not into the data folder.
    other = bucket_settings.model_copy(
        update={
            "files_url": f"{bucket_settings.files_url}/other",
            "data_dir": tmp_path / "other",
            "database_url": "",
        }
    )
    assert main(["restore", str(target)], other) == 0
    assert file_contents(other).stored_hash(stored) == stored
    assert not other.files_dir.exists()


def test_files_in_a_bucket_can_be_left_out(
    bucket_settings: Settings,
    store_in_bucket: StoreFile,
    target: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store_in_bucket("a.txt", b"photo")
    outcome = make(bucket_settings.model_copy(update={"backup_stored_files": False}))
    assert (outcome.problem, outcome.files) == (None, 1)
    assert main(["restore", str(target)], Settings(data_dir=tmp_path / "elsewhere", database_url="")) == 0
    assert "does not contain stored files" in capsys.readouterr().out


def test_unreachable_bucket_is_reported(
    bucket_settings: Settings, store_in_bucket: StoreFile, s3: S3Server, target: Path
) -> None:
    store_in_bucket("a.txt", b"photo")
    s3.state.is_down = True
    assert make(bucket_settings).problem is BackupProblem.NO_FILE_STORE
    in_folder = bucket_settings.model_copy(
        update={"files_url": "", "backup_to": f"{bucket_settings.files_url}/backups"}
    )
    assert make(in_folder).problem is BackupProblem.PLACE_AWAY
    s3.state.is_down = False
    assert make(bucket_settings).problem is None
