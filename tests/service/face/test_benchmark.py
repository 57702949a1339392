from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import face, face_pairs
from benchmarks.face_pairs import PairsError, read_pairs
from service.face.engines.dlib_engine import DlibEngine
from service.face.packs.pack_store import PackError, load_engine
from shared.images.cv import cv2
from shared.samples import faces


def arrays(genuine: list[float], strangers: list[float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(genuine + strangers), np.array([True] * len(genuine) + [False] * len(strangers))


def test_perfect_scores() -> None:
    scores, same = arrays([0.8, 0.9], [0.1, 0.2])
    assert face_pairs.equal_error_rate(scores, same) == 0
    assert face_pairs.best_threshold(scores, same) == pytest.approx(0.5)
    assert face_pairs.at_rate(scores, same, 1e-3) == (0.8, 0)


def test_overlapping_scores() -> None:
    scores, same = arrays([0.3, 0.6, 0.7, 0.8], [0.1, 0.2, 0.4, 0.65])
    # At 0.6 one of four strangers (0.65) passes and one of four genuine pairs (0.3) does not.
    assert face_pairs.equal_error_rate(scores, same) == pytest.approx(0.25)
    threshold, misses = face_pairs.at_rate(scores, same, 0.0)
    assert (threshold, misses) == (0.7, 0.5)
    assert face_pairs.at_rate(scores, same, 0.25) == (0.6, 0.25)


def test_no_threshold_lies_between_equal_scores() -> None:
    scores, same = arrays([0.5, 0.5, 0.9], [0.5, 0.1])
    # At 0.5 one stranger passes; only a threshold among the equal scores would be right about all.
    best = face_pairs.best_threshold(scores, same)
    assert ((scores >= best) == same).sum() == 4


def test_no_scores_give_no_figures() -> None:
    scores, same = arrays([0.1], [0.9])
    assert face_pairs.at_rate(scores, same, 1e-3) == (np.inf, 1.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=12),
    st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=12),
    st.sampled_from([0.0, 0.1, 0.5]),
)
def test_rates_agree_with_counting(genuine: list[float], strangers: list[float], rate: float) -> None:
    scores, same = arrays(genuine, strangers)
    threshold, misses = face_pairs.at_rate(scores, same, rate)
    assert np.mean([score >= threshold for score in strangers]) <= rate
    assert misses == pytest.approx(np.mean([score < threshold for score in genuine]))
    lower = [score for score in {*genuine, *strangers} if score < threshold]
    assert all(np.mean([score >= each for score in strangers]) > rate for each in lower)


def run(
    monkeypatch: pytest.MonkeyPatch, folder: Path, rows: str, *more: str, head: str = "a,b,same"
) -> tuple[int, Path]:
    """Run the command on a file with these rows; its exit status and where its result goes."""
    (folder / "pairs.csv").write_text(f"{head}\n{rows}", encoding="utf-8")
    out = folder / "out" / "result.json"
    pairs = ["--pairs", str(folder / "pairs.csv"), "--images", str(folder), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["face", *pairs, *more])
    return face.main(), out


def write_pictures(folder: Path, **pictures: np.ndarray) -> None:
    for name, image in pictures.items():
        (folder / f"{name}.png").write_bytes(faces.encode_picture(image, ".png"))


def test_compares_pairs_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures = {
        "a.jpg": faces.enrolment_picture(),
        "甲 乙/b.png": faces.login_picture(),
        "c.webp": faces.stranger_picture(),
        "none.png": np.zeros((20, 30, 3), np.uint8),
        "grey.bmp": cv2.cvtColor(faces.login_picture(), cv2.COLOR_BGR2GRAY),
    }
    for name, image in pictures.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(faces.encode_picture(image, path.suffix))
    (tmp_path / "bad.jpg").write_bytes(b"\xff\xd8\xff")
    rows = [
        f"{tmp_path / 'a.jpg'}, 甲 乙/b.png ,1",
        "a.jpg,c.webp,0",
        "甲 乙/b.png,c.webp,no",
        "a.jpg,grey.bmp,True",
        "a.jpg,none.png,1",
        "a.jpg,bad.jpg,0",
        "a.jpg,gone.jpg,0",
    ]
    status, out = run(monkeypatch, tmp_path, "\n".join(rows))
    result = json.loads(out.read_text("utf-8"))
    output = capsys.readouterr()
    assert status == 0
    assert json.loads(output.out) == result
    assert "line 8: there is no picture gone.jpg" in output.err
    # a.jpg is named in two ways and embedded once.
    assert (result["pairs"], result["pictures"], result["pairs_left_out"]) == (6, 6, 1)
    assert result["pairs_with_failures"] == 2
    assert "answered 'different'" in result["counted"]
    assert (result["failures_to_enrol"], result["reasons"]) == (2, {"no_face": 1, "damaged": 1})
    # One of three genuine pairs has a picture without a face: a miss, unless such pairs are left out.
    assert result["fnmr_at_fmr_1e-03"] == pytest.approx(1 / 3)
    assert not result["measurable_at_fmr_1e-03"]
    without = result["without_failures"]
    assert (without["pairs"], without["eer"], without["fnmr_at_fmr_1e-03"]) == (4, 0, 0)
    assert 0 < without["threshold_at_fmr_1e-03"] < without["best_threshold"] < 1
    assert [each["threshold"] for each in without["in_force"][:2]] == [0.543, 0.479]
    assert (without["in_force"][0]["fmr"], without["in_force"][0]["fnmr"]) == (0, 0)


