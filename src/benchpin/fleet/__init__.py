"""Measure many repositories as one: facts by content in a shared place, tables to ask.

members    which repositories: paths, globs, a list in a file
sources    what a commit or a folder has, and how its files are read; nothing is checked out
steps      the map step: a batch of blobs in, their facts out; where it runs: here, or on Dask
place      a folder or a bucket of an object store
packs      facts in that place: packs of about 64 MB, and an index of them
tables     the reduce step: the facts of one repository in, its tables out
schema     the columns of the tables, and records of what was measured when
risk       how likely files need a bug fix
measuring  all of these together
questions  what is asked of the tables, with DuckDB, and of the measured code
answering  the process that DuckDB runs in
reports    the answers, and the page with all of them
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._answering import Answer, Cell
    from ._measuring import FleetMeasurement
    from ._members import MAX_LISTING_BYTES, find_members
    from ._place import Place, open_place, shown_url
    from ._questions import MAX_ROWS, FleetTables, TextSearch
    from ._reports import REPORT_QUESTIONS, FleetAnswer, FleetReport
    from ._schema import tables_version
    from ._steps import Steps, dask_steps, local_steps

__all__ = [
    "MAX_LISTING_BYTES",
    "MAX_ROWS",
    "REPORT_QUESTIONS",
    "Answer",
    "Cell",
    "FleetAnswer",
    "FleetMeasurement",
    "FleetReport",
    "FleetTables",
    "Place",
    "Steps",
    "TextSearch",
    "dask_steps",
    "find_members",
    "local_steps",
    "open_place",
    "shown_url",
    "tables_version",
]

__getattr__ = lazy(__name__)
