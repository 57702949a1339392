"""Writes docs/settings.md: every setting of the service with its default and its description.

python -m docs.settings
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from service.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "settings.md"
SOURCE = ROOT / "service" / "settings.py"
INTRODUCTION = """\
# Settings of the service

Written by `python -m docs.settings` from `service/settings.py`.

Set a setting in the environment of the service; on a server in the file of the unit
([deploy.md](deploy.md)). A desktop that runs its own service passes its environment on. Lists are JSON, for
example `WALKAROUND_ALLOWED_HOSTS='["inspect.example"]'`. Times are in seconds and sizes in bytes. A setting
that is not valid stops the start with a message that names it.
"""


def page() -> str:
    """The text of docs/settings.md. Raises ValueError for a setting without a description."""
    return "\n".join([INTRODUCTION, "| setting | default | meaning |", "|---|---|---|", *_rows(), ""])


def _rows() -> Iterator[str]:
    tree = ast.parse(SOURCE.read_text("utf-8"))
    (settings,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Settings")
    for field, text in zip(settings.body, settings.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
                raise ValueError(f"{field.target.id} has no description")
            meaning = " ".join(str(text.value.value).split())
            yield f"| `WALKAROUND_{field.target.id.upper()}` | {_default(field.target.id)} | {meaning} |"


def _default(name: str) -> str:
    # The default of the data folder depends on the user.
    value = Settings.model_fields[name].get_default(call_default_factory=True)
    if name == "data_dir" or value in ("", None):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
