"""Bodies of the event stream."""

from shared.wire.common import ItemTime, WireModel


class ChangeEvent(WireModel):
    """`data` of a `change` event: what changed, how, by whom and when; never its content.

    `id` is what `Last-Event-ID` takes to go on after this event.
    """

    id: str
    action: str
    kind: str
    object_id: str | None
    actor: str | None
    at: ItemTime
