"""Tests scripts with a real service: the example over a broken network, and the functions for scripts."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from desktop.client import Session
from desktop.client.scripts import (
    Credentials,
    changes,
    every,
    logged_in,
    wait_for_detection,
)
from shared import samples
from shared.images.cv import cv2
from shared.system.paths import program_folder
from shared.wire.common import Page
from shared.wire.detection import JobState
from shared.wire.events import ChangeEvent
from shared.wire.inspection import ItemCreate, Record, RecordCreate
from tests.desktop.tls_server import TlsServer
from tests.service_process import ADMIN, create_first_admin, running_service
from tests.stalling_proxy import StallingProxy

pytestmark = pytest.mark.slow

EXAMPLE = program_folder() / "docs" / "examples" / "records_from_csv.py"
ROWS = 100
LOGIN = ("WALKAROUND_URL", "WALKAROUND_USERNAME", "WALKAROUND_PASSWORD")


def url_port(url: str) -> int:
    return urlsplit(url).port or 0


def environment(url: str, **more: str) -> dict[str, str]:
    login = dict(zip(LOGIN, (url, *ADMIN), strict=True))
    return {**os.environ, "PYTHONPATH": str(program_folder()), **login, **more}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "记录.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task_id", "inspection_name", "start_time"])
        # The last two rows are equal, but they are two records.
        for number in range(ROWS - 1):
            writer.writerow([f"T-{number}", f"绕机 {number}", "2026-03-01T08:00:00"])
        writer.writerow([f"T-{ROWS - 2}", f"绕机 {ROWS - 2}", "2026-03-01T08:00:00"])
    return path


def start_script(table: Path, env: dict[str, str], patience: int = 60) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(EXAMPLE), str(table), "--patience", str(patience)],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def read_until_record(script: subprocess.Popen[str], number: int) -> None:
    """Read the script's progress until it has created `number` records."""
    assert script.stdout is not None
    for line in script.stdout:
        if line.startswith(f"{number}/{ROWS} "):
            return
    raise AssertionError(script.communicate())


def test_csv_script_creates_every_record_once_over_a_broken_network(tmp_path: Path, table: Path) -> None:
    folder = tmp_path / "data"
    with running_service(folder) as first:
        create_first_admin(first.url)
        proxy = StallingProxy(url_port(first.url))
        try:
            env = environment(f"http://127.0.0.1:{proxy.port}")
            with start_script(table, env) as script:
                read_until_record(script, 10)
                proxy.cut()
                read_until_record(script, 20)
                # The answers to the current requests never arrive.
                proxy.stall()
                proxy.cut()
                proxy.resume()
                read_until_record(script, 30)
                script.kill()
            with start_script(table, env) as script:
                read_until_record(script, 40)
                first.process.kill()
                proxy.cut()
                with running_service(folder) as second:
                    proxy.redirect_to(url_port(second.url))
                    output, errors = script.communicate(timeout=120)
                    assert (script.returncode, errors) == (0, "")
                    assert output.splitlines()[-1].startswith(f"{ROWS}/{ROWS} ")
                    with logged_in(Credentials(second.url, *ADMIN)) as session:
                        records = list(every(_search(session), lambda record: record.inspection_id))
        finally:
            proxy.refuse()
    expected = sorted([f"T-{number}" for number in range(ROWS - 1)] + [f"T-{ROWS - 2}"])
    assert sorted(record.task_id for record in records) == expected
    assert len({record.inspection_id for record in records}) == ROWS


def _search(session: Session) -> Callable[[int, int], Page[Record]]:
    return lambda number, size: session.records.search(None, number, size)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_service(tmp_path_factory.mktemp("scripts") / "data") as running:
        create_first_admin(running.url)
        yield running.url


def test_csv_script_reports_the_fault(service: str, tmp_path: Path, table: Path) -> None:
    table.write_text("task_id,start_time\nT-1,2026-03-01T08:00:00\nT-2,yesterday\n", "utf-8")
    with start_script(table, environment(service)) as script:
        output, errors = script.communicate(timeout=60)
    assert (script.returncode, output) == (1, "")
    assert f"line 3 of {table}: start_time" in errors
    with start_script(table, environment(service, WALKAROUND_PASSWORD="wrong")) as script:
        assert "wrong" not in script.communicate(timeout=60)[1]
    for text, message in (
        ("task_id,inspecton_name\nT-1,left wing\n", "no record has 'inspecton_name'"),
        ("task_id,inspection_name\nT-1,left wing, below\n", "line 2 of"),
        ("task_id,inspection_name\nT-1,左翼\n", "is not UTF-8"),
    ):
        table.write_text(text, "gbk")
        with start_script(table, environment(service)) as script:
            output, errors = script.communicate(timeout=60)
        assert (script.returncode, output) == (1, "")
        assert message in errors