def test_many_pictures_are_shared_among_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(face_pairs, "_FEW", 2)
    write_pictures(tmp_path, a=faces.enrolment_picture(), b=faces.login_picture(), c=faces.stranger_picture())
    rows = "a.png,b.png,1\na.png,c.png,0\n"
    alone = run(monkeypatch, tmp_path, rows, "--jobs", "1")[1].read_text("utf-8")
    shared = run(monkeypatch, tmp_path, rows, "--jobs", "2")[1].read_text("utf-8")
    assert shared == alone
    assert "3 of 3 pictures" in capsys.readouterr().err


def test_of_several_faces_the_central_one_counts(tmp_path: Path, dlib_engine: DlibEngine) -> None:
    person, other = faces.enrolment_picture()[60:420, 140:500], faces.stranger_picture()[60:420, 140:500]
    side = cv2.resize(other, None, fx=1.15, fy=1.15)
    page = np.full((480, 1200, 3), 128, np.uint8)
    page[60:420, 420:780] = person
    page[: side.shape[0], : side.shape[1]] = side
    write_pictures(tmp_path, page=page, person=faces.login_picture())
    embedding, expected = (
        face_pairs.embedded(dlib_engine, tmp_path / name) for name in ("page.png", "person.png")
    )
    assert not isinstance(embedding, str)
    assert not isinstance(expected, str)
    assert np.linalg.norm(embedding - expected) < 0.4


