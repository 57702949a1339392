"""A phone as the camera of the open record: the dialog, its code, and photos that appear by themselves."""

from __future__ import annotations

import datetime as dt
import secrets
from typing import Any

import httpx
import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from desktop.client import Session
from desktop.pages.workbench.phone.dialog import (
    PhoneDialog,
    QrCode,
    addresses_for_phones,
    opened_by_phone,
)
from shared.wire.phone import CodeEnd, NewPhoneCode, PhoneCode
from tests.desktop.pages.workbench.driver import WorkbenchDriver, make_record, picture
from tests.narrowing import not_none

_SOON = 60_000


def code(**more: Any) -> NewPhoneCode:
    at = dt.datetime.now(dt.UTC)
    fields: dict[str, Any] = {
        "code_id": "c1",
        "inspection_id": "r1",
        "item_id": None,
        "made_by": "u1",
        "made_by_name": "李梅",
        "created_at": at,
        "expires_at": at + dt.timedelta(minutes=15),
        "seconds_left": 900,
        "ended": None,
        "claimed_at": None,
        "seen_at": None,
        "phone": None,
        "arrived": 0,
        "sending": 0,
        "refused": 0,
        "token": "mJ4q0mW3X1cPZ2yXk0n7Qw",
        "addresses": ["https://192.168.1.5:50123", "https://10.0.0.2:50123"],
        "fingerprint": "AB:CD",
        "can_open_network": False,
    }
    return NewPhoneCode(**{**fields, **more})


def status(new_code: NewPhoneCode, **more: Any) -> PhoneCode:
    return PhoneCode(**{**new_code.model_dump(include=set(PhoneCode.model_fields)), **more})


@pytest.fixture
def dialog(qtbot: QtBot) -> PhoneDialog:
    phone_dialog = PhoneDialog("2  口盖", "http://127.0.0.1:8177")
    qtbot.addWidget(phone_dialog)
    phone_dialog.show()
    return phone_dialog


def test_used_address_is_first() -> None:
    new_code = code(addresses=["https://10.0.0.2:8177", "https://hangar:8177"])
    assert addresses_for_phones("https://hangar:8177/", new_code) == [
        "https://hangar:8177",
        "https://10.0.0.2:8177",
    ]
    for local in ("http://127.0.0.1:1", "http://127.0.1.1:1", "http://localhost", "http://[::1]:80"):
        assert addresses_for_phones(local, new_code) == new_code.addresses
    assert opened_by_phone("https://hangar:8177", new_code) == f"https://hangar:8177/phone#{new_code.token}"


def test_a_code_is_shown_with_its_address_and_how_to_trust_it(dialog: PhoneDialog) -> None:
    assert not dialog.qr.isVisible()
    new_code = code()
    dialog.show_code(new_code)
    assert dialog.address.text() == f"https://192.168.1.5:50123/phone#{new_code.token}"
    assert dialog.qr.isVisible()
    assert "AB CD" in dialog.warning.text()
    assert dialog.left.text().startswith("Valid for 1")
    assert dialog.phone.text() == "Waiting for a phone…"
    before = dialog.qr.modules
    dialog.choice.set_value("https://10.0.0.2:50123")
    dialog.choice.picked.emit("https://10.0.0.2:50123")
    assert dialog.address.text().startswith("https://10.0.0.2:50123/phone#")
    assert dialog.qr.modules != before
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == dialog.address.text()


def test_dialog_shows_the_connected_phone_and_its_photos(dialog: PhoneDialog) -> None:
    new_code = code(fingerprint=None)
    dialog.show_code(new_code)
    assert not dialog.warning.isVisible()
    at = dt.datetime.now(dt.UTC)
    connected = {"claimed_at": at, "seen_at": at, "phone": "iPhone"}
    dialog.show_status(status(new_code, **connected, arrived=2, sending=1, refused=1))
    assert dialog.phone.text() == "iPhone connected"
    assert dialog.arrived.text() == "2 photo(s) arrived · 1 on the way · 1 refused"
    away = {**connected, "seen_at": at - dt.timedelta(minutes=3)}
    dialog.show_status(status(new_code, **away))
    assert dialog.phone.text().startswith("iPhone, last seen ")


