"""Commands that are no tools of their own."""

from benchpin.core import Command, CommandField

list_comments = Command(
    "search_comments",
    "Without a QUERY, lists every comment.",
    {"query": CommandField("QUERY", default=".*")},
)
