"""Defines every command once: title, keys and scope; shortcuts, menus, palette and help follow.

Pages `bind` a handler to a command (`desktop.commands.bindings`); the command is possible while the widget
that bound it is visible. Keys without Ctrl or Alt never fire while the user types: text fields take such keys
before any shortcut does.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.localization.language import QT_TRANSLATE_NOOP
from shared.record.codes import Permission


@dataclass(frozen=True)
class Command:
    """One action of the program that the user can run from a menu, the palette or a key.

    `title` and `section` are English source texts of the context "Commands". `place` is the page to which it
    belongs, or empty for the whole program; two commands may share a key only when they are never possible at
    the same time. `focus` names the widgets of which one must have the focus for the keys to work, empty for
    any: arrow keys move regions on the canvas only, and on the buttons above it Tab moves the focus.
    """

    id: str
    title: str
    section: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    place: str = ""
    permission: Permission | None = None
    focus: tuple[str, ...] = ()

    def may_conflict_with(self, other: Command) -> bool:
        """Whether the keys of both can work at the same time."""
        same_place = not self.place or not other.place or self.place == other.place
        return same_place and (
            not self.focus or not other.focus or not set(self.focus).isdisjoint(other.focus)
        )


_PROGRAM = QT_TRANSLATE_NOOP("Commands", "Program")
_RECORDS = QT_TRANSLATE_NOOP("Commands", "Records")
_LISTS = QT_TRANSLATE_NOOP("Commands", "Catalogue and administration")
_DRAW = QT_TRANSLATE_NOOP("Commands", "Drawing")
_COMPARE = QT_TRANSLATE_NOOP("Commands", "Comparison")
_VIEW = QT_TRANSLATE_NOOP("Commands", "View")
_EDIT = QT_TRANSLATE_NOOP("Commands", "Editing")
_ITEMS = QT_TRANSLATE_NOOP("Commands", "Items and findings")
_WORKBENCH = "workbench"
_PICTURES = ("canvas", "compare")


def _program_commands() -> list[Command]:
    rows = [
        ("palette", QT_TRANSLATE_NOOP("Commands", "Find command"), ("Ctrl+K",), "search"),
        ("help", QT_TRANSLATE_NOOP("Commands", "Guide"), ("F1",), "info"),
        ("keys", QT_TRANSLATE_NOOP("Commands", "Keyboard shortcuts…"), ("?",), "keyboard"),
        ("tour", QT_TRANSLATE_NOOP("Commands", "Show tour of this page"), (), "info"),
        ("go.records", QT_TRANSLATE_NOOP("Commands", "Go to records"), ("Alt+1",), "list"),
        ("go.catalogue", QT_TRANSLATE_NOOP("Commands", "Go to catalogue"), ("Alt+2",), "plane"),
        ("go.people", QT_TRANSLATE_NOOP("Commands", "Go to administration"), ("Alt+3",), "people"),
        ("go.statistics", QT_TRANSLATE_NOOP("Commands", "Go to statistics"), ("Alt+4",), "chart"),
        ("go.me", QT_TRANSLATE_NOOP("Commands", "Go to my account"), ("Alt+9",), "user"),
        ("back", QT_TRANSLATE_NOOP("Commands", "Go back"), ("Alt+Left",), "chevron-left"),
        ("reload", QT_TRANSLATE_NOOP("Commands", "Reload page"), ("F5",), "refresh"),
        ("search", QT_TRANSLATE_NOOP("Commands", "Search page"), ("/", "Ctrl+F"), "search"),
        ("theme.system", QT_TRANSLATE_NOOP("Commands", "Theme: system default"), (), "theme"),
        ("theme.light", QT_TRANSLATE_NOOP("Commands", "Theme: light"), (), "theme"),
        ("theme.dark", QT_TRANSLATE_NOOP("Commands", "Theme: dark"), (), "theme"),
        ("language.system", QT_TRANSLATE_NOOP("Commands", "Language: system default"), (), "globe"),
        ("language.en", QT_TRANSLATE_NOOP("Commands", "Language: English"), (), "globe"),
        ("language.zh_CN", QT_TRANSLATE_NOOP("Commands", "Language: 中文"), (), "globe"),
        ("finish.rules", QT_TRANSLATE_NOOP("Commands", "Finishing rules…"), (), "lock"),
        ("fullscreen", QT_TRANSLATE_NOOP("Commands", "Full screen"), ("F11",), "fit"),
        ("report.pages", QT_TRANSLATE_NOOP("Commands", "Report: page per failed finding"), (), "report"),
        ("report.template", QT_TRANSLATE_NOOP("Commands", "Report: template file…"), (), "report"),
        ("doctor", QT_TRANSLATE_NOOP("Commands", "System check…"), (), "check"),
        ("logs", QT_TRANSLATE_NOOP("Commands", "Open log folder"), (), "report"),
        ("about", QT_TRANSLATE_NOOP("Commands", "About Walkaround…"), (), "info"),
        ("logout", QT_TRANSLATE_NOOP("Commands", "Log out"), ("Ctrl+Shift+L",), "logout"),
        ("quit", QT_TRANSLATE_NOOP("Commands", "Quit"), ("Ctrl+Q",), "close"),
    ]
    return [Command(id_, title, _PROGRAM, keys, icon_name) for id_, title, keys, icon_name in rows]


def _record_list_commands() -> list[Command]:
    add, delete = Permission.INSPECTION_ADD, Permission.INSPECTION_DELETE
    manage = Permission.CATALOGUE_MANAGE
    rows: list[tuple[str, str, tuple[str, ...], str, Permission | None]] = [
        ("record.new", QT_TRANSLATE_NOOP("Commands", "New record…"), ("Ctrl+N",), "plus", add),
        ("record.open", QT_TRANSLATE_NOOP("Commands", "Open record"), ("Ctrl+O",), "edit", None),
        (
            "record.details",
            QT_TRANSLATE_NOOP("Commands", "Record details"),
            ("Alt+Return", "Alt+Enter"),
            "info",
            None,
        ),
        ("record.delete", QT_TRANSLATE_NOOP("Commands", "Delete record"), ("Delete",), "trash", delete),
        ("record.export", QT_TRANSLATE_NOOP("Commands", "Export list…"), ("Ctrl+E",), "download", None),
        ("record.from_picture", QT_TRANSLATE_NOOP("Commands", "Start from an image…"), (), "photo", manage),
        ("record.import", QT_TRANSLATE_NOOP("Commands", "Import regions as a record…"), (), "upload", manage),
        ("sample.create", QT_TRANSLATE_NOOP("Commands", "Create sample inspection"), (), "plus", manage),
        ("sample.open", QT_TRANSLATE_NOOP("Commands", "Open sample inspection"), (), "play", None),
        ("sample.remove", QT_TRANSLATE_NOOP("Commands", "Delete sample inspection"), (), "trash", manage),
        ("record.clear_filters", QT_TRANSLATE_NOOP("Commands", "Clear filters"), (), "close", None),
        (
            "records.detect",
            QT_TRANSLATE_NOOP("Commands", "Detect undetected photos"),
            ("Ctrl+Shift+R",),
            "play",
            Permission.INSPECTION_ITEM_UPDATE,
        ),
    ]
    commands = [
        Command(
            id_,
            title,
            _RECORDS,
            keys,
            icon_name,
            "records",
            right,
            ("list",) if id_ == "record.delete" else (),
        )
        for id_, title, keys, icon_name, right in rows
    ]
    export = QT_TRANSLATE_NOOP("Commands", "Export record…")
    hand_over = QT_TRANSLATE_NOOP("Commands", "Hand over record…")
    # Wherever a record is open: on its page and on the workbench.
    return [
        *commands,
        Command("inspection.export", export, _RECORDS, (), "download"),
        Command("inspection.hand_over", hand_over, _RECORDS, (), "people"),
    ]


def _entry_commands() -> list[Command]:
    manage, users, settings = (
        Permission.CATALOGUE_MANAGE,
        Permission.USER_MANAGE,
        Permission.SETTINGS_MANAGE,
    )
    rows: list[tuple[str, str, tuple[str, ...], str, str, Permission]] = [
        (
            "entry.new",
            QT_TRANSLATE_NOOP("Commands", "New catalogue entry…"),
            ("Ctrl+N",),
            "plus",
            "catalogue",
            manage,
        ),
        ("entry.delete", QT_TRANSLATE_NOOP("Commands", "Delete"), ("Delete",), "trash", "catalogue", manage),
        ("user.new", QT_TRANSLATE_NOOP("Commands", "New user…"), ("Ctrl+N",), "plus", "people", users),
        ("webhook.new", QT_TRANSLATE_NOOP("Commands", "New webhook…"), (), "plus", "people", settings),
    ]
    return [
        Command(id_, title, _LISTS, keys, icon_name, place, right, ("list",) if keys == ("Delete",) else ())
        for id_, title, keys, icon_name, place, right in rows
    ]


def _detail_commands() -> list[Command]:
    rows = [
        ("details.save", QT_TRANSLATE_NOOP("Commands", "Save record"), ("Ctrl+S",), "check"),
        ("details.workbench", QT_TRANSLATE_NOOP("Commands", "Open workbench"), ("Ctrl+O",), "edit"),
        ("details.pdf", QT_TRANSLATE_NOOP("Commands", "Export PDF report…"), ("Ctrl+P",), "report"),
        ("details.html", QT_TRANSLATE_NOOP("Commands", "Export HTML report…"), (), "globe"),
        ("details.cancel", QT_TRANSLATE_NOOP("Commands", "Void record"), (), "close"),
        ("details.restore", QT_TRANSLATE_NOOP("Commands", "Restore record"), (), "undo"),
        ("details.reopen", QT_TRANSLATE_NOOP("Commands", "Reopen record…"), (), "undo"),
        ("details.delete", QT_TRANSLATE_NOOP("Commands", "Delete record"), (), "trash"),
    ]
    return [Command(id_, title, _RECORDS, keys, icon_name, "record") for id_, title, keys, icon_name in rows]


def _drawing_commands() -> list[Command]:
    rows = [
        ("tool.select", QT_TRANSLATE_NOOP("Commands", "Select"), ("V", "Esc"), "select"),
        ("tool.rectangle", QT_TRANSLATE_NOOP("Commands", "Draw region"), ("R",), "rectangle"),
        ("tool.pan", QT_TRANSLATE_NOOP("Commands", "Pan"), ("G",), "hand"),
        ("tool.ruler", QT_TRANSLATE_NOOP("Commands", "Measure"), ("M",), "ruler"),
        ("tool.area", QT_TRANSLATE_NOOP("Commands", "Add ignored area"), ("E",), "eye-off"),
        ("tool.keep", QT_TRANSLATE_NOOP("Commands", "Keep drawing until Esc"), (), "rectangle"),
        ("edit.snap", QT_TRANSLATE_NOOP("Commands", "Snap to edges"), ("S",), "rectangle"),
    ]
    commands = [
        Command(id_, title, _DRAW, keys, icon_name, _WORKBENCH) for id_, title, keys, icon_name in rows
    ]
    finish = QT_TRANSLATE_NOOP("Commands", "Finish drawing or zoom to region")
    enter = ("Return", "Enter")
    commands.append(Command("tool.finish", finish, _DRAW, enter, "check", _WORKBENCH, focus=("canvas",)))
    return commands


def _moving_commands() -> list[Command]:
    """Return the commands of the arrow keys.

    They move the selected regions, or without a selection the picture, or the divider of a comparison.
    """
    rows = [
        ("move.left", QT_TRANSLATE_NOOP("Commands", "Move left"), "Left"),
        ("move.right", QT_TRANSLATE_NOOP("Commands", "Move right"), "Right"),
        ("move.up", QT_TRANSLATE_NOOP("Commands", "Move up"), "Up"),
        ("move.down", QT_TRANSLATE_NOOP("Commands", "Move down"), "Down"),
        ("move.far_left", QT_TRANSLATE_NOOP("Commands", "Move left by a large step"), "Shift+Left"),
        ("move.far_right", QT_TRANSLATE_NOOP("Commands", "Move right by a large step"), "Shift+Right"),
        ("move.far_up", QT_TRANSLATE_NOOP("Commands", "Move up by a large step"), "Shift+Up"),
        ("move.far_down", QT_TRANSLATE_NOOP("Commands", "Move down by a large step"), "Shift+Down"),
    ]
    return [
        Command(
            id_,
            title,
            _EDIT,
            (key,),
            f"chevron-{id_.split('_')[-1].split('.')[-1]}",
            _WORKBENCH,
            None,
            _PICTURES,
        )
        for id_, title, key in rows
    ]


def _comparison_commands() -> list[Command]:
    rows = [
        ("compare", QT_TRANSLATE_NOOP("Commands", "Compare reference image and photo"), ("C",)),
        ("compare.side_by_side", QT_TRANSLATE_NOOP("Commands", "Compare: side by side"), ("Ctrl+1",)),
        ("compare.swipe", QT_TRANSLATE_NOOP("Commands", "Compare: swipe"), ("Ctrl+2",)),
        ("compare.blink", QT_TRANSLATE_NOOP("Commands", "Compare: blink"), ("Ctrl+3",)),
        ("compare.difference", QT_TRANSLATE_NOOP("Commands", "Compare: difference"), ("Ctrl+4",)),
        ("compare.overlay", QT_TRANSLATE_NOOP("Commands", "Compare: overlay"), ("Ctrl+5",)),
    ]
    commands = [Command(id_, title, _COMPARE, keys, "compare", _WORKBENCH) for id_, title, keys in rows]
    flip = QT_TRANSLATE_NOOP("Commands", "Switch image while blinking")
    commands.append(
        Command("compare.flip", flip, _COMPARE, ("Space",), "compare", _WORKBENCH, focus=("compare",))
    )
    return commands


def _view_commands() -> list[Command]:
    rows = [
        ("view.fit", QT_TRANSLATE_NOOP("Commands", "Fit to window"), ("F",), "fit"),
        ("view.actual", QT_TRANSLATE_NOOP("Commands", "Actual size"), ("1",), "search"),
        ("view.zoom_in", QT_TRANSLATE_NOOP("Commands", "Zoom in"), ("+", "="), "plus"),
        ("view.zoom_out", QT_TRANSLATE_NOOP("Commands", "Zoom out"), ("-",), "minus"),
        ("view.item", QT_TRANSLATE_NOOP("Commands", "Zoom to item"), ("Z",), "finding"),
        (
            "view.photo",
            QT_TRANSLATE_NOOP("Commands", "Switch between photo and reference image"),
            ("T",),
            "photo",
        ),
        ("view.regions", QT_TRANSLATE_NOOP("Commands", "Show or hide regions"), ("H",), "eye-off"),
        ("view.labels", QT_TRANSLATE_NOOP("Commands", "Show or hide labels"), ("L",), "eye"),
        ("view.heat", QT_TRANSLATE_NOOP("Commands", "Show or hide heat map"), ("Shift+U",), "eye"),
        ("view.compact", QT_TRANSLATE_NOOP("Commands", "Compact list of items"), ("Shift+L",), "list"),
        ("view.minimap", QT_TRANSLATE_NOOP("Commands", "Show or hide minimap"), ("Shift+M",), "eye"),
        ("view.brighter", QT_TRANSLATE_NOOP("Commands", "Brighter"), ("Shift+B",), "plus"),
        ("view.darker", QT_TRANSLATE_NOOP("Commands", "Darker"), ("Shift+D",), "minus"),
        ("view.contrast_more", QT_TRANSLATE_NOOP("Commands", "More contrast"), ("Shift+K",), "plus"),
        ("view.contrast_less", QT_TRANSLATE_NOOP("Commands", "Less contrast"), ("Shift+J",), "minus"),
        ("view.plain", QT_TRANSLATE_NOOP("Commands", "Reset brightness and contrast"), ("Shift+P",), "undo"),
        ("view.inspector", QT_TRANSLATE_NOOP("Commands", "Show or hide properties panel"), ("I",), "panel"),
    ]
    commands = [
        Command(id_, title, _VIEW, keys, icon_name, _WORKBENCH) for id_, title, keys, icon_name in rows
    ]
    # On the canvas Tab selects the next finding, so that leaving it without a mouse needs other keys.
    for id_, title, keys, icon_name in (
        ("view.leave", QT_TRANSLATE_NOOP("Commands", "Focus next panel"), ("F6",), "chevron-right"),
        (
            "view.leave_back",
            QT_TRANSLATE_NOOP("Commands", "Focus previous panel"),
            ("Shift+F6",),
            "chevron-left",
        ),
    ):
        commands.append(Command(id_, title, _VIEW, keys, icon_name, _WORKBENCH, focus=_PICTURES))
    return commands


def _editing_commands() -> list[Command]:
    rows = [
        ("edit.undo", QT_TRANSLATE_NOOP("Commands", "Undo"), ("Ctrl+Z",), "undo"),
        ("edit.redo", QT_TRANSLATE_NOOP("Commands", "Redo"), ("Ctrl+Shift+Z", "Ctrl+Y"), "redo"),
        ("edit.copy", QT_TRANSLATE_NOOP("Commands", "Copy regions"), ("Ctrl+C",), "copy"),
        ("edit.paste", QT_TRANSLATE_NOOP("Commands", "Paste regions"), ("Ctrl+V",), "copy"),
        ("edit.duplicate", QT_TRANSLATE_NOOP("Commands", "Duplicate"), ("Ctrl+D",), "copy"),
        ("edit.delete", QT_TRANSLATE_NOOP("Commands", "Delete item"), ("Delete", "Backspace"), "trash"),
        ("edit.all", QT_TRANSLATE_NOOP("Commands", "Select all regions"), ("Ctrl+A",), "select"),
        ("edit.rename", QT_TRANSLATE_NOOP("Commands", "Rename item"), ("F2",), "edit"),
        ("region.lock", QT_TRANSLATE_NOOP("Commands", "Lock or unlock regions"), ("Ctrl+L",), "select"),
        ("region.hide", QT_TRANSLATE_NOOP("Commands", "Hide selected regions"), ("Shift+H",), "eye-off"),
        ("region.show", QT_TRANSLATE_NOOP("Commands", "Show hidden regions"), ("Ctrl+Shift+H",), "eye"),
        ("region.front", QT_TRANSLATE_NOOP("Commands", "Bring to front"), ("Ctrl+]",), "chevron-up"),
        ("region.back", QT_TRANSLATE_NOOP("Commands", "Send to back"), ("Ctrl+[",), "chevron-down"),
        ("region.left", QT_TRANSLATE_NOOP("Commands", "Align left"), ("Ctrl+Alt+L",), "chevron-left"),
        ("region.right", QT_TRANSLATE_NOOP("Commands", "Align right"), ("Ctrl+Alt+R",), "chevron-right"),
        ("region.top", QT_TRANSLATE_NOOP("Commands", "Align top"), ("Ctrl+Alt+T",), "chevron-up"),
        ("region.bottom", QT_TRANSLATE_NOOP("Commands", "Align bottom"), ("Ctrl+Alt+B",), "chevron-down"),
    ]
    return [Command(id_, title, _EDIT, keys, icon_name, _WORKBENCH) for id_, title, keys, icon_name in rows]


def _item_commands() -> list[Command]:
    rows: list[tuple[str, str, tuple[str, ...], str]] = [
        ("item.next", QT_TRANSLATE_NOOP("Commands", "Next item"), ("D", "PgDown"), "chevron-down"),
        ("item.previous", QT_TRANSLATE_NOOP("Commands", "Previous item"), ("A", "PgUp"), "chevron-up"),
        ("item.undecided", QT_TRANSLATE_NOOP("Commands", "Next undecided item"), ("N",), "flag"),
        ("item.advance", QT_TRANSLATE_NOOP("Commands", "Next item after verdict"), ("Shift+N",), "flag"),
        ("item.earlier", QT_TRANSLATE_NOOP("Commands", "Move item up"), ("Alt+A",), "chevron-up"),
        ("item.later", QT_TRANSLATE_NOOP("Commands", "Move item down"), ("Alt+D",), "chevron-down"),
        ("comment.add", QT_TRANSLATE_NOOP("Commands", "Comment on this place"), ("K",), "edit"),
        ("item.pass", QT_TRANSLATE_NOOP("Commands", "Verdict: passed"), ("Y",), "check"),
        ("item.fail", QT_TRANSLATE_NOOP("Commands", "Verdict: failed"), ("X",), "close"),
        ("item.unsure", QT_TRANSLATE_NOOP("Commands", "Verdict: undecided"), ("U",), "flag"),
        ("item.photo", QT_TRANSLATE_NOOP("Commands", "Add photo to item…"), ("Ctrl+I",), "photo"),
        ("item.camera", QT_TRANSLATE_NOOP("Commands", "Take photo for item…"), ("Ctrl+Shift+I",), "camera"),
        ("item.phone", QT_TRANSLATE_NOOP("Commands", "Take photos of item with a phone…"), (), "phone"),
        ("record.photos", QT_TRANSLATE_NOOP("Commands", "Add photos to record…"), ("Ctrl+Shift+O",), "photo"),
        ("record.camera", QT_TRANSLATE_NOOP("Commands", "Take photo for record…"), (), "camera"),
        ("record.film", QT_TRANSLATE_NOOP("Commands", "Add frames of a film…"), (), "play"),
        ("record.phone", QT_TRANSLATE_NOOP("Commands", "Take photos with a phone…"), (), "phone"),
        ("record.watch", QT_TRANSLATE_NOOP("Commands", "Watch folder for new photos…"), (), "folder"),
        ("record.review", QT_TRANSLATE_NOOP("Commands", "Photos of the record…"), ("Ctrl+Shift+P",), "eye"),
        ("record.films", QT_TRANSLATE_NOOP("Commands", "Films of the record…"), (), "play"),
        ("record.accept", QT_TRANSLATE_NOOP("Commands", "Accept matched photos"), ("Ctrl+Shift+A",), "check"),
        ("item.align", QT_TRANSLATE_NOOP("Commands", "Align with three points"), (), "edit"),
        ("item.versions", QT_TRANSLATE_NOOP("Commands", "Compare versions…"), ("Shift+C",), "history"),
        ("item.trend", QT_TRANSLATE_NOOP("Commands", "Show trend of item…"), ("Shift+T",), "chart"),
        (
            "item.memory",
            QT_TRANSLATE_NOOP("Commands", "Show known variations of item…"),
            ("Shift+Y",),
            "memory",
        ),
        ("item.detect", QT_TRANSLATE_NOOP("Commands", "Run detection on item"), ("Ctrl+R",), "play"),
        ("record.detect", QT_TRANSLATE_NOOP("Commands", "Run detection"), ("Ctrl+Shift+R",), "play"),
        (
            "record.detect_again",
            QT_TRANSLATE_NOOP("Commands", "Rerun detection on undecided items"),
            (),
            "refresh",
        ),
        (
            "record.finish",
            QT_TRANSLATE_NOOP("Commands", "Finish record…"),
            ("Ctrl+Return", "Ctrl+Enter"),
            "check",
        ),
        ("record.report", QT_TRANSLATE_NOOP("Commands", "Export report…"), ("Ctrl+P",), "report"),
        ("regions.import", QT_TRANSLATE_NOOP("Commands", "Import regions…"), (), "upload"),
    ]
    commands = [
        Command(id_, title, _ITEMS, keys, icon_name, _WORKBENCH) for id_, title, keys, icon_name in rows
    ]
    template = QT_TRANSLATE_NOOP("Commands", "Save regions as template…")
    manage = Permission.CATALOGUE_MANAGE
    commands.append(Command("record.template", template, _ITEMS, (), "rectangle", _WORKBENCH, manage))
    for id_, title, keys in (
        ("finding.next", QT_TRANSLATE_NOOP("Commands", "Next finding"), "Tab"),
        ("finding.previous", QT_TRANSLATE_NOOP("Commands", "Previous finding"), "Shift+Tab"),
    ):
        # The keys work on the pictures and in the list of items: everywhere else Tab moves the focus.
        focus = (*_PICTURES, "items")
        commands.append(Command(id_, title, _ITEMS, (keys,), "finding", _WORKBENCH, focus=focus))
    return commands


def _finding_commands() -> list[Command]:
    rows = [
        ("finding.accept", QT_TRANSLATE_NOOP("Commands", "Accept finding"), "Q", "check"),
        ("finding.relabel", QT_TRANSLATE_NOOP("Commands", "Relabel finding"), "B", "edit"),
        ("finding.delete", QT_TRANSLATE_NOOP("Commands", "Delete finding"), "W", "trash"),
        ("finding.minor", QT_TRANSLATE_NOOP("Commands", "Severity: minor"), "7", "flag"),
        ("finding.major", QT_TRANSLATE_NOOP("Commands", "Severity: major"), "8", "flag"),
        ("finding.critical", QT_TRANSLATE_NOOP("Commands", "Severity: critical"), "9", "flag"),
    ]
    return [Command(id_, title, _ITEMS, (key,), icon_name, _WORKBENCH) for id_, title, key, icon_name in rows]


COMMANDS: dict[str, Command] = {
    command.id: command
    for command in (
        *_program_commands(),
        *_record_list_commands(),
        *_detail_commands(),
        *_entry_commands(),
        *_drawing_commands(),
        *_comparison_commands(),
        *_view_commands(),
        *_editing_commands(),
        *_moving_commands(),
        *_item_commands(),
        *_finding_commands(),
    )
}
