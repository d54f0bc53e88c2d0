"""The tables: one file each, which says what is run and how it is shown."""

from dycl.reproduce.tables import ablation, batching, correctness, latency, overhead, systems
from dycl.reproduce.tables.table import Table

TABLES: dict[str, Table] = {
    table.TABLE.name: table.TABLE
    for table in (batching, systems, ablation, overhead, correctness, latency)
}
"""By name; those that take minutes before those that take half an hour."""
