"""Measure many repositories as one: facts by content in a shared place, tables to ask.

members    which repositories: paths, globs, a list in a file
trees      what a commit has: paths and git ids, nothing is checked out
sources    what files are read from: git, or a folder without it
mapping    the map step: a batch of blobs in, their facts out
executors  where steps run: on this machine, or on a Dask cluster
place      a folder or a bucket of an object store
packs      facts in that place: packs of about 64 MB, and an index of them
tables     the reduce step: the facts of one repository in, its tables out
risk       how likely files need a bug fix
records    what was measured of each repository, and when
measuring  all of these together
questions  what is asked of the tables, with DuckDB
answering  the process that DuckDB runs in
text_search  lines of the measured code that match
"""
