"""Edit one entry in the text of a host's configuration, and leave the rest of it alone."""

from ._entries import ConfigNotEdited, entry_of, parsed, with_entry, without_entry

__all__ = ["ConfigNotEdited", "entry_of", "parsed", "with_entry", "without_entry"]
