"""Reading weights without PyTorch: only tensors come out, whatever the file says."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from service.detection.appearance.efficientnet import NotWeightsError, read_weights

MARK, VERSION = 0x1950A86A20F9469CFC6C, 1001


def tensor(storage: str, size: int, start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> bytes:
    """The commands that PyTorch writes for a tensor."""
    numbers = f"(Vstorage\nctorch\n{storage}\nVkey\nVcpu\nI{size}\nNtQ".encode()
    parts = b"".join(pickle.dumps(part, protocol=2)[2:-1] for part in (start, shape, strides))
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + numbers + parts + b"\x89ccollections\nOrderedDict\n)RtR"


def weights_file(tensors: dict[str, bytes], numbers: Any, marks: tuple[int, int] = (MARK, VERSION)) -> bytes:
    """A file as PyTorch before 1.6 saved it, with one storage."""
    parts: tuple[Any, ...] = (*marks, {})
    head = b"".join(pickle.dumps(part, protocol=2) for part in parts)
    items = b"".join(f"V{name}\n".encode() + commands for name, commands in tensors.items())
    keys = pickle.dumps(["key"] if tensors else [], protocol=2)
    storage = len(numbers).to_bytes(8, "little") + numbers.tobytes() if tensors else b""
    return head + b"\x80\x02ccollections\nOrderedDict\n)R(" + items + b"u." + keys + storage


def test_a_tensor_is_read_with_its_place_and_strides() -> None:
    numbers = np.arange(8, dtype="<f4")
    transposed = tensor("FloatStorage", 8, 2, (2, 3), (1, 2))

    weights = read_weights(weights_file({"a.weight": transposed}, numbers))

    assert weights["a.weight"].tolist() == [[2, 4, 6], [3, 5, 7]]


def test_whole_numbers_are_left_out() -> None:
    counts = tensor("LongStorage", 1, 0, (), ())

    assert read_weights(weights_file({"steps": counts}, np.array([7], "<i8"))) == {}


@pytest.mark.parametrize("strides", [(4, 1), (1, -1)])
def test_a_tensor_beyond_its_storage_is_refused(strides: tuple[int, int]) -> None:
    wide = tensor("FloatStorage", 8, 2, (2, 3), strides)

    with pytest.raises(NotWeightsError, match="beyond its storage"):
        read_weights(weights_file({"a": wide}, np.arange(8, dtype="<f4")))


def test_a_file_that_names_a_function_is_refused_and_runs_nothing() -> None:
    class Harmful:
        def __reduce__(self) -> tuple[Any, ...]:
            return (exec, ("raise SystemExit('ran')",))

    with pytest.raises(NotWeightsError, match=r"builtin.*\.exec"):
        read_weights(pickle.dumps(Harmful(), protocol=2))


@pytest.mark.parametrize("marks", [(MARK, 1002), (1, VERSION)])
def test_another_format_is_refused(marks: tuple[int, int]) -> None:
    with pytest.raises(NotWeightsError, match="format"):
        read_weights(weights_file({}, (), marks))


@pytest.mark.parametrize("length", [0, 10, -1, -40])
def test_a_damaged_file_is_refused(length: int) -> None:
    file = weights_file({"a": tensor("FloatStorage", 8, 0, (8,), (1,))}, np.arange(8, dtype="<f4"))

    with pytest.raises(NotWeightsError):
        read_weights(file[:length])
