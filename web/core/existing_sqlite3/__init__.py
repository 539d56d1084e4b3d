"""Django's backend for SQLite, for files that stay: see `base`."""
