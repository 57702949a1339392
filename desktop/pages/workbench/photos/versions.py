"""Lists the versions of an item's result to choose from."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from desktop.record.correction import is_unsent
from desktop.record.document import ItemView
from desktop.widgets import status_text
from shared.record import results
from shared.record.entries import Entry, EntryCorrection, EntryVerdict


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version. `findings` says whether it has findings to show; a verdict has none."""

    version: int
    text: str
    findings: bool


def version_lines(item: ItemView) -> list[VersionLine]:
    """The finished detections, the corrections and the verdicts of an item, oldest first."""
    translate = QCoreApplication.translate
    entries = [
        entry
        for entry in results.sort_by_version(item.result)
        if results.is_verdict(entry) or results.is_finished(entry)
    ]
    count = sum(not results.is_verdict(entry) for entry in entries)
    lines: list[VersionLine] = []
    number = 0
    for entry in entries:
        if results.is_verdict(entry):
            verdict = entry["verdict"]
            text = translate("Workbench", "Verdict by {name}: {verdict}").format(
                name=_name(verdict), verdict=status_text(str(verdict.get("value")))
            )
            lines.append(VersionLine(results.entry_version(entry), text, findings=False))
            continue
        number += 1
        text = translate("Workbench", "Version {n} / {all}").format(n=number, all=count)
        lines.append(VersionLine(results.entry_version(entry), f"{text} · {_author(entry)}", findings=True))
    return lines


def _author(entry: Entry) -> str:
    translate = QCoreApplication.translate
    if is_unsent(entry):
        return translate("Workbench", "corrected by you, saving…")
    if results.is_correction(entry):
        return translate("Workbench", "corrected by {name}").format(name=_name(entry["correction"]))
    if not results.has_findings(entry):
        return translate("Workbench", "entered by a client, not detected")
    return translate("Workbench", "detected by model")


def _name(decision: EntryVerdict | EntryCorrection) -> str:
    return str(decision.get("by_name") or QCoreApplication.translate("Workbench", "another user"))
