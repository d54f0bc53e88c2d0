"""Published evaluations, run again: tables of correctness, latency, passes and overhead.

In: a catalog of models (``catalog.load_catalog``), names of tables. Out: each table as JSON,
Markdown and a plot. A table is cells (measurement, model, backend); each cell is measured by a
process of its own and kept, so that a crash is a row with a reason and an interrupted run goes on.
Start reading at ``reproducing.reproduce``; ``tables`` has one file per table for what is run and
how it is shown, ``measuring`` what a cell's process does.
"""
