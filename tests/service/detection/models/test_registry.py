"""Tests the registry of models over HTTP: adding, versions, disabling, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from service.detection.compute import compute_process
from service.detection.failure import BadModel
from service.detection.onnx.decode import cells
from tests.service.answers import read_data
from tests.service.detection.dispatch.test_jobs import add_photo, detect, encode, make_item, results
from tests.service.detection.graphs import brightness_model, constant_model

pytestmark = pytest.mark.slow


def add(client: TestClient, path: Path, **form: str) -> Any:
    with path.open("rb") as file:
        return client.post(
            "/api/detection/models", data={"model_name": "亮度", **form}, files={"file": ("m.onnx", file)}
        )


def test_the_built_in_model_is_always_there(client: TestClient) -> None:
    (model,) = client.get("/api/detection/models").json()["data"]
    assert model["model_id"] == "reference-difference"
    assert client.get("/api/detection/models/reference-difference").json()["data"] == model
    assert client.get("/api/detection/models/none").status_code == 404


def test_a_model_is_added_used_versioned_and_disabled(client: TestClient, tmp_path: Path) -> None:
    path = brightness_model(tmp_path / "bright.onnx")
    model = read_data(
        add(client, path, labels='["bright"]', settings='{"confidence": 0.5, "fit": "stretch"}')
    )
    assert (model["kind"], model["version"], model["labels"]) == ("nms_free", 1, ["bright"])
    assert model["settings"]["width"] == 64
    assert model["size"] == path.stat().st_size

    item = make_item(client, model_id=model["model_id"])
    add_photo(client, item, np.full((90, 160, 3), 240, np.uint8))
    assert detect(client, item)["state"] == "done"
    (entry,) = results(client, item)
    (box,) = entry["resultImage"]["boxes"]
    assert box["label"] == "bright"
    assert box["points"] == {"x1": 0, "y1": 0, "x2": 160, "y2": 90}
    assert entry["isPassed"] is False
    assert entry["provenance"]["model_sha256"] == model["sha256"]
    assert client.get(f"/api/inspection_item/{item['item_id']}").json()["model_name"] == "亮度"

    assert add(client, path).json()["data"]["version"] == 2
    changed = client.put(f"/api/detection/models/{model['model_id']}", json={"enabled": False})
    assert changed.json()["data"]["enabled"] is False
    assert detect(client, item)["error"] == "model_disabled"


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"labels": "dent, crack"}, "labels_wrong"),
        ({"labels": "[1]"}, "labels_wrong"),
        ({"settings": "[]"}, "settings_wrong"),
        ({"settings": '{"confidence": 7}'}, "settings_wrong"),
        ({"kind": "detr"}, "kind_wrong"),
    ],
)
def test_a_wrong_form_is_refused(
    client: TestClient, tmp_path: Path, form: dict[str, str], reason: str
) -> None:
    answer = add(client, brightness_model(tmp_path / "bright.onnx"), **form)
    assert answer.status_code == 422
    assert answer.json()["data"]["reason"] == reason
    assert len(client.get("/api/detection/models").json()["data"]) == 1


def test_a_hostile_file_is_refused_and_the_next_one_is_not(client: TestClient, tmp_path: Path) -> None:
    path = tmp_path / "junk.onnx"
    path.write_bytes(b"\x3a" + b"\xff" * 5000)
    answer = add(client, path)
    assert answer.status_code == 422
    assert answer.json()["data"]["reason"] == "not_onnx"
    assert add(client, brightness_model(tmp_path / "bright.onnx")).status_code == 200


def test_a_check_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(BadModel) as refused:
        compute_process.check_model(brightness_model(tmp_path / "bright.onnx"), None, {}, seconds=0.01)
    assert refused.value.code == "timed_out"


def test_a_name_belongs_to_one_model(client: TestClient, tmp_path: Path) -> None:
    model = add(client, brightness_model(tmp_path / "bright.onnx")).json()["data"]
    place = f"/api/detection/models/{model['model_id']}"
    assert client.put(place, json={"model_name": "参考图比对"}).status_code == 409
    renamed = client.put(place, json={"model_name": "新", "model_description": "x"}).json()["data"]
    assert (renamed["model_name"], renamed["model_description"]) == ("新", "x")
    assert client.put(place, json={"model_description": None}).json()["data"]["model_description"] is None


def test_changed_model_is_412_with_its_present_state(client: TestClient) -> None:
    url = "/api/detection/models/reference-difference"
    tag = client.get(url).headers["ETag"]
    changed = client.put(url, json={"model_description": "x"}, headers={"If-Match": tag})
    assert changed.status_code == 200
    late = client.put(url, json={"model_description": "y"}, headers={"If-Match": tag})
    assert (late.status_code, late.headers["ETag"]) == (412, changed.headers["ETag"])
    body = late.json()
    assert body["msg"] == "检测模型已被其他用户修改，请查看最新内容后重新保存"
    assert list(body["data"]) == ["error", "etag", "current"]
    assert (body["data"]["etag"], body["data"]["current"]) == (late.headers["ETag"], changed.json()["data"])


def test_the_list_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from service.detection.cli import main
    from service.settings import Settings

    settings = Settings(data_dir=tmp_path / "home")
    path = brightness_model(tmp_path / "bright.onnx")
    assert main(["model", "add", str(path), "--name", "bright"], settings) == 0
    assert main(["model", "list"], settings) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["model_name"] for line in lines] == ["bright", "Reference difference", "bright"]
    junk = tmp_path / "junk.onnx"
    junk.write_bytes(b"no model")
    assert main(["model", "add", str(junk)], settings) == 1
    assert "ONNX" in capsys.readouterr().err


def ambiguous_model(path: Path) -> Path:
    """A detector whose table could be YOLOX's or one that is decoded already."""
    table = np.zeros((1, cells(64, 64), 5 + 3), np.float32)
    table[0, 3, 0] = 20
    return constant_model(path, {"output": table})


