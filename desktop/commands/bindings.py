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
from shared.record.codes import Permission


@dataclass
class _Binding:
    action: QAction
    owner: QWidget
    is_enabled: Callable[[], bool] | None
    on_refused: Callable[[], object] | None


@dataclass(frozen=True)
class _FocusHandler:
    """Handles a command in place of its binding while the focus is in `area`."""

    area: QWidget
    handler: Callable[[], object]


class Commands(QObject):
    """The commands of the running desktop: their keys as the user set them, and their current handlers.

    `may` tells whether the user has a permission. Every method raises KeyError for an id that is not defined.
    """

    keys_changed = Signal(str)
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
        self._focus_handlers: dict[str, list[_FocusHandler]] = {id_: [] for id_ in COMMANDS}

    def bind(
        self,
        command_id: str,
        handler: Callable[[], object],
        owner: QWidget,
        enabled: Callable[[], bool] | None = None,
        refused: Callable[[], object] | None = None,
    ) -> QAction:
        """Run `handler` for this command while `owner` is visible and `enabled()`, if given, returns True.

        `refused` is called when the user runs the command while `enabled()` returns False; it may explain
        why. Returns the action, for example to trigger it from a test; it is deleted with `owner`.
        """
        command = COMMANDS[command_id]
        action = QAction(self.title(command_id), owner)
        action.setShortcuts(self._sequences(command_id))
        context = Qt.ShortcutContext
        action.setShortcutContext(context.WidgetShortcut if command.focus else context.WindowShortcut)
        binding = _Binding(action, owner, enabled, refused)
        action.triggered.connect(lambda _checked=False: self._on_triggered(binding, handler, command))
        owner.addAction(action)
        self._bindings[command_id].append(binding)
        return action

    def bind_within(self, command_id: str, handler: Callable[[], object], area: QWidget) -> None:
        """Run `handler` in place of the one from `bind` while `area` or a widget in it has the focus."""
        self._focus_handlers[command_id].append(_FocusHandler(area, handler))

    def run(self, command_id: str) -> bool:
        """Run a command as if its key were pressed; False when it has no handler now or is disabled."""
        binding = self._visible_binding(command_id)
        if binding is None:
            return False
        is_possible = self._is_possible(binding, COMMANDS[command_id])
        binding.action.trigger()
        return is_possible

    def is_possible(self, command_id: str) -> bool:
        """Whether the command has a visible handler, is enabled and is permitted to the user."""
        binding = self._visible_binding(command_id)
        return binding is not None and self._is_possible(binding, COMMANDS[command_id])

    def possible_commands(self) -> list[Command]:
        """Return the commands that are possible now, in the order of their definition."""
        return [command for id_, command in COMMANDS.items() if self.is_possible(id_)]

    def title(self, command_id: str) -> str:
        """Return its title in the current language."""
        return QCoreApplication.translate("Commands", COMMANDS[command_id].title)

    def section(self, command_id: str) -> str:
        """Return its section in the current language."""
        return QCoreApplication.translate("Commands", COMMANDS[command_id].section)

    def keys(self, command_id: str) -> tuple[str, ...]:
        """Return its current keys in portable form, for example ``("Ctrl+Shift+Z", "Ctrl+Y")``."""
        command = COMMANDS[command_id]
        user_keys = self._preferences.values.shortcuts.get(command_id)
        return command.keys if user_keys is None else tuple(user_keys)

    def keys_text(self, command_id: str) -> str:
        """Return its first key as this system writes it, for a button or a tooltip, or an empty string."""
        sequences = self._sequences(command_id)
        return sequences[0].toString(QKeySequence.SequenceFormat.NativeText) if sequences else ""

    def tooltip(self, command_id: str) -> str:
        """Return its title and first key, for a tool button."""
        keys = self.keys_text(command_id)
        return f"{self.title(command_id)}  ({keys})" if keys else self.title(command_id)

    def set_keys(self, command_id: str, keys: Sequence[str] | None) -> None:
        """Set its keys, with None the default ones. Saves them in the preferences and applies them at once.

        The keys are removed from the commands that they conflict with, see `conflicts`.
        """
        new_keys = COMMANDS[command_id].keys if keys is None else tuple(keys)
        for key in new_keys:
            sequence = QKeySequence(key)
            for other in self.conflicts(command_id, key):
                self._save_keys(
                    other.id, [old for old in self.keys(other.id) if QKeySequence(old) != sequence]
                )
        self._save_keys(command_id, new_keys)

    def _save_keys(self, command_id: str, keys: Sequence[str]) -> None:
        shortcuts = dict(self._preferences.values.shortcuts)
        shortcuts.pop(command_id, None)
        if tuple(keys) != COMMANDS[command_id].keys:
            shortcuts[command_id] = list(keys)
        self._preferences.change(shortcuts=shortcuts)
        for binding in self._valid_bindings(command_id):
            binding.action.setShortcuts(self._sequences(command_id))
        self.keys_changed.emit(command_id)

    def conflicts(self, command_id: str, key: str) -> list[Command]:
        """Return the other commands that have `key` and may be possible at the same time as this one."""
        command, sequence = COMMANDS[command_id], QKeySequence(key)
        return [
            other
            for other in COMMANDS.values()
            if other.id != command_id
            and command.may_conflict_with(other)
            and sequence in self._sequences(other.id)
        ]

    def menu(
        self, command_ids: Iterable[str], parent: QWidget, choices: Mapping[str, bool] | None = None
    ) -> QMenu:
        """Make a menu of these commands with icons and keys; an empty id is a separator.

        `choices` maps the commands that have a check mark to whether they are checked.
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
                # Qt draws icons and check marks in the same column, so that an icon would cover the mark.
                entry.setCheckable(True)
                entry.setChecked(choices[id_])
            elif COMMANDS[id_].icon:
                entry.setIcon(icon(COMMANDS[id_].icon))
            entry.setEnabled(self.is_possible(id_))
            entry.triggered.connect(lambda _checked=False, it=id_: self.run(it))
        return menu

    def _sequences(self, command_id: str) -> list[QKeySequence]:
        return [QKeySequence(key) for key in self.keys(command_id)]

    def _on_triggered(self, binding: _Binding, handler: Callable[[], object], command: Command) -> None:
        if self._is_possible(binding, command):
            focused = self._focused_handler(command.id)
            (handler if focused is None else focused.handler)()
        elif binding.on_refused is not None and self._may_do(command):
            binding.on_refused()

    def _focused_handler(self, command_id: str) -> _FocusHandler | None:
        """Return the handler from `bind_within` whose area has the focus, if any."""
        valid = [handler for handler in self._focus_handlers[command_id] if shiboken6.isValid(handler.area)]
        self._focus_handlers[command_id] = valid
        focus = QApplication.focusWidget()
        if focus is None:
            return None
        return next(
            (handler for handler in valid if handler.area is focus or handler.area.isAncestorOf(focus)), None
        )

    def _is_possible(self, binding: _Binding, command: Command) -> bool:
        return self._may_do(command) and (binding.is_enabled is None or binding.is_enabled())

    def _may_do(self, command: Command) -> bool:
        return command.permission is None or self._may(command.permission)

    def _valid_bindings(self, command_id: str) -> list[_Binding]:
        valid = [binding for binding in self._bindings[command_id] if shiboken6.isValid(binding.action)]
        self._bindings[command_id] = valid
        return valid

    def _visible_binding(self, command_id: str) -> _Binding | None:
        visible = [binding for binding in self._valid_bindings(command_id) if binding.owner.isVisible()]
        return next((binding for binding in visible if binding.owner.hasFocus()), next(iter(visible), None))
