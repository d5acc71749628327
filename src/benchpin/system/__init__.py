"""The machine below us: processes, folders, file formats of the field."""
