"""Answers are validated as models that are built once."""

from __future__ import annotations

import gc
import weakref

from pydantic import BaseModel

from desktop.client.http.answers import Answer
from shared.wire.common import Envelope


def test_generic_model_of_an_answer_is_not_built_again_after_a_garbage_collection() -> None:
    class Content(BaseModel):
        number: int

    def read() -> weakref.ref[type[BaseModel]]:
        model = Envelope[Content]
        assert Answer({"data": {"number": 3}}, None).read(model).data.number == 3
        return weakref.ref(model)

    built = read()
    gc.collect()
    assert built() is not None
    assert built() is Envelope[Content]
