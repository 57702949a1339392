from __future__ import annotations

from pathlib import Path

import pytest

from resources.packaging import deb
from resources.packaging.system import BuildError, debian_package_name


@pytest.mark.parametrize(
    ("soname", "package"),
    [
        ("libwayland-cursor.so.0", "libwayland-cursor0"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libX11.so.6", "libx11-6"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libEGL.so.1", "libegl1"),
    ],
)
def test_package_name_follows_from_the_soname(soname: str, package: str) -> None:
    assert debian_package_name(soname) == package


def test_message_names_a_missing_library_and_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plugin.so").write_bytes(b"\x7fELF")
    outputs = {
        "objdump": "  NEEDED               libxcb-cursor.so.0\n  NEEDED               libc.so.6\n",
        "ldconfig": "\tlibc.so.6 (libc6,x86-64) => /lib/libc.so.6\n",
    }
    monkeypatch.setattr(deb, "run_tool", lambda tool, *_: outputs[tool])
    with pytest.raises(BuildError, match=r"lacks: libxcb-cursor\.so\.0\..*apt install libxcb-cursor0$"):
        deb.find_dependencies(tmp_path)
