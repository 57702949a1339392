"""Runs `walkaround statistics rebuild`: recounts the sums of the charts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from service.changes import BeforeCommit, ObjectChange, announce
from service.db.database import Database
from service.db.schema import unusable_database
from service.settings import Settings
from service.statistics.service import StatisticsService


def main(arguments: Sequence[str], settings: Settings, before_commit: Sequence[BeforeCommit] = ()) -> int:
    """Run `statistics rebuild`. Returns 0 on success, 1 if it is not possible now.

    `before_commit` are listeners that are notified of the changes, such as the audit log.
    """
    parser = argparse.ArgumentParser(prog="walkaround statistics")
    commands = parser.add_subparsers(required=True, metavar="rebuild")
    commands.add_parser(
        "rebuild",
        help="recount records and findings, for example after a change of the time zone",
    )
    parser.parse_args(arguments[1:])
    database = Database(settings.url)
    database.before_commit.extend(before_commit)
    try:
        if (sentence := unusable_database(database)) is not None:
            print(sentence)
            return 1
        count = StatisticsService(database).rebuild()
        details = {"records": count}
        database.write_now(
            lambda session: announce(session, ObjectChange("rebuild", "statistics", details=details))
        )
    finally:
        database.close()
    print(f"counted {count} {'record' if count == 1 else 'records'}")
    return 0
