"""Installs, lists, verifies and loads packs of face models in the data folder.

A pack is a folder with `pack.json` (`service.face.engines.manifest`). A file whose SHA-256 differs from it is
never used.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from service.face.engines.dlib_engine import NAME as DLIB
from service.face.engines.dlib_engine import DlibEngine
from service.face.engines.engine import FaceEngine
from service.face.engines.manifest import MANIFEST, RESEARCH, W600K_MBF_THRESHOLDS, Pack, recognise_pack
from shared.system import atomic

# The files of a package of version 2 in addition to its models (insightface.model_zoo.package_manifest).
COMPANIONS = ("manifest.json", "MODEL.LICENSE")
# A detector of InsightFace has at least this many outputs (its own rule, `ModelRouter`).
_DETECTOR_OUTPUTS = 5
_EMBEDDER_SIDE = 112


def describe_pack(folder: Path, name: str, files: dict[str, str]) -> Pack | None:
    """Return the pack of the models in `folder`; None unless there is one detector and one embedder.

    `files` maps names to the SHA-256 of its models and companion files. The pack counts as research only,
    because InsightFace's models are. Its thresholds were measured for another model of this kind and should
    be calibrated.
    """
    from service.face.engines.liveness_models import session

    detectors: list[str] = []
    embedders: dict[str, int] = {}
    for file in (file_name for file_name in files if file_name.endswith(".onnx")):
        try:
            model: Any = session(folder / file)
        except Exception:  # noqa: S112 - onnxruntime's errors have no common base; such a file is none of these
            continue
        sides, outputs = model.get_inputs()[0].shape[2:], model.get_outputs()
        if len(outputs) >= _DETECTOR_OUTPUTS:
            detectors.append(file)
        elif sides == [_EMBEDDER_SIDE] * 2 and len(outputs) == 1 and isinstance(outputs[0].shape[-1], int):
            embedders[file] = outputs[0].shape[-1]
    if len(detectors) != 1 or len(embedders) != 1:
        return None
    ((embedder, dimension),) = embedders.items()
    file_names = [detectors[0], embedder, *(file_name for file_name in COMPANIONS if file_name in files)]
    return Pack(
        name="insightface-" + (re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "pack")[:40],
        engine="insightface",
        licence="as its maker says; InsightFace's own models: non-commercial research",
        allows=f"{RESEARCH}; thresholds are another model's until they are calibrated",
        research_only=True,
        files={file_name: files[file_name] for file_name in file_names},
        detector=detectors[0],
        embedder=embedder,
        dimension=dimension,
        normalisation="unit",
        thresholds=W600K_MBF_THRESHOLDS,
    )


if TYPE_CHECKING:
    from service.settings import Settings

CHOICE_FILE = "in-use.txt"
"""The file next to the packs with the name of the model chosen by `walkaround face use`."""

MAX_PACK_BYTES = 2 * 2**30
MAX_MANIFEST_BYTES = 2**20
_BLOCK = 2**20
_KEPT_SUFFIXES = {".onnx", ".json", ".txt", ".md", ".LICENSE"}


class PackError(RuntimeError):
    """Raised if a pack cannot be installed or used; the text says why and what to do."""


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in lower-case hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> Pack:
    """Read the manifest of the pack in `folder`. Raises PackError."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > MAX_MANIFEST_BYTES:
            raise PackError(f"{path} is too large for the manifest of a pack; download the pack again")
        pack = Pack.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise PackError(f"there is no {MANIFEST} in {folder}") from None
    except ValidationError as problem:
        fields = ", ".join(".".join(map(str, error["loc"])) for error in problem.errors()[:5])
        raise PackError(f"{path} is not a valid manifest of a pack; check: {fields}") from None
    used_files = {pack.detector, pack.embedder, *(model.file for model in pack.liveness)} - {""}
    if unlisted_files := used_files - pack.files.keys():
        raise PackError(
            f"{path} uses files without naming their SHA-256: {', '.join(sorted(unlisted_files))}"
        )
    return pack