def test_model_of_uncertain_kind_is_added_with_a_given_kind(client: TestClient, tmp_path: Path) -> None:
    path = ambiguous_model(tmp_path / "model.onnx")
    answer = add(client, path)
    assert answer.status_code == 422
    data = answer.json()["data"]
    assert (data["reason"], data["kinds"]) == ("kind_unknown", ["yolo", "yolox"])
    assert "选择模型类型" in answer.json()["msg"]
    wrong = add(client, path, kind="nms_inside").json()["data"]
    assert (wrong["reason"], wrong["kinds"]) == ("kind_wrong", ["yolo", "yolox"])
    assert add(client, path, kind="yolox").json()["data"]["kind"] == "yolox"


def unclear_detr(path: Path) -> Path:
    """A detector whose class scores may be meant for softmax or sigmoid."""
    rng = np.random.default_rng(4)
    logits = rng.normal(0, 2, (1, 20, 5)).astype(np.float32)
    boxes = np.full((1, 20, 4), 0.5, np.float32)
    return constant_model(path, {"logits": logits, "pred_boxes": boxes})


def test_model_without_a_known_activation_is_refused(client: TestClient, tmp_path: Path) -> None:
    path = unclear_detr(tmp_path / "model.onnx")
    answer = add(client, path)
    assert answer.status_code == 422
    data = answer.json()["data"]
    assert (data["reason"], data["kinds"]) == ("activation_unknown", [])
    assert data["activations"] == ["sigmoid", "softmax"]
    for activation in data["activations"]:
        model = add(client, path, settings=json.dumps({"activation": activation})).json()["data"]
        assert model["settings"]["activation"] == activation


def torchvision_model(path: Path, names: str = "boxes scores labels") -> Path:
    """A detector that finds its class 2, as torchvision exports it: 0 is the background."""
    outputs = [[[5, 5, 30, 40]], [0.9], [2]]
    types = [np.float32, np.float32, np.int64]
    arrays = [np.array(output, dtype) for output, dtype in zip(outputs, types, strict=True)]
    return constant_model(path, dict(zip(names.split(), arrays, strict=True)))


def test_background_does_not_become_a_label_of_a_model(client: TestClient, tmp_path: Path) -> None:
    labels = ["__background__", "dent", "crack"]
    path = torchvision_model(tmp_path / "model.onnx")
    model = read_data(add(client, path, labels=json.dumps(labels)))
    assert (model["labels"], model["settings"]["first_class"]) == (labels[1:], 1)
    versions = f"/api/detection/models/{model['model_id']}/versions"
    labels[2] = "stain"
    assert read_data(client.post(versions, json={"labels": labels}))["labels"] == labels[1:]


def test_model_without_a_known_first_class_is_refused(client: TestClient, tmp_path: Path) -> None:
    path = torchvision_model(tmp_path / "model.onnx", "a b c")
    labels = json.dumps(["dent", "crack", "stain"])
    answer = add(client, path, labels=labels)
    assert (answer.status_code, answer.json()["data"]["reason"]) == (422, "first_class_unknown")
    assert "first_class" in answer.json()["msg"]
    model = read_data(add(client, path, labels=labels, settings='{"first_class": 1}'))
    assert model["settings"]["first_class"] == 1


