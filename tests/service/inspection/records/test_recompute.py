"""Tests that progress and status follow the items after any sequence of changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.record import results
from shared.record.entries import Entry
from tests.service.inspection.conftest import Stage

OUTCOMES: dict[str, list[dict[str, Any]]] = {
    "empty": [],
    "open": [{"progress": "error"}],
    "passed": [{"isPassed": True, "progress": "done"}],
    "failed": [{"isPassed": True}, {"isPassed": False}],
}

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), st.sampled_from(sorted(OUTCOMES))),
        st.tuples(st.just("result"), st.integers(0, 5), st.sampled_from(sorted(OUTCOMES))),
        st.tuples(st.just("verdict"), st.integers(0, 5), st.sampled_from(["passed", "failed", "undecided"])),
        st.tuples(st.just("append"), st.integers(0, 5), st.sampled_from([True, False, None])),
        st.tuples(st.just("delete"), st.integers(0, 5)),
        st.tuples(st.just("rename"), st.integers(0, 5)),
        st.tuples(
            st.just("set"),
            st.integers(0, 100),
            st.sampled_from(["passed", "cancelled", "not_started", "in_progress"]),
        ),
    ),
    max_size=10,
)


class ExpectedRecord:
    """The expected progress and status of a record, computed in a simple way."""

    def __init__(self) -> None:
        self.items: list[tuple[str, str]] = []
        self.progress, self.status = 0, "not_started"

    @property
    def state(self) -> str:
        if self.status == "cancelled":
            return self.status
        done = any(state in ("passed", "failed") for _, state in self.items)
        return "in_progress" if done or self.status != "not_started" else "not_started"

    def changed(self) -> None:
        states = [state for _, state in self.items]
        done = sum(state in ("passed", "failed") for state in states)
        self.progress = done * 100 // len(states) if states else 0
        if self.status == "cancelled":
            return
        if states and done == len(states):
            self.status = "failed" if "failed" in states else "passed"
        elif done or self.status != "not_started":
            self.status = "in_progress"


@pytest.mark.parametrize("database_kind", ["sqlite"])
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_record_follows_its_items(stage: Stage, steps: list[tuple[Any, ...]]) -> None:
    model = ExpectedRecord()
    inspection_id = stage.record()["inspection_id"]
    for step in steps:
        play_step(stage, model, inspection_id, step)
        record = stage.get(inspection_id)
        assert (record["progress"], record["inspection_status"]) == (model.progress, model.status), step
        seal = stage.client.get(f"/api/inspection/{inspection_id}/seal").json()["data"]
        assert seal["record_state"] == model.state, step


def play_step(stage: Stage, model: ExpectedRecord, inspection_id: str, step: tuple[Any, ...]) -> None:
    if step[0] == "create":
        item = stage.item(inspection_id, result=OUTCOMES[step[1]])
        model.items.append((item["item_id"], step[1]))
        model.changed()
    elif step[0] == "set":
        body = {"progress": step[1], "inspection_status": step[2]}
        stage.client.put(f"/api/inspection/updateInspection/{inspection_id}", json=body)
        model.progress, model.status = step[1], step[2]
    elif step[1] < len(model.items):
        item_id, state = model.items[step[1]]
        path = f"/api/inspection_item/{item_id}"
        if step[0] == "rename":
            assert stage.client.put(path, json={"item_name": "新名"}).status_code == 200
            return
        if step[0] == "delete":
            assert stage.client.delete(path).json()["data"] is True
            del model.items[step[1]]
            model.changed()
            return
        before = stage.client.get(path).json()["result"]
        if step[0] == "result":
            answer = stage.client.put(path, json={"result": OUTCOMES[step[2]]})
            assert answer.status_code == 200
            # The entries of the service stay too, for example a verdict. The item has the result.
            state = entry_state(answer.json()["result"])
        elif step[0] == "verdict":
            assert stage.client.post(f"{path}/verdict", json={"verdict": step[2]}).status_code == 200
            state = "open" if step[2] == "undecided" else step[2]
        else:
            entry: Entry = {"isPassed": step[2], "progress": "done" if step[2] is not None else "error"}
            stage.database.write_now(
                lambda session: stage.service.detections.put_result(session, item_id, entry)
            )
            if step[2] is not None:
                state = "passed" if step[2] else "failed"
            elif state == "empty":
                state = "open"
            else:  # Only the progress of a detection: the status that a user set stays.
                return
        model.items[step[1]] = (item_id, state)
        if stage.client.get(path).json()["result"] != before:
            model.changed()


def entry_state(entries: list[Entry]) -> str:
    passed = results.is_passed(entries)
    if passed is None:
        return "open" if entries else "empty"
    return "passed" if passed else "failed"


def test_updated_value_stays_until_the_items_change(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    item = stage.item(inspection_id, result=[{"isPassed": True}])
    path = f"/api/inspection/updateInspection/{inspection_id}"
    stage.client.put(path, json={"inspection_status": "failed", "progress": 7})
    stage.client.put(f"/api/inspection_item/{item['item_id']}", json={"description": "只改描述"})
    assert stage.get(inspection_id)["progress"] == 7
    stage.decide(item, "passed")
    record = stage.get(inspection_id)
    assert (record["progress"], record["inspection_status"]) == (100, "passed")


def test_cancelled_changes_only_by_an_update(stage: Stage) -> None:
    inspection_id = stage.record(inspection_status="cancelled")["inspection_id"]
    stage.item(inspection_id, result=[{"isPassed": False}])
    assert stage.get(inspection_id)["inspection_status"] == "cancelled"
    assert stage.get(inspection_id)["progress"] == 100
    answer = stage.client.post(f"/api/inspection/{inspection_id}/finish")
    assert answer.status_code == 409
    path = f"/api/inspection/updateInspection/{inspection_id}"
    stage.client.put(path, json={"inspection_status": "in_progress"})
    assert stage.finish(inspection_id)["inspection_status"] == "passed"


def test_finish_lists_open_items_and_then_sets_the_end_time(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    path = f"/api/inspection/{inspection_id}/finish"
    assert stage.client.post(path).status_code == 409
    left = stage.item(inspection_id, item_name="左翼")
    stage.decide(left, "passed")
    item = stage.item(inspection_id, item_name="右翼", result=[{"isPassed": True}])
    answer = stage.client.post(path)
    assert answer.status_code == 409
    assert answer.json()["data"] == {
        "error": "undecided_items",
        "count": 1,
        # A client entered this result: no model has looked.
        "acceptable": 0,
        "items": [{"item_id": item["item_id"], "item_name": "右翼", "acceptable": False}],
    }
    assert "右翼" in answer.json()["msg"]
    assert stage.get(inspection_id)["end_time"] is None
    stage.decide(item, "passed")
    answer = stage.client.post(path)
    record = answer.json()["data"]
    assert record["end_time"] is not None
    assert (record["progress"], record["inspection_status"]) == (100, "passed")
    read = stage.client.get(f"/api/inspection/getInspectionById/{inspection_id}")
    assert answer.headers["etag"] == read.headers["etag"]


def test_refused_finish_names_three_items_and_lists_fifty(stage: Stage) -> None:
    inspection_id = stage.record()["inspection_id"]
    path = f"/api/inspection/{inspection_id}/finish"
    for name in ("左翼", "右翼", "机头"):
        stage.item(inspection_id, item_name=name)
    assert stage.client.post(path).json()["msg"] == "3 个检查项待判定：左翼、右翼、机头"
    for number in range(4, 52):
        stage.item(inspection_id, item_name=f"第 {number} 项")
    answer = stage.client.post(path).json()
    assert answer["msg"] == "51 个检查项待判定：左翼、右翼、机头 等"
    assert answer["data"]["count"] == 51
    assert [item["item_name"] for item in answer["data"]["items"][2:4]] == ["机头", "第 4 项"]
    assert len(answer["data"]["items"]) == 50


def test_record_created_with_items_follows_them(stage: Stage) -> None:
    body = {"progress": 100, "inspection_status": "passed"}
    earlier, now = stage.record()["inspection_id"], stage.record(**body)["inspection_id"]
    stage.item(earlier, result=[{"isPassed": True}])
    assert stage.client.post(f"/api/inspection/{now}/items-from/{earlier}").status_code == 200
    assert (stage.get(now)["progress"], stage.get(now)["inspection_status"]) == (0, "in_progress")


def test_deletion_of_a_record_deletes_its_items_and_photos(stage: Stage) -> None:
    from tests.service.inspection.conftest import stored_file

    stage.files["p"] = stored_file("p")
    deleted, stays = stage.record()["inspection_id"], stage.record()["inspection_id"]
    item, other = stage.item(deleted), stage.item(stays)
    stage.client.post(f"/api/inspection_item/{item['item_id']}/photos", json={"file_id": "p"})
    assert stage.client.delete(f"/api/inspection/deleteInspection/{deleted}").json() == {
        "code": 0,
        "msg": "检查记录删除成功",
    }
    assert stage.client.get(f"/api/inspection_item/{item['item_id']}").status_code == 404
    assert stage.client.get(f"/api/inspection_item/{item['item_id']}/photos").status_code == 404
    assert stage.client.get(f"/api/inspection_item/{other['item_id']}").status_code == 200
    assert stage.items(deleted) == []
