"""Runs a desktop that this script controls, in a separate process, so that a test can kill it.

`python -m tests.e2e.desktop_driver open|edit|recover DATA_FOLDER` prints one JSON line for each event.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop

from desktop.app.application import Desktop
from desktop.app.running import make_application
from desktop.connection.local_service import ServiceState
from desktop.journal import Edit, EditKind
from desktop.record.document import ITEM
from desktop.record.edits import RecordEdits
from shared.wire.inspection import ItemCreate, RecordCreate
from tests.service_app import ADMIN


def print_event(event: str, **fields: Any) -> None:
    print(json.dumps({"event": event, **fields}), flush=True)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    application = make_application()
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)


def rename_item(edits: RecordEdits, record_id: str, item_id: str, before: str, after: str) -> None:
    fields = ({"item_name": before}, {"item_name": after})
    assert edits.do(Edit(record_id, ITEM, item_id, EditKind.UPDATE, *fields, "rename", time.time()))


def kill_service(desktop: Desktop) -> None:
    assert desktop.service is not None
    assert desktop.service.pid is not None
    os.kill(desktop.service.pid, signal.SIGKILL)


def prepare_edits(desktop: Desktop) -> RecordEdits:
    edits = RecordEdits.of(desktop.context)
    edits.prepare(lambda: None)
    wait_until(lambda: edits.journal is not None)
    return edits


def edit_item(desktop: Desktop) -> None:
    """Create a record with an item, kill the service, change the item, and wait to be killed."""
    session = desktop.context.session
    desktop.context.enter(session.account.first_run(*ADMIN))
    record_id = session.records.create(RecordCreate(task_id="t1")).inspection_id
    item = session.items.create(ItemCreate(item_name="before", inspection_id=record_id), key="k").value
    edits = prepare_edits(desktop)
    kill_service(desktop)
    rename_item(edits, record_id, item.item_id, "before", "while away")
    print_event("edited", record_id=record_id, item_id=item.item_id)
    wait_until(lambda: False, seconds=600)


def recover_edits(desktop: Desktop, record_id: str, item_id: str) -> None:
    """Keep the offered edit until the service has it; then kill the service and change the item again."""
    session = desktop.context.session
    desktop.context.enter(session.account.login(*ADMIN))
    edits = prepare_edits(desktop)
    print_event("offered", held=edits.held, waiting=[edit_item.after for edit_item in edits.unsent_edits()])
    edits.send_recovered()
    wait_until(lambda: edits.save_state.unsent_count == 0)
    print_event("kept", name=session.items.get(item_id).value.item_name)
    states: list[str] = []
    desktop.context.service_changed.connect(
        lambda state: states.append(
            f"{state.value}: {desktop.window.banner.text() if desktop.window.banner.isVisible() else ''}"
        )
    )
    kill_service(desktop)
    wait_until(lambda: desktop.context.service_state is ServiceState.RESTARTING)
    rename_item(edits, record_id, item_id, "while away", "in between")
    wait_until(lambda: edits.save_state.unsent_count == 0)
    print_event("restarted", states=states, name=session.items.get(item_id).value.item_name)


def main() -> None:
    make_application()
    desktop = Desktop(server_url="", data_folder=Path(sys.argv[2]))
    try:
        desktop.start()
        wait_until(lambda: desktop.context.service_state is ServiceState.READY)
        match sys.argv[1]:
            case "edit":
                edit_item(desktop)
            case "recover":
                recover_edits(desktop, *sys.argv[3:5])
            case _:
                print_event("open")
                wait_until(lambda: False, seconds=600)
    finally:
        desktop.close()


if __name__ == "__main__":
    main()