@pytest.mark.parametrize("minutes", [-5, 5])
def test_phone_is_connected_although_the_clock_of_the_service_differs(
    dialog: PhoneDialog, minutes: int
) -> None:
    at = dt.datetime.now(dt.UTC) + dt.timedelta(minutes=minutes)
    new_code = code(created_at=at, expires_at=at + dt.timedelta(minutes=15))
    dialog.show_code(new_code)
    dialog.show_status(status(new_code, claimed_at=at, seen_at=at, phone="iPhone"))
    assert dialog.phone.text() == "iPhone connected"


@pytest.mark.parametrize("end", list(CodeEnd))
def test_ended_code_disappears(dialog: PhoneDialog, end: CodeEnd) -> None:
    new_code = code()
    dialog.show_code(new_code)
    dialog.show_status(status(new_code, ended=end, seconds_left=0))
    assert dialog.end_reason is end
    assert dialog.address.text() == ""
    assert not dialog.qr.isVisible()
    assert dialog.how.text()
    assert not dialog.end.isEnabled()
    assert dialog.new.isEnabled()


def test_service_on_loopback_is_explained(dialog: PhoneDialog, qtbot: QtBot) -> None:
    dialog.show_code(code(addresses=[], fingerprint=None, can_open_network=True))
    assert "runs on this computer alone" in dialog.how.text()
    assert dialog.allow.isVisible()
    with qtbot.waitSignal(dialog.new_wanted) as wanted:
        dialog.allow.click()
    assert wanted.args == [True]
    dialog.show_code(code(addresses=[], fingerprint=None))
    assert not dialog.allow.isVisible()
    assert dialog.how.text().startswith("Phones cannot connect")


def test_failed_code_can_be_retried(dialog: PhoneDialog) -> None:
    dialog.show_error("The service does not answer.")
    assert dialog.error.isVisible()
    assert dialog.new.isEnabled()


def test_the_code_can_be_read_from_the_screen(qtbot: QtBot) -> None:
    cv2 = pytest.importorskip("shared.images.cv").cv2
    import numpy as np

    shown = QrCode()
    qtbot.addWidget(shown)
    text = "https://192.168.1.5:50123/phone#mJ4q0mW3X1cPZ2yXk0n7Qw"
    shown.show_text(text)
    image = shown.grab().toImage().convertToFormat(shown.grab().toImage().Format.Format_Grayscale8)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    decoded = cv2.QRCodeDetector().detectAndDecode(np.ascontiguousarray(pixels[:, : image.width()]))[0]
    assert decoded == text


class Phone:
    """Sends the requests of the phone page, to the address of the service itself."""

    def __enter__(self) -> Phone:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def __init__(self, base_url: str, token: str) -> None:
        self.key = secrets.token_urlsafe(32)
        self.http = httpx.Client(base_url=f"{base_url}/api/phone")
        self.http.headers["User-Agent"] = "Mozilla/5.0 (Linux; Android 15)"
        answer = self.http.post("/claim", json={"token": token, "key": self.key})
        answer.raise_for_status()
        self.view = answer.json()["data"]
        self.http.headers["Authorization"] = f"Phone {self.view['code_id']}.{self.key}"

    def send(self, data: bytes, item_id: str | None = None) -> dict[str, Any]:
        upload_id = secrets.token_hex(16)
        body = {"upload_id": upload_id, "name": "photo.png", "size": len(data), "item_id": item_id}
        self.http.post("/uploads", json=body).raise_for_status()
        answer = self.http.put(f"/uploads/{upload_id}?start=0", content=data)
        answer.raise_for_status()
        fields: dict[str, Any] = answer.json()["data"]
        return fields


@pytest.fixture
def open_workbench(workbench: WorkbenchDriver, session: Session, qtbot: QtBot) -> WorkbenchDriver:
    workbench.open(make_record(session), qtbot.waitUntil)
    return workbench