@pytest.mark.parametrize(
    ("head", "rows", "message"),
    [
        ("a,b", "a.png,b.png", "lacks the column same"),
        ("a,b,same", "", "holds no pairs"),
        ("a,b,same", "a.png,b.png,maybe", "line 2: a, b and same"),
        ("a,b,same", "a.png,b.png,1\na.png", "line 3: a, b and same"),
        ("a,b,same", "a.png,b.png,1", "not one pair has both pictures"),
        ("a,b,same", "\0,b.png,1", "not one pair has both pictures"),
        ("a,b,same", "x" * 5000 + ",b.png,1", "not one pair has both pictures"),
        ("a,b,same", f"{'x' * 140_000},b.png,1", "cannot be read as a CSV file"),
    ],
)
def test_invalid_pair_list_names_line(
    head: str,
    rows: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(monkeypatch, tmp_path, rows, head=head)[0] == 1
    assert message in capsys.readouterr().err


def test_a_file_of_another_encoding_is_named(tmp_path: Path) -> None:
    for encoding in ("gb18030", "utf-16"):
        (tmp_path / "pairs.csv").write_text("a,b,same\n甲.jpg,乙.jpg,1\n", encoding=encoding)
        with pytest.raises(PairsError, match=r"pairs\.csv cannot be read as a CSV file in UTF-8"):
            read_pairs(tmp_path / "pairs.csv")


def test_rows_as_other_programs_write_them(tmp_path: Path) -> None:
    values = ["1", "true", "True", "yes", "Y", "1.0", "same", "0", "false", "False", "no", "N", "0.0", "-1"]
    lines = [f'"x, {number}.jpg", y.jpg ,{value}' for number, value in enumerate(values)]
    text = "\ufeffA,B,Same\r\n" + "\r\n".join([*lines, "", " , , "]) + "\r\n"
    (tmp_path / "pairs.csv").write_bytes(text.encode())
    pairs = read_pairs(tmp_path / "pairs.csv")
    assert [(pair.a, pair.b) for pair in pairs[:2]] == [("x, 0.jpg", "y.jpg"), ("x, 1.jpg", "y.jpg")]
    assert [pair.same for pair in pairs] == [True] * 7 + [False] * 7


def test_a_name_finds_its_file_in_another_case_or_without_its_ending(tmp_path: Path) -> None:
    for name in ("Ann/Ann_0001.jpg", "Ann/two.JPG", "Ann/two.png", "Ann/v1.2.jpg", "Ann/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    expected = {
        "Ann/Ann_0001": "Ann/Ann_0001.jpg",
        "ann/ann_0001.JPG": "Ann/Ann_0001.jpg",
        "Ann\\Ann_0001.jpg": "Ann/Ann_0001.jpg",
        "./Ann/two.jpg": "Ann/two.JPG",
        f"{tmp_path}/ann/v1.2": "Ann/v1.2.jpg",
        "Ann/two.png": "Ann/two.png",
    }
    # Two files could be meant, another kind of file, no file, a folder.
    none = {"Ann/two", "Ann/notes", "Bob/Ann_0001", "Ann"}
    files = face_pairs.located({*expected, *none}, tmp_path)
    assert files == {name: tmp_path / file for name, file in expected.items()}


def test_pictures_beyond_the_limits_of_logins_are_still_measured(tmp_path: Path) -> None:
    page = np.full((7200, 7200, 3), 90, np.uint8)
    page[3000:3480, 3000:3640] = faces.enrolment_picture()
    (tmp_path / "huge.jpg").write_bytes(faces.encode_picture(page))
    (tmp_path / "tiny.png").write_bytes(faces.encode_picture(page[:20, :30], ".png"))
    assert face_pairs.picture(tmp_path / "huge.jpg").shape == (1800, 1800, 3)
    assert face_pairs.picture(tmp_path / "tiny.png").shape == (20, 30, 3)


def test_process_killed_by_picture_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def dead(*_: object, **__: object) -> object:
        raise BrokenProcessPool

    monkeypatch.setattr(face_pairs, "_FEW", 1)
    monkeypatch.setattr(ProcessPoolExecutor, "map", dead)
    write_pictures(tmp_path, a=faces.enrolment_picture(), b=faces.login_picture())
    assert run(monkeypatch, tmp_path, "a.png,b.png,1\n", "--jobs", "2")[0] == 1
    assert "try --jobs 1" in capsys.readouterr().err


def test_many_missing_pictures_are_counted_rather_than_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(monkeypatch, tmp_path, "a.png,b.png,1\n" * 30)
    lines = capsys.readouterr().err.splitlines()
    assert (len(lines), lines[20]) == (22, "... and 40 more")


def test_columns_may_be_in_any_order_with_others_between(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("\ufeffsame, fold, b, a\n0,3,y,x\n", encoding="utf-8")
    (pair,) = read_pairs(tmp_path / "pairs.csv")
    assert (pair.a, pair.b, pair.same, pair.line) == ("x", "y", False, 2)
    (tmp_path / "pairs.csv").write_text("a;b;same\n", encoding="utf-8")
    with pytest.raises(PairsError):
        read_pairs(tmp_path / "pairs.csv")


def test_pairs_of_one_kind_have_no_rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_pictures(tmp_path, a=faces.enrolment_picture(), b=faces.login_picture())
    status, out = run(monkeypatch, tmp_path, "a.png,b.png,1\n")
    assert status == 0
    result = json.loads(out.read_text("utf-8"))
    assert (result["genuine"], result["strangers"]) == (1, 0)
    assert "eer" not in result


def test_benchmark_without_a_pack_names_the_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WALKAROUND_TEST_MODELS", str(tmp_path))
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(tmp_path / "data"))
    with pytest.raises(PackError, match="--pack DIR"), face.chosen_model("open"):
        pass


@pytest.mark.models
def test_a_pack_is_taken_by_its_folder_or_its_engine(
    test_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WALKAROUND_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WALKAROUND_TEST_MODELS", str(tmp_path))
    for engine, pack in ((str(test_models), None), ("open", test_models), ("dlib", test_models)):
        with face.chosen_model(engine, pack) as model:
            assert load_engine(*model).name == "mobilefacenet"
    with pytest.raises(PackError, match="no face models"), face.chosen_model("sface", test_models):
        pass
