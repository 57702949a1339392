"""Defines the tables of what is counted: what each record and item contributes, and the sums of it.

What an item or a record contributes is kept, so that a change adds the difference to the sums and reads
nothing else. Neither table has a foreign key: what a deleted record contributed is
subtracted after it is gone.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Index
from sqlmodel import Field

from service.db.database import Base


class CountedRecord(Base, table=True):
    """What a record contributes, and where: `day` is `date.toordinal()` of the day it is counted on.

    `aircraft_id` and `executor_id` are empty where there is none. `seconds`: from its start to its end, None
    while it has no end.
    """

    __tablename__ = "statistic_record"

    inspection_id: str = Field(max_length=36, primary_key=True)
    day: int
    aircraft_id: str = Field(max_length=255)
    executor_id: str = Field(max_length=255)
    state: str = Field(max_length=32)
    seconds: int | None = Field(default=None, sa_type=BigInteger)

    __table_args__ = (Index(None, "day", "inspection_id"),)


class CountedItem(Base, table=True):
    """How many of one thing the result of an item has, by `measure` and `name` (`rules.Measure`)."""

    __tablename__ = "statistic_item"

    item_id: str = Field(max_length=36, primary_key=True)
    measure: str = Field(max_length=16, primary_key=True)
    name: str = Field(max_length=255, primary_key=True)
    inspection_id: str = Field(max_length=36, index=True)
    amount: int = Field(sa_type=BigInteger)

    __table_args__ = (Index(None, "measure", "name", "inspection_id"),)


class Sum(Base, table=True):
    """What all records of a day or a month contribute to one name of a measure.

    `scope` (`rules.Scope`) says which of the other columns hold: with an aircraft or an executor of its own
    or of all, of a day or of the month that begins on `day`. The key begins with what a chart compares and
    the table is stored in its order on SQLite: a chart reads neighbouring rows.
    """

    __tablename__ = "statistic_sum"

    measure: str = Field(max_length=16, primary_key=True)
    scope: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    aircraft_id: str = Field(max_length=255, primary_key=True)
    executor_id: str = Field(max_length=255, primary_key=True)
    day: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    name: str = Field(max_length=255, primary_key=True)
    amount: int = Field(sa_type=BigInteger)

    __table_args__ = ({"sqlite_with_rowid": False},)


RECORD = CountedRecord.__table__
ITEM = CountedItem.__table__
SUM = Sum.__table__
