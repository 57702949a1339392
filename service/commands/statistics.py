"""Runs `walkaround statistics rebuild`: recounts what the charts show."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from service.changes import BeforeCommit, ObjectChange, announce
from service.db.database import Database
from service.db.schema import current_revision, newest_revision
from service.settings import Settings
from service.statistics.service import StatisticsService
from service.statistics_facts import statistics_ports


def main(arguments: Sequence[str], settings: Settings, before_commit: Sequence[BeforeCommit] = ()) -> int:
    """Run `statistics rebuild`; 0 done, 1 not possible now. `before_commit` write the audit log."""
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
        if database.is_sqlite and not Path(database.url.database or "").is_file():
            print(f"there is no database at {database.url.database}: name the data directory with --data-dir")
            return 1
        if current_revision(database) != newest_revision():
            print("the database is of another version of the program: start the service once, then try again")
            return 1
        counted = StatisticsService(database, statistics_ports()).rebuild()
        details = {"records": counted}
        database.write_now(
            lambda session: announce(session, ObjectChange("rebuild", "statistics", details=details))
        )
    finally:
        database.close()
    print(f"counted {counted} records")
    return 0
