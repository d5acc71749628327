"""Files below a root, opened so that neither a symbolic link nor a race can lead out of it."""
