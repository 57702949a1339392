"""Makes Chinese texts of the service from templates, so that the service finds their English form."""

import functools
from collections.abc import Sequence


class FilledText(str):
    """A Chinese text that was made from `template`, with `values` for its {names}."""

    __slots__ = ("template", "values")
    template: str
    values: dict[str, object]


def fill(template: str, **values: object) -> FilledText:
    """The Chinese `template` with its {names} replaced by `values`.

    `resources/translations/service_en.json` has the English template; a value that is a text of the service
    itself is translated as well.
    """
    text = FilledText(template.format(**values))
    text.template, text.values = template, values
    return text


def join(separator: str, parts: Sequence[str]) -> str:
    """The texts `parts`, one at least, as one text; `separator` is a template of its {first} and {next}."""
    return functools.reduce(lambda first, part: fill(separator, first=first, next=part), parts)