def verify(folder: Path, pack: Pack) -> None:
    """Raise PackError if a file of the pack is missing or was changed."""
    for name, sha256 in pack.files.items():
        path = folder / name
        if not path.is_file() or path.is_symlink():
            raise PackError(f"the pack {pack.name} lacks its file {name}; install it again")
        if file_sha256(path) != sha256:
            raise PackError(f"{name} of the pack {pack.name} was changed (SHA-256 differs); install it again")


def list_installed(models_dir: Path) -> list[Pack]:
    """Return the installed packs, by name; other folders are ignored."""
    packs = []
    for folder in sorted(models_dir.iterdir()) if models_dir.is_dir() else []:
        try:
            pack = read_manifest(folder)
        except (PackError, OSError):
            continue
        if pack.name == folder.name:
            packs.append(pack)
    return packs


def model_in_use(settings: Settings) -> str:
    """Return the face model in the settings, else the one chosen by `walkaround face use`, else dlib."""
    if settings.face_model:
        return settings.face_model
    try:
        return (settings.face_models_dir / CHOICE_FILE).read_text("utf-8").strip() or DLIB
    except OSError:
        return DLIB


def find_liveness(name: str, models_dir: Path) -> Pack | None:
    """Return the pack whose liveness models check logins with the face model `name`; None without one.

    It is that model's own pack, or the first other one with liveness models: they work with every engine.
    """
    packs = [pack for pack in list_installed(models_dir) if pack.liveness]
    return min(packs, key=lambda pack: pack.name != name, default=None)


def use(name: str, settings: Settings) -> None:
    """Choose the face model from the next start on. Raises PackError or ImportError if it does not load."""
    load_engine(name, settings.face_models_dir)
    settings.face_models_dir.mkdir(parents=True, exist_ok=True)
    atomic.write_file(settings.face_models_dir / CHOICE_FILE, f"{name}\n".encode(), durable=True)


def load_engine(name: str, models_dir: Path) -> FaceEngine:
    """Load the engine `dlib`, or that of the installed pack `name` after verifying its files.

    Its faces are checked by the liveness models of `find_liveness`. Raises PackError, or ImportError if the
    pack's engine is not installed.
    """
    engine = _load_engine(name, models_dir)
    pack = find_liveness(name, models_dir)
    if pack is not None:
        from service.face.engines.liveness_models import LivenessModels

        folder = models_dir.absolute() / pack.name
        verify(folder, pack)
        engine.liveness = LivenessModels(folder, pack)
    return engine


def _load_engine(name: str, models_dir: Path) -> FaceEngine:
    if name == DLIB:
        return DlibEngine()
    folder = models_dir.absolute() / name
    if name not in {pack.name for pack in list_installed(models_dir)}:
        raise PackError(f"the face model '{name}' is not installed; see: walkaround face models")
    pack = read_manifest(folder)
    if pack.engine == "liveness":
        raise PackError(f"{name} only checks liveness, with every model; see: walkaround face models")
    verify(folder, pack)
    if pack.engine == "open":
        from service.face.engines.open_engine import OpenEngine

        return OpenEngine(folder, pack)
    from service.face.engines.insightface_engine import InsightFaceEngine

    return InsightFaceEngine(folder, pack)


def install(
    source: Path, models_dir: Path, *, name_or_engine: str | None = None, accept_research: bool = False
) -> Pack:
    """Install a pack from a folder or a zip file and return its manifest.

    A folder without a manifest must contain known files or an InsightFace pack; `name_or_engine` selects the
    pack if several are possible. Raises PackError, also for a research-only licence that was not accepted.
    """
    if not source.exists():
        raise PackError(f"there is nothing at {source}")
    if source.is_dir():
        return _install_folder(source, source.resolve().name, models_dir, name_or_engine, accept_research)
    with staging_folder(models_dir) as staging:
        _unzip(source, staging)
        return _install_folder(staging, source.stem, models_dir, name_or_engine, accept_research)


