from __future__ import annotations

import errno
import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from service.face.engines.manifest import MANIFEST, Download, Pack, downloads, recognise_pack
from service.face.packs.download import download
from service.face.packs.pack_store import (
    PackError,
    find_liveness,
    install,
    list_installed,
    load_engine,
    read_manifest,
    verify,
)

FILES = {"find.onnx": b"a detector" * 1000, "embed.onnx": b"an embedder" * 1000}


def a_pack(**changes: object) -> Pack:
    fields: dict[str, object] = {
        "name": "mine",
        "engine": "open",
        "licence": "Apache-2.0",
        "allows": "any use",
        "research_only": False,
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()},
        "detector": "find.onnx",
        "embedder": "embed.onnx",
        "dimension": 128,
        "normalisation": "raw",
        "thresholds": [(1e-3, 0.3), (1e-5, 0.5)],
    }
    return Pack.model_validate(fields | changes)


def make_pack_folder(path: Path, pack: Pack | None = None, files: dict[str, bytes] = FILES) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (path / name).write_bytes(data)
    (path / MANIFEST).write_text((pack or a_pack()).model_dump_json(exclude_unset=True))
    return path


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@pytest.fixture
def models_dir(tmp_path: Path) -> Path:
    return tmp_path / "data" / "face_models"


def list_models_dir(models_dir: Path) -> list[str]:
    return sorted(path.name for path in models_dir.iterdir()) if models_dir.exists() else []


def test_installs_a_folder(tmp_path: Path, models_dir: Path) -> None:
    assert install(make_pack_folder(tmp_path / "pack"), models_dir).name == "mine"
    assert [pack.name for pack in list_installed(models_dir)] == ["mine"]
    verify(models_dir / "mine", read_manifest(models_dir / "mine"))
    assert list_models_dir(models_dir) == ["mine"]


@pytest.mark.parametrize("folder", ["", "pack/"])
def test_installs_a_zip_file(tmp_path: Path, models_dir: Path, folder: str) -> None:
    members = {folder + name: data for name, data in FILES.items()}
    source = make_zip(tmp_path / "p.zip", members | {folder + MANIFEST: a_pack().model_dump_json().encode()})
    install(source, models_dir)
    assert list_models_dir(models_dir) == ["mine"]


LIVE = {"live.onnx": b"a liveness model"}
LIVENESS_PACK = {
    "name": "alive",
    "engine": "liveness",
    "licence": "MIT",
    "allows": "any use",
    "research_only": False,
    "files": {name: hashlib.sha256(data).hexdigest() for name, data in LIVE.items()},
    "liveness": [{"file": "live.onnx", "scale": 2.7}],
}


def a_pack_with_liveness(name: str) -> Pack:
    files = {name: hashlib.sha256(data).hexdigest() for name, data in (FILES | LIVE).items()}
    return a_pack(name=name, files=files, liveness=LIVENESS_PACK["liveness"])


def test_liveness_models_of_any_pack_serve_every_model(tmp_path: Path, models_dir: Path) -> None:
    def find(name: str) -> str | None:
        pack = find_liveness(name, models_dir)
        return None if pack is None else pack.name

    install(make_pack_folder(tmp_path / "one"), models_dir)
    assert [find(name) for name in ("mine", "dlib")] == [None, None]
    files = FILES | LIVE
    install(make_pack_folder(tmp_path / "two", a_pack_with_liveness("first"), files), models_dir)
    install(make_pack_folder(tmp_path / "three", a_pack_with_liveness("own"), files), models_dir)
    assert [find(name) for name in ("mine", "dlib", "own")] == ["first", "first", "own"]


def test_pack_with_only_liveness_models_cannot_be_chosen(tmp_path: Path, models_dir: Path) -> None:
    source = make_pack_folder(tmp_path / "alive", Pack.model_validate(LIVENESS_PACK), LIVE)
    install(source, models_dir)
    assert find_liveness("dlib", models_dir) is not None
    with pytest.raises(PackError, match="only checks liveness"):
        load_engine("alive", models_dir)
    (source / MANIFEST).write_text(json.dumps(LIVENESS_PACK | {"liveness": []}))
    with pytest.raises(PackError, match="not a valid manifest"):
        install(source, models_dir)


def test_changed_liveness_model_is_never_loaded(tmp_path: Path, models_dir: Path) -> None:
    files = FILES | LIVE
    install(make_pack_folder(tmp_path / "pack", a_pack_with_liveness("alive"), files), models_dir)
    (models_dir / "alive" / "live.onnx").write_bytes(b"swapped")
    with pytest.raises(PackError, match="SHA-256"):
        load_engine("dlib", models_dir)


