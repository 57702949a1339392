"""The widgets that every page is made of: one style, both themes, reachable by keyboard."""

from desktop.widgets.bars import (
    Logo,
    PageHeader,
    Rail,
    RailEntry,
    SaveMark,
    SaveState,
    StatusBar,
    TopBar,
    service_tone,
    service_word,
)
from desktop.widgets.buttons import Button, IconButton, Kind, enters
from desktop.widgets.chips import (
    Chip,
    FilterChips,
    chip_height,
    chip_width,
    paint_chip,
    status_tone,
    status_word,
)
from desktop.widgets.dates import Calendar, DateRange, MomentField
from desktop.widgets.dialogs import Confirm, Dialog, Toast, confirm, fit, grow, key_hint
from desktop.widgets.fields import Combo, Field, PasswordField, SearchField, TextArea, reveal_after
from desktop.widgets.flow import Flow
from desktop.widgets.icons import icon, paint_icon
from desktop.widgets.labels import Card, Line, Panel, ProgressBar, folded, label, paint_progress, rule, tip
from desktop.widgets.page import Page, PageKind
from desktop.widgets.pager import Pager
from desktop.widgets.states import (
    Banner,
    EmptyState,
    ErrorState,
    LoadingState,
    NoPermissionState,
    StateStack,
    Symbol,
)
from desktop.widgets.table import Column, ColumnSpread, Table, dress_rows, title_width

__all__ = [
    "Banner",
    "Button",
    "Calendar",
    "Card",
    "Chip",
    "Column",
    "ColumnSpread",
    "Combo",
    "Confirm",
    "DateRange",
    "Dialog",
    "EmptyState",
    "ErrorState",
    "Field",
    "FilterChips",
    "Flow",
    "IconButton",
    "Kind",
    "Line",
    "LoadingState",
    "Logo",
    "MomentField",
    "NoPermissionState",
    "Page",
    "PageHeader",
    "PageKind",
    "Pager",
    "Panel",
    "PasswordField",
    "ProgressBar",
    "Rail",
    "RailEntry",
    "SaveMark",
    "SaveState",
    "SearchField",
    "StateStack",
    "StatusBar",
    "Symbol",
    "Table",
    "TextArea",
    "Toast",
    "TopBar",
    "chip_height",
    "chip_width",
    "confirm",
    "dress_rows",
    "enters",
    "fit",
    "folded",
    "grow",
    "icon",
    "key_hint",
    "label",
    "paint_chip",
    "paint_icon",
    "paint_progress",
    "reveal_after",
    "rule",
    "service_tone",
    "service_word",
    "status_tone",
    "status_word",
    "tip",
    "title_width",
]
