"""Makes a small archive with the code of a release, for the tests that restore it with today's.

    git worktree add /tmp/release COMMIT
    cd tests/service/backups
    python -m tests.service.backups.release_archive /tmp/release sqlite-format-1.zip
    python -m tests.service.backups.release_archive ../../.. postgresql-format-2.zip --postgresql

`sqlite-format-1.zip` was made like this with the code of commit 6e8181d, `postgresql-format-2.zip` with that
of the commit that adds it. The service of the release runs as a process of its own; every byte in the archive
is made here. Beside the archive, a JSON file says what a restore has to bring back.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import httpx

from tests.postgresql import Server, find_binaries

ADMIN = {"username": "chief", "password": "correct-horse-battery", "name": "主任"}
# The smallest picture in PNG: one grey pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c6368000000820081"
    "77cd72b60000000049454e44ae426082"
)
NOTE = "左翼前缘 left wing\n".encode()


def main() -> None:
    """Make the archive that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path, help="a checkout of the release")
    parser.add_argument("archive", type=Path, help="the archive to make")
    parser.add_argument("--postgresql", action="store_true", help="on PostgreSQL instead of SQLite")
    options = parser.parse_args()
    if not options.postgresql:
        _make(options.tree.absolute(), options.archive.absolute(), {})
        return
    place = find_binaries()
    if place is None:
        sys.exit("no PostgreSQL server binary on this machine")
    server = Server(place)
    try:
        server.execute("CREATE DATABASE release")
        _make(
            options.tree.absolute(),
            options.archive.absolute(),
            {"WALKAROUND_DATABASE_URL": server.url("release")},
        )
    finally:
        server.stop()


def _make(tree: Path, archive: Path, variables: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            **variables,
            "PYTHONPATH": str(tree),
            "WALKAROUND_DATA_DIR": str(Path(folder) / "data"),
            "WALKAROUND_PARENT_PIPE": "1",
        }
        serve = subprocess.Popen(
            [sys.executable, "-m", "shared", "serve", "--port", "0"],
            cwd=tree,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert serve.stdin is not None
        assert serve.stdout is not None
        with serve:
            try:
                facts = _fill_service(json.loads(serve.stdout.readline())["url"])
            finally:
                serve.stdin.close()
                serve.wait(20)
        subprocess.run(
            [sys.executable, "-m", "shared", "backup", str(archive)], cwd=tree, env=environment, check=True
        )
    _compress(archive)
    archive.with_suffix(".json").write_text(json.dumps(facts, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _compress(archive: Path) -> None:
    """Pack the members of the archive again, compressed: the repository gets the same bytes, only smaller."""
    with zipfile.ZipFile(archive) as old:
        members = [(name, old.read(name)) for name in old.namelist()]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name, data in members:
            new.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def _fill_service(url: str) -> dict[str, Any]:
    """Two records, one of them sealed, and two files; what a restore brings back."""
    with httpx.Client(base_url=f"{url}/api", timeout=60) as client:

        def post(path: str, **body: Any) -> Any:
            answer = client.post(path, json=body).raise_for_status().json()
            return answer.get("data", answer)

        client.headers["Authorization"] = f"Bearer {post('/auth/first-run', **ADMIN)['access_token']}"
        photo = client.post("/files", files={"file": ("照片.png", PIXEL)}).raise_for_status().json()["data"]
        client.post("/files", files={"file": ("note.txt", NOTE)}).raise_for_status()
        sealed = post("/inspection/create", task_id="t1", inspection_name="左翼 航前检查")["inspection_id"]
        item = post("/inspection_item/create", item_name="前缘\t\\N\n一", inspection_id=sealed)["item_id"]
        post(f"/inspection_item/{item}/photos", file_id=photo["file_id"])
        post(f"/inspection_item/{item}/verdict", verdict="passed")
        post(f"/inspection/{sealed}/finish", accept_model_opinion=False)
        seal = client.get(f"/inspection/{sealed}/editions/1").raise_for_status().json()["data"]["seal"]
        post("/inspection/create", task_id="t2", inspection_name="右翼")
        records = (
            client.get("/inspection/search", params={"current_page": 1, "page_size": 50})
            .raise_for_status()
            .json()["data"]["data"]
        )
        log = client.get("/audit").raise_for_status().json()["data"]["pagination"]
        return {
            "sealed": sealed,
            "seal": seal,
            "photo": photo["file_id"],
            "item_name": "前缘\t\\N\n一",
            "records": {record["inspection_id"]: record["inspection_name"] for record in records},
            "audit_rows": log["total"],
        }


if __name__ == "__main__":
    main()