def test_user_who_added_a_model_is_named(client: TestClient, tmp_path: Path) -> None:
    made = add(client, brightness_model(tmp_path / "bright.onnx")).json()["data"]
    who = client.get("/api/auth/me").json()["data"]["user"]
    name = f"{who['name']} ({who['username']})"
    assert (made["added_by"], made["added_by_name"]) == (who["user_id"], name)
    listed = client.get("/api/detection/models").json()["data"]
    assert [model["added_by_name"] for model in listed] == [None, name]
    place = f"/api/detection/models/{made['model_id']}"
    assert client.get(place).json()["data"] == made
    assert client.put(place, json={"enabled": False}).json()["data"]["added_by_name"] == name
    assert client.post(f"{place}/versions", json={}).json()["data"]["added_by_name"] == name


def test_thresholds_and_pass_rule_make_a_next_version_and_leave_the_one_in_use(
    client: TestClient, tmp_path: Path
) -> None:
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 0], table[0, 1] = [8, 8, 24, 24, 0.5, 0], [40, 40, 56, 56, 0.6, 1]
    path = constant_model(tmp_path / "m.onnx", {"output": table}, names=("dent", "crack"))
    first = add(client, path).json()["data"]
    item = make_item(client, model_id=first["model_id"])
    add_photo(client, item, np.full((64, 64, 3), 240, np.uint8))
    assert detect(client, item)["state"] == "done"

    place = f"/api/detection/models/{first['model_id']}/versions"
    rule = {"fail_labels": ["crack"], "per_label": {"crack": 0.7, "dent": 0.1}, "width": 999}
    second = client.post(place, json={"settings": rule, "labels": ["dent", "crack"]}).json()["data"]
    assert (second["version"], second["model_name"], second["sha256"]) == (2, "亮度", first["sha256"])
    assert second["settings"] == {**first["settings"], **rule, "width": 64}
    assert client.get(f"/api/detection/models/{first['model_id']}").json()["data"] == first
    client.put(f"/api/inspection_item/{item['item_id']}", json={"model_id": second["model_id"]})
    detect(client, item)
    before, after = results(client, item)
    assert (before["isPassed"], after["isPassed"]) == (False, True)
    assert [box["label"] for box in before["resultImage"]["boxes"]] == ["crack", "dent"]
    assert [box["label"] for box in after["resultImage"]["boxes"]] == ["dent"]
    assert [one["provenance"]["model_version"] for one in (before, after)] == [1, 2]
    thresholds = after["provenance"]["thresholds"]
    assert (thresholds["per_label"], thresholds["fail_labels"]) == (rule["per_label"], ["crack"])

    refused = client.post(place, json={"settings": {"confidence": 7}})
    assert (refused.status_code, refused.json()["data"]["reason"]) == (422, "settings_wrong")
    built_in = "/api/detection/models/reference-difference/versions"
    assert client.post(built_in, json={}).status_code == 409
    assert client.post("/api/detection/models/none/versions", json={}).status_code == 404


def try_picture(client: TestClient, model_id: str, picture: bytes) -> Any:
    files = {"file": ("a.png", picture, "image/png")}
    return client.post(f"/api/detection/models/{model_id}/trial", files=files)


def test_trial_gives_the_findings_of_a_picture_and_keeps_nothing(client: TestClient, tmp_path: Path) -> None:
    model = add(client, brightness_model(tmp_path / "bright.onnx")).json()["data"]
    white = encode(np.full((50, 80, 3), 255, np.uint8))
    trial = try_picture(client, model["model_id"], white).json()["data"]
    assert (trial["width"], trial["height"], trial["passed"]) == (80, 50, False)
    (box,) = trial["boxes"]
    assert (box["label"], box["x"], box["y"], box["w"], box["h"]) == ("class 0", 0, 0, 80, 50)
    assert client.get("/api/detection/jobs").json()["data"] == []
    refused = try_picture(client, model["model_id"], b"no picture")
    assert (refused.status_code, refused.json()["data"]["reason"]) == (422, "image_unreadable")
    needs_reference = try_picture(client, "reference-difference", white)
    assert (needs_reference.status_code, needs_reference.json()["data"]["error"]) == (409, "conflict")
    assert try_picture(client, "nowhere", white).status_code == 404
