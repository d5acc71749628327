"""Slow logs of MySQL, MariaDB and Percona Server: events, classes, connections, redaction."""
