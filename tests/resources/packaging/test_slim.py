from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest

from resources.packaging import slim
from resources.packaging.system import BuildError

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, ("strip", "objcopy", "as", "ld"))),
    reason="slimming a bundle needs Linux and binutils",
)

QT = Path(PySide6.__file__).parent / "Qt" / "lib"

QT_SCRIPT = """
import functools, json
from PySide6.QtCore import QCollator, QLocale, QStringDecoder, QTimeZone
words = "张 王 李 绕机 检查 é e z Ä a B 10 9".split()
sorted_in = {
    name: sorted(words, key=functools.cmp_to_key(QCollator(QLocale(name)).compare))
    for name in ("en", "zh_CN", "zh_TW", "de")
}
sets = "GB18030", "GBK", "GB2312", "Big5", "Big5-HKSCS", "windows-1252"
read = [QStringDecoder(name).isValid() for name in sets]
kinds = QTimeZone.NameType.LongName, QTimeZone.NameType.ShortName
zones = {
    f"{bytes(zone.data()).decode()} {name}": [
        QTimeZone(zone).displayName(QTimeZone.TimeType.StandardTime, kind, QLocale(name)) for kind in kinds
    ]
    for zone in QTimeZone.availableTimeZoneIds()
    for name in ("en", "zh_CN")
}
used = [line.split()[-1] for line in open("/proc/self/maps") if "libicudata" in line]
print(json.dumps({"sorted": sorted_in, "read": read, "zones": zones}), used[0], sep="\\n")
"""


def read_icu_of_qt(preload: str = "") -> tuple[str, str]:
    """Return what Qt reads from ICU, and the path of the loaded data."""
    run = subprocess.run(
        [sys.executable, "-c", QT_SCRIPT],
        env={**os.environ, "LD_PRELOAD": preload},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    allocator, used = run.stdout.splitlines()
    return allocator, used


def test_qt_gets_the_same_results_from_trimmed_icu(tmp_path: Path) -> None:
    (whole,) = QT.glob("libicudata.so.*")
    trimmed = tmp_path / whole.name
    shutil.copy(whole, trimmed)
    slim.trim_icu(trimmed)
    assert trimmed.stat().st_size < whole.stat().st_size / 5
    before, after = read_icu_of_qt(), read_icu_of_qt(str(trimmed))
    assert after[1] == str(trimmed) != before[1]
    assert after[0] == before[0]


def test_data_of_icu_in_another_format_stops_the_build() -> None:
    with pytest.raises(BuildError, match="format"):
        slim.read_icu(bytes(64))


def test_icu_data_is_read_and_written() -> None:
    header = struct.pack("<HH8s4s", 16, 0x27DA, bytes(8), b"CmnD")
    parts = [slim.IcuEntry("icudt73l/a.res", b"1" * 16), slim.IcuEntry("icudt73l/coll/zh.res", b"2" * 32)]
    assert slim.read_icu(slim.write_icu(header, parts)) == (header, parts)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("icudt73l/root.res", True),
        ("icudt73l/coll/zh.res", True),
        ("icudt73l/zone/zh_Hant.res", True),
        ("icudt73l/timezoneTypes.res", True),
        ("icudt73l/gb18030.cnv", True),
        ("icudt73l/ibm-37_P100-1995.cnv", False),
        ("icudt73l/coll/de.res", False),
        ("icudt73l/zone/fr_CA.res", False),
        ("icudt73l/translit/root.res", False),
    ],
)
def test_needed_entries_of_icu(name: str, wanted: bool) -> None:
    assert slim.is_needed(name) is wanted


def test_symbols_are_removed_from_a_library(tmp_path: Path) -> None:
    (library,) = QT.glob("libicuuc.so.*")
    copy = tmp_path / library.name
    shutil.copy(library, copy)
    slim.strip_symbols(copy)
    assert copy.stat().st_size < library.stat().st_size
    assert slim.loaded_segments(copy.read_bytes()) == slim.loaded_segments(library.read_bytes())
    assert os.access(copy, os.X_OK) == os.access(library, os.X_OK)


def test_library_that_strip_would_damage_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (library,) = QT.glob("libicuuc.so.*")
    copy = tmp_path / library.name
    shutil.copy(library, copy)
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 255

    def damage(*arguments: str | Path) -> str:
        Path(arguments[-2]).write_bytes(content)
        return ""

    monkeypatch.setattr(slim, "run_tool", damage)
    slim.strip_symbols(copy)
    assert copy.read_bytes() == library.read_bytes()
