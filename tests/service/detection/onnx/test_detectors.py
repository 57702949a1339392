"""Tests every kind of ONNX detector with a plain decoding, and the files that are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from service.detection.onnx import container
from service.detection.onnx.check import check
from service.detection.onnx.decode import cells
from service.detection.onnx.detector import DetectedObject, Detector, Detectors, parallel_calls, providers
from service.detection.onnx.settings import DetectorSettings
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.wire.detection import ModelKind
from tests.service.detection.graphs import brightness_model, constant_model, spots_model
from tests.service.detection.onnx.test_understanding import refusal

YOLOX = Path(__file__).resolve().parents[5] / "shared" / "models" / "yolox_nano.onnx"
CELLS = cells(64, 64)
PHOTO = np.full((100, 200, 3), 90, np.uint8)
# A 200 x 100 photo in a 64 x 64 input: scale 0.32, 16 px of border above and below.
BOX_IN_INPUT = (16.0, 24.0, 48.0, 40.0)
BOX_IN_PHOTO = Rect(50, 25, 100, 50)


def detect(path: Path, photo: np.ndarray[Any, Any] = PHOTO, **settings: Any) -> list[DetectedObject]:
    checked = check(path, None, settings)
    return Detector(path).detect(photo, checked.kind, checked.settings, checked.labels)


def to_centre(box: tuple[float, float, float, float]) -> list[float]:
    x1, y1, x2, y2 = box
    return [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1]


def yolo_v8() -> dict[str, Any]:
    table = np.zeros((1, 4 + 3, CELLS), np.float32)
    table[0, :, 5] = [*to_centre(BOX_IN_INPUT), 0.1, 0.9, 0.2]
    table[0, :, 6] = [*to_centre((17, 24, 48, 40)), 0.1, 0.8, 0.2]
    return {"output0": table}


def yolo_v5() -> dict[str, Any]:
    table = np.zeros((1, 3 * CELLS, 5 + 3), np.float32)
    table[0, 7] = [*to_centre(BOX_IN_INPUT), 0.9, 0.0, 1.0, 0.0]
    return {"output": table}


def yolox() -> dict[str, Any]:
    table = np.full((1, CELLS, 5 + 3), 0.0, np.float32)
    # Cell x = 3, y = 2 of the first stride (8): row 2 * 8 + 3.
    x, y, w, h = to_centre((16, 8, 48, 24))
    table[0, 19] = [x / 8 - 3, y / 8 - 2, np.log(w / 8), np.log(h / 8), 0.9, 0.0, 1.0, 0.0]
    return {"output": table}


def nms_free() -> dict[str, Any]:
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 0] = [*BOX_IN_INPUT, 0.9, 1]
    return {"output0": table}


def detr() -> dict[str, Any]:
    logits = np.full((1, 20, 3 + 1 + 1), -9.0, np.float32)
    logits[..., 4] = 9.0
    logits[0, 4] = [-9, 9, -9, -9, -9]
    boxes = np.full((1, 20, 4), 0.5, np.float32)
    boxes[0, 4] = [0.5, 0.5, 0.5, 0.5]
    return {"logits": logits, "pred_boxes": boxes}


def nms_inside_apart() -> dict[str, Any]:
    boxes = np.zeros((1, 10, 4), np.float32)
    boxes[0, 0] = BOX_IN_INPUT
    scores = np.zeros((1, 10), np.float32)
    scores[0, 0] = 0.9
    classes = np.zeros((1, 10), np.int32)
    classes[0, 0] = 1
    return {"num": np.array([[1]], np.int32), "boxes": boxes, "scores": scores, "classes": classes}


def nms_inside_table() -> dict[str, Any]:
    return {"output": np.array([[0, *BOX_IN_INPUT, 1, 0.9], [1, 0, 0, 9, 9, 0, 0.9]], np.float32)}


@pytest.mark.parametrize(
    ("make", "kind", "expected"),
    [
        (yolo_v8, ModelKind.YOLO, BOX_IN_PHOTO),
        (yolo_v5, ModelKind.YOLO, BOX_IN_PHOTO),
        # YOLOX puts the photo into the corner: no border above.
        (yolox, ModelKind.YOLOX, Rect(50, 25, 100, 50)),
        (nms_free, ModelKind.NMS_FREE, BOX_IN_PHOTO),
        # DETR stretches: the middle half of the photo.
        (detr, ModelKind.DETR, Rect(50, 25, 100, 50)),
        (nms_inside_apart, ModelKind.NMS_INSIDE, BOX_IN_PHOTO),
        (nms_inside_table, ModelKind.NMS_INSIDE, BOX_IN_PHOTO),
    ],
)
def test_each_kind_is_recognised_and_its_box_comes_back_in_photo_pixels(
    make: Any, kind: ModelKind, expected: Rect, tmp_path: Path
) -> None:
    path = constant_model(tmp_path / "tiny.onnx", make(), names=("dent", "crack", "stain"))
    assert check(path, None, {}).kind is kind
    (only,) = detect(path)
    assert only.label == "crack"
    assert only.confidence >= 0.8
    for value, wanted in zip(
        (only.box.x, only.box.y, only.box.right, only.box.bottom),
        (expected.x, expected.y, expected.right, expected.bottom),
        strict=True,
    ):
        assert abs(value - wanted) < 1


def test_overlapping_boxes_merge_within_a_class_only(tmp_path: Path) -> None:
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 0] = [10, 20, 40, 40, 0.9, 0]
    table[0, 1] = [11, 20, 40, 40, 0.8, 0]
    table[0, 2] = [11, 20, 40, 40, 0.7, 1]
    path = constant_model(tmp_path / "tiny.onnx", {"output0": table}, names=("dent", "crack"))
    assert [(one.label, round(one.confidence, 2)) for one in detect(path)] == [("dent", 0.9), ("crack", 0.7)]


def test_a_label_may_have_a_threshold_of_its_own(tmp_path: Path) -> None:
    table = np.zeros((1, 300, 6), np.float32)
    table[0, 0] = [10, 20, 30, 40, 0.5, 0]
    table[0, 1] = [35, 20, 60, 40, 0.1, 1]
    path = constant_model(tmp_path / "tiny.onnx", {"output0": table}, names=("dent", "crack"))
    labels = [one.label for one in detect(path, per_label={"dent": 0.6, "crack": 0.05})]
    assert labels == ["crack"]


def test_a_large_photo_is_cut_so_that_a_small_bright_spot_counts(tmp_path: Path) -> None:
    path = brightness_model(tmp_path / "bright.onnx")
    photo = np.zeros((800, 800, 3), np.uint8)
    photo[600:664, 400:464] = 255
    settings = {"confidence": 0.3, "fit": "stretch"}
    assert detect(path, photo, sliced=0, **settings) == []
    assert detect(path, photo, sliced=4, **settings)
    (spot, *_) = detect(path, photo, sliced=4, **settings)
    assert spot.box.intersection(Rect(400, 600, 64, 64)).area > 0.5 * 64 * 64


def test_a_small_spot_in_a_50_mp_photo_is_not_scaled_away(tmp_path: Path) -> None:
    path = spots_model(tmp_path / "spots.onnx")
    photo = np.zeros((6144, 8192, 3), np.uint8)
    photo[5003:5009, 3001:3007] = 255
    assert detect(path, photo, sliced=0, confidence=0.5) == []
    spots = detect(path, photo, confidence=0.5)
    assert spots
    for spot in spots:
        # The cells of overlapping parts do not coincide, so each part has a box of its own around the spot.
        assert spot.box.intersection(Rect(3001, 5003, 6, 6)).area > 0
        assert max(spot.box.w, spot.box.h) < 64


def test_a_gpu_is_used_where_one_is_offered() -> None:
    cpu, cuda = "CPUExecutionProvider", "CUDAExecutionProvider"
    assert providers([cpu]) == [cpu]
    assert providers(["TensorrtExecutionProvider", cuda, cpu]) == [cuda, cpu]
    assert providers(["CoreMLExecutionProvider", cpu]) == ["CoreMLExecutionProvider", cpu]
    assert providers(["AzureExecutionProvider", "DmlExecutionProvider", cpu]) == ["DmlExecutionProvider", cpu]
    assert providers(onnxruntime.get_available_providers())[-1] == cpu


def test_open_models_are_bounded_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Detectors()
    paths = [brightness_model(tmp_path / f"{number}.onnx") for number in range(3)]
    monkeypatch.setattr("service.detection.onnx.detector._MAX_BYTES", 2 * paths[0].stat().st_size)
    first, second = pool.get(paths[0], "0"), pool.get(paths[1], "1")
    assert pool.get(paths[0], "0") is first
    pool.get(paths[2], "2")
    assert pool.get(paths[0], "0") is first
    assert pool.get(paths[1], "1") is not second


def test_open_models_are_bounded(tmp_path: Path) -> None:
    pool = Detectors()
    paths = [brightness_model(tmp_path / f"{number}.onnx") for number in range(5)]
    first = pool.get(paths[0], "0")
    assert pool.get(paths[0], "0") is first
    for number, path in enumerate(paths):
        pool.get(path, str(number))
    assert pool.get(paths[0], "0") is not first


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"\x89PNG\r\n" + data,
        lambda data: data[: len(data) // 2],
        lambda data: bytes(len(data)),
    ],
    ids=["empty", "picture", "half", "zeros"],
)
def test_a_broken_file_is_refused(damage: Any, tmp_path: Path) -> None:
    path = brightness_model(tmp_path / "model.onnx")
    path.write_bytes(damage(path.read_bytes()))
    assert refusal(path).code == "not_onnx"


@pytest.mark.parametrize("place", ["initializer", "sparse initializer", "attribute", "sparse", "function"])
def test_external_data_is_found_wherever_it_is_named(place: str) -> None:
    outside = onnx.TensorProto(name="w", data_type=1, dims=[4], data_location=onnx.TensorProto.EXTERNAL)
    outside.external_data.add(key="location", value="../secret")
    sparse = onnx.SparseTensorProto(values=outside, dims=[4])
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    model = onnx.ModelProto(graph=onnx.GraphProto(node=[node]))
    assert not container.read(model.SerializeToString()).external_data
    match place:
        case "initializer":
            model.graph.initializer.append(outside)
        case "sparse initializer":
            model.graph.sparse_initializer.append(sparse)
        case "attribute":
            model.graph.node[0].attribute.add(name="value", t=outside)
        case "sparse":
            model.graph.node[0].attribute.add(name="value", sparse_tensor=sparse)
        case "function":
            model.functions.add(name="f", domain="own").attribute_proto.add(name="value", t=outside)
    assert container.read(model.SerializeToString()).external_data


def test_external_data_is_refused(tmp_path: Path) -> None:
    path = brightness_model(tmp_path / "model.onnx")
    model = onnx.load(str(path))
    big = numpy_helper.from_array(np.zeros(4096, np.float32), "big")
    model.graph.initializer.append(big)
    onnx.save(model, str(path), save_as_external_data=True, location="weights.bin", size_threshold=16)
    assert refusal(path).code == "external_data"


def test_custom_operators_are_refused(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "model.onnx", nms_free(), domain="evil.example")
    assert refusal(path).code == "custom_operators"


def test_outputs_of_no_known_kind_are_refused(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "model.onnx", {"output": np.zeros((1, 1000), np.float32)})
    refused = refusal(path)
    assert (refused.code, refused.kinds) == ("kind_unsupported", [])
    refused = refusal(path, ModelKind.NMS_FREE)
    assert (refused.code, refused.kinds) == ("kind_wrong", [])


def test_outputs_of_several_possible_kinds_are_refused(tmp_path: Path) -> None:
    """A table with a row per grid cell whose first columns may be cell offsets or places."""
    table = np.zeros((1, CELLS, 5 + 3), np.float32)
    table[0, 3, 0] = 20
    path = constant_model(tmp_path / "model.onnx", {"output": table})
    refused = refusal(path)
    assert (refused.code, refused.kinds) == ("kind_unknown", ["yolo", "yolox"])
    for kind in (ModelKind.YOLO, ModelKind.YOLOX):
        assert check(path, kind, {}).kind is kind
    refused = refusal(path, ModelKind.DETR)
    assert (refused.code, refused.kinds) == ("kind_wrong", ["yolo", "yolox"])
    table[0, :, :2] = np.random.default_rng(1).uniform(0, 64, (CELLS, 2))
    assert check(constant_model(path, {"output": table}), None, {}).kind is ModelKind.YOLO


def test_invalid_names_in_the_file_are_ignored(tmp_path: Path) -> None:
    path = constant_model(tmp_path / "model.onnx", nms_free())
    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, {"names": '{"first": "a"}'})
    onnx.save(model, str(path))
    assert check(path, None, {}).labels == []


def test_nesting_without_end_is_refused() -> None:
    def field(number: int, data: bytes) -> bytes:
        length = len(data)
        encoded = b""
        while True:
            length, low = length >> 7, length & 0x7F
            encoded += bytes([low | (0x80 if length else 0)])
            if not length:
                break
        return bytes([number << 3 | 2]) + encoded + data

    graph = b""
    for _ in range(60):
        graph = field(1, field(5, field(6, graph)))
    with pytest.raises(container.NotOnnx):
        container.read(field(7, graph))


def stop_sign() -> tuple[np.ndarray[Any, Any], tuple[float, float, float, float]]:
    """A road sign before sky and ground, 1001 x 703 px, with blur and noise, and the bounds of the sign."""
    rows = np.linspace((235, 190, 140), (220, 215, 205), 703)
    photo = np.repeat(rows[:, None], 1001, axis=1).astype(np.uint8)
    photo[527:] = (90, 120, 95)
    cv2.rectangle(photo, (511, 260), (529, 640), (140, 140, 140), -1)
    corners = np.deg2rad(22.5 + 45 * np.arange(8))
    for radius, colour in ((150, (245, 245, 245)), (140, (40, 30, 190))):
        points = np.stack([520 + radius * np.cos(corners), 260 + radius * np.sin(corners)], axis=1)
        cv2.fillPoly(photo, [points.astype(np.int32)], colour, cv2.LINE_AA)
    cv2.putText(photo, "STOP", (415, 290), cv2.FONT_HERSHEY_SIMPLEX, 2.7, (245,) * 3, 16, cv2.LINE_AA)
    photo = cv2.GaussianBlur(photo, (0, 0), 1.2)
    noise = np.random.default_rng(1).normal(0, 4, photo.shape)
    reach = 150 * float(np.cos(np.pi / 8))
    bounds = (520 - reach, 260 - reach, 520 + reach, 260 + reach)
    return np.clip(photo + noise, 0, 255).astype(np.uint8), bounds


@pytest.fixture(scope="module")
def yolox_nano() -> Path:
    """The real detector."""
    if not YOLOX.exists():
        pytest.skip("yolox_nano.onnx is not on this machine")
    return YOLOX


@pytest.mark.models
def test_yolox_nano_finds_a_stop_sign(yolox_nano: Path) -> None:
    photo, bounds = stop_sign()
    (sign,) = detect(yolox_nano, photo)
    # Number 11 of the 80 classes of COCO.
    assert sign.label == "class 11"
    assert sign.confidence > 0.8
    corners = (sign.box.x, sign.box.y, sign.box.right, sign.box.bottom)
    assert np.allclose(corners, bounds, atol=8)
    assert detect(yolox_nano, photo, values="unit") == []


@pytest.mark.models
def test_yolox_nano_decodes_like_plain_numpy(yolox_nano: Path) -> None:
    checked = check(yolox_nano, None, {})
    assert checked.kind is ModelKind.YOLOX
    assert len(checked.labels) == 80
    assert (checked.settings.width, checked.settings.colour, checked.settings.values) == (416, "bgr", "raw")
    photo, _ = stop_sign()
    height, width = photo.shape[:2]
    detector = Detector(yolox_nano)
    settings = checked.settings.model_copy(update={"confidence": 0.02, "iou": 1.0})
    ours = detector.detect(photo, checked.kind, settings, checked.labels)

    ratio = min(416 / width, 416 / height)
    size = (round(width * ratio), round(height * ratio))
    framed = np.full((416, 416, 3), 114, np.uint8)
    framed[: size[1], : size[0]] = cv2.resize(photo, size, interpolation=cv2.INTER_AREA)
    (raw,) = detector.outputs(framed.astype(np.float32).transpose(2, 0, 1)[None])
    expected = []
    row = 0
    for stride in (8, 16, 32):
        for y in range(416 // stride):
            for x in range(416 // stride):
                cx, cy, w, h, sure, *classes = raw[0, row].astype(float)
                row += 1
                score = sure * max(classes)
                if score >= 0.02:
                    cx, cy = (cx + x) * stride, (cy + y) * stride
                    w, h = np.exp(w) * stride, np.exp(h) * stride
                    corners = np.array([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2]) / ratio
                    expected.append((score, *np.clip(corners, 0, [width, height, width, height])))
    expected.sort(reverse=True)
    assert len(ours) == len(expected) > 3
    boxes = [(one.confidence, one.box.x, one.box.y, one.box.right, one.box.bottom) for one in ours]
    assert np.allclose(boxes, expected, rtol=0, atol=(1e-3, 1, 1, 1, 1))


def test_slices_in_parallel_give_the_same_findings(tmp_path: Path) -> None:
    path = spots_model(tmp_path / "spots.onnx", 64, 16)
    photo = np.zeros((700, 900, 3), np.uint8)
    photo[333:339, 111:117] = 255
    settings = check(path, None, {"confidence": 0.5}).settings
    single, parallel = (
        Detector(path, calls).detect(photo, ModelKind.NMS_FREE, settings, []) for calls in (1, 4)
    )
    assert single
    assert single == parallel


def test_fewer_slices_run_in_parallel_with_a_large_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.detection.onnx.detector.os.cpu_count", lambda: 16)
    sizes = [(416, 8), (640, 4), (1280, 1), (4096, 1)]
    for side, calls in sizes:
        assert parallel_calls(DetectorSettings(width=side, height=side)) == calls
    monkeypatch.setattr(
        onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider", "CPUExecutionProvider"]
    )
    assert parallel_calls(DetectorSettings(width=416, height=416)) == 1
