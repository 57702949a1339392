"""Defines the tables of statistics: the contributions of records and items, and their sums.

The contribution of an item or a record is stored, so that a change adds only the difference to the sums. The
tables have no foreign keys: the contribution of a deleted record is subtracted after its deletion.
"""

from sqlalchemy import BigInteger, Index
from sqlmodel import Field

from service.db.database import Base


class CountedRecord(Base, table=True):
    """The contribution of a record. `day` is `date.toordinal()` of the day that it is counted on.

    `aircraft_id` and `executor_id` are empty if the record has none. `seconds` is the duration from start to
    end; None until it has ended.
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
    """The contribution of an item to one measure and name (`rules.Measure`)."""

    __tablename__ = "statistic_item"

    item_id: str = Field(max_length=36, primary_key=True)
    measure: str = Field(max_length=16, primary_key=True)
    name: str = Field(max_length=255, primary_key=True)
    inspection_id: str = Field(max_length=36, index=True)
    amount: int = Field(sa_type=BigInteger)

    __table_args__ = (Index(None, "measure", "name", "inspection_id"),)


class Sum(Base, table=True):
    """The sum of the contributions to one measure and name.

    `scope` (`rules.Scope`) states whether the sum is of one aircraft, executor or of all, and of a day or of
    the month that begins on `day`. The key begins with the columns that a chart compares, and SQLite stores
    the table in its order, so a chart reads neighbouring rows.
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
