"""The texts of the API document: its introduction, tags, summaries of operations, and common parameters.

The docstring of a route is the description of its operation. Everything here is added to the document when
it is requested, so it costs a start of the service nothing.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

INTRODUCTION: Final = """\
Records of inspections, their items, photos, findings and verdicts, and the accounts of the people who
make them.

**Base URL.** Every operation works with and without the prefix `/api`; the health checks have no prefix.

**Login.** `POST /auth/login` or `POST /auth/loginByFaceInfo` answers an access token and a refresh token.
Send `Authorization: Bearer <access_token>` with every other request, and get new tokens from `POST
/auth/refresh`. Each operation lists the permission that it requires. Changes to users, models, webhooks
and settings also need a password login of the last ten minutes (403 `password_login_needed`).

**Envelope.** Answers are `{"code", "data", "msg"}`; `code` is 0 for success and 1 for failure. Creating,
reading and updating an item answers the item without an envelope, and contents of files are bytes. A
failure that the contract names has status 200 and `code` 1. Any other failure has a status of 400 or
above and a stable code in `data.error`. 422 lists the invalid fields in `data.fields`.

**Language.** Texts of failures (`msg`, `fields[].message`) are English if `Accept-Language` prefers
English, else Chinese. The messages of the contract and `status_name` are always Chinese. Decide by `code`,
status and `data.error`.

**Times.** All times are UTC. Times of records have no zone suffix (`2026-03-01T08:00:00`), times of items
end in `Z`. The time at which a photo was taken is that of its camera.

**Changes by others.** `If-Match` with the `ETag` of an object makes a change fail with 412 `stale` if
another user changed the object. Without it the last change wins.

**Repeating.** A creation with an `Idempotency-Key` that arrives twice creates one object.

