"""Creates a record for each row of a CSV file, and goes on after whatever stopped it.

    python docs/examples/records_from_csv.py records.csv --env service.env

The first line of the file names the columns: `task_id`, which has to be filled, and any other text or time
of a record (`inspection_name`, `executor_id`, `reference_image_id`, `start_time`, ...). Each row has a key
made of what it says, so the service makes one record of it however often it is sent: when the connection is
lost the script goes on by itself, and when it was ended it can be started again.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from desktop.client import ClientError
from desktop.client.http.errors import ServerFault, Unreachable, Untrusted
from desktop.client.scripts import PATIENCE_SECONDS, credentials, logged_in
from shared.wire.inspection import RecordCreate

_MORE = ""
"""The name of the fields of a row beyond the columns; no record has it."""


def read(path: Path) -> list[tuple[str, RecordCreate]]:
    """The key and the record of each row; a row that occurs twice makes two records.

    Raises ValueError for a column that no record has, and with the line of a row that cannot be a record.
    """
    records: list[tuple[str, RecordCreate]] = []
    times = Counter[str]()
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, restkey=_MORE)
        unknown = set(rows.fieldnames or ()) - RecordCreate.model_fields.keys()
        if unknown:
            raise ValueError(f"{path}: no record has {', '.join(sorted(map(repr, unknown)))}.")
        for row in rows:
            if _MORE in row:
                raise ValueError(f"line {rows.line_num} of {path}: it has more fields than the first line.")
            filled = {name: value for name, value in row.items() if value}
            try:
                body = RecordCreate.model_validate(filled)
            except ValidationError as error:
                where = ", ".join(".".join(map(str, fault["loc"])) for fault in error.errors())
                raise ValueError(
                    f"line {rows.line_num} of {path}: {where} is missing or not valid."
                ) from None
            text = json.dumps(body.model_dump(mode="json", exclude_unset=True), sort_keys=True)
            times[text] += 1
            key = hashlib.sha256(f"{times[text]} {text}".encode()).hexdigest()
            records.append((key, body))
    return records


def main(arguments: Sequence[str] | None = None) -> int:
    """Create the records; 0 when all of them exist."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("csv", type=Path, help="the file with the rows")
    parser.add_argument("--env", type=Path, help="file with WALKAROUND_URL, _USERNAME and _PASSWORD")
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_SECONDS,
        help="seconds to wait for a service that is not there (%(default).0f)",
    )
    options = parser.parse_args(arguments)
    try:
        rows = read(options.csv)
        with logged_in(credentials(options.env), patience=options.patience) as session:
            for number, (key, body) in enumerate(rows, start=1):
                record = session.records.create(body, key)
                print(f"{number}/{len(rows)} {record.inspection_id} {body.task_id}", flush=True)
    except UnicodeDecodeError:
        print(f"{options.csv} is not UTF-8. Save it as “CSV UTF-8”.", file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except ClientError as error:
        print(error, file=sys.stderr)
        if isinstance(error, Unreachable | ServerFault) and not isinstance(error, Untrusted):
            print("Start the script again to go on.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
