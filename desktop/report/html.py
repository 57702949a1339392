"""Writes a report as one self-contained HTML file: pictures are embedded, and it has no scripts or links."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QLocale
from PySide6.QtGui import QImage

from desktop.localization.dates import format_minute_in_zone
from desktop.report import report_terms
from desktop.report.content import FailedFinding, Report, ReportedItem
from shared.record.geometry import Rect
from shared.system import atomic

_STYLE = """
body{font:14px/1.5 system-ui,"Noto Sans CJK SC","Microsoft YaHei",sans-serif;color:#1a2027;margin:32px auto;
max-width:960px;padding:0 24px}h1{font-size:26px;margin:0}h2{font-size:18px;margin:28px 0 8px}
h3{font-size:15px;margin:0 8px 0 0;display:inline}
.dim{color:#5a6673}.pill{color:#fff;border-radius:10px;padding:2px 10px;font-weight:600;font-size:12px}
.passed{background:#1d8a54}.failed{background:#cf2f2a}.undecided{background:#a8700a}.in_progress{background:#0b6fd6}
.not_started,.cancelled{background:#5a6673} dl{display:grid;grid-template-columns:max-content 1fr max-content
1fr;gap:4px 16px} dt{color:#5a6673}dd{margin:0}
figure{margin:0;position:relative}img{max-width:100%;display:block;border-radius:6px}
.mark{position:absolute;border:2px solid;box-sizing:border-box}.mark b{position:absolute;top:-1.6em;left:-2px;
color:#fff;padding:0 5px;font-size:11px}article{border-top:1px solid #dde2e8;padding:16px 0;display:grid;
grid-template-columns:1fr 1fr 1.3fr;gap:16px;break-inside:avoid}article header{grid-column:1/-1}
table{border-collapse:collapse;width:100%;font-size:12px}td,th{text-align:left;border-top:1px solid #dde2e8;
padding:4px 8px;overflow-wrap:anywhere}td.dim{word-break:break-all}
.draft{position:fixed;inset:0;display:flex;align-items:center;justify-content:center;font-size:120px;font-weight:700;
color:#a8700a;opacity:.13;transform:rotate(-30deg);pointer-events:none;white-space:nowrap}
.seal{display:flex;gap:20px;align-items:flex-start;overflow-wrap:anywhere}.seal p{margin:0 0 6px}
.qr{width:128px;flex:none}.logo{max-height:64px;width:auto;margin-bottom:8px}
.full{break-before:page;display:block}.full img{width:100%;margin-bottom:12px}
.sign{display:inline-block;width:220px;border-top:1px solid;margin:64px 32px 0 0;padding-top:4px}
"""
_JPEG_QUALITY = 85
_COLOURS = {True: "#1d8a54", False: "#cf2f2a", None: "#a8700a"}
_CLASSES = {True: "passed", False: "failed", None: "undecided"}


def write(report: Report, path: Path) -> None:
    """Write `report` to `path` atomically. Raises OSError when the file cannot be written."""
    atomic.write_file(path, page(report).encode("utf-8"), durable=True)


def page(report: Report) -> str:
    """The whole HTML document."""
    fields = "".join(f"<dt>{_text(name)}<dd>{_text(value or '–')}" for name, value in report.fields)
    evidence = "".join(
        f"<tr><td>{_text(row.use)}<td>{_text(row.name)}<td class=dim>{_text(row.digest)}"
        for row in report.evidence
    )
    origin = QCoreApplication.translate("Report", "Created by {person} on {time} with {program}").format(
        person=report.made_by, time=format_minute_in_zone(report.made_at), program=report.program
    )
    title = QCoreApplication.translate("Report", "Evidence: files and their SHA-256")
    # "<" is escaped so that no text in the record can end the element.
    record = json.dumps(dict(report.record), ensure_ascii=False).replace("<", "\\u003c")
    return (
        f"<!doctype html><html lang={QLocale().bcp47Name()}><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'>"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:;"
        " style-src 'unsafe-inline'\">"
        f"<title>{_text(report.title)}</title><style>{_STYLE}</style>"
        f"{_letterhead(report)}<h1>{_text(report.title)}</h1><p class=dim>{_text(report.subtitle)} "
        f"{_state_pill(report)}</p>{_draft_mark(report)}"
        f"<dl>{fields}</dl>{_counts(report)}"
        f"{_overview(report)}{''.join(_item(item) for item in report.items)}"
        f"{''.join(map(_failed_page, report.failed))}"
        f"<h2>{_text(title)}</h2><table>{evidence}</table>{_seal(report)}<p class=dim>{_text(origin)}</p>"
        f"{''.join(f'<span class=sign>{_text(line)}</span>' for line in report.template.signatures)}"
        f'<script type="application/json" id="record">{record}</script>'
    )


def _letterhead(report: Report) -> str:
    template = report.template
    company = f"<p class=dim>{_text(template.company)}</p>" if template.company else ""
    if template.logo.isNull():
        return company
    encoded = base64.b64encode(_encoded(template.logo, "PNG")).decode("ascii")
    return f'<img class=logo alt="{_text(template.company)}" src="data:image/png;base64,{encoded}">{company}'


def _failed_page(failed: FailedFinding) -> str:
    title = f"{failed.number}  {failed.name}: {report_terms.finding(failed.finding)}"
    pictures = "".join(
        f"<figure><figcaption class=dim>{_text(name)}</figcaption>{_picture(image, name)}</figure>"
        for name, image in report_terms.failed_pictures(failed)
    )
    return f"<section class=full><h2>{_text(title)}</h2>{pictures}</section>"


def _state_pill(report: Report) -> str:
    mark = report_terms.mark(report.seal)
    if mark:
        return f"<span class='pill undecided'>{_text(mark)}</span>"
    return f"<span class='pill {_text(report.status)}'>{_text(report.status_name)}</span>"


def _draft_mark(report: Report) -> str:
    """The watermark of a report that is not final, on every printed page and across the screen."""
    mark = report_terms.mark(report.seal)
    return f"<div class=draft aria-hidden=true>{_text(mark)}</div>" if mark else ""


def _seal(report: Report) -> str:
    if report.seal is None:
        return ""
    title = QCoreApplication.translate("Report", "Seal")
    paragraphs = "".join(f"<p>{_text(line)}</p>" for line in report_terms.seal_lines(report.seal))
    modules = report_terms.qr_modules(report.seal)
    size = len(modules)
    dark = "".join(
        f"M{x} {y}h1v1h-1z" for y, row in enumerate(modules) for x, is_dark in enumerate(row) if is_dark
    )
    code = (
        f"<svg class=qr viewBox='0 0 {size} {size}' shape-rendering=crispEdges role=img"
        f" aria-label='{_text(title)}'><path d='{dark}'/></svg>"
    )
    return f"<h2>{_text(title)}</h2><div class=seal>{code}<div>{paragraphs}</div></div>"


def _counts(report: Report) -> str:
    pills = (
        f"<span class='pill {_CLASSES[passed]}'>{_text(report_terms.outcome(passed))} "
        f"{report.counts[key]}</span>"
        for passed, key in ((True, "passed"), (False, "failed"), (None, "undecided"))
    )
    return f"<p>{' '.join(pills)}</p>"


def _text(value: str) -> str:
    return html.escape(value)


def _picture(image: QImage, description: str) -> str:
    if image.isNull():
        return f"<p class=dim>{_text(QCoreApplication.translate('Report', 'No image'))}</p>"
    encoded = base64.b64encode(_jpeg(image)).decode("ascii")
    return f'<img alt="{_text(description)}" src="data:image/jpeg;base64,{encoded}">'


def _jpeg(image: QImage) -> bytes:
    return _encoded(image, "JPEG")


def _encoded(image: QImage, form: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, form, _JPEG_QUALITY if form == "JPEG" else -1)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _overview(report: Report) -> str:
    image = report.overview
    if image.isNull():
        return ""
    width, height = image.width() / report.overview_scale, image.height() / report.overview_scale
    marks = "".join(
        _region_mark(item.region, item, width, height)
        for item in report.items
        if item.region is not None and item.on_overview
    )
    alt = QCoreApplication.translate("Report", "Reference image with numbered regions")
    return f"<figure>{_picture(image, alt)}{marks}</figure>"


def _region_mark(region: Rect, item: ReportedItem, width: float, height: float) -> str:
    colour = _COLOURS[item.passed]
    place = (
        f"left:{region.x / width:.4%};top:{region.y / height:.4%};"
        f"width:{region.w / width:.4%};height:{region.h / height:.4%};border-color:{colour}"
    )
    return f"<span class=mark style='{place}'><b style='background:{colour}'>{item.number}</b></span>"


def _item(item: ReportedItem) -> str:
    lines = [
        item.description,
        item.model,
        report_terms.region(item),
        report_terms.findings(item),
        *map(report_terms.correction, item.corrections),
        report_terms.settings(item),
        report_terms.coverage(item),
        report_terms.explained_differences(item),
        report_terms.opinion(item),
    ]
    lines += [report_terms.decision(item), item.reason, item.note, item.camera, report_terms.used_photo(item)]
    lines += map(report_terms.comment, item.comments)
    paragraphs = "".join(f"<p>{_text(line)}</p>" for line in lines if line)
    return (
        f"<article><header><h3>{item.number}&ensp;{_text(item.name)}</h3> "
        f"<span class='pill {_CLASSES[item.passed]}'>{_text(report_terms.outcome(item.passed))}</span>"
        "</header>"
        f"<div>{_picture(item.reference_crop, item.name)}</div>"
        f"<div>{_picture(item.photo_crop, item.name)}</div>"
        f"<div>{paragraphs}</div></article>"
    )
