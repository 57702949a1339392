"""Tests tiles and crops of pictures: computed once by a process, upright, limited."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image
from starlette.testclient import TestClient

from service.files import service as service_module
from service.files import tiles as tiles_module
from service.files.images import BadImageError, crop
from service.files.service import FilesService
from service.files.tiles import TileStore, has_tile
from service.settings import Settings
from service.web.envelope import Problem
from shared.images.colours import to_srgb
from shared.images.tiles import TILE, level_sizes, tile_counts
from shared.record.codes import Role
from shared.record.geometry import Rect
from shared.wire.files import StoredFile, Tiles
from tests.pictures import encode_picture, gradient_pixels
from tests.service.domain_app import role_headers
from tests.service.files.test_images import FORMATS, encode_half_red_picture, make_png_header
from tests.service.files.test_routes import store_file


def wait_for_tiles(client: TestClient, file_id: str) -> Tiles:
    """Wait until the tiles are ready, and return their description."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        answer = client.get(f"/api/files/{file_id}/tiles")
        assert answer.status_code == 200, answer.text
        tiles = Tiles.model_validate(answer.json()["data"])
        if tiles.state == "ready":
            assert tiles.percent == 100
            return tiles
        assert 0 <= tiles.percent < 100
        time.sleep(0.02)
    raise AssertionError("the tiles were not made")


