"""Comments anchored to lines of code: their store, and where their lines are after changes."""