def test_csv_script_suggests_a_second_run_only_if_it_helps(service: str, table: Path) -> None:
    table.write_text("task_id\nT-1\n", "utf-8")
    with start_script(table, environment(service, WALKAROUND_PASSWORD="wrong")) as script:
        assert "again to go on" not in script.communicate(timeout=60)[1]
    with start_script(table, environment("http://127.0.0.1:9"), patience=0) as script:
        assert "again to go on" in script.communicate(timeout=60)[1]


def test_csv_script_names_the_setting_that_trusts_a_certificate(tmp_path: Path, table: Path) -> None:
    table.write_text("task_id\nT-1\n", "utf-8")
    with TlsServer(tmp_path).running() as server, start_script(table, environment(server.url)) as script:
        errors = script.communicate(timeout=60)[1]
    assert "WALKAROUND_FINGERPRINT" in errors
    assert server.fingerprint in errors
    assert "again to go on" not in errors


def test_code_of_the_document_runs(service: str, tmp_path: Path) -> None:
    code = (
        (program_folder() / "docs" / "clients.md").read_text("utf-8").split("```python\n")[1].split("```")[0]
    )
    env = environment(service)
    login = tmp_path / "service.env"
    login.write_text("".join(f"{name}={env.pop(name)}\n" for name in LOGIN), "utf-8")
    login.chmod(0o600)
    ids = set()
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        record_id, count = done.stdout.split()
        assert int(count) >= 1
        ids.add(record_id)
    assert len(ids) == 1


def test_script_functions_for_pages_photos_detection_and_events(service: str, tmp_path: Path) -> None:
    sizes: list[tuple[int, int]] = []
    item_changed = threading.Event()
    changes: list[ChangeEvent | None] = []
    with logged_in(Credentials(service, *ADMIN)) as session:
        reader = threading.Thread(target=_listen, args=(session, changes, item_changed))
        reader.start()
        picture = tmp_path / "左翼.png"
        panel = samples.draw_panel(320, 240).image
        picture.write_bytes(bytes(cv2.imencode(".png", panel)[1]))
        stored = session.files.upload(picture, progress=lambda done, whole: sizes.append((done, whole)))
        assert sizes[-1] == (picture.stat().st_size, picture.stat().st_size)
        record = session.records.create(RecordCreate(task_id="t"))
        info = {
            "download_url": stored.download_url,
            "filename": stored.filename,
            "ipfs_cid": stored.ipfs_cid,
            "mime_type": stored.mime_type,
            "size": stored.size,
        }
        items = [
            session.items.create(
                ItemCreate.model_validate(
                    {
                        "item_name": f"{number}",
                        "inspection_id": record.inspection_id,
                        "model_id": "reference-difference",
                        "item_point": {"point": {"x": 0, "y": 0, "w": 1, "h": 1}, "fileInfo": info},
                    }
                ),
                key=f"item {number}",
            ).value
            for number in range(3)
        ]
        listed = every(
            lambda number, _size: session.items.list(record.inspection_id, number, 2),
            lambda item: item.item_id,
        )
        assert [item.item_id for item in listed] == [item.item_id for item in items]
        shown, _ = samples.photograph(panel, samples.View(rotation=2, scale=0.97))
        today = session.files.upload(bytes(cv2.imencode(".png", shown)[1]), "today.png")
        session.items.add_photo(items[0].item_id, today.file_id, key="photo")
        states: list[JobState] = []
        job = wait_for_detection(
            session, session.items.detect(items[0].item_id), 120, lambda job: states.append(job.state)
        )
        assert job.state is JobState.DONE, job
        assert states[-1] is JobState.DONE
        assert item_changed.wait(60)
    reader.join(30)
    assert not reader.is_alive()
    assert any(change is not None and change.kind == "item" for change in changes)


def _listen(session: Session, events: list[ChangeEvent | None], item_changed: threading.Event) -> None:
    for change in changes(session):
        events.append(change)
        if change is not None and change.kind == "item":
            item_changed.set()
