"""Tests the ETags of objects and their comparison with If-Match and If-None-Match."""

from __future__ import annotations

import contextlib

import pytest

from service.web import etags
from service.web.envelope import Problem

SHA256 = "c" * 64


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        (etags.revision_etag(1), '"1"'),
        (etags.revision_etag(33), '"33"'),
        (etags.content_etag(SHA256), f'"{SHA256}"'),
        (etags.content_etag(SHA256, 256), f'"{SHA256}-256"'),
        (etags.content_etag(SHA256, 512, 0, 1, 2), f'"{SHA256}-512-0-1-2"'),
    ],
)
def test_text_of_tags_does_not_change(tag: str, text: str) -> None:
    assert tag == text


@pytest.mark.parametrize(
    ("header", "may_change", "has_content"),
    [
        (None, True, False),
        ("*", True, True),
        (" * ", True, True),
        ('"3"', True, True),
        (' "3" ', True, True),
        ('"1", "3"', True, True),
        ('"1","3","4"', True, True),
        ('"1",, "3"', True, True),
        ('W/"1", "3"', True, True),
        ('W/"3"', False, True),
        ('"1", W/"3"', False, True),
        ('w/"3"', False, False),
        ('"2"', False, False),
        ('"33"', False, False),
        ('"3', False, False),
        ("3", False, False),
        ("", False, False),
        (",", False, False),
        ('"*"', False, False),
        ("W/*", False, False),
        ('"2", *', False, False),
        ('"a,3"', False, False),
    ],
)
def test_if_match_compares_strongly_and_if_none_match_weakly(
    header: str | None, may_change: bool, has_content: bool
) -> None:
    tag = etags.revision_etag(3)
    with contextlib.nullcontext() if may_change else pytest.raises(Problem):
        etags.require_match(header, tag, dict)
    assert etags.is_not_modified(header, tag) is has_content


def test_changed_object_is_412_with_its_tag_and_current_state() -> None:
    with pytest.raises(Problem) as refused:
        etags.require_match('"2"', '"3"', lambda: {"current": {"name": "n"}, "updated_by": None})
    problem = refused.value
    assert (problem.status, problem.error) == (412, "stale")
    assert problem.msg == "内容已被其他用户修改，请查看最新内容后重新保存"
    assert problem.headers == {"ETag": '"3"'}
    assert list(problem.details.items()) == [
        ("etag", '"3"'),
        ("current", {"name": "n"}),
        ("updated_by", None),
    ]


def test_state_of_the_object_is_read_only_for_the_answer() -> None:
    def state() -> dict[str, object]:
        raise AssertionError

    etags.require_match(None, '"3"', state)
    etags.require_match('"3"', '"3"', state)


def test_revisions_fit_into_the_column_and_differ_from_that_of_a_creation() -> None:
    revisions = {etags.new_revision() for _number in range(2000)}
    # One of a thousand such sets contains a number twice by chance; none contains three pairs.
    assert len(revisions) > 1997
    assert all(1 < revision < 2**31 for revision in revisions)