def decode(data: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def test_levels_are_halved_down_to_one_tile() -> None:
    assert level_sizes(1300, 700) == [(1300, 700), (650, 350), (325, 175)]
    assert level_sizes(1, 1) == [(1, 1)]
    assert tile_counts(1300, 700) == (3, 2)


@pytest.mark.parametrize("orientation", [1, 6])
def test_tiles_are_upright_and_cover_every_level(client: TestClient, orientation: int) -> None:
    pixels = gradient_pixels(1100, 600)
    file = store_file(client, encode_picture(pixels, "JPEG", orientation), "翼.jpg")
    tiles = wait_for_tiles(client, file["file_id"])
    assert (tiles.width, tiles.height, tiles.tile_px) == (1100, 600, TILE)
    assert [(level.width, level.height) for level in tiles.levels] == level_sizes(1100, 600)
    for level, (width, height) in enumerate(level_sizes(1100, 600)):
        columns, rows = tile_counts(width, height)
        for column in range(columns):
            for row in range(rows):
                answer = client.get(f"/api/files/{file['file_id']}/tiles/{level}/{column}/{row}")
                assert answer.status_code == 200
                assert answer.headers["content-type"] == "image/jpeg"
                x, y = column * TILE, row * TILE
                got = decode(answer.content)
                assert got.shape == (min(TILE, height - y), min(TILE, width - x), 3)
                if level == 0:
                    wanted = pixels[y : y + TILE, x : x + TILE]
                    assert np.abs(got.astype(int) - wanted).mean() < 12


def test_tile_may_be_cached_by_the_client_without_expiry(client: TestClient) -> None:
    file = store_file(client, encode_half_red_picture("png", (600, 40)))
    wait_for_tiles(client, file["file_id"])
    address = f"/api/files/{file['file_id']}/tiles/0/1/0"
    answer = client.get(address)
    assert "immutable" in answer.headers["cache-control"]
    assert "private" in answer.headers["cache-control"]
    again = client.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/api/files/{file['file_id']}/tiles/0/0/0").headers["etag"] != answer.headers["etag"]


@pytest.mark.parametrize("place", ["0/2/0", "0/0/1", "2/0/0", "100000/0/0"])
def test_tile_outside_of_the_picture_is_404(client: TestClient, place: str) -> None:
    file = store_file(client, encode_half_red_picture("png", (600, 40)))
    assert client.get(f"/api/files/{file['file_id']}/tiles/{place}").status_code == 404


def test_tile_that_is_not_ready_has_retry_after(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TileStore, "_build", lambda *_: None)
    file = store_file(client, encode_half_red_picture("png"))
    answer = client.get(f"/api/files/{file['file_id']}/tiles/0/0/0")
    assert answer.status_code == 409
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["data"] == {"error": "conflict", "state": "building", "percent": 0}


@pytest.mark.parametrize("path", ["tiles", "tiles/0/0/0", "crop?x=0&y=0&w=1&h=1"])
def test_tiles_require_a_picture_and_the_permission_to_read(client: TestClient, path: str) -> None:
    file = store_file(client, b"just words", "a.txt")
    assert client.get(f"/api/files/{file['file_id']}/{path}").status_code == 415
    assert client.get(f"/api/files/{file['file_id']}/{path}", headers=role_headers(None)).status_code == 401
    answer = client.get(f"/api/files/{file['file_id']}/{path}", headers=role_headers(Role.VIEWER))
    assert answer.status_code == 415
    assert client.get(f"/api/files/none/{path}").status_code == 404


def wait_for_failure(client: TestClient, file_id: str) -> Any:
    until = time.monotonic() + 30
    while (answer := client.get(f"/api/files/{file_id}/tiles")).status_code == 200:
        assert time.monotonic() < until
        time.sleep(0.02)
    return answer


def test_picture_without_pixels_has_a_permanent_failure(client: TestClient) -> None:
    # Every chunk is there, but the packed pixels are none.
    file = store_file(client, make_png_header(900, 900))
    assert wait_for_failure(client, file["file_id"]).status_code == 415
    assert client.get(f"/api/files/{file['file_id']}/tiles/0/0/0").status_code == 415


def test_slow_process_is_ended(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(tiles_module, "_CUT_SECONDS", 0.0)
    file = store_file(client, encode_half_red_picture("png"))
    answer = wait_for_failure(client, file["file_id"])
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert [path.name for path in (settings.data_dir / "cache" / "tiles").iterdir()] == ["making.lock"]


def test_number_of_waiting_pictures_is_limited(
    client: TestClient, files: FilesService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles_module, "MAX_WAITING", 1)
    monkeypatch.setattr(files.tiles._builder, "submit", lambda *_: None)
    first, second = (
        store_file(client, encode_half_red_picture("png")),
        store_file(client, encode_half_red_picture("png", (61, 40))),
    )
    for _ in range(2):
        assert client.get(f"/api/files/{first['file_id']}/tiles").status_code == 200
    assert client.get(f"/api/files/{second['file_id']}/tiles").status_code == 503


def test_tiles_of_a_content_are_made_once_and_the_least_used_are_deleted(
    client: TestClient, files: FilesService, settings: Settings
) -> None:
    folder = settings.data_dir / "cache" / "tiles"
    data = encode_half_red_picture("png")
    first, second = store_file(client, data, "a.png"), store_file(client, data, "b.png")
    wait_for_tiles(client, first["file_id"])
    (tiles_file,) = folder.glob("*.zip")
    assert client.get(f"/api/files/{second['file_id']}/tiles").json()["data"]["state"] == "ready"
    files.tiles._limit = 1
    other = store_file(client, encode_half_red_picture("png", (61, 40)))
    wait_for_tiles(client, other["file_id"])
    # Tiles are ready before the superfluous ones are deleted.
    files.tiles._builder.submit(lambda: None).result()
    assert not tiles_file.exists()
    assert len(list(folder.glob("*.zip"))) == 1
    assert wait_for_tiles(client, first["file_id"]).percent == 100


def test_damaged_tiles_are_rebuilt(client: TestClient, settings: Settings) -> None:
    file = store_file(client, encode_half_red_picture("png"))
    wait_for_tiles(client, file["file_id"])
    (tiles_file,) = (settings.data_dir / "cache" / "tiles").glob("*.zip")
    tiles_file.write_bytes(b"no zip")
    assert client.get(f"/api/files/{file['file_id']}/tiles/0/0/0").status_code == 503
    wait_for_tiles(client, file["file_id"])
    assert client.get(f"/api/files/{file['file_id']}/tiles/0/0/0").status_code == 200


def test_temporary_files_of_a_killed_process_are_deleted(client: TestClient, settings: Settings) -> None:
    left = settings.data_dir / "cache" / "tiles" / "making-0123"
    left.mkdir(parents=True)
    (left / "made.zip").write_bytes(b"half")
    wait_for_tiles(client, store_file(client, encode_half_red_picture("png"))["file_id"])
    assert not left.exists()


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "jpeg"])
def test_every_format_is_cropped_without_loss(client: TestClient, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "p"
    path.write_bytes(encode_half_red_picture(kind))
    got = decode(crop(path, Rect(29, 0, 2, 40)))
    assert got.shape == (40, 2, 3)
    if kind != "webp":
        assert got[0].tolist() == [[255, 0, 0], [0, 0, 255]]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_crop_is_upright(tmp_path: Path, orientation: int) -> None:
    pixels = gradient_pixels(70, 50)
    path = tmp_path / "p"
    path.write_bytes(encode_picture(pixels, "PNG", orientation))
    got = decode(crop(path, Rect(11, 7, 20, 30)))
    assert np.array_equal(got, pixels[7:37, 11:31])


def test_crop_route_returns_a_png(client: TestClient) -> None:
    file = store_file(client, encode_half_red_picture("png"))
    address = f"/api/files/{file['file_id']}/crop"
    answer = client.get(address, params={"x": 20, "y": 0, "w": 40, "h": 40})
    assert answer.headers["content-type"] == "image/png"
    assert decode(answer.content).shape == (40, 40, 3)
    etag = {"If-None-Match": answer.headers["etag"]}
    assert client.get(address, params={"x": 20, "y": 0, "w": 40, "h": 40}, headers=etag).status_code == 304
    assert client.get(address, params={"x": 21, "y": 0, "w": 40, "h": 40}).status_code == 404
    assert client.get(address, params={"x": 0, "y": 0, "w": 0, "h": 1}).status_code == 422


def test_size_of_a_crop_is_limited(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "MAX_CROP_PIXELS", 40 * 40)
    address = f"/api/files/{store_file(client, encode_half_red_picture('png'))['file_id']}/crop"
    assert client.get(address, params={"x": 0, "y": 0, "w": 40, "h": 40}).status_code == 200
    assert client.get(address, params={"x": 0, "y": 0, "w": 41, "h": 40}).status_code == 413


def test_crop_beyond_a_truncated_picture_is_refused(client: TestClient, tmp_path: Path) -> None:
    data = encode_picture(gradient_pixels(900, 900), "JPEG")
    path = tmp_path / "p"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(BadImageError):
        crop(path, Rect(0, 800, 10, 10))


def test_transparent_pixels_become_white() -> None:
    clear = pyvips.Image.black(2, 2, bands=4).copy(interpretation="srgb")
    assert to_srgb(clear)(0, 0) == [255, 255, 255]


def test_close_does_not_wait_for_tiles(tmp_path: Path) -> None:
    make: Callable[[], TileStore] = lambda: TileStore(tmp_path / "tiles")  # noqa: E731
    path = tmp_path / "p.png"
    # So large that its tiles take much longer than this test.
    pyvips.Image.black(12_000, 8_000).pngsave(str(path), compression=1)
    file = StoredFile.model_validate(
        {
            "file_id": "f",
            "sha256": "0" * 64,
            "ipfs_cid": "",
            "filename": "p.png",
            "mime_type": "image/png",
            "size": 1,
            "width": 12_000,
            "height": 8_000,
            "download_url": "",
            "created_at": "2026-01-01T00:00:00Z",
        }
    )
    store = make()
    assert store.describe(file, lambda: path).state == "building"
    store.close()
    assert not list((tmp_path / "tiles").glob("making-*/"))
    assert has_tile(file, 0, 0, 0)
    again = make()
    with pytest.raises(Problem) as raised:
        again.tile(file, lambda: path, 0, 0, 0)
    assert raised.value.status == 409
    again.close()
