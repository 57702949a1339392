"""Holds the commands of the running desktop: current keys and current handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from desktop.commands.registry import COMMANDS, Command
from desktop.preferences import Preferences
from desktop.widgets.basic.icons import icon
from shared.codes import Permission


@dataclass
class _Binding:
    action: QAction
    owner: QWidget
    enabled: Callable[[], bool] | None
    refused: Callable[[], object] | None


@dataclass(frozen=True)
class _Within:
    """What a command does while the focus is in `area`."""

    area: QWidget
    handler: Callable[[], object]


class Commands(QObject):
    """The commands of the running desktop: their keys as the person set them, and who handles them now.

    `may` says whether the user has a right. Every method raises KeyError for an id that is not defined.
    """

    keysChanged = Signal(str)  # noqa: N815 - a Qt signal
    """The id of the command whose keys changed."""

    def __init__(
        self,
        preferences: Preferences,
        may: Callable[[Permission | None], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._may = may
        self._bindings: dict[str, list[_Binding]] = {id_: [] for id_ in COMMANDS}
        self._within: dict[str, list[_Within]] = {id_: [] for id_ in COMMANDS}

    def bind(
        self,
        command_id: str,
        handler: Callable[[], object],
        owner: QWidget,
        enabled: Callable[[], bool] | None = None,
        refused: Callable[[], object] | None = None,
    ) -> QAction:
        """Let `handler` do this command while `owner` is visible (and `enabled()` holds, where given).

        `refused` is called when the person asks for it while `enabled()` does not hold: it may say why.
        Gives the action, for example to trigger it from a test. It ends with `owner`.
        """
        command = COMMANDS[command_id]
        action = QAction(self.title(command_id), owner)
        action.setShortcuts(self._sequences(command_id))
        context = Qt.ShortcutContext
        action.setShortcutContext(context.WidgetShortcut if command.focus else context.WindowShortcut)
        binding = _Binding(action, owner, enabled, refused)
        action.triggered.connect(lambda _checked=False: self._do(binding, handler, command))
        owner.addAction(action)
        self._bindings[command_id].append(binding)
        return action

    def bind_within(self, command_id: str, handler: Callable[[], object], area: QWidget) -> None:
        """Let `handler` do this command in place of who bound it, while the focus is on `area` or in it."""
        self._within[command_id].append(_Within(area, handler))

    def run(self, command_id: str) -> bool:
        """Run a command as if its key were pressed; False when it has no handler now or is disabled."""
        binding = self._live(command_id)
        if binding is None:
            return False
        possible = self._possible(binding, COMMANDS[command_id])
        binding.action.trigger()
        return possible

    def possible(self, command_id: str) -> bool:
        """True when `run` would do something."""
        binding = self._live(command_id)
        return binding is not None and self._possible(binding, COMMANDS[command_id])

    def live(self) -> list[Command]:
        """The commands that are possible now, in the order of their definition."""
        return [command for id_, command in COMMANDS.items() if self.possible(id_)]

    def title(self, command_id: str) -> str:
        """Its title in the language in force."""
        return QCoreApplication.translate("Commands", COMMANDS[command_id].title)

    def section(self, command_id: str) -> str:
        """Its section in the language in force."""
        return QCoreApplication.translate("Commands", COMMANDS[command_id].section)

    def keys(self, command_id: str) -> tuple[str, ...]:
        """Its keys in force, portable form, for example ``("Ctrl+Shift+Z", "Ctrl+Y")``."""
        command = COMMANDS[command_id]
        chosen = self._preferences.values.shortcuts.get(command_id)
        return command.keys if chosen is None else tuple(chosen)

    def keys_text(self, command_id: str) -> str:
        """Its first key as this system writes it, for a button or a tooltip; empty when it has none."""
        sequences = self._sequences(command_id)
        return sequences[0].toString(QKeySequence.SequenceFormat.NativeText) if sequences else ""

    def tooltip(self, command_id: str) -> str:
        """Title and first key, for a tool button."""
        keys = self.keys_text(command_id)
        return f"{self.title(command_id)}  ({keys})" if keys else self.title(command_id)

    def set_keys(self, command_id: str, keys: Sequence[str] | None) -> None:
        """Give it other keys, or with None the default ones; kept in the preferences, in force at once.

        A key means one thing: the commands that had it, see `conflicts`, are left without it.
        """
        wanted = COMMANDS[command_id].keys if keys is None else tuple(keys)
        for key in wanted:
            for other in self.conflicts(command_id, key):
                taken = QKeySequence(key)
                self._keep(other.id, [old for old in self.keys(other.id) if QKeySequence(old) != taken])
        self._keep(command_id, wanted)

    def _keep(self, command_id: str, keys: Sequence[str]) -> None:
        chosen = dict(self._preferences.values.shortcuts)
        chosen.pop(command_id, None)
        if tuple(keys) != COMMANDS[command_id].keys:
            chosen[command_id] = list(keys)
        self._preferences.change(shortcuts=chosen)
        for binding in self._alive(command_id):
            binding.action.setShortcuts(self._sequences(command_id))
        self.keysChanged.emit(command_id)

    def conflicts(self, command_id: str, key: str) -> list[Command]:
        """The other commands that `key` would also mean where this command is live."""
        command, wanted = COMMANDS[command_id], QKeySequence(key)
        return [
            other
            for other in COMMANDS.values()
            if other.id != command_id and command.meets(other) and wanted in self._sequences(other.id)
        ]

    def menu(
        self, command_ids: Iterable[str], parent: QWidget, choices: Mapping[str, bool] | None = None
    ) -> QMenu:
        """A menu of these commands with icons and keys; an empty id is a separator.

        `choices`: the commands that choose one of several, and whether it is in force: it has a check mark.
        """
        menu = QMenu(parent)
        choices = choices or {}
        for id_ in command_ids:
            if not id_:
                menu.addSeparator()
                continue
            keys = self.keys_text(id_)
            text = self.title(id_).replace("&", "&&")
            entry = menu.addAction(f"{text}\t{keys}" if keys else text)
            if id_ in choices:
                # Qt keeps one column for icons and check marks: a mark beside an icon would hide behind it.
                entry.setCheckable(True)
                entry.setChecked(choices[id_])
            elif COMMANDS[id_].icon:
                entry.setIcon(icon(COMMANDS[id_].icon))
            entry.setEnabled(self.possible(id_))
            entry.triggered.connect(lambda _checked=False, it=id_: self.run(it))
        return menu

    def _sequences(self, command_id: str) -> list[QKeySequence]:
        return [QKeySequence(key) for key in self.keys(command_id)]

    def _do(self, binding: _Binding, handler: Callable[[], object], command: Command) -> None:
        if self._possible(binding, command):
            inner = self._inner(command.id)
            (handler if inner is None else inner.handler)()
        elif binding.refused is not None and self._may_do(command):
            binding.refused()

    def _inner(self, command_id: str) -> _Within | None:
        """Who does the command where the focus is, in place of who bound it."""
        alive = [inner for inner in self._within[command_id] if shiboken6.isValid(inner.area)]
        self._within[command_id] = alive
        focus = QApplication.focusWidget()
        if focus is None:
            return None
        return next((inner for inner in alive if inner.area is focus or inner.area.isAncestorOf(focus)), None)

    def _possible(self, binding: _Binding, command: Command) -> bool:
        return self._may_do(command) and (binding.enabled is None or binding.enabled())

    def _may_do(self, command: Command) -> bool:
        return command.permission is None or self._may(command.permission)

    def _alive(self, command_id: str) -> list[_Binding]:
        alive = [binding for binding in self._bindings[command_id] if shiboken6.isValid(binding.action)]
        self._bindings[command_id] = alive
        return alive

    def _live(self, command_id: str) -> _Binding | None:
        visible = [binding for binding in self._alive(command_id) if binding.owner.isVisible()]
        return next((binding for binding in visible if binding.owner.hasFocus()), next(iter(visible), None))