def test_an_update_replaces_the_pack(tmp_path: Path, models_dir: Path) -> None:
    install(make_pack_folder(tmp_path / "one"), models_dir)
    install(make_pack_folder(tmp_path / "two", a_pack(licence="MIT")), models_dir)
    assert [pack.licence for pack in list_installed(models_dir)] == ["MIT"]
    assert list_models_dir(models_dir) == ["mine"]


@pytest.mark.parametrize("failing", [MANIFEST, "mine"])
def test_an_update_that_fails_keeps_the_pack(
    tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """Its last file cannot be written, or the new folder cannot be renamed to that of the pack."""
    install(make_pack_folder(tmp_path / "first"), models_dir)
    newer = a_pack(
        files={"find.onnx": hashlib.sha256(b"new").hexdigest(), "embed.onnx": a_pack().files["embed.onnx"]}
    )
    make_pack_folder(tmp_path / "second", newer, {**FILES, "find.onnx": b"new"})
    failures = [failing]

    def fail_once(move: Callable[[Path, Path], object]) -> Callable[[Path, Path], object]:
        def moving(source: Path, target: Path) -> object:
            if target.name in failures:
                failures.remove(target.name)
                raise OSError(errno.EIO, "input/output error")
            return move(source, target)

        return moving

    monkeypatch.setattr(Path, "rename", fail_once(Path.rename))
    monkeypatch.setattr(Path, "replace", fail_once(Path.replace))
    with pytest.raises(OSError, match="input/output error"):
        install(tmp_path / "second", models_dir)
    assert not failures
    verify(models_dir / "mine", read_manifest(models_dir / "mine"))
    assert (models_dir / "mine" / "find.onnx").read_bytes() == FILES["find.onnx"]
    assert list_models_dir(models_dir) == ["mine"]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"../evil.onnx": b"x"}, "path"),
        ({"/evil.onnx": b"x"}, "path"),
        ({"a/b/c.onnx": b"x"}, "path"),
        ({"a/x.onnx": b"1", "b/x.onnx": b"2"}, "same name"),
        ({f"{number}.onnx": b"" for number in range(65)}, "more than"),
        ({"readme.txt": b"nothing here"}, "no face models"),
    ],
)
def test_a_zip_file_writes_nowhere_else(
    tmp_path: Path, models_dir: Path, members: dict[str, bytes], message: str
) -> None:
    with pytest.raises(PackError, match=message):
        install(make_zip(tmp_path / "p.zip", members), models_dir)
    assert list_models_dir(models_dir) == []
    assert not list(tmp_path.rglob("evil*"))


def test_other_file_is_not_a_zip(tmp_path: Path, models_dir: Path) -> None:
    (tmp_path / "p.zip").write_bytes(b"no zip")
    with pytest.raises(PackError, match="zip"):
        install(tmp_path / "p.zip", models_dir)
    with pytest.raises(PackError, match="nothing at"):
        install(tmp_path / "gone.zip", models_dir)


@pytest.mark.parametrize("name", list(FILES))
def test_a_changed_file_is_refused(tmp_path: Path, models_dir: Path, name: str) -> None:
    with pytest.raises(PackError, match="SHA-256"):
        install(make_pack_folder(tmp_path / "pack", files=FILES | {name: b"changed"}), models_dir)
    assert list_models_dir(models_dir) == []


def test_a_missing_file_is_refused(tmp_path: Path, models_dir: Path) -> None:
    with pytest.raises(PackError, match="lacks"):
        install(make_pack_folder(tmp_path / "pack", files={"find.onnx": FILES["find.onnx"]}), models_dir)


def test_a_pack_that_was_changed_later_is_never_loaded(tmp_path: Path, models_dir: Path) -> None:
    install(make_pack_folder(tmp_path / "pack"), models_dir)
    (models_dir / "mine" / "embed.onnx").write_bytes(b"swapped")
    with pytest.raises(PackError, match="SHA-256"):
        load_engine("mine", models_dir)


def test_research_only_needs_a_yes(tmp_path: Path, models_dir: Path) -> None:
    source = make_pack_folder(tmp_path / "pack", a_pack(research_only=True))
    with pytest.raises(PackError, match="--accept-research-only"):
        install(source, models_dir)
    assert list_models_dir(models_dir) == []
    install(source, models_dir, accept_research=True)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../up"},
        {"name": ".hidden"},
        {"files": {"a/b.onnx": "0" * 64}},
        {"files": {"a.onnx": "short"}},
        {"engine": "pickle"},
        {"extra": 1},
        {"embedder": "other.onnx"},
    ],
)
def test_a_manifest_is_checked(tmp_path: Path, models_dir: Path, change: dict[str, object]) -> None:
    source = make_pack_folder(tmp_path / "pack")
    (source / MANIFEST).write_text(json.dumps(a_pack().model_dump(mode="json") | change))
    with pytest.raises(PackError, match=r"pack\.json"):
        install(source, models_dir)