**Limits.** `x-max-body-bytes` is the largest body of an operation. 429 and 503 have a `Retry-After` in
seconds.
"""

TAGS: Final = {
    "inspection": "Records: create, search, finish, seal, reopen and release them, and their photos.",
    "inspection_item": "Items of a record: regions, photos, findings, verdicts, known variations.",
    "auth": "Login, tokens, sessions, profile and password of the current user.",
    "users": "Users, their roles and their sessions.",
    "face": "Face login, face enrolment, allowed devices and calibration.",
    "catalogue": "Aircraft, flights, tasks and reference images with their templates.",
    "files": "Uploaded files, thumbnails, tiles and crops.",
    "detection": "Detection jobs, batches, models and labels.",
    "audit": "The audit log.",
    "backups": "The state of scheduled backups.",
    "events": "A stream of changes.",
    "webhooks": "Addresses that the service notifies, and their deliveries.",
    "statistics": "Counts of records and findings, durations, and agreement of models and people.",
    "phone": "Codes that connect a phone to a record, and what a connected phone uses.",
    "health": "Checks for a supervisor or a load balancer.",
}

SUMMARIES: Final = {
    "inspection_create": "Create a record",
    "inspection_search": "Search records",
    "inspection_get": "Get a record",
    "inspection_update": "Update a record",
    "inspection_remove": "Delete a record",
    "inspection_item_create": "Create an item",
    "inspection_item_list_items": "List the items of a record",
    "inspection_item_get": "Get an item",
    "inspection_item_update": "Update an item",
    "inspection_item_remove": "Delete an item",
    "inspection_item_restore": "Restore a deleted item",
    "inspection_finish": "Finish a record",
    "inspection_items_from_template": "Create items from the template",
    "inspection_items_from_record": "Create items from another record",
    "inspection_work": "Count the records with work to be done",
    "inspection_inspectors": "List the users who can take over a record",
    "inspection_hand_over": "Hand a record over",
    "inspection_list_handovers": "List the handovers of a record",
    "inspection_comment": "Comment on an item",
    "inspection_list_comments": "List the comments of a record",
    "inspection_change_comment": "Update a comment",
    "inspection_delete_comment": "Delete a comment",
    "inspection_arrange": "Set the order of the items of a record",
    "inspection_item_set_verdict": "Set the verdict of an item",
    "inspection_item_correct": "Correct findings",
    "inspection_item_add_photo": "Add a photo to an item",
    "inspection_item_list_photos": "List the photos of an item",
    "inspection_list_record_photos": "List the photos of all items",
    "inspection_item_delete_photo": "Remove a photo from an item",
    "inspection_add_record_photo": "Add a photo to a record",
    "inspection_list_photos_of_record": "List the photos of a record",
    "inspection_match_record_photo": "Match a photo with regions",
    "inspection_assign_record_photo": "Assign a photo to items",
    "inspection_delete_record_photo": "Remove a photo from a record",
    "inspection_add_record_film": "Keep a film with a record",
    "inspection_list_films_of_record": "List the films of a record",
    "inspection_delete_record_film": "Remove a film from a record",
    "inspection_item_history": "Get the history of a region",
    "inspection_item_trend": "Get the trend of a region",
    "inspection_summaries": "Get summaries of records",
    "inspection_record_seal": "Get the seal of a record",
    "inspection_record_users": "List the users of a record",
    "inspection_verify_seal": "Verify the seal of a record",
    "inspection_list_editions": "List the editions of a record",
    "inspection_get_edition": "Get an edition",
    "inspection_reopen": "Reopen a record",
    "inspection_release": "Release an edition",
    "inspection_inspection_policy": "Get the rules for finishing",
    "inspection_set_inspection_policy": "Set the rules for finishing",
    "auth_login": "Log in by password",
    "auth_refresh": "Refresh tokens",
    "auth_logout": "Log out",
    "auth_me": "Get the current user",
    "auth_first_run_needed": "Check for a first administrator",
    "auth_first_run": "Create the first administrator",
    "auth_update_info": "Update the profile",
    "auth_update_password": "Change the password",
    "auth_list_sessions": "List the current user's sessions",
    "auth_end_other_sessions": "End the current user's other sessions",
    "auth_end_session": "End a session of the current user",
    "users_list_users": "List users",
    "users_create_user": "Create a user",
    "users_get_user": "Get a user",
    "users_update_user": "Update a user",
    "users_list_sessions": "List the sessions of a user",
    "users_end_sessions": "End all sessions of a user",
    "users_end_session": "End a session of a user",
    "face_update_face_info": "Register or replace a face",
    "face_login_by_face_info": "Log in by face",
    "face_draw_challenge": "Draw a challenge",
    "face_login_by_challenge": "Log in by a challenge",
    "face_practise_challenge": "Practise a challenge",
    "face_face_requirements": "Get the requirements of face login",
    "face_face_status": "Get the current user's enrolment",
    "face_enrol_face": "Enrol a face",
    "face_forget_face": "Delete the current user's enrolment",
    "face_forget_face_of": "Delete a user's enrolment",
    "face_face_policy": "Get the face login policy",
    "face_switch_face_login": "Set the face login policy",
    "face_face_devices": "List allowed devices",
    "face_allow_device": "Allow a device",
    "face_rename_device": "Rename a device",
    "face_end_device": "Remove a device",
    "face_face_models": "List face models",
    "face_face_calibration": "Get the calibration of faces",
    "face_compare_strangers": "Compare photos of strangers",
    "catalogue_list_aircraft": "List aircraft",
    "catalogue_create_aircraft": "Create an aircraft",
    "catalogue_get_aircraft": "Get an aircraft",
    "catalogue_update_aircraft": "Update an aircraft",
    "catalogue_delete_aircraft": "Delete an aircraft",
    "catalogue_list_flights": "List flights",
    "catalogue_create_flight": "Create a flight",
    "catalogue_get_flight": "Get a flight",
    "catalogue_update_flight": "Update a flight",
    "catalogue_delete_flight": "Delete a flight",
    "catalogue_list_tasks": "List tasks",
    "catalogue_create_task": "Create a task",
    "catalogue_get_task": "Get a task",
    "catalogue_update_task": "Update a task",
    "catalogue_delete_task": "Delete a task",
    "catalogue_list_reference_images": "List reference images",
    "catalogue_create_reference_image": "Create a reference image",
    "catalogue_get_reference_image": "Get a reference image",
    "catalogue_update_reference_image": "Update a reference image",
    "catalogue_delete_reference_image": "Delete a reference image",
    "catalogue_replace_template": "Replace a template",
    "files_upload_file": "Upload a file",
    "files_get_file": "Get the metadata of a file",
    "files_get_content": "Get the content of a file",
    "files_get_thumbnail": "Get a thumbnail",
    "files_get_tiles": "Get the tile layout of an image",
    "files_get_tile": "Get a tile",
    "files_get_crop": "Get a part of an image",
    "detection_detect_item": "Run detection on an item",
    "detection_detect_record": "Run detection on a record",
    "detection_list_jobs": "List jobs",
    "detection_get_job": "Get a job",
    "detection_cancel_job": "Cancel a job",
    "detection_create_batch": "Create a batch",
    "detection_get_batch": "Get a batch",
    "detection_cancel_batch": "Cancel a batch",
    "detection_retry_batch": "Retry a batch",
    "detection_list_models": "List models",
    "detection_add_model": "Add a model",
    "detection_get_model": "Get a model",
    "detection_update_model": "Update a model",
    "detection_supersede_model": "Create the next version of a model",
    "detection_try_model": "Try a model on an image",
    "detection_list_labels": "List labels",
    "detection_update_labels": "Set the severity of labels",
    "inspection_item_get_memory": "Get the known variations of a region",
    "inspection_item_change_memory": "Update the known variations of a region",
    "audit_list_audit": "List audit entries",
    "backups_backup_status": "Get the state of backups",
    "backups_choose_backup_folder": "Choose the folder for backups",
    "backups_start_backup": "Start a backup",
    "events_get_events": "Receive changes",
    "webhooks_list_webhooks": "List webhooks",
    "webhooks_create_webhook": "Create a webhook",
    "webhooks_update_webhook": "Update a webhook",
    "webhooks_delete_webhook": "Delete a webhook",
    "webhooks_test_webhook": "Test a webhook",
    "webhooks_list_deliveries": "List the deliveries of a webhook",
    "statistics_records": "Count records",
    "statistics_findings": "Count findings",
    "statistics_durations": "Get the durations of records",
    "statistics_agreement": "Get the agreement of models and people",
    "phone_list_phone_codes": "List phone codes",
    "phone_create_phone_code": "Create a phone code",
    "phone_get_phone_code": "Get a phone code",
    "phone_end_phone_code": "End a phone code",
    "phone_claim_phone_code": "Connect a phone",
    "phone_get_phone_view": "Get what a phone shows",
    "phone_get_phone_picture": "Get an image of a region",
    "phone_begin_phone_upload": "Start an upload from a phone",
    "phone_send_phone_part": "Send a part of a photo",
    "health_healthz": "Check that the process is alive",
    "health_readyz": "Check that the service is ready",
}
"""The summary of each operation, by its ID."""

PARAMETERS: Final = {
    "inspection_id": "ID of the record",
    "item_id": "ID of the item",
    "current_page": "Number of the page, from 1",
    "page_size": "Entries on a page",
    "if-match": "ETag of the version that the change is based on; 412 if the object has another one",
    "if-none-match": "ETag of the content that the client has; 304 if it is unchanged",
    "if-range": "ETag of the content that the range belongs to; otherwise the whole content is answered",
    "Range": "One range of bytes, for example `bytes=0-1023`",
    "aircraft_id": "ID of the aircraft",
    "flight_id": "ID of the flight",
    "task_id": "ID of the task",
    "reference_image_id": "ID of the reference image",
    "executor_id": "ID of the user who performs the inspection",
    "user_id": "ID of the user",
    "file_id": "ID of the file",
    "photo_id": "ID of the photo",
    "film_id": "ID of the film",
    "comment_id": "ID of the comment",
    "model_id": "ID of the detection model",
    "webhook_id": "ID of the webhook",
    "batch_id": "ID of the batch",
    "session_id": "ID of the session",
    "device_id": "ID of the device",
    "job_id": "ID of the job",
    "code_id": "ID of the phone code",
    "upload_id": "ID of the upload",
    "other_id": "ID of the record whose items are copied",
    "edition": "Number of the edition, from 1",
    "q": "Part of the name, in upper or lower case",
    "limit": "Most entries of the answer",
    "start_time_from": "Earliest start, ISO 8601 in UTC",
    "start_time_to": "Latest start, ISO 8601 in UTC",
    "end_time_from": "Earliest end, ISO 8601 in UTC",
    "end_time_to": "Latest end, ISO 8601 in UTC",
    "finding_label": "Only records with findings of this label",
    "model_rejected": "A version of a model: only records in which people rejected its findings",
    "model_missed": "A version of a model: only records in which people added findings that it missed",
    "size": "Longest side of the thumbnail, in pixels",
    "level": "Level of the tile; 0 is the finest",
    "column": "Column of the tile, from 0",
    "row": "Row of the tile, from 0",
    "x": "Left edge of the part, in pixels of the upright image",
    "y": "Upper edge of the part, in pixels of the upright image",
    "w": "Width of the part, in pixels",
    "h": "Height of the part, in pixels",
    "state": "Only jobs in these states",
    "action": "Only entries of this action",
    "kind": "Only entries about objects of this kind",
    "object_id": "Only entries about the object with this ID",
    "actor": "Only entries of the user with this ID",
    "at_from": "Earliest time, ISO 8601 in UTC",
    "at_to": "Latest time, ISO 8601 in UTC",
    "last-event-id": "ID of the last event that the client received; the stream continues after it",
    "by": "What findings are counted by",
}
"""The description of a parameter that has none of its own, by its name."""


def add_texts(document: dict[str, Any]) -> None:
    """Add the texts to the API document. Raises KeyError for an operation without a summary."""
    document["info"]["description"] = INTRODUCTION
    document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["summary"] = SUMMARIES[operation["operationId"]]
            for parameter in operation.get("parameters", ()):
                if text := PARAMETERS.get(parameter["name"]):
                    parameter.setdefault("description", text)


_SCHEMA_NAMES: Final = (
    (r"Envelope_Union_Tokens__NoneType__", "LoginAnswer"),
    (r"Envelope_Union_FaceStatus__NoneType__", "EnrolmentAnswer"),
    (r"Envelope_Union_User__str__", "ProfileUpdateAnswer"),
    (r"Envelope_Union_bool__ErrorDetail__NoneType__", "PasswordUpdateAnswer"),
    (r"Envelope_Union_str__NoneType__", "FaceUpdateAnswer"),
    (r"Envelope_Union_([A-Z]\w+?)__NoneType__", r"\1Answer"),
    (r"Envelope_bool_", "BooleanAnswer"),
    (r"Envelope_int_", "CountAnswer"),
    (r"Envelope_list_(\w+?)__", r"\1ListAnswer"),
    (r"Envelope_Page_(\w+?)__", r"\1PageAnswer"),
    (r"Page_(\w+?)_", r"\1Page"),
    (r"Envelope_(\w+?)_", r"\1Answer"),
    (r"Body_detection_add_model", "ModelUpload"),
    (r"Body_detection_try_model", "ModelTrialUpload"),
)
"""A pattern of the names that FastAPI makes, and the name in its place; the first pattern that matches."""


def name_schemas(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with names of schemas in place of those that FastAPI makes of Python's types.

    Raises ValueError if two schemas would have one name.
    """
    names = {name: _schema_name(name) for name in document["components"]["schemas"]}
    if len(set(names.values())) < len(names):
        raise ValueError("two schemas have one name")
    text = re.sub(
        r'"#/components/schemas/(\w+)"',
        lambda reference: f'"#/components/schemas/{names[reference[1]]}"',
        json.dumps(document),
    )
    renamed: dict[str, Any] = json.loads(text)
    schemas = renamed["components"]["schemas"]
    for name, new_name in names.items():
        if name != new_name:
            schemas[name]["title"] = new_name
    renamed["components"]["schemas"] = {
        names[name]: schemas[name] for name in sorted(names, key=names.__getitem__)
    }
    return renamed


def _schema_name(name: str) -> str:
    for pattern, new_name in _SCHEMA_NAMES:
        if match := re.fullmatch(pattern, name):
            return match.expand(new_name)
    return name
