"""Where statements of a database are sent from: SQL in sources, and models of an ORM."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._models import Models
    from ._written import WrittenStatement, comparable, statements_in

__all__ = ["Models", "WrittenStatement", "comparable", "statements_in"]

__getattr__ = lazy(__name__)
