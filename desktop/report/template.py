"""Reads the template file of an organisation: company, logo and signature lines of its reports.

The file is TOML, with up to three keys:

    company = "Example Aviation Maintenance"
    logo = "logo.png"
    signatures = ["Inspector", "Certifying staff"]

`logo` is the path of a picture, relative to the file.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from desktop.imaging import ImageError, open_image
from desktop.report.errors import TemplateError

_MAX_SIGNATURES = 6
_MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class ReportTemplate:
    """What an organisation adds to its reports; a null logo is none.

    Without `signatures` a report has one line for signature and date.
    """

    company: str = ""
    logo: QImage = field(default_factory=QImage)
    signatures: tuple[str, ...] = ()


def read_template(path: Path) -> ReportTemplate:
    """Read a template file. Raises TemplateError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TemplateError(path) from error
    signatures = values.get("signatures", [])
    if not isinstance(signatures, list) or len(signatures) > _MAX_SIGNATURES:
        raise TemplateError(path, "signatures")
    logo = _line(path, values, "logo")
    return ReportTemplate(
        company=_line(path, values, "company"),
        logo=_read_logo(path, path.parent / logo) if logo else QImage(),
        signatures=tuple(_line(path, {"signatures": line}, "signatures") for line in signatures),
    )


def _line(path: Path, values: dict[str, Any], key: str) -> str:
    value = values.get(key, "")
    if not isinstance(value, str) or len(value) > _MAX_LENGTH or not value.isprintable():
        raise TemplateError(path, key)
    return value.strip()


def _read_logo(path: Path, logo: Path) -> QImage:
    try:
        source = open_image(logo)
    except (OSError, ImageError) as error:
        raise TemplateError(path, "logo") from error
    return source.preview()
