"""A client that openapi-python-client makes of the document does an inspection at a real service."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from shared import samples
from shared.images.cv import cv2
from shared.paths import program_folder
from tests.service_process import ADMIN, first_admin, service_process

NAME = "generated_walkaround"
DOCS = program_folder() / "docs" / "clients.md"


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service with its first admin."""
    with service_process(tmp_path_factory.mktemp("generated") / "data") as url:
        first_admin(url)
        yield url


@pytest.fixture(scope="session")
def generated_client(service: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the client, made by the configuration that docs/clients.md gives, without a warning."""
    folder = tmp_path_factory.mktemp("client")
    document = folder / "openapi.json"
    document.write_text(httpx.get(f"{service}/api/openapi.json", timeout=60).text, "utf-8")
    config = folder / "generator.yml"
    config.write_text(DOCS.read_text("utf-8").split("```yaml\n")[1].split("```")[0], "utf-8")
    arguments = ["-m", "openapi_python_client", "generate", "--path", str(document), "--config", str(config)]
    arguments += ["--meta", "none", "--output-path", str(folder / NAME), "--fail-on-warning"]
    run = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "WARNING" not in run.stdout + run.stderr
    sys.path.insert(0, str(folder))
    yield folder / NAME
    sys.path.remove(str(folder))


class Api:
    """The generated package: `call("inspection.create", ...)` for an operation, `model("Record")`."""

    def __init__(self, url: str) -> None:
        self.url = url
        package = importlib.import_module(NAME)
        self.client: Any = package.Client(base_url=url, raise_on_unexpected_status=True)

    def model(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{NAME}.models"), name)

    def log_in(self, token: str) -> None:
        package = importlib.import_module(NAME)
        self.client = package.AuthenticatedClient(self.url, token, raise_on_unexpected_status=True)

    def call(self, operation: str, **fields: Any) -> Any:
        tag, _, name = operation.partition(".")
        module = importlib.import_module(f"{NAME}.api.{tag}.{tag}_{name}")
        answer = module.sync(client=self.client, **fields)
        assert not isinstance(answer, self.model("Failure")), answer
        return answer


@pytest.fixture
def api(service: str, generated_client: Path) -> Iterator[Api]:
    api = Api(service)
    login = api.call("auth.login", body=api.model("Login")(username=ADMIN[0], password=ADMIN[1]))
    assert login.code == 0
    assert login.data.payload.user.username == ADMIN[0]
    api.client.get_httpx_client().close()
    api.log_in(login.data.access_token)
    yield api
    api.client.get_httpx_client().close()


def photo(api: Api, defects: bool) -> Any:
    """An uploaded picture of the sample surface."""
    image = samples.draw_panel(640, 480).image.copy()
    if defects:
        cv2.line(image, (200, 150), (420, 330), (10, 10, 10), 5)
    file = importlib.import_module(f"{NAME}.types").File(
        payload=io.BytesIO(bytes(cv2.imencode(".png", image)[1])), file_name="左翼.png", mime_type="image/png"
    )
    stored = api.call("files.upload_file", body=api.model("FilesUploadFileBody")(file=file))
    return stored.data


class Listener:
    """Reads the event stream with the generated client's connection."""

    def __init__(self, api: Api) -> None:
        self.kinds: list[str] = []
        self.finished = threading.Event()
        self._open = threading.Event()
        self._client = api.client
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        assert self._open.wait(30)

    def _read(self) -> None:
        with self._client.get_httpx_client().stream("GET", "/api/events", timeout=60) as stream:
            self._open.set()
            for line in stream.iter_lines():
                if line.startswith("data:") and "kind" in line:
                    self.kinds.append(json.loads(line[5:])["kind"])
                    if "detection_job" in self.kinds:
                        self.finished.set()
                        return

    def wait(self) -> list[str]:
        assert self.finished.wait(60), self.kinds
        self._thread.join()
        return self.kinds


def test_generated_client_does_an_inspection(api: Api) -> None:
    listener = Listener(api)
    reference, taken = photo(api, defects=False), photo(api, defects=True)
    record = api.call(
        "inspection.create",
        body=api.model("RecordCreate")(task_id="T-1", inspection_name="左翼"),
        idempotency_key="k",
    )
    assert (record.code, record.msg, record.data.inspection_status.value) == (
        0,
        "检查记录创建成功",
        "not_started",
    )
    again = api.call(
        "inspection.create",
        body=api.model("RecordCreate")(task_id="T-1", inspection_name="左翼"),
        idempotency_key="k",
    )
    assert again.data.inspection_id == record.data.inspection_id
    point = api.model("ItemPoint").from_dict(
        {
            "point": {"x": 0, "y": 0, "w": 1, "h": 1},
            "fileInfo": {
                "download_url": reference.download_url,
                "filename": reference.filename,
                "ipfs_cid": reference.ipfs_cid,
                "mime_type": reference.mime_type,
                "size": reference.size,
            },
        }
    )
    item = api.call(
        "inspection_item.create",
        body=api.model("ItemCreate")(
            item_name="蒙皮",
            inspection_id=record.data.inspection_id,
            model_id="reference-difference",
            item_point=point,
        ),
    )
    assert item.item_point.to_dict() == point.to_dict()
    api.call(
        "inspection_item.add_photo", item_id=item.item_id, body=api.model("PhotoAdd")(file_id=taken.file_id)
    )
    job = api.call("detection.detect_item", item_id=item.item_id, wait=30.0)
    assert job.data.state.value == "done", job
    stored = api.call("inspection_item.get", item_id=item.item_id)
    (entry,) = stored.result
    assert entry.progress == "done"
    assert entry.result_image.boxes
    assert entry.result_image.boxes[0].points.x1 > 0
    decided = api.call(
        "inspection_item.set_verdict",
        item_id=item.item_id,
        body=api.model("VerdictSet")(verdict=api.model("Verdict")("failed"), reason="划痕"),
    )
    assert decided.data.result[-1].additional_properties["verdict"]["value"] == "failed"
    page = api.call("inspection_item.list_items", inspection_id=record.data.inspection_id)
    assert [listed.item_id for listed in page.data.data] == [item.item_id]
    search = api.call("inspection.search", current_page=1, page_size=10, task_id="T-1")
    assert [listed.inspection_status.value for listed in search.data.data] == ["failed"]
    assert {"record", "item", "detection_job"} <= set(listener.wait())
    assert api.call("inspection.remove", inspection_id=record.data.inspection_id).msg == "检查记录删除成功"


def test_generated_client_reads_failures(api: Api) -> None:
    module = importlib.import_module(f"{NAME}.api.inspection.inspection_get")
    answer = module.sync_detailed(client=api.client, inspection_id="none")
    assert answer.status_code == 404
    assert (answer.parsed.data.error, answer.parsed.msg) == ("not_found", "检查记录不存在")


def test_generated_client_reads_a_photo(api: Api) -> None:
    stored = photo(api, defects=False)
    content = api.call("files.get_content", file_id=stored.file_id)
    assert len(content.payload.read()) == stored.size
    thumbnail = api.call("files.get_thumbnail", file_id=stored.file_id)
    assert thumbnail.payload.read(2) == b"\xff\xd8"
