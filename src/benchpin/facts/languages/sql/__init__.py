"""SQL, in the dialects of PostgreSQL, MySQL, SQLite, SQL Server and Oracle."""
