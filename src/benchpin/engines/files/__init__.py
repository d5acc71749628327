"""Files beneath a root: opened so that no link and no race leads out of it."""