def _read_or_recognise(source: Path, name: str, name_or_engine: str | None) -> Pack:
    if (source / MANIFEST).is_file():
        return read_manifest(source)
    paths = [*sorted(source.glob("*.onnx")), *(source / name for name in COMPANIONS)]
    files = {path.name: file_sha256(path) for path in paths if path.is_file()}
    pack = recognise_pack(files, name_or_engine)
    if pack is None and name_or_engine in (None, "insightface"):
        pack = describe_pack(source, name, files)
    if pack is None:
        raise PackError(f"{source} has no {MANIFEST} and holds no face models that are known here")
    return pack


def _install_folder(
    source: Path, name: str, models_dir: Path, name_or_engine: str | None, accept_research: bool
) -> Pack:
    pack = _read_or_recognise(source, name, name_or_engine)
    if name_or_engine not in (None, pack.name, pack.engine):
        raise PackError(f"the pack {pack.name} (engine {pack.engine}) is not '{name_or_engine}'")
    check_licence(pack, accept_research)
    verify(source, pack)
    with staging_folder(models_dir) as staging:
        for name in pack.files:
            shutil.copyfile(source / name, staging / name)
        publish(staging, models_dir, pack)
    return pack


def check_licence(pack: Pack, accept_research: bool) -> None:
    """Raise PackError for a research-only licence that was not accepted."""
    if pack.research_only and not accept_research:
        raise PackError(
            f"the pack {pack.name} is for research only ({pack.licence}: {pack.allows}); "
            "if that covers your use, confirm it with --accept-research-only"
        )


@contextmanager
def staging_folder(models_dir: Path) -> Iterator[Path]:
    """Create an empty folder next to the packs, which is deleted at the end."""
    models_dir.mkdir(parents=True, exist_ok=True)
    # On the same file system as the packs, so that a finished pack is put in place by one rename.
    with tempfile.TemporaryDirectory(prefix=".part-", dir=models_dir, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def publish(staging: Path, models_dir: Path, pack: Pack) -> None:
    """Verify the files in `staging` and put them in place as the pack; replace an older one of that name.

    A failure keeps the older one. Raises PackError and OSError.
    """
    verify(staging, pack)
    (staging / MANIFEST).write_text(
        pack.model_dump_json(indent=2, exclude_unset=True) + "\n", encoding="utf-8"
    )
    new_folder, old_folder = staging / ".new", staging / ".old"
    new_folder.mkdir()
    for name in (*pack.files, MANIFEST):
        atomic.replace_file(staging / name, new_folder / name, durable=True)
    target = models_dir / pack.name
    if is_update := target.exists():
        target.rename(old_folder)
    try:
        new_folder.rename(target)
    except BaseException:
        if is_update:
            # `staging` is deleted with all that is in it.
            old_folder.rename(target)
        raise
    atomic.sync_folder(models_dir)


def _unzip(source: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > 64 or sum(member.file_size for member in members) > MAX_PACK_BYTES:
                raise PackError(f"{source.name} holds more than a pack of face models can")
            for member in members:
                path = PurePosixPath(member.filename)
                # A pack may have one folder around its files, but no deeper paths and none outside of it.
                if path.is_absolute() or ".." in path.parts or len(path.parts) > 2:
                    raise PackError(f"{source.name} holds a path that a pack cannot have")
                if path.suffix not in _KEPT_SUFFIXES and path.name != "LICENSE":
                    continue
                with archive.open(member) as source_file, (target / path.name).open("xb") as target_file:
                    _copy(source_file.read, target_file.write, member.file_size)
    except FileExistsError:
        raise PackError(f"{source.name} holds two files of the same name") from None
    except (zipfile.BadZipFile, OSError, RuntimeError) as problem:
        # zipfile raises RuntimeError for a password and for an unknown compression.
        if isinstance(problem, PackError):
            raise
        raise PackError(f"{source.name} cannot be read as a zip file ({type(problem).__name__})") from None


def _copy(read: Callable[[int], bytes], write: Callable[[bytes], object], size: int) -> None:
    # At most as many bytes as the directory of the archive states, even if the stream unpacks to more.
    remaining = size
    while remaining > 0 and (block := read(min(_BLOCK, remaining))):
        write(block)
        remaining -= len(block)