def shown_code(workbench: WorkbenchDriver, qtbot: QtBot) -> NewPhoneCode:
    dialog = not_none(workbench.page.photos.phone.dialog)
    qtbot.waitUntil(lambda: dialog.code is not None, timeout=_SOON)
    return not_none(dialog.code)


def test_a_photo_of_an_item_appears_and_is_detected(
    open_workbench: WorkbenchDriver, session: Session, qtbot: QtBot
) -> None:
    page = open_workbench.page
    first = page.open_record.rows[0].item_id
    page.open_record.choose(first)
    page.context.commands.run("item.phone")
    new_code = shown_code(open_workbench, qtbot)
    assert new_code.item_id == page.open_record.edits.service_id(first)
    with Phone(session.base_url, new_code.token) as phone:
        assert [item["item_id"] for item in phone.view["items"]] == [new_code.item_id]
        assert phone.send(picture(2))["state"] == "arrived"
    dialog = not_none(page.photos.phone.dialog)
    qtbot.waitUntil(lambda: dialog.arrived.text() == "1 photo(s) arrived", timeout=_SOON)
    assert dialog.phone.text() == "Android connected"
    (photo,) = session.items.photos(not_none(new_code.item_id))
    assert photo.by_phone
    qtbot.waitUntil(lambda: page.photos.pairing.file_id == photo.file_id, timeout=_SOON)


def test_a_photo_of_the_record_waits_in_the_tray(
    open_workbench: WorkbenchDriver, session: Session, qtbot: QtBot
) -> None:
    page = open_workbench.page
    page.context.commands.run("record.phone")
    new_code = shown_code(open_workbench, qtbot)
    assert new_code.item_id is None
    with Phone(session.base_url, new_code.token) as phone:
        phone.send(picture(3))
    photo_list = page.photos.record_photos.photo_list
    qtbot.waitUntil(lambda: len(photo_list.photos) == 1, timeout=_SOON)
    assert photo_list.photos[0].by_phone


def test_a_valid_code_is_shown_again_and_ends_by_the_button(
    open_workbench: WorkbenchDriver, session: Session, qtbot: QtBot
) -> None:
    page = open_workbench.page
    page.photos.phone.for_record()
    new_code = shown_code(open_workbench, qtbot)
    not_none(page.photos.phone.dialog).close()
    assert page.photos.phone.dialog is None
    page.photos.phone.for_record()
    dialog: PhoneDialog = not_none(page.photos.phone.dialog)
    assert not_none(dialog.code).token == new_code.token
    page.photos.phone._end()
    qtbot.waitUntil(lambda: dialog.end_reason is CodeEnd.ENDED, timeout=_SOON)
    assert session.phones.get(new_code.code_id).ended is CodeEnd.ENDED
    dialog.new.click()
    qtbot.waitUntil(lambda: dialog.code is not None and dialog.code.token != new_code.token, timeout=_SOON)
    assert dialog.end_reason is None


def test_the_service_of_this_machine_opens_to_phones_on_request(
    open_workbench: WorkbenchDriver, session: Session, qtbot: QtBot
) -> None:
    page = open_workbench.page
    page.photos.phone.for_record()
    first_code = shown_code(open_workbench, qtbot)
    dialog = not_none(page.photos.phone.dialog)
    if first_code.addresses:
        pytest.skip("another test has opened it already")
    assert dialog.allow.isVisible()
    dialog.allow.click()
    qtbot.waitUntil(lambda: dialog.code is not None and dialog.code is not first_code, timeout=_SOON)
    reached = not_none(dialog.code)
    assert not reached.can_open_network
    assert session.phones.get(first_code.code_id).ended is CodeEnd.ENDED


def test_the_dialog_closes_with_the_record(open_workbench: WorkbenchDriver, qtbot: QtBot) -> None:
    page = open_workbench.page
    page.photos.phone.for_record()
    shown_code(open_workbench, qtbot)
    page._close()
    assert page.photos.phone.dialog is None