@pytest.mark.parametrize("name", ["", "..", "../mine", "nothing", "mine/x"])
def test_only_installed_packs_load(tmp_path: Path, models_dir: Path, name: str) -> None:
    install(make_pack_folder(tmp_path / "pack"), models_dir)
    with pytest.raises(PackError, match="not installed"):
        load_engine(name, models_dir)


def test_loose_files_are_recognised_by_their_content() -> None:
    offer = downloads()["sface"]
    renamed = {f"x-{name}": sha256 for name, sha256 in offer.pack.files.items()}
    pack = recognise_pack(renamed)
    assert pack is not None
    assert pack.detector.startswith("x-")
    liveness = {name: sha256 for name, sha256 in renamed.items() if "MiniFASNet" in name}
    assert [(each.name, each.engine, len(each.liveness)) for each in [recognise_pack(liveness)] if each] == [
        ("minifasnet", "liveness", 2)
    ]
    assert recognise_pack({"x.onnx": "0" * 64}) is None


class Site:
    """A web server for the two files, in memory; it can cut an answer off."""

    def __init__(self, files: dict[str, bytes] = FILES, cut: int | None = None) -> None:
        self.files, self.cut, self.requests = files, cut, list[str]()

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self.answer))

    def answer(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path.removeprefix("/")
        self.requests.append(f"{name} {request.headers.get('range', '')}".strip())
        data = self.files[name]
        start = int(request.headers.get("range", "bytes=0-")[6:-1])
        status = 206 if start else 200
        return httpx.Response(status, content=data[start : self.cut])


def make_offer(pack: Pack) -> Download:
    return Download(
        pack=pack,
        addresses={name: f"https://models.example/{name}" for name in FILES},
        sizes={name: len(data) for name, data in FILES.items()},
    )


def silent(_name: str, _done: int, _size: int) -> None:
    pass


def test_downloads_verifies_and_installs(models_dir: Path) -> None:
    shown: list[tuple[str, int, int]] = []
    download(make_offer(a_pack()), models_dir, lambda *each: shown.append(each), client=Site().client())
    assert [pack.name for pack in list_installed(models_dir)] == ["mine"]
    assert list_models_dir(models_dir) == ["mine"]
    assert ("embed.onnx", 11_000, 11_000) in shown


def test_interrupted_download_continues_where_it_stopped(models_dir: Path) -> None:
    # The first try ends after half of the first file; the transport then fails.
    class DroppedStream(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield FILES["find.onnx"][:4000]
            raise httpx.ReadError("gone")

    dropping = httpx.MockTransport(lambda _request: httpx.Response(200, stream=DroppedStream()))
    offer = make_offer(a_pack())
    with pytest.raises(PackError, match="run the same command again"):
        download(offer, models_dir, silent, client=httpx.Client(transport=dropping))
    assert list_installed(models_dir) == []
    part = next(models_dir.glob(".download-mine/*.part"))
    stored_size = part.stat().st_size
    part.write_bytes(FILES["find.onnx"][:4000])
    site = Site()
    download(offer, models_dir, silent, client=site.client())
    assert stored_size in (0, 4000)
    assert site.requests[0] == "find.onnx bytes=4000-"
    assert [pack.name for pack in list_installed(models_dir)] == ["mine"]


@pytest.mark.parametrize("wrong", [b"evil" * 2500, b"short", b"x" * 50_000])
def test_a_wrong_file_is_refused(models_dir: Path, wrong: bytes) -> None:
    site = Site(FILES | {"embed.onnx": wrong})
    with pytest.raises(PackError, match="not the expected file"):
        download(make_offer(a_pack()), models_dir, silent, client=site.client())
    assert list_installed(models_dir) == []
    assert not list(models_dir.rglob("embed.onnx*"))


def test_research_only_is_never_fetched_unasked(models_dir: Path) -> None:
    site = Site()
    with pytest.raises(PackError, match="research"):
        download(make_offer(a_pack(research_only=True)), models_dir, silent, client=site.client())
    assert site.requests == []


def test_an_address_that_does_not_answer(models_dir: Path) -> None:
    refusing = httpx.MockTransport(lambda _request: httpx.Response(404))
    with pytest.raises(PackError, match="HTTP 404"):
        download(make_offer(a_pack()), models_dir, silent, client=httpx.Client(transport=refusing))


def test_downloads_have_pinned_hashes() -> None:
    for name, offer in downloads().items():
        assert offer.pack.name == name
        assert not offer.pack.research_only
        assert offer.addresses.keys() == offer.sizes.keys() == offer.pack.files.keys()
        assert all(address.startswith("https://") for address in offer.addresses.values())
        # A user who downloads gets a liveness model with it.
        assert [model.scale for model in offer.pack.liveness] == [2.7, 4.0]
