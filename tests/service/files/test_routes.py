"""Tests uploads and downloads over HTTP."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from starlette.testclient import TestClient

from service.db.database import Database
from service.files import lookup
from service.files.service import FilesService
from service.files.tables import FileRow
from service.settings import Settings
from service.web.envelope import Problem
from shared.record.content import cid, sha256
from tests.service.answers import read_data
from tests.service.files.conftest import in_folder
from tests.service.files.test_images import encode_half_red_picture, make_png_header


def upload(client: TestClient, data: bytes, name: str = "图.png") -> Any:
    return client.post("/api/files", files={"file": (name, data, "text/html")})


def store_file(client: TestClient, data: bytes, name: str = "图.png") -> dict[str, Any]:
    return read_data(upload(client, data, name))


def test_upload_is_described_by_its_content(client: TestClient) -> None:
    data = encode_half_red_picture("png")
    answer = upload(client, data)
    assert answer.json()["code"] == 0
    file = answer.json()["data"]
    assert file["sha256"] == sha256(data)
    assert file["ipfs_cid"] == cid(sha256(data))
    assert file["mime_type"] == "image/png"
    assert (file["filename"], file["size"]) == ("图.png", len(data))
    assert (file["width"], file["height"]) == (60, 40)
    assert file["download_url"] == f"/api/files/{file['file_id']}/content"
    assert client.get(f"/api/files/{file['file_id']}").json()["data"] == file


@in_folder
def test_content_is_stored_once_with_a_name_for_each_upload(
    client: TestClient, settings: Settings, database: Database
) -> None:
    first, again = store_file(client, b"same words", "a.txt"), store_file(client, b"same words", "a.txt")
    other = store_file(client, b"same words", "b.txt")
    assert first == again
    assert other["file_id"] != first["file_id"]
    assert other["sha256"] == first["sha256"]
    blobs = [path for path in settings.files_dir.rglob("*") if path.is_file()]
    assert [path.parent.name + path.name for path in blobs] == [first["sha256"]]
    assert database.read_now(lambda session: session.scalar(select(func.count()).select_from(FileRow))) == 2


def test_next_upload_repairs_a_damaged_content(client: TestClient, files: FilesService) -> None:
    file = store_file(client, b"the whole words")
    files.path(file["file_id"]).write_bytes(b"the")
    store_file(client, b"the whole words")
    assert client.get(file["download_url"]).content == b"the whole words"


@in_folder
@pytest.mark.parametrize(
    "name", ["../../../evil.png", "/etc/passwd", "C:\\a\\b", "CON", "x" * 300, "a\u202eb.png"]
)
def test_no_name_leaves_the_store(client: TestClient, settings: Settings, name: str) -> None:
    file = store_file(client, b"some words", name)
    assert not set(file["filename"]) & set("/\\\u202e")
    outside = [
        path
        for path in settings.data_dir.parent.rglob("*")
        if path.is_file()
        and settings.files_dir not in path.parents
        and not path.name.startswith("walkaround.db")
    ]
    assert not [path for path in outside if path.stat().st_size == len(b"some words")]


def test_polyglot_file_is_served_inert(client: TestClient) -> None:
    file = store_file(client, encode_half_red_picture("jpeg") + b"<script>alert(1)</script>", "page.html")
    answer = client.get(file["download_url"])
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert "sandbox" in answer.headers["content-security-policy"]


def test_extension_and_content_type_of_the_client_are_ignored(client: TestClient) -> None:
    assert store_file(client, b"no picture at all", "photo.jpg")["mime_type"] == "application/octet-stream"
    assert store_file(client, encode_half_red_picture("webp"), "photo.jpg")["mime_type"] == "image/webp"


@pytest.mark.parametrize(
    ("data", "status", "error"),
    [
        (b"", 415, "unsupported_media"),
        (encode_half_red_picture("png")[:20], 422, "invalid_input"),
        (make_png_header(30_000, 30_000), 413, "too_large"),
        (bytes(3 * 2**20 + 1), 413, "too_large"),
    ],
    ids=["zero bytes", "cut-off image", "bomb", "over the limit"],
)
def test_refused_upload_leaves_no_file(
    client: TestClient, settings: Settings, data: bytes, status: int, error: str
) -> None:
    answer = upload(client, data)
    assert answer.status_code == status
    assert answer.json()["data"]["error"] == error
    assert answer.json()["msg"]
    assert not [path for path in settings.files_dir.rglob("*") if path.is_file()]


def test_limit_applies_without_a_content_length(client: TestClient) -> None:
    sent = 0

    def body() -> Iterator[bytes]:
        nonlocal sent
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'
        for _ in range(64):
            sent += 1
            yield bytes(2**18)
        yield b"\r\n--b--\r\n"

    answer = client.post(
        "/api/files", content=body(), headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert answer.status_code == 413
    assert answer.json()["data"]["limit"] == 3 * 2**20


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [
        ("application/json", b"{}", 415),
        ("multipart/form-data", b"", 415),
        ("multipart/form-data; boundary=" + "b" * 300, b"", 415),
        ("multipart/form-data; boundary=b", b"", 422),
        ("multipart/form-data; boundary=b", b"nonsense", 422),
        ("multipart/form-data; boundary=b", b"--b--\r\n", 422),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhalf',
            422,
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="other"; filename="x"\r\n\r\nwords\r\n--b--\r\n',
            422,
        ),
        (
            "multipart/form-data; boundary=b",
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nwords\r\n'
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="y"\r\n\r\nwords\r\n--b--\r\n',
            422,
        ),
    ],
)
def test_body_without_exactly_one_file_is_refused(
    client: TestClient, content_type: str, body: bytes, status: int
) -> None:
    answer = client.post("/api/files", content=body, headers={"content-type": content_type})
    assert answer.status_code == status
    assert answer.json()["code"] == 1


def test_other_fields_of_the_form_are_ignored(client: TestClient) -> None:
    answer = client.post("/api/files", files={"file": ("a.txt", b"words")}, data={"note": "x" * 1000})
    assert answer.json()["data"]["size"] == 5


def test_a_form_of_many_parts_is_not_read_to_its_end(client: TestClient) -> None:
    # One megabyte with 70,000 empty parts occupied a thread for more than half a second.
    form = {"file": ("图.png", encode_half_red_picture("png"), "image/png")}
    few, many = ({str(number): "x" for number in range(count)} for count in (31, 32))
    assert client.post("/api/files", files=form, data=few).status_code == 200
    refused = client.post("/api/files", files=form, data=many)
    assert refused.status_code == 422
    assert "字段过多" in refused.json()["msg"]


@pytest.mark.parametrize("tail", ["", "/content", "/thumbnail"])
@pytest.mark.parametrize("file_id", ["nothing", "..%2f..%2fetc%2fpasswd", "' OR 1=1 --"])
def test_unknown_file_is_404(client: TestClient, file_id: str, tail: str) -> None:
    answer = client.get(f"/api/files/{file_id}{tail}")
    assert answer.status_code == 404


def test_nul_in_an_id_is_422(client: TestClient) -> None:
    assert client.get("/api/files/%00").status_code == 422


def test_ranges(client: TestClient) -> None:
    file = store_file(client, bytes(range(200)))
    url, etag = file["download_url"], f'"{file["sha256"]}"'
    part = client.get(url, headers={"Range": "bytes=10-19"})
    assert part.status_code == 206
    assert part.content == bytes(range(10, 20))
    assert part.headers["content-range"] == "bytes 10-19/200"
    assert part.headers["etag"] == etag
    whole = client.get(url, headers={"Range": "bytes=10-19", "If-Range": '"another"'})
    assert (whole.status_code, len(whole.content)) == (200, 200)
    assert client.get(url, headers={"Range": "bytes=10-19", "If-Range": etag}).status_code == 206
    beyond = client.get(url, headers={"Range": "bytes=200-"})
    assert beyond.status_code == 416
    assert beyond.headers["content-range"] == "bytes */200"
    assert beyond.json()["data"]["error"] == "range_not_satisfiable"
    assert client.get(url, headers={"If-None-Match": etag}).status_code == 304


def test_every_range_returns_its_bytes(client: TestClient) -> None:
    data = bytes(i % 251 for i in range(5000))
    url = store_file(client, data)["download_url"]

    @hypothesis_settings(
        deadline=None,
        max_examples=20,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(st.integers(0, 4999), st.integers(0, 6000))
    def check(first: int, length: int) -> None:
        answer = client.get(url, headers={"Range": f"bytes={first}-{first + length}"})
        assert answer.status_code == 206
        assert answer.content == data[first : first + length + 1]
        assert answer.headers["content-length"] == str(len(answer.content))

    check()


def test_large_file_is_downloaded_completely(client: TestClient) -> None:
    data = bytes(i % 249 for i in range(2**20)) * 2 + b"end"
    assert client.get(store_file(client, data)["download_url"]).content == data


@in_folder
def test_lost_content_is_404_with_a_sentence(client: TestClient, files: FilesService) -> None:
    file = store_file(client, b"words")
    files.path(file["file_id"]).unlink()
    answer = client.get(file["download_url"])
    assert answer.status_code == 404
    assert "备份" in answer.json()["msg"]


def test_thumbnails(client: TestClient, settings: Settings) -> None:
    file = store_file(client, encode_half_red_picture("png", (600, 400)))
    url = f"/api/files/{file['file_id']}/thumbnail"
    answer = client.get(url)
    assert answer.headers["content-type"] == "image/jpeg"
    cached = list((settings.data_dir / "cache").rglob("*.jpg"))
    assert [path.read_bytes() for path in cached] == [answer.content]
    assert client.get(url).content == answer.content
    assert client.get(url, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    assert client.get(url, params={"size": 100}).status_code == 200
    assert len(list((settings.data_dir / "cache").rglob("*.jpg"))) == 1
    for size in (63, 1025):
        assert client.get(url, params={"size": size}).status_code == 422
    text_file = store_file(client, b"words")
    assert client.get(f"/api/files/{text_file['file_id']}/thumbnail").status_code == 415


def test_openapi_declares_the_form(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/api/files"]["post"]
    form = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["properties"]["file"]["format"] == "binary"


@in_folder
def test_incomplete_uploads_are_deleted_at_start(database: Database, settings: Settings) -> None:
    incoming = settings.files_dir / "incoming"
    incoming.mkdir(parents=True)
    (incoming / "half").write_bytes(b"half")
    FilesService(database, settings).close()
    assert not list(incoming.iterdir())


def test_file_is_found_by_the_file_info_of_an_item(files: FilesService, database: Database) -> None:
    file = database.write_now(files.keep("result.png", encode_half_red_picture("png"), "someone"))

    def find(**file_info: Any) -> str | None:
        stored_file = database.read_now(lambda session: lookup.find_file(session, file_info))
        return stored_file.file_id if stored_file else None

    assert find(download_url=file.download_url) == file.file_id
    assert find(download_url=f"https://host:8177{file.download_url}") == file.file_id
    assert find(download_url="https://elsewhere/x.png", ipfs_cid=file.ipfs_cid) == file.file_id
    # The file at this address was deleted. The content identifies the file.
    lost = f"/api/files/{'0' * 36}/content"
    assert find(download_url=lost, ipfs_cid=file.ipfs_cid) == file.file_id
    assert find(download_url=lost) is find(download_url="https://elsewhere/x.png") is None
    assert find(ipfs_cid="Qm") is None
    assert find() is None
    assert files.path(file.file_id).read_bytes() == encode_half_red_picture("png")


def test_files_of_the_service_follow_the_same_rules(files: FilesService, settings: Settings) -> None:
    for data, status in ((b"", 415), (bytes(settings.max_upload_bytes + 1), 413)):
        with pytest.raises(Problem) as caught:
            files.keep("x", data, None)
        assert caught.value.status == status
    with pytest.raises(FileNotFoundError):
        files.path("nothing")
    assert not [path for path in Path(settings.files_dir).rglob("*") if path.is_file()]


def test_a_cut_jpeg_is_refused(client: TestClient) -> None:
    whole = encode_half_red_picture("jpeg")
    assert upload(client, whole).status_code == 200
    refused = upload(client, whole[:-2])
    assert (refused.status_code, refused.json()["msg"]) == (422, "图片已损坏，无法读取，请选择其他图片")


def test_a_tiff_of_64_bits_is_refused_by_its_depth(client: TestClient) -> None:
    fields = [
        (256, 3),
        (257, 2),
        (258, 64),
        (259, 1),
        (262, 1),
        (273, 8),
        (277, 1),
        (278, 2),
        (279, 48),
        (339, 3),
    ]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in fields)
    pixels = struct.pack("<6d", *range(6))
    data = b"II*\0" + struct.pack("<I", 56) + pixels + struct.pack("<H", len(fields)) + entries + bytes(4)
    refused = upload(client, data)
    assert (refused.status_code, refused.json()["data"]["error"]) == (415, "unsupported_media")
    assert "（64 bit）" in refused.json()["msg"]


@pytest.mark.parametrize(
    ("compression", "name"), [(50000, "ZSTD"), (34925, "LZMA"), (41000, "41000")], ids=["ZSTD", "LZMA", "?"]
)
def test_a_tiff_with_an_unknown_compression_is_refused_by_its_name(
    client: TestClient, compression: int, name: str
) -> None:
    whole = encode_half_red_picture("tiff")
    assert upload(client, whole).status_code == 200
    # The field Compression (259) of one SHORT.
    field = struct.pack("<HHI", 259, 3, 1)
    at = whole.index(field) + len(field)
    refused = upload(client, whole[:at] + struct.pack("<H", compression) + whole[at + 2 :])
    assert (refused.status_code, refused.json()["data"]["error"]) == (415, "unsupported_media")
    assert f"不支持此图片的存储格式（{name}）" in refused.json()["msg"]


@pytest.mark.parametrize(
    "parameter",
    [
        b"filename*=UTF-8''%E6%9C%BA%E7%BF%BC.jpg",
        b"filename=\"x.jpg\"; filename*=utf-8''%E6%9C%BA%E7%BF%BC.jpg",
        b'filename="=?utf-8?B?5py657+8LmpwZw==?="',
        'filename="机翼.jpg"'.encode(),
        'filename="机翼.jpg"'.encode("gb18030"),
    ],
)
def test_every_form_of_a_name_is_read(client: TestClient, parameter: bytes) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; ' + parameter
    answer = client.post(
        "/api/files",
        content=head + b"\r\n\r\nwords\r\n--b--\r\n",
        headers={"content-type": "multipart/form-data; boundary=b"},
    )
    assert answer.json()["data"]["filename"] == "机翼.jpg"
